//! unspool for C: a static library, and the header `include/unspool.h` that is generated from these files.
//!
//! Nothing is allocated and there are no globals. A C struct whose insides are nobody's business is an array of words that
//! holds a Rust value: its size is a constant of the header, so that C can put it into `.bss`. Whatever was lent to an `_init`
//! or `_open` function (input, workspace, window, other structs) must stay where it is for as long as the struct is used.
//!
//! Each function that can fail returns 0 or the number of an error, and tells more to the [`UnspoolError`](error::UnspoolError) behind its
//! last argument, unless that is null. A pointer may be null where its length is 0. What a call writes to (output, workspace, window, scratch,
//! opaque structs) must not overlap anything else that it gets, nor anything that was lent before. The former is [checked](memory::apart) before
//! anything is written. Answers are written last, where nobody looks.
//!
//! Everything that is `unsafe` about it is in [`memory`]: pointers become slices and references there, and nowhere else.
#![no_std]
#![allow(
    clippy::missing_safety_doc,
    reason = "what a caller must promise is the same for all functions, and stands above"
)]

#[cfg(feature = "std")]
extern crate std;

pub mod common;
pub mod error;
pub mod memory;

#[cfg(feature = "at1-columnar")]
pub mod at1;
#[cfg(feature = "at1")]
pub mod at1_query;
#[cfg(feature = "cvc")]
pub mod cvc;
#[cfg(feature = "cvc")]
pub mod cvc_plan;
#[cfg(feature = "onpair")]
pub mod onpair;
#[cfg(feature = "pco")]
pub mod pco;
#[cfg(feature = "xz")]
pub mod xz;
#[cfg(feature = "zstd")]
pub mod zstd;

/// What the header asks for where C defines `UNSPOOL_SMALL`: a program with small structs links with no archive that writes larger ones.
#[cfg(feature = "small")]
#[unsafe(export_name = "unspool_small")]
pub static SMALL: u8 = 1;

/// Nothing defines the symbol that this calls: an archive that can reach a panic does not link.
#[cfg(not(any(feature = "std", feature = "open", test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn unspool_a_panic_is_reachable() -> !;
    }
    // SAFETY: never called, because no program that could call it exists.
    unsafe { unspool_a_panic_is_reachable() }
}

/// Builds without optimisation hold panics that nothing reaches; only the optimiser can see that.
#[cfg(all(feature = "open", not(any(feature = "std", test))))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// One index that nothing bounds: the proof that the proof works.
#[cfg(feature = "gate")]
#[unsafe(no_mangle)]
pub extern "C" fn unspool_must_not_link(index: usize) -> u8 {
    core::hint::black_box([1u8, 2, 3])[index]
}

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
#[cfg(feature = "gzip")]
pub mod gzip;
#[cfg(feature = "onpair")]
pub mod onpair;
#[cfg(feature = "pco")]
pub mod pco;
#[cfg(feature = "xz")]
pub mod xz;
#[cfg(feature = "zstd")]
pub mod zstd;

/// Functions that write a struct which is smaller with the feature `small`, and are not told how large it is, under the names that the header
/// knows them by where C defines `UNSPOOL_SMALL`: a program with small structs links with no archive that would write larger ones.
#[cfg(feature = "small")]
pub mod small {
    macro_rules! renamed {
        ($feature:literal, $module:ident::$function:ident as $name:literal, $($argument:ident: $type:ty),*) => {
            #[cfg(feature = $feature)]
            #[doc = concat!("As `", stringify!($function), "`.")]
            #[unsafe(export_name = $name)]
            pub unsafe extern "C" fn $function(
                $($argument: $type,)*
                error: *mut crate::error::UnspoolError,
            ) -> crate::error::UnspoolErrorKind {
                // SAFETY: the same promises.
                unsafe { crate::$module::$function($($argument,)* error) }
            }
        };
    }
    macro_rules! pco {
        ($function:ident, $name:literal) => {
            renamed!(
                "pco", pco::$function as $name,
                decoder: *mut crate::pco::UnspoolPcoDecoder, meta: *const crate::pco::UnspoolPcoMeta, n: usize,
                with: crate::pco::UnspoolPcoPlan, words: *mut u64, words_len: usize
            );
        };
    }
    pco!(unspool_pco_init_8, "unspool_small_pco_init_8");
    pco!(unspool_pco_init_16, "unspool_small_pco_init_16");
    pco!(unspool_pco_init_32, "unspool_small_pco_init_32");
    pco!(unspool_pco_init_64, "unspool_small_pco_init_64");
    renamed!(
        "onpair", onpair::unspool_onpair_search_init as "unspool_small_onpair_search_init",
        search: *mut crate::onpair::UnspoolOnPairSearch, column: *const crate::onpair::UnspoolOnPairColumn,
        kind: crate::onpair::UnspoolOnPairMatch, needle: *const u8, needle_len: usize,
        fallback: *mut u32, fallback_len: usize, tokens: *mut u8, tokens_len: usize
    );
}

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

//! unspool for C: a static library, and the header `include/unspool.h`, which is generated from
//! these files.
//!
//! Nothing is allocated, and there are no globals. An opaque C struct is an array of words that
//! holds a Rust value. Its size is a constant of the header, so that C can put it into `.bss`.
//! Memory that was lent to an `_init` or `_open` function (input, workspace, window, other structs)
//! must stay valid while the struct is used.
//!
//! Each function that can fail returns 0 or the number of an error, and writes the details to the
//! [`UnspoolError`](error::UnspoolError) of its last argument, unless that is null. A pointer may
//! be null if its length is 0. Memory that a call writes to (output, workspace, window, scratch,
//! opaque structs) must not overlap any other argument, nor memory that was lent before. Arguments
//! are [compared](memory::apart) before anything is written. Results are written last, at any
//! address.
//!
//! All `unsafe` conversions are in [`memory`]: only there pointers become slices and references.
#![no_std]
#![allow(
    clippy::missing_safety_doc,
    reason = "what a caller must promise is the same for all functions, and stands above"
)]

#[cfg(feature = "std")]
extern crate std;

pub mod common;
pub mod error;
mod layout;
pub mod memory;

#[cfg(feature = "at1-columnar")]
pub mod at1;
#[cfg(feature = "at1")]
pub mod at1_bundle;
#[cfg(feature = "at1")]
pub mod at1_query;
#[cfg(any(feature = "byte-loops", test))]
#[path = "../memory/byte_loops.rs"]
mod byte_loops;
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
#[cfg(any(feature = "zstd-rfc", feature = "xz"))]
pub mod store;
#[cfg(all(test, feature = "std"))]
mod tests;
#[cfg(feature = "xz")]
pub mod xz;
#[cfg(feature = "zstd-rfc")]
pub mod zstd;

/// Functions that write a struct which is smaller with the feature `small`, and whose length is not
/// an argument. If C defines `UNSPOOL_SMALL`, the header uses the other names: a program with small
/// structs does not link with an archive that would write larger ones.
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
                plan: crate::pco::UnspoolPcoPlan, workspace: *mut core::ffi::c_void, workspace_len: usize
            );
        };
    }
    pco!(unspool_pco_init_8, "unspool_small_pco_init_8");
    pco!(unspool_pco_init_16, "unspool_small_pco_init_16");
    pco!(unspool_pco_init_32, "unspool_small_pco_init_32");
    pco!(unspool_pco_init_64, "unspool_small_pco_init_64");
    pco!(unspool_pco_init_int_16, "unspool_small_pco_init_int_16");
    pco!(unspool_pco_init_int_32, "unspool_small_pco_init_int_32");
    pco!(unspool_pco_init_int_64, "unspool_small_pco_init_int_64");
    renamed!(
        "onpair", onpair::unspool_onpair_search_init as "unspool_small_onpair_search_init",
        search: *mut crate::onpair::UnspoolOnPairSearch, column: *const crate::onpair::UnspoolOnPairColumn,
        needle: *const crate::onpair::UnspoolOnPairNeedle
    );
}

/// Calls a symbol that nothing defines: an archive that can reach a panic does not link.
#[cfg(not(any(feature = "std", feature = "open", test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn unspool_a_panic_is_reachable() -> !;
    }
    // SAFETY: never called, because no program that could call it links.
    unsafe { unspool_a_panic_is_reachable() }
}

/// Builds without optimisation hold unreachable panics; only the optimiser removes them.
#[cfg(all(feature = "open", not(any(feature = "std", test))))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// An index without a bound: it proves that the link test works.
#[cfg(feature = "gate")]
#[unsafe(no_mangle)]
pub extern "C" fn unspool_must_not_link(index: usize) -> u8 {
    core::hint::black_box([1u8, 2, 3])[index]
}

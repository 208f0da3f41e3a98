//! The functions that JavaScript calls: the core with numbers, strings and typed arrays as
//! arguments and results.
//!
//! The TypeScript code in `wasm/npm` is the only caller. It turns a [`Fault`] into an error with a
//! message, and replaces the whole instance after a trap. Only a [`Reader`](cvc::Reader), an
//! [`OnPair`](onpair::OnPair) column and the like keep state between calls.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
// Native builds are only checked and tested; in a module the standard library would weigh most.
#[cfg(any(not(target_arch = "wasm32"), test))]
extern crate std;

#[cfg(feature = "at1")]
pub mod at1;
#[cfg(feature = "cvc")]
pub mod cvc;
mod fault;
#[cfg(feature = "gzip")]
pub mod gzip;
#[allow(unsafe_code, reason = "memory is what it hands out")]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "elsewhere it is only tested"))]
mod heap;
#[allow(dead_code, reason = "no format needs all of it, and a build without formats nothing")]
mod into;
mod js;
#[cfg(feature = "lzma")]
pub mod lzma;
mod number;
#[cfg(feature = "onpair")]
pub mod onpair;
#[cfg(feature = "pco")]
pub mod pco;
#[cfg(any(feature = "at1", feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
mod stream;
#[cfg(feature = "inspect")]
mod structure;
#[cfg(all(feature = "inspect", any(feature = "lzma", feature = "xz")))]
pub mod symbols;
#[cfg(any(feature = "xz", feature = "xz-stream"))]
pub mod xz;
#[cfg(any(feature = "zstd", feature = "zstd-stream"))]
pub mod zstd;

pub use fault::Fault;
#[cfg(feature = "messages")]
pub use fault::error_kinds;
#[cfg(all(
    feature = "inspect",
    any(feature = "cvc", feature = "onpair", feature = "pco", feature = "xz", feature = "zstd")
))]
pub use structure::{Outline, outline};
#[cfg(feature = "inspect")]
pub use structure::{Structure, inspect};

use unspool::Limits;

/// Builds limits from six numbers; without them, returns the default ones.
// Inlined in every caller, it would take more of each module.
#[inline(never)]
#[allow(dead_code, reason = "a build without formats decodes nothing")]
fn limits(numbers: &[f64]) -> Limits {
    let Some(&[output, window, header, elements, columns, depth]) = numbers.first_chunk() else {
        return Limits::DEFAULT;
    };
    Limits {
        max_output: number::to_u64(output),
        max_window: number::to_u64(window),
        max_header: number::to_u64(header),
        max_elements: number::to_u64(elements),
        max_columns: number::to_u64(columns),
        max_depth: u16::try_from(number::to_u64(depth)).unwrap_or(u16::MAX),
    }
}

/// Traps. Only a failed allocation panics in this module; JavaScript then starts a new instance and
/// has the message.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

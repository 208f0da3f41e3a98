//! xz: files and streams of LZMA2 blocks.

#[cfg(feature = "xz-stream")]
mod stream;
#[cfg(feature = "xz")]
mod whole;

#[cfg(feature = "xz-stream")]
pub use stream::xz_stream;
#[cfg(feature = "xz")]
pub use whole::{xz_decode, xz_decode_into};

fn options(limits: &[f64]) -> unspool::xz::Options {
    unspool::xz::Options { limits: crate::limits(limits), ..unspool::xz::Options::DEFAULT }
}

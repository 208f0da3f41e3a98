//! Bit readers and varints.
//!
//! [`BitReader`] reads from the first bit on, least significant bit first. [`BackwardBitReader`] reads a stream from its end, as
//! Zstandard's entropy coders write it. Both know which bit of the input comes next.

mod backward;
mod forward;
mod load;
#[cfg(all(feature = "small", feature = "zstd"))]
mod narrow;
mod varint;

pub use backward::BackwardBitReader;
pub use forward::BitReader;
pub use load::mask;
#[allow(unused_imports, reason = "a build with one format needs a few of them")]
pub(crate) use load::{bits_before, u32_at, u64_at};
#[cfg(all(feature = "small", feature = "zstd"))]
pub(crate) use narrow::NarrowBackward;
#[cfg(feature = "at1-columnar")]
pub(crate) use varint::varint;
pub use varint::{MAX_VARINT_LEN, read_varint, zigzag};

//! Bit readers and varints.
//!
//! [`BitReader`] reads from the first bit on, least significant bit first. [`BackwardBitReader`] reads a stream from its end, as
//! Zstandard's entropy coders write it. Both know which bit of the input comes next.

mod backward;
mod forward;
mod load;
#[cfg(feature = "small")]
mod narrow;
mod varint;

pub use backward::BackwardBitReader;
#[cfg(not(feature = "small"))]
pub(crate) use backward::BackwardBitReader as BackwardFields;
pub use forward::BitReader;
pub use load::mask;
pub(crate) use load::{bits_before, mark, u32_at, u64_at};
#[cfg(feature = "small")]
pub(crate) use narrow::NarrowBitReader as BackwardFields;
pub(crate) use varint::varint;
pub use varint::{MAX_VARINT_LEN, read_varint, zigzag};

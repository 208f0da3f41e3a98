//! Bit readers and varints.
//!
//! [`BitReader`] reads from the first bit on, least significant bit first. [`BackwardBitReader`]
//! reads a stream from its end, as Zstandard's entropy coders write it. Both know the position of
//! the next bit.
//!
//! Backward streams share three helpers: `mark` finds the end of the data, `bits_before` loads a
//! word, and `BackwardFields` reads fields outside of hot loops. The hot loops over sequences and
//! Huffman codes keep their position in registers of their own, and refill from the same words.

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
pub(crate) use load::{bits_before, header_u32_at, mark, number, u32_at, u64_at, whole_u64_at, width};
#[cfg(feature = "small")]
pub(crate) use narrow::NarrowBitReader as BackwardFields;
pub(crate) use varint::varint;
pub use varint::{MAX_VARINT_LEN, read_varint, zigzag};

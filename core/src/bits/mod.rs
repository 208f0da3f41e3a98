//! Bit readers and varints.
//!
//! [`BitReader`] reads from the first bit on, least significant bit first; [`BackwardBitReader`] reads a stream that was written
//! to be read from its end, as Zstandard's entropy coders do. Both say at any time which bit of the input comes next.

mod backward;
mod forward;
mod varint;

pub use backward::BackwardBitReader;
pub use forward::BitReader;
#[cfg(feature = "at1-columnar")]
pub(crate) use varint::varint;
pub use varint::{MAX_VARINT_LEN, read_varint, zigzag};

/// The lowest `n` bits set, for `n` from 0 to 64.
#[inline]
pub const fn mask(n: u32) -> u64 {
    match n {
        0 => 0,
        1..=63 => (1 << n) - 1,
        _ => u64::MAX,
    }
}

/// The eight bytes at `at`, little-endian, with zeros where the slice has ended.
#[inline]
pub(crate) fn window(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => ragged(bytes, at),
    }
}

/// [`window`] near the end of the slice.
#[cold]
fn ragged(bytes: &[u8], at: usize) -> u64 {
    bytes.iter().skip(at).take(8).rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

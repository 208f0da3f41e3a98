//! Checksums that the formats carry.

mod crc32;
mod xxh64;

pub use crc32::Crc32;
pub use xxh64::Xxh64;

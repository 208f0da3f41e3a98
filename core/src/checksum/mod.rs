//! Checksums that the formats carry.

mod crc32;

pub use crc32::Crc32;

//! Checksums that the formats carry.

mod crc32;
mod crc64;
mod sha256;
#[cfg(any(test, all(target_arch = "wasm32", not(any(feature = "std", feature = "small")))))]
mod tables;
mod xxh64;

pub use crc32::Crc32;
pub use crc64::Crc64;
pub use sha256::Sha256;
pub use xxh64::Xxh64;

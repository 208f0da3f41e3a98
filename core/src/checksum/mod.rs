//! Checksums that the formats use.

mod crc32;
mod crc64;
#[cfg(any(
    all(test, target_has_atomic = "64"),
    all(any(test, not(feature = "std")), not(feature = "small"), target_arch = "wasm32")
))]
mod late;
mod sha256;
#[cfg(all(any(test, not(feature = "std"), target_arch = "x86"), any(feature = "small", not(target_arch = "wasm32"))))]
mod table;
mod xxh64;

pub use crc32::Crc32;
pub use crc64::Crc64;
pub use sha256::Sha256;
pub use xxh64::Xxh64;

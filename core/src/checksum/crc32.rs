//! CRC-32 of zlib, gzip, PNG and xz: polynomial `EDB88320`, reflected.

/// A running CRC-32.
///
/// With the feature `std` it uses the carry-less multiply of the machine. Without, it reads:
///
/// * four bytes at a time from 4 KiB of tables,
/// * in WebAssembly eight bytes at a time from 16 KiB of tables that are made at run time,
/// * with the feature `small` half a byte at a time from 64 bytes.
///
/// ```
/// use unspool::checksum::Crc32;
/// let mut crc = Crc32::new();
/// crc.update(b"12345");
/// crc.update(b"6789");
/// assert_eq!(crc.value(), 0xCBF4_3926);
/// ```
#[derive(Clone, Debug)]
pub struct Crc32 {
    #[cfg(feature = "std")]
    inner: crc32fast::Hasher,
    #[cfg(not(feature = "std"))]
    state: u32,
}

#[cfg(feature = "std")]
impl Crc32 {
    /// Returns the checksum of no bytes.
    pub fn new() -> Self {
        Self { inner: crc32fast::Hasher::new() }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    /// Returns the checksum of all bytes so far.
    pub fn value(&self) -> u32 {
        self.inner.clone().finalize()
    }
}

#[cfg(not(feature = "std"))]
impl Crc32 {
    /// Returns the checksum of no bytes.
    pub const fn new() -> Self {
        Self { state: !0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state = table::update(self.state, bytes);
    }

    /// Returns the checksum of all bytes so far.
    pub const fn value(&self) -> u32 {
        !self.state
    }
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

impl Crc32 {
    /// Returns the checksum of one slice.
    pub fn of(bytes: &[u8]) -> u32 {
        let mut crc = Self::new();
        crc.update(bytes);
        crc.value()
    }
}

/// The polynomial, reflected.
#[cfg(any(test, not(feature = "std")))]
const POLYNOMIAL: u32 = 0xEDB8_8320;

#[cfg(all(any(test, not(feature = "std")), any(feature = "small", not(target_arch = "wasm32"))))]
mod table {
    use crate::checksum::table::{self, Tables};

    static TABLES: Tables<u32> = table::narrow(super::POLYNOMIAL);

    pub(super) fn update(state: u32, bytes: &[u8]) -> u32 {
        table::update(&TABLES, state, bytes)
    }
}

#[cfg(all(any(test, not(feature = "std")), not(feature = "small"), target_arch = "wasm32"))]
mod table {
    use crate::checksum::late::Tables;

    static TABLES: Tables<{ super::POLYNOMIAL as u64 }> = Tables::new();

    #[expect(clippy::cast_possible_truncation, reason = "the polynomial has 32 bits")]
    pub(super) fn update(state: u32, bytes: &[u8]) -> u32 {
        TABLES.update(state.into(), bytes) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the checksum bit by bit, from the definition.
    fn slow(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 })
        })
    }

    #[test]
    fn tables_and_instructions_agree_with_the_definition_at_every_length_and_split() {
        let bytes: Vec<u8> = (0..200u32).map(|i| (i * i * 31).to_le_bytes()[0]).collect();
        for len in 0..=bytes.len() {
            let expected = slow(&bytes[..len]);
            assert_eq!(Crc32::of(&bytes[..len]), expected);
            assert_eq!(!table::update(!0, &bytes[..len]), expected);
            for split in 0..=len {
                let state = table::update(!0, &bytes[..split]);
                assert_eq!(!table::update(state, &bytes[split..len]), expected);
            }
        }
    }
}

//! CRC-64 of xz: polynomial of ECMA-182, reflected, `C96C5795D7870F42`.

/// A running CRC-64.
///
/// With the feature `std` it uses the carry-less multiply of the machine. Without, it reads:
///
/// * four bytes at a time from 8 KiB of tables,
/// * in WebAssembly eight bytes at a time from 16 KiB of tables that are made at run time,
/// * with the feature `small` half a byte at a time from 128 bytes.
///
/// ```
/// use unspool::checksum::Crc64;
/// let mut crc = Crc64::new();
/// crc.update(b"12345");
/// crc.update(b"6789");
/// assert_eq!(crc.value(), 0x995D_C9BB_DF19_39FA);
/// ```
#[derive(Clone)]
pub struct Crc64 {
    #[cfg(all(feature = "std", not(target_arch = "x86")))]
    inner: crc64fast::Digest,
    #[cfg(any(not(feature = "std"), target_arch = "x86"))]
    state: u64,
}

#[cfg(all(feature = "std", not(target_arch = "x86")))]
impl Crc64 {
    /// Returns the checksum of no bytes.
    pub fn new() -> Self {
        Self { inner: crc64fast::Digest::new() }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.inner.write(bytes);
    }

    /// Returns the checksum of all bytes so far.
    pub fn value(&self) -> u64 {
        self.inner.sum64()
    }
}

#[cfg(any(not(feature = "std"), target_arch = "x86"))]
impl Crc64 {
    /// Returns the checksum of no bytes.
    pub const fn new() -> Self {
        Self { state: !0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state = table::update(self.state, bytes);
    }

    /// Returns the checksum of all bytes so far.
    pub const fn value(&self) -> u64 {
        !self.state
    }
}

impl Default for Crc64 {
    fn default() -> Self {
        Self::new()
    }
}

impl core::fmt::Debug for Crc64 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Crc64").field(&self.value()).finish()
    }
}

impl Crc64 {
    /// Returns the checksum of one slice.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut crc = Self::new();
        crc.update(bytes);
        crc.value()
    }
}

/// The polynomial, reflected.
#[cfg(any(test, not(feature = "std"), target_arch = "x86"))]
const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

#[cfg(all(any(test, not(feature = "std"), target_arch = "x86"), any(feature = "small", not(target_arch = "wasm32"))))]
mod table {
    use crate::checksum::table::{self, Tables};

    static TABLES: Tables<u64> = table::wide(super::POLYNOMIAL);

    pub(super) fn update(state: u64, bytes: &[u8]) -> u64 {
        table::update(&TABLES, state, bytes)
    }
}

#[cfg(all(any(test, not(feature = "std")), not(feature = "small"), target_arch = "wasm32"))]
mod table {
    use crate::checksum::late::Tables;

    static TABLES: Tables<{ super::POLYNOMIAL }> = Tables::new();

    pub(super) fn update(state: u64, bytes: &[u8]) -> u64 {
        TABLES.update(state, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the checksum bit by bit, from the definition.
    fn slow(bytes: &[u8]) -> u64 {
        !bytes.iter().fold(!0u64, |crc, &byte| {
            (0..8).fold(crc ^ u64::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 })
        })
    }

    #[test]
    fn tables_and_instructions_agree_with_the_definition_at_every_length_and_split() {
        let bytes: Vec<u8> = (0..300u32).map(|i| (i * i * 31).to_le_bytes()[0]).collect();
        for len in 0..=bytes.len() {
            let expected = slow(&bytes[..len]);
            assert_eq!(Crc64::of(&bytes[..len]), expected);
            assert_eq!(!table::update(!0, &bytes[..len]), expected);
            for split in 0..=len {
                let state = table::update(!0, &bytes[..split]);
                assert_eq!(!table::update(state, &bytes[split..len]), expected);
            }
        }
    }
}

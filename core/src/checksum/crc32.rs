//! CRC-32 as zlib, gzip, PNG and xz use it (polynomial `EDB88320`, reflected).

/// A running CRC-32.
///
/// With the feature `std` it uses the carry-less multiply of the machine it runs on. Without, it reads four bytes at a
/// time from 4 KiB of tables (in wasm eight, from 16 KiB that are made at run time), or, with the feature `small`, half a byte from 64 bytes.
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
    /// Nothing read yet.
    pub fn new() -> Self {
        Self { inner: crc32fast::Hasher::new() }
    }

    /// Reads on.
    pub fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    /// The checksum of everything read so far.
    pub fn value(&self) -> u32 {
        self.inner.clone().finalize()
    }
}

#[cfg(not(feature = "std"))]
impl Crc32 {
    /// Nothing read yet.
    pub const fn new() -> Self {
        Self { state: !0 }
    }

    /// Reads on.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state = table::update(self.state, bytes);
    }

    /// The checksum of everything read so far.
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
    /// The checksum of one slice.
    pub fn of(bytes: &[u8]) -> u32 {
        let mut crc = Self::new();
        crc.update(bytes);
        crc.value()
    }
}

#[cfg(all(any(test, not(feature = "std")), not(any(feature = "small", target_arch = "wasm32"))))]
mod table {
    const LANES: usize = 4;

    /// `TABLES[lane][byte]`: what `byte` does to the checksum when `lane` more bytes follow it in the same step.
    static TABLES: [[u32; 256]; LANES] = tables();

    const fn tables<const N: usize>() -> [[u32; 256]; N] {
        let mut tables = [[0; 256]; N];
        let mut byte = 0;
        while byte < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "below 256")]
            let mut crc = byte as u32;
            let mut lane = 0;
            while lane < N {
                let mut bit = 0;
                while bit < 8 {
                    crc = crc >> 1 ^ (crc & 1).wrapping_neg() & 0xEDB8_8320;
                    bit += 1;
                }
                tables[lane][byte] = crc;
                lane += 1;
            }
            byte += 1;
        }
        tables
    }

    pub(super) fn update(mut state: u32, bytes: &[u8]) -> u32 {
        let steps = bytes.chunks_exact(LANES);
        let rest = steps.remainder();
        for step in steps {
            let mut next = 0;
            for (lane, &byte) in step.iter().enumerate() {
                next ^= TABLES[LANES - 1 - lane.min(LANES - 1)][usize::from(low(state) ^ byte)];
                state >>= 8;
            }
            state ^= next;
        }
        rest.iter().fold(state, |state, &byte| state >> 8 ^ TABLES[0][usize::from(low(state) ^ byte)])
    }

    const fn low(state: u32) -> u8 {
        state.to_le_bytes()[0]
    }
}

#[cfg(all(any(test, not(feature = "std")), feature = "small"))]
mod table {
    /// What half a byte does to the checksum.
    static TABLE: [u32; 16] = table();

    const fn table() -> [u32; 16] {
        let (mut table, mut half) = ([0; 16], 0);
        while half < 16 {
            let mut bit = 0;
            #[expect(clippy::cast_possible_truncation, reason = "below 16")]
            let mut crc = half as u32;
            while bit < 4 {
                crc = crc >> 1 ^ (crc & 1).wrapping_neg() & 0xEDB8_8320;
                bit += 1;
            }
            table[half] = crc;
            half += 1;
        }
        table
    }

    pub(super) fn update(state: u32, bytes: &[u8]) -> u32 {
        let half = |state: u32| state >> 4 ^ TABLE[usize::from(state.to_le_bytes()[0] & 15)];
        bytes.iter().fold(state, |state, &byte| half(half(state ^ u32::from(byte))))
    }
}

#[cfg(all(not(any(feature = "std", feature = "small")), target_arch = "wasm32"))]
mod table {
    use crate::checksum::tables::Tables;

    static TABLES: Tables<0xEDB8_8320> = Tables::new();

    #[expect(clippy::cast_possible_truncation, reason = "the polynomial has 32 bits")]
    pub(super) fn update(state: u32, bytes: &[u8]) -> u32 {
        TABLES.update(state.into(), bytes) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, from the definition.
    fn slow(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
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

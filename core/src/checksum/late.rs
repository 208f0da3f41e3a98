//! Tables that are made on first use, so that a module of WebAssembly does not contain them.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes read in one step.
const LANES: usize = 8;

/// The tables of a reflected polynomial of up to 64 bits. All zeros at first, which take no space
/// in a module.
pub(super) struct Tables<const POLYNOMIAL: u64> {
    ready: AtomicBool,
    /// `cells[lane][byte]` is the effect of `byte` on the checksum if `lane` more bytes follow in
    /// the same step.
    cells: [[AtomicU64; 256]; LANES],
}

impl<const POLYNOMIAL: u64> Tables<POLYNOMIAL> {
    pub(super) const fn new() -> Self {
        let cells = [const { [const { AtomicU64::new(0) }; 256] }; LANES];
        Self { ready: AtomicBool::new(false), cells }
    }

    /// Fills the tables. Threads that do so at the same time write the same values.
    #[cold]
    fn make(&self) {
        for (byte, start) in (0..256).zip(0u64..) {
            let mut crc = start;
            for cells in &self.cells {
                for _ in 0..8 {
                    crc = crc >> 1 ^ (crc & 1).wrapping_neg() & POLYNOMIAL;
                }
                cells[byte & 255].store(crc, Ordering::Relaxed);
            }
        }
        self.ready.store(true, Ordering::Release);
    }

    pub(super) fn update(&self, state: u64, bytes: &[u8]) -> u64 {
        if !self.ready.load(Ordering::Acquire) {
            self.make();
        }
        let step = |cells: &[AtomicU64; 256], word: u64| cells[(word & 255) as usize].load(Ordering::Relaxed);
        let (words, rest) = bytes.as_chunks::<LANES>();
        let state = words.iter().fold(state, |state, bytes| {
            let mut word = state ^ u64::from_le_bytes(*bytes);
            self.cells.iter().rev().fold(0, |next, cells| {
                let next = next ^ step(cells, word);
                word >>= 8;
                next
            })
        });
        rest.iter().fold(state, |state, &byte| state >> 8 ^ step(&self.cells[0], state ^ u64::from(byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_tables_match_both_checksums_at_every_length_and_split() {
        static CRC32: Tables<0xEDB8_8320> = Tables::new();
        static CRC64: Tables<0xC96C_5795_D787_0F42> = Tables::new();
        let bytes: Vec<u8> = (0..60u32).map(|i| (i * i * 31).to_le_bytes()[0]).collect();
        for end in 0..=bytes.len() {
            for split in 0..=end {
                let (first, second) = (&bytes[..split], &bytes[split..end]);
                let crc32 = CRC32.update(CRC32.update(u32::MAX.into(), first), second);
                assert_eq!(!crc32 as u32, crate::checksum::Crc32::of(&bytes[..end]));
                let crc64 = CRC64.update(CRC64.update(u64::MAX, first), second);
                assert_eq!(!crc64, crate::checksum::Crc64::of(&bytes[..end]));
            }
        }
    }
}

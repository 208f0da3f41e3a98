//! Checksums of a reflected polynomial, with tables made at compile time. CRC-32 and CRC-64 differ
//! in width.

use core::ops::{BitXor, Shr};

/// Bytes read in one step.
#[cfg(not(feature = "small"))]
const LANES: usize = 4;
/// Cells of a table: one for each byte, or for each half of one to save space.
#[cfg(not(feature = "small"))]
const CELLS: usize = 256;
#[cfg(feature = "small")]
const LANES: usize = 1;
#[cfg(feature = "small")]
const CELLS: usize = 16;

/// `tables[lane][bits]` is the effect of these bits on the checksum if `lane` more bytes follow in
/// the same step.
pub(super) type Tables<State> = [[State; CELLS]; LANES];

/// The state of a checksum.
pub(super) trait State: Copy + From<u8> + BitXor<Output = Self> + Shr<u32, Output = Self> {
    fn low(self) -> u8;
}

impl State for u32 {
    fn low(self) -> u8 {
        self.to_le_bytes()[0]
    }
}

impl State for u64 {
    fn low(self) -> u8 {
        self.to_le_bytes()[0]
    }
}

pub(super) const fn wide(polynomial: u64) -> Tables<u64> {
    let mut tables = [[0; CELLS]; LANES];
    let mut bits = 0;
    while bits < CELLS {
        let mut crc = bits as u64;
        let mut lane = 0;
        while lane < LANES {
            let mut bit = 0;
            while bit < CELLS.trailing_zeros() {
                crc = crc >> 1 ^ (crc & 1).wrapping_neg() & polynomial;
                bit += 1;
            }
            tables[lane][bits] = crc;
            lane += 1;
        }
        bits += 1;
    }
    tables
}

pub(super) const fn narrow(polynomial: u32) -> Tables<u32> {
    let wide = wide(polynomial as u64);
    let mut tables = [[0; CELLS]; LANES];
    let mut at = 0;
    while at < LANES * CELLS {
        #[expect(clippy::cast_possible_truncation, reason = "the polynomial has 32 bits, and so has what it makes")]
        let cell = wide[at / CELLS][at % CELLS] as u32;
        tables[at / CELLS][at % CELLS] = cell;
        at += 1;
    }
    tables
}

#[cfg(not(feature = "small"))]
pub(super) fn update<S: State>(tables: &Tables<S>, mut state: S, bytes: &[u8]) -> S {
    let (steps, rest) = bytes.as_chunks::<LANES>();
    for step in steps {
        let mut next = S::from(0);
        for (table, &byte) in tables.iter().rev().zip(step) {
            next = next ^ table[usize::from(state.low() ^ byte)];
            state = state >> 8;
        }
        state = state ^ next;
    }
    rest.iter().fold(state, |state, &byte| state >> 8 ^ tables[0][usize::from(state.low() ^ byte)])
}

#[cfg(feature = "small")]
pub(super) fn update<S: State>([table]: &Tables<S>, state: S, bytes: &[u8]) -> S {
    let half = |state: S| state >> 4 ^ table[usize::from(state.low() & 15)];
    bytes.iter().fold(state, |state, &byte| half(half(state ^ byte.into())))
}

//! FSE tables of small builds: two bytes for each state.

use super::{fse, low8};

/// The number of symbols that a table tells apart.
const SYMBOLS: usize = 64;

/// One state of a table. The high six bits are its symbol. The others are the number of its next
/// cell, from the count of the symbol's cells to twice that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell(u16);

impl Cell {
    pub(crate) const EMPTY: Self = Self(0);

    /// Returns the only cell of a table of one symbol.
    pub(crate) const fn only(symbol: u8) -> Self {
        Self((symbol as u16) << 10 | 1)
    }

    /// Returns its symbol, below 64.
    #[inline(always)]
    pub(crate) fn symbol(self) -> u8 {
        low8(u32::from(self.0 >> 10))
    }

    /// Returns the number of bits of the next state, and the state to which they are added.
    #[inline(always)]
    pub(crate) const fn successor(self, log: u8) -> (u8, u32) {
        let (mut bits, mut next) = (0, (self.0 & 0x3FF) as u32);
        // A cell that was never laid could be 0. Leading zeros take longer to count without an
        // instruction.
        while next >> log == 0 && bits < 10 {
            next <<= 1;
            bits += 1;
        }
        (bits, next.wrapping_sub(1 << log))
    }
}

/// Reads a description and builds its table. Returns the log of the table, at most `max_log` and at
/// most 9, and the length of the description.
///
/// Symbols from 62 on, which no format uses, become 62 or 63.
#[inline(never)]
pub(crate) fn read(cells: &mut [Cell], bytes: &[u8], max_symbol: u8, max_log: u32) -> Option<(u8, usize)> {
    let mut counts = [0; SYMBOLS];
    let (log, len) = fse::describe(bytes, max_symbol.into(), max_log, &mut |symbol, count| {
        // The last cells are laid before the others, so they need a symbol of their own.
        let number = if symbol < 62 { symbol } else { 63 - usize::from(count < 0) };
        counts[number] += count;
    })?;
    build(cells, &mut counts, log);
    Some((low8(log), len))
}

/// Lays the cells of a table. The caller has checked that the counts add up to its size. A negative
/// count is of cells at the end. The counts are used up.
#[inline(never)]
pub(crate) fn build(cells: &mut [Cell], counts: &mut [i16; SYMBOLS], log: u32) {
    let mut high = 1usize << log;
    let mut lay = |at: usize, symbol: u16| {
        if let Some(cell) = cells.get_mut(at) {
            cell.0 = symbol << 10;
        }
    };
    for (symbol, &count) in (0u16..).zip(counts.iter()) {
        for _ in count..0 {
            high = high.wrapping_sub(1);
            lay(high, symbol);
        }
    }
    let mut at = 0;
    for (symbol, count) in (0u16..).zip(counts.iter_mut()) {
        for _ in 0..*count {
            lay(at, symbol);
            at = fse::next(at, log, high);
        }
        // From here on, the number of its next cell.
        *count = count.wrapping_abs();
    }
    for cell in cells.iter_mut().take(1 << log) {
        let next = &mut counts[usize::from(cell.0 >> 10)];
        cell.0 |= next.cast_unsigned() & 0x3FF;
        *next = next.wrapping_add(1);
    }
}

//! The three FSE tables of sequences: what their symbols mean, and how they are built.

use super::codes::{self, Meaning};
use crate::entropy::fse::{self, Counts};
use crate::entropy::{low8, low32};
use crate::tuning::PREBUILT_TABLES;

/// One state of a table, with everything that its symbol stands for. Eight bytes that travel in one register, from the
/// lowest on: bits that refine the symbol, bits of the next state, where the next state starts (two bytes), and what the
/// symbol starts from (four).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell(u64);

impl Cell {
    pub(super) const ZERO: Self = Self(0);

    /// A symbol that nothing follows.
    const fn new(base: u32, extra: u8) -> Self {
        Self((base as u64) << 32 | extra as u64)
    }

    /// What the cell is that has a number where the next state should be, from the count of its symbol's cells to twice that.
    const fn followed(self, log: u32) -> Self {
        let number = self.next() & 0xFFFF;
        let (bits, next) = fse::successor(number, log);
        // What is added to the number makes it the next state.
        let more = (next as u64).wrapping_sub(number as u64);
        Self(self.0.wrapping_add(more << 16).wrapping_add((bits as u64) << 8))
    }

    /// Bits that refine the symbol.
    #[inline(always)]
    pub(super) const fn extra(self) -> u8 {
        low8(low32(self.0))
    }

    /// Bits that are added to `next`.
    #[inline(always)]
    pub(super) const fn bits(self) -> u8 {
        low8(low32(self.0) >> 8)
    }

    /// Where the next state starts.
    #[inline(always)]
    pub(super) const fn next(self) -> u32 {
        low32(self.0) >> 16
    }

    /// What the symbol starts from.
    #[inline(always)]
    pub(super) const fn base(self) -> u32 {
        low32(self.0 >> 32)
    }

    /// Bits that refine the symbols of two cells.
    #[inline(always)]
    pub(super) const fn extras(a: Self, b: Self) -> u32 {
        low32(a.0).wrapping_add(low32(b.0)) & 0xFF
    }
}

/// What each symbol stands for. Where code is to be short, that is found out for each table anew.
pub(super) struct Meanings {
    of: Meaning,
    ready: [[Cell; 64]; PREBUILT_TABLES],
}

impl Meanings {
    const fn new(of: Meaning) -> Self {
        let ready = [Self::find(&of); PREBUILT_TABLES];
        Self { of, ready }
    }

    const fn cells(&self) -> [Cell; 64] {
        match self.ready.first() {
            Some(cells) => *cells,
            None => Self::find(&self.of),
        }
    }

    const fn find(of: &Meaning) -> [Cell; 64] {
        let (mut cells, mut code) = ([Cell::ZERO; 64], 0u8);
        while code < of.plain {
            cells[(code & 63) as usize] = Cell::new(of.first as u32 + code as u32, 0);
            code += 1;
        }
        let (mut base, mut refined) = (of.start(), of.extra);
        while let Some((&bits, others)) = refined.split_first() {
            // Offsets stand for three offsets of the past first.
            let past = if of.plain == 0 && bits > 1 { 3 } else { 0 };
            cells[(code & 63) as usize] = Cell::new(base - past, bits);
            base = base.wrapping_add(1 << (bits & 31));
            code += 1;
            refined = others;
        }
        cells
    }
}

/// A table, ready to decode.
#[derive(Clone, Debug)]
pub(super) struct Table<const N: usize> {
    pub(super) cells: [Cell; N],
    /// Bits of the first state.
    pub(super) log: u8,
}

impl<const N: usize> Table<N> {
    pub(super) const EMPTY: Self = Self { cells: [Cell::ZERO; N], log: 0 };

    /// A table whose counts are known to add up; `described` of the symbols may have some.
    const fn build(&mut self, counts: &[i16; 64], described: usize, log: u32, meanings: &Meanings) {
        if let Some((cells, _)) = self.cells.split_at_mut_checked(1 << log) {
            lay(cells, counts, described, log, meanings);
        }
        self.log = low8(log);
    }

    /// A table that says the same symbol forever.
    pub(super) const fn repeat(&mut self, symbol: u8, meanings: &Meanings) {
        self.cells[0] = meanings.cells()[(symbol & 63) as usize];
        self.log = 0;
    }

    /// Copies a table that was built before.
    pub(super) fn copy<const M: usize>(&mut self, from: &Table<M>) {
        self.cells.iter_mut().zip(&from.cells).take(1 << from.log).for_each(|(to, from)| *to = *from);
        self.log = from.log;
    }

    /// Takes over what another one remembers.
    pub(super) fn assign(&mut self, from: &Self) {
        self.copy(from);
    }

    /// The table that everybody knows.
    pub(super) fn predefine(&mut self, known: &Predefined, meanings: &Meanings) {
        match known.ready.first() {
            Some(table) => self.copy(table),
            None => self.build(&known.counts(), known.of.counts.len(), known.of.log.into(), meanings),
        }
    }

    /// Reads a description and builds its table; says how long the description is.
    pub(super) fn read(&mut self, bytes: &[u8], max_symbol: u8, max_log: u32, meanings: &Meanings) -> Option<usize> {
        let counts = Counts::<64>::read(bytes, max_symbol.into(), max_log)?;
        self.build(&counts.of, counts.symbols, counts.log, meanings);
        Some(counts.len)
    }
}

/// How far apart the symbols of neighbouring cells are, counted in steps around the table: the inverse of a [`step`](fse::step).
const fn unstep(log: u32) -> usize {
    let step = fse::step(log);
    // An odd number is its own inverse in the last three bits; each turn doubles how many are right.
    let six = step.wrapping_mul(2usize.wrapping_sub(step.wrapping_mul(step)));
    let twelve = six.wrapping_mul(2usize.wrapping_sub(step.wrapping_mul(six)));
    twelve & ((1 << log) - 1)
}

/// Lays the cells of a table, which are `1 << log`. There is one copy of this for all three.
const fn lay(cells: &mut [Cell], counts: &[i16; 64], described: usize, log: u32, meanings: &Meanings) {
    let size = 1usize << log;
    // First the symbols in a row, each as often as it has cells; one of -1 has its cell at the end of the table instead.
    // There is no telling how many they are: eight are written at a time, mostly once, and none are guessed wrong.
    let (mut row, mut filled) = ([0u8; 512 + 8], 0);
    let mut high = size;
    // What each symbol stands for and, where the next state will be, the number of its next cell.
    let mut pending = meanings.cells();
    let mut symbol = 0u8;
    while (symbol as usize) < described && symbol < 64 {
        let count = counts[(symbol & 63) as usize];
        pending[(symbol & 63) as usize].0 |= (count.unsigned_abs() as u64) << 16;
        high = high.wrapping_sub((count < 0) as usize);
        let end = filled + if count > 0 { count.unsigned_abs() as usize } else { 0 };
        while let Some((_, room)) = row.split_at_mut_checked(filled)
            && let Some(eight) = room.first_chunk_mut()
        {
            *eight = [symbol; 8];
            filled += 8;
            if filled >= end {
                break;
            }
        }
        filled = end;
        symbol += 1;
    }
    // Where the symbol of the next cell is in the row.
    let mut stride = unstep(log);
    if high < size {
        // Nothing is guessed around the cells at the end either: now the row is in the order of cells.
        let symbols = row;
        let (mut symbol, mut last) = (0u8, size);
        while (symbol as usize) < described && symbol < 64 {
            row[last.wrapping_sub(1) & 511] = symbol;
            last = last.wrapping_sub((counts[(symbol & 63) as usize] < 0) as usize);
            symbol += 1;
        }
        let (mut at, mut from, mut cell) = (0, 0, 0);
        while cell < size {
            let inside = at < high;
            row[at & 511] = if inside { symbols[from & 511] } else { row[at & 511] };
            from += inside as usize;
            at = (at + fse::step(log)) & (size - 1);
            cell += 1;
        }
        stride = 1;
    }
    let (mut cell, mut from) = (0, 0);
    while cell < cells.len() {
        let symbol = (row[from] & 63) as usize;
        let numbered = pending[symbol];
        pending[symbol].0 = numbered.0.wrapping_add(1 << 16);
        cells[cell] = numbered.followed(log);
        from = (from + stride) & (size - 1) & 511;
        cell += 1;
    }
}

/// Offsets: a power of two, and as many bits as it has below it.
const OFFSET_CODES: Meaning = {
    const BITS: [u8; 32] = {
        let mut bits = [0; 32];
        let mut code = 0u8;
        while code < 32 {
            bits[code as usize] = code;
            code += 1;
        }
        bits
    };
    Meaning { first: 1, plain: 0, extra: &BITS }
};

pub(super) static LITERALS: Meanings = Meanings::new(codes::LITERALS);
pub(super) static MATCHES: Meanings = Meanings::new(codes::MATCHES);
pub(super) static OFFSETS: Meanings = Meanings::new(OFFSET_CODES);

/// A table that nobody describes.
pub(super) struct Predefined {
    of: codes::Predefined,
    ready: [Table<64>; PREBUILT_TABLES],
}

impl Predefined {
    const fn new(of: codes::Predefined, meanings: &Meanings) -> Self {
        let mut known = Self { of, ready: [const { Table::EMPTY }; PREBUILT_TABLES] };
        let counts = known.counts();
        if let Some(table) = known.ready.first_mut() {
            table.build(&counts, known.of.counts.len(), known.of.log as u32, meanings);
        }
        known
    }

    const fn counts(&self) -> [i16; 64] {
        let (mut all, mut at) = ([0; 64], 0);
        while at < self.of.counts.len() && at < 64 {
            all[at] = self.of.counts[at] as i16;
            at += 1;
        }
        all
    }
}

pub(super) static PREDEFINED_LITERALS: Predefined = Predefined::new(codes::PREDEFINED_LITERALS, &LITERALS);
pub(super) static PREDEFINED_OFFSETS: Predefined = Predefined::new(codes::PREDEFINED_OFFSETS, &OFFSETS);
pub(super) static PREDEFINED_MATCHES: Predefined = Predefined::new(codes::PREDEFINED_MATCHES, &MATCHES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_the_text() {
        // Every state of a predefined table leads only to states of that table.
        for (table, size) in [(&PREDEFINED_LITERALS, 64), (&PREDEFINED_OFFSETS, 32), (&PREDEFINED_MATCHES, 64)] {
            for cell in &table.ready[0].cells[..size] {
                assert!(cell.next() as usize + (1 << cell.bits()) <= size);
            }
        }
        // The first cells of the literal lengths table, as RFC 8878 lists them.
        let first: Vec<_> =
            PREDEFINED_LITERALS.ready[0].cells[..4].iter().map(|c| (c.base(), c.bits(), c.next())).collect();
        assert_eq!(first, [(0, 4, 0), (0, 4, 16), (1, 5, 32), (3, 5, 0)]);
    }
}

//! The three FSE tables of sequences: what their symbols mean, and how they are built.

use super::codes::{self, Lengths};
use crate::entropy::fse::{self, Counts};
use crate::entropy::{low8, low32};

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

    /// The same symbol, followed by so many bits on top of `next`.
    const fn followed(self, bits: u32, next: u32) -> Self {
        Self(self.0 | (bits as u64) << 8 | (next as u64) << 16)
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

/// What each symbol stands for.
pub(super) type Meanings = [Cell; 64];

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
    pub(super) const fn build(&mut self, counts: &[i16; 64], described: usize, log: u32, meanings: &Meanings) {
        let size = 1usize << log;
        // First the symbols in a row, each as often as it has cells; one of -1 has its cell at the end of the table instead.
        // There is no telling how many they are: eight are written at a time, mostly once, and none are guessed wrong.
        let (mut row, mut filled) = ([0u8; 512 + 8], 0);
        let mut high = size;
        let mut next = [0u32; 64];
        let mut symbol = 0u8;
        while (symbol as usize) < described && symbol < 64 {
            let count = counts[(symbol & 63) as usize];
            next[(symbol & 63) as usize] = count.unsigned_abs() as u32;
            self.cells[high.wrapping_sub(1) & (N - 1)] = Cell(symbol as u64);
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
        // Then in the order that spreads them over the table, around the cells at its end. Nothing is guessed here either.
        let (mut at, mut from, mut cell) = (0, 0, 0);
        while cell < size {
            let last = self.cells[at & (N - 1)];
            let inside = at < high;
            self.cells[at & (N - 1)] = if inside { Cell(row[from & 511] as u64) } else { last };
            from += inside as usize;
            at = (at + fse::step(log)) & (size - 1);
            cell += 1;
        }
        cell = 0;
        while cell < size {
            let symbol = (self.cells[cell & (N - 1)].0 & 63) as usize;
            let x = next[symbol];
            next[symbol] = x.wrapping_add(1);
            let (bits, next) = fse::successor(x, log);
            self.cells[cell & (N - 1)] = meanings[symbol].followed(bits, next);
            cell += 1;
        }
        self.log = low8(log);
    }

    /// A table that says the same symbol forever.
    pub(super) const fn repeat(&mut self, symbol: u8, meanings: &Meanings) {
        self.cells[0] = meanings[(symbol & 63) as usize];
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

    /// Reads a description and builds its table; says how long the description is.
    pub(super) fn read(&mut self, bytes: &[u8], max_symbol: u8, max_log: u32, meanings: &Meanings) -> Option<usize> {
        let counts = Counts::<64>::read(bytes, max_symbol.into(), max_log)?;
        self.build(&counts.of, counts.symbols, counts.log, meanings);
        Some(counts.len)
    }
}

/// Literal lengths.
pub(super) static LITERALS: Meanings = lengths(&codes::LITERALS);

/// Match lengths.
pub(super) static MATCHES: Meanings = lengths(&codes::MATCHES);

/// Offsets: a power of two and as many bits as it has below it, less the three values that stand for offsets of the past.
pub(super) static OFFSETS: Meanings = {
    let mut all = [Cell::ZERO; 64];
    let mut code = 0u8;
    while code < 32 {
        all[code as usize] = Cell::new(if code > 1 { (1 << code) - 3 } else { 1 << code }, code);
        code += 1;
    }
    all
};

const fn lengths<const N: usize>(lengths: &Lengths<N>) -> Meanings {
    let mut all = [Cell::ZERO; 64];
    let mut code = 0;
    while code < lengths.plain {
        all[code as usize] = Cell::new((lengths.first + code) as u32, 0);
        code += 1;
    }
    let (bases, mut other) = (lengths.bases(), 0);
    while other < N {
        all[code as usize + other] = Cell::new(bases[other], lengths.extra[other]);
        other += 1;
    }
    all
}

const fn predefined(codes: &codes::Predefined, meanings: &Meanings) -> Predefined {
    let mut all = [0; 64];
    let mut at = 0;
    while at < codes.counts.len() {
        all[at] = codes.counts[at] as i16;
        at += 1;
    }
    let mut table = Table::EMPTY;
    table.build(&all, codes.counts.len(), codes.log as u32, meanings);
    table
}

/// A table that is built when this is compiled.
pub(super) type Predefined = Table<64>;

pub(super) static PREDEFINED_LITERALS: Predefined = predefined(&codes::PREDEFINED_LITERALS, &LITERALS);
pub(super) static PREDEFINED_OFFSETS: Predefined = predefined(&codes::PREDEFINED_OFFSETS, &OFFSETS);
pub(super) static PREDEFINED_MATCHES: Predefined = predefined(&codes::PREDEFINED_MATCHES, &MATCHES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_the_text() {
        // Every state of a predefined table leads only to states of that table.
        for (table, size) in [(&PREDEFINED_LITERALS, 64), (&PREDEFINED_OFFSETS, 32), (&PREDEFINED_MATCHES, 64)] {
            for cell in &table.cells[..size] {
                assert!(cell.next() as usize + (1 << cell.bits()) <= size);
            }
        }
        // The first cells of the literal lengths table, as RFC 8878 lists them.
        let first: Vec<_> = PREDEFINED_LITERALS.cells[..4].iter().map(|c| (c.base(), c.bits(), c.next())).collect();
        assert_eq!(first, [(0, 4, 0), (0, 4, 16), (1, 5, 32), (3, 5, 0)]);
    }
}

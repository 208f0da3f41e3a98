//! The three FSE tables of sequences: the values of their symbols, and how they are built.
//!
//! # Contract of `lay`, which builds a table for each small frame
//!
//! * No branch depends on a count of a symbol, except for symbols with more than eight cells:
//!   mispredictions cost more than the bytes written in vain.
//! * Cells are written once, in order. The symbol of each comes from a row in the order of symbols.
//! * The measurements are in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#building-tables).

use super::codes::{self, CodeRule};
use crate::entropy::{fse, low8, low32};
use crate::tuning::PREBUILT_TABLES;

/// One state of a table, with the values of its symbol. Eight bytes that travel in one register,
/// from the lowest on: the number of bits that refine the symbol, the number of bits of the next
/// state, the start of the next state (two bytes), and the base of the symbol (four).
#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry(u64);

impl TableEntry {
    pub(super) const ZERO: Self = Self(0);

    /// Returns a cell without a next state.
    const fn new(base: u32, extra: u8) -> Self {
        Self((base as u64) << 32 | extra as u64)
    }

    /// Replaces the number of a cell, from the count of its symbol's cells to twice that, by its
    /// next state.
    const fn followed(self, log: u32) -> Self {
        let number = self.successor(0).1;
        let (bits, next) = fse::successor(number, log);
        // Added to the number, this makes the next state.
        let more = (next as u64).wrapping_sub(number as u64);
        Self(self.0.wrapping_add(more << 16).wrapping_add((bits as u64) << 8))
    }

    /// Returns the base of the symbol, and the number of bits that refine it.
    #[inline(always)]
    pub(super) const fn value(self, _: &Alphabet) -> (u32, u8) {
        (low32(self.0 >> 32), low8(low32(self.0)))
    }

    /// Returns the number of bits of the next state, and the state to which they are added.
    #[inline(always)]
    pub(super) const fn successor(self, _: u8) -> (u8, u32) {
        (low8(low32(self.0) >> 8), low32(self.0) >> 16)
    }
}

/// The symbols of one of the three tables: their values, and their predefined table.
///
/// If code must be short, both are made again each time.
pub(super) struct Alphabet {
    codes: CodeRule,
    cells: [[TableEntry; 64]; PREBUILT_TABLES],
    predefined: [FseTableOf<64>; PREBUILT_TABLES],
}

impl Alphabet {
    const fn new(codes: CodeRule) -> Self {
        let cells = [Self::find(&codes); PREBUILT_TABLES];
        let mut alphabet = Self { codes, cells, predefined: [const { FseTableOf::EMPTY }; PREBUILT_TABLES] };
        let (mut table, counts) = (FseTableOf::<64>::EMPTY, alphabet.counts());
        table.any().build(&counts, alphabet.codes.counts.len(), alphabet.codes.log as u32, &alphabet);
        if let Some(place) = alphabet.predefined.first_mut() {
            *place = table;
        }
        alphabet
    }

    /// Returns the number of cells of each symbol in the predefined table.
    const fn counts(&self) -> [i16; 64] {
        let (mut counts, mut symbol) = ([0; 64], 0);
        while symbol < self.codes.counts.len() && symbol < 64 {
            counts[symbol] = self.codes.counts[symbol] as i16;
            symbol += 1;
        }
        counts
    }

    const fn cells(&self) -> [TableEntry; 64] {
        match self.cells.first() {
            Some(cells) => *cells,
            None => Self::find(&self.codes),
        }
    }

    const fn find(codes: &CodeRule) -> [TableEntry; 64] {
        let (mut cells, mut code) = ([TableEntry::ZERO; 64], 0u8);
        while code < codes.plain {
            cells[(code & 63) as usize] = TableEntry::new(codes.first as u32 + code as u32, 0);
            code += 1;
        }
        let (mut base, mut refined) = (codes.start(), codes.extra);
        while let Some((&bits, others)) = refined.split_first() {
            // The first three offset values stand for past offsets.
            let past = if codes.plain == 0 && bits > 1 { 3 } else { 0 };
            cells[(code & 63) as usize] = TableEntry::new(base - past, bits);
            base = base.wrapping_add(1 << (bits & 31));
            code += 1;
            refined = others;
        }
        cells
    }
}

/// An FSE table, ready to decode.
#[derive(Clone, Debug)]
pub(super) struct FseTable<C: ?Sized = [TableEntry]> {
    /// Bits of the first state.
    pub(super) log: u8,
    cells: C,
}

/// A table of up to `N` states.
pub(super) type FseTableOf<const N: usize> = FseTable<[TableEntry; N]>;

impl<const N: usize> FseTableOf<N> {
    pub(super) const EMPTY: Self = Self { log: 0, cells: [TableEntry::ZERO; N] };

    /// Returns the table as one of any size.
    pub(super) const fn any(&mut self) -> &mut FseTable {
        self
    }

    /// Copies a table that was built before.
    pub(super) fn copy(&mut self, from: &Self) {
        self.cells.iter_mut().zip(&from.cells).take(1 << from.log).for_each(|(to, from)| *to = *from);
        self.log = from.log;
    }

    /// Returns the cell of a state; any number is masked to one.
    #[inline(always)]
    pub(super) const fn cell(&self, state: u32) -> TableEntry {
        self.cells[state as usize & (N - 1)]
    }
}

impl FseTable {
    /// Builds a table whose counts add up to its size; only the first `described` symbols may have
    /// some.
    const fn build(&mut self, counts: &[i16; 64], described: usize, log: u32, alphabet: &Alphabet) {
        if let Some((cells, _)) = self.cells.split_at_mut_checked(1 << log) {
            lay(cells, counts, described, log, alphabet);
        }
        self.log = low8(log);
    }

    /// Becomes a table of one symbol.
    pub(super) const fn repeat(&mut self, symbol: u8, alphabet: &Alphabet) {
        if let Some(cell) = self.cells.first_mut() {
            *cell = alphabet.cells()[(symbol & 63) as usize];
        }
        self.log = 0;
    }

    /// Becomes the predefined table.
    pub(super) fn predefine(&mut self, alphabet: &Alphabet) {
        match alphabet.predefined.first() {
            Some(table) => {
                self.cells.iter_mut().zip(&table.cells).for_each(|(to, from)| *to = *from);
                self.log = table.log;
            }
            None => self.build(&alphabet.counts(), alphabet.codes.counts.len(), alphabet.codes.log.into(), alphabet),
        }
    }

    /// Reads a description and builds its table; returns how long the description is.
    pub(super) fn read(&mut self, bytes: &[u8], max_symbol: u8, alphabet: &Alphabet) -> Option<usize> {
        let (mut counts, mut described) = ([0; 64], 0);
        let (log, len) = fse::describe(
            bytes,
            max_symbol.into(),
            u32::from(alphabet.codes.log) + codes::MORE_LOG,
            &mut |symbol, count| {
                counts[symbol & 63] = count;
                described = symbol + 1;
            },
        )?;
        self.build(&counts, described, log, alphabet);
        Some(len)
    }
}

/// Returns the distance of neighbouring cells, counted in steps around the table: the inverse of a
/// [`step`](fse::step).
const fn unstep(log: u32) -> usize {
    let step = fse::step(log);
    // An odd number is its own inverse in the last three bits; each turn doubles the number of
    // right bits.
    let six = step.wrapping_mul(2usize.wrapping_sub(step.wrapping_mul(step)));
    let twelve = six.wrapping_mul(2usize.wrapping_sub(step.wrapping_mul(six)));
    twelve & ((1 << log) - 1)
}

/// Lays the `1 << log` cells of a table. One copy serves all three tables.
const fn lay(cells: &mut [TableEntry], counts: &[i16; 64], described: usize, log: u32, alphabet: &Alphabet) {
    let size = 1usize << log;
    // First the symbols in a row, each as often as it has cells; a symbol of -1 has its cell at the
    // end of the table. Counts are unpredictable: eight symbols are written at a time, mostly once,
    // without a misprediction.
    let (mut row, mut filled) = ([0u8; 512 + 8], 0);
    let mut high = size;
    // The value of each symbol and, in place of its next state, the number of its next cell.
    let mut pending = alphabet.cells();
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
    // The distance in the row from the symbol of one cell to that of the next.
    let mut stride = unstep(log);
    if high < size {
        // Cells at the end of the table: puts the row in the order of cells, again without a branch
        // that depends on counts.
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

pub(super) static LITERALS: Alphabet = Alphabet::new(codes::LITERALS);
pub(super) static MATCHES: Alphabet = Alphabet::new(codes::MATCHES);
pub(super) static OFFSETS: Alphabet = Alphabet::new(codes::OFFSETS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_the_text() {
        // Every state of a predefined table leads only to states of that table.
        for (alphabet, size) in [(&LITERALS, 64), (&OFFSETS, 32), (&MATCHES, 64)] {
            for cell in &alphabet.predefined[0].cells[..size] {
                let (bits, next) = cell.successor(0);
                assert!(next as usize + (1 << bits) <= size);
            }
        }
        // The first cells of the literal lengths table, as RFC 8878 lists them.
        let cells = LITERALS.predefined[0].cells.iter().take(4);
        let first: Vec<_> = cells.map(|cell| (cell.value(&LITERALS).0, cell.successor(0))).collect();
        assert_eq!(first, [(0, (4, 0)), (0, (4, 16)), (1, (5, 32)), (3, (5, 0))]);
    }
}

//! The three FSE tables of sequences in small builds: two bytes for each state; the values of
//! symbols are stored apart.

use super::codes::{self, CodeRule};
use crate::entropy::{fse, low8};

/// One state of a table. The high six bits are its symbol. The others are the number of its next
/// cell, from the count of the symbol's cells to twice that.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry(u16);

impl TableEntry {
    /// Returns the base of the symbol, and the number of bits that refine it.
    pub(super) fn value(self, alphabet: &Alphabet) -> (u32, u8) {
        let symbol = low8(u32::from(self.0 >> 10));
        match symbol.checked_sub(alphabet.plain) {
            None => (u32::from(symbol) + u32::from(alphabet.first), 0),
            Some(other) => match alphabet.others.get(usize::from(other)) {
                Some(packed) => (packed & 0xFF_FFFF, low8(packed >> 24)),
                // The first three offset values stand for past offsets.
                None => ((1u32 << (symbol & 31)).wrapping_sub(if symbol > 1 { 3 } else { 0 }), symbol),
            },
        }
    }

    /// Returns the number of bits of the next state, and the state to which they are added.
    pub(super) const fn successor(self, log: u8) -> (u8, u32) {
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

/// The symbols of one of the three tables: their values, and their predefined table.
pub(super) struct Alphabet {
    /// The value of the first symbol. The `plain` first symbols ascend by one.
    first: u8,
    plain: u8,
    /// The other symbols: the bits that refine them in the highest byte, and their bases below. If
    /// it is empty, symbols are powers of two and have as many bits.
    others: &'static [u32],
    /// The number of cells of each symbol in the predefined table.
    counts: &'static [i8],
    /// The log of the size of the predefined table.
    log: u8,
}

pub(super) static LITERALS: Alphabet = Alphabet::new(&codes::LITERALS, &const { packed::<20>(&codes::LITERALS) });
pub(super) static MATCHES: Alphabet = Alphabet::new(&codes::MATCHES, &const { packed::<21>(&codes::MATCHES) });
pub(super) static OFFSETS: Alphabet = Alphabet::new(&codes::OFFSETS, &[]);

impl Alphabet {
    const fn new(codes: &CodeRule, others: &'static [u32]) -> Self {
        Self { first: codes.first, plain: codes.plain, others, counts: codes.counts, log: codes.log }
    }
}

const fn packed<const N: usize>(codes: &CodeRule) -> [u32; N] {
    let (mut packed, mut base, mut other) = ([0; N], codes.start(), 0);
    while other < N {
        let bits = codes.extra[other];
        packed[other] = base | (bits as u32) << 24;
        base += 1 << bits;
        other += 1;
    }
    packed
}

/// An FSE table, ready to decode.
#[derive(Clone, Debug)]
pub(super) struct FseTable<const N: usize> {
    cells: [TableEntry; N],
    /// Bits of the first state.
    pub(super) log: u8,
}

impl<const N: usize> FseTable<N> {
    pub(super) const EMPTY: Self = Self { cells: [TableEntry(0); N], log: 0 };

    /// Becomes a table of one symbol.
    pub(super) fn repeat(&mut self, symbol: u8, _: &Alphabet) {
        self.cells[0] = TableEntry(u16::from(symbol) << 10 | 1);
        self.log = 0;
    }

    /// Copies a table that was built before.
    pub(super) fn copy(&mut self, from: &Self) {
        self.clone_from(from);
    }

    /// Returns the cell of a state; any number is masked to one.
    pub(super) const fn cell(&self, state: u32) -> TableEntry {
        self.cells[state as usize & (N - 1)]
    }

    /// Becomes the predefined table.
    pub(super) fn predefine(&mut self, alphabet: &Alphabet) {
        let mut counts = [0; 64];
        counts.iter_mut().zip(alphabet.counts).for_each(|(to, &from)| *to = from.into());
        build(&mut self.cells, &counts, alphabet.log.into());
        self.log = alphabet.log;
    }

    /// Reads a description and builds its table; returns how long the description is.
    pub(super) fn read(&mut self, bytes: &[u8], max_symbol: u8, _: &Alphabet) -> Option<usize> {
        let (log, len) = read(&mut self.cells, bytes, max_symbol, N.ilog2())?;
        self.log = log;
        Some(len)
    }
}

/// Not generic, so that a program has one copy.
#[inline(never)]
fn read(cells: &mut [TableEntry], bytes: &[u8], max_symbol: u8, max_log: u32) -> Option<(u8, usize)> {
    let mut counts = [0; 64];
    let (log, len) =
        fse::describe(bytes, max_symbol.into(), max_log, &mut |symbol, count| counts[symbol & 63] = count)?;
    build(cells, &counts, log);
    Some((low8(log), len))
}

/// Lays the cells of a table. The caller has checked that the counts add up to its size.
#[inline(never)]
fn build(cells: &mut [TableEntry], counts: &[i16; 64], log: u32) {
    let mut next = [0u16; 64];
    let mut high = 1usize << log;
    let mut lay = |at: usize, symbol: u16| {
        if let Some(cell) = cells.get_mut(at) {
            cell.0 = symbol << 10;
        }
    };
    for ((symbol, &count), next) in (0u16..).zip(counts).zip(&mut next) {
        *next = count.unsigned_abs();
        if count < 0 {
            high = high.wrapping_sub(1);
            lay(high, symbol);
        }
    }
    let mut at = 0;
    for (symbol, &count) in (0u16..).zip(counts) {
        for _ in 0..count.max(0) {
            lay(at, symbol);
            at = fse::next(at, log, high);
        }
    }
    for cell in cells.iter_mut().take(1 << log) {
        let next = &mut next[usize::from(cell.0 >> 10)];
        cell.0 |= *next & 0x3FF;
        *next = next.wrapping_add(1);
    }
}

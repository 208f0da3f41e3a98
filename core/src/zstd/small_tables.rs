//! The three FSE tables of sequences in small builds: two bytes for each state; the values of
//! symbols are stored apart.

use super::codes::{self, CodeRule};
use crate::entropy::cells::{self, Cell};
use crate::entropy::low8;

/// One state of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry(Cell);

impl TableEntry {
    /// Returns the base of the symbol, and the number of bits that refine it.
    pub(super) fn value(self, alphabet: &Alphabet) -> (u32, u8) {
        let symbol = self.0.symbol();
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
        self.0.successor(log)
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
#[derive(Clone, Copy, Debug)]
pub(super) struct FseTable<C: ?Sized = [Cell]> {
    /// Bits of the first state.
    pub(super) log: u8,
    cells: C,
}

/// A table of up to `N` states.
pub(super) type FseTableOf<const N: usize> = FseTable<[Cell; N]>;

impl<const N: usize> FseTableOf<N> {
    pub(super) const EMPTY: Self = Self { log: 0, cells: [Cell::EMPTY; N] };

    /// Returns the table as one of any size.
    pub(super) const fn any(&mut self) -> &mut FseTable {
        self
    }

    /// Copies a table that was built before.
    pub(super) fn copy(&mut self, from: &Self) {
        *self = *from;
    }

    /// Returns the cell of a state; any number is masked to one.
    pub(super) const fn cell(&self, state: u32) -> TableEntry {
        TableEntry(self.cells[state as usize & (N - 1)])
    }
}

impl FseTable {
    /// Becomes a table of one symbol.
    pub(super) fn repeat(&mut self, symbol: u8, _: &Alphabet) {
        if let Some(cell) = self.cells.first_mut() {
            *cell = Cell::only(symbol);
        }
        self.log = 0;
    }

    /// Becomes the predefined table.
    pub(super) fn predefine(&mut self, alphabet: &Alphabet) {
        let mut counts = [0; 64];
        counts.iter_mut().zip(alphabet.counts).for_each(|(to, &from)| *to = from.into());
        cells::build(&mut self.cells, &mut counts, alphabet.log.into());
        self.log = alphabet.log;
    }

    /// Reads a description and builds its table; returns how long the description is.
    pub(super) fn read(&mut self, bytes: &[u8], max_symbol: u8, alphabet: &Alphabet) -> Option<usize> {
        let (log, len) = cells::read(&mut self.cells, bytes, max_symbol, u32::from(alphabet.log) + codes::MORE_LOG)?;
        self.log = log;
        Some(len)
    }
}

//! The three FSE tables of sequences where memory is short: two bytes a state, and what a symbol means kept apart.

pub(super) use super::codes::Predefined;
use super::codes::{self, Meaning};
use crate::entropy::{fse, low8};

/// A table, ready to decode: for each state its symbol in the high six bits, and in the others a number that says what
/// follows. It runs from how many states the symbol has to twice that; shifted up until it reaches the size of the table,
/// it is where the next state starts, and the shift is how many bits are added.
#[derive(Clone, Debug)]
pub(super) struct Table<const N: usize> {
    pub(super) cells: [u16; N],
    /// Bits of the first state.
    pub(super) log: u8,
}

/// What symbols stand for.
pub(super) struct Meanings {
    /// What the first symbol stands for. Those up to `plain` go up by one.
    first: u8,
    plain: u8,
    /// The others: bits that refine them in the highest byte, and what they start from. Without any, a symbol is a power
    /// of two and has as many bits.
    others: &'static [u32],
}

impl Meanings {
    /// What a symbol starts from and how many bits refine it.
    pub(super) fn of(&self, symbol: u16) -> (u32, u32) {
        match symbol.checked_sub(self.plain.into()) {
            None => (u32::from(symbol) + u32::from(self.first), 0),
            Some(other) => match self.others.get(usize::from(other)) {
                Some(packed) => (packed & 0xFF_FFFF, packed >> 24),
                None => (1 << (symbol & 31), symbol.into()),
            },
        }
    }
}

pub(super) static LITERALS: Meanings = meanings(&codes::LITERALS, &const { packed::<20>(&codes::LITERALS) });
pub(super) static MATCHES: Meanings = meanings(&codes::MATCHES, &const { packed::<21>(&codes::MATCHES) });
pub(super) static OFFSETS: Meanings = Meanings { first: 0, plain: 0, others: &[] };

pub(super) static PREDEFINED_LITERALS: Predefined = codes::PREDEFINED_LITERALS;
pub(super) static PREDEFINED_OFFSETS: Predefined = codes::PREDEFINED_OFFSETS;
pub(super) static PREDEFINED_MATCHES: Predefined = codes::PREDEFINED_MATCHES;

const fn meanings(of: &Meaning, others: &'static [u32]) -> Meanings {
    Meanings { first: of.first, plain: of.plain, others }
}

const fn packed<const N: usize>(of: &Meaning) -> [u32; N] {
    let (mut packed, mut base, mut other) = ([0; N], of.start(), 0);
    while other < N {
        let bits = of.extra[other];
        packed[other] = base | (bits as u32) << 24;
        base += 1 << bits;
        other += 1;
    }
    packed
}

impl<const N: usize> Table<N> {
    pub(super) const EMPTY: Self = Self { cells: [0; N], log: 0 };

    /// A table that says the same symbol forever.
    pub(super) fn repeat(&mut self, symbol: u8, _: &Meanings) {
        self.cells[0] = u16::from(symbol) << 10 | 1;
        self.log = 0;
    }

    /// The table that everybody knows.
    pub(super) fn predefine(&mut self, from: &Predefined, _: &Meanings) {
        let mut counts = [0; 64];
        counts.iter_mut().zip(from.counts).for_each(|(to, &from)| *to = from.into());
        build(&mut self.cells, &counts, from.log.into());
        self.log = from.log;
    }

    /// Takes over what another one remembers.
    pub(super) fn assign(&mut self, from: &Self) {
        self.clone_from(from);
    }

    /// Reads a description and builds its table; says how long the description is.
    pub(super) fn read(&mut self, bytes: &[u8], max_symbol: u8, max_log: u32, _: &Meanings) -> Option<usize> {
        let (log, len) = read(&mut self.cells, bytes, max_symbol, max_log)?;
        self.log = log;
        Some(len)
    }
}

/// Not generic, so that it is there once.
#[inline(never)]
fn read(cells: &mut [u16], bytes: &[u8], max_symbol: u8, max_log: u32) -> Option<(u8, usize)> {
    let mut counts = [0; 64];
    let (log, len) =
        fse::describe(bytes, max_symbol.into(), max_log, &mut |symbol, count| counts[symbol & 63] = count)?;
    build(cells, &counts, log);
    Some((low8(log), len))
}

/// Lays out a table whose counts are known to add up.
#[inline(never)]
fn build(cells: &mut [u16], counts: &[i16; 64], log: u32) {
    let mut next = [0u16; 64];
    let mut high = 1usize << log;
    let mut lay = |at: usize, symbol: u16| {
        if let Some(cell) = cells.get_mut(at) {
            *cell = symbol << 10;
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
        let next = &mut next[usize::from(*cell >> 10)];
        *cell |= *next & 0x3FF;
        *next = next.wrapping_add(1);
    }
}

//! The three FSE tables of sequences where memory is short: two bytes a state, and what a symbol means kept apart.

pub(super) use super::codes::Predefined;
use super::codes::{self, Meaning};
use super::flavour::Flavour;
use super::sequences::{Act, Sequences};
use super::workspace::{Lent, Workspace};
use crate::ErrorKind;
use crate::bits::NarrowBackward;
use crate::entropy::{fse, low8};
use crate::fault::{Fault, Verdict};

/// A table, ready to decode: for each state its symbol in the high six bits, and in the others a number that says what
/// follows. It runs from how many states the symbol has to twice that; shifted up until it reaches the size of the table,
/// it is where the next state starts, and the shift is how many bits are added.
#[derive(Clone, Debug)]
pub(super) struct Table<const N: usize> {
    cells: [u16; N],
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
    fn of(&self, symbol: u16) -> (u32, u32) {
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

/// The state behind one whose cell this is.
fn follow(cell: u16, log: u8, bits: &mut NarrowBackward<'_>) -> usize {
    let mut next = u32::from(cell & 0x3FF);
    let mut width = 0;
    // A cell that nobody laid could be 0.
    while next >> log == 0 && width < 10 {
        next <<= 1;
        width += 1;
    }
    next.wrapping_sub(1 << log).wrapping_add(bits.take(width)) as usize
}

impl Sequences {
    /// Hands every sequence to `hand`, in order.
    #[inline(never)]
    pub(super) fn fold<A: Act>(
        &self,
        flavour: Flavour,
        src: &[u8],
        ws: &mut Workspace,
        _: Lent<'_>,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<A::SoFar> {
        if self.count == 0 {
            return Ok(so_far);
        }
        let fault = Fault::new(ErrorKind::ZstdSequenceBits, self.bits.start);
        let mut bits = src.get(self.bits.clone()).and_then(NarrowBackward::new).ok_or(fault)?;
        let logs = [ws.literals.log, ws.offsets.log, ws.matches.log];
        let [mut literals, mut offsets, mut matches] = logs.map(|log| bits.take(log.into()) as usize);
        let mut left = self.count;
        loop {
            let run = ws.literals.cells[literals & 511];
            let offset = ws.offsets.cells[offsets & 255];
            let length = ws.matches.cells[matches & 511];
            let mut refined = |meanings: &Meanings, cell: u16| {
                let (base, extra) = meanings.of(cell >> 10);
                base.wrapping_add(bits.take(extra))
            };
            let [value, copied, literal] =
                [refined(&OFFSETS, offset), refined(&MATCHES, length), refined(&LITERALS, run)];
            let offset_now = if offset >> 10 > 1 {
                let [a, b, _] = ws.history;
                ws.history = [value.wrapping_sub(3), a, b];
                value.wrapping_sub(3)
            } else {
                flavour.repeat(value, literal == 0, &mut ws.history)
            };
            left -= 1;
            if left > 0 {
                literals = follow(run, logs[0], &mut bits);
                matches = follow(length, logs[2], &mut bits);
                offsets = follow(offset, logs[1], &mut bits);
            }
            // Behind the last sequence no states follow, and nothing else.
            if bits.left() < 0 || left == 0 && bits.left() > 0 {
                return Err(fault);
            }
            so_far =
                hand.act(so_far, super::sequences::Sequence { literals: literal, length: copied, offset: offset_now })?;
            if left == 0 {
                return Ok(so_far);
            }
        }
    }
}

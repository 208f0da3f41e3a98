//! The sequences section of a block: its header, its tables, and the loop that reads the sequences.

use core::ops::Range;

use super::codes;
#[cfg(not(feature = "small"))]
use super::copy::NEAREST;
use super::flavour::{Flavour, TableMode};
use super::header::emit_field;
use super::symbols;
use super::tables::{self, LITERALS, MATCHES, Meanings, OFFSETS, Predefined, Table};
use super::workspace::{Lent, Workspace};
use crate::fault::{Fault, Verdict};
use crate::{ErrorKind, Name, Part, Trace, Value};
#[cfg(not(feature = "small"))]
use {super::tables::Cell, crate::bits::bits_before, crate::entropy::low32, crate::tuning::LEAN};

/// A sequences section whose tables are in the workspace.
#[derive(Clone, Debug)]
pub(super) struct Sequences {
    pub(super) count: u32,
    /// The bytes that the sequences are coded in.
    pub(super) bits: Range<usize>,
}

/// How many sequences; where what follows starts.
fn count(src: &[u8], block: &Range<usize>) -> Option<(u32, usize)> {
    let bytes = src.get(block.clone())?;
    let first = u32::from(*bytes.first()?);
    let byte = |at: usize| bytes.get(at).copied().map(u32::from);
    let (count, len) = match first {
        0..128 => (first, 1),
        128..255 => ((first - 128) << 8 | byte(1)?, 2),
        _ => ((byte(2)? << 8 | byte(1)?) + 0x7F00, 3),
    };
    Some((count, block.start + len))
}

impl Sequences {
    /// Reads what comes before the coded sequences.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn read<T: Trace>(
        flavour: Flavour,
        src: &[u8],
        block: Range<usize>,
        ws: &mut Workspace,
        lent: &mut Lent<'_>,
        trace: &mut T,
    ) -> Verdict<Self> {
        let (count, mut at) = count(src, &block).ok_or(Fault::new(ErrorKind::ZstdSequencesHeader, block.start))?;
        trace.enter(Name::Sequences, Value::U64(count.into()));
        emit_field(trace, Part::Header, Name::NumberOfSequences, block.start..at, Value::U64(count.into()));
        // The older formats go on behind a zero that was written in two bytes, and ignore what follows one in one byte.
        if count == 0 && (flavour.is_rfc() || at == block.start + 1) {
            if flavour.is_rfc() && at != block.end {
                return Err(Fault::new(ErrorKind::ZstdSequencesTrailing, at));
            }
            emit_field(trace, Part::Padding, Name::Ignored, at..block.end, Value::None);
            trace.leave();
            return Ok(Self { count, bits: at..at });
        }
        let modes =
            *src.get(at).filter(|_| at < block.end).ok_or(Fault::new(ErrorKind::ZstdSequencesHeader, block.start))?;
        emit_field(trace, Part::Header, Name::TableModes, at..at + 1, Value::Hex(modes.into()));
        if modes & 3 != 0 {
            return Err(Fault::new(ErrorKind::ZstdReservedBit, at));
        }
        at += 1;
        let kinds = [
            Kind { mode: flavour.table_mode(modes >> 6), max: codes::MAX_LITERALS_CODE },
            Kind { mode: flavour.table_mode(modes >> 4), max: flavour.max_offset_code() },
            Kind { mode: flavour.table_mode(modes >> 2), max: codes::MAX_MATCH_CODE },
        ];
        if let Some(tables) = lent.tables()
            && kinds.iter().any(|kind| kind.mode != TableMode::Repeat)
        {
            ws.copy_tables(tables);
            lent.tables = None;
        }
        let [ready_literals, ready_offsets, ready_matches] = &mut ws.ready;
        let [literals, offsets, matches] = kinds;
        let mut place = Place { src, at, end: block.end };
        let predefined = &tables::PREDEFINED_LITERALS;
        place.table(Name::LiteralLengths, literals, &mut ws.literals, ready_literals, &LITERALS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_OFFSETS;
        place.table(Name::Offsets, offsets, &mut ws.offsets, ready_offsets, &OFFSETS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_MATCHES;
        place.table(Name::MatchLengths, matches, &mut ws.matches, ready_matches, &MATCHES, predefined, trace)?;
        let sequences = Self { count, bits: place.at..block.end };
        if count == 0 {
            emit_field(trace, Part::Padding, Name::Ignored, sequences.bits.clone(), Value::None);
        } else {
            symbols::sequences(&sequences, flavour, src, ws, trace)?;
        }
        trace.leave();
        Ok(sequences)
    }
}

/// One of the three tables, as the header announces it.
#[derive(Clone, Copy)]
struct Kind {
    mode: TableMode,
    max: u8,
}

/// Where the tables are read from.
struct Place<'a> {
    src: &'a [u8],
    at: usize,
    end: usize,
}

impl Place<'_> {
    #[expect(clippy::too_many_arguments, reason = "the three tables differ in all of it")]
    fn table<const N: usize, T: Trace>(
        &mut self,
        name: Name,
        kind: Kind,
        table: &mut Table<N>,
        ready: &mut bool,
        meanings: &Meanings,
        predefined: &Predefined,
        trace: &mut T,
    ) -> Verdict<()> {
        let fault = |kind| Fault::new(kind, self.at);
        let bytes = self.src.get(self.at..self.end).unwrap_or_default();
        let len = match kind.mode {
            TableMode::Predefined => {
                table.predefine(predefined, meanings);
                0
            }
            TableMode::Rle => {
                let symbol = *bytes.first().ok_or(fault(ErrorKind::ZstdSequencesHeader))?;
                if symbol > kind.max {
                    return Err(fault(ErrorKind::ZstdTableSymbol));
                }
                table.repeat(symbol, meanings);
                1
            }
            TableMode::Fse => table.read(bytes, kind.max, N.ilog2(), meanings).ok_or(fault(ErrorKind::ZstdTable))?,
            TableMode::Repeat if *ready => 0,
            TableMode::Repeat => return Err(fault(ErrorKind::ZstdTableRepeat)),
        };
        *ready = true;
        emit_field(trace, Part::Table, name, self.at..self.at + len, Value::U64(table.log.into()));
        self.at += len;
        Ok(())
    }
}

/// The lowest `n` bits set, for less than 32 of them.
#[cfg(not(feature = "small"))]
#[inline(always)]
fn mask(n: u8) -> u32 {
    // As many as a byte has values, so that no index needs a check.
    static MASKS: [u32; 256] = {
        let mut masks = [u32::MAX; 256];
        let mut n = 0;
        while n < 32 {
            masks[n] = (1 << n) - 1;
            n += 1;
        }
        masks
    };
    if LEAN { !u32::MAX.wrapping_shl(n.into()) } else { MASKS[usize::from(n)] }
}

/// Reads sequences, from the end of their bits on.
#[cfg(not(feature = "small"))]
struct Reader<'a> {
    /// What is left of the stream and, where something comes before it, seven bytes of that: then eight bytes can be read at
    /// once wherever the next bit is.
    rest: &'a [u8],
    /// Bits of its last byte that are used.
    used: u32,
    /// Bytes before the stream.
    before: usize,
    /// Sequences that are not read yet.
    left: u32,
    literals: Cell,
    offsets: Cell,
    matches: Cell,
    /// The last three offsets.
    history: [u32; 3],
}

/// Bytes before a stream that are read with its first.
#[cfg(not(feature = "small"))]
const BEFORE: usize = 7;

/// The next `n` bits of a word, of which `used` are used. No field waits for the one before, only for its width.
#[cfg(not(feature = "small"))]
#[inline(always)]
fn take(word: u64, used: &mut u32, n: u8) -> u32 {
    *used += u32::from(n);
    low32(word.rotate_left(*used)) & mask(n)
}

#[cfg(not(feature = "small"))]
impl<'a> Reader<'a> {
    fn new(src: &'a [u8], sequences: &Sequences, ws: &Workspace, history: [u32; 3]) -> Option<Self> {
        let stream = &sequences.bits;
        let before = stream.start.min(BEFORE);
        let rest = src.get(stream.start - before..stream.end)?;
        let last = *rest.last().filter(|&&last| last != 0 && !stream.is_empty())?;
        let mut reader = Self {
            rest,
            used: last.leading_zeros() + 1,
            before,
            left: sequences.count,
            literals: Cell::ZERO,
            offsets: Cell::ZERO,
            matches: Cell::ZERO,
            history,
        };
        reader.literals = ws.literals.cells[reader.read(ws.literals.log) as usize & 511];
        reader.offsets = ws.offsets.cells[reader.read(ws.offsets.log) as usize & 255];
        reader.matches = ws.matches.cells[reader.read(ws.matches.log) as usize & 511];
        Some(reader)
    }

    /// Bits that are not read yet. `None` if more were read than there are.
    #[inline(always)]
    fn bits(&self) -> Option<usize> {
        (self.rest.len().checked_sub(self.before)? * 8).checked_sub(self.used as usize)
    }

    /// The next `n` bits, wherever they are. Something if there are fewer, which [`bits`](Self::bits) tells behind them.
    #[cold]
    #[inline(never)]
    fn read(&mut self, n: u8) -> u32 {
        let left = (self.rest.len() * 8).saturating_sub(self.used as usize);
        let word = bits_before(self.rest, left).unwrap_or(0);
        self.used += u32::from(n);
        if let Some(rest) = self.rest.len().checked_sub(self.used as usize / 8).and_then(|len| self.rest.get(..len)) {
            self.rest = rest;
            self.used %= 8;
        }
        take(word, &mut 0, n)
    }

    /// Reads sequences and hands them over as long as all is simple. If `hand` finds that one is not, it is returned.
    ///
    /// What is not simple is not done here, so that there is no call in the loop and all of it lives in registers. Or all of
    /// it is done here, if that is `LAST` and few are left, which are most often near the end of the room.
    #[inline(never)]
    fn run<A: Act, const LAST: bool, const NEAR: bool>(
        &mut self,
        flavour: Flavour,
        ws: &Workspace,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<(A::SoFar, Option<Sequence>)> {
        let Self { mut rest, mut used, before, mut left, mut literals, mut offsets, mut matches, history } = *self;
        // The two older offsets in one register: there are few, and most sequences just move them on.
        let [mut last, one, two] = history;
        let mut older = u64::from(two) << 32 | u64::from(one);
        let mut refused = None;
        // Behind the last one no states follow.
        while left != 1 {
            let Some(&word) = rest.last_chunk() else { break };
            let word = u64::from_le_bytes(word);
            let begun = used;
            let refined = offsets.base().wrapping_add(take(word, &mut used, offsets.extra()));
            // Short lengths need no bits, and most are short.
            let (mut length, mut run) = (matches.base(), literals.base());
            let extra = Cell::extras(matches, literals);
            if extra > 0 {
                if extra + u32::from(offsets.extra()) > MOST_EXTRA {
                    used = begun;
                    break;
                }
                length = length.wrapping_add(take(word, &mut used, matches.extra()));
                run = run.wrapping_add(take(word, &mut used, literals.extra()));
            }
            if offsets.extra() > 1 {
                older = older << 32 | u64::from(last);
                last = refined;
            } else {
                let mut history = [last, low32(older), low32(older >> 32)];
                flavour.repeat(refined, run == 0, &mut history);
                let [one, two, three] = history;
                (last, older) = (one, u64::from(three) << 32 | u64::from(two));
            }
            // The next cells are loaded before this sequence is carried out, so that a branch that is guessed wrong there
            // does not delay them.
            let next = literals.next() + take(word, &mut used, literals.bits());
            literals = ws.literals.cells[next as usize & 511];
            let next = matches.next() + take(word, &mut used, matches.bits());
            matches = ws.matches.cells[next as usize & 511];
            let next = offsets.next() + take(word, &mut used, offsets.bits());
            offsets = ws.offsets.cells[next as usize & 255];
            // A word has no more than that.
            let Some(less) = rest.get(..rest.len().wrapping_sub(used as usize / 8)) else { break };
            rest = less;
            used %= 8;
            left -= 1;
            let sequence = Sequence { literals: run, length, offset: last };
            let next = match LAST {
                false => hand.quick::<NEAR>(so_far, sequence),
                // What lies before the stream are no sequences that could be wrong.
                true if rest.len() * 8 < before * 8 + used as usize => None,
                true => Some(hand.act(so_far, sequence)?),
            };
            let Some(next) = next else {
                refused = Some(sequence);
                break;
            };
            so_far = next;
        }
        let history = [last, low32(older), low32(older >> 32)];
        *self = Self { rest, used, before, left, literals, offsets, matches, history };
        Ok((so_far, refused))
    }

    /// Reads one sequence, field by field: the last, one with more bits than are read at once, and those at the start of a
    /// stream that has nothing before it.
    #[cold]
    #[inline(never)]
    fn one(&mut self, flavour: Flavour, ws: &Workspace) -> Sequence {
        let Self { literals, offsets, matches, .. } = *self;
        let refined = offsets.base().wrapping_add(self.read(offsets.extra()));
        let length = matches.base().wrapping_add(self.read(matches.extra()));
        let run = literals.base().wrapping_add(self.read(literals.extra()));
        let offset = if offsets.extra() > 1 {
            self.history = [refined, self.history[0], self.history[1]];
            refined
        } else {
            flavour.repeat(refined, run == 0, &mut self.history)
        };
        self.left -= 1;
        if self.left > 0 {
            let next = literals.next() + self.read(literals.bits());
            self.literals = ws.literals.cells[next as usize & 511];
            let next = matches.next() + self.read(matches.bits());
            self.matches = ws.matches.cells[next as usize & 511];
            let next = offsets.next() + self.read(offsets.bits());
            self.offsets = ws.offsets.cells[next as usize & 255];
        }
        Sequence { literals: run, length, offset }
    }
}

/// With so many bits that refine symbols, those of the next states are in the same 57.
#[cfg(not(feature = "small"))]
const MOST_EXTRA: u32 = 57 - 9 - 8 - 9;

/// Behind a sequence that is not simple, fewer than so many are not expected to be simple either. In a browser none are so few: the
/// loop for them is worth a hundredth of small frames there, and would be 450 to 750 bytes more to load.
#[cfg(not(feature = "small"))]
const FEW: u32 = if LEAN { 1 } else { 24 };

/// Matches that repeat less than eight bytes come often if one sequence in so many is of that kind, with four times as many before the
/// first that are not.
#[cfg(not(feature = "small"))]
const OFTEN: u32 = 32;

/// What one sequence says: copy so many literals, then so many bytes from so far back.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    pub(super) literals: u32,
    pub(super) length: u32,
    pub(super) offset: u32,
}

/// What is done with sequences. A trait, because a closure could not be told to be part of the loop.
pub(super) trait Act {
    /// What was made of the sequences so far. It goes from hand to hand by value, so that it lives in registers.
    type SoFar: Copy;

    fn act(&mut self, so_far: Self::SoFar, sequence: Sequence) -> Verdict<Self::SoFar>;

    /// The same where it is simple and cannot fail; otherwise nothing is done. With `NEAR`, matches that repeat less than eight bytes are
    /// simple too.
    #[cfg(not(feature = "small"))]
    fn quick<const NEAR: bool>(&mut self, so_far: Self::SoFar, sequence: Sequence) -> Option<Self::SoFar>;
}

impl Sequences {
    /// Hands every sequence to `hand`, in order.
    #[cfg(not(feature = "small"))]
    #[inline(always)]
    pub(super) fn fold<A: Act>(
        &self,
        flavour: Flavour,
        src: &[u8],
        ws: &mut Workspace,
        lent: Lent<'_>,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<A::SoFar> {
        if self.count == 0 {
            return Ok(so_far);
        }
        let fault = Fault::new(ErrorKind::ZstdSequenceBits, self.bits.start);
        let tables = lent.tables().unwrap_or(ws);
        let mut reader = Reader::new(src, self, tables, ws.history).ok_or(fault)?;
        let (mut begun, mut near, mut often) = (false, 0, false);
        while reader.left > 0 {
            let refused;
            (so_far, refused) = match reader.left {
                // Right behind one that was not simple.
                ..FEW if begun => reader.run::<A, true, false>(flavour, tables, so_far, hand)?,
                // In a loop of their own: in the one for all others they made that slower by 5 to 7 %.
                _ if often => reader.run::<A, false, true>(flavour, tables, so_far, hand)?,
                _ => reader.run::<A, false, false>(flavour, tables, so_far, hand)?,
            };
            near += u32::from(refused.is_some_and(|sequence| sequence.offset < NEAREST));
            often |= crate::tuning::REPEAT_LOOP && near * OFTEN > self.count - reader.left + 4 * OFTEN;
            begun = true;
            let sequence = refused.unwrap_or_else(|| reader.one(flavour, tables));
            // Nobody looked until now: after too many bits there is none to go on with, and behind the last sequence is none.
            if reader.bits().is_none_or(|bits| bits > 0 && reader.left == 0) {
                return Err(fault);
            }
            so_far = hand.act(so_far, sequence)?;
        }
        ws.history = reader.history;
        Ok(so_far)
    }

    /// Adds up the literals that are used and the bytes that matches make.
    pub(super) fn sums(&self, flavour: Flavour, src: &[u8], ws: &mut Workspace, lent: Lent<'_>) -> Verdict<(u64, u64)> {
        self.fold(flavour, src, ws, lent, (0, 0), &mut Sums)
    }
}

/// Adds up.
struct Sums;

impl Act for Sums {
    type SoFar = (u64, u64);

    #[inline(always)]
    fn act(&mut self, (literals, matches): (u64, u64), sequence: Sequence) -> Verdict<(u64, u64)> {
        Ok((literals + u64::from(sequence.literals), matches + u64::from(sequence.length)))
    }

    #[cfg(not(feature = "small"))]
    #[inline(always)]
    fn quick<const NEAR: bool>(&mut self, so_far: (u64, u64), sequence: Sequence) -> Option<(u64, u64)> {
        self.act(so_far, sequence).ok()
    }
}

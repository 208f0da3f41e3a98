//! The sequences section of a block: its header, its tables, and the loop that reads the sequences.

use core::ops::Range;

use super::codes;
use super::flavour::{Flavour, TableMode};
use super::literals::tell;
use super::symbols;
use super::tables::{self, LITERALS, MATCHES, Meanings, OFFSETS, Predefined, Table};
use super::workspace::Workspace;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Part, Result, Trace, Value};
#[cfg(not(feature = "small"))]
use {
    super::tables::Cell,
    crate::entropy::{huffman::top, low32},
};

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
        trace: &mut T,
    ) -> Result<Self> {
        let error = |kind, at: usize| Error::new(kind, u64_from(at));
        let (count, mut at) = count(src, &block).ok_or(error(ErrorKind::ZstdSequencesHeader, block.start))?;
        trace.enter("sequences", Value::U64(count.into()));
        tell(trace, Part::Header, "number of sequences", block.start..at, Value::U64(count.into()));
        // The older formats go on behind a zero that was written in two bytes, and ignore what follows one in one byte.
        if count == 0 && (flavour.is_rfc() || at == block.start + 1) {
            if flavour.is_rfc() && at != block.end {
                return Err(error(ErrorKind::ZstdSequencesTrailing, at));
            }
            tell(trace, Part::Padding, "ignored", at..block.end, Value::None);
            trace.leave();
            return Ok(Self { count, bits: at..at });
        }
        let modes =
            *src.get(at).filter(|_| at < block.end).ok_or(error(ErrorKind::ZstdSequencesHeader, block.start))?;
        tell(trace, Part::Header, "table modes", at..at + 1, Value::Hex(modes.into()));
        if modes & 3 != 0 {
            return Err(error(ErrorKind::ZstdReservedBit, at));
        }
        at += 1;
        let [ready_literals, ready_offsets, ready_matches] = &mut ws.ready;
        let kinds = [
            Kind { name: "literal lengths", mode: flavour.table_mode(modes >> 6), max: codes::MAX_LITERALS_CODE },
            Kind { name: "offsets", mode: flavour.table_mode(modes >> 4), max: flavour.max_offset_code() },
            Kind { name: "match lengths", mode: flavour.table_mode(modes >> 2), max: codes::MAX_MATCH_CODE },
        ];
        let [literals, offsets, matches] = kinds;
        let mut place = Place { src, at, end: block.end };
        let predefined = &tables::PREDEFINED_LITERALS;
        place.table(literals, &mut ws.literals, ready_literals, 9, &LITERALS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_OFFSETS;
        place.table(offsets, &mut ws.offsets, ready_offsets, 8, &OFFSETS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_MATCHES;
        place.table(matches, &mut ws.matches, ready_matches, 9, &MATCHES, predefined, trace)?;
        let sequences = Self { count, bits: place.at..block.end };
        if count == 0 {
            tell(trace, Part::Padding, "ignored", sequences.bits.clone(), Value::None);
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
    name: &'static str,
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
        kind: Kind,
        table: &mut Table<N>,
        ready: &mut bool,
        max_log: u32,
        meanings: &Meanings,
        predefined: &Predefined,
        trace: &mut T,
    ) -> Result<()> {
        let error = |kind| Error::new(kind, u64_from(self.at));
        let bytes = self.src.get(self.at..self.end).unwrap_or_default();
        let len = match kind.mode {
            TableMode::Predefined => {
                table.copy(predefined);
                0
            }
            TableMode::Rle => {
                let symbol = *bytes.first().ok_or(error(ErrorKind::ZstdSequencesHeader))?;
                if symbol > kind.max {
                    return Err(error(ErrorKind::ZstdTableSymbol));
                }
                table.repeat(symbol, meanings);
                1
            }
            TableMode::Fse => table.read(bytes, kind.max, max_log, meanings).ok_or(error(ErrorKind::ZstdTable))?,
            TableMode::Repeat if *ready => 0,
            TableMode::Repeat => return Err(error(ErrorKind::ZstdTableRepeat)),
        };
        *ready = true;
        tell(trace, Part::Table, kind.name, self.at..self.at + len, Value::U64(table.log.into()));
        self.at += len;
        Ok(())
    }
}

/// Masks by width, so that a field of no bits needs no care. As many as a byte has values, so that no index needs a check.
#[cfg(not(feature = "small"))]
static MASKS: [u32; 256] = {
    let mut masks = [u32::MAX; 256];
    let mut n = 0;
    while n < 32 {
        masks[n] = (1 << n) - 1;
        n += 1;
    }
    masks
};

/// The bits of the sequences, from their end on. Copied, not borrowed, so that it lives in registers.
#[cfg(not(feature = "small"))]
#[derive(Clone, Copy)]
struct Bits<'a> {
    /// The stream and, where something comes before it, seven bytes of that: then eight bytes can be read at once wherever
    /// the next bit is.
    bytes: &'a [u8],
    /// Bits of the stream that are not read yet, less the [`missing`](Self::missing) ones.
    left: u32,
    /// The next of them, rotated to the top.
    window: u64,
}

/// Bytes before a stream that are read with its first.
#[cfg(not(feature = "small"))]
const BEFORE: usize = 7;

#[cfg(not(feature = "small"))]
impl<'a> Bits<'a> {
    fn new(src: &'a [u8], stream: Range<usize>) -> Option<Self> {
        let bytes = src.get(stream.start.saturating_sub(BEFORE)..stream.end)?;
        let last = *bytes.last().filter(|&&last| last != 0 && !stream.is_empty())?;
        let all = u32::try_from(stream.len()).ok()?.checked_mul(8)?;
        let left = all.wrapping_sub(last.leading_zeros() + 1);
        Self { bytes, left: left.wrapping_sub(Self::missing(&stream)), window: 0 }.refilled(0, &stream)
    }

    /// Bits by which the stream lies too close to the start of the input.
    fn missing(stream: &Range<usize>) -> u32 {
        low32(u64_from(BEFORE.saturating_sub(stream.start))) * 8
    }

    /// Steps over `used` bits that were taken. Makes at least 56 bits readable, or all that are left. `None` if more were
    /// taken than there are.
    #[inline(always)]
    fn refilled(mut self, used: u32, stream: &Range<usize>) -> Option<Self> {
        self.left = self.left.wrapping_sub(used);
        let start = (self.left >> 3) as usize;
        self.window = match self.bytes.get(start..start + 8).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u64::from_le_bytes(*chunk) << (8 - (self.left & 7)),
            None => at_start(self.bytes, self.left, stream)?,
        };
        Some(self)
    }

    /// The next `n` bits. How many were taken is said to [`refilled`](Self::refilled), all at once.
    #[inline(always)]
    fn take(&mut self, n: u8) -> u32 {
        self.window = self.window.rotate_left(n.into());
        low32(self.window) & MASKS[usize::from(n)]
    }
}

/// The window where fewer than seven bytes are before a stream.
#[cfg(not(feature = "small"))]
#[cold]
#[inline(never)]
fn at_start(bytes: &[u8], left: u32, stream: &Range<usize>) -> Option<u64> {
    let bytes = bytes.get(stream.start.min(BEFORE)..)?;
    top(bytes, left.wrapping_add(Bits::missing(stream)) as usize)
}

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

    fn act(&mut self, so_far: Self::SoFar, sequence: Sequence) -> Result<Self::SoFar>;
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
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Result<A::SoFar> {
        if self.count == 0 {
            return Ok(so_far);
        }
        let error = Error::new(ErrorKind::ZstdSequenceBits, u64_from(self.bits.start));
        let stream = &self.bits;
        let mut bits = Bits::new(src, stream.clone()).ok_or(error)?;
        let logs = [ws.literals.log, ws.offsets.log, ws.matches.log];
        let mut literals: Cell = ws.literals.cells[bits.take(logs[0]) as usize & 511];
        let mut offsets: Cell = ws.offsets.cells[bits.take(logs[1]) as usize & 255];
        let mut matches: Cell = ws.matches.cells[bits.take(logs[2]) as usize & 511];
        bits = bits.refilled(logs.map(u32::from).iter().sum(), stream).ok_or(error)?;
        let mut history = ws.history;
        let mut left = self.count;
        loop {
            let (mut used, following) = Cell::widths(literals, offsets, matches);
            let refined = offsets.base().wrapping_add(bits.take(offsets.extra()));
            let wide = used > 30;
            if wide {
                bits = bits.refilled(offsets.extra().into(), stream).ok_or(error)?;
                used -= u32::from(offsets.extra());
            }
            // Short lengths need no bits, and most are short.
            let (mut length, mut run) = (matches.base(), literals.base());
            if wide || used != u32::from(offsets.extra()) {
                length += bits.take(matches.extra());
                run += bits.take(literals.extra());
            }
            let offset = if offsets.extra() > 1 {
                history = [refined.wrapping_sub(3), history[0], history[1]];
                history[0]
            } else {
                flavour.repeat(refined, run == 0, &mut history)
            };
            let sequence = Sequence { literals: run, length, offset };
            left -= 1;
            if left > 0 {
                if wide {
                    bits = bits.refilled(used, stream).ok_or(error)?;
                    used = 0;
                }
                // The next cells are loaded before this sequence is carried out, so that a branch that is guessed wrong
                // there does not delay them.
                let next = literals.next() + bits.take(literals.bits());
                literals = ws.literals.cells[next as usize & 511];
                let next = matches.next() + bits.take(matches.bits());
                matches = ws.matches.cells[next as usize & 511];
                let next = offsets.next() + bits.take(offsets.bits());
                offsets = ws.offsets.cells[next as usize & 255];
                bits = bits.refilled(used + following, stream).ok_or(error)?;
            } else if bits.left.wrapping_add(Bits::missing(stream)) != used {
                // Behind the last sequence no states follow.
                return Err(error);
            }
            so_far = hand.act(so_far, sequence)?;
            if left == 0 {
                ws.history = history;
                return Ok(so_far);
            }
        }
    }

    /// Adds up the literals that are used and the bytes that matches make.
    pub(super) fn sums(&self, flavour: Flavour, src: &[u8], ws: &mut Workspace) -> Result<(u64, u64)> {
        self.fold(flavour, src, ws, (0, 0), &mut Sums)
    }
}

/// Adds up.
struct Sums;

impl Act for Sums {
    type SoFar = (u64, u64);

    #[inline(always)]
    fn act(&mut self, (literals, matches): (u64, u64), sequence: Sequence) -> Result<(u64, u64)> {
        Ok((literals + u64::from(sequence.literals), matches + u64::from(sequence.length)))
    }
}

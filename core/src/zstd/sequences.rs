//! The sequences section of a block: its header, its tables, and the loop that reads the sequences.

use core::ops::Range;

use super::flavour::{Flavour, TableMode};
use super::literals::tell;
use super::tables::{self, Cell, LITERALS, MATCHES, Meanings, OFFSETS, Table};
use super::workspace::Workspace;
use crate::entropy::huffman::top;
use crate::entropy::low32;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Part, Result, Trace, Value};

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
            Kind { name: "literal lengths", mode: flavour.table_mode(modes >> 6), max: tables::MAX_LITERALS_CODE },
            Kind { name: "offsets", mode: flavour.table_mode(modes >> 4), max: flavour.max_offset_code() },
            Kind { name: "match lengths", mode: flavour.table_mode(modes >> 2), max: tables::MAX_MATCH_CODE },
        ];
        let [literals, offsets, matches] = kinds;
        let mut place = Place { src, at, end: block.end };
        let predefined = &tables::PREDEFINED_LITERALS;
        place.table(literals, &mut ws.literals, ready_literals, 9, &LITERALS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_OFFSETS;
        place.table(offsets, &mut ws.offsets, ready_offsets, 8, &OFFSETS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_MATCHES;
        place.table(matches, &mut ws.matches, ready_matches, 9, &MATCHES, predefined, trace)?;
        let (part, name) = if count == 0 { (Part::Padding, "ignored") } else { (Part::Sequences, "sequence bits") };
        tell(trace, part, name, place.at..block.end, Value::None);
        trace.leave();
        Ok(Self { count, bits: place.at..block.end })
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
        predefined: &Table<64>,
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

/// Masks by width, so that a field of no bits needs no care.
static MASKS: [u32; 32] = {
    let mut masks = [0; 32];
    let mut n = 1;
    while n < 32 {
        masks[n] = masks[n - 1] << 1 | 1;
        n += 1;
    }
    masks
};

/// The bits of the sequences, from their end on.
struct Bits<'a> {
    bytes: &'a [u8],
    /// Bits that are not read yet, counted from the first bit of `bytes`.
    left: u32,
    /// The next of them, rotated to the top.
    window: u64,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let last = *bytes.last().filter(|&&last| last != 0)?;
        let all = u32::try_from(bytes.len()).ok()?.checked_mul(8)?;
        let mut bits = Self { bytes, left: all.wrapping_sub(last.leading_zeros() + 1), window: 0 };
        bits.refill()?;
        Some(bits)
    }

    /// Makes at least 57 bits readable, or all that are left. `None` if more were read than there are.
    #[inline(always)]
    fn refill(&mut self) -> Option<()> {
        let end = self.left.wrapping_add(7) >> 3;
        let start = end.wrapping_sub(8) as usize;
        self.window = match self.bytes.get(start..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u64::from_le_bytes(*chunk) << (self.left.wrapping_neg() & 7),
            None => self.refill_at_start()?,
        };
        Some(())
    }

    #[cold]
    fn refill_at_start(&self) -> Option<u64> {
        top(self.bytes, self.left as usize)
    }

    #[inline(always)]
    fn take(&mut self, n: u8) -> u32 {
        self.window = self.window.rotate_left(n.into());
        self.left = self.left.wrapping_sub(n.into());
        low32(self.window) & MASKS[usize::from(n & 31)]
    }
}

/// What one sequence says: copy so many literals, then so many bytes from so far back.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    pub(super) literals: u32,
    pub(super) length: u32,
    pub(super) offset: u32,
}

impl Sequences {
    /// Hands every sequence to `act`, in order.
    #[inline(always)]
    pub(super) fn each(
        &self,
        flavour: Flavour,
        src: &[u8],
        ws: &mut Workspace,
        mut act: impl FnMut(Sequence) -> Result<()>,
    ) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let error = Error::new(ErrorKind::ZstdSequenceBits, u64_from(self.bits.start));
        let bytes = src.get(self.bits.clone()).unwrap_or_default();
        let mut bits = Bits::new(bytes).ok_or(error)?;
        let state = |bits: &mut Bits<'_>, log: u8| bits.take(log) as usize;
        let mut history = ws.history;
        let mut literals: Cell = ws.literals.cells[state(&mut bits, ws.literals.log) & 511];
        let mut offsets: Cell = ws.offsets.cells[state(&mut bits, ws.offsets.log) & 255];
        let mut matches: Cell = ws.matches.cells[state(&mut bits, ws.matches.log) & 511];
        bits.refill().ok_or(error)?;
        let mut left = self.count;
        loop {
            let refined = offsets.base.wrapping_add(bits.take(offsets.extra));
            let wide = offsets.extra + literals.extra + matches.extra > 30;
            if wide {
                bits.refill().ok_or(error)?;
            }
            let length = matches.base + bits.take(matches.extra);
            let run = literals.base + bits.take(literals.extra);
            let offset = if offsets.extra > 1 {
                history = [refined.wrapping_sub(3), history[0], history[1]];
                history[0]
            } else {
                match flavour.repeat(refined, run == 0, &mut history) {
                    0 => return Err(Error::new(ErrorKind::ZstdOffset, u64_from(self.bits.start))),
                    offset => offset,
                }
            };
            left -= 1;
            if left == 0 {
                // Behind the last sequence no states follow.
                act(Sequence { literals: run, length, offset })?;
                break;
            }
            if wide {
                bits.refill().ok_or(error)?;
            }
            // The next cells are loaded before this sequence is carried out, so that a branch that is guessed wrong
            // there does not delay them.
            let next = usize::from(literals.next) + state(&mut bits, literals.bits);
            literals = ws.literals.cells[next & 511];
            let next = usize::from(matches.next) + state(&mut bits, matches.bits);
            matches = ws.matches.cells[next & 511];
            let next = usize::from(offsets.next) + state(&mut bits, offsets.bits);
            offsets = ws.offsets.cells[next & 255];
            bits.refill().ok_or(error)?;
            act(Sequence { literals: run, length, offset })?;
        }
        if bits.left != 0 {
            return Err(error);
        }
        ws.history = history;
        Ok(())
    }

    /// Adds up the bytes that matches make.
    pub(super) fn match_bytes(&self, flavour: Flavour, src: &[u8], ws: &mut Workspace) -> Result<(u64, u64)> {
        let (mut literals, mut matches) = (0u64, 0u64);
        self.each(flavour, src, ws, |sequence| {
            literals += u64::from(sequence.literals);
            matches += u64::from(sequence.length);
            Ok(())
        })?;
        Ok((literals, matches))
    }
}

//! The sequences section of a block: its header and its tables.

use core::ops::Range;

use super::codes;
use super::flavour::{Flavour, TableMode};
use super::header::emit_field;
use super::symbols;
use super::tables::{self, LITERALS, MATCHES, Meanings, OFFSETS, Predefined, Table};
use super::workspace::{Lent, Workspace};
use crate::fault::{Fault, Verdict};
use crate::{ErrorKind, Name, Part, Trace, Value};

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
        workspace: &mut Workspace,
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
            workspace.copy_tables(tables);
            lent.tables = None;
        }
        let [ready_literals, ready_offsets, ready_matches] = &mut workspace.ready;
        let [literals, offsets, matches] = kinds;
        let mut place = Place { src, at, end: block.end };
        let predefined = &tables::PREDEFINED_LITERALS;
        place.table(
            Name::LiteralLengths,
            literals,
            &mut workspace.literals,
            ready_literals,
            &LITERALS,
            predefined,
            trace,
        )?;
        let predefined = &tables::PREDEFINED_OFFSETS;
        place.table(Name::Offsets, offsets, &mut workspace.offsets, ready_offsets, &OFFSETS, predefined, trace)?;
        let predefined = &tables::PREDEFINED_MATCHES;
        place.table(Name::MatchLengths, matches, &mut workspace.matches, ready_matches, &MATCHES, predefined, trace)?;
        let sequences = Self { count, bits: place.at..block.end };
        if count == 0 {
            emit_field(trace, Part::Padding, Name::Ignored, sequences.bits.clone(), Value::None);
        } else {
            symbols::sequences(count, sequences.bits.clone(), flavour, src, workspace, trace)?;
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

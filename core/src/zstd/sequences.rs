//! The sequences section of a block: its header and its tables.

use core::ops::Range;

use super::codes::{MAX_LITERALS_CODE, MAX_MATCH_CODE};
use super::flavour::{Flavour, TableMode};
use super::header::emit_field;
use super::symbols;
use super::tables::{Alphabet, FseTable, LITERALS, MATCHES, OFFSETS};
use super::workspace::{Lent, Workspace};
use crate::fault::{Fault, Verdict};
use crate::{ErrorKind, Name, Part, Trace, Value};

/// A sequences section whose tables are in the workspace.
#[derive(Clone, Debug)]
pub(super) struct Sequences {
    pub(super) count: u32,
    /// The bytes of the coded sequences.
    pub(super) bits: Range<usize>,
}

/// Returns the number of sequences, and the offset of the next field.
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
    /// No sequences.
    pub(super) const NONE: Self = Self { count: 0, bits: 0..0 };

    /// Reads everything before the coded sequences.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn read<T: Trace>(
        &mut self,
        flavour: Flavour,
        src: &[u8],
        block: Range<usize>,
        workspace: &mut Workspace,
        lent: &mut Lent<'_>,
        trace: &mut T,
    ) -> Verdict<()> {
        let (count, mut at) = count(src, &block).ok_or(Fault::new(ErrorKind::ZstdSequencesHeader, block.start))?;
        trace.enter(Name::Sequences, Value::U64(count.into()));
        emit_field(trace, Part::Header, Name::NumberOfSequences, block.start..at, Value::U64(count.into()));
        // The older formats read on after a zero that was written in two bytes, and ignore what
        // follows one in one byte.
        if count == 0 && (flavour.is_rfc() || at == block.start + 1) {
            if flavour.is_rfc() && at != block.end {
                return Err(Fault::new(ErrorKind::ZstdSequencesTrailing, at));
            }
            emit_field(trace, Part::Padding, Name::Ignored, at..block.end, Value::None);
            trace.leave();
            *self = Self { count, bits: at..at };
            return Ok(());
        }
        let modes =
            *src.get(at).filter(|_| at < block.end).ok_or(Fault::new(ErrorKind::ZstdSequencesHeader, block.start))?;
        emit_field(trace, Part::Header, Name::TableModes, at..at + 1, Value::Hex(modes.into()));
        if modes & 3 != 0 {
            return Err(Fault::new(ErrorKind::ZstdReservedBit, at));
        }
        at += 1;
        let [literals, offsets, matches] = [6, 4, 2].map(|shift| flavour.table_mode(modes >> shift));
        if let Some(tables) = lent.tables()
            && [literals, offsets, matches].iter().any(|&mode| mode != TableMode::Repeat)
        {
            workspace.copy_tables(tables);
            lent.tables = None;
        }
        let mut tables = TableReader { src, at, end: block.end, ready: workspace.ready != 0, trace };
        let table = &mut workspace.literals;
        tables.read(Name::LiteralLengths, literals, table, &LITERALS, MAX_LITERALS_CODE)?;
        tables.read(Name::Offsets, offsets, &mut workspace.offsets, &OFFSETS, flavour.max_offset_code())?;
        tables.read(Name::MatchLengths, matches, &mut workspace.matches, &MATCHES, MAX_MATCH_CODE)?;
        *self = Self { count, bits: tables.at..block.end };
        workspace.ready = 1;
        if count == 0 {
            emit_field(trace, Part::Padding, Name::Ignored, self.bits.clone(), Value::None);
        } else {
            symbols::sequences(count, self.bits.clone(), flavour, src, workspace, trace);
        }
        trace.leave();
        Ok(())
    }
}

/// Reads the three tables, one after the other.
struct TableReader<'a, T> {
    src: &'a [u8],
    at: usize,
    end: usize,
    /// A block before this one made tables, so that this one may repeat them.
    ready: bool,
    trace: &'a mut T,
}

impl<T: Trace> TableReader<'_, T> {
    #[cfg_attr(any(feature = "small", target_arch = "wasm32"), inline(never))]
    fn read(
        &mut self,
        name: Name,
        mode: TableMode,
        table: &mut FseTable,
        alphabet: &Alphabet,
        max_symbol: u8,
    ) -> Verdict<()> {
        let fault = |kind| Fault::new(kind, self.at);
        let bytes = self.src.get(self.at..self.end).unwrap_or_default();
        let len = match mode {
            TableMode::Predefined => {
                table.predefine(alphabet);
                0
            }
            TableMode::Rle => {
                let symbol = *bytes.first().ok_or(fault(ErrorKind::ZstdSequencesHeader))?;
                if symbol > max_symbol {
                    return Err(fault(ErrorKind::ZstdTableSymbol));
                }
                table.repeat(symbol, alphabet);
                1
            }
            TableMode::Fse => table.read(bytes, max_symbol, alphabet).ok_or(fault(ErrorKind::ZstdTable))?,
            TableMode::Repeat if self.ready => 0,
            TableMode::Repeat => return Err(fault(ErrorKind::ZstdTableRepeat)),
        };
        emit_field(self.trace, Part::Table, name, self.at..self.at + len, Value::U64(table.log.into()));
        self.at += len;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::FseTableOf;
    use super::*;
    use crate::entropy::model;

    #[test]
    fn every_list_of_counts_builds_the_table_of_the_text() {
        let (mut table, mut built) = (FseTableOf::<512>::EMPTY, 0);
        for (alphabet, max_symbol, log) in
            [(&LITERALS, MAX_LITERALS_CODE, 9), (&OFFSETS, 31, 8), (&MATCHES, MAX_MATCH_CODE, 9)]
        {
            let value = |symbol| {
                table.any().repeat(symbol, alphabet);
                table.cell(0).value(alphabet)
            };
            let values: Vec<_> = (0..=max_symbol).map(value).collect();
            let mut check = |counts: &[i16], log| {
                let description = model::write(counts, log);
                assert!(table.any().read(&description, max_symbol, alphabet).is_some());
                assert_eq!(u32::from(table.log), log);
                model::check(counts, log, |state| {
                    let cell = table.cell(state as u32);
                    let (bits, base) = cell.successor(table.log);
                    let symbol = values.iter().position(|&value| value == cell.value(alphabet));
                    (symbol.expect("a symbol of the alphabet"), bits.into(), base)
                });
                built += 1;
            };
            model::each_list(5, 4, &mut |counts| check(counts, 5));
            // With the last symbols of the alphabet, also in the largest table.
            let last = |counts: &[i16]| {
                let before = values.len().checked_sub(counts.len())?;
                Some([&vec![0; before][..], counts].concat())
            };
            model::each_list_of_ones(5, &mut |counts| last(counts).iter().for_each(|counts| check(counts, 5)));
            model::each_list(log, 2, &mut |counts| last(counts).iter().for_each(|counts| check(counts, log)));
        }
        assert!(built > 25_000, "{built}");
    }
}

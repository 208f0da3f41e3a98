//! Emits symbol by symbol, for an observer that [asks for it](Trace::SYMBOLS): a slow reader of the
//! same bits with the same tables.
//!
//! The loops that decode do not know of it, so that it costs nothing if no observer asks. Small
//! builds emit only the ranges of the streams.

use core::ops::Range;

use super::flavour::Flavour;
use super::header::emit_field;
use super::tables::{FseTableOf, LITERALS, MATCHES, OFFSETS, TableEntry};
use super::workspace::Workspace;
use crate::bits::BackwardBitReader;
use crate::entropy::huffman;
use crate::entropy::low32;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::tuning::SMALL;
use crate::{ErrorKind, Name, Part, Trace, Value};

/// A stream that is read from its end, and whose fields are emitted.
struct SequenceFields<'a, T> {
    bits: BackwardBitReader<'a>,
    /// The first bit of the stream, in the file.
    start: u64,
    /// The fault of a wrong stream.
    fault: Fault,
    trace: &'a mut T,
}

impl<'a, T: Trace> SequenceFields<'a, T> {
    /// Starts below the mark at the end of the stream.
    fn new(src: &'a [u8], range: Range<usize>, kind: ErrorKind, trace: &'a mut T) -> Verdict<Self> {
        let fault = Fault::new(kind, range.start);
        let (start, end) = (u64_from(range.start) * 8, u64_from(range.end) * 8);
        let bits = BackwardBitReader::open(src.get(range).unwrap_or_default()).ok_or(fault)?;
        let left = u64::try_from(bits.remaining()).map_err(|_| fault)?;
        trace.leaf(Part::Padding, Name::EndMark, start + left..end, Value::None);
        Ok(Self { bits, start, fault, trace })
    }

    /// Emits the next `width` bits as a field with this value.
    fn field(&mut self, part: Part, name: Name, width: u32, value: u64) -> Verdict<()> {
        self.bits.skip(width);
        // Below zero, the stream has no bits left.
        let left = u64::try_from(self.bits.remaining()).map_err(|_| self.fault)?;
        self.trace.leaf(part, name, self.start + left..self.start + left + u64::from(width), Value::U64(value));
        Ok(())
    }

    /// Reads a state of one of the three tables: the first, or the successor of a cell.
    fn state<const N: usize>(
        &mut self,
        table: &FseTableOf<N>,
        name: Name,
        from: Option<TableEntry>,
    ) -> Verdict<TableEntry> {
        let (width, base) = from.map_or((table.log, 0), |cell| cell.successor(table.log));
        let state = base.wrapping_add(low32(self.bits.peek(width.into())));
        self.field(Part::Sequences, name, width.into(), state.into())?;
        Ok(table.cell(state))
    }

    fn end(self) -> Verdict<()> {
        if self.bits.is_exhausted() { Ok(()) } else { Err(self.fault) }
    }
}

/// Emits a Huffman stream of `count` literals. A stream that is wrong is one leaf: decoding reports
/// its error, in the order of all others.
pub(super) fn huffman<T: Trace>(src: &[u8], range: Range<usize>, count: usize, code: &huffman::Table, trace: &mut T) {
    if wants_symbols(trace) && each_literal(src, range.clone(), count, code, &mut ()).is_ok() {
        let _ = each_literal(src, range, count, code, trace);
    } else {
        emit_field(trace, Part::Literals, Name::HuffmanStream, range, Value::None);
    }
}

/// Returns whether an observer wants symbols, and the build has the code to emit them.
fn wants_symbols<T: Trace>(trace: &T) -> bool {
    !SMALL && T::SYMBOLS && trace.symbols()
}

/// Emits each literal of a Huffman stream.
fn each_literal<T: Trace>(
    src: &[u8],
    range: Range<usize>,
    count: usize,
    code: &huffman::Table,
    trace: &mut T,
) -> Verdict<()> {
    trace.enter(Name::HuffmanStream, Value::U64(u64_from(count)));
    let mut fields = SequenceFields::new(src, range, ErrorKind::ZstdHuffmanStream, trace)?;
    for _ in 0..count {
        let (literal, width) = code.first(&fields.bits);
        fields.field(Part::Literals, Name::Literal, width, literal.into())?;
    }
    fields.end()?;
    trace.leave();
    Ok(())
}

/// Emits the bits of all sequences of a block: the lengths and the offset of each, and the states
/// that lead to the next. Bits that are wrong are one leaf, as in [`huffman`].
pub(super) fn sequences<T: Trace>(
    count: u32,
    stream: Range<usize>,
    flavour: Flavour,
    src: &[u8],
    workspace: &Workspace,
    trace: &mut T,
) {
    if wants_symbols(trace) && each_sequence(count, stream.clone(), flavour, src, workspace, &mut ()).is_ok() {
        let _ = each_sequence(count, stream, flavour, src, workspace, trace);
    } else {
        emit_field(trace, Part::Sequences, Name::SequenceBits, stream, Value::None);
    }
}

/// Emits the bits of each sequence.
fn each_sequence<T: Trace>(
    count: u32,
    stream: Range<usize>,
    flavour: Flavour,
    src: &[u8],
    workspace: &Workspace,
    trace: &mut T,
) -> Verdict<()> {
    trace.enter(Name::SequenceBits, Value::U64(count.into()));
    let mut fields = SequenceFields::new(src, stream, ErrorKind::ZstdSequenceBits, trace)?;
    const STATES: [Name; 3] = [Name::LiteralLengthState, Name::OffsetState, Name::MatchLengthState];
    let mut literals = fields.state(&workspace.literals, STATES[0], None)?;
    let mut offsets = fields.state(&workspace.offsets, STATES[1], None)?;
    let mut matches = fields.state(&workspace.matches, STATES[2], None)?;
    let mut history = workspace.history;
    for index in 1..=count {
        fields.trace.enter(Name::Sequence, Value::U64(u64::from(index) - 1));
        // The meaning of a repeated offset depends on the number of literals, but their bits come
        // last.
        let mut ahead = fields.bits;
        let mut take = |cell: TableEntry, alphabet| {
            let (base, width) = cell.value(alphabet);
            (base.wrapping_add(low32(ahead.take(width.into()))), u32::from(width))
        };
        let (value, offset_width) = take(offsets, &OFFSETS);
        let (length, length_width) = take(matches, &MATCHES);
        let (run, run_width) = take(literals, &LITERALS);
        let (name, offset) = if offset_width > 1 {
            history = [value, history[0], history[1]];
            (Name::Offset, history[0])
        } else {
            (Name::RepeatedOffset, flavour.repeat(value, run == 0, &mut history))
        };
        fields.field(Part::Offsets, name, offset_width, offset.into())?;
        fields.field(Part::Offsets, Name::MatchLength, length_width, length.into())?;
        fields.field(Part::Offsets, Name::LiteralLength, run_width, run.into())?;
        if index < count {
            literals = fields.state(&workspace.literals, STATES[0], Some(literals))?;
            matches = fields.state(&workspace.matches, STATES[2], Some(matches))?;
            offsets = fields.state(&workspace.offsets, STATES[1], Some(offsets))?;
        }
        fields.trace.leave();
    }
    fields.end()?;
    trace.leave();
    Ok(())
}

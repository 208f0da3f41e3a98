//! Where flash is short nobody is told single symbols, only where the streams lie.

use core::ops::Range;

use super::flavour::Flavour;
use super::header::emit_field;
use super::workspace::Workspace;
use crate::entropy::huffman;
use crate::fault::Verdict;
use crate::{Name, Part, Trace, Value};

/// A Huffman stream.
pub(super) fn huffman<T: Trace>(
    _: &[u8],
    range: Range<usize>,
    _: usize,
    _: &huffman::Table,
    trace: &mut T,
) -> Verdict<()> {
    emit_field(trace, Part::Literals, Name::HuffmanStream, range, Value::None);
    Ok(())
}

/// The bits of all sequences of a block.
pub(super) fn sequences<T: Trace>(
    _: u32,
    stream: Range<usize>,
    _: Flavour,
    _: &[u8],
    _: &Workspace,
    trace: &mut T,
) -> Verdict<()> {
    emit_field(trace, Part::Sequences, Name::SequenceBits, stream, Value::None);
    Ok(())
}

//! Emits the place of everything in a file: each token, the offsets, the codes of each row.

use core::ops::Range;

use super::column::Column;
use super::file::File;
use super::header::{Header, emit_tables};
use crate::num::{index, u64_from};
use crate::{Limits, Name, Part, Result, Trace, Value};

/// Opens a file and emits all of it. On an error, what was emitted until then is true.
pub(super) fn open<'a, T: Trace>(src: &'a [u8], limits: &Limits, trace: &mut T) -> Result<File<'a>> {
    let opened = File::parse(src, limits, false, trace);
    if T::LISTENS && trace.listens() {
        match &opened {
            Ok(file) => emit_file(file, u64_from(src.len()), trace),
            // If the first bytes are wrong, the others mean nothing.
            Err(_) if Header::parse(src, &mut ()).is_ok() => emit_tables(src, trace),
            Err(_) => {}
        }
    }
    opened
}

fn emit_file(file: &File<'_>, len: u64, trace: &mut impl Trace) {
    let [token_bytes, token_offsets, words, row_offsets] = file.places().clone();
    emit_tokens(file.column(), token_bytes, trace);
    trace.bytes(Part::Table, Name::TokenOffsets, token_offsets, Value::None);
    emit_codes(file.column(), words, trace);
    trace.bytes(Part::Framing, Name::RowOffsets, row_offsets, Value::None);
    if file.len() < len {
        trace.bytes(Part::Padding, Name::TrailingBytes, file.len()..len, Value::None);
    }
}

/// The dictionary: a leaf for each token, in the order of their codes.
fn emit_tokens(column: &Column<'_>, place: Range<u64>, trace: &mut impl Trace) {
    trace.enter(Name::Tokens, Value::U64(u64_from(column.dictionary().len())));
    let mut at = place.start;
    for token in column.dictionary().tokens() {
        crate::steps::count(1);
        let end = at.saturating_add(u64_from(token.len()));
        trace.bytes(Part::Table, Name::Token, at..end, Value::Bytes(token));
        at = end;
    }
    if at < place.end {
        trace.bytes(Part::Padding, Name::Padding, at..place.end, Value::None);
    }
    trace.leave();
}

/// The codes: a leaf for each row.
fn emit_codes(column: &Column<'_>, place: Range<u64>, trace: &mut impl Trace) {
    let bits = u64::from(column.codes().bits());
    let (start, end) = (place.start.saturating_mul(8), place.end.saturating_mul(8));
    let bit = |code: u64| start.saturating_add(code.saturating_mul(bits));
    let offsets = column.row_offsets();
    trace.enter(Name::Codes, Value::U64(u64_from(column.codes().len())));
    let mut code = offsets.first();
    if code > 0 {
        trace.leaf(Part::Padding, Name::CodesOfNoRow, start..bit(code), Value::None);
    }
    for row in column.rows() {
        crate::steps::count(1);
        let after = offsets.get(index(row.saturating_add(1))).unwrap_or(code);
        trace.leaf(Part::Symbols, Name::Row, bit(code)..bit(after), Value::U64(row));
        code = after;
    }
    if bit(code) < end {
        trace.leaf(Part::Padding, Name::Padding, bit(code)..end, Value::None);
    }
    trace.leave();
}

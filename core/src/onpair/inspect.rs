//! Tells a [`Trace`] where everything in a container lies: each token, the offsets, the codes of each row.

use core::ops::Range;

use super::column::Column;
use super::container::Container;
use super::outline;
use crate::num::{index, u64_from};
use crate::{Limits, Name, Part, Result, Trace, Value};

/// Opens a container, tells its parts, and checks every code. On an error, what was heard until then is true.
pub fn inspect<'a, T: Trace>(bytes: &'a [u8], limits: &Limits, trace: &mut T) -> Result<Container<'a>> {
    let container = match Container::open_traced(bytes, limits, trace) {
        Ok(container) => container,
        Err(error) => {
            // With the first bytes wrong, nothing is known of the others.
            if T::LISTENS && outline::head(bytes, u64_from(bytes.len()), &mut ()).is_ok() {
                outline::tables(bytes, trace);
            }
            return Err(error);
        }
    };
    if T::LISTENS {
        let column = container.column();
        let [token_bytes, token_offsets, words, row_offsets] = container.places().clone();
        tokens(column, token_bytes, trace);
        trace.bytes(Part::Table, Name::TokenOffsets, token_offsets, Value::None);
        codes(column, words, trace);
        trace.bytes(Part::Framing, Name::RowOffsets, row_offsets, Value::None);
        let len = u64_from(bytes.len());
        if container.len() < len {
            trace.bytes(Part::Padding, Name::TrailingBytes, container.len()..len, Value::None);
        }
    }
    container.column().check()?;
    Ok(container)
}

/// The dictionary: a leaf for each token, whose number is its code.
fn tokens(column: &Column<'_>, place: Range<u64>, trace: &mut impl Trace) {
    trace.enter(Name::Tokens, Value::U64(u64_from(column.dictionary().len())));
    let mut at = place.start;
    for token in column.dictionary().tokens() {
        let end = at.saturating_add(u64_from(token.len()));
        trace.bytes(Part::Table, Name::Token, at..end, Value::Bytes(token));
        at = end;
    }
    if at < place.end {
        trace.bytes(Part::Padding, Name::Padding, at..place.end, Value::None);
    }
    trace.leave();
}

/// The codes: a leaf for each row, which says how many codes the row has.
fn codes(column: &Column<'_>, place: Range<u64>, trace: &mut impl Trace) {
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
        let behind = offsets.get(index(row.saturating_add(1))).unwrap_or(code);
        trace.leaf(Part::Symbols, Name::Row, bit(code)..bit(behind), Value::U64(row));
        code = behind;
    }
    if bit(code) < end {
        trace.leaf(Part::Padding, Name::Padding, bit(code)..end, Value::None);
    }
    trace.leave();
}

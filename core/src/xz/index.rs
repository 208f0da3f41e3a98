//! The index of a stream, once all of it is present.

use super::header::seals;
use super::number;
use crate::fault::{Fault, Verdict};
use crate::num::{Size, index_of, split_last, u64_from, wide};
use crate::{ErrorKind, Name, Part, Trace, Value};

/// Receives the two sizes of each block that an index lists, and may refuse them.
pub(super) type Each<'e> = &'e mut dyn FnMut(Size, Size) -> Option<()>;

/// Accepts any number of blocks.
const ANY: Size = Size::MAX;

/// Reads the list of the index that starts at `start` in the file: a zero, the number of blocks,
/// which must be `expected`, and their sizes. Returns its length. If `bytes` end first, the fault
/// is [`CUT`](number::CUT).
#[cfg_attr(feature = "small", inline(always))]
pub(super) fn list<T: Trace>(
    bytes: &[u8],
    start: u64,
    expected: Size,
    each: Each<'_>,
    trace: &mut T,
) -> Verdict<usize> {
    let mut emit = |name, at, end, value| {
        if T::LISTENS {
            trace.bytes(Part::Table, name, start + u64_from(at)..start + u64_from(end), Value::U64(wide(value)));
        }
    };
    let mut at = 1;
    let count = number::read(bytes, &mut at)?;
    // Refused at once, before a long list is read in vain.
    if expected != ANY && count != expected {
        return Err(Fault::new(ErrorKind::XzIndex, 1));
    }
    emit(Name::Records, 1, at, count);
    // If an index cannot count the records, the bytes end before them.
    for _ in 0..index_of(count) {
        crate::steps::count(1);
        let start = at;
        let unpadded = number::read(bytes, &mut at)?;
        emit(Name::UnpaddedSize, start, at, unpadded);
        let middle = at;
        let content = number::read(bytes, &mut at)?;
        each(unpadded, content).ok_or(Fault::new(ErrorKind::XzIndex, middle))?;
        emit(Name::UncompressedSize, middle, at, content);
    }
    Ok(at)
}

/// Reads an index, of exactly these bytes. Faults show at its start, except those of its checksum.
pub(super) fn walk(bytes: &[u8], each: Each<'_>) -> Verdict<()> {
    let fault = |kind| Fault::new(kind, 0);
    let (body, crc) = split_last::<4>(bytes).ok_or(fault(ErrorKind::XzFooter))?;
    if !seals(crc, body) {
        return Err(Fault::new(ErrorKind::XzHeaderCrc, body.len()));
    }
    if body.first() != Some(&0) {
        return Err(fault(ErrorKind::XzFooter));
    }
    let end = list(body, 0, ANY, each, &mut ()).map_err(|wrong| match wrong.kind {
        ErrorKind::Truncated => fault(ErrorKind::XzIndex),
        kind => fault(kind),
    })?;
    let padding = body.get(end..).unwrap_or_default();
    if padding.len() > 3 || padding.iter().any(|&byte| byte != 0) {
        return Err(fault(ErrorKind::XzPadding));
    }
    Ok(())
}

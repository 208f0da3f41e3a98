//! Codec 10: an array of numbers of some bytes each, all first bytes, all second bytes and so on, behind the header of a file.

use crate::ErrorKind;
use crate::at1::output::Output;
use crate::at1::streams::numbers::Stream;
use crate::fault::Verdict;

/// The streams of an array.
pub(crate) const NAMES: [&[u8]; 2] = [b"meta", b"data"];

/// The longest element.
const MAX_WIDTH: usize = 32;

/// Appends all of the file.
#[inline(never)]
pub(crate) fn all<O: Output>(streams: &[Stream<'_>; 2], out: &mut O) -> Verdict<()> {
    let &[meta, data] = streams;
    let mut fields = meta.numbers();
    let width = fields.index()?;
    let header = fields.string()?;
    let count = fields.index()?;
    if !(1..=MAX_WIDTH).contains(&width) || count.checked_mul(width) != Some(data.bytes.len()) {
        return Err(fields.fault(ErrorKind::At1ArraySize));
    }
    out.put(header)?;
    let mut planes: [&[u8]; MAX_WIDTH] = [&[]; MAX_WIDTH];
    let mut rest = data.bytes;
    for plane in planes.iter_mut().take(width) {
        (*plane, rest) = rest.split_at_checked(count).unwrap_or_default();
    }
    for at in 0..count {
        let mut element = [0; MAX_WIDTH];
        for (byte, plane) in element.iter_mut().zip(planes.iter().take(width)) {
            *byte = plane.get(at).copied().unwrap_or(0);
        }
        out.put_short(&element, width)?;
    }
    Ok(())
}

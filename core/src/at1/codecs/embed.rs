//! Codec 10: an array of numbers of some bytes each, all first bytes, all second bytes and so on, behind the header of a file.

use super::shared::{Decode, Reads};
use crate::ErrorKind;
use crate::Result;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::Set;
use crate::at1::streams::numbers::Stream;
use crate::fault::Verdict;

/// The streams of an array.
const NAMES: [&[u8]; 2] = [b"meta", b"data"];

/// The longest element.
const MAX_WIDTH: usize = 32;

/// The codec.
pub(crate) struct Embed;

impl Decode for Embed {
    const READS: Reads = Reads::Names(&NAMES);

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        set.load(&NAMES, lent, |streams, _| all(streams, out))
    }
}

/// Appends all of the file.
#[inline(never)]
fn all<O: Output>(streams: &[Stream<'_>; 2], out: &mut O) -> Verdict<()> {
    let &[meta, data] = streams;
    let mut fields = meta.numbers();
    let width = fields.index()?;
    let header = fields.string()?;
    let count = fields.index()?;
    if !(1..=MAX_WIDTH).contains(&width) || count.checked_mul(width) != Some(data.bytes.len()) {
        return Err(fields.fault(ErrorKind::At1ArraySize));
    }
    out.put(header);
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
        out.put_short(&element, width);
        if out.is_full() {
            break;
        }
    }
    Ok(())
}

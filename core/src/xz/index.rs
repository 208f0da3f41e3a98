//! The index of a stream, once all of it is present, and the indexes of a whole file.

use super::header::{STREAM_HEADER, stream_footer, stream_header};
use super::number;
use super::options::{Options, Streams};
use super::records::Sums;
use crate::ErrorKind;
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::{index, split_last};

/// Reads an index: `each` takes the two sizes of every block, and may refuse. Faults show at the
/// start of the index, except those of its checksum.
pub(super) fn walk(bytes: &[u8], mut each: impl FnMut(u64, u64) -> Option<()>) -> Verdict<()> {
    let fault = |kind| Fault::new(kind, 0);
    let (body, crc) = split_last::<4>(bytes).ok_or(fault(ErrorKind::XzFooter))?;
    if Crc32::of(body).to_le_bytes() != *crc {
        return Err(Fault::new(ErrorKind::XzHeaderCrc, body.len()));
    }
    let Some((&0, mut rest)) = body.split_first() else { return Err(fault(ErrorKind::XzFooter)) };
    let next = |rest: &mut &[u8]| -> Verdict<u64> {
        let (value, len) = number::read(rest).map_err(|wrong| fault(wrong.kind))?.ok_or(fault(ErrorKind::XzIndex))?;
        *rest = rest.get(len..).unwrap_or_default();
        Ok(value)
    };
    for _ in 0..next(&mut rest)? {
        let (unpadded, content) = (next(&mut rest)?, next(&mut rest)?);
        each(unpadded, content).ok_or(fault(ErrorKind::XzIndex))?;
    }
    if rest.len() > 3 || rest.iter().any(|&byte| byte != 0) {
        return Err(fault(ErrorKind::XzPadding));
    }
    Ok(())
}

/// Returns how many bytes a file claims to decode to, by its indexes. `None` if they have an error,
/// which decoding reports better, or if only the first stream counts, whose end is unknown.
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn claimed_len(src: &[u8], options: &Options) -> Option<u64> {
    let (mut rest, mut sums) = (src, Sums::new());
    if !rest.len().is_multiple_of(4) || options.streams == Streams::First {
        return None;
    }
    loop {
        while let Some((before, [0, 0, 0, 0])) = split_last(rest) {
            rest = before;
        }
        let (before, footer) = split_last::<STREAM_HEADER>(rest)?;
        let (backward, check) = stream_footer(footer, 0, &mut ()).ok()?;
        let len = (backward <= options.limits.max_header).then_some(index(backward))?;
        let (before, list) = before.split_at_checked(before.len().checked_sub(len)?)?;
        let stored = sums.stored;
        walk(list, |unpadded, content| sums.add(unpadded, content)).ok()?;
        let blocks = before.len().checked_sub(index(sums.stored - stored))?;
        let (before, header) = split_last::<STREAM_HEADER>(before.get(..blocks)?)?;
        let same = stream_header(header, 0, &mut ()) == Ok(check);
        match before.is_empty() {
            true if same => return Some(sums.content),
            // Decoding reports that there is a stream too many.
            false if same && options.streams == Streams::All => rest = before,
            _ => return None,
        }
    }
}

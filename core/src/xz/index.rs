//! The index of a stream, once all of it is present.

use super::number;
use crate::ErrorKind;
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::split_last;

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

//! Tells a [`Trace`] where everything in a file lies: the head, then each chunk with its columns.
//!
//! The values come from the same parsers that decoding uses, and the walk from chunk to chunk is that of the
//! [`Outline`](super::Outline); what is added here is what only shows in a payload.

use super::convert::Encoding;
use super::lossless::Planes;
use super::options::{Options, Workspace};
use super::outline::Progress;
use super::payload::check_crc;
use super::piece::part;
use crate::num::{index, u64_from};
use crate::{Done, Error, ErrorKind, Name, Result, Trace, Value};

/// Walks over a whole file: opens it, finds every chunk and every column in it, verifies every CRC-32 and every code of a lossless column.
///
/// On an error, what was heard until then is true. Bytes between chunks are told as padding where chunks lie in ascending order,
/// as all writers write them.
pub fn inspect(
    src: &[u8],
    workspace: &mut Workspace<'_>,
    options: &Options<'_>,
    trace: &mut impl Trace,
) -> Result<Done> {
    let mut walk = Progress::start(src, u64_from(src.len()), &options.limits, trace)?;
    let mut done = Done::default();
    while let Some((chunk, at)) = walk.next {
        let body = walk.enter(src, &chunk, at, part(src, walk.prefix(at))?, trace)?;
        let payload = part(src, body.payload.clone())?;
        let (file, slot) = (walk.file(src), &body.piece.slot);
        let mut planes = Planes::default();
        let lossless = !file.is_columnar() && slot.encoding == Encoding::Lossless;
        if lossless {
            trace.enter(Name::Lossless, Value::None);
            planes.read(payload, body.payload.start, trace)?;
            trace.leave();
        } else {
            walk.emit_payload(src, &chunk, &body, workspace, trace)?;
        }
        check_crc(&mut done.checksums, body.crc, options.verify, payload)?;
        let mut decoded = slot.values.saturating_mul(slot.encoding.output().width());
        if file.is_columnar() {
            let len = u64_from(payload.len());
            decoded = 0;
            file.each_slot(&chunk, workspace, &mut |_, _, slot| {
                slot.range(len)?;
                decoded = decoded.saturating_add(slot.values.saturating_mul(slot.encoding.output().width()));
                Ok(())
            })?;
        } else {
            if lossless {
                if planes.count != slot.values {
                    return Err(Error::new(ErrorKind::CvcLosslessCount, body.payload.start));
                }
                planes.check_codes()?;
            }
            body.piece.refuse_hidden_crc(&file, src)?;
        }
        done.content = done.content.saturating_add(decoded);
        done.parts += 1;
        trace.leave();
        walk.look_ahead(src, trace)?;
    }
    done.read = index(walk.cursor.end);
    Ok(done)
}

//! Codec 9: a medical image, its pixels as differences, between what stands before and behind them in the file.

use super::shared::{Decode, Extra, Reads, apart};
use crate::Limits;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::numbers::Stream;
use crate::at1::streams::{Entry, Set};
use crate::fault::Verdict;
use crate::num::{copy, index, u64_from};
use crate::{ErrorKind, Result};

/// The streams of an image, in the order that [`Image::open`] wants them.
const NAMES: [&[u8]; 5] = [b"meta", b"raw", b"pre", PIXELS, b"suf"];

/// The one of them whose bytes a sink takes as much scratch for as it has: they are put right there.
const PIXELS: &[u8] = b"pix";

/// How the pixels were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transform {
    /// Not at all.
    None,
    /// Differences to the element on the left, modulo what an element can hold.
    Left,
    /// Differences to the element above.
    Above,
    /// All high bytes, then all low bytes.
    Split,
}

/// The codec.
pub(crate) struct Dicom;

impl Decode for Dicom {
    const READS: Reads = Reads::Names(&NAMES);

    fn extra(entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
        let for_sink = if entry.name == PIXELS { entry.decoded_size(limits)? } else { 0 };
        Ok(Extra { always: 0, for_sink })
    }

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        apart(lent, |lent| set.load(&NAMES, lent, Image::open), |image, lent| image.all(lent, out))
    }
}

/// An image whose streams are decoded.
enum Image<'a> {
    /// The file as it is.
    Raw(&'a [u8]),
    /// The file in parts.
    Parts {
        pre: &'a [u8],
        pixels: &'a [u8],
        pad: &'a [u8],
        suf: &'a [u8],
        transform: Transform,
        row: usize,
        wide: bool,
    },
}

impl<'a> Image<'a> {
    pub(crate) fn open(streams: &[Stream<'a>; 5], _: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, raw, pre, pixels, suf] = streams;
        let mut fields = meta.numbers();
        match fields.byte()? {
            0 => return Ok(Self::Raw(raw.bytes)),
            1 => {}
            _ => return Err(meta.fault(ErrorKind::At1Mode, 0)),
        }
        let transform = match fields.byte()? {
            0 => Transform::None,
            1 => Transform::Left,
            2 => Transform::Above,
            3 => Transform::Split,
            _ => return Err(fields.fault(ErrorKind::At1Transform)),
        };
        if fields.byte()? != 0 {
            return Err(fields.fault(ErrorKind::At1Jpeg));
        }
        let [rows, columns, samples, bits] =
            [fields.unsigned()?, fields.unsigned()?, fields.unsigned()?, fields.unsigned()?];
        let pad = fields.string()?;
        let wide = bits != 8;
        let row = columns.checked_mul(samples).and_then(|n| n.checked_mul(1 + u64::from(wide)));
        let size = row.and_then(|row| row.checked_mul(rows));
        let fits = transform == Transform::None || size == Some(u64_from(pixels.bytes.len()));
        if !fits || transform == Transform::Split && !wide {
            return Err(fields.fault(ErrorKind::At1ImageSize));
        }
        let (pre, pixels, suf) = (pre.bytes, pixels.bytes, suf.bytes);
        Ok(Self::Parts { pre, pixels, pad, suf, transform, row: index(row.unwrap_or(0)), wide })
    }

    /// Appends all of the file. A sink takes scratch for the pixels.
    pub(crate) fn all<O: Output>(&self, lent: &mut Lent<'_, '_>, out: &mut O) -> Result<()> {
        let Self::Parts { pre, pixels, pad, suf, transform, row, wide } = *self else {
            let Self::Raw(bytes) = self else { return Ok(()) };
            out.put(bytes);
            return Ok(());
        };
        // An output that has no place for nothing has none for pixels. Whether there is scratch for them must be known before anything
        // is written.
        let len = u64_from(pixels.len());
        let in_place = out.fill(0, |_| Ok(()))?;
        let aside = transform != Transform::None && !in_place;
        let room = lent.scratch.take(if aside { len } else { 0 })?;
        out.put(pre);
        if aside {
            undo(transform, pixels, row, wide, room);
            out.put(room);
        } else if transform == Transform::None {
            out.put(pixels);
        } else {
            out.fill(len, |room| {
                undo(transform, pixels, row, wide, room);
                Ok(())
            })?;
        }
        out.put(pad);
        out.put(suf);
        Ok(())
    }
}

/// Fills `room` with the pixels as they were; it is as long as they are.
fn undo(transform: Transform, pixels: &[u8], row: usize, wide: bool, room: &mut [u8]) {
    match transform {
        Transform::None => copy(pixels, room),
        Transform::Split => {
            let (high, low) = pixels.split_at_checked(pixels.len() / 2).unwrap_or_default();
            for (element, (&high, &low)) in room.as_chunks_mut().0.iter_mut().zip(high.iter().zip(low)) {
                *element = [low, high];
            }
        }
        Transform::Left | Transform::Above => {
            copy(pixels, room);
            // What is added lies one element back, or one row.
            let element = 1 + usize::from(wide);
            let back = if transform == Transform::Left { element } else { row };
            let mut at = back;
            while let Some((before, rest)) = room.split_at_mut_checked(at).filter(|(_, rest)| !rest.is_empty()) {
                let from = before.get(before.len().saturating_sub(back)..).unwrap_or_default();
                // A row at a time where rows are added; on the left the first element of each row stays as it is.
                if transform == Transform::Above || row > 0 && !at.is_multiple_of(row) {
                    add(from, rest, wide);
                }
                at = at.saturating_add(back.max(1));
            }
        }
    }
}

/// Adds elements to elements.
fn add(from: &[u8], to: &mut [u8], wide: bool) {
    if wide {
        for (to, from) in to.as_chunks_mut().0.iter_mut().zip(from.as_chunks().0) {
            *to = u16::from_le_bytes(*to).wrapping_add(u16::from_le_bytes(*from)).to_le_bytes();
        }
    } else {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = to.wrapping_add(*from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_of_small_images() {
        let mut room = [0; 6];
        undo(Transform::Left, &[250, 10, 1, 5, 255, 255], 3, false, &mut room);
        assert_eq!(room, [250, 4, 5, 5, 4, 3]);
        undo(Transform::Above, &[250, 10, 1, 10, 255, 1], 3, false, &mut room);
        assert_eq!(room, [250, 10, 1, 4, 9, 2]);
        undo(Transform::Above, &[250, 10, 10, 255, 1, 1], 2, true, &mut room);
        assert_eq!(room, [250, 10, 4, 10, 5, 11]);
        undo(Transform::Left, &[255, 0, 1, 0, 255, 255], 6, true, &mut room);
        assert_eq!(room, [255, 0, 0, 1, 255, 0]);
        undo(Transform::Split, &[1, 2, 3, 4, 5, 6], 6, true, &mut room);
        assert_eq!(room, [4, 1, 5, 2, 6, 3]);
    }
}

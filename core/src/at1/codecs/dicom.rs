//! Codec 9: a medical image. Pixels are stored as differences, apart from the bytes before and
//! after them.

use super::shared::{Decode, Entry, ErrorKind, Extra, Header, Lent, Limits, Output, Result, Set, Stream, Verdict};
use crate::num::{copy, index, u64_from};

/// The stream of pixels. For a sink they are restored in scratch of the same size.
const PIXELS: &[u8] = b"pix";

/// The transform of the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transform {
    /// None.
    None,
    /// Differences to the element on the left, modulo the range of an element.
    Left,
    /// Differences to the element above.
    Above,
    /// All high bytes, then all low bytes.
    Split,
}

/// An image whose streams are decoded. A file that is no image is all `before`.
pub(crate) struct Image<'a> {
    before: &'a [u8],
    pixels: &'a [u8],
    pad: &'a [u8],
    after: &'a [u8],
    transform: Transform,
    row: usize,
    wide: bool,
}

impl<'a> Decode<'a, 5> for Image<'a> {
    const NAMES: [&'static [u8]; 5] = [b"meta", b"raw", b"pre", PIXELS, b"suf"];

    fn extra(entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
        let for_sink = if entry.name == PIXELS { entry.decoded_size(limits)? } else { 0 };
        Ok(Extra { always: 0, for_sink })
    }

    fn open(streams: &[Stream<'a>; 5], _: &Header, _: &Set<'a>, _: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, raw, pre, pixels, suf] = streams;
        let mut fields = meta.numbers();
        match fields.byte()? {
            0 => {
                let (before, transform) = (raw.bytes, Transform::None);
                return Ok(Self { before, pixels: b"", pad: b"", after: b"", transform, row: 0, wide: false });
            }
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
        let (before, pixels, after, row) = (pre.bytes, pixels.bytes, suf.bytes, index(row.unwrap_or(0)));
        Ok(Self { before, pixels, pad, after, transform, row, wide })
    }

    /// Takes scratch for the pixels if the output is a sink, before anything is written.
    fn append(&mut self, out: &mut Output<'_>, lent: &mut Lent<'_, 'a>) -> Result<()> {
        let len = u64_from(self.pixels.len());
        let aside = self.transform != Transform::None && out.has_sink();
        let place = lent.scratch.take(if aside { len } else { 0 })?;
        out.put(self.before);
        match self.transform {
            Transform::None => out.put(self.pixels),
            _ if aside => {
                self.undo(place);
                out.put(place);
            }
            _ => out.fill(len, |place| {
                self.undo(place);
                Ok(())
            })?,
        }
        out.put(self.pad);
        out.put(self.after);
        Ok(())
    }
}

impl Image<'_> {
    /// Fills `place`, which is as long as the pixels, with the original pixels.
    fn undo(&self, place: &mut [u8]) {
        let Self { pixels, row, wide, .. } = *self;
        if self.transform == Transform::Split {
            let (high, low) = pixels.split_at_checked(pixels.len() / 2).unwrap_or_default();
            for (element, (&high, &low)) in place.as_chunks_mut().0.iter_mut().zip(high.iter().zip(low)) {
                *element = [low, high];
            }
            return;
        }
        copy(pixels, place);
        // Adds each element to the next one, or each row to the next row.
        let is_above = self.transform == Transform::Above;
        let back = if is_above { row } else { 1 + usize::from(wide) };
        let mut at = back;
        while let Some((before, rest)) = place.split_at_mut_checked(at).filter(|(_, rest)| !rest.is_empty()) {
            let from = before.get(before.len().saturating_sub(back)..).unwrap_or_default();
            // On the left, the first element of each row stays.
            if is_above || row > 0 && !at.is_multiple_of(row) {
                add(from, rest, wide);
            }
            at = at.saturating_add(back.max(1));
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

    fn undo(transform: Transform, pixels: &[u8], row: usize, wide: bool, place: &mut [u8]) {
        Image { before: b"", pixels, pad: b"", after: b"", transform, row, wide }.undo(place);
    }

    #[test]
    fn undoes_transforms_of_small_images() {
        let mut place = [0; 6];
        undo(Transform::Left, &[250, 10, 1, 5, 255, 255], 3, false, &mut place);
        assert_eq!(place, [250, 4, 5, 5, 4, 3]);
        undo(Transform::Above, &[250, 10, 1, 10, 255, 1], 3, false, &mut place);
        assert_eq!(place, [250, 10, 1, 4, 9, 2]);
        undo(Transform::Above, &[250, 10, 10, 255, 1, 1], 2, true, &mut place);
        assert_eq!(place, [250, 10, 4, 10, 5, 11]);
        undo(Transform::Left, &[255, 0, 1, 0, 255, 255], 6, true, &mut place);
        assert_eq!(place, [255, 0, 0, 1, 255, 0]);
        undo(Transform::Split, &[1, 2, 3, 4, 5, 6], 6, true, &mut place);
        assert_eq!(place, [4, 1, 5, 2, 6, 3]);
    }
}

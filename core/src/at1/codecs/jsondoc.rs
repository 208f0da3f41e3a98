//! Codec 6: one JSON document as a skeleton with gaps, and a column of values for each kind of gap.

use super::log::gaps;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::Blobs;
use crate::fault::Verdict;

/// The streams of a document, in the order that [`Document::open`] wants them.
pub(crate) const NAMES: [&[u8]; 6] = [b"meta", b"raw", b"skeleton", b"colids", b"value_index", b"values"];

/// A document whose streams are decoded.
pub(crate) enum Document<'a> {
    /// As it is.
    Raw(&'a [u8]),
    /// The text with a NUL for each value, the column of each value, and the columns.
    Parts(&'a [u8], Numbers<'a>, Blobs<'a>),
}

impl<'a> Document<'a> {
    pub(crate) fn open(streams: &[Stream<'a>; 6], lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, raw, skeleton, columns, lengths, values] = streams;
        Ok(match meta.numbers().byte()? {
            0 => Self::Raw(raw.bytes),
            _ => Self::Parts(skeleton.bytes, columns.numbers(), Blobs::open(lengths, values, 0, &mut lent.scratch)?),
        })
    }

    /// Appends all of the file.
    pub(crate) fn all<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        match self {
            Self::Raw(bytes) => Ok(out.put(bytes)?),
            Self::Parts(skeleton, columns, values) => gaps(skeleton, out, |out| {
                let column = columns.index()?;
                Ok(out.put(values.item(column)?)?)
            }),
        }
    }
}

//! Codec 6: one JSON document as a skeleton with gaps, and a column of values for each kind of gap.

use super::log::gaps;
use super::numbers::{Numbers, Stream};
use super::output::Output;
use super::scratch::Lent;
use super::table::Blobs;
use crate::fault::Verdict;

/// The streams of a document, in the order that [`Document::open`] wants them.
pub(super) const NAMES: [&[u8]; 6] = [b"meta", b"raw", b"skeleton", b"colids", b"value_index", b"values"];

/// A document whose streams are decoded.
pub(super) enum Document<'a> {
    /// As it is.
    Raw(&'a [u8]),
    /// The text with a NUL for each value, the column of each value, and the columns.
    Parts(&'a [u8], Numbers<'a>, Blobs<'a>),
}

impl<'a> Document<'a> {
    pub(super) fn open(streams: &[Stream<'a>; 6], lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, raw, skeleton, columns, lengths, values] = streams;
        Ok(match meta.numbers().byte()? {
            0 => Self::Raw(raw.bytes),
            _ => Self::Parts(skeleton.bytes, columns.numbers(), Blobs::open(lengths, values, 0, &mut lent.scratch)?),
        })
    }

    /// Appends all of the file.
    pub(super) fn all<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        match self {
            Self::Raw(bytes) => Ok(out.put(bytes)?),
            Self::Parts(skeleton, columns, values) => gaps(skeleton, out, |out| {
                let column = columns.index()?;
                Ok(out.put(values.item(column)?)?)
            }),
        }
    }
}

//! Codec 6: one JSON document as a skeleton with gaps, and a column of values for each kind of gap.

use super::shared::{Decode, Reads, apart, fill_gaps};
use crate::Result;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::Set;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::Blobs;
use crate::fault::Verdict;

/// The streams of a document, in the order that [`Document::open`] wants them.
const NAMES: [&[u8]; 6] = [b"meta", b"raw", b"skeleton", b"colids", b"value_index", b"values"];

/// The codec.
pub(crate) struct JsonDoc;

impl Decode for JsonDoc {
    const READS: Reads = Reads::Names(&NAMES);

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        apart(lent, |lent| set.load(&NAMES, lent, Document::open), |file, _| file.all(out))
    }
}

/// A document whose streams are decoded.
enum Document<'a> {
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
            Self::Raw(bytes) => {
                out.put(bytes);
                Ok(())
            }
            Self::Parts(skeleton, columns, values) => fill_gaps(skeleton, out, |out| {
                let column = columns.index()?;
                out.put(values.item(column)?);
                Ok(())
            }),
        }
    }
}

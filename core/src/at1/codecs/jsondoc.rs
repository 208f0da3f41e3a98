//! Codec 6: one JSON document as a skeleton with gaps, and a column of values for each kind of gap.

use super::shared::{Blobs, Decode, Header, Lent, Numbers, Output, Set, Stream, Verdict, fill_gaps};

/// A document whose streams are decoded: a text with a NUL for each value, the column of each
/// value, and the columns.
pub(crate) struct Document<'a> {
    skeleton: &'a [u8],
    /// Absent if the skeleton is the whole document.
    values: Option<(Numbers<'a>, Blobs<'a>)>,
}

impl<'a> Decode<'a, 6> for Document<'a> {
    const NAMES: [&'static [u8]; 6] = [b"meta", b"raw", b"skeleton", b"colids", b"value_index", b"values"];

    fn open(streams: &[Stream<'a>; 6], _: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, raw, skeleton, columns, lengths, values] = streams;
        if meta.numbers().byte()? == 0 {
            return Ok(Self { skeleton: raw.bytes, values: None });
        }
        let values = Blobs::open(lengths, values, 0, &mut lent.scratch)?;
        Ok(Self { skeleton: skeleton.bytes, values: Some((columns.numbers(), values)) })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        let Some((columns, values)) = &mut self.values else {
            out.put(self.skeleton);
            return Ok(());
        };
        fill_gaps(self.skeleton, out, |out| {
            let column = columns.index()?;
            values.item(column).map(|item| out.put(item))
        })
    }
}

//! Codec 10: an array of numbers after a file header. All first bytes of the numbers are stored
//! first, then all second bytes, and so on.

use super::shared::{Decode, ErrorKind, Header, Lent, Output, Set, Stream, Verdict};

/// Bytes of the longest element.
const MAX_WIDTH: usize = 32;

/// An array whose streams are decoded.
pub(crate) struct Array<'a> {
    header: &'a [u8],
    data: &'a [u8],
    width: usize,
    count: usize,
}

impl<'a> Decode<'a, 2> for Array<'a> {
    const NAMES: [&'static [u8]; 2] = [b"meta", b"data"];

    fn open(&[meta, data]: &[Stream<'a>; 2], _: &Header, _: &Set<'a>, _: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let mut meta = meta.numbers();
        let (width, header, count) = (meta.index()?, meta.string()?, meta.index()?);
        if !(1..=MAX_WIDTH).contains(&width) || count.checked_mul(width) != Some(data.bytes.len()) {
            return Err(meta.fault(ErrorKind::At1ArraySize));
        }
        Ok(Self { header, data: data.bytes, width, count })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        out.put(self.header);
        let mut planes: [&[u8]; MAX_WIDTH] = [&[]; MAX_WIDTH];
        let mut rest = self.data;
        for plane in planes.iter_mut().take(self.width) {
            (*plane, rest) = rest.split_at_checked(self.count).unwrap_or_default();
        }
        for at in 0..self.count {
            let mut element = [0; MAX_WIDTH];
            for (byte, plane) in element.iter_mut().zip(planes.iter().take(self.width)) {
                *byte = plane.get(at).copied().unwrap_or(0);
            }
            out.put_short(&element, self.width);
            if out.is_full() {
                break;
            }
        }
        Ok(())
    }
}

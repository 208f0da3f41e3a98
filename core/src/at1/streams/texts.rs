//! Texts that are picked by number: templates, keys, vocabularies. What a list does not give, because its items have no
//! fixed size, a table of where they start in the scratch does.

use super::lines::{Lines, line_len};
use super::numbers::{Numbers, Stream};
use crate::ErrorKind;
use crate::at1::scratch::Scratch;
use crate::fault::Verdict;
use crate::num::{index, u64_from};

/// What is known of a text: where it starts and how long it is.
type Span = [[u8; 8]; 2];

/// Texts by number.
#[derive(Debug, Default)]
pub(crate) struct Texts<'a> {
    bytes: &'a [u8],
    spans: &'a mut [Span],
}

impl<'a> Texts<'a> {
    /// How much of the scratch so many texts take.
    pub(crate) const fn room(count: u64) -> u64 {
        count.saturating_mul(size_of::<Span>() as u64)
    }

    fn with_room(bytes: &'a [u8], count: u64, scratch: &mut Scratch<'a>) -> Verdict<Self> {
        let (spans, _) = scratch.take(Self::room(count))?.as_chunks_mut::<8>().0.as_chunks_mut::<2>();
        Ok(Self { bytes, spans })
    }

    fn set(&mut self, at: usize, start: usize, len: usize) {
        if let Some(span) = self.spans.get_mut(at) {
            *span = [start, len].map(|value| u64_from(value).to_le_bytes());
        }
    }

    /// The items of an LF-split list.
    pub(crate) fn lines(stream: Stream<'a>, scratch: &mut Scratch<'a>) -> Verdict<Self> {
        let mut texts = Self::with_room(stream.bytes, Lines::new(stream).left(), scratch)?;
        let mut start = 0usize;
        for at in 0..texts.spans.len() {
            let len = line_len(stream.bytes.get(start..).unwrap_or_default());
            texts.set(at, start, len);
            start = start.saturating_add(len).saturating_add(1);
        }
        Ok(texts)
    }

    /// So many strings behind their lengths; `numbers`, which reads `bytes`, stands behind them then.
    pub(crate) fn strings(
        count: usize,
        numbers: &mut Numbers<'a>,
        bytes: &'a [u8],
        scratch: &mut Scratch<'a>,
    ) -> Verdict<Self> {
        let mut texts = Self::with_room(bytes, u64_from(count), scratch)?;
        for at in 0..count {
            let text = numbers.string()?;
            texts.set(at, numbers.position(bytes.len()).saturating_sub(text.len()), text.len());
        }
        Ok(texts)
    }

    /// So many pieces of `bytes`, each of which `step` reads.
    pub(crate) fn pieces(
        count: usize,
        numbers: &mut Numbers<'a>,
        bytes: &'a [u8],
        scratch: &mut Scratch<'a>,
        step: impl Fn(&mut Numbers<'a>) -> Verdict<()>,
    ) -> Verdict<Self> {
        let mut texts = Self::with_room(bytes, u64_from(count), scratch)?;
        for at in 0..count {
            let start = numbers.position(bytes.len());
            step(numbers)?;
            texts.set(at, start, numbers.position(bytes.len()).saturating_sub(start));
        }
        Ok(texts)
    }

    /// A number, then so many strings that end with a NUL.
    pub(crate) fn terminated(stream: Stream<'a>, scratch: &mut Scratch<'a>) -> Verdict<Self> {
        let mut numbers = stream.numbers();
        // A stream that is not there holds no text.
        let count = if stream.bytes.is_empty() { 0 } else { numbers.count()? };
        let mut texts = Self::with_room(stream.bytes, u64_from(count), scratch)?;
        for at in 0..count {
            let start = numbers.position(stream.bytes.len());
            let len = memchr::memchr(0, numbers.rest()).ok_or_else(|| numbers.fault(ErrorKind::At1StreamShort))?;
            numbers.bytes(len.saturating_add(1))?;
            texts.set(at, start, len);
        }
        Ok(texts)
    }

    /// The text of this number.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&'a [u8]> {
        let [start, len] = self.spans.get(at)?.map(u64::from_le_bytes).map(index);
        self.bytes.get(start..start.checked_add(len)?)
    }
}

/// Parts of one stream as lists that are read side by side: the columns of values of codecs 1 and 6.
#[derive(Debug, Default)]
pub(crate) struct Blobs<'a> {
    values: Stream<'a>,
    /// Where the next value starts, and where the part ends.
    cells: &'a mut [[[u8; 8]; 3]],
}

impl<'a> Blobs<'a> {
    /// How much of the scratch so many parts take.
    pub(crate) const fn room(count: u64) -> u64 {
        count.saturating_mul(24)
    }

    /// Cuts `values` into parts as long as `lengths` says, with `gap` bytes between two of them.
    pub(crate) fn open(
        lengths: Stream<'a>,
        values: Stream<'a>,
        gap: usize,
        scratch: &mut Scratch<'a>,
    ) -> Verdict<Self> {
        let mut lengths = lengths.numbers();
        let count = if lengths.is_empty() { 0 } else { lengths.count()? };
        let (cells, _) = scratch.take(Self::room(u64_from(count)))?.as_chunks_mut::<8>().0.as_chunks_mut::<3>();
        let mut start = 0usize;
        for cell in cells.iter_mut() {
            let end = start.saturating_add(lengths.index()?);
            if end > values.bytes.len() {
                return Err(lengths.fault(ErrorKind::At1StreamShort));
            }
            *cell = [start, end, usize::MAX].map(|value| u64_from(value).to_le_bytes());
            start = end.saturating_add(gap);
        }
        Ok(Self { values, cells })
    }

    /// How many parts there are.
    pub(crate) const fn len(&self) -> usize {
        self.cells.len()
    }

    /// The next item of a part.
    #[inline]
    pub(crate) fn item(&mut self, part: usize) -> Verdict<&'a [u8]> {
        let short = |at| self.values.fault(ErrorKind::At1ListShort, at);
        let Some(cell) = self.cells.get_mut(part) else { return Err(short(0)) };
        let [start, end, _] = cell.map(u64::from_le_bytes).map(index);
        let rest = self.values.bytes.get(start..end).ok_or_else(|| short(end))?;
        let len = line_len(rest);
        let next = start.saturating_add(len).saturating_add(1);
        *cell = [next, end, start].map(|value| u64_from(value).to_le_bytes());
        Ok(rest.get(..len).unwrap_or_default())
    }

    /// The item that was taken last from a part, if any has been.
    pub(crate) fn last(&self, part: usize) -> Option<&'a [u8]> {
        let [next, _, start] = self.cells.get(part)?.map(u64::from_le_bytes).map(index);
        // Behind each item stands a line feed or the end.
        self.values.bytes.get(start..next.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(bytes: &[u8]) -> Stream<'_> {
        Stream::new(bytes, 9, false)
    }

    #[test]
    fn texts_of_three_kinds() {
        let mut room = [0; 200];
        let mut scratch = Scratch::new(&mut room);
        let lines = Texts::lines(stream(b"a\n\nbc"), &mut scratch).unwrap();
        assert_eq!([0, 1, 2, 3].map(|at| lines.get(at)), [Some(&b"a"[..]), Some(b""), Some(b"bc"), None]);
        let bytes = b"\x01x\x02yz!";
        let mut numbers = stream(bytes).numbers();
        let strings = Texts::strings(2, &mut numbers, bytes, &mut scratch).unwrap();
        assert_eq!((strings.get(0), strings.get(1), strings.get(2)), (Some(&b"x"[..]), Some(&b"yz"[..]), None));
        assert_eq!(numbers.rest(), b"!");
        let terminated = Texts::terminated(stream(b"\x02p\0\0"), &mut scratch).unwrap();
        assert_eq!((terminated.get(0), terminated.get(1)), (Some(&b"p"[..]), Some(&b""[..])));
        assert!(Texts::terminated(stream(b"\x02p\0q"), &mut scratch).is_err());
    }

    #[test]
    fn parts_of_a_stream_side_by_side() {
        let mut room = [0; 100];
        let mut scratch = Scratch::new(&mut room);
        let mut blobs = Blobs::open(stream(b"\x02\x03\x01"), stream(b"a\nb;x"), 1, &mut scratch).unwrap();
        assert_eq!(blobs.last(0), None);
        assert_eq!((blobs.item(1), blobs.item(0), blobs.item(0)), (Ok(&b"x"[..]), Ok(&b"a"[..]), Ok(&b"b"[..])));
        assert_eq!((blobs.last(0), blobs.last(1)), (Some(&b"b"[..]), Some(&b"x"[..])));
        assert!(blobs.item(0).is_err() && blobs.item(1).is_err() && blobs.item(2).is_err());
        assert!(Blobs::open(stream(b"\x02\x03\x02"), stream(b"a\nb;x"), 1, &mut scratch).is_err());
    }
}

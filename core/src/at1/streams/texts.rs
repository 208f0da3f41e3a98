//! Texts that are picked by number: templates, keys, vocabularies. A table in the scratch says
//! where each text starts.

use super::lines::{Lines, line_len};
use super::numbers::{Numbers, Stream};
use crate::ErrorKind;
use crate::at1::scratch::{Scratch, Word};
use crate::fault::Verdict;
use crate::num::{index, u64_from};

/// Texts by number.
#[derive(Debug, Default)]
pub(crate) struct Texts<'a> {
    bytes: &'a [u8],
    /// The start and the length of each text.
    spans: &'a mut [[Word; 2]],
}

impl<'a> Texts<'a> {
    /// Reads `count` texts of `bytes` with the cursor `numbers`. `step` reads one text and returns
    /// its length, and the bytes it read after it.
    pub(crate) fn read(
        count: usize,
        numbers: &mut Numbers<'a>,
        bytes: &'a [u8],
        scratch: &mut Scratch<'a>,
        step: impl Fn(&mut Numbers<'a>) -> Verdict<(usize, usize)>,
    ) -> Verdict<Self> {
        let spans = scratch.records(u64_from(count))?;
        for span in &mut *spans {
            let (len, after) = step(numbers)?;
            let start = numbers.position(bytes.len()).saturating_sub(after).saturating_sub(len);
            *span = [start, len].map(|value| u64_from(value).to_le_bytes());
        }
        Ok(Self { bytes, spans })
    }

    /// Reads the items of a list with line feeds.
    pub(crate) fn lines(stream: Stream<'a>, scratch: &mut Scratch<'a>) -> Verdict<Self> {
        let count = index(Lines::new(stream).left());
        Self::read(count, &mut stream.numbers(), stream.bytes, scratch, |numbers| {
            let len = line_len(numbers.rest());
            let after = usize::from(len < numbers.rest().len());
            numbers.bytes(len.saturating_add(after))?;
            Ok((len, after))
        })
    }

    /// Reads `count` strings after their lengths.
    pub(crate) fn strings(
        count: usize,
        numbers: &mut Numbers<'a>,
        bytes: &'a [u8],
        scratch: &mut Scratch<'a>,
    ) -> Verdict<Self> {
        Self::read(count, numbers, bytes, scratch, |numbers| Ok((numbers.string()?.len(), 0)))
    }

    /// Reads a count and that many strings that end with NUL. A missing stream holds none.
    pub(crate) fn terminated(stream: Stream<'a>, scratch: &mut Scratch<'a>) -> Verdict<Self> {
        let mut numbers = stream.numbers();
        let count = numbers.count_or_none()?;
        Self::read(count, &mut numbers, stream.bytes, scratch, |numbers| {
            let len = memchr::memchr(0, numbers.rest()).ok_or_else(|| numbers.fault(ErrorKind::At1StreamShort))?;
            numbers.bytes(len.saturating_add(1))?;
            Ok((len, 1))
        })
    }

    /// Returns the text of this number.
    #[inline]
    fn get(&self, at: usize) -> Option<&'a [u8]> {
        let [start, len] = self.spans.get(at)?.map(u64::from_le_bytes).map(index);
        self.bytes.get(start..start.checked_add(len)?)
    }

    /// Reads a number and returns its text.
    #[inline]
    pub(crate) fn pick(&self, numbers: &mut Numbers<'_>) -> Verdict<&'a [u8]> {
        let at = numbers.index()?;
        self.get(at).ok_or_else(|| numbers.fault(ErrorKind::At1TextNumber))
    }
}

/// Parts of one stream, read as lists side by side: the value columns of codecs 1 and 6.
#[derive(Debug, Default)]
pub(crate) struct Blobs<'a> {
    values: Stream<'a>,
    /// The start of the next value, the end of the part, and the start of the last value.
    parts: &'a mut [[Word; 3]],
}

impl<'a> Blobs<'a> {
    /// Splits `values` into parts of these `lengths`, with `gap` bytes between two parts.
    pub(crate) fn open(
        lengths: Stream<'a>,
        values: Stream<'a>,
        gap: usize,
        scratch: &mut Scratch<'a>,
    ) -> Verdict<Self> {
        let mut lengths = lengths.numbers();
        let count = lengths.count_or_none()?;
        let parts = scratch.records(u64_from(count))?;
        let mut start = 0usize;
        for part in parts.iter_mut() {
            let end = start.saturating_add(lengths.index()?);
            if end > values.bytes.len() {
                return Err(lengths.fault(ErrorKind::At1StreamShort));
            }
            *part = [start, end, usize::MAX].map(|value| u64_from(value).to_le_bytes());
            start = end.saturating_add(gap);
        }
        Ok(Self { values, parts })
    }

    /// Returns the number of parts.
    pub(crate) const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns the next item of a part.
    #[inline]
    pub(crate) fn item(&mut self, part: usize) -> Verdict<&'a [u8]> {
        let short = |at| self.values.fault(ErrorKind::At1ListShort, at);
        let Some(part) = self.parts.get_mut(part) else { return Err(short(0)) };
        let [start, end, _] = part.map(u64::from_le_bytes).map(index);
        let rest = self.values.bytes.get(start..end).ok_or_else(|| short(end))?;
        let len = line_len(rest);
        let next = start.saturating_add(len).saturating_add(1);
        *part = [next, end, start].map(|value| u64_from(value).to_le_bytes());
        Ok(rest.get(..len).unwrap_or_default())
    }

    /// Returns the last item taken from a part, if there was one.
    pub(crate) fn last(&self, part: usize) -> Option<&'a [u8]> {
        let [next, _, start] = self.parts.get(part)?.map(u64::from_le_bytes).map(index);
        // A line feed or the end follows each item.
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
    fn reads_texts_of_three_kinds() {
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
    fn reads_parts_of_a_stream_side_by_side() {
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

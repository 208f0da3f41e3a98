//! Lists whose items are separated by line feeds.

use super::numbers::{Place, Stream};
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{ErrorKind, steps};

/// Takes the items of a list one after the other. `n` line feeds make `n + 1` items: an empty list has one, which is empty.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    rest: Option<&'a [u8]>,
    place: Place,
}

/// Where the first line feed is, or the length if there is none.
#[inline]
pub(crate) fn line_len(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

impl<'a> Lines<'a> {
    /// The items of a stream, from the first.
    #[inline]
    pub const fn new(stream: Stream<'a>) -> Self {
        Self { rest: Some(stream.bytes), place: stream.place }
    }

    /// Steps over items, until [`rest_len`](Self::rest_len) bytes are left.
    pub(crate) fn skip_to(&mut self, rest_len: usize) {
        self.rest = self.rest.and_then(|rest| rest.get(rest.len().wrapping_sub(rest_len)..));
    }

    /// How many bytes have not been taken. `usize::MAX`, which is one less than none, after the last item.
    pub(crate) fn rest_len(&self) -> usize {
        self.rest.map_or(usize::MAX, <[u8]>::len)
    }

    /// The next item, which must be there.
    #[inline]
    pub(crate) fn item(&mut self) -> Verdict<&'a [u8]> {
        self.next().ok_or_else(|| self.short())
    }

    /// The list has fewer items than are wanted.
    #[cold]
    pub(crate) fn short(&self) -> Fault {
        self.place.fault(ErrorKind::At1ListShort, 0)
    }

    /// How many items there are from here on.
    pub(crate) fn left(&self) -> u64 {
        match self.rest {
            None => 0,
            Some(rest) => u64_from(memchr::memchr_iter(b'\n', rest).count()).saturating_add(1),
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let len = line_len(rest);
        self.rest = rest.get(len.saturating_add(1)..);
        rest.get(..len)
    }
}

/// Where a text first holds a short one that is not empty. Not by `memchr::memmem`: on machines without vectors that can reach a panic.
pub(crate) fn find(text: &[u8], short: &[u8]) -> Option<usize> {
    let mut starts = memchr::memchr_iter(*short.first()?, text);
    starts.find(|&at| {
        steps::count(short.len());
        text.get(at..).is_some_and(|rest| rest.starts_with(short))
    })
}

/// Cuts a line at its delimiters.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    rest: Option<&'a [u8]>,
    delimiter: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The longest delimiter that is looked for: at each byte of a line so many are compared at most.
    const MAX_DELIMITER: usize = 64;

    /// The fields of a line. Without a delimiter it is one; with one that no writer uses, nobody knows.
    pub(crate) fn new(line: &'a [u8], delimiter: &'a [u8]) -> Option<Self> {
        (delimiter.len() <= Self::MAX_DELIMITER).then_some(Self { rest: Some(line), delimiter })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let Some(at) = find(rest, self.delimiter) else { return Some(rest) };
        self.rest = rest.get(at.saturating_add(self.delimiter.len())..);
        rest.get(..at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feeds_separate_and_an_empty_list_has_one_item() {
        for (text, items) in [
            ("", vec![""]),
            ("\n", vec!["", ""]),
            ("a", vec!["a"]),
            ("a\nbc\n", vec!["a", "bc", ""]),
            ("\n\nx\r\ny", vec!["", "", "x\r", "y"]),
        ] {
            let mut lines = Lines::new(Stream::new(text.as_bytes(), 3, true));
            assert_eq!(lines.left(), items.len() as u64);
            for item in items {
                assert_eq!(lines.item(), Ok(item.as_bytes()), "{text:?}");
            }
            let end = Fault::new(ErrorKind::At1ListShort, 3 + text.len());
            assert_eq!((lines.next(), lines.item(), lines.left()), (None, Err(end), 0));
        }
    }
}

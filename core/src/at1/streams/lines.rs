//! Lists whose items are separated by line feeds.

use super::numbers::{Stream, StreamPosition};
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{ErrorKind, steps};

/// Iterates over the items of a list. `n` line feeds make `n + 1` items, so that an empty list has
/// one empty item.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    rest: Option<&'a [u8]>,
    place: StreamPosition,
}

/// Returns the position of the first line feed, or the length without one.
#[inline]
pub(crate) fn line_len(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

impl<'a> Lines<'a> {
    /// Starts at the first item of a stream.
    #[inline]
    pub const fn new(stream: Stream<'a>) -> Self {
        Self { rest: Some(stream.bytes), place: stream.place }
    }

    /// Skips items until [`rest_len`](Self::rest_len) bytes are left.
    pub(crate) fn skip_to(&mut self, rest_len: usize) {
        self.rest = self.rest.and_then(|rest| rest.get(rest.len().wrapping_sub(rest_len)..));
    }

    /// Returns the number of bytes left. After the last item it is `usize::MAX`, one less than
    /// none.
    pub(crate) fn rest_len(&self) -> usize {
        self.rest.map_or(usize::MAX, <[u8]>::len)
    }

    /// Returns the next item, or a fault at the end.
    #[inline]
    pub(crate) fn item(&mut self) -> Verdict<&'a [u8]> {
        self.next().ok_or_else(|| self.short())
    }

    /// Returns the fault of a list with too few items.
    #[cold]
    pub(crate) fn short(&self) -> Fault {
        self.place.fault(ErrorKind::At1ListShort, 0)
    }

    /// Returns the number of items left.
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

/// Returns the position of `short`, which is not empty, in `text`. Does not use `memchr::memmem`,
/// which can reach a panic on machines without vectors.
pub(crate) fn find(text: &[u8], short: &[u8]) -> Option<usize> {
    let mut starts = memchr::memchr_iter(*short.first()?, text);
    starts.find(|&at| {
        steps::count(short.len());
        text.get(at..).is_some_and(|rest| rest.starts_with(short))
    })
}

/// Splits a line at its delimiters.
#[derive(Clone, Debug)]
pub(crate) struct LineFields<'a> {
    rest: Option<&'a [u8]>,
    delimiter: &'a [u8],
}

impl<'a> LineFields<'a> {
    /// The longest delimiter that is searched for. Each byte of a line costs at most this many
    /// comparisons.
    const MAX_DELIMITER: usize = 64;

    /// Returns the fields of a line. An empty delimiter makes one field. Returns `None` for a
    /// delimiter longer than any writer uses.
    pub(crate) fn new(line: &'a [u8], delimiter: &'a [u8]) -> Option<Self> {
        (delimiter.len() <= Self::MAX_DELIMITER).then_some(Self { rest: Some(line), delimiter })
    }
}

impl<'a> Iterator for LineFields<'a> {
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

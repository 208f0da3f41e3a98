//! State that waits in the scratch. Nothing that borrows can lie in bytes: of a stream it keeps where its rest lies.

use super::numbers::{Place, Stream};
use crate::num::{index, u64_from};

/// One number.
pub(crate) type Word = [u8; 8];

/// Words of a stream.
pub(crate) const STREAM: usize = 3;

/// Where the bytes of streams lie: in the file, or in the scratch from its byte `base` on.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) file: &'a [u8],
    pub(crate) scratch: &'a [u8],
    pub(crate) base: u64,
}

/// Writes a record from its start.
pub(crate) struct Writer<'r> {
    words: core::slice::IterMut<'r, Word>,
}

impl<'r> Writer<'r> {
    pub(crate) fn new(words: &'r mut [Word]) -> Self {
        Self { words: words.iter_mut() }
    }

    #[inline(never)]
    pub(crate) fn number(&mut self, number: u64) {
        if let Some(word) = self.words.next() {
            *word = number.to_le_bytes();
        }
    }

    /// A stream whose bytes end at byte `end` of the scratch, if they are not in the file.
    #[inline(never)]
    pub(crate) fn stream(&mut self, stream: &Stream<'_>, end: u64) {
        self.number(u64_from(stream.bytes.len()));
        self.number(u64_from(stream.place.0));
        self.number(end);
    }
}

/// Where in the scratch streams end that were loaded together, from its byte `at` on.
pub(crate) fn ends<const N: usize>(streams: &[Stream<'_>; N], mut at: u64) -> [u64; N] {
    streams.each_ref().map(|stream| {
        if stream.place.end_in_file().is_none() {
            at = at.saturating_add(u64_from(stream.bytes.len()));
        }
        at
    })
}

/// Reads it again.
pub(crate) struct Reader<'r, 'a> {
    words: core::slice::Iter<'r, Word>,
    memory: Memory<'a>,
}

impl<'r, 'a> Reader<'r, 'a> {
    pub(crate) fn new(words: &'r [Word], memory: Memory<'a>) -> Self {
        Self { words: words.iter(), memory }
    }

    #[inline(never)]
    pub(crate) fn number(&mut self) -> u64 {
        self.words.next().map_or(0, |word| u64::from_le_bytes(*word))
    }

    #[inline(never)]
    pub(crate) fn stream(&mut self) -> Stream<'a> {
        let [len, place, end] = [(); STREAM].map(|()| self.number());
        self.rest_of(place, end, len)
    }

    /// A stream of which `left` bytes are left.
    pub(crate) fn stream_with(&mut self, left: u64) -> Stream<'a> {
        let [_, place, end] = [(); STREAM].map(|()| self.number());
        self.rest_of(place, end, left)
    }

    fn rest_of(&self, place: u64, end: u64, len: u64) -> Stream<'a> {
        let (place, len) = (Place(index(place)), index(len));
        let (all, end) = match place.end_in_file() {
            Some(end) => (self.memory.file, end),
            None => (self.memory.scratch, index(end.saturating_sub(self.memory.base))),
        };
        Stream { bytes: all.get(end.saturating_sub(len)..end).unwrap_or_default(), place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_the_file_and_of_the_scratch_go_on_where_they_were() {
        let (file, scratch) = (b"0123456789", b"abcdefgh");
        let memory = Memory { file, scratch, base: 100 };
        let streams = [Stream::new(&file[2..7], 2, true), Stream::new(&scratch[..6], 9, false)];
        let ends = ends(&streams, 100);
        assert_eq!(ends, [100, 106]);
        let [stored, decoded] = streams;
        let mut words = [[0; 8]; 2 * STREAM + 1];
        let mut writer = Writer::new(&mut words);
        writer.stream(&stored.part(3, 5).unwrap(), ends[0]);
        writer.number(7);
        writer.stream(&decoded, ends[1]);
        let mut reader = Reader::new(&words, memory);
        let again = reader.stream();
        assert_eq!((again.bytes, again.place(1), reader.number()), (&b"56"[..], 6, 7));
        let again = reader.stream_with(3);
        assert_eq!((again.bytes, again.place(1)), (&b"def"[..], 9));
    }
}

//! State that is kept in the scratch between uses. Bytes cannot hold references, so a record of a
//! stream holds the position of its rest.

use super::numbers::{Stream, StreamPosition};
use crate::at1::scratch::Word;
use crate::num::{index, u64_from};

/// Words of a stream.
pub(crate) const STREAM: usize = 3;

/// The memory that streams are in: the file, or the scratch from its byte `base` on.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) file: &'a [u8],
    pub(crate) scratch: &'a [u8],
    pub(crate) base: u64,
}

/// Writes a record from its start.
pub(crate) struct RecordWriter<'r> {
    words: core::slice::IterMut<'r, Word>,
}

impl<'r> RecordWriter<'r> {
    pub(crate) fn new(words: &'r mut [Word]) -> Self {
        Self { words: words.iter_mut() }
    }

    #[inline(never)]
    pub(crate) fn number(&mut self, number: u64) {
        if let Some(word) = self.words.next() {
            *word = number.to_le_bytes();
        }
    }

    /// Writes a stream. Its bytes end at byte `end` of the scratch unless they are in the file.
    #[inline(never)]
    pub(crate) fn stream(&mut self, stream: &Stream<'_>, end: u64) {
        self.number(u64_from(stream.bytes.len()));
        self.number(u64_from(stream.place.0));
        self.number(end);
    }
}

/// Returns the ends of streams in the scratch that were loaded in order from byte `at` on.
pub(crate) fn ends<const N: usize>(streams: &[Stream<'_>; N], mut at: u64) -> [u64; N] {
    streams.each_ref().map(|stream| {
        if stream.place.end_in_file().is_none() {
            at = at.saturating_add(u64_from(stream.bytes.len()));
        }
        at
    })
}

/// Reads a record from its start.
pub(crate) struct RecordReader<'r> {
    words: core::slice::Iter<'r, Word>,
}

impl<'r> RecordReader<'r> {
    pub(crate) fn new(words: &'r [Word]) -> Self {
        Self { words: words.iter() }
    }

    #[inline(never)]
    pub(crate) fn number(&mut self) -> u64 {
        self.words.next().map_or(0, |word| u64::from_le_bytes(*word))
    }

    #[inline(never)]
    pub(crate) fn stream<'a>(&mut self, memory: &Memory<'a>) -> Stream<'a> {
        let [len, place, end] = [(); STREAM].map(|()| self.number());
        let (place, len) = (StreamPosition(index(place)), index(len));
        let (all, end) = match place.end_in_file() {
            Some(end) => (memory.file, end),
            None => (memory.scratch, index(end.saturating_sub(memory.base))),
        };
        Stream { bytes: all.get(end.saturating_sub(len)..end).unwrap_or_default(), place }
    }
}

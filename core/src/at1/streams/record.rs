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

    #[inline(never)]
    pub(crate) fn stream(&mut self, stream: &Stream<'_>) {
        let Place { end, start } = stream.place;
        for number in [end, start, stream.bytes.len()] {
            self.number(u64_from(number));
        }
    }
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
        let [end, start, len] = [(); STREAM].map(|()| index(self.number()));
        let place = Place { end, start };
        let (all, end) = match place.end_in_file() {
            Some(end) => (self.memory.file, end),
            None => (self.memory.scratch, end.saturating_sub(index(self.memory.base))),
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
        let stored = Stream::new(&file[2..7], 2, true);
        let decoded = Stream::decoded(&scratch[1..6], 9, 106);
        let mut words = [[0; 8]; 2 * STREAM + 1];
        let mut writer = Writer::new(&mut words);
        writer.stream(&stored.part(3, 5).unwrap());
        writer.number(7);
        writer.stream(&decoded.part(1, 4).unwrap());
        let mut reader = Reader::new(&words, memory);
        let again = reader.stream();
        assert_eq!((again.bytes, again.place(1), reader.number()), (&b"56"[..], 6, 7));
        let again = reader.stream();
        assert_eq!((again.bytes, again.place(1)), (&b"cde"[..], 9));
    }
}

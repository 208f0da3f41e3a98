//! State that waits in the scratch: numbers, and in place of slices where they start, since nothing that borrows can lie in bytes.

use super::numbers::{Place, Stream};
use crate::at1::scratch::Scratch;
use crate::num::{index, u64_from};

/// One number.
pub(crate) type Word = [u8; 8];

/// Set in the start of a slice of the file; others are of the scratch.
const OF_FILE: u64 = 1 << 63;

/// Where the file and the scratch lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    file: usize,
    scratch: usize,
    len: usize,
}

impl Memory {
    /// What is decoded from now on lies in what is left of the scratch.
    pub(crate) fn new(file: &[u8], scratch: &Scratch<'_>) -> Self {
        let scratch = scratch.rest();
        Self { file: file.as_ptr().addr(), scratch: scratch.as_ptr().addr(), len: scratch.len() }
    }
}

/// Writes a record from its start.
pub(crate) struct Writer<'r> {
    words: core::slice::IterMut<'r, Word>,
    memory: Memory,
}

impl<'r> Writer<'r> {
    pub(crate) fn new(words: &'r mut [Word], memory: Memory) -> Self {
        Self { words: words.iter_mut(), memory }
    }

    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn number(&mut self, number: u64) {
        if let Some(word) = self.words.next() {
            *word = number.to_le_bytes();
        }
    }

    /// Where a slice of the scratch starts, even if it is empty.
    pub(crate) fn place(&mut self, bytes: &[u8]) {
        self.number(u64_from(bytes.as_ptr().addr().saturating_sub(self.memory.scratch)));
    }

    /// A slice of the file or of the scratch.
    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (at, memory) = (bytes.as_ptr().addr(), self.memory);
        let start = match at.checked_sub(memory.scratch) {
            Some(start) if start < memory.len => u64_from(start),
            _ => u64_from(at.wrapping_sub(memory.file)) | OF_FILE,
        };
        self.number(if bytes.is_empty() { 0 } else { start });
        self.number(u64_from(bytes.len()));
    }

    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn stream(&mut self, stream: &Stream<'_>) {
        self.bytes(stream.bytes);
        self.number(u64_from(stream.place.0));
    }
}

/// Reads it again.
pub(crate) struct Reader<'r, 'a> {
    words: core::slice::Iter<'r, Word>,
    file: &'a [u8],
    scratch: &'a [u8],
}

impl<'r, 'a> Reader<'r, 'a> {
    pub(crate) fn new(words: &'r [Word], file: &'a [u8], scratch: &'a [u8]) -> Self {
        Self { words: words.iter(), file, scratch }
    }

    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn number(&mut self) -> u64 {
        self.words.next().map_or(0, |word| u64::from_le_bytes(*word))
    }

    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let (start, len) = (self.number(), index(self.number()));
        let all = if start & OF_FILE == 0 { self.scratch } else { self.file };
        all.get(index(start & !OF_FILE)..).and_then(|rest| rest.get(..len)).unwrap_or_default()
    }

    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn stream(&mut self) -> Stream<'a> {
        Stream { bytes: self.bytes(), place: Place(index(self.number())) }
    }
}

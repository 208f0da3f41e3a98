//! Decodes into memory that JavaScript owns. Keeps its buffers between calls, so the memory of the
//! module grows once for many files of similar size.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;

use unspool::{Error, ErrorKind, Result};

use crate::js::Uint8Array;
use crate::number;

/// Buffers kept from call to call. Their content is undefined at the start of a call.
#[derive(Default)]
pub(crate) struct Room {
    pub bytes: Vec<u8>,
    pub words: Vec<u64>,
}

impl Room {
    /// Grows the buffers to at least this many bytes and words.
    pub(crate) fn extend(&mut self, bytes: usize, words: usize) {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }
}

/// Runs `work` with the buffers of the previous call.
pub(crate) fn with_room<T>(work: impl FnOnce(&mut Room) -> T) -> T {
    let mut room = ROOM.0.take();
    let done = work(&mut room);
    if room.bytes.capacity() <= KEPT {
        ROOM.0.set(room);
    }
    done
}

/// Larger buffers are freed after the call.
const KEPT: usize = 64 << 20;

/// A value that exists once in the module.
pub(crate) struct Only<T>(pub(crate) T);

// SAFETY: a module has one thread. A native build cannot reach it without an array of JavaScript's.
#[allow(unsafe_code)]
unsafe impl<T> Sync for Only<T> {}

static ROOM: Only<Cell<Room>> = Only(Cell::new(Room { bytes: vec![], words: vec![] }));

/// An output array of JavaScript's that is filled from its start, piece by piece.
pub(crate) struct Output<'a> {
    to: &'a Uint8Array,
    room: &'a mut Room,
    written: u32,
}

impl Output<'_> {
    /// Runs `fill` on the output. Returns the number of bytes written.
    pub(crate) fn fill(to: &Uint8Array, fill: impl FnOnce(&mut Output<'_>) -> Result<()>) -> Result<f64> {
        with_room(|room| {
            let mut output = Output { to, room, written: 0 };
            fill(&mut output)?;
            Ok(f64::from(output.written))
        })
    }

    /// Decodes the next `len` bytes to a buffer and copies them to the output. `decode` also gets a
    /// workspace of `words` words. `at` is the offset of the length field, for errors.
    pub(crate) fn piece(
        &mut self,
        len: u64,
        words: u64,
        at: u64,
        decode: impl FnOnce(&mut [u8], &mut [u64]) -> Result<()>,
    ) -> Result<()> {
        let end = u64::from(self.written).saturating_add(len);
        let Some(end) = u32::try_from(end).ok().filter(|&end| end <= self.to.length()) else {
            return Err(Error::new(ErrorKind::OutputTooSmall, at).needing(end));
        };
        let (len, words) = (number::index(len), number::index(words));
        self.room.extend(len, words);
        let Room { bytes, words } = &mut *self.room;
        let bytes = bytes.get_mut(..len).unwrap_or_default();
        decode(bytes, words)?;
        self.to.set(bytes, self.written);
        self.written = end;
        Ok(())
    }

    /// Decodes an unknown number of bytes, usually at most `most`. `decode` first gets a buffer of
    /// that size, then of the size it asks for or of the whole output.
    pub(crate) fn some(&mut self, most: usize, decode: impl Fn(&mut [u8]) -> Result<usize>) -> Result<()> {
        let all = number::index(self.to.length().saturating_sub(self.written).into());
        let mut len = most.min(all);
        let filled = loop {
            self.room.extend(len, 0);
            match decode(self.room.bytes.get_mut(..len).unwrap_or_default()) {
                Err(error) if error.kind == ErrorKind::OutputTooSmall && len < all => {
                    // Double at least: the error may know only about the next part.
                    let need = number::index(error.need);
                    len = if need == 0 { all } else { need.max(len.saturating_mul(2)).min(all) };
                }
                done => break done?,
            }
        };
        let bytes = self.room.bytes.get(..filled).unwrap_or_default();
        let end = self.written.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.to.set(bytes, self.written);
        self.written = end;
        Ok(())
    }
}

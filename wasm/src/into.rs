//! Decodes into memory that JavaScript owns. What that takes in between stays from one call to the next, so that a caller with
//! many files of about the same size makes the memory of the module grow just once.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;

use unspool::{Error, ErrorKind, Result};

use crate::js::Uint8Array;
use crate::number;

/// What stays.
#[derive(Default)]
struct Room {
    bytes: Vec<u8>,
    words: Vec<u64>,
}

/// More than this does not stay.
const KEPT: usize = 64 << 20;

/// What there is one of.
struct Only<T>(T);

// SAFETY: a module has one thread. Natively nobody can borrow it: that takes an array of JavaScript's.
#[allow(unsafe_code)]
unsafe impl<T> Sync for Only<T> {}

static ROOM: Only<Cell<Room>> = Only(Cell::new(Room { bytes: vec![], words: vec![] }));

/// An output of JavaScript's, of which the start is filled piece by piece.
pub(crate) struct Output<'a> {
    to: &'a Uint8Array,
    room: Room,
    written: u32,
}

impl Output<'_> {
    /// Runs `fill` on the output, and gives how many bytes were written.
    pub(crate) fn fill(to: &Uint8Array, fill: impl FnOnce(&mut Output<'_>) -> Result<()>) -> Result<f64> {
        let mut output = Output { to, room: ROOM.0.take(), written: 0 };
        let done = fill(&mut output);
        let Output { room, written, .. } = output;
        if room.bytes.capacity() <= KEPT {
            ROOM.0.set(room);
        }
        done.map(|()| f64::from(written))
    }

    /// Writes the next `len` bytes, for which `decode` gets room, and so many words besides. `at` is where the file says how
    /// many bytes there are.
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
        if self.room.bytes.len() < len {
            self.room.bytes.resize(len, 0);
        }
        if self.room.words.len() < words {
            self.room.words.resize(words, 0);
        }
        let Room { bytes, words } = &mut self.room;
        let bytes = bytes.get_mut(..len).unwrap_or_default();
        decode(bytes, words)?;
        self.to.set(bytes, self.written);
        self.written = end;
        Ok(())
    }

    /// Writes as many bytes as `decode` finds, which gets all the room there is.
    pub(crate) fn some(&mut self, decode: impl FnOnce(&mut [u8]) -> Result<usize>) -> Result<()> {
        let len = number::index(u64::from(self.to.length().saturating_sub(self.written)));
        if self.room.bytes.len() < len {
            self.room.bytes.resize(len, 0);
        }
        let bytes = self.room.bytes.get_mut(..len).unwrap_or_default();
        let filled = decode(bytes)?;
        let bytes = bytes.get(..filled).unwrap_or_default();
        let end = self.written.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.to.set(bytes, self.written);
        self.written = end;
        Ok(())
    }
}

//! Decodes into memory that JavaScript owns. What that takes in between stays from one call to the next, so that a caller with
//! many files of about the same size makes the memory of the module grow just once.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;

use unspool::{Error, ErrorKind, Result};

use crate::js::Uint8Array;
use crate::number;

/// What stays. Whatever is in it is from the call before.
#[derive(Default)]
pub(crate) struct Room {
    pub bytes: Vec<u8>,
    pub words: Vec<u64>,
}

impl Room {
    /// Makes it have so many bytes and words at least.
    pub(crate) fn extend(&mut self, bytes: usize, words: usize) {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }
}

/// Works with what stayed from the call before.
pub(crate) fn with_room<T>(work: impl FnOnce(&mut Room) -> T) -> T {
    let mut room = ROOM.0.take();
    let done = work(&mut room);
    if room.bytes.capacity() <= KEPT {
        ROOM.0.set(room);
    }
    done
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
    room: &'a mut Room,
    written: u32,
}

impl Output<'_> {
    /// Runs `fill` on the output, and gives how many bytes were written.
    pub(crate) fn fill(to: &Uint8Array, fill: impl FnOnce(&mut Output<'_>) -> Result<()>) -> Result<f64> {
        with_room(|room| {
            let mut output = Output { to, room, written: 0 };
            fill(&mut output)?;
            Ok(f64::from(output.written))
        })
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
        self.room.extend(len, words);
        let Room { bytes, words } = &mut *self.room;
        let bytes = bytes.get_mut(..len).unwrap_or_default();
        decode(bytes, words)?;
        self.to.set(bytes, self.written);
        self.written = end;
        Ok(())
    }

    /// Writes as many bytes as `decode` finds, which are hardly more than `most`. It gets room for those first, and then for what it says
    /// that it needs, or all there is.
    pub(crate) fn some(&mut self, most: usize, decode: impl Fn(&mut [u8]) -> Result<usize>) -> Result<()> {
        let all = number::index(self.to.length().saturating_sub(self.written).into());
        let mut len = most.min(all);
        let filled = loop {
            self.room.extend(len, 0);
            match decode(self.room.bytes.get_mut(..len).unwrap_or_default()) {
                Err(error) if error.kind == ErrorKind::OutputTooSmall && len < all => {
                    // Twice as much at least: it may know only of what comes next.
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

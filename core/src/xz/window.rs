//! The destination of decoded bytes: the caller's output, a ring in a stream's window, or none.

use super::header::{BlockHeader, RING};
use super::lzma::History;
use super::workspace::Workspace;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::step::flush_window;

/// The memory that bytes are decoded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// The whole output, which is the dictionary as well.
    Output,
    /// A ring of the bytes that matches may refer to. They leave before they are overwritten.
    Ring,
    /// None: nothing is decoded.
    None,
}

/// At most this many bytes are decoded before they are checked, and before they leave a ring: while
/// they are in the nearest cache.
const PIECE: usize = 16 << 10;

/// A destination, and how far it is filled.
#[derive(Debug)]
pub(super) struct Window<'a> {
    pub(super) storage: Storage,
    buf: &'a mut [u8],
    /// Index of the next byte.
    pub(super) at: usize,
    /// Index that matches reach back to at most, and that positions count from.
    base: usize,
    /// Bytes before this index have left, or are part of the check.
    flushed: usize,
    /// The ring was filled once since the dictionary was reset.
    lapped: bool,
    dictionary: usize,
    /// Bytes pass through filters before they are content.
    pub(super) filtered: bool,
}

impl<'a> Window<'a> {
    pub(super) fn new(storage: Storage, buf: &'a mut [u8]) -> Self {
        let whole = if storage == Storage::Ring { buf.len() - buf.len() % index(RING) } else { buf.len() };
        let buf = buf.get_mut(..whole).unwrap_or_default();
        Self { storage, buf, at: 0, base: 0, flushed: 0, lapped: false, dictionary: 0, filtered: false }
    }

    /// Starts a block, if its window fits and has at most `most` bytes.
    pub(super) fn start(&mut self, header: &BlockHeader, most: u64) -> Verdict<()> {
        self.dictionary = header.dictionary as usize;
        if self.storage == Storage::Ring {
            let need = header.window();
            if u64::from(header.dictionary).min(need) > most {
                return Err(Fault::new(ErrorKind::WindowLimit, 0));
            }
            if need > u64_from(self.buf.len()) {
                return Err(Fault::new(ErrorKind::XzWindowBuffer, 0));
            }
            self.dictionary = self.dictionary.min(self.buf.len());
        }
        self.reset();
        Ok(())
    }

    /// Empties the dictionary, after everything has left the ring.
    pub(super) fn reset(&mut self) {
        self.lapped = false;
        if self.storage == Storage::Ring {
            (self.at, self.flushed) = (0, 0);
        } else {
            self.base = self.at;
        }
    }

    /// Bytes that still fit in an output; a ring never runs out of them.
    pub(super) fn capacity(&self) -> u64 {
        match self.storage {
            Storage::Output => u64_from(self.buf.len().saturating_sub(self.at)),
            Storage::Ring | Storage::None => u64::MAX,
        }
    }

    /// The space for at most `want` bytes.
    pub(super) fn area(&mut self, want: usize) -> History<'_> {
        if self.storage == Storage::Ring && self.at >= self.buf.len() {
            (self.at, self.flushed, self.lapped) = (0, 0, true);
        }
        let buf = self.buf.get_mut(self.base..).unwrap_or_default();
        let at = self.at.saturating_sub(self.base);
        let limit = at.saturating_add(want.min(PIECE)).min(buf.len());
        History { buf, at, limit, lapped: self.lapped, dictionary: self.dictionary }
    }

    /// Returns the length of an output that is sound after an error: bytes that were decoded, and
    /// passed the filters.
    pub(super) fn salvaged(&mut self, workspace: &mut Workspace) -> usize {
        #[cfg(feature = "xz-filters")]
        if self.filtered {
            let part = self.buf.get_mut(self.flushed..self.at).unwrap_or_default();
            return self.flushed.saturating_add(workspace.pipeline.start_of(part));
        }
        let _ = workspace;
        self.at
    }

    /// Copies as many of these bytes as fit, and returns their number.
    pub(super) fn copy(&mut self, bytes: &[u8]) -> usize {
        if self.storage == Storage::None {
            return bytes.len();
        }
        let History { buf, at, limit, .. } = self.area(bytes.len());
        copy(bytes, buf.get_mut(at..limit).unwrap_or_default());
        let len = limit.saturating_sub(at);
        self.at += len;
        len
    }

    /// Moves bytes to the output and adds them to the check; `end` says that the block has no more.
    /// Returns whether all of them fitted.
    pub(super) fn flush(&mut self, end: bool, workspace: &mut Workspace, dst: &mut [u8], wrote: &mut usize) -> bool {
        match self.storage {
            Storage::None => true,
            Storage::Output => {
                if self.filtered && !end {
                    return true;
                }
                let block = self.buf.get_mut(self.flushed..self.at).unwrap_or_default();
                #[cfg(feature = "xz-filters")]
                if self.filtered {
                    workspace.pipeline.whole(block);
                }
                workspace.check.update(block);
                self.flushed = self.at;
                true
            }
            Storage::Ring => {
                let (start, flushed) = (*wrote, &mut self.flushed);
                #[cfg(feature = "xz-filters")]
                let all = if self.filtered {
                    workspace.pipeline.pump(self.buf, flushed, self.at, end, dst, wrote)
                } else {
                    flush_window(self.buf, flushed, self.at, dst, wrote)
                };
                #[cfg(not(feature = "xz-filters"))]
                let all = flush_window(self.buf, flushed, self.at, dst, wrote);
                workspace.check.update(dst.get(start..*wrote).unwrap_or_default());
                all
            }
        }
    }
}

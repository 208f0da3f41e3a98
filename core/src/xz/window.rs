//! The window of a stream: a ring of the bytes that matches may refer to.

use super::header::{BlockHeader, RING};
use super::lzma::Area;
use super::workspace::Workspace;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, index_of, u64_from};
use crate::step::flush_window;

/// At most this many bytes are decoded before they leave the ring and are checked: while they are
/// in the nearest cache.
const PIECE: usize = 16 << 10;

/// A ring, and how far it is filled. Bytes leave before they are overwritten.
#[derive(Debug)]
pub(super) struct Window<'a> {
    buf: &'a mut [u8],
    /// Index of the next byte.
    pub(super) at: usize,
    /// Bytes before this index have left.
    flushed: usize,
    /// The ring was filled once since the dictionary was reset.
    lapped: bool,
    pub(super) dictionary: usize,
    /// Bytes pass through filters before they are content.
    pub(super) filtered: bool,
}

/// The position in a window that is lent for one call at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    at: usize,
    lapped: bool,
    dictionary: usize,
}

impl Place {
    pub(super) const START: Self = Self { at: 0, lapped: false, dictionary: 0 };
}

impl<'a> Window<'a> {
    pub(super) fn new(buf: &'a mut [u8]) -> Self {
        let whole = buf.len() - buf.len() % index_of(RING);
        let buf = buf.get_mut(..whole).unwrap_or_default();
        Self { buf, at: 0, flushed: 0, lapped: false, dictionary: 0, filtered: false }
    }

    /// A window that is lent again. What it holds has left.
    pub(super) fn resume(buf: &'a mut [u8], Place { at, lapped, dictionary }: Place) -> Self {
        Self { at, flushed: at, lapped, dictionary, ..Self::new(buf) }
    }

    /// Returns the position at which the next call goes on.
    pub(super) const fn pause(&self) -> Place {
        Place { at: self.at, lapped: self.lapped, dictionary: self.dictionary }
    }

    /// The index of the next byte. Its low bits are those of the position in the dictionary.
    pub(super) const fn position(&self) -> usize {
        if self.at < self.buf.len() { self.at } else { 0 }
    }

    /// The last byte.
    pub(super) fn last(&self) -> u8 {
        self.buf.get(self.at.wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// An output that takes the whole content, of which `at` bytes are present, and is its own
    /// dictionary. Nothing leaves it.
    #[cfg(feature = "lzma")]
    pub(super) fn flat(buf: &'a mut [u8], at: usize, dictionary: u32) -> Self {
        Self { buf, at, flushed: at, lapped: false, dictionary: index(dictionary.into()), filtered: false }
    }

    /// Bytes from the next one to the end of the buffer.
    #[cfg(feature = "lzma")]
    pub(super) fn room(&self) -> usize {
        self.buf.len().saturating_sub(self.at)
    }

    /// Starts a block, if its window fits and has at most `most` bytes.
    pub(super) fn start(&mut self, header: &BlockHeader, most: u64) -> Verdict<()> {
        let need = header.window_within(most).ok_or(Fault::new(ErrorKind::WindowLimit, 0))?;
        if need > u64_from(self.buf.len()) {
            return Err(Fault::new(ErrorKind::XzWindowBuffer, 0));
        }
        self.dictionary = (header.dictionary as usize).min(self.buf.len());
        self.reset();
        Ok(())
    }

    /// Empties the dictionary, after everything has left the ring.
    pub(super) fn reset(&mut self) {
        (self.at, self.flushed, self.lapped) = (0, 0, false);
    }

    /// The space for at most `want` bytes, and whether the ring was filled once.
    pub(super) fn area(&mut self, want: usize) -> (Area<'_>, bool) {
        if self.at >= self.buf.len() {
            (self.at, self.flushed, self.lapped) = (0, 0, true);
        }
        let limit = self.at.saturating_add(want.min(PIECE)).min(self.buf.len());
        (Area { buf: self.buf, at: self.at, limit, dictionary: self.dictionary }, self.lapped)
    }

    /// Copies as many of these bytes as fit, and returns their number.
    pub(super) fn copy(&mut self, bytes: &[u8]) -> usize {
        let (Area { buf, at, limit, .. }, _) = self.area(bytes.len());
        copy(bytes, buf.get_mut(at..limit).unwrap_or_default());
        let len = limit.saturating_sub(at);
        self.at += len;
        len
    }

    /// Moves bytes to the output and adds them to the check; `end` says that the block has no more.
    /// Returns whether all of them fitted.
    pub(super) fn flush(&mut self, end: bool, workspace: &mut Workspace, dst: &mut [u8], wrote: &mut usize) -> bool {
        let start = *wrote;
        #[cfg(feature = "xz-filters")]
        let all = if self.filtered {
            let ring = (&*self.buf, &mut self.flushed, self.at);
            workspace.pipeline.pump(&mut workspace.tables.filters, ring, end, dst, wrote)
        } else {
            flush_window(self.buf, &mut self.flushed, self.at, dst, wrote)
        };
        #[cfg(not(feature = "xz-filters"))]
        let all = {
            let _ = end;
            flush_window(self.buf, &mut self.flushed, self.at, dst, wrote)
        };
        workspace.tables.check.update(dst.get(start..*wrote).unwrap_or_default());
        all
    }
}

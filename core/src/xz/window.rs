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

#[cfg(test)]
mod tests {
    use super::super::lzma::History;
    use super::*;

    /// A byte of the content that differs from those nearby.
    fn byte(i: usize) -> u8 {
        (i * 167 + i / 256) as u8
    }

    /// A stream, and all of its bytes.
    struct Model<'a> {
        window: Window<'a>,
        all: &'a mut Vec<u8>,
    }

    impl Model<'_> {
        /// Copies a match as the decoder does: what does not fit follows at the start of the ring.
        fn repeat(&mut self, distance: usize, len: usize, mut want: usize) {
            let mut left = len;
            while left > 0 {
                let (area, lapped) = self.window.area(want);
                let copied = Some(lapped).copy(area.buf, area.at, distance, left, area.limit);
                assert!(copied > 0 && copied <= left && area.at + copied <= area.limit);
                self.window.at += copied;
                (left, want) = (left - copied, want - copied);
            }
            (0..len).for_each(|_| self.all.push(self.all[self.all.len() - distance]));
        }

        /// Compares everything that a match may refer to.
        fn check(&mut self, dictionary: usize) {
            assert_eq!(self.window.last(), self.all[self.all.len() - 1]);
            assert_eq!(self.window.position() % 16, self.all.len() % 16);
            let (area, lapped) = self.window.area(0);
            for (distance, expected) in (1..=dictionary).zip(self.all.iter().rev()) {
                assert_eq!(Some(lapped).byte(area.buf, area.at, distance), *expected, "{distance} before");
            }
        }
    }

    #[test]
    fn every_match_after_every_byte_copies_from_the_dictionary() {
        let mut matches = 0;
        for (dictionary, more) in [(1, 0), (7, 16), (16, 0), (33, 0)] {
            let header = BlockHeader { dictionary, ..BlockHeader::EMPTY };
            let (dictionary, mut ring) = (index(dictionary.into()), vec![0xEE; index(header.window()) + more]);
            let mut window = Window::new(&mut ring);
            window.start(&header, u64::MAX).unwrap();
            let mut place = window.pause();
            let (mut all, mut copy) = (vec![], ring.clone());
            // Two laps.
            for before in 1..=2 * ring.len() {
                let mut window = Window::resume(&mut ring, place);
                assert_eq!(window.copy(&[byte(before - 1)]), 1);
                place = window.pause();
                for distance in 1..=dictionary.min(before) {
                    for len in (1..=34).chain([64, 273]) {
                        // A chunk that ends with the match, and one with more.
                        for want in [len, len + 400] {
                            all.truncate(before - 1);
                            all.push(byte(before - 1));
                            copy.copy_from_slice(&ring);
                            let mut model = Model { window: Window::resume(&mut copy, place), all: &mut all };
                            model.repeat(distance, len, want);
                            model.check(dictionary);
                            matches += 1;
                        }
                    }
                }
            }
        }
        assert!(matches > 500_000, "{matches}");
    }

    #[test]
    fn bytes_leave_a_window_of_every_size_in_order() {
        let mut workspace = Workspace::new();
        for size in [16, 32, 48] {
            let all: Vec<_> = (0..3 * size + 5).map(byte).collect();
            for (piece, room) in (1..size + 3).flat_map(|piece| (1..size + 3).map(move |room| (piece, room))) {
                let mut ring = vec![0; size];
                let (mut window, mut out, mut read) = (Window::new(&mut ring), Vec::new(), 0);
                while read < all.len() {
                    let copied = window.copy(&all[read..all.len().min(read + piece)]);
                    assert!((1..=piece).contains(&copied));
                    read += copied;
                    while out.len() < read {
                        let (mut dst, mut wrote) = (vec![0; room], 0);
                        let end = window.flush(read == all.len(), &mut workspace, &mut dst, &mut wrote);
                        assert_eq!(wrote, room.min(read - out.len()));
                        out.extend_from_slice(&dst[..wrote]);
                        assert_eq!(end, out.len() == read, "pieces of {piece} and {room}");
                    }
                }
                assert!(out == all, "pieces of {piece} and {room}");
            }
        }
    }

    #[test]
    fn blocks_start_in_every_window_that_is_large_enough() {
        let contents = [None, Some(0), Some(50)];
        for len in 0..100 {
            for (dictionary, content) in (0..70).flat_map(|size| contents.map(|content| (size, content))) {
                let header = BlockHeader { dictionary, uncompressed: content, ..BlockHeader::EMPTY };
                let mut ring = vec![0; len];
                let mut window = Window::new(&mut ring);
                assert_eq!(window.buf.len(), len / 16 * 16);
                let reach = content.unwrap_or(u64::MAX).min(u64::from(dictionary) + 32);
                let found = window.start(&header, 1000).map_err(|fault| fault.kind);
                assert_eq!(found.is_ok(), len as u64 / 16 >= reach.div_ceil(16), "{header:?} in {len}");
                assert!(found.is_ok() || found == Err(ErrorKind::XzWindowBuffer));
                assert!(window.dictionary <= window.buf.len());
            }
        }
    }
}

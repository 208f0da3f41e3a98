//! Where decoded bytes go: the caller's output itself, a ring that a stream is decoded through, or nowhere.

use super::header::{BlockHeader, RING};
use super::lzma::Area;
use super::workspace::Workspace;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};

/// What kind of place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The whole output lies here, so that it is the dictionary as well.
    Output,
    /// As much as matches may refer to lies here, and leaves before it is overwritten.
    Ring,
    /// Nothing is decoded.
    Nowhere,
}

/// So much is decoded before it is checked, and before it leaves a ring: as long as it is in the nearest cache.
const PIECE: usize = 16 << 10;

/// The place, and how far it is filled.
#[derive(Debug)]
pub(super) struct Window<'a> {
    pub(super) kind: Kind,
    buf: &'a mut [u8],
    /// The next byte goes here.
    pub(super) at: usize,
    /// Matches reach back to here at most; positions count from here.
    base: usize,
    /// What is before this has left, or has been checked.
    flushed: usize,
    /// Whether the ring has been filled once since the dictionary was reset.
    lapped: bool,
    dictionary: usize,
    /// Whether bytes pass filters before they are what the file holds.
    filtered: bool,
}

impl<'a> Window<'a> {
    pub(super) fn new(kind: Kind, buf: &'a mut [u8]) -> Self {
        let whole = if kind == Kind::Ring { buf.len() - buf.len() % index(RING) } else { buf.len() };
        let buf = buf.get_mut(..whole).unwrap_or_default();
        Self { kind, buf, at: 0, base: 0, flushed: 0, lapped: false, dictionary: 0, filtered: false }
    }

    /// Starts a block, if its window is there and has at most `most` bytes.
    pub(super) fn start(&mut self, header: &BlockHeader, workspace: &mut Workspace, most: u64) -> Verdict<()> {
        self.dictionary = header.dictionary as usize;
        if self.kind == Kind::Ring {
            let need = header.window();
            if u64::from(header.dictionary).min(need) > most {
                return Err(Fault::new(ErrorKind::WindowLimit, 0));
            }
            if need > u64_from(self.buf.len()) {
                return Err(Fault::new(ErrorKind::XzWindowBuffer, 0));
            }
            self.dictionary = self.dictionary.min(self.buf.len());
        }
        #[cfg(feature = "xz-filters")]
        {
            self.filtered = header.filters.iter().any(Option::is_some);
            workspace.pipeline.start(&header.filters);
        }
        #[cfg(not(feature = "xz-filters"))]
        let _ = workspace;
        self.reset();
        Ok(())
    }

    /// The dictionary is empty from here on. Everything has left the ring.
    pub(super) fn reset(&mut self) {
        self.lapped = false;
        if self.kind == Kind::Ring {
            (self.at, self.flushed) = (0, 0);
        } else {
            self.base = self.at;
        }
    }

    /// How many bytes an output has room for; a ring always has some.
    pub(super) fn room(&self) -> u64 {
        match self.kind {
            Kind::Output => u64_from(self.buf.len().saturating_sub(self.at)),
            Kind::Ring | Kind::Nowhere => u64::MAX,
        }
    }

    /// The place for `want` bytes or less.
    pub(super) fn area(&mut self, want: usize) -> Area<'_> {
        if self.kind == Kind::Ring && self.at >= self.buf.len() {
            (self.at, self.flushed, self.lapped) = (0, 0, true);
        }
        let buf = self.buf.get_mut(self.base..).unwrap_or_default();
        let at = self.at.saturating_sub(self.base);
        let limit = at.saturating_add(want.min(PIECE)).min(buf.len());
        Area { buf, at, limit, lapped: self.lapped, dictionary: self.dictionary }
    }

    /// Returns how much of an output is sound after an error: what was decoded, and has passed the filters.
    pub(super) fn salvaged(&mut self, workspace: &mut Workspace) -> usize {
        #[cfg(feature = "xz-filters")]
        if self.filtered {
            let part = self.buf.get_mut(self.flushed..self.at).unwrap_or_default();
            return self.flushed.saturating_add(workspace.pipeline.start_of(part));
        }
        let _ = workspace;
        self.at
    }

    /// So many bytes were written to the area.
    pub(super) fn wrote(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
    }

    /// Copies as many of these bytes as there is room for, and says how many.
    pub(super) fn copy(&mut self, bytes: &[u8]) -> usize {
        if self.kind == Kind::Nowhere {
            return bytes.len();
        }
        let Area { buf, at, limit, .. } = self.area(bytes.len());
        copy(bytes, buf.get_mut(at..limit).unwrap_or_default());
        let len = limit.saturating_sub(at);
        self.wrote(len);
        len
    }

    /// Gives bytes away and adds them to the check; `end` says that the block has no more. False if some could not leave yet.
    pub(super) fn flush(&mut self, end: bool, workspace: &mut Workspace, dst: &mut [u8], wrote: &mut usize) -> bool {
        match self.kind {
            Kind::Nowhere => true,
            Kind::Output => {
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
            Kind::Ring => {
                let ready = self.buf.get(self.flushed..self.at).unwrap_or_default();
                let room = dst.get_mut(*wrote..).unwrap_or_default();
                let (taken, put) = pass(ready, end, room, self.filtered, workspace);
                workspace.check.update(room.get(..put).unwrap_or_default());
                self.flushed += taken;
                *wrote += put;
                self.flushed >= self.at && !(self.filtered && waiting(end, workspace))
            }
        }
    }
}

/// Moves bytes from the ring to the output. Says how many were taken and put.
fn pass(ready: &[u8], end: bool, room: &mut [u8], filtered: bool, workspace: &mut Workspace) -> (usize, usize) {
    #[cfg(feature = "xz-filters")]
    if filtered {
        return workspace.pipeline.pump(ready, end, room);
    }
    let _ = (end, filtered, workspace);
    let len = ready.len().min(room.len());
    copy(ready.get(..len).unwrap_or_default(), room);
    (len, len)
}

/// Whether bytes that left the ring wait for room in the output.
fn waiting(end: bool, workspace: &Workspace) -> bool {
    #[cfg(feature = "xz-filters")]
    return workspace.pipeline.waits(end);
    #[cfg(not(feature = "xz-filters"))]
    {
        let _ = (end, workspace);
        false
    }
}

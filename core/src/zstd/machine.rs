//! The decoder of every door: it walks over frames and blocks, decodes each block, and checks
//! limits and checksums.
//!
//! Decoding in one piece, streams, decoding in place, counting and inspection all drive this
//! machine. They differ in how much of the input they hold, and in the [`Output`] of each step.

use core::ops::Range;

use super::block::{Direct, Frame, Output};
use super::flavour::{BlockHeader, BlockKind, Flavour};
use super::header::cut;
use super::options::Options;
use super::seek_table;
use super::walk::{BLOCK_HEADER, CHECKSUM, Upcoming};
use super::workspace::Workspace;
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::tuning::XXH64;
use crate::{Done, Error, ErrorKind, Name, Trace, Value, Verify};

/// The purpose of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The content, in one piece.
    Content,
    /// A stream, which keeps a window.
    Stream,
    /// The length of the content.
    Length,
    /// The structure, which needs no dictionary.
    Structure,
}

/// The state of a decoder, apart from the workspace and the output.
#[derive(Clone, Debug)]
pub(super) struct Machine<'d> {
    pub(super) frame: Frame<'d>,
    purpose: Purpose,
    verify: Verify,
    /// Most bytes that the output holds in all.
    room: u64,
    max_window: u64,
    max_output: u64,
    pub(super) done: Done,
    /// The amount that would have been enough, if the last fault has one.
    need: u64,
}

impl<'d> Machine<'d> {
    /// Returns a machine at the start of a file, for an output that holds `room` bytes.
    // It fills the caller's memory. Inlined, it would be on the stack twice.
    #[inline(never)]
    pub(super) fn new(options: &Options<'d>, flavour: Flavour, purpose: Purpose, room: u64) -> Self {
        Self {
            frame: Frame::new(flavour, options.magicless, options.dictionary),
            purpose,
            verify: options.verify,
            room,
            max_window: options.limits.max_window,
            max_output: options.limits.max_output,
            done: Done::default(),
            need: 0,
        }
    }

    /// Reads the next field: a header, the content of a block, or a checksum. It starts at `at` of
    /// `src`; returns where it ends.
    ///
    /// If a header or a checksum is truncated, nothing has changed: the caller can repeat the step
    /// with more input.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn step<T: Trace>(
        &mut self,
        src: &[u8],
        at: usize,
        output: &mut impl Output,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<usize> {
        match self.frame.walk.next {
            Upcoming::Frame => self.start_frame(src, at, workspace, trace),
            Upcoming::Skippable(size) => {
                let end = at.saturating_add(size as usize);
                if end > src.len() {
                    return Err(cut(src));
                }
                if T::LISTENS {
                    seek_table::trace_skippable(src, at..end, trace);
                }
                self.frame.walk.next = Upcoming::Frame;
                trace.leave();
                Ok(end)
            }
            Upcoming::BlockHeader => {
                let block = self.frame.walk.block(src, at, trace)?;
                if block.kind == BlockKind::End {
                    self.end_frame(block.size, at, trace)?;
                }
                Ok(at + BLOCK_HEADER)
            }
            Upcoming::Content(block) => {
                let end = at + block.stored();
                self.content(block, src, at..end, output, workspace, trace)?;
                trace.leave();
                self.frame.walk.after_content(block);
                if self.frame.walk.is_between_frames() {
                    self.end_frame(0, end, trace)?;
                }
                Ok(end)
            }
            Upcoming::Checksum => {
                let stored = self.frame.walk.checksum(src, at, trace)?;
                self.end_frame(stored, at, trace)?;
                Ok(at + CHECKSUM)
            }
        }
    }

    /// Returns whether there is no content, so that there is no hash to compare.
    const fn is_blind(&self) -> bool {
        matches!(self.purpose, Purpose::Length | Purpose::Structure)
    }

    /// Returns the output of the next step, in a slice that starts with the content of the file.
    pub(super) fn output<'a>(&self, dst: &'a mut [u8]) -> Direct<'a> {
        let at = index(self.frame.produced);
        let out = self.done.wrote.checked_sub(at).and_then(|start| dst.get_mut(start..)).unwrap_or_default();
        Direct::Slice { before: None, out, at }
    }

    /// Turns a fault of the last step into an error. The slice of that step starts at `base` in the
    /// file.
    #[cold]
    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn error(&self, fault: Fault, base: u64) -> Error {
        Error::from(fault).offset_by(base).needing(self.need)
    }

    /// Reads the header of a frame and compares its claims with the limits before any of it is
    /// decoded.
    #[cfg_attr(feature = "small", inline(never))]
    fn start_frame<T: Trace>(
        &mut self,
        src: &[u8],
        at: usize,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<usize> {
        trace.enter(Name::Frame, Value::U64(self.done.parts));
        let end = self.frame.walk.frame(src, at, trace)?;
        if let Upcoming::Skippable(_) = self.frame.walk.next {
            return Ok(end);
        }
        let header = self.frame.walk.header;
        let allowed = header.check(self.max_window, self.max_output, self.done.content);
        allowed.or_else(|error| self.wants(error.kind, at, error.need))?;
        // A frame in a single segment is its own window, which a stream must keep.
        if self.purpose == Purpose::Stream && header.window > self.max_window {
            return self.wants(ErrorKind::WindowLimit, at, header.window);
        }
        if !self.frame.start(workspace) {
            if self.purpose != Purpose::Structure {
                return self.wants(ErrorKind::ZstdDictionaryWanted, at, header.dictionary_id.into());
            }
            self.frame.go_blind(workspace);
        }
        if !XXH64 && header.checksum && self.verify == Verify::Refuse {
            return Err(Fault::new(ErrorKind::ZstdChecksumKind, at));
        }
        let content = self.done.content.saturating_add(header.content_size.unwrap_or(0));
        if content > self.room {
            return self.wants(ErrorKind::OutputTooSmall, at, content);
        }
        self.frame.hash.start(XXH64 && header.checksum && self.verify != Verify::Skip);
        self.done.window = self.done.window.max(header.window);
        Ok(end)
    }

    /// Decodes the block whose content is in this range.
    #[cfg_attr(feature = "small", inline(never))]
    fn content<T: Trace>(
        &mut self,
        block: BlockHeader,
        src: &[u8],
        range: Range<usize>,
        output: &mut impl Output,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<()> {
        let start = range.start;
        let len = self.frame.block(block, src, range, workspace, output, trace)?;
        self.frame.produced += u64_from(len);
        self.done.content += u64_from(len);
        if !self.is_blind() {
            self.done.wrote = index(self.done.content);
        }
        if self.done.content > self.max_output {
            return self.wants(ErrorKind::OutputLimit, start, self.done.content);
        }
        self.done.blocks += 1;
        Ok(())
    }

    /// Compares a complete frame with its content size, and with the checksum at `at` if it has
    /// one.
    fn end_frame<T: Trace>(&mut self, stored: u32, at: usize, trace: &mut T) -> Verdict<()> {
        self.frame.check_size(at)?;
        let Frame { hash, walk, .. } = &self.frame;
        if XXH64 && hash.is_wanted {
            let matches = self.is_blind() || walk.flavour.checksum_of(hash.value.value()) == stored;
            self.done.checksums.count(matches, self.verify, ErrorKind::ZstdChecksum, at)?;
        } else {
            self.done.checksums.unchecked += 1;
        }
        self.done.parts += 1;
        trace.leave();
        Ok(())
    }

    /// Returns a fault whose error says that `need` would be enough.
    #[cold]
    fn wants<R>(&mut self, kind: ErrorKind, at: usize, need: u64) -> Verdict<R> {
        self.need = need;
        Err(Fault::new(kind, at))
    }
}

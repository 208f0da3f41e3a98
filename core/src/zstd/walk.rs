//! The walk over the frames and blocks of a file.
//!
//! One state machine reads every header and checksum, and knows which field comes next. Decoders,
//! the outline, the detection of the format and the calls that size buffers all drive it. They
//! differ in what they do with the content of a block.

use super::flavour::{BlockHeader, BlockKind, Flavour};
use super::header::{FrameHeader, cut, emit_field};
use crate::fault::Verdict;
use crate::{Name, Part, Trace, Value};

/// Bytes of the header of a skippable frame.
pub(super) const SKIPPABLE_HEADER: usize = 8;

/// Bytes of a block header.
pub(super) const BLOCK_HEADER: usize = 3;

/// Bytes of the checksum after the last block.
pub(super) const CHECKSUM: usize = 4;

/// The next field of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Upcoming {
    /// A frame header, or the end of the file.
    Frame,
    /// The content of a skippable frame.
    Skippable(u32),
    /// A block header.
    BlockHeader,
    /// The content of a block.
    Content(BlockHeader),
    /// The checksum after the last block.
    Checksum,
}

/// The state of a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) flavour: Flavour,
    magicless: bool,
    pub(super) next: Upcoming,
    /// The header of the current frame.
    pub(super) header: FrameHeader,
}

impl Walk {
    /// Returns a walk at the start of a file.
    pub(super) const fn new(flavour: Flavour, magicless: bool) -> Self {
        Self { flavour, magicless, next: Upcoming::Frame, header: FrameHeader::NONE }
    }

    /// Returns whether the walk is before the first frame or after a frame.
    pub(super) const fn is_between_frames(&self) -> bool {
        matches!(self.next, Upcoming::Frame)
    }

    /// Reads the frame header at `at`; returns where it ends. If it is truncated, nothing has
    /// changed.
    pub(super) fn frame<T: Trace>(&mut self, src: &[u8], at: usize, trace: &mut T) -> Verdict<usize> {
        let skippable = self.header.read_at(src, at, self.flavour, self.magicless, trace)?;
        if let Some(size) = skippable {
            self.next = Upcoming::Skippable(size);
            return Ok(at + SKIPPABLE_HEADER);
        }
        self.next = Upcoming::BlockHeader;
        Ok(at + self.header.len)
    }

    /// Reads the block header at `at`, [`BLOCK_HEADER`] bytes. If it is truncated, nothing has
    /// changed.
    pub(super) fn block<T: Trace>(&mut self, src: &[u8], at: usize, trace: &mut T) -> Verdict<BlockHeader> {
        let bytes = src.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(|| cut(src))?;
        let block = self.flavour.block(*bytes);
        block.check(self.flavour, &self.header, at)?;
        let kind = Value::Word(block.kind.name());
        let (part, name, value) = match block.kind {
            BlockKind::End if self.header.checksum => {
                (Part::Checksum, Name::EndBlockWithChecksum, Value::Hex(block.size.into()))
            }
            BlockKind::End => (Part::Framing, Name::EndBlock, Value::None),
            _ => (Part::Framing, Name::BlockHeader, kind),
        };
        if block.kind == BlockKind::End {
            self.next = Upcoming::Frame;
        } else {
            trace.enter(Name::Block, kind);
            self.next = Upcoming::Content(block);
        }
        emit_field(trace, part, name, at..at + BLOCK_HEADER, value);
        Ok(block)
    }

    /// Moves past the content of a block.
    pub(super) const fn after_content(&mut self, block: BlockHeader) {
        self.next = match (block.last, self.header.checksum) {
            (false, _) => Upcoming::BlockHeader,
            (true, true) => Upcoming::Checksum,
            (true, false) => Upcoming::Frame,
        };
    }

    /// Reads the checksum at `at`, [`CHECKSUM`] bytes. If it is truncated, nothing has changed.
    pub(super) fn checksum<T: Trace>(&mut self, src: &[u8], at: usize, trace: &mut T) -> Verdict<u32> {
        let bytes = src.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(|| cut(src))?;
        let stored = u32::from_le_bytes(*bytes);
        emit_field(trace, Part::Checksum, Name::Checksum, at..at + CHECKSUM, Value::Hex(stored.into()));
        self.next = Upcoming::Frame;
        Ok(stored)
    }
}

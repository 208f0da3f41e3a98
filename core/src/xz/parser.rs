//! The state of a parser that reads a file piece by piece, field by field, and what every part of it needs.
//!
//! [`chunk`](super::chunk) and [`walk`](super::walk) add what reads the format.

use super::check::CheckKind;
use super::header::{BlockHeader, StreamFlags};
use super::number::Number;
use super::options::{Options, Streams};
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{Checksums, Done, Error, ErrorKind, Name, Part, Trace, Value, Verify};

/// What the next bytes of the input are.
#[derive(Clone, Debug)]
pub(super) enum State {
    StreamHeader,
    /// The first byte of a block header, or the zero that starts the index.
    BlockStart,
    BlockHeader(usize),
    /// None yet: a block whose header was read starts once the window is large enough.
    Window,
    Control,
    /// The rest of a chunk's header, behind the control byte.
    ChunkHeader(u8),
    /// Bytes as they are.
    Copy,
    Lzma,
    /// The range coder may want one byte more.
    LzmaEnd,
    BlockPadding(usize),
    Check(usize),
    Index,
    IndexPadding(usize),
    IndexCrc,
    Footer,
    /// Between streams, or behind the last.
    Between,
}

/// A block while it is read.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) header: BlockHeader,
    /// Offset of its first chunk.
    pub(super) data: u64,
    /// The length of all its chunks, once they are read.
    pub(super) compressed: u64,
    /// How many bytes its chunks hold, up to and with the one that is being read.
    pub(super) content: u64,
}

/// The index while it is read.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) start: u64,
    pub(super) crc: Crc32,
    /// The number of records, once it is known.
    pub(super) count: Option<u64>,
    /// The first number of a record whose second is to come.
    pub(super) unpadded: Option<u64>,
    pub(super) number: Number,
}

/// The chunk that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    /// Bytes of its data that are not used up.
    pub(super) input: usize,
    /// Bytes that it still decodes to.
    pub(super) output: usize,
}

/// How an advance ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    /// There may be more to do at once.
    On,
    /// Nothing can be done without more input.
    Starved,
    /// The file may end here, if the input does.
    MayEnd,
    /// The file is over.
    Done,
}

/// The state of a parser, apart from the workspace and the window.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    /// What is needed of the options. A copy of all of them would be the largest thing in the frame of a small device.
    pub(super) max_output: u64,
    pub(super) max_window: u64,
    pub(super) max_header: u64,
    pub(super) verify: Verify,
    pub(super) wanted: Streams,
    pub(super) state: State,
    /// Offset of the next byte that is not used up. Faults count from here, forwards or, by wrapping around, backwards.
    pub(super) at: u64,
    /// What the content comes to with what was announced last.
    pub(super) announced: u64,
    /// How much of a field is gathered in the workspace.
    pub(super) gathered: usize,
    pub(super) streams: u64,
    pub(super) blocks: u64,
    pub(super) checksums: Checksums,
    /// The largest window that a block asks for.
    pub(super) window: u64,
    pub(super) produced: u64,
    pub(super) flags: StreamFlags,
    pub(super) block: Block,
    pub(super) chunk: Chunk,
    /// Whether the next chunk must reset the dictionary, or bring properties.
    pub(super) wants_dictionary: bool,
    pub(super) wants_properties: bool,
    /// Whether one block is all there is.
    pub(super) lone: bool,
    pub(super) index: Index,
    /// Zeros after the last stream.
    pub(super) padding: u64,
}

/// Shorter than any block: what a parser holds before its first.
pub(super) const NO_BLOCK: Block = Block {
    header: BlockHeader {
        len: 0,
        compressed: None,
        uncompressed: None,
        dictionary: 0,
        #[cfg(feature = "xz-filters")]
        filters: [None; 3],
    },
    data: 0,
    compressed: 0,
    content: 0,
};

impl Parser {
    /// A parser at the start of a file.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn new(options: &Options) -> Self {
        Self {
            max_output: options.limits.max_output,
            max_window: options.limits.max_window,
            max_header: options.limits.max_header,
            verify: options.verify,
            wanted: options.streams,
            state: State::StreamHeader,
            at: 0,
            announced: 0,
            gathered: 0,
            streams: 0,
            blocks: 0,
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
            window: 0,
            produced: 0,
            flags: StreamFlags([0; 2]),
            block: NO_BLOCK,
            chunk: Chunk { input: 0, output: 0 },
            wants_dictionary: true,
            wants_properties: true,
            lone: false,
            index: Index::new(0),
            padding: 0,
        }
    }

    /// Expects one block of a file and nothing else, which starts at `at`.
    pub(super) fn expect_block(&mut self, check: CheckKind, at: u64, workspace: &mut Workspace) {
        workspace.seen.clear();
        (self.at, self.flags) = (at, StreamFlags([0, check.id()]));
        (self.lone, self.state) = (true, State::BlockStart);
    }

    /// What there is to say of the file at its end.
    pub(super) fn done(&self, read: usize, to: &Window<'_>) -> Done {
        let content = self.produced;
        let wrote = if to.kind == Kind::Nowhere { 0 } else { index(content) };
        let (parts, blocks, window, checksums) = (self.streams, self.blocks, self.window, self.checksums);
        Done { read, wrote, content, parts, blocks, window, checksums }
    }

    /// Turns a fault into an error: counts its place from the start of the file, and adds how much would have been enough.
    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, fault: Fault) -> Error {
        let at = self.at.wrapping_add_signed(fault.at.cast_signed() as i64);
        Error::new(fault.kind, at).needing(match fault.kind {
            ErrorKind::OutputLimit | ErrorKind::OutputTooSmall => self.announced,
            ErrorKind::WindowLimit | ErrorKind::XzWindowBuffer => self.block.header.window(),
            ErrorKind::HeaderLimit => at.saturating_sub(self.index.start).saturating_add(1),
            _ => 0,
        })
    }

    /// Moves past `len` bytes of the input.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn skip(&mut self, len: usize) {
        self.at += u64_from(len);
    }

    /// Returns the next `len` bytes once they are all there, at most as many as a block header has. They count as used once they are
    /// [skipped](Self::skip).
    pub(super) fn take<'w, 's: 'w>(&mut self, src: &mut &'s [u8], len: usize, head: &'w mut [u8]) -> Option<&'w [u8]> {
        if self.gathered == 0
            && let Some((bytes, rest)) = src.split_at_checked(len)
        {
            *src = rest;
            return Some(bytes);
        }
        let room = head.get_mut(self.gathered..len).unwrap_or_default();
        copy(src, room);
        let more = room.len().min(src.len());
        *src = src.get(more..).unwrap_or_default();
        self.gathered += more;
        if self.gathered < len {
            return None;
        }
        self.gathered = 0;
        head.get(..len)
    }

    /// Emits a field of `len` bytes that starts at the next byte.
    pub(super) fn emit<T: Trace>(&self, trace: &mut T, part: Part, name: Name, len: usize, value: Value<'_>) {
        if T::LISTENS && len > 0 {
            trace.bytes(part, name, self.at..self.at + u64_from(len), value);
        }
    }

    /// Refuses `len` bytes of content more if the limit or the output does not allow them.
    pub(super) fn announce(&mut self, len: u64, window: &Window<'_>) -> Verdict<()> {
        self.announced = self.produced.saturating_add(len);
        if self.announced > self.max_output {
            return Err(Fault::new(ErrorKind::OutputLimit, 0));
        }
        if len > window.room() {
            return Err(Fault::new(ErrorKind::OutputTooSmall, 0));
        }
        Ok(())
    }
}

impl Index {
    /// An index that starts here, of which nothing is read yet.
    pub(super) fn new(start: u64) -> Self {
        Self { start, crc: Crc32::new(), count: None, unpadded: None, number: Number::default() }
    }
}

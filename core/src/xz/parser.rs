//! The state of a parser that reads a file piece by piece, field by field, and the steps that every
//! field shares.
//!
//! [`walk`](super::walk) reads the fields around the blocks and [`chunk`](super::chunk) those
//! inside.

use super::check::CheckKind;
use super::header::BlockHeader;
use super::number::Number;
use super::options::{Options, Streams};
use super::records::Block;
use super::window::{Storage, Window};
use super::workspace::Workspace;
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{Checksums, Done, Error, ErrorKind, Name, Part, Result, Trace, Value, Verify};

/// The field that the next bytes of the input belong to.
#[derive(Clone, Debug)]
pub(super) enum State {
    StreamHeader,
    /// The first byte of a block header, or the zero that starts the index.
    BlockStart,
    BlockHeader(usize),
    /// No field: a block whose header was read starts once the window is large enough.
    Window,
    Control,
    /// The rest of a chunk's header, after this control byte.
    ChunkHeader(u8),
    /// The bytes of a copied chunk, or of a skipped one.
    Copy,
    Lzma,
    /// The range coder may need one byte more.
    LzmaEnd,
    BlockPadding(usize),
    Check,
    Index,
    IndexPadding(usize),
    IndexCrc,
    Footer,
    /// Between streams, or after the last.
    Between,
}

/// The block that is being read.
#[derive(Clone, Debug)]
pub(super) struct OpenBlock {
    pub(super) header: BlockHeader,
    /// Offset of its first chunk.
    pub(super) data: u64,
    /// The length of all its chunks, once they are read.
    pub(super) compressed: u64,
    /// Bytes that its chunks decode to, including the current one.
    pub(super) content: u64,
}

/// The index that is being read.
#[derive(Clone, Debug)]
pub(super) struct OpenIndex {
    pub(super) start: u64,
    pub(super) crc: Crc32,
    /// The number of records was read; it equals the number of blocks.
    pub(super) counted: bool,
    /// The first number of a record whose second is not read yet.
    pub(super) unpadded: Option<u64>,
    pub(super) number: Number,
}

/// The chunk that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenChunk {
    /// Bytes of its data that are not used yet.
    pub(super) input: usize,
    /// Bytes that it still decodes to.
    pub(super) output: usize,
}

/// The input ends before the next field does. Unless it is the last input, the parser asks for
/// more.
pub(super) const STARVED: Fault = Fault::new(ErrorKind::Truncated, 0);

/// The state of a parser, apart from the workspace and the window.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    /// The limits in use. A copy of all options would be the largest thing on a small device's
    /// stack.
    pub(super) max_output: u64,
    pub(super) max_window: u64,
    pub(super) max_header: u64,
    pub(super) verify: Verify,
    pub(super) wanted: Streams,
    pub(super) state: State,
    /// Offset of the next unused byte. Faults count from here, forwards or, by wrapping, backwards.
    pub(super) at: u64,
    /// The length of the content, including what was announced last.
    pub(super) announced: u64,
    /// Bytes of the current field that are gathered in the workspace.
    pub(super) gathered: usize,
    pub(super) streams: u64,
    pub(super) blocks: u64,
    pub(super) checksums: Checksums,
    /// The largest window that a block asks for.
    pub(super) window: u64,
    pub(super) produced: u64,
    /// The check after each block of the stream.
    pub(super) check: CheckKind,
    pub(super) block: OpenBlock,
    pub(super) chunk: OpenChunk,
    /// The next chunk must reset the dictionary, or bring properties.
    pub(super) wants_dictionary: bool,
    pub(super) wants_properties: bool,
    /// The length of the content that the index lists, if the input is one block and nothing else.
    pub(super) lone: Option<u64>,
    pub(super) index: OpenIndex,
}

impl Parser {
    /// A parser at the start of a file.
    #[inline(never)]
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
            check: CheckKind::None,
            block: OpenBlock::new(BlockHeader::EMPTY),
            chunk: OpenChunk { input: 0, output: 0 },
            wants_dictionary: true,
            wants_properties: true,
            lone: None,
            index: OpenIndex::new(0),
        }
    }

    /// Expects one block of a file and nothing else. Refuses a check that cannot be verified, and a
    /// place that no block of `len` bytes has.
    pub(super) fn expect_block(&mut self, len: usize, block: &Block, workspace: &mut Workspace) -> Result<()> {
        let start = block.range.start;
        if self.verify == Verify::Refuse && !block.check.is_known() {
            return Err(Error::new(ErrorKind::XzCheckKind, start));
        }
        if start.checked_add(u64_from(len)).is_none() {
            return Err(Error::new(ErrorKind::RangeOutside, start));
        }
        workspace.seen.clear();
        (self.at, self.check, self.state) = (start, block.check, State::BlockStart);
        self.lone = Some(block.content.end.saturating_sub(block.content.start));
        Ok(())
    }

    /// Builds the result of a call that used `read` bytes of the input.
    pub(super) fn done(&self, read: usize, window: &Window<'_>) -> Done {
        let content = self.produced;
        let wrote = if window.storage == Storage::None { 0 } else { index(content) };
        let (parts, blocks, window, checksums) = (self.streams, self.blocks, self.window, self.checksums);
        Done { read, wrote, content, parts, blocks, window, checksums }
    }

    /// Turns a fault into an error: makes its offset absolute, and adds what would be enough.
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

    /// Returns the next `len` bytes once all are present, at most as many as a block header has.
    /// Until then, they are gathered in `head`. The caller [skips](Self::skip) them.
    pub(super) fn take<'w, 's: 'w>(&mut self, src: &mut &'s [u8], len: usize, head: &'w mut [u8]) -> Verdict<&'w [u8]> {
        if self.gathered == 0
            && let Some((bytes, rest)) = src.split_at_checked(len)
        {
            *src = rest;
            return Ok(bytes);
        }
        self.gather(src, head.get_mut(..len).unwrap_or_default());
        if self.gathered < len {
            return Err(Fault { at: self.gathered, ..STARVED });
        }
        self.gathered = 0;
        Ok(head.get(..len).unwrap_or_default())
    }

    /// Moves bytes from the input to `head`, after those that are gathered.
    pub(super) fn gather(&mut self, src: &mut &[u8], head: &mut [u8]) {
        let free = head.get_mut(self.gathered..).unwrap_or_default();
        copy(src, free);
        let more = free.len().min(src.len());
        *src = src.get(more..).unwrap_or_default();
        self.gathered += more;
    }

    /// Emits a field of `len` bytes that starts at the next byte.
    pub(super) fn emit<T: Trace>(&self, trace: &mut T, part: Part, name: Name, len: usize, value: Value<'_>) {
        if T::LISTENS && len > 0 {
            trace.bytes(part, name, self.at..self.at + u64_from(len), value);
        }
    }

    /// Refuses `len` bytes more of content if the limit or the output forbids them.
    pub(super) fn announce(&mut self, len: u64, window: &Window<'_>) -> Verdict<()> {
        self.announced = self.produced.saturating_add(len);
        if self.announced > self.max_output {
            return Err(Fault::new(ErrorKind::OutputLimit, 0));
        }
        if len > window.capacity() {
            return Err(Fault::new(ErrorKind::OutputTooSmall, 0));
        }
        Ok(())
    }
}

impl OpenBlock {
    /// A block whose chunks follow.
    pub(super) const fn new(header: BlockHeader) -> Self {
        Self { header, data: 0, compressed: 0, content: 0 }
    }
}

impl OpenIndex {
    /// An index that starts at this byte.
    pub(super) fn new(start: u64) -> Self {
        Self { start, crc: Crc32::new(), counted: false, unpadded: None, number: Number::default() }
    }
}

//! The state of a parser that reads a stream piece by piece, field by field, and the steps that
//! every field shares.
//!
//! [`walk`](super::walk) reads the fields around the blocks and [`chunk`](super::chunk) those
//! inside. Whole inputs take the shorter way of [`whole`](super::whole).

use super::control::Wants;
use super::header::BlockHeader;
use super::number::{self, CUT, MAX_NUMBER};
use super::options::{Options, Streams};
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::{Size, copy, index, u64_from};
use crate::{Checksums, Done, Error, ErrorKind, Verify};

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
    /// The bytes of a copied chunk.
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
    /// Records that follow, once their number is read. It equals the number of blocks.
    pub(super) left: Option<Size>,
    /// The first number of a record whose second is not read yet.
    pub(super) unpadded: Option<Size>,
    pub(super) number: Digits,
}

/// The bytes of a number that is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Digits {
    bytes: [u8; MAX_NUMBER],
    pub(super) len: usize,
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
    /// Blocks of earlier streams.
    pub(super) earlier: u64,
    pub(super) checksums: Checksums,
    /// The largest window that a block asks for.
    pub(super) window: u64,
    pub(super) produced: u64,
    /// The number of the check after each block of the stream.
    pub(super) check: u8,
    pub(super) block: OpenBlock,
    pub(super) chunk: OpenChunk,
    /// The resets that the next chunk must bring.
    pub(super) wants: Wants,
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
            earlier: 0,
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
            window: 0,
            produced: 0,
            check: 0,
            block: OpenBlock::new(BlockHeader::EMPTY),
            chunk: OpenChunk { input: 0, output: 0 },
            wants: Wants::ALL,
            index: OpenIndex::new(0),
        }
    }

    /// Builds the result of a call that used `read` bytes of the input.
    pub(super) fn done(&self, read: usize) -> Done {
        let (wrote, content) = (index(self.produced), self.produced);
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

    /// Returns the next `N` bytes once all are present, as [`take`](Self::take) does.
    pub(super) fn array<'w, 's: 'w, const N: usize>(
        &mut self,
        src: &mut &'s [u8],
        head: &'w mut [u8],
    ) -> Verdict<&'w [u8; N]> {
        self.take(src, N, head)?.first_chunk().ok_or(STARVED)
    }

    /// Moves bytes from the input to `head`, after those that are gathered.
    pub(super) fn gather(&mut self, src: &mut &[u8], head: &mut [u8]) {
        let free = head.get_mut(self.gathered..).unwrap_or_default();
        copy(src, free);
        let more = free.len().min(src.len());
        *src = src.get(more..).unwrap_or_default();
        self.gathered += more;
    }

    /// Refuses `len` bytes more of content if the limit forbids them.
    pub(super) fn announce(&mut self, len: u64) -> Verdict<()> {
        self.announced = self.produced.saturating_add(len);
        if self.announced > self.max_output {
            return Err(Fault::new(ErrorKind::OutputLimit, 0));
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
        Self { start, crc: Crc32::new(), left: None, unpadded: None, number: Digits::default() }
    }
}

impl Digits {
    /// Adds the next byte. Returns the number if it was the last.
    pub(super) fn push(&mut self, byte: u8) -> Verdict<Option<Size>> {
        self.bytes.get_mut(self.len).into_iter().for_each(|place| *place = byte);
        self.len += 1;
        match number::read(self.bytes.get(..self.len).unwrap_or_default(), &mut 0) {
            Ok(value) => Ok(Some(value)),
            Err(CUT) => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}

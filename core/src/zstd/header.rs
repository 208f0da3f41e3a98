//! Frame headers, and the checks of block headers. Reading them decodes nothing.

use core::ops::Range;

use super::flavour::{BlockHeader, BlockKind, Flavour};
use crate::bits::number;
use crate::entropy::low32;
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::tuning::SMALL;
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The most bytes that a block holds.
pub const MAX_BLOCK: usize = 128 << 10;

/// The length of the longest frame header, magic number included. This many bytes are always enough
/// to read one.
pub const MAX_FRAME_HEADER: usize = 18;

/// The magic number without its first byte, which depends on the format.
const MAGIC: u32 = 0xFD2F_B500;
/// The first of 16 magic numbers of skippable frames.
const SKIPPABLE_MAGIC: u32 = 0x184D_2A50;

/// The start of a frame of data or of a skippable frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// A frame of compressed data.
    Frame(FrameHeader),
    /// A frame that decoders skip: eight bytes, then `size` bytes for other programs.
    Skippable {
        /// The low four bits of the magic number.
        variant: u8,
        /// Bytes after the header.
        size: u32,
    },
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// Bytes of this header, the magic number included.
    pub len: usize,
    /// The reach of matches; for a frame in a single segment the content size.
    pub window: u64,
    /// The decoded length, if the frame has it.
    pub content_size: Option<u64>,
    /// The ID of its dictionary; 0 if the frame names none.
    pub dictionary_id: u32,
    /// A checksum follows the content.
    pub checksum: bool,
    /// The window is the whole content.
    pub single_segment: bool,
}

impl FrameHeader {
    /// The header of an empty frame.
    pub(super) const NONE: Self =
        Self { len: 0, window: 0, content_size: None, dictionary_id: 0, checksum: false, single_segment: false };

    /// Returns the most bytes that a block of this frame may hold.
    pub fn max_block(&self) -> usize {
        index(self.window).min(MAX_BLOCK)
    }

    /// Returns the length of the window that a [`Decoder`](super::Decoder) needs for this frame:
    /// the history that matches refer to, the block that is being written, and a block of input,
    /// because blocks are read from their end. In small builds, blocks are written over history
    /// that is too old.
    pub fn stream_buffer(&self) -> u64 {
        let block = u64_from(self.max_block());
        let history = if SMALL { self.window } else { self.window.saturating_add(2 * block) };
        self.content_size.map_or(history, |size| size.min(history)).saturating_add(block.max(1))
    }
}

impl BlockHeader {
    /// Compares the block with the bounds of its frame; `at` is its first byte.
    pub(super) fn check(&self, flavour: Flavour, frame: &FrameHeader, at: usize) -> Verdict<()> {
        let fault = |kind| Err(Fault::new(kind, at));
        let size = self.size as usize;
        if self.stray {
            return fault(ErrorKind::ZstdReservedBit);
        }
        match self.kind {
            BlockKind::Reserved => fault(ErrorKind::ZstdBlockType),
            BlockKind::Raw | BlockKind::Rle if size > frame.max_block() => fault(ErrorKind::ZstdBlockSize),
            // Two bytes hold no literals and no sequences; the older formats need three.
            BlockKind::Compressed if size > frame.max_block() || size < if flavour.is_rfc() { 2 } else { 3 } => {
                fault(ErrorKind::ZstdBlockSize)
            }
            BlockKind::End if !frame.checksum && size != 0 => fault(ErrorKind::ZstdEndBlock),
            _ => Ok(()),
        }
    }
}

/// Returns the fault of a truncated input.
#[cold]
pub(super) fn cut(src: &[u8]) -> Fault {
    Fault::new(ErrorKind::Truncated, src.len())
}

impl Header {
    /// Reads the header at the start of `src` and compares its claims with the limits.
    /// [`MAX_FRAME_HEADER`] bytes are always enough. If `src` is too short, the error has the class
    /// `Truncated`.
    ///
    /// ```
    /// use unspool::zstd::{Flavour, Header};
    /// use unspool::Limits;
    /// let bytes = b"\x28\xB5\x2F\xFD\x24\x05\x29\0\0hello\x27\x7B\xE1\xF7";
    /// let header = Header::read(bytes, &Limits::DEFAULT, Flavour::Rfc8878)?;
    /// let Header::Frame(frame) = header else { panic!() };
    /// assert_eq!(frame.content_size, Some(5));
    /// assert!(frame.checksum);
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn read(src: &[u8], limits: &Limits, flavour: Flavour) -> Result<Self> {
        let mut frame = FrameHeader::NONE;
        if let Some(size) = frame.read_at(src, 0, flavour, false, &mut ())? {
            return Ok(Self::Skippable { variant: src.first().map_or(0, |first| first & 15), size });
        }
        frame.check(limits.max_window, limits.max_output, 0)?;
        Ok(Self::Frame(frame))
    }
}

impl FrameHeader {
    /// Reads the header at `at`, which has no magic number if it is `magicless`. Returns the size
    /// of a skippable frame; then, and after a fault, nothing has changed.
    #[inline(never)]
    pub(super) fn read_at<T: Trace>(
        &mut self,
        src: &[u8],
        at: usize,
        flavour: Flavour,
        magicless: bool,
        trace: &mut T,
    ) -> Verdict<Option<u32>> {
        let start = u64_from(at);
        let bytes = src.get(at..).unwrap_or_default();
        let (mut rest, mut magic) = (bytes, 0);
        if !magicless {
            let mask;
            (magic, mask) = match bytes.first_chunk() {
                Some(&number) => (u32::from_le_bytes(number), u32::MAX),
                // A wrong magic number is wrong even if it is truncated.
                None => (low32(number(bytes)), (1 << (8 * bytes.len())) - 1),
            };
            let [first, ..] = magic.to_le_bytes();
            let skippable = (magic ^ SKIPPABLE_MAGIC) & mask & !0xF == 0;
            let ours = (magic ^ MAGIC) & mask & !0xFF == 0 && flavour.starts_with(first);
            if !skippable && !ours {
                return Err(Fault::new(ErrorKind::ZstdMagic, at));
            }
            rest = bytes.get(4..).ok_or_else(|| cut(src))?;
            if skippable {
                let size = u32::from_le_bytes(*rest.first_chunk().ok_or_else(|| cut(src))?);
                trace.bytes(Part::Framing, Name::MagicNumber, start..start + 4, Value::Hex(magic.into()));
                trace.bytes(Part::Framing, Name::Size, start + 4..start + 8, Value::U64(size.into()));
                return Ok(Some(size));
            }
        }
        let (&descriptor, mut fields) = rest.split_first().ok_or_else(|| cut(src))?;
        let after_magic = start + u64_from(bytes.len() - rest.len());
        if descriptor & 8 != 0 {
            return Err(Fault::new(ErrorKind::ZstdReservedBit, at + bytes.len() - rest.len()));
        }
        let single_segment = descriptor & 0x20 != 0;
        let checksum = descriptor & 4 != 0;
        let mut take = |len: usize| -> Verdict<(u64, usize)> {
            let (field, rest) = fields.split_at_checked(len).ok_or_else(|| cut(src))?;
            fields = rest;
            Ok((number(field), len))
        };
        let window = take(usize::from(!single_segment))?;
        let id = take(match descriptor & 3 {
            3 => 4,
            len => len.into(),
        })?;
        let size = take(match descriptor >> 6 {
            0 => usize::from(single_segment),
            code => 1 << code,
        })?;
        let content = match size {
            (_, 0) => None,
            (size, 2) => Some(size + 256),
            // Before the RFC, a zero stood for an unknown size.
            (0, _) if !single_segment && !flavour.is_rfc() => None,
            (size, _) => Some(size),
        };
        let window_size = match window {
            (_, 0) => content.unwrap_or(0),
            // Shifts of 64 bits are calls on small devices.
            (byte, _) if SMALL => (0..low32(byte) >> 3).fold((8 + (byte & 7)) << 7, |size, _| size + size),
            (byte, _) => (8 + (byte & 7)) << (7 + (byte >> 3)),
        };
        let len = bytes.len() - fields.len();
        if T::LISTENS {
            if !magicless {
                trace.bytes(Part::Framing, Name::MagicNumber, start..start + 4, Value::Hex(magic.into()));
            }
            let mut at = after_magic;
            let mut tell = |name, len: usize, value| {
                if len > 0 {
                    trace.bytes(Part::Header, name, at..at + u64_from(len), value);
                    at += u64_from(len);
                }
            };
            tell(Name::FrameDescriptor, 1, Value::Hex(descriptor.into()));
            tell(Name::Window, window.1, Value::U64(window_size));
            tell(Name::DictionaryId, id.1, Value::U64(id.0));
            tell(Name::ContentSize, size.1, content.map_or(Value::Word("unknown"), Value::U64));
        }
        *self = Self {
            len,
            window: window_size,
            content_size: content,
            dictionary_id: low32(id.0),
            checksum,
            single_segment,
        };
        Ok(None)
    }

    /// Compares the claims of a frame at byte 0 with the limits; `content` bytes came from frames
    /// before it.
    pub(super) fn check(&self, max_window: u64, max_output: u64, content: u64) -> Result<()> {
        if !self.single_segment && self.window > max_window {
            return Err(Error::new(ErrorKind::WindowLimit, 0).needing(self.window));
        }
        let content = content.saturating_add(self.content_size.unwrap_or(0));
        if content > max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(content));
        }
        Ok(())
    }
}

/// Emits a field of whole bytes, unless it is empty.
pub(super) fn emit_field<T: Trace>(trace: &mut T, part: Part, name: Name, bytes: Range<usize>, value: Value<'_>) {
    if T::LISTENS && !bytes.is_empty() {
        trace.bytes(part, name, u64_from(bytes.start)..u64_from(bytes.end), value);
    }
}

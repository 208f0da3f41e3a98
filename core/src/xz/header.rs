//! Headers and footers of streams, and headers of blocks.

use core::ops::Range;

use super::check::CheckKind;
#[cfg(feature = "xz-filters")]
use super::filter::FilterKind;
use super::number;
use crate::bits::header_u32_at;
use crate::checksum::Crc32;
use crate::copy::SLACK;
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::{Size, index_of, saturated, size, split_last, u64_from, wide};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The first bytes of every stream.
pub(super) const MAGIC: [u8; 6] = *b"\xFD7zXZ\0";
const FOOTER_MAGIC: [u8; 2] = *b"YZ";

/// The length of a stream header, and of a stream footer.
pub(super) const STREAM_HEADER: usize = 12;

/// The length of the longest block header.
pub const MAX_BLOCK_HEADER: usize = 1024;

const HEAD_MAGIC: Field<{ MAGIC.len() }> = Field::new(0, Part::Framing, Name::Magic);
const HEAD_FLAGS: Field<2> = Field::new(6, Part::Header, Name::Check);
const HEAD_CRC: Field<4> = Field::new(8, Part::Checksum, Name::HeaderCrc32);

const FOOT_CRC: Field<4> = Field::new(0, Part::Checksum, Name::FooterCrc32);
pub(super) const FOOT_BACKWARD: Field<4> = Field::new(4, Part::Framing, Name::BackwardSize);
pub(super) const FOOT_FLAGS: Field<2> = Field::new(8, Part::Header, Name::Check);
const FOOT_MAGIC: Field<2> = Field::new(10, Part::Framing, Name::FooterMagic);

/// Returns true if this is the CRC-32 of the bytes.
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn seals(crc: &[u8], bytes: &[u8]) -> bool {
    Crc32::of(bytes) == header_u32_at(crc, 0)
}

/// Refuses bytes that are not the start of a stream, even if there are only a few.
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn stream_start(bytes: &[u8]) -> Verdict<()> {
    let is_magic = bytes.iter().zip(&MAGIC).all(|(byte, magic)| byte == magic);
    if is_magic { Ok(()) } else { Err(Fault::new(ErrorKind::XzMagic, 0)) }
}

/// Reads the header of a stream that starts at `at` in the file. Returns the number of the check
/// after each block.
#[cfg_attr(feature = "small", inline(always))]
pub(super) fn stream_header<T: Trace>(bytes: &[u8; STREAM_HEADER], at: u64, trace: &mut T) -> Verdict<u8> {
    stream_start(bytes)?;
    let mut fields = Fields::new(bytes, at, trace);
    let magic = fields.get(&HEAD_MAGIC)?;
    let flags = fields.get(&HEAD_FLAGS)?;
    let stored = fields.get(&HEAD_CRC)?;
    fields.emit(&HEAD_MAGIC, Value::Bytes(magic));
    fields.emit(&HEAD_FLAGS, Value::Word(CheckKind::from_id(flags[1]).name()));
    fields.emit(&HEAD_CRC, Value::Hex(u32::from_le_bytes(*stored).into()));
    check_id(flags, &HEAD_FLAGS, seals(stored, flags), &HEAD_CRC)
}

/// Reads the footer that starts at `at` in the file. Returns the number of the check after each
/// block.
#[cfg_attr(feature = "small", inline(always))]
pub(super) fn stream_footer<T: Trace>(bytes: &[u8; STREAM_HEADER], at: u64, trace: &mut T) -> Verdict<u8> {
    let mut fields = Fields::new(bytes, at, trace);
    let magic = fields.get(&FOOT_MAGIC)?;
    if *magic != FOOTER_MAGIC {
        return Err(Fault::new(ErrorKind::XzFooter, FOOT_MAGIC.at()));
    }
    let flags = fields.get(&FOOT_FLAGS)?;
    let stored = fields.get(&FOOT_CRC)?;
    fields.emit(&FOOT_CRC, Value::Hex(u32::from_le_bytes(*stored).into()));
    fields.emit(&FOOT_BACKWARD, Value::U64(index_len(bytes)));
    fields.emit(&FOOT_FLAGS, Value::Word(CheckKind::from_id(flags[1]).name()));
    fields.emit(&FOOT_MAGIC, Value::Bytes(magic));
    let covered = bytes.get(FOOT_BACKWARD.at()..FOOT_MAGIC.at()).unwrap_or_default();
    check_id(flags, &FOOT_FLAGS, seals(stored, covered), &FOOT_CRC)
}

/// Returns the length of the index before this footer.
pub(super) fn index_len(footer: &[u8; STREAM_HEADER]) -> u64 {
    let [_, _, _, _, a, b, c, d, ..] = *footer;
    (u64::from(u32::from_le_bytes([a, b, c, d])) + 1) * 4
}

/// Reads the flags of a stream, once their CRC-32 `matches`: a zero, and the number of a check.
fn check_id(flags: &[u8; 2], place: &Field<2>, matches: bool, crc: &Field<4>) -> Verdict<u8> {
    match *flags {
        _ if !matches => Err(Fault::new(ErrorKind::XzHeaderCrc, crc.at())),
        [0, id @ 0..16] => Ok(id),
        _ => Err(Fault::new(ErrorKind::XzFlags, place.at())),
    }
}

/// The header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// Its length.
    pub len: usize,
    /// The length of the compressed data, if the header holds it.
    pub compressed: Option<u64>,
    /// The length of the content, if the header holds it.
    pub uncompressed: Option<u64>,
    /// The largest distance of a match. Encoders often write far more than the length of the
    /// content.
    pub dictionary: u32,
    /// Filters before LZMA2, in the order in which the encoder ran them.
    #[cfg(feature = "xz-filters")]
    pub filters: [Option<FilterKind>; 3],
}

/// The length of a block header that starts with this byte. Zero starts an index instead.
pub(super) const fn block_header_len(first: u8) -> usize {
    (first as usize + 1) * 4
}

const DELTA: Size = 3;
const LZMA2: Size = 0x21;

impl BlockHeader {
    /// The header of no block, which is shorter than any.
    pub(super) const EMPTY: Self = Self {
        len: 0,
        compressed: None,
        uncompressed: None,
        dictionary: 0,
        #[cfg(feature = "xz-filters")]
        filters: [None; 3],
    };

    /// Reads the header of a block that starts at `at` in the file, from exactly its bytes, of
    /// which the first is its length.
    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn read<T: Trace>(bytes: &[u8], at: u64, trace: &mut T) -> Verdict<Self> {
        let (covered, crc) = split_last::<4>(bytes).ok_or(Fault::new(ErrorKind::XzBlockHeader, 0))?;
        if !seals(crc, covered) {
            return Err(Fault::new(ErrorKind::XzHeaderCrc, covered.len()));
        }
        let mut emit = |range: Range<usize>, part, name, value: Value<'_>| {
            if T::LISTENS {
                trace.bytes(part, name, at + u64_from(range.start)..at + u64_from(range.end), value);
            }
        };
        let &[_, flags, ..] = covered else { return Err(Fault::new(ErrorKind::Truncated, covered.len())) };
        emit(0..1, Part::Framing, Name::HeaderSize, Value::U64(u64_from(bytes.len())));
        emit(1..2, Part::Header, Name::BlockFlags, Value::Hex(flags.into()));
        if flags & 0x3C != 0 {
            return Err(Fault::new(ErrorKind::XzBlockFlags, 1));
        }
        let mut header = Self { len: bytes.len(), ..Self::EMPTY };
        // The field that is read starts at `start`; the next one starts at `end`.
        let (mut start, mut end) = (2, 2);
        if flags & 0x40 != 0 {
            let size = number(covered, &mut end)?;
            emit(start..end, Part::Header, Name::CompressedSize, Value::U64(wide(size)));
            if size == 0 {
                return Err(Fault::new(ErrorKind::XzBlockSize, start));
            }
            header.compressed = Some(wide(size));
        }
        if flags & 0x80 != 0 {
            start = end;
            let size = number(covered, &mut end)?;
            emit(start..end, Part::Header, Name::UncompressedSize, Value::U64(wide(size)));
            header.uncompressed = Some(wide(size));
        }
        let before = flags & 3;
        for slot in 0.. {
            start = end;
            let id = number(covered, &mut end)?;
            emit(start..end, Part::Header, Name::Filter, Value::Word(filter_name(id)));
            let at = end;
            let size = number(covered, &mut end)?;
            emit(at..end, Part::Framing, Name::PropertiesSize, Value::U64(wide(size)));
            let at = end;
            let rest = covered.get(at..).unwrap_or_default();
            let properties = rest.get(..index_of(size)).ok_or(Fault::new(ErrorKind::XzBlockHeader, at))?;
            end += properties.len();
            // The last filter is LZMA2, and only that.
            let known = matches!(id, DELTA..=0x0B | LZMA2);
            if (slot == before) != (id == LZMA2) {
                return Err(Fault::new(if known { ErrorKind::XzFilterChain } else { ErrorKind::XzFilter }, start));
            }
            let unfit = Fault::new(ErrorKind::XzFilterProperties, at);
            if slot == before {
                let size = if let &[bits] = properties { dictionary_size(bits) } else { None };
                header.dictionary = size.ok_or(unfit)?;
                emit(at..end, Part::Header, Name::DictionarySize, Value::U64(header.dictionary.into()));
                break;
            }
            if !properties.is_empty() {
                emit(at..end, Part::Header, Name::FilterProperties, Value::Bytes(properties));
            }
            if !known || !cfg!(feature = "xz-filters") {
                return Err(Fault::new(ErrorKind::XzFilter, start));
            }
            #[cfg(feature = "xz-filters")]
            if let Some(place) = header.filters.get_mut(usize::from(slot)) {
                *place = Some(FilterKind::read(id, properties).ok_or(unfit)?);
            }
        }
        let padding = covered.get(end..).unwrap_or_default();
        if !padding.is_empty() {
            emit(end..covered.len(), Part::Padding, Name::HeaderPadding, Value::None);
        }
        if let Some(zeros) = padding.iter().position(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::XzPadding, end + zeros));
        }
        let stored = u32::from_le_bytes(*crc);
        emit(covered.len()..bytes.len(), Part::Checksum, Name::BlockHeaderCrc32, Value::Hex(stored.into()));
        Ok(header)
    }

    /// Bytes of window that a [`Decoder`](super::Decoder) needs for this block: the dictionary and
    /// 32 bytes more, because copies in pieces write a little beyond their end; or the content, if
    /// the header says that it is smaller.
    pub fn window(&self) -> u64 {
        window_of(self.reach())
    }

    /// Returns the bytes that a window must have at least.
    pub(super) fn reach(&self) -> Size {
        let dictionary = saturated(self.dictionary.into()).saturating_add(size(SLACK));
        saturated(self.uncompressed.unwrap_or(u64::MAX)).min(dictionary)
    }

    /// Returns the window, if a limit of `most` bytes of history allows it.
    pub(super) fn window_within(&self, most: u64) -> Option<u64> {
        let need = self.window();
        (u64::from(self.dictionary).min(need) <= most).then_some(need)
    }
}

/// Returns the length of a window that has at least `reach` bytes.
pub(super) fn window_of(reach: Size) -> u64 {
    wide(reach.saturating_add(RING - 1) & !(RING - 1))
}

/// The length of a ring is a multiple of this, so that its positions agree with those in the
/// content in all bits that LZMA uses.
pub(super) const RING: Size = 16;

const FILTER_NAMES: [&str; 9] = ["delta", "x86", "PowerPC", "IA-64", "ARM", "ARM-Thumb", "SPARC", "ARM64", "RISC-V"];

fn filter_name(id: Size) -> &'static str {
    match id {
        LZMA2 => "LZMA2",
        id => FILTER_NAMES.get(index_of(id.wrapping_sub(DELTA))).unwrap_or(&"unknown"),
    }
}

/// Returns a dictionary size: 2 or 3 times a power of two, from 4 KiB on; the last is 4 GiB less a
/// byte.
#[cfg_attr(feature = "small", inline(always))]
const fn dictionary_size(bits: u8) -> Option<u32> {
    match bits {
        0..40 => Some((2 | bits as u32 & 1) << (bits / 2 + 11)),
        40 => Some(u32::MAX),
        _ => None,
    }
}

/// Reads the number that starts at `at`, and moves `at` after it. Faults show at its start.
#[cfg_attr(feature = "small", inline(never))]
fn number(bytes: &[u8], at: &mut usize) -> Verdict<Size> {
    let start = *at;
    number::read(bytes, at).map_err(|fault| match fault.kind {
        ErrorKind::Truncated => Fault::new(ErrorKind::XzBlockHeader, start),
        kind => Fault::new(kind, start),
    })
}

/// The header of a stream, and that of its first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The check after each block.
    pub check: CheckKind,
    /// The header of the first block; `None` if the stream has none.
    pub block: Option<BlockHeader>,
}

impl Header {
    /// Reads the first bytes of a file. The `need` of an error of the class `Truncated` is how many
    /// there must be.
    pub fn read(src: &[u8], limits: &Limits) -> Result<Self> {
        let cut = |need: usize| Error::new(ErrorKind::Truncated, u64_from(src.len())).needing(u64_from(need));
        let (stream, rest) = src.split_first_chunk().ok_or(cut(STREAM_HEADER + 1))?;
        let check = CheckKind::from_id(stream_header(stream, 0, &mut ())?);
        let &first = rest.first().ok_or(cut(STREAM_HEADER + 1))?;
        if first == 0 {
            return Ok(Self { check, block: None });
        }
        let end = STREAM_HEADER + block_header_len(first);
        let bytes = src.get(STREAM_HEADER..end).ok_or(cut(end))?;
        let block = BlockHeader::read(bytes, 0, &mut ()).map_err(|fault| fault.offset_by(STREAM_HEADER))?;
        // As in decoding, a block whose header has its size is refused before it is read.
        let size = block.uncompressed.unwrap_or(0);
        if size > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, u64_from(STREAM_HEADER)).needing(size));
        }
        Ok(Self { check, block: Some(block) })
    }

    /// Bytes of window that a [`Decoder`](super::Decoder) needs for the first block. Later ones may
    /// need more.
    pub fn window(&self) -> u64 {
        self.block.map_or(0, |block| block.window())
    }
}

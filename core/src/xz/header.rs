//! Headers and footers: of a stream, and of a block.

use super::check::CheckKind;
use super::decoder::Result;
#[cfg(feature = "xz-filters")]
use super::filter::FilterKind;
use super::number;
use crate::checksum::Crc32;
use crate::copy::SLACK;
use crate::num::u64_from;
use crate::{ErrorKind, Name, Part, Trace, Value};

/// What every stream starts with.
pub(super) const MAGIC: [u8; 6] = *b"\xFD7zXZ\0";
const FOOTER_MAGIC: [u8; 2] = *b"YZ";

/// Both the header and the footer of a stream have this length.
pub(super) const STREAM_HEADER: usize = 12;

/// The longest header of a block.
pub const MAX_BLOCK_HEADER: usize = 1024;

/// What the header of a stream says, and its footer again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamFlags(pub(super) [u8; 2]);

impl StreamFlags {
    /// The kind of check behind each block. The first byte is zero, and so are the high bits of the second.
    pub(super) const fn check(self) -> CheckKind {
        CheckKind::from_id(self.0[1])
    }

    const fn is_valid(self) -> bool {
        let [first, second] = self.0;
        first == 0 && second >> 4 == 0
    }
}

/// Moves `at` to where something is wrong.
#[cold]
fn wrong<R>(kind: ErrorKind, at: &mut u64, place: u64) -> Result<R> {
    *at = place;
    Err(kind)
}

/// Reads the header of a stream that starts at `at`. Like all that is read here, it moves `at` to where an error shows.
pub(super) fn stream_header<T: Trace>(
    bytes: &[u8; STREAM_HEADER],
    place: &mut u64,
    trace: &mut T,
) -> Result<StreamFlags> {
    let at = *place;
    let [magic @ .., first, second, a, b, c, d] = *bytes;
    if magic != MAGIC {
        return Err(ErrorKind::XzMagic);
    }
    let flags = StreamFlags([first, second]);
    trace.bytes(Part::Framing, Name::Magic, at..at + 6, Value::Bytes(&magic));
    trace.bytes(Part::Header, Name::Check, at + 6..at + 8, Value::Word(flags.check().name()));
    let stored = u32::from_le_bytes([a, b, c, d]);
    trace.bytes(Part::Checksum, Name::HeaderCrc32, at + 8..at + 12, Value::Hex(stored.into()));
    if Crc32::of(&flags.0) != stored {
        return wrong(ErrorKind::XzHeaderCrc, place, at + 8);
    }
    if flags.is_valid() { Ok(flags) } else { wrong(ErrorKind::XzFlags, place, at + 6) }
}

/// The footer of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footer {
    /// The length of the index before it.
    pub(super) backward: u64,
    pub(super) flags: StreamFlags,
}

/// Reads the footer that starts at `at`.
pub(super) fn stream_footer<T: Trace>(bytes: &[u8; STREAM_HEADER], place: &mut u64, trace: &mut T) -> Result<Footer> {
    let at = *place;
    let [a, b, c, d, size @ .., first, second, y, z] = *bytes;
    if [y, z] != FOOTER_MAGIC {
        return wrong(ErrorKind::XzFooter, place, at + 10);
    }
    let flags = StreamFlags([first, second]);
    let backward = (u64::from(u32::from_le_bytes(size)) + 1) * 4;
    let stored = u32::from_le_bytes([a, b, c, d]);
    trace.bytes(Part::Checksum, Name::FooterCrc32, at..at + 4, Value::Hex(stored.into()));
    trace.bytes(Part::Framing, Name::BackwardSize, at + 4..at + 8, Value::U64(backward));
    trace.bytes(Part::Header, Name::Check, at + 8..at + 10, Value::Word(flags.check().name()));
    trace.bytes(Part::Framing, Name::FooterMagic, at + 10..at + 12, Value::Bytes(&[y, z]));
    let mut crc = Crc32::new();
    crc.update(&size);
    crc.update(&flags.0);
    if crc.value() != stored {
        return Err(ErrorKind::XzHeaderCrc);
    }
    if flags.is_valid() { Ok(Footer { backward, flags }) } else { wrong(ErrorKind::XzFlags, place, at + 8) }
}

/// What the header of a block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// Its own length.
    pub len: usize,
    /// The length of the compressed data, if it is given here.
    pub compressed: Option<u64>,
    /// The length of the content, if it is given here.
    pub uncompressed: Option<u64>,
    /// How far back matches may reach. What encoders write here is often far more than the content is long.
    pub dictionary: u32,
    /// Filters before LZMA2, in the order in which the encoder ran them.
    #[cfg(feature = "xz-filters")]
    pub filters: [Option<FilterKind>; 3],
}

/// The length of a block header that starts with this byte. Zero starts an index instead.
pub(super) const fn block_header_len(first: u8) -> usize {
    (first as usize + 1) * 4
}

const DELTA: u64 = 3;
const LZMA2: u64 = 0x21;

impl BlockHeader {
    /// Reads the header of a block: exactly its bytes, of which the first is its length.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn read<T: Trace>(bytes: &[u8], place: &mut u64, trace: &mut T) -> Result<Self> {
        let at = *place;
        let len = bytes.len();
        let (fields, crc) = bytes.split_last_chunk::<4>().ok_or(ErrorKind::XzBlockHeader)?;
        let crc_at = at + u64_from(fields.len());
        let stored = u32::from_le_bytes(*crc);
        if Crc32::of(fields) != stored {
            return wrong(ErrorKind::XzHeaderCrc, place, crc_at);
        }
        let flags = fields.get(1).copied().unwrap_or(0);
        trace.bytes(Part::Framing, Name::HeaderSize, at..at + 1, Value::U64(u64_from(len)));
        trace.bytes(Part::Header, Name::BlockFlags, at + 1..at + 2, Value::Hex(flags.into()));
        if flags & 0x3C != 0 {
            return wrong(ErrorKind::XzBlockFlags, place, at + 1);
        }
        *place += 2;
        let mut fields = Fields { rest: fields.get(2..).unwrap_or_default(), at: place };
        let mut header = Self {
            len,
            compressed: None,
            uncompressed: None,
            dictionary: 0,
            #[cfg(feature = "xz-filters")]
            filters: [None; 3],
        };
        if flags & 0x40 != 0 {
            let start = *fields.at;
            let size = fields.number(Name::CompressedSize, trace)?;
            if size == 0 {
                return wrong(ErrorKind::XzBlockSize, fields.at, start);
            }
            header.compressed = Some(size);
        }
        if flags & 0x80 != 0 {
            header.uncompressed = Some(fields.number(Name::UncompressedSize, trace)?);
        }
        // The last filter is LZMA2, and only that.
        let before = usize::from(flags & 3);
        for number in 0..=before {
            header.filter(&mut fields, number, number == before, trace)?;
        }
        if !fields.rest.is_empty() {
            trace.bytes(Part::Padding, Name::HeaderPadding, *fields.at..crc_at, Value::None);
        }
        if let Some(zeros) = fields.rest.iter().position(|&byte| byte != 0) {
            *fields.at += u64_from(zeros);
            return Err(ErrorKind::XzPadding);
        }
        trace.bytes(Part::Checksum, Name::BlockHeaderCrc32, crc_at..crc_at + 4, Value::Hex(stored.into()));
        Ok(header)
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn filter<T: Trace>(
        &mut self,
        fields: &mut Fields<'_, '_>,
        number: usize,
        last: bool,
        trace: &mut T,
    ) -> Result<()> {
        let place = *fields.at;
        let id = fields.number_untold()?;
        let size_at = *fields.at;
        let size = fields.number_untold()?;
        let properties_at = *fields.at;
        let properties = fields.take(size)?;
        let end = *fields.at;
        trace.bytes(Part::Header, Name::Filter, place..size_at, Value::Word(filter_name(id)));
        trace.bytes(Part::Framing, Name::PropertiesSize, size_at..properties_at, Value::U64(size));
        if last != (id == LZMA2) {
            let known = id == LZMA2 || is_known(id);
            let kind = if known { ErrorKind::XzFilterChain } else { ErrorKind::XzFilter };
            return wrong(kind, fields.at, place);
        }
        if last {
            let size = if let &[bits] = properties { dictionary_size(bits) } else { None };
            let Some(size) = size else { return wrong(ErrorKind::XzFilterProperties, fields.at, properties_at) };
            trace.bytes(Part::Header, Name::DictionarySize, properties_at..end, Value::U64(size.into()));
            self.dictionary = size;
            return Ok(());
        }
        if !properties.is_empty() {
            trace.bytes(Part::Header, Name::FilterProperties, properties_at..end, Value::Bytes(properties));
        }
        if !is_known(id) {
            return wrong(ErrorKind::XzFilter, fields.at, place);
        }
        #[cfg(feature = "xz-filters")]
        {
            let Some(filter) = FilterKind::read(id, properties) else {
                return wrong(ErrorKind::XzFilterProperties, fields.at, properties_at);
            };
            if let Some(slot) = self.filters.get_mut(number) {
                *slot = Some(filter);
            }
            Ok(())
        }
        #[cfg(not(feature = "xz-filters"))]
        {
            let _ = number;
            wrong(ErrorKind::XzFilter, fields.at, place)
        }
    }

    /// How many bytes a [`Decoder`](super::Decoder) needs for the window of this block: the dictionary and 32 bytes more, because
    /// copies in pieces write a little beyond their end; or the content, if that is known to be smaller.
    pub fn window(&self) -> u64 {
        let size = u64::from(self.dictionary) + u64_from(SLACK);
        self.uncompressed.map_or(size, |content| content.min(size)).next_multiple_of(RING)
    }
}

/// A ring is a multiple of this, so that positions in it agree with positions in the file as far as LZMA looks at them.
pub(super) const RING: u64 = 16;

fn is_known(id: u64) -> bool {
    (DELTA..=0x0B).contains(&id)
}

fn filter_name(id: u64) -> &'static str {
    match id {
        DELTA => "delta",
        4 => "x86",
        5 => "PowerPC",
        6 => "IA-64",
        7 => "ARM",
        8 => "ARM-Thumb",
        9 => "SPARC",
        10 => "ARM64",
        11 => "RISC-V",
        LZMA2 => "LZMA2",
        _ => "unknown",
    }
}

/// 2 or 3 times a power of two, from 4 KiB on; the last is 4 GiB less a byte.
const fn dictionary_size(bits: u8) -> Option<u32> {
    match bits {
        0..40 => Some((2 | bits as u32 & 1) << (bits / 2 + 11)),
        40 => Some(u32::MAX),
        _ => None,
    }
}

/// The fields of a header, one after the other.
struct Fields<'a, 'p> {
    rest: &'a [u8],
    at: &'p mut u64,
}

impl<'a> Fields<'a, '_> {
    fn number_untold(&mut self) -> Result<u64> {
        let (value, len) = number::read(self.rest)?.ok_or(ErrorKind::XzBlockHeader)?;
        self.take(u64_from(len))?;
        Ok(value)
    }

    fn number<T: Trace>(&mut self, name: Name, trace: &mut T) -> Result<u64> {
        let start = *self.at;
        let value = self.number_untold()?;
        trace.bytes(Part::Header, name, start..*self.at, Value::U64(value));
        Ok(value)
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8]> {
        let split = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        let (bytes, rest) = split.ok_or(ErrorKind::XzBlockHeader)?;
        self.rest = rest;
        *self.at += len;
        Ok(bytes)
    }
}

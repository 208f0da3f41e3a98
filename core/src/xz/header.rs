//! Headers and footers: of a stream, and of a block.

use super::check::CheckKind;
#[cfg(feature = "xz-filters")]
use super::filter::FilterKind;
use super::number;
use crate::checksum::Crc32;
use crate::copy::SLACK;
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::{index, split_last, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

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

/// Where the fields of a stream header lie.
mod head {
    use super::{Field, MAGIC, Name, Part};
    pub(super) const START: Field<{ MAGIC.len() }> = Field::new(0, Part::Framing, Name::Magic);
    pub(super) const FLAGS: Field<2> = Field::new(6, Part::Header, Name::Check);
    pub(super) const CRC: Field<4> = Field::new(8, Part::Checksum, Name::HeaderCrc32);
}

/// Where the fields of a stream footer lie.
mod foot {
    use super::{Field, Name, Part};
    pub(super) const CRC: Field<4> = Field::new(0, Part::Checksum, Name::FooterCrc32);
    pub(super) const BACKWARD: Field<4> = Field::new(4, Part::Framing, Name::BackwardSize);
    pub(super) const FLAGS: Field<2> = Field::new(8, Part::Header, Name::Check);
    pub(super) const END: Field<2> = Field::new(10, Part::Framing, Name::FooterMagic);
}

/// Reads the header of a stream that starts at `at` in the file.
pub(super) fn stream_header<T: Trace>(bytes: &[u8; STREAM_HEADER], at: u64, trace: &mut T) -> Verdict<StreamFlags> {
    let mut fields = Fields::new(bytes, at, trace);
    let magic = fields.get(&head::START)?;
    if magic != MAGIC {
        return Err(Fault::new(ErrorKind::XzMagic, 0));
    }
    let flags = StreamFlags(fields.get(&head::FLAGS)?);
    let stored = u32::from_le_bytes(fields.get(&head::CRC)?);
    fields.emit(&head::START, Value::Bytes(&magic));
    fields.emit(&head::FLAGS, Value::Word(flags.check().name()));
    fields.emit(&head::CRC, Value::Hex(stored.into()));
    if Crc32::of(&flags.0) != stored {
        return Err(Fault::new(ErrorKind::XzHeaderCrc, head::CRC.at()));
    }
    if flags.is_valid() { Ok(flags) } else { Err(Fault::new(ErrorKind::XzFlags, head::FLAGS.at())) }
}

/// The footer of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footer {
    /// The length of the index before it.
    pub(super) backward: u64,
    pub(super) flags: StreamFlags,
}

impl Footer {
    /// Compares the footer with the index and the header of its stream.
    pub(super) fn fits(&self, index: u64, flags: StreamFlags) -> Verdict<()> {
        if self.backward != index {
            return Err(Fault::new(ErrorKind::XzFooter, foot::BACKWARD.at()));
        }
        if self.flags == flags { Ok(()) } else { Err(Fault::new(ErrorKind::XzFooter, foot::FLAGS.at())) }
    }
}

/// Reads the footer that starts at `at` in the file.
pub(super) fn stream_footer<T: Trace>(bytes: &[u8; STREAM_HEADER], at: u64, trace: &mut T) -> Verdict<Footer> {
    let mut fields = Fields::new(bytes, at, trace);
    let magic = fields.get(&foot::END)?;
    if magic != FOOTER_MAGIC {
        return Err(Fault::new(ErrorKind::XzFooter, foot::END.at()));
    }
    let size = fields.get(&foot::BACKWARD)?;
    let flags = StreamFlags(fields.get(&foot::FLAGS)?);
    let backward = (u64::from(u32::from_le_bytes(size)) + 1) * 4;
    let stored = u32::from_le_bytes(fields.get(&foot::CRC)?);
    fields.emit(&foot::CRC, Value::Hex(stored.into()));
    fields.emit(&foot::BACKWARD, Value::U64(backward));
    fields.emit(&foot::FLAGS, Value::Word(flags.check().name()));
    fields.emit(&foot::END, Value::Bytes(&magic));
    let mut crc = Crc32::new();
    crc.update(&size);
    crc.update(&flags.0);
    if crc.value() != stored {
        return Err(Fault::new(ErrorKind::XzHeaderCrc, foot::CRC.at()));
    }
    if flags.is_valid() {
        Ok(Footer { backward, flags })
    } else {
        Err(Fault::new(ErrorKind::XzFlags, foot::FLAGS.at()))
    }
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

const SIZE: Field<1> = Field::new(0, Part::Framing, Name::HeaderSize);
const FLAGS: Field<1> = Field::new(1, Part::Header, Name::BlockFlags);

const DELTA: u64 = 3;
const LZMA2: u64 = 0x21;

impl BlockHeader {
    /// Reads the header of a block that starts at `at` in the file: exactly its bytes, of which the first is its length.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn read<T: Trace>(bytes: &[u8], at: u64, trace: &mut T) -> Verdict<Self> {
        let (covered, crc) = split_last::<4>(bytes).ok_or(Fault::new(ErrorKind::XzBlockHeader, 0))?;
        let stored = u32::from_le_bytes(*crc);
        if Crc32::of(covered) != stored {
            return Err(Fault::new(ErrorKind::XzHeaderCrc, covered.len()));
        }
        let mut fields = Fields::new(covered, at, trace);
        let [_, flags] = fields.array()?;
        fields.emit(&SIZE, Value::U64(u64_from(bytes.len())));
        fields.emit(&FLAGS, Value::Hex(flags.into()));
        if flags & 0x3C != 0 {
            return Err(Fault::new(ErrorKind::XzBlockFlags, FLAGS.at()));
        }
        let mut header = Self {
            len: bytes.len(),
            compressed: None,
            uncompressed: None,
            dictionary: 0,
            #[cfg(feature = "xz-filters")]
            filters: [None; 3],
        };
        if flags & 0x40 != 0 {
            let start = fields.at();
            let size = number(&mut fields)?;
            fields.emit_from(start, Part::Header, Name::CompressedSize, Value::U64(size));
            if size == 0 {
                return Err(Fault::new(ErrorKind::XzBlockSize, start));
            }
            header.compressed = Some(size);
        }
        if flags & 0x80 != 0 {
            let start = fields.at();
            let size = number(&mut fields)?;
            fields.emit_from(start, Part::Header, Name::UncompressedSize, Value::U64(size));
            header.uncompressed = Some(size);
        }
        // The last filter is LZMA2, and only that.
        let before = usize::from(flags & 3);
        for number in 0..=before {
            header.filter(&mut fields, number, number == before)?;
        }
        let (start, padding) = (fields.at(), fields.take(fields.rest().len())?);
        if !padding.is_empty() {
            fields.emit_from(start, Part::Padding, Name::HeaderPadding, Value::None);
        }
        if let Some(zeros) = padding.iter().position(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::XzPadding, start + zeros));
        }
        if T::LISTENS {
            let crc_at = at + u64_from(covered.len());
            trace.bytes(Part::Checksum, Name::BlockHeaderCrc32, crc_at..crc_at + 4, Value::Hex(stored.into()));
        }
        Ok(header)
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn filter<T: Trace>(&mut self, fields: &mut Fields<'_, '_, T>, slot: usize, last: bool) -> Verdict<()> {
        let start = fields.at();
        let id = number(fields)?;
        fields.emit_from(start, Part::Header, Name::Filter, Value::Word(filter_name(id)));
        let size_at = fields.at();
        let size = number(fields)?;
        fields.emit_from(size_at, Part::Framing, Name::PropertiesSize, Value::U64(size));
        let properties_at = fields.at();
        let properties = fields.take(index(size)).map_err(|_| Fault::new(ErrorKind::XzBlockHeader, properties_at))?;
        if last != (id == LZMA2) {
            let known = id == LZMA2 || is_known(id);
            return Err(Fault::new(if known { ErrorKind::XzFilterChain } else { ErrorKind::XzFilter }, start));
        }
        let unfit = Fault::new(ErrorKind::XzFilterProperties, properties_at);
        if last {
            let size = if let &[bits] = properties { dictionary_size(bits) } else { None };
            self.dictionary = size.ok_or(unfit)?;
            let size = Value::U64(self.dictionary.into());
            fields.emit_from(properties_at, Part::Header, Name::DictionarySize, size);
            return Ok(());
        }
        if !properties.is_empty() {
            fields.emit_from(properties_at, Part::Header, Name::FilterProperties, Value::Bytes(properties));
        }
        if !is_known(id) {
            return Err(Fault::new(ErrorKind::XzFilter, start));
        }
        #[cfg(feature = "xz-filters")]
        {
            let filter = FilterKind::read(id, properties).ok_or(unfit)?;
            if let Some(slot) = self.filters.get_mut(slot) {
                *slot = Some(filter);
            }
            Ok(())
        }
        #[cfg(not(feature = "xz-filters"))]
        {
            let _ = slot;
            Err(Fault::new(ErrorKind::XzFilter, start))
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

/// Reads the number at the cursor. A fault shows at its first byte.
fn number<T: Trace>(fields: &mut Fields<'_, '_, T>) -> Verdict<u64> {
    let wrong = |kind| Fault::new(kind, fields.at());
    let (value, len) =
        number::read(fields.rest()).map_err(|fault| wrong(fault.kind))?.ok_or(wrong(ErrorKind::XzBlockHeader))?;
    fields.take(len)?;
    Ok(value)
}

/// The header of a stream, with that of its first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The check after each block.
    pub check: CheckKind,
    /// The header of the first block; `None` if the stream has none.
    pub block: Option<BlockHeader>,
}

impl Header {
    /// Reads the first bytes of a file. An error of the class `Truncated` says how many there must be.
    pub fn read(src: &[u8], limits: &Limits) -> Result<Self> {
        let cut = |need: usize| Error::new(ErrorKind::Truncated, u64_from(src.len())).needing(u64_from(need));
        let (stream, rest) = src.split_first_chunk().ok_or(cut(STREAM_HEADER + 1))?;
        let flags = stream_header(stream, 0, &mut ())?;
        let &first = rest.first().ok_or(cut(STREAM_HEADER + 1))?;
        if first == 0 {
            return Ok(Self { check: flags.check(), block: None });
        }
        let end = STREAM_HEADER + block_header_len(first);
        if u64_from(end) > limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, u64_from(STREAM_HEADER)).needing(u64_from(end)));
        }
        let bytes = src.get(STREAM_HEADER..end).ok_or(cut(end))?;
        let block = BlockHeader::read(bytes, 0, &mut ()).map_err(|fault| fault.offset_by(STREAM_HEADER))?;
        Ok(Self { check: flags.check(), block: Some(block) })
    }

    /// Bytes of window that a [`Decoder`](super::Decoder) needs for the first block. Later ones may need more.
    pub fn window(&self) -> u64 {
        self.block.map_or(0, |block| block.window())
    }
}

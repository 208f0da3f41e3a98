//! The header of a member.

use core::ops::Range;

use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The flags of a header.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xE0;

/// The header of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The modification time of the content, in seconds since 1970; 0 if unknown.
    pub modified: u32,
    /// The name of the file, in Latin-1, without the zero byte that ends it.
    pub name: Option<&'a [u8]>,
    /// Its length. The deflate stream starts after it.
    pub len: usize,
}

impl<'a> Header<'a> {
    /// Reads the header of the member at the start of `src`. The `need` of an error of the class
    /// `Truncated` is the length of `src` that it takes to read on, unless a text ends there.
    pub fn read(src: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut walk = HeaderWalk::new();
        if !walk.feed(&mut &*src, 0, limits, &mut ())? {
            return Err(walk.truncated(0));
        }
        let name = walk.name.clone().and_then(|name| src.get(name));
        Ok(Self { modified: walk.modified, name, len: walk.len() })
    }
}

/// The field that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Magic,
    Method,
    Flags,
    Modified,
    Effort,
    System,
    ExtraLength,
    Extra,
    Name,
    Comment,
    Crc,
    /// None: the header is complete.
    End,
}

/// A walk over a header that may come in pieces. It keeps no text.
#[derive(Clone, Debug)]
pub(super) struct HeaderWalk {
    field: Field,
    /// The offset of the field in the header.
    start: usize,
    /// Bytes of the field so far, and the first four of them.
    got: usize,
    number: [u8; 4],
    flags: u8,
    modified: u32,
    /// The length of the extra field.
    extra: usize,
    /// The place of the name in the header.
    name: Option<Range<usize>>,
    /// Of everything before its own field.
    crc: Crc32,
}

impl HeaderWalk {
    /// A walk that starts with the first byte of a header.
    pub(super) fn new() -> Self {
        let (flags, modified, extra, name, crc) = (0, 0, 0, None, Crc32::new());
        Self { field: Field::Magic, start: 0, got: 0, number: [0; 4], flags, modified, extra, name, crc }
    }

    /// The bytes that were read.
    pub(super) const fn len(&self) -> usize {
        self.start.saturating_add(self.got)
    }

    /// The error of an input that ends here. The header is at `base` in it.
    pub(super) fn truncated(&self, base: u64) -> Error {
        let need = self.size().map_or(0, |size| u64_from(self.start.saturating_add(size)).saturating_add(base));
        Error::truncated(u64_from(self.len()).saturating_add(base), need)
    }

    /// The length of the field; `None` for a text.
    const fn size(&self) -> Option<usize> {
        match self.field {
            Field::Magic | Field::ExtraLength | Field::Crc => Some(2),
            Field::Method | Field::Flags | Field::Effort | Field::System => Some(1),
            Field::Modified => Some(4),
            Field::Extra => Some(self.extra),
            Field::Name | Field::Comment => None,
            Field::End => Some(0),
        }
    }

    /// Reads the header of a member, which is at `base` in the file. Returns `false` if it goes on
    /// after `src`.
    pub(super) fn feed<T: Trace>(
        &mut self,
        src: &mut &[u8],
        base: u64,
        limits: &Limits,
        trace: &mut T,
    ) -> Result<bool> {
        let most = index(limits.max_header);
        while self.field != Field::End {
            let limit = |need: usize| {
                Error::new(ErrorKind::HeaderLimit, u64_from(self.start)).needing(u64_from(need)).offset_by(base)
            };
            let missing = match self.size() {
                Some(size) if self.start.saturating_add(size) > most => return Err(limit(self.start + size)),
                Some(size) => size.saturating_sub(self.got),
                None => {
                    let room = src.get(..most.saturating_sub(self.len())).unwrap_or(src);
                    crate::steps::count(room.len());
                    let zero = room.iter().position(|&byte| byte == 0);
                    // The end of the text is unknown, but beyond the limit.
                    if zero.is_none() && self.len().saturating_add(room.len()) >= most {
                        return Err(limit(most.saturating_add(1)));
                    }
                    zero.map_or(usize::MAX, |zero| zero + 1)
                }
            };
            let (piece, rest) = src.split_at_checked(missing).unwrap_or((src, &[]));
            *src = rest;
            copy(piece, self.number.get_mut(self.got..).unwrap_or_default());
            if self.field != Field::Crc {
                self.crc.update(piece);
            }
            self.got += piece.len();
            if piece.len() < missing {
                return Ok(false);
            }
            self.finish(piece, base, trace).map_err(|fault| Error::from(fault).offset_by(base))?;
        }
        Ok(true)
    }

    /// Reads a field that is complete, emits it, and goes on to the next one. If it came in one
    /// piece, its bytes are `piece`.
    fn finish<T: Trace>(&mut self, piece: &[u8], base: u64, trace: &mut T) -> Verdict<()> {
        let [first, second, ..] = self.number;
        let (pair, number) = (u16::from_le_bytes([first, second]), u32::from_le_bytes(self.number));
        let end = self.len();
        let refuse = |kind| Err(Fault::new(kind, self.start));
        let text = || {
            let text = piece.strip_suffix(&[0]).unwrap_or(piece);
            core::str::from_utf8(text).map_or(Value::Bytes(text), Value::Text)
        };
        let (part, name, value) = match self.field {
            Field::Magic if [first, second] != [0x1F, 0x8B] => return refuse(ErrorKind::GzipMagic),
            Field::Magic => (Part::Framing, Name::Magic, Value::Bytes(piece)),
            Field::Method if first != 8 => return refuse(ErrorKind::GzipMethod),
            Field::Method => (Part::Header, Name::Method, Value::Word("deflate")),
            Field::Flags if first & RESERVED != 0 => return refuse(ErrorKind::GzipReservedFlag),
            Field::Flags => {
                self.flags = first;
                (Part::Header, Name::Flags, Value::Hex(first.into()))
            }
            Field::Modified => {
                self.modified = number;
                (Part::Header, Name::Modified, Value::U64(number.into()))
            }
            Field::Effort => (Part::Header, Name::Effort, Value::U64(first.into())),
            Field::System => (Part::Header, Name::OperatingSystem, Value::U64(first.into())),
            Field::ExtraLength => {
                self.extra = pair.into();
                (Part::Framing, Name::ExtraLength, Value::U64(pair.into()))
            }
            Field::Extra => (Part::Header, Name::Extra, Value::Bytes(piece)),
            Field::Name => {
                self.name = Some(self.start..end.saturating_sub(1));
                (Part::Header, Name::Name, text())
            }
            Field::Comment => (Part::Header, Name::Comment, text()),
            Field::Crc => (Part::Checksum, Name::HeaderCrc16, Value::Hex(pair.into())),
            Field::End => return Ok(()),
        };
        trace.bytes(part, name, base + u64_from(self.start)..base + u64_from(end), value);
        if self.field == Field::Crc && self.crc.value() & 0xFFFF != pair.into() {
            return Err(Fault::new(ErrorKind::GzipHeaderCrc, self.start));
        }
        self.field = self.next();
        (self.start, self.got, self.number) = (end, 0, [0; 4]);
        Ok(())
    }

    /// Returns the field after this one.
    const fn next(&self) -> Field {
        let has = self.flags;
        match self.field {
            Field::Magic => Field::Method,
            Field::Method => Field::Flags,
            Field::Flags => Field::Modified,
            Field::Modified => Field::Effort,
            Field::Effort => Field::System,
            Field::System if has & EXTRA != 0 => Field::ExtraLength,
            Field::ExtraLength => Field::Extra,
            Field::System | Field::Extra if has & NAME != 0 => Field::Name,
            Field::System | Field::Extra | Field::Name if has & COMMENT != 0 => Field::Comment,
            Field::System | Field::Extra | Field::Name | Field::Comment if has & HEADER_CRC != 0 => Field::Crc,
            _ => Field::End,
        }
    }
}

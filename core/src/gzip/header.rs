//! What stands before the content of a member.

use crate::checksum::Crc32;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Shifted, Trace, Value};

/// The flags of a header, by their bits.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xE0;

/// The header of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// When the content was last changed, in seconds since 1970; 0 if nobody said.
    pub modified: u32,
    /// The name that the file had, in Latin-1, without the zero byte that ends it.
    pub name: Option<&'a [u8]>,
    /// Offset of the deflate stream in the file.
    pub end: usize,
}

impl<'a> Header<'a> {
    /// Reads the header of the member that starts at `at`.
    pub fn read(src: &'a [u8], at: usize, limits: &Limits) -> Result<Self> {
        Self::read_traced(src, at, limits, &mut Shifted::new(&mut (), 0))
    }

    pub(super) fn read_traced(src: &'a [u8], at: usize, limits: &Limits, trace: &mut Shifted<'_>) -> Result<Self> {
        let mut fields = Fields { src, start: at, at, most: at.saturating_add(index(limits.max_header)), trace };
        let magic = fields.take(2, ErrorKind::GzipMagic, |bytes| bytes == [0x1F, 0x8B])?;
        fields.tell(Part::Framing, Name::Magic, Value::Bytes(magic));
        fields.take(1, ErrorKind::GzipMethod, |bytes| bytes == [8])?;
        fields.tell(Part::Header, Name::Method, Value::Word("deflate"));
        let flags =
            fields.take(1, ErrorKind::GzipReservedFlag, |bytes| bytes.iter().all(|flags| flags & RESERVED == 0))?;
        let flags = flags.first().copied().unwrap_or_default();
        fields.tell(Part::Header, Name::Flags, Value::Hex(flags.into()));
        let modified = u32::from_le_bytes(fields.array()?);
        fields.tell(Part::Header, Name::Modified, Value::U64(modified.into()));
        let [effort] = fields.array()?;
        fields.tell(Part::Header, Name::Effort, Value::U64(effort.into()));
        let [system] = fields.array()?;
        fields.tell(Part::Header, Name::OperatingSystem, Value::U64(system.into()));
        if flags & EXTRA != 0 {
            let len = u16::from_le_bytes(fields.array()?);
            fields.tell(Part::Framing, Name::ExtraLength, Value::U64(len.into()));
            let extra = fields.any(len.into())?;
            fields.tell(Part::Header, Name::Extra, Value::Bytes(extra));
        }
        let name = if flags & NAME != 0 { Some(fields.text(Name::Name)?) } else { None };
        if flags & COMMENT != 0 {
            fields.text(Name::Comment)?;
        }
        if flags & HEADER_CRC != 0 {
            let start = fields.at;
            let mut crc = Crc32::new();
            crc.update(src.get(at..start).unwrap_or_default());
            let [a, b, ..] = crc.value().to_le_bytes();
            let found = u16::from_le_bytes(fields.array()?);
            fields.tell(Part::Checksum, Name::HeaderCrc16, Value::Hex(found.into()));
            if u16::from_le_bytes([a, b]) != found {
                return Err(Error::new(ErrorKind::GzipHeaderCrc, u64_from(start)));
            }
        }
        Ok(Self { modified, name, end: fields.at })
    }
}

/// Reads one field after the other.
struct Fields<'a, 't, 's> {
    src: &'a [u8],
    /// Where the header starts.
    start: usize,
    at: usize,
    /// Where a header of the largest allowed size would end.
    most: usize,
    trace: &'t mut Shifted<'s>,
}

impl<'a> Fields<'a, '_, '_> {
    /// The next bytes, whatever they are.
    fn any(&mut self, len: usize) -> Result<&'a [u8]> {
        let end = self.at.saturating_add(len);
        if end > self.most {
            return Err(self.too_long(end));
        }
        let bytes = self.src.get(self.at..end);
        let bytes = bytes.ok_or(Error::truncated(u64_from(self.src.len()), u64_from(end)))?;
        self.at = end;
        Ok(bytes)
    }

    /// A header of a field that ends here is longer than the limit allows.
    fn too_long(&self, end: usize) -> Error {
        Error::new(ErrorKind::HeaderLimit, u64_from(self.at)).needing(u64_from(end.saturating_sub(self.start)))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.any(N)?.first_chunk().copied().unwrap_or([0; N]))
    }

    /// The next bytes, if they are what they must be.
    fn take(&mut self, len: usize, kind: ErrorKind, right: impl FnOnce(&[u8]) -> bool) -> Result<&'a [u8]> {
        let at = self.at;
        let bytes = self.any(len)?;
        if right(bytes) { Ok(bytes) } else { Err(Error::new(kind, u64_from(at))) }
    }

    /// A text up to a zero byte.
    fn text(&mut self, name: Name) -> Result<&'a [u8]> {
        let rest = self.src.get(self.at..).unwrap_or_default();
        let room = self.most.saturating_sub(self.at);
        let Some(len) = rest.iter().take(room).position(|&byte| byte == 0) else {
            let cut = Error::new(ErrorKind::Truncated, u64_from(self.src.len()));
            return Err(if rest.len() < room { cut } else { self.too_long(self.most.saturating_add(1)) });
        };
        let start = self.at;
        let bytes = self.any(len)?;
        self.any(1)?;
        self.tell_from(start, Part::Header, name, core::str::from_utf8(bytes).map_or(Value::Bytes(bytes), Value::Text));
        Ok(bytes)
    }

    /// Tells of the field that was just read: its length follows from its value.
    fn tell(&mut self, part: Part, name: Name, value: Value<'_>) {
        let len = match (name, value) {
            (_, Value::Bytes(bytes)) => bytes.len(),
            (Name::Modified, _) => 4,
            (Name::ExtraLength | Name::HeaderCrc16, _) => 2,
            _ => 1,
        };
        self.tell_from(self.at.saturating_sub(len), part, name, value);
    }

    fn tell_from(&mut self, start: usize, part: Part, name: Name, value: Value<'_>) {
        self.trace.bytes(part, name, u64_from(start)..u64_from(self.at), value);
    }
}

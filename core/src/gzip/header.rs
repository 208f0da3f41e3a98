//! The header of a member.

use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

const MAGIC: Field<2> = Field::new(0, Part::Framing, Name::Magic);
const METHOD: Field<1> = Field::new(2, Part::Header, Name::Method);
const FLAGS: Field<1> = Field::new(3, Part::Header, Name::Flags);
const MODIFIED: Field<4> = Field::new(4, Part::Header, Name::Modified);
const EFFORT: Field<1> = Field::new(8, Part::Header, Name::Effort);
const SYSTEM: Field<1> = Field::new(9, Part::Header, Name::OperatingSystem);

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
        Self::read_traced(src, 0, limits, &mut ())
    }

    /// Reads the header of the member at the start of `src`, which is at `base` in the file.
    pub(super) fn read_traced<T: Trace>(src: &'a [u8], base: u64, limits: &Limits, trace: &mut T) -> Result<Self> {
        let most = index(limits.max_header);
        let mut fields = Fields::new(src.get(..most).unwrap_or(src), base, trace);
        Self::fill(&mut fields, most).map_err(|fault| {
            if fault.kind == ErrorKind::Truncated && fields.wanted() > most {
                let limit = Error::new(ErrorKind::HeaderLimit, u64_from(fields.at()));
                return limit.needing(u64_from(fields.wanted())).offset_by(base);
            }
            fields.error(fault)
        })
    }

    fn fill<T: Trace>(fields: &mut Fields<'a, '_, T>, most: usize) -> Verdict<Self> {
        let magic = fields.get(&MAGIC)?;
        if *magic != [0x1F, 0x8B] {
            return Err(Fault::new(ErrorKind::GzipMagic, MAGIC.at()));
        }
        fields.emit(&MAGIC, Value::Bytes(magic));
        if *fields.get(&METHOD)? != [8] {
            return Err(Fault::new(ErrorKind::GzipMethod, METHOD.at()));
        }
        fields.emit(&METHOD, Value::Word("deflate"));
        let [flags] = *fields.get(&FLAGS)?;
        if flags & RESERVED != 0 {
            return Err(Fault::new(ErrorKind::GzipReservedFlag, FLAGS.at()));
        }
        fields.emit(&FLAGS, Value::Hex(flags.into()));
        let modified = u32::from_le_bytes(*fields.get(&MODIFIED)?);
        fields.emit(&MODIFIED, Value::U64(modified.into()));
        let [effort] = *fields.get(&EFFORT)?;
        fields.emit(&EFFORT, Value::U64(effort.into()));
        let [system] = *fields.get(&SYSTEM)?;
        fields.emit(&SYSTEM, Value::U64(system.into()));
        if flags & EXTRA != 0 {
            let start = fields.at();
            let len = u16::from_le_bytes(fields.array()?);
            fields.emit_from(start, Part::Framing, Name::ExtraLength, Value::U64(len.into()));
            let start = fields.at();
            let extra = fields.take(len.into())?;
            fields.emit_from(start, Part::Header, Name::Extra, Value::Bytes(extra));
        }
        let name = if flags & NAME != 0 { Some(text(fields, most, Name::Name)?) } else { None };
        if flags & COMMENT != 0 {
            text(fields, most, Name::Comment)?;
        }
        if flags & HEADER_CRC != 0 {
            let start = fields.at();
            let [a, b, ..] = Crc32::of(fields.before()).to_le_bytes();
            let found = fields.array()?;
            let shown = u16::from_le_bytes(found);
            fields.emit_from(start, Part::Checksum, Name::HeaderCrc16, Value::Hex(shown.into()));
            if [a, b] != found {
                return Err(Fault::new(ErrorKind::GzipHeaderCrc, start));
            }
        }
        Ok(Self { modified, name, len: fields.at() })
    }
}

/// Reads a text up to a zero byte.
fn text<'a, T: Trace>(fields: &mut Fields<'a, '_, T>, most: usize, name: Name) -> Verdict<&'a [u8]> {
    let (start, rest) = (fields.at(), fields.rest());
    crate::steps::count(rest.len());
    let Some(len) = rest.iter().position(|&byte| byte == 0) else {
        // Its end is unknown, but beyond the limit if that has been reached.
        let full = start.saturating_add(rest.len()) >= most;
        return fields.truncated(if full { most.saturating_add(1) } else { 0 });
    };
    let bytes = fields.take(len)?;
    fields.take(1)?;
    let value = core::str::from_utf8(bytes).map_or(Value::Bytes(bytes), Value::Text);
    fields.emit_from(start, Part::Header, name, value);
    Ok(bytes)
}

//! The first bytes of a file, and the layout of its tables.

use core::ops::Range;

use crate::fault::Fault;
use crate::fields::{Field, Fields};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

const MAGIC: Field<8> = Field::new(0, Part::Framing, Name::Magic);
const BITS: Field<1> = Field::new(8, Part::Header, Name::BitsACode);

/// Bytes of the number of entries before each table.
pub(super) const COUNT: usize = 4;

/// The first bytes of a file. All other framing precedes each of the four tables: see
/// [`Outline`](super::Outline).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bits of a code, 1 to 16.
    pub bits: u32,
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 9;

    /// Reads the header at the start of `src`.
    ///
    /// ```
    /// use unspool::{Limits, onpair::Header};
    /// assert_eq!(Header::read(b"ONPAIR01\x0C", &Limits::DEFAULT)?.bits, 12);
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn read(src: &[u8], limits: &Limits) -> Result<Self> {
        let len = u64_from(Self::LEN);
        if limits.max_header < len {
            return Err(Error::new(ErrorKind::HeaderLimit, 0).needing(len));
        }
        Self::parse(src, &mut ())
    }

    /// Reads the header at the start of a file.
    pub(super) fn parse<T: Trace>(src: &[u8], trace: &mut T) -> Result<Self> {
        let mut fields = Fields::new(src, 0, trace);
        // A file shorter than the magic is refused if the bytes that it has differ.
        if !src.iter().zip(b"ONPAIR01").all(|(a, b)| a == b) {
            return Err(Fault::new(ErrorKind::OnPairMagic, MAGIC.at()).into());
        }
        let [bits] = *fields.get(&BITS).map_err(|fault| fields.error(fault))?;
        if !(1..=16).contains(&bits) {
            return Err(Fault::new(ErrorKind::OnPairBits, BITS.at()).into());
        }
        fields.emit(&MAGIC, Value::Text("ONPAIR01"));
        fields.emit(&BITS, Value::U64(bits.into()));
        Ok(Self { bits: bits.into() })
    }
}

/// A kind of table: the number of its entries before it, its name, what it is for, and the bytes of
/// an entry.
pub(super) struct TableKind {
    count: Field<COUNT>,
    pub(super) name: Name,
    pub(super) part: Part,
    width: u64,
}

/// The tables in the order of the file.
pub(super) const TABLES: [TableKind; 4] = [
    TableKind { count: count(Name::DictionaryLength), name: Name::Tokens, part: Part::Table, width: 1 },
    TableKind { count: count(Name::TokenOffsetCount), name: Name::TokenOffsets, part: Part::Table, width: 4 },
    TableKind { count: count(Name::CodeWordCount), name: Name::Codes, part: Part::Symbols, width: 8 },
    TableKind { count: count(Name::RowOffsetCount), name: Name::RowOffsets, part: Part::Framing, width: 4 },
];

const fn count(name: Name) -> Field<COUNT> {
    Field::new(0, Part::Framing, name)
}

impl TableKind {
    /// Returns the bytes of the table in a file of `len` bytes. `bytes` starts at `at` with the
    /// number of its entries.
    pub(super) fn place<T: Trace>(&self, bytes: &[u8], at: u64, len: u64, trace: &mut T) -> Result<Range<u64>> {
        let place = self.reach(bytes, at, trace)?;
        if place.end <= len { Ok(place) } else { Err(Error::truncated(len, place.end)) }
    }

    /// Returns the bytes of the table, which may end after the file.
    fn reach<T: Trace>(&self, bytes: &[u8], at: u64, trace: &mut T) -> Result<Range<u64>> {
        let mut fields = Fields::new(bytes, at, trace);
        let count = u32::from_le_bytes(*fields.get(&self.count).map_err(|fault| fields.error(fault))?);
        fields.emit(&self.count, Value::U64(count.into()));
        let start = at.saturating_add(u64_from(COUNT));
        Ok(start..start.saturating_add(u64::from(count).saturating_mul(self.width)))
    }
}

/// Emits the tables of a file that cannot be opened, each as far as the file goes.
pub(super) fn emit_tables(bytes: &[u8], trace: &mut impl Trace) {
    let (len, mut at) = (u64_from(bytes.len()), u64_from(Header::LEN));
    for table in &TABLES {
        let Ok(place) = table.reach(bytes.get(index(at)..).unwrap_or_default(), at, &mut ()) else { return };
        if place.start < len {
            trace.bytes(table.part, table.name, place.start..place.end.min(len), Value::None);
        }
        at = place.end;
    }
}

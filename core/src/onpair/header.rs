//! The first bytes of a file, and the layout of its tables.

use core::ops::Range;

use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The first eight bytes.
const MAGIC: &[u8; 8] = b"ONPAIR01";
/// Bytes of the number of entries before each table.
pub(super) const COUNT: u64 = 4;

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
        Self::parse(src, u64_from(src.len()), &mut ())
    }

    /// Reads the header of a file of `len` bytes.
    pub(super) fn parse(src: &[u8], len: u64, trace: &mut impl Trace) -> Result<Self> {
        let (magic, end) = (u64_from(MAGIC.len()), u64_from(Self::LEN));
        if !MAGIC.starts_with(src.get(..MAGIC.len()).unwrap_or(src)) {
            return Err(Error::new(ErrorKind::OnPairMagic, 0));
        }
        let &bits = src.get(MAGIC.len()).ok_or_else(|| Error::truncated(len, end))?;
        if !(1..=16).contains(&bits) {
            return Err(Error::new(ErrorKind::OnPairBits, magic));
        }
        trace.bytes(Part::Framing, Name::Magic, 0..magic, Value::Text("ONPAIR01"));
        trace.bytes(Part::Header, Name::BitsACode, magic..end, Value::U64(bits.into()));
        Ok(Self { bits: bits.into() })
    }
}

/// A kind of table: its names, what it is for, and the bytes of an entry.
pub(super) struct TableKind {
    count: Name,
    pub(super) name: Name,
    pub(super) part: Part,
    width: u64,
}

/// The tables in the order of the file.
pub(super) const TABLES: [TableKind; 4] = [
    TableKind { count: Name::DictionaryLength, name: Name::Tokens, part: Part::Table, width: 1 },
    TableKind { count: Name::TokenOffsetCount, name: Name::TokenOffsets, part: Part::Table, width: 4 },
    TableKind { count: Name::CodeWordCount, name: Name::Codes, part: Part::Symbols, width: 8 },
    TableKind { count: Name::RowOffsetCount, name: Name::RowOffsets, part: Part::Framing, width: 4 },
];

impl TableKind {
    /// Returns the bytes of the table in a file of `len` bytes. `bytes` starts at `at` with the
    /// number of its entries.
    pub(super) fn place(&self, bytes: &[u8], at: u64, len: u64, trace: &mut impl Trace) -> Result<Range<u64>> {
        let start = at.saturating_add(COUNT);
        let (count, place) = self.reach(bytes, at).ok_or_else(|| Error::truncated(len, start))?;
        trace.bytes(Part::Framing, self.count, at..start, Value::U64(count.into()));
        if place.end <= len { Ok(place) } else { Err(Error::truncated(len, place.end)) }
    }

    /// Returns the number of entries and the bytes of the table, which may end after the file.
    fn reach(&self, bytes: &[u8], at: u64) -> Option<(u32, Range<u64>)> {
        let start = at.saturating_add(COUNT);
        let count = bytes.first_chunk().copied().map(u32::from_le_bytes)?;
        Some((count, start..start.saturating_add(u64::from(count).saturating_mul(self.width))))
    }
}

/// Emits the tables of a file that cannot be opened, each as far as the file goes.
pub(super) fn emit_tables(bytes: &[u8], trace: &mut impl Trace) {
    let (len, mut at) = (u64_from(bytes.len()), u64_from(Header::LEN));
    for table in &TABLES {
        let Some((_, place)) = bytes.get(index(at)..).and_then(|bytes| table.reach(bytes, at)) else { return };
        if place.start < len {
            trace.bytes(table.part, table.name, place.start..place.end.min(len), Value::None);
        }
        at = place.end;
    }
}

//! Where the tables of a container lie: only the numbers of their entries are read.

use core::ops::Range;

use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Name, Part, Result, Trace, Value};

/// The first eight bytes.
const MAGIC: &[u8; 8] = b"ONPAIR01";
/// What is before the first table: these, and the width of the codes.
pub(super) const HEAD: u64 = 9;
/// Bytes of the number of entries before each table.
const COUNT: u64 = 4;

/// What a table is called and for, and how many bytes each of its entries has.
pub(super) struct Table {
    count: Name,
    name: Name,
    part: Part,
    width: u64,
}

pub(super) const TABLES: [Table; 4] = [
    Table { count: Name::DictionaryLength, name: Name::Tokens, part: Part::Table, width: 1 },
    Table { count: Name::TokenOffsetCount, name: Name::TokenOffsets, part: Part::Table, width: 4 },
    Table { count: Name::CodeWordCount, name: Name::Codes, part: Part::Symbols, width: 8 },
    Table { count: Name::RowOffsetCount, name: Name::RowOffsets, part: Part::Framing, width: 4 },
];

impl Table {
    /// Where the table lies in a file of `len` bytes, if `bytes` from `at` on start with the number of its entries.
    pub(super) fn place(&self, bytes: &[u8], at: u64, len: u64, trace: &mut impl Trace) -> Result<Range<u64>> {
        let start = at.saturating_add(COUNT);
        let (count, place) = self.reach(bytes, at).ok_or_else(|| Error::truncated(len, start))?;
        trace.bytes(Part::Framing, self.count, at..start, Value::U64(count.into()));
        if place.end <= len { Ok(place) } else { Err(Error::truncated(len, place.end)) }
    }

    /// How many entries it has, and where it lies, whether the file reaches that far or not.
    fn reach(&self, bytes: &[u8], at: u64) -> Option<(u32, Range<u64>)> {
        let start = at.saturating_add(COUNT);
        let count = bytes.first_chunk().copied().map(u32::from_le_bytes)?;
        Some((count, start..start.saturating_add(u64::from(count).saturating_mul(self.width))))
    }
}

/// Tells the tables of a container that cannot be opened, each as far as it goes.
pub(super) fn tables(bytes: &[u8], trace: &mut impl Trace) {
    let (len, mut at) = (u64_from(bytes.len()), HEAD);
    for table in &TABLES {
        let Some((_, place)) = bytes.get(index(at)..).and_then(|bytes| table.reach(bytes, at)) else { return };
        if place.start < len {
            trace.bytes(table.part, table.name, place.start..place.end.min(len), Value::None);
        }
        at = place.end;
    }
}

/// Reads what is before the first table; gives how many bits each code takes.
pub(super) fn head(bytes: &[u8], len: u64, trace: &mut impl Trace) -> Result<u32> {
    let magic = u64_from(MAGIC.len());
    if !MAGIC.starts_with(bytes.get(..MAGIC.len()).unwrap_or(bytes)) {
        return Err(Error::new(ErrorKind::OnPairMagic, 0));
    }
    let &bits = bytes.get(MAGIC.len()).ok_or_else(|| Error::truncated(len, HEAD))?;
    if !(1..=16).contains(&bits) {
        return Err(Error::new(ErrorKind::OnPairBits, magic));
    }
    trace.bytes(Part::Framing, Name::Magic, 0..magic, Value::Text("ONPAIR01"));
    trace.bytes(Part::Header, Name::BitsACode, magic..HEAD, Value::U64(bits.into()));
    Ok(bits.into())
}

/// Follows the tables of a container, each of which says where the next one is.
///
/// It asks for byte ranges and tells what they say. The caller fetches them from a flash page, a file or a server: five ranges
/// with 25 bytes together, whatever the size of the file.
///
/// ```
/// use unspool::onpair::Outline;
/// let file = b"ONPAIR01\x09\x02\0\0\0ab\x03\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0\0\x02\x04\0\0\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0";
/// let mut outline = Outline::new(file.len() as u64);
/// while let Some(range) = outline.needs() {
///     outline.feed(&file[range.start as usize..range.end as usize], &mut ())?;
/// }
/// let [tokens, .., row_offsets] = outline.places();
/// assert_eq!((outline.bits(), &file[tokens.start as usize..tokens.end as usize]), (9, &b"ab"[..]));
/// assert_eq!(row_offsets.end, file.len() as u64);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline {
    len: u64,
    at: u64,
    next: Next,
    bits: u32,
    places: [Range<u64>; 4],
}

/// What lies there.
#[derive(Clone, Copy, Debug)]
enum Next {
    Head,
    Table(usize),
    Nothing,
}

impl Outline {
    /// A file of this length.
    pub const fn new(len: u64) -> Self {
        Self { len, at: 0, next: Next::Head, bits: 0, places: [const { 0..0 }; 4] }
    }

    /// The bytes to [`feed`](Self::feed) next; nothing when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        let most = match self.next {
            Next::Head => HEAD,
            Next::Table(_) => COUNT,
            Next::Nothing => return None,
        };
        Some(self.at..self.at.saturating_add(most).min(self.len))
    }

    /// How many bits each code takes; 0 until it is known.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The bytes of the file that hold the tokens, their offsets, the codes, and the row offsets; none until they are known.
    pub const fn places(&self) -> &[Range<u64>; 4] {
        &self.places
    }

    /// Takes the bytes that were asked for. Behind an error nothing more is asked for.
    pub fn feed(&mut self, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
        let Some(range) = self.needs() else { return Ok(()) };
        let next = core::mem::replace(&mut self.next, Next::Nothing);
        if u64_from(bytes.len()) != range.end.saturating_sub(range.start) {
            return Err(Error::new(ErrorKind::Truncated, self.at.saturating_add(u64_from(bytes.len()))));
        }
        match next {
            Next::Head => {
                self.bits = head(bytes, self.len, trace)?;
                (self.at, self.next) = (HEAD, Next::Table(0));
            }
            Next::Table(number) => {
                let (Some(table), Some(place)) = (TABLES.get(number), self.places.get_mut(number)) else {
                    return Ok(());
                };
                *place = table.place(bytes, self.at, self.len, trace)?;
                trace.bytes(table.part, table.name, place.clone(), Value::None);
                self.at = place.end;
                let next = number.saturating_add(1);
                if next < TABLES.len() {
                    self.next = Next::Table(next);
                } else if self.at < self.len {
                    trace.bytes(Part::Padding, Name::TrailingBytes, self.at..self.len, Value::None);
                }
            }
            Next::Nothing => {}
        }
        Ok(())
    }
}

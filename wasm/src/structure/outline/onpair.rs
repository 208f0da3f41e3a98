//! The tables of an OnPair container: each lies behind the number of its entries.

use core::ops::Range;

use unspool::{Error, ErrorKind, Part, Result, Trace, Value};

/// Finds one table after the other.
pub struct Tables {
    len: u64,
    at: u64,
    /// How many tables are known.
    known: usize,
}

/// What is before the first table: the magic number, and the width of the codes.
const MAGIC: u64 = 8;
const HEAD: u64 = MAGIC + 1;
/// Bytes of the number of entries.
const COUNT: u64 = 4;

/// The names of the number of entries and of the table, what the table is for, and bytes of an entry.
const TABLES: [(&str, &str, Part, u64); 4] = [
    ("dictionary length", "tokens", Part::Table, 1),
    ("token offset count", "token offsets", Part::Table, 4),
    ("code word count", "codes", Part::Symbols, 8),
    ("row offset count", "row offsets", Part::Framing, 4),
];

impl Tables {
    pub const fn new(len: u64) -> Self {
        Self { len, at: 0, known: 0 }
    }

    pub fn needs(&self) -> Option<Range<u64>> {
        let table = TABLES.get(self.known);
        table.map(|_| self.at..self.at.saturating_add(if self.at == 0 { HEAD } else { COUNT }).min(self.len))
    }

    pub fn feed(&mut self, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
        if self.at == 0 {
            let &[.., bits] = bytes.first_chunk::<9>().ok_or_else(|| self.truncated(HEAD))?;
            if !(1..=16).contains(&bits) {
                return Err(Error::new(ErrorKind::OnPairBits, MAGIC));
            }
            trace.bytes(Part::Framing, "magic", 0..MAGIC, Value::Text("ONPAIR01"));
            trace.bytes(Part::Header, "bits a code", MAGIC..HEAD, Value::U64(bits.into()));
            self.at = HEAD;
            return Ok(());
        }
        let Some(&(count_name, name, part, width)) = TABLES.get(self.known) else { return Ok(()) };
        let start = self.at.saturating_add(COUNT);
        let count = bytes.first_chunk().copied().map(u32::from_le_bytes).ok_or_else(|| self.truncated(start))?;
        trace.bytes(Part::Framing, count_name, self.at..start, Value::U64(count.into()));
        let end = start.saturating_add(u64::from(count).saturating_mul(width));
        if end > self.len {
            return Err(self.truncated(end));
        }
        trace.bytes(part, name, start..end, Value::None);
        (self.at, self.known) = (end, self.known.saturating_add(1));
        if self.known == TABLES.len() && end < self.len {
            trace.bytes(Part::Padding, "trailing bytes", end..self.len, Value::None);
        }
        Ok(())
    }

    fn truncated(&self, need: u64) -> Error {
        Error::new(ErrorKind::Truncated, self.len).needing(need)
    }
}

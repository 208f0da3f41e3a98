//! The container `ONPAIR01`: a column as one file, as the C++ implementation of OnPair writes it.
//!
//! After eight letters come the width of the codes in one byte and four tables, each behind a u32 that counts its entries:
//! the bytes of the dictionary without padding, the offsets of the tokens, the codes in words of 64 bits, and the offsets
//! of the rows. All numbers are little-endian; nothing is aligned; there is no checksum.

use core::ops::Range;

use super::codes::Codes;
use super::column::Column;
use super::dictionary::Dictionary;
use super::offsets::RowOffsets;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Part, Result, Trace, Value};

/// The first eight bytes.
pub(super) const MAGIC: &[u8; 8] = b"ONPAIR01";

/// A column in a container, and where its parts lie.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    column: Column<'a>,
    places: [Range<u64>; 4],
}

/// The bytes of a table and where they lie.
type Section<'a> = (&'a [u8], Range<u64>);

impl<'a> Container<'a> {
    /// Reads the four tables and checks them as [`Dictionary::open`] and [`Column::open`] do. What follows the container in
    /// `bytes` is left alone.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::open_traced(bytes, limits, &mut ())
    }

    /// The same, heard by somebody: the framing, as far as it can be read.
    pub(super) fn open_traced(bytes: &'a [u8], limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let start = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        if !MAGIC.starts_with(start) {
            return Err(Error::new(ErrorKind::OnPairMagic, 0));
        }
        let Some(&bits) = bytes.get(MAGIC.len()) else { return Err(truncated(bytes, u64_from(MAGIC.len() + 1))) };
        if !(1..=16).contains(&bits) {
            return Err(Error::new(ErrorKind::OnPairBits, u64_from(MAGIC.len())));
        }
        let magic = u64_from(MAGIC.len());
        let mut at = magic.saturating_add(1);
        trace.bytes(Part::Framing, "magic", 0..magic, Value::Text("ONPAIR01"));
        trace.bytes(Part::Header, "bits a code", magic..at, Value::U64(bits.into()));
        let mut next = |name, width| section(bytes, &mut at, name, width, trace);
        let tokens = next("dictionary length", 1)?;
        let token_offsets = next("token offset count", 4)?;
        let words = next("code word count", 8)?;
        let row_offsets = next("row offset count", 4)?;

        let header = token_offsets.0.len().saturating_add(row_offsets.0.len());
        if u64_from(header) > limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, 0).needing(u64_from(header)));
        }
        let dictionary = Dictionary::open_at(tokens.0, token_offsets.0, token_offsets.1.start)?;
        let rows = RowOffsets::u32(row_offsets.0).map_err(|error| error.offset_by(row_offsets.1.start))?;
        let rows = rows.lying_at(row_offsets.1.start);
        // There is no other place that says how many codes there are.
        let codes = Codes::packed(words.0, bits.into(), index(rows.last()))
            .map_err(|error| error.offset_by(words.1.start))?
            .lying_at(words.1.start);
        let column = Column::open(dictionary, codes, rows, limits)?;
        Ok(Self { column, places: [tokens.1, token_offsets.1, words.1, row_offsets.1] })
    }

    /// The column.
    pub const fn column(&self) -> &Column<'a> {
        &self.column
    }

    /// How long the container is. What follows belongs to something else.
    pub fn len(&self) -> u64 {
        let [.., rows] = &self.places;
        rows.end
    }

    /// Never: at least its own framing is there.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The bytes of the file that hold the tokens, their offsets, the codes, and the row offsets.
    pub const fn places(&self) -> &[Range<u64>; 4] {
        &self.places
    }
}

/// The next table, whose entries are `width` bytes each, behind their number.
fn section<'a>(
    bytes: &'a [u8],
    at: &mut u64,
    name: &'static str,
    width: u64,
    trace: &mut impl Trace,
) -> Result<Section<'a>> {
    let start = at.saturating_add(4);
    let count = bytes.get(index(*at)..).and_then(<[u8]>::first_chunk).copied();
    let count = u64::from(count.map(u32::from_le_bytes).ok_or_else(|| truncated(bytes, start))?);
    trace.bytes(Part::Framing, name, *at..start, Value::U64(count));
    let end = start.saturating_add(count.saturating_mul(width));
    let part = bytes.get(index(start)..index(end)).ok_or_else(|| truncated(bytes, end))?;
    *at = end;
    Ok((part, start..end))
}

/// The file is shorter than it must be.
fn truncated(bytes: &[u8], need: u64) -> Error {
    Error::new(ErrorKind::Truncated, u64_from(bytes.len())).needing(need)
}

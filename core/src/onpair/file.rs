//! Files in the format `ONPAIR01`: a column as the C++ implementation of OnPair writes it.
//!
//! After eight letters come the width of the codes in one byte and four tables, each after a u32
//! that counts its entries: the bytes of the dictionary without padding, the offsets of the tokens,
//! the codes in words of 64 bits, and the offsets of the rows. All numbers are little-endian;
//! nothing is aligned; there is no checksum.

use core::ops::Range;

use super::codes::Codes;
use super::column::Column;
use super::dictionary::Dictionary;
use super::header::{Header, TABLES, TableKind};
use super::offsets::RowOffsets;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Result, Trace};

/// A file: its column, and the places of its tables.
#[derive(Clone, Debug)]
pub struct File<'a> {
    column: Column<'a>,
    places: [Range<u64>; 4],
}

impl<'a> File<'a> {
    /// Reads the four tables and checks them as [`Dictionary::open`] and [`Column::open`] do.
    /// Ignores what follows the last table in `src`.
    pub fn open(src: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::parse(src, limits, false, &mut ())
    }

    /// Opens a file that may be broken: all of it, or the rows before the first row offset that is
    /// missing or wrong. Returns it with the error of [`open`](Self::open), or only the error if no
    /// row can be read.
    pub fn salvage(src: &'a [u8], limits: &Limits) -> Result<(Self, Option<Error>)> {
        match Self::open(src, limits) {
            Ok(file) => Ok((file, None)),
            Err(error) => match Self::parse(src, limits, true, &mut ()) {
                Ok(start) => Ok((start, Some(error))),
                Err(_) => Err(error),
            },
        }
    }

    /// Reads the whole file. To `salvage` it, ignores row offsets from the first that cannot be
    /// trusted. Emits the framing.
    pub(super) fn parse(src: &'a [u8], limits: &Limits, salvage: bool, trace: &mut impl Trace) -> Result<Self> {
        let len = u64_from(src.len());
        let bits = Header::parse(src, trace)?.bits;
        let mut at = u64_from(Header::LEN);
        let mut next = |table: &TableKind, len| -> Result<(&'a [u8], Range<u64>)> {
            let place = table.place(src.get(index(at)..).unwrap_or(&[]), at, len, trace)?;
            at = place.end;
            Ok((src.get(index(place.start)..index(place.end)).unwrap_or(&[]), place))
        };
        let [tokens, token_offsets, words, row_offsets] = &TABLES;
        let (tokens, token_offsets, words) = (next(tokens, len)?, next(token_offsets, len)?, next(words, len)?);
        let mut row_offsets = next(row_offsets, if salvage { u64::MAX } else { len })?;
        if salvage {
            let there = src.get(index(row_offsets.1.start)..).unwrap_or(&[]);
            let claimed = there.get(..index(row_offsets.1.end.saturating_sub(row_offsets.1.start))).unwrap_or(there);
            let trusted =
                trusted(claimed, words.0.len().saturating_mul(8).checked_div(index(bits.into())).unwrap_or(0));
            row_offsets.1.end = row_offsets.1.start.saturating_add(u64_from(trusted.len()));
            row_offsets.0 = trusted;
        }

        let header = u64_from(token_offsets.0.len().saturating_add(row_offsets.0.len()));
        if header > limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, 0).needing(header));
        }
        let dictionary = Dictionary::open_at(tokens.0, token_offsets.0, token_offsets.1.start)?;
        let rows = RowOffsets::u32(row_offsets.0).map_err(|error| error.offset_by(row_offsets.1.start))?;
        let rows = rows.lying_at(row_offsets.1.start);
        // Only the row offsets determine the number of codes.
        let codes = Codes::packed(words.0, bits, index(rows.last()))
            .map_err(|error| error.offset_by(words.1.start))?
            .lying_at(words.1.start);
        let column = Column::open(dictionary, codes, rows, limits)?;
        Ok(Self { column, places: [tokens.1, token_offsets.1, words.1, row_offsets.1] })
    }

    /// The column.
    pub const fn column(&self) -> &Column<'a> {
        &self.column
    }

    /// Bytes of the file. What follows them belongs to something else.
    pub fn len(&self) -> u64 {
        let [.., rows] = &self.places;
        rows.end
    }

    /// Always `false`: a file has at least its framing.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The bytes of the file that hold the tokens, their offsets, the codes, and the row offsets.
    pub const fn places(&self) -> &[Range<u64>; 4] {
        &self.places
    }
}

/// Returns the row offsets from the start on that ascend and point into the codes.
fn trusted(offsets: &[u8], most: usize) -> &[u8] {
    let mut before = 0;
    let good = |offset: &&[u8; 4]| {
        let offset = index(u32::from_le_bytes(**offset).into());
        (core::mem::replace(&mut before, offset)..=most).contains(&offset)
    };
    let count = offsets.as_chunks().0.iter().take_while(good).count();
    offsets.get(..count.saturating_mul(4)).unwrap_or(&[])
}

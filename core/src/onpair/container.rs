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
use super::outline::Outline;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Result, Trace};

/// A column in a container, and where its parts lie.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    column: Column<'a>,
    places: [Range<u64>; 4],
}

/// How wide the codes are, and where the four tables lie.
#[cfg_attr(feature = "small", inline(never))]
fn framing(bytes: &[u8], trace: &mut impl Trace) -> Result<(u32, [Range<u64>; 4])> {
    let mut outline = Outline::new(u64_from(bytes.len()));
    while let Some(place) = outline.needs() {
        outline.feed_framing(part(bytes, &place), trace)?;
    }
    Ok((outline.bits(), outline.places().clone()))
}

fn part<'a>(bytes: &'a [u8], place: &Range<u64>) -> &'a [u8] {
    bytes.get(index(place.start)..index(place.end)).unwrap_or(&[])
}

impl<'a> Container<'a> {
    /// Reads the four tables and checks them as [`Dictionary::open`] and [`Column::open`] do. What follows the container in
    /// `bytes` is left alone.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::open_traced(bytes, limits, &mut ())
    }

    /// The same, heard by somebody: the framing, as far as it can be read.
    pub(super) fn open_traced(bytes: &'a [u8], limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let (bits, places) = framing(bytes, trace)?;
        let part = |place: &Range<u64>| part(bytes, place);
        let [tokens, token_offsets, words, row_offsets] = &places;

        let header = u64_from(part(token_offsets).len().saturating_add(part(row_offsets).len()));
        if header > limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, 0).needing(header));
        }
        let dictionary = Dictionary::open_at(part(tokens), part(token_offsets), token_offsets.start)?;
        let rows = RowOffsets::u32(part(row_offsets)).map_err(|error| error.offset_by(row_offsets.start))?;
        let rows = rows.lying_at(row_offsets.start);
        // There is no other place that says how many codes there are.
        let codes = Codes::packed(part(words), bits, index(rows.last()))
            .map_err(|error| error.offset_by(words.start))?
            .lying_at(words.start);
        let column = Column::open(dictionary, codes, rows, limits)?;
        Ok(Self { column, places })
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

//! Single rows of a column whose codes and offsets are laid out as in the reference's memory.

use super::codes::Form;
use super::column::Column;
use super::dictionary::Dictionary;
use super::emit::decode_row_here;
use super::offsets::{OffsetTable, RowSpans as _};
use super::tokens::MAX_TOKEN_LEN;
use super::wide::Wide;
use crate::Result;
use crate::num::{index, u64_from};

/// The rows of a column whose codes are numbers and whose offsets have 32 bits, for loops over
/// single rows.
///
/// No form is matched at run time, so decoding a row is inlined into the caller's loop.
#[derive(Clone, Copy, Debug)]
pub struct PlainRows<'c> {
    column: &'c Column<'c>,
    dictionary: Dictionary<'c>,
    wide: Option<Wide<'c>>,
    codes: &'c [u16],
    offsets: &'c [[u8; 4]],
}

impl<'c> Column<'c> {
    /// Returns the same rows, decoded one by one up to 1.4 times as fast as by
    /// [`row_into`](Self::row_into). The codes must be [numbers](super::Codes::plain) and the
    /// offsets [u32](super::RowOffsets::u32); the dictionary may be [widened](Self::widened). In
    /// other forms, and for long rows of a widened dictionary, [`row_into`](Self::row_into) is
    /// fastest.
    ///
    /// ```
    /// # use unspool::{onpair::{Codes, Column, Dictionary, RowOffsets}, Limits};
    /// # let le = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    /// # let (token_offsets, row_offsets) = (le(&[0, 3, 8]), le(&[0, 1, 2, 4]));
    /// # let dictionary = Dictionary::open(b"onepair!", &token_offsets)?;
    /// let (codes, rows) = (Codes::plain(&[0, 1, 0, 1]), RowOffsets::u32(&row_offsets)?);
    /// let column = Column::open(dictionary, codes, rows, &Limits::DEFAULT)?;
    /// let rows = column.plain_rows().expect("both are");
    /// let mut line = [0; 32];
    /// let len = rows.row_into(2, &mut line)?;
    /// assert_eq!(&line[..len], b"onepair!");
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn plain_rows(&'c self) -> Option<PlainRows<'c>> {
        let (Form::Numbers(codes), OffsetTable::U32(offsets)) = (self.codes.form(), self.row_offsets().table()) else {
            return None;
        };
        // So no row exceeds the limits.
        let fits = u64_from(codes.len()).saturating_mul(u64_from(MAX_TOKEN_LEN)) <= u64_from(self.most());
        fits.then_some(PlainRows { column: self, dictionary: self.dictionary, wide: self.wide(), codes, offsets })
    }
}

impl PlainRows<'_> {
    /// Decodes one row to the start of `out`. Returns its length. May overwrite up to 16 bytes
    /// after the row.
    #[inline(always)]
    pub fn row_into(self, row: u64, out: &mut [u8]) -> Result<usize> {
        match self.quick(row, out) {
            Some(len) => Ok(len),
            None => self.column.decode_long_row(row, out),
        }
    }

    /// Returns `None` if something is wrong or needs the slow path.
    #[inline(always)]
    fn quick(self, row: u64, out: &mut [u8]) -> Option<usize> {
        let codes = self.codes.get(self.offsets.nth(index(row))?)?;
        let codes = codes.iter().map(|&code| Some(code));
        match &self.wide {
            Some(wide) => decode_row_here(wide, codes, out),
            None => decode_row_here(&self.dictionary, codes, out),
        }
    }
}

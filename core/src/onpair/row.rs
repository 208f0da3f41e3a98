//! One row, without decoding it.

use core::ops::Range;

use super::column::Column;
use crate::Result;

impl Column<'_> {
    /// One row, not decoded yet.
    pub fn row(&self, row: u64) -> Result<Row<'_>> {
        Ok(Row { column: self, codes: self.codes_of_row(row)? })
    }

    /// Every row in order, not decoded yet.
    pub const fn iter(&self) -> Rows<'_> {
        Rows { column: self, next: self.rows() }
    }
}

/// A row of a column: a few codes, of which nothing is decoded yet.
#[derive(Clone, Debug)]
pub struct Row<'c> {
    column: &'c Column<'c>,
    codes: Range<usize>,
}

impl<'c> Row<'c> {
    /// Returns `true` if the row is the empty string.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the length of the row in bytes. Looks up every code.
    pub fn len(&self) -> Result<u64> {
        self.column.decoded_len_of(self.codes.clone())
    }

    /// Decodes the row to the start of `out`. Returns its length. May overwrite up to 16 bytes
    /// after the row.
    pub fn decode_into(&self, out: &mut [u8]) -> Result<usize> {
        self.column.decode_range(self.codes.clone(), out)
    }

    /// Returns its bytes as slices of the dictionary, without a copy.
    pub fn tokens(&self) -> impl Iterator<Item = Result<&'c [u8]>> + use<'c> {
        let column = self.column;
        self.codes.clone().map(move |at| column.token_at(at).map_err(|fault| column.error(fault)))
    }
}

/// The rows of a column in order.
#[derive(Clone, Debug)]
pub struct Rows<'c> {
    column: &'c Column<'c>,
    next: Range<u64>,
}

impl<'c> Iterator for Rows<'c> {
    type Item = Row<'c>;

    fn next(&mut self) -> Option<Row<'c>> {
        let row = self.next.next()?;
        self.column.offsets.row(row).map(|codes| Row { column: self.column, codes })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.next.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Row<'c>> {
        self.next.start = self.next.start.saturating_add(crate::num::u64_from(n)).min(self.next.end);
        self.next()
    }
}

impl<'c> IntoIterator for &'c Column<'c> {
    type Item = Row<'c>;
    type IntoIter = Rows<'c>;

    fn into_iter(self) -> Rows<'c> {
        self.iter()
    }
}

//! The first code of each row.

use core::ops::Range;

use crate::num::{index, u64_from};
use crate::tuning::SMALL;
use crate::{Error, ErrorKind, Limits, Result};

/// The row layer of a column: one offset more than there are rows, counted in codes.
///
/// The first offset may be above 0 and the last below the number of codes: a column that was sliced
/// keeps all of its codes.
#[derive(Clone, Copy, Debug)]
pub struct RowOffsets<'a> {
    table: OffsetTable<'a>,
    at: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum OffsetTable<'a> {
    U32(&'a [[u8; 4]]),
    U64(&'a [[u8; 8]]),
}

/// Evaluates an expression with a table of known width.
macro_rules! by_width {
    ($table:expr, $entries:ident => $call:expr) => {
        match $table {
            $crate::onpair::offsets::OffsetTable::U32($entries) => $call,
            $crate::onpair::offsets::OffsetTable::U64($entries) => $call,
        }
    };
}
pub(super) use by_width;

/// [`by_width`] for a loop over many rows. A lean build matches the width at every row.
macro_rules! with_rows {
    ($table:expr, $rows:ident => $call:expr) => {
        match $table {
            $rows if $crate::tuning::LEAN => $call,
            table => $crate::onpair::offsets::by_width!(table, $rows => $call),
        }
    };
}
pub(super) use with_rows;

/// An entry of a table.
pub(super) trait Entry: Copy {
    fn number(self) -> u64;
}

impl Entry for [u8; 4] {
    #[inline]
    fn number(self) -> u64 {
        u32::from_le_bytes(self).into()
    }
}

impl Entry for [u8; 8] {
    #[inline]
    fn number(self) -> u64 {
        u64::from_le_bytes(self)
    }
}

impl<'a> RowOffsets<'a> {
    /// Offsets of four little-endian bytes each, at any alignment.
    pub fn u32(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self { table: OffsetTable::U32(entries(bytes, 0)?), at: 0 })
    }

    /// Offsets of eight little-endian bytes each, at any alignment.
    pub fn u64(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self { table: OffsetTable::U64(entries(bytes, 0)?), at: 0 })
    }

    /// Returns the same offsets at `at` in a file. Errors count from there.
    pub(super) fn lying_at(self, at: u64) -> Self {
        Self { at, ..self }
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> u64 {
        u64_from(by_width!(self.table, entries => entries.len())).saturating_sub(1)
    }

    /// Returns the first code of the first row.
    pub fn first(&self) -> u64 {
        self.get(0).unwrap_or(0)
    }

    /// Returns the code after the last row: the fewest codes that a column needs.
    pub fn last(&self) -> u64 {
        self.get(index(self.rows())).unwrap_or(0)
    }

    /// Returns the offset with this index: the start of that row.
    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
    pub fn get(&self, i: usize) -> Option<u64> {
        by_width!(self.table, entries => entries.get(i).map(|entry| entry.number()))
    }

    /// Returns the table, so that a loop over rows matches its width once.
    #[inline]
    pub(super) const fn table(&self) -> OffsetTable<'a> {
        self.table
    }

    /// Returns the row that this code belongs to: `row` or one after it.
    pub(super) fn row_of(&self, code: usize, row: u64) -> u64 {
        let code = u64_from(code);
        let ends = index(row.saturating_add(1));
        let skipped = by_width!(self.table, entries => {
            entries.get(ends..).and_then(|ends| ends.iter().position(|end| end.number() > code))
        });
        row.saturating_add(skipped.map_or(0, u64_from))
    }

    /// Returns the codes of these rows, which are contiguous, if all of them exist.
    #[inline]
    pub(super) fn span(&self, rows: &Range<u64>) -> Option<Range<usize>> {
        match (self.get(index(rows.start)), self.get(index(rows.end))) {
            (Some(start), Some(end)) if rows.start <= rows.end => Some(index(start)..index(end)),
            _ => None,
        }
    }

    /// Returns the codes of one row, if it exists.
    #[inline]
    pub(super) fn row(&self, row: u64) -> Option<Range<usize>> {
        self.table.nth(index(row))
    }

    /// Checks that no row ends before it starts or after the last code, and that there are not too
    /// many.
    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn check(&self, codes: usize, limits: &Limits) -> Result<()> {
        if self.rows() > limits.max_elements {
            return Err(Error::new(ErrorKind::ElementLimit, self.at).needing(self.rows()));
        }
        let (wrong, width) = by_width!(self.table, entries => first_wrong(entries));
        if let Some(wrong) = wrong {
            return Err(Error::new(ErrorKind::OnPairRowOrder, self.at.saturating_add(u64_from(wrong) * width)));
        }
        if self.last() > u64_from(codes) {
            return Err(Error::new(ErrorKind::OnPairRowOutside, self.at.saturating_add(self.rows() * width)));
        }
        Ok(())
    }
}

/// A table of known width, for a loop over many rows. Lean builds use one of either width instead,
/// because two loops are too much code.
pub(super) trait RowSpans: Copy {
    /// The codes of one row.
    fn nth(self, row: usize) -> Option<Range<usize>>;

    /// Returns the codes of each of these rows that exists.
    fn each(self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>>;
}

impl<E: Entry> RowSpans for &[E] {
    #[inline]
    fn nth(self, row: usize) -> Option<Range<usize>> {
        self.get(row..)?.first_chunk().map(span)
    }

    #[inline]
    fn each(self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        self.get(rows.start..=rows.end).unwrap_or(&[]).array_windows().map(span)
    }
}

impl RowSpans for OffsetTable<'_> {
    #[inline]
    fn nth(self, row: usize) -> Option<Range<usize>> {
        by_width!(self, entries => entries.nth(row))
    }

    #[inline]
    fn each(self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        rows.map_while(move |row| self.nth(row))
    }
}

#[inline]
fn span<E: Entry>([start, end]: &[E; 2]) -> Range<usize> {
    index(start.number())..index(end.number())
}

/// Returns the first offset that is below the one before it, and the bytes of an offset.
fn first_wrong<E: Entry>(table: &[E]) -> (Option<usize>, u64) {
    let falls = |pair: &[E]| matches!(pair, [before, after] if after.number() < before.number());
    // Without an exit from the loop eight comparisons run at once. The place is searched only if
    // there is one, or if a second loop is too much code.
    let searched = SMALL || table.windows(2).fold(false, |wrong, pair| wrong | falls(pair));
    let first = match searched {
        false => None,
        true => table.windows(2).position(falls).map(|before| before.saturating_add(1)),
    };
    (first, u64_from(size_of::<E>()))
}

/// Returns the entries of a table: whole ones, and at least one. Its errors, like those of the
/// other checks of a column, are made at their place in the file: a fault on the way would keep the
/// tables in memory, and 500 bytes of code for the other width of offsets.
pub(super) fn entries<const N: usize>(bytes: &[u8], at: u64) -> Result<&[[u8; N]]> {
    match bytes.as_chunks() {
        (entries, []) if !entries.is_empty() => Ok(entries),
        (_, rest) => {
            let whole = u64_from(bytes.len()).saturating_sub(u64_from(rest.len()));
            Err(Error::new(ErrorKind::OnPairTable, at.saturating_add(whole)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_say_the_same() {
        let small: Vec<u8> = [2u32, 2, 5].iter().flat_map(|n| n.to_le_bytes()).collect();
        let large: Vec<u8> = [2u64, 2, 5].iter().flat_map(|n| n.to_le_bytes()).collect();
        for rows in [RowOffsets::u32(&small).unwrap(), RowOffsets::u64(&large).unwrap()] {
            assert_eq!((rows.rows(), rows.first(), rows.last()), (2, 2, 5));
            assert_eq!((rows.row(0), rows.row(1), rows.row(2)), (Some(2..2), Some(2..5), None));
            assert_eq!((rows.span(&(0..2)), rows.span(&(1..3))), (Some(2..5), None));
            assert_eq!(rows.span(&Range { start: 2, end: 1 }), None);
            assert_eq!(rows.check(5, &Limits::NONE), Ok(()));
            assert_eq!(rows.check(4, &Limits::NONE).unwrap_err().kind, ErrorKind::OnPairRowOutside);
            let few = Limits { max_elements: 1, ..Limits::NONE };
            assert_eq!(rows.check(5, &few).unwrap_err().kind, ErrorKind::ElementLimit);
        }
    }

    #[test]
    fn falling_offsets_and_broken_tables_are_refused_where_they_are() {
        let falls: Vec<u8> = [0u32, 7, 6, 9].iter().flat_map(|n| n.to_le_bytes()).collect();
        let rows = RowOffsets::u32(&falls).unwrap().lying_at(100);
        assert_eq!(rows.check(9, &Limits::NONE), Err(Error::new(ErrorKind::OnPairRowOrder, 108)));
        assert_eq!(RowOffsets::u32(&[]).unwrap_err(), Error::new(ErrorKind::OnPairTable, 0));
        assert_eq!(RowOffsets::u64(&falls[..12]).unwrap_err(), Error::new(ErrorKind::OnPairTable, 8));
    }
}

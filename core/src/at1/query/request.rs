//! The request of a query, and its results apart from rows.

use core::ops::Range;

use super::compare::Sum;
use super::predicate::{ColumnRef, Filter};
use crate::at1::codecs::qcolumnar::Mark;
use crate::{Error, ErrorKind, Result};

/// The result that is requested of the matching rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'q> {
    /// All columns, or the lines.
    Rows,
    /// Some columns, in this order.
    Columns(&'q [ColumnRef<'q>]),
    /// Their number.
    Count,
    /// The sum of the numbers in a column.
    Sum(ColumnRef<'q>),
    /// The smallest number in a column.
    Min(ColumnRef<'q>),
    /// The largest number in a column.
    Max(ColumnRef<'q>),
}

impl<'q> Ask<'q> {
    /// Returns the columns that it names.
    pub fn columns(&self) -> &[ColumnRef<'q>] {
        match self {
            Self::Rows | Self::Count => &[],
            Self::Columns(columns) => columns,
            Self::Sum(column) | Self::Min(column) | Self::Max(column) => core::slice::from_ref(column),
        }
    }
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'q> {
    /// The conditions. A row must meet all of them.
    pub filters: &'q [Filter<'q>],
    /// The requested result.
    pub ask: Ask<'q>,
    /// The most matching rows to use. `u64::MAX` for all.
    pub limit: u64,
}

impl Request<'_> {
    /// Refuses a request that no file can answer.
    #[inline(never)]
    pub(crate) fn check(&self) -> Result<()> {
        if self.ask == Ask::Columns(&[]) {
            return Err(Error::new(ErrorKind::At1NoSuchColumn, 0));
        }
        self.filters.iter().try_for_each(|filter| filter.test.check())
    }

    /// Returns the columns of the conditions, then the requested ones.
    pub(crate) fn columns(&self) -> impl Iterator<Item = ColumnRef<'_>> {
        self.filters.iter().map(|filter| filter.column).chain(self.ask.columns().iter().copied())
    }
}

/// The amount of the file that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Row groups of the table.
    pub groups: u64,
    /// Groups excluded by zone maps.
    pub skipped: u64,
    /// Groups with blocks that were read.
    pub read: u64,
    /// Bytes of blocks read.
    pub block_bytes_read: u64,
    /// Bytes of all blocks.
    pub block_bytes_total: u64,
}

/// A row group that may match. The default is the place before the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The end of the group before, from which excluded groups may precede this one.
    pub(super) start: Mark,
    pub(super) end: Mark,
    pub(super) number: u64,
}

impl Group {
    /// Returns its number in the table, from 0.
    pub const fn number(&self) -> u64 {
        self.number
    }
}

/// The results of a query, apart from rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'s> {
    /// Matching rows, up to the limit.
    pub rows: u64,
    /// Matching rows whose value is no number. The other rows make up sum, minimum and maximum.
    pub without_number: u64,
    /// The sum.
    pub sum: Sum,
    /// The smallest or largest number, as the first row with it has it.
    pub best: Option<&'s [u8]>,
}

/// The reason why [`Query::step`](super::Query::step) stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// This range of the file is needed.
    Bytes(Range<u64>),
    /// A matching row. [`Query::row`](super::Query::row) returns it until the next step.
    Row,
    /// The query is done.
    Nothing,
}

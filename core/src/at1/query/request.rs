//! What is asked of a table, and what comes back besides rows.

use core::ops::Range;

use super::compare::Sum;
use super::predicate::{Column, Filter};
use crate::{Error, ErrorKind, Result};

/// What is wanted of the rows that meet all conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'q> {
    /// All columns, or the lines.
    Rows,
    /// Some columns, in this order.
    Columns(&'q [Column<'q>]),
    /// How many there are.
    Count,
    /// The sum of the numbers in a column.
    Sum(Column<'q>),
    /// The smallest number in a column.
    Min(Column<'q>),
    /// The largest number in a column.
    Max(Column<'q>),
}

impl<'q> Ask<'q> {
    pub(crate) fn columns(&self) -> &[Column<'q>] {
        match self {
            Self::Rows | Self::Count => &[],
            Self::Columns(columns) => columns,
            Self::Sum(column) | Self::Min(column) | Self::Max(column) => core::slice::from_ref(column),
        }
    }
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'q> {
    /// What a row must meet, all of it.
    pub filters: &'q [Filter<'q>],
    /// What is wanted of these rows.
    pub ask: Ask<'q>,
    /// The first so many of these rows are looked at, no more. `u64::MAX` for all.
    pub limit: u64,
}

impl Request<'_> {
    /// Refuses what no file could answer.
    #[inline(never)]
    pub(crate) fn check(&self) -> Result<()> {
        if self.ask == Ask::Columns(&[]) {
            return Err(Error::new(ErrorKind::At1NoSuchColumn, 0));
        }
        self.filters.iter().try_for_each(|filter| filter.test.check())
    }

    /// The columns of the conditions, then those that are asked for.
    pub(crate) fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        self.filters.iter().map(|filter| filter.column).chain(self.ask.columns().iter().copied())
    }
}

/// How much of the file was needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Row groups of the table.
    pub groups: u64,
    /// Groups that the zone maps ruled out.
    pub skipped: u64,
    /// Groups of which blocks were read.
    pub read: u64,
    /// Bytes of the blocks that were read.
    pub block_bytes_read: u64,
    /// Bytes of all blocks.
    pub block_bytes_total: u64,
}

/// What came out besides rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'s> {
    /// Rows that met all conditions, as far as the limit.
    pub rows: u64,
    /// Of these, the rows whose value is no number. Sum, minimum and maximum are over the others.
    pub without_number: u64,
    /// The sum.
    pub sum: Sum,
    /// The smallest or largest number, as the first row that has it writes it.
    pub best: Option<&'s [u8]>,
}

/// What [`Query::step`](super::Query::step) stopped at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// These bytes of the file come next.
    Bytes(Range<u64>),
    /// A row that meets all conditions: [`Query::row`](super::Query::row) shows it until the next step.
    Row,
    /// All is done.
    Nothing,
}

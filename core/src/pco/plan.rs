//! The caller's choices: limits, and a layout for tables.

use crate::{Limits, tuning};

/// The way to read pages. Decides the place of the history of lookbacks, and the layout of the
/// tables.
///
/// With the feature `small` all tables are compact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plan {
    /// Each page in one call, from one slice into one slice. The output is the history wherever the
    /// mode allows it.
    #[default]
    Whole,
    /// Each page in any number of calls. The workspace holds the history.
    Batches,
    /// As [`Whole`](Self::Whole) with the smallest tables. Three to five times slower.
    CompactWhole,
    /// As [`Batches`](Self::Batches) with the smallest tables. Three to five times slower.
    CompactBatches,
}

impl Plan {
    /// `true` if each page is read in one call.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Plan::Whole | Plan::CompactWhole)
    }

    /// `true` if the tables are compact.
    pub(crate) const fn is_compact(self) -> bool {
        tuning::SMALL || matches!(self, Plan::CompactWhole | Plan::CompactBatches)
    }

    /// The same tables, for pages that are read in any number of calls.
    pub(crate) const fn in_batches(self) -> Self {
        match self {
            Plan::Whole | Plan::Batches => Plan::Batches,
            Plan::CompactWhole | Plan::CompactBatches => Plan::CompactBatches,
        }
    }
}

/// Options of a decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Bounds on what a file may ask for.
    pub limits: Limits,
    /// The layout of the tables.
    pub plan: Plan,
}

impl Options {
    /// The default limits, and tables made for speed.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, plan: Plan::Whole };
}

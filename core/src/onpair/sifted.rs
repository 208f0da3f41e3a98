//! The results of a search for many rows at once.

use core::ops::Range;

/// The results for up to 64 rows: a bit each, the highest for the first.
#[derive(Clone, Debug)]
pub(super) struct Sifted {
    pub(super) first: u64,
    /// Those that match.
    pub(super) sure: u64,
    /// Those that have to be compared.
    pub(super) unsure: u64,
    /// `true` if many rows matched, or nearly.
    pub(super) crowded: bool,
}

/// The bit of the first row.
pub(super) const FIRST: u64 = 1 << 63;

/// Returns the first bit that is set, and clears it.
#[inline]
pub(super) fn take_first(bits: &mut u64) -> Option<u32> {
    let first = bits.leading_zeros();
    *bits &= !FIRST.checked_shr(first)?;
    Some(first)
}

/// Takes off the next 64 rows, or fewer at the end. Returns the first of them, and the number of
/// unused bits.
#[inline]
pub(super) fn take_rows(rows: &mut Range<u64>) -> (u64, u64) {
    let first = rows.start;
    rows.start = first.saturating_add(64).min(rows.end);
    (first, first.wrapping_sub(rows.start) % 64)
}

impl Sifted {
    /// No rows.
    pub(super) const NONE: Self = Self { first: 0, sure: 0, unsure: 0, crowded: false };

    /// The next 64 rows, all of which match.
    pub(super) fn all(rows: &mut Range<u64>) -> Self {
        let (first, unused) = take_rows(rows);
        Self { first, sure: u64::MAX << unused, ..Self::NONE }
    }

    /// Adds the result for one of the 64 rows. `None` if the row is broken or has to be compared:
    /// that happens when the caller reaches it, and returns its error.
    #[inline]
    pub(super) fn add(&mut self, row: u64, found: Option<bool>) {
        let bit = FIRST >> (row.wrapping_sub(self.first) % 64);
        match found {
            Some(true) => self.sure |= bit,
            Some(false) => {}
            None => self.unsure |= bit,
        }
    }

    /// Returns `true` if no row matches or has to be compared.
    pub(super) fn is_empty(&self) -> bool {
        self.sure | self.unsure == 0
    }

    /// Returns `true` if more rows match than not, up to the one before `end`.
    pub(super) fn matches_most(&self, end: u64) -> bool {
        u64::from(self.sure.count_ones()) > end.saturating_sub(self.first) / 2
    }
}

impl Iterator for Sifted {
    type Item = (u64, bool);

    /// Returns the next row that matches or has to be compared. `true` if it matches.
    #[inline]
    fn next(&mut self) -> Option<(u64, bool)> {
        let row = take_first(&mut (self.sure | self.unsure))?;
        let bit = FIRST >> (row % 64);
        let sure = self.sure & bit != 0;
        (self.sure, self.unsure) = (self.sure & !bit, self.unsure & !bit);
        Some((self.first.saturating_add(row.into()), sure))
    }
}

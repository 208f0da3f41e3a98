//! A bound on work that writes nothing.

use crate::num::index;
use crate::steps;

/// Counts steps that may write nothing, such as gaps that stay empty and values that are looked up.
/// Without a bound, lines that share a long template of gaps keep a decoder busy for hours without
/// a byte of output.
#[derive(Debug, Default)]
pub(crate) struct WorkBudget {
    spent: u64,
}

impl WorkBudget {
    /// Steps allowed for each byte of output.
    const PER_BYTE: u64 = 64;
    /// Steps allowed before the first byte.
    const FREE: u64 = 1 << 20;

    /// Spends steps. Returns whether the total exceeds what the bytes written so far allow.
    #[inline]
    pub(crate) fn is_overspent(&mut self, steps: u64, written: u64) -> bool {
        steps::count(index(steps));
        self.spent = self.spent.saturating_add(steps);
        self.spent > written.saturating_mul(Self::PER_BYTE).saturating_add(Self::FREE)
    }
}

//! Counts steps, so that tests can compare the work for a file with its size. Without the feature
//! `count-steps` it compiles to nothing.
//!
//! Loops count if a hostile file can choose their length: they count the bytes or items that they
//! visit.

#[cfg(feature = "count-steps")]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Adds steps to the count of this thread.
#[inline(always)]
#[allow(unused_variables, reason = "most builds count nothing")]
pub(crate) fn count(steps: usize) {
    #[cfg(feature = "count-steps")]
    STEPS.set(STEPS.get().saturating_add(crate::num::u64_from(steps)));
}

/// Returns the steps of this thread since the last call.
#[cfg(feature = "count-steps")]
#[must_use]
pub fn take() -> u64 {
    STEPS.take()
}

//! Counts steps, so that tests can hold the work for a file against its size. Without the feature `count-steps` it compiles to nothing.
//!
//! Loops count whose length a hostile file would like to choose: what they look at, and how often.

#[cfg(feature = "count-steps")]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Counts some steps of this thread.
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

//! The fast path.

/// Whether this build has it.
pub(crate) const PIPELINED: bool = cfg!(all(target_pointer_width = "64", not(feature = "small")));

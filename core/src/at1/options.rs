//! How to decode a file.

use crate::{Limits, Verify};

/// What a caller may choose. The choices are few, so that most calls take [`Options::DEFAULT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What the caller is willing to spend.
    pub limits: Limits,
    /// What to do with the SHA-256 at the end of a file.
    pub verify: Verify,
}

impl Options {
    /// The limits of [`Limits::DEFAULT`], and a hash that must match.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, verify: Verify::Refuse };
}

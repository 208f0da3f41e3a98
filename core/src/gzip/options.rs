//! How to decode.

use crate::{Limits, Verify};

/// How to decode, where the defaults do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What a file may cost.
    pub limits: Limits,
    /// What to do with the CRC-32 of each member. Its size, and the CRC-16 of its header, are verified in any case.
    pub verify: Verify,
}

impl Options {
    /// Default limits, checksums verified.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, verify: Verify::Refuse };
}

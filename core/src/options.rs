//! The options of formats that have none of their own.

use crate::{Limits, Verify};

/// The choices of a caller, if the defaults do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The bounds of what a file may cost.
    pub limits: Limits,
    /// Handles checksums of the content: the CRC-32 of each gzip member, the SHA-256 at the
    /// end of an AT-1 file. The sizes of members and the CRC-16 of their headers are verified in
    /// any case.
    pub verify: Verify,
}

impl Options {
    /// Default limits, checksums verified.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, verify: Verify::Refuse };
}

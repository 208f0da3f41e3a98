//! How to decode.

use crate::{Limits, Verify};

/// How many streams a file may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// Any number, with padding between and after them. What a `.xz` file may be.
    #[default]
    All,
    /// One, and nothing after it.
    One,
    /// The first; what follows it is not looked at.
    First,
}

/// How to decode, where the defaults do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What a file may cost.
    pub limits: Limits,
    /// What to do with the checks of blocks. Headers and the index are verified in any case. Checks of a reserved kind are refused
    /// by [`Verify::Refuse`] alone.
    pub verify: Verify,
    /// How many streams the file may be.
    pub streams: Streams,
}

impl Options {
    /// Default limits, checks verified, streams and padding as they come.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, verify: Verify::Refuse, streams: Streams::All };
}

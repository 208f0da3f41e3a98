//! The options of a decoder.

use crate::{Limits, Verify};

/// The streams that a file may consist of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// Any number, with padding between and after them, as in a `.xz` file.
    #[default]
    All,
    /// Exactly one, and nothing after it.
    One,
    /// The first; bytes after it are ignored.
    First,
}

/// The choices of a caller, if the defaults do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The bounds of what a file may cost.
    pub limits: Limits,
    /// Handles the checks of blocks. Headers and the index are always verified. Only
    /// [`Verify::Refuse`] refuses checks of a reserved kind.
    pub verify: Verify,
    /// The streams that the file may consist of.
    pub streams: Streams,
}

impl Options {
    /// Default limits, checks verified, any number of streams with padding.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, verify: Verify::Refuse, streams: Streams::All };
}

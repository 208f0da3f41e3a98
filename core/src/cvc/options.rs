//! Options of a call.

use crate::{Limits, Verify};

/// Options of the calls that decode or inspect.
///
/// ```
/// use unspool::{cvc, Verify};
/// let (column, verify) = (Some("title"), Verify::Report);
/// let options = cvc::Options { column, verify, ..cvc::Options::DEFAULT };
/// assert!(options.column.is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Bounds on what a file may ask for.
    pub limits: Limits,
    /// Treatment of the CRC-32 of each chunk.
    pub verify: Verify,
    /// The name of the column to decode; `None` for the only one. [`File`](super::File) decodes any
    /// column.
    pub column: Option<&'a str>,
}

impl Options<'_> {
    /// Default limits, checksums verified, the only column.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, verify: Verify::Refuse, column: None };
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

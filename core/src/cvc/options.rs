//! Options of a call, and the memory that it may use.

use crate::{Limits, Verify};

/// Options of the calls that decode or inspect.
///
/// ```
/// use unspool::{cvc, Verify};
/// let options = cvc::Options { column: Some("title"), verify: Verify::Report, ..cvc::Options::DEFAULT };
/// assert!(options.column.is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Bounds on what a file may ask for.
    pub limits: Limits,
    /// How to treat the CRC-32 of each chunk.
    pub verify: Verify,
    /// The name of the column to decode; `None` for the only one. [`File`](super::File) has a call for each column.
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

/// Memory for finding columns by name.
///
/// An empty one is enough for every file. A file with thousands of columns is walked in linear time if the
/// workspace holds [`workspace_len`](super::workspace_len) words; without them, each chunk is walked once for every 48 columns.
#[derive(Debug, Default)]
pub struct Workspace<'w> {
    table: &'w mut [u32],
}

/// Words of memory that a call finds on its own stack.
pub(super) const OWN: usize = 128;

impl<'w> Workspace<'w> {
    /// An empty workspace.
    pub const fn new() -> Self {
        Self { table: &mut [] }
    }

    /// A workspace that uses this memory.
    pub const fn with_table(table: &'w mut [u32]) -> Self {
        Self { table }
    }

    /// The larger of both memories.
    pub(super) fn table<'t>(&'t mut self, own: &'t mut [u32; OWN]) -> &'t mut [u32] {
        if self.table.len() > own.len() { self.table } else { own }
    }
}

//! An error on its way to the caller.

use crate::num::u64_from;
use crate::{Error, ErrorKind};

/// An error inside of a room: what is wrong with a slice, and at which of its bytes.
///
/// An [`Error`] takes 24 bytes, which every function on the way out would copy and test in memory. A fault fits in two registers.
/// How much would have been enough is known where the fault becomes an `Error`. The one kind that has no place, a workspace that is too
/// small, carries what it needs instead: see [`Fault::lacking`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) at: usize,
}

impl Fault {
    pub(crate) const fn new(kind: ErrorKind, at: usize) -> Self {
        Self { kind, at }
    }

    /// The workspace is too small; `need` would do.
    pub(crate) const fn lacking(need: usize) -> Self {
        Self { kind: ErrorKind::WorkspaceTooSmall, at: need }
    }

    /// The same fault in a slice that starts `base` bytes later.
    pub(crate) const fn offset_by(self, base: usize) -> Self {
        match self.kind {
            ErrorKind::WorkspaceTooSmall => self,
            kind => Self { kind, at: self.at.saturating_add(base) },
        }
    }
}

impl From<Fault> for Error {
    #[cold]
    #[inline(never)]
    fn from(fault: Fault) -> Self {
        match fault {
            Fault { kind: kind @ ErrorKind::WorkspaceTooSmall, at: need } => Self::new(kind, 0).needing(u64_from(need)),
            Fault { kind, at } => Self::new(kind, u64_from(at)),
        }
    }
}

/// Whether all is well with a slice.
pub(crate) type Verdict<T> = Result<T, Fault>;

//! An error on its way to the caller.

use crate::num::u64_from;
use crate::{Error, ErrorKind};

/// What is wrong with a slice, and at which of its bytes.
///
/// An [`Error`] takes 24 bytes, which every function in between would copy, and test, in memory. This fits in two registers; what needs to be said besides,
/// how much would have been enough, is known at the doors where it becomes an `Error`. Only a workspace that is too small says it here, in place of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) at: usize,
}

impl Fault {
    pub(crate) const fn new(kind: ErrorKind, at: usize) -> Self {
        Self { kind, at }
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

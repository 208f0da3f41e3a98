//! An error on its way to the caller.

#[cfg(not(feature = "small"))]
use crate::num::size;
use crate::num::{Size, u64_from};
use crate::{Error, ErrorKind};

/// An error inside a room: the kind, and a byte of the slice that was read.
///
/// An [`Error`] takes 24 bytes, which every function on the way out would copy and test in memory.
/// A fault fits in two registers. The amount that would have been enough is added when the fault
/// becomes an `Error`. One kind has no place: a workspace that is too small carries the amount
/// instead. See [`Fault::lacking`].
///
/// CVC also has faults in a file that may be longer than a slice: `Fault<Size>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault<At = usize> {
    pub(crate) kind: ErrorKind,
    pub(crate) at: At,
}

impl Fault<Size> {
    /// Returns the fault of this kind at this offset of a file.
    pub(crate) const fn of_file(kind: ErrorKind, at: Size) -> Self {
        Self { kind, at }
    }
}

impl Fault {
    pub(crate) const fn new(kind: ErrorKind, at: usize) -> Self {
        Self { kind, at }
    }

    /// Returns the fault of a workspace that is too small; `need` would be enough.
    pub(crate) const fn lacking(need: usize) -> Self {
        Self { kind: ErrorKind::WorkspaceTooSmall, at: need }
    }

    /// Returns the same fault in a slice that starts `base` bytes earlier.
    pub(crate) const fn offset_by(self, base: usize) -> Self {
        match self.kind {
            ErrorKind::WorkspaceTooSmall => self,
            kind => Self { kind, at: self.at.saturating_add(base) },
        }
    }

    /// Returns the error of a fault in a slice that starts at `base` in the file. `need` would have
    /// been enough; 0 if nothing would.
    #[cold]
    #[inline(never)]
    pub(crate) fn error(self, base: u64, need: u64) -> Error {
        let error = Error::from(self);
        error.needing(if need > 0 { need } else { error.need }).offset_by(base)
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

/// Without `small`, an offset in a file has 64 bits on every machine.
#[cfg(not(feature = "small"))]
impl From<Fault> for Fault<Size> {
    fn from(Fault { kind, at }: Fault) -> Self {
        Self { kind, at: size(at) }
    }
}

#[cfg(not(feature = "small"))]
impl From<Fault<Size>> for Error {
    #[cold]
    fn from(Fault { kind, at }: Fault<Size>) -> Self {
        Self::new(kind, at)
    }
}

/// The result of a function inside a room.
pub(crate) type Verdict<T, At = usize> = Result<T, Fault<At>>;

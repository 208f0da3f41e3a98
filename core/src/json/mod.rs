//! The JSON of headers: checked once, then walked without allocation.
//!
//! What the writers of CVC and AT-1 really write is Python's JSON, which is wider than RFC 8259: bare `NaN`, `Infinity` and `-Infinity`,
//! duplicate keys, lone surrogate escapes, a byte order mark. [`check`] reads all of the text once and refuses what Python
//! refuses; after that, [`Node`] walks over it and cannot fail, because what it walks over is known to be well-formed.

mod check;
mod node;
mod text;

use crate::num::u64_from;
use crate::{Error, ErrorKind};

pub(crate) use check::check;
pub(crate) use node::{Elements, Member, Node};
pub use text::Text;

/// What is wrong with a header, and at which byte. It fits in two registers, and becomes an [`Error`] where the caller sees it.
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
        Self::new(fault.kind, u64_from(fault.at))
    }
}

/// Whether all is well with a header.
pub(crate) type Verdict<T> = Result<T, Fault>;

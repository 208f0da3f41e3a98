//! Where decoded bytes go.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::fault::{Fault, Verdict};
#[cfg(feature = "alloc")]
use crate::heap::lengthen;
use crate::{Error, ErrorKind, Result};

/// How far back deflate can reach: the bytes of a window.
pub const WINDOW_SIZE: usize = 32 << 10;

/// A place for decoded bytes, which is also the history that matches refer to.
#[derive(Debug)]
pub(super) enum Output<'a> {
    /// All of the output.
    Slice(&'a mut [u8]),
    /// The same, as long as it must be.
    #[cfg(feature = "alloc")]
    Vec(&'a mut Vec<u8>),
    /// The last bytes, which leave before they are overwritten.
    Ring(&'a mut [u8; WINDOW_SIZE]),
}

impl<'a> Output<'a> {
    /// A ring in a window that the caller lends.
    pub(super) fn ring(window: &'a mut [u8]) -> Result<Self> {
        let need = crate::num::u64_from(WINDOW_SIZE);
        let window = window.first_chunk_mut().ok_or(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need))?;
        Ok(Self::Ring(window))
    }

    /// Whether bytes leave it.
    pub(super) const fn is_ring(&self) -> bool {
        matches!(self, Self::Ring(_))
    }

    /// All of it, filled or not.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        match self {
            Self::Slice(slice) => slice,
            #[cfg(feature = "alloc")]
            Self::Vec(vec) => vec,
            Self::Ring(ring) => ring.as_mut_slice(),
        }
    }

    /// Makes more room, up to `most` bytes, of which there is less.
    pub(super) fn grow(&mut self, most: usize) -> Verdict<()> {
        match self {
            Self::Slice(_) => Err(Fault::new(ErrorKind::OutputTooSmall, 0)),
            #[cfg(feature = "alloc")]
            Self::Vec(vec) => {
                let left = most.saturating_sub(vec.len());
                // A quarter more is written to, whatever is reserved besides: memory that is not touched costs nothing.
                let more = (vec.len() / 4).max(64 << 10).min(left);
                lengthen(vec, more).map_err(|error| Fault::new(error.kind, 0))
            }
            Self::Ring(_) => {
                let _ = most;
                Ok(())
            }
        }
    }
}

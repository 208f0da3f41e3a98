//! Memory besides input and output.
//!
//! Tables of fixed size are in a [`Workspace`]. Decoded streams and the state of columns are in the
//! scratch, one slice of bytes that the caller lends. Pieces are taken from its start.

use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
#[cfg(feature = "at1")]
use crate::xz;
use crate::{Limits, tuning, zstd};

/// Bytes of a [`Workspace`].
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

/// One number of state that is kept in the scratch.
pub(crate) type Word = [u8; 8];

/// Bytes collected in the scratch before a [`Sink`](crate::Sink) is called.
pub(crate) const BUFFER: u64 = if tuning::SMALL { 256 } else { 4 << 10 };

/// The tables of the backends. Fits in a `static`.
///
/// A workspace serves any number of files, one after the other. No file affects the next.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Workspace {
    /// Threads that streams are decoded on, if more than the caller's. `None` is zero, so that an
    /// empty workspace is all zeros.
    #[cfg(feature = "threads")]
    pub(crate) threads: Option<core::num::NonZeroUsize>,
    #[cfg(feature = "at1")]
    pub(crate) xz: xz::Tables<[xz::Literals; xz::MOST_CONTEXTS]>,
    pub(crate) zstd: zstd::Workspace,
}

impl Workspace {
    /// Bytes at the start that must be zeros in memory of a C program. Others may hold anything.
    #[doc(hidden)]
    #[cfg(feature = "at1")]
    pub const CLEARED: usize = core::mem::offset_of!(Workspace, xz) + xz::Tables::CLEARED;
    /// As above.
    #[doc(hidden)]
    #[cfg(not(feature = "at1"))]
    pub const CLEARED: usize = core::mem::offset_of!(Workspace, zstd);

    /// Returns an empty workspace.
    pub const fn new() -> Self {
        Self {
            #[cfg(feature = "threads")]
            threads: None,
            #[cfg(feature = "at1")]
            xz: xz::Tables::new(),
            zstd: zstd::Workspace::new(),
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the limits for decoded streams. Streams can be longer than the output: a short file may
/// have long lists of flags, numbers and literals.
pub(crate) const fn of_streams(limits: &Limits) -> Limits {
    Limits { max_output: limits.max_output.saturating_add(limits.max_header), ..*limits }
}

/// Runs a closure in its own stack frame, so that its locals do not add to those of the caller.
#[inline(never)]
pub(crate) fn below<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// Hands out pieces of the scratch.
#[derive(Debug)]
pub(crate) struct Scratch<'s> {
    rest: &'s mut [u8],
    taken: u64,
}

impl<'s> Scratch<'s> {
    /// Starts with all of `bytes`.
    pub(crate) const fn new(bytes: &'s mut [u8]) -> Self {
        Self { rest: bytes, taken: 0 }
    }

    /// Returns the number of bytes taken.
    pub(crate) const fn taken(&self) -> u64 {
        self.taken
    }

    /// Checks that `len` bytes are left. The fault names the total that would be enough.
    pub(crate) fn expect(&self, len: u64) -> Verdict<()> {
        if len > u64_from(self.rest.len()) {
            return Err(Fault::lacking(index(self.taken.saturating_add(len))));
        }
        Ok(())
    }

    /// Takes the next `len` bytes. They keep their old content.
    pub(crate) fn take(&mut self, len: u64) -> Verdict<&'s mut [u8]> {
        self.expect(len)?;
        let rest = core::mem::take(&mut self.rest);
        let (piece, rest) = rest.split_at_mut_checked(index(len)).unwrap_or_default();
        self.rest = rest;
        self.taken = self.taken.saturating_add(len);
        Ok(piece)
    }

    /// Takes the next `count` records of `N` words.
    pub(crate) fn records<const N: usize>(&mut self, count: u64) -> Verdict<&'s mut [[Word; N]]> {
        let bytes = self.take(count.saturating_mul(u64_from(size_of::<[Word; N]>())))?;
        Ok(bytes.as_chunks_mut().0.as_chunks_mut().0)
    }
}

/// The memory and limits of the caller.
pub(crate) struct Lent<'l, 's> {
    pub(crate) scratch: Scratch<'s>,
    pub(crate) workspace: &'l mut Workspace,
    pub(crate) limits: &'l Limits,
}

impl Lent<'_, '_> {
    /// Lends the same, with the scratch after its next `len` bytes. Pieces taken from the loan are
    /// free again when it ends.
    pub(crate) fn after(&mut self, len: u64) -> Lent<'_, '_> {
        let Scratch { rest, taken } = &mut self.scratch;
        let rest = rest.get_mut(index(len)..).unwrap_or_default();
        let scratch = Scratch { rest, taken: taken.saturating_add(len) };
        Lent { scratch, workspace: self.workspace, limits: self.limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_overlap_and_a_fault_says_how_much_is_missing() {
        let mut bytes = [9; 20];
        let mut scratch = Scratch::new(&mut bytes);
        let piece = scratch.take(3).unwrap();
        let next = scratch.take(8).unwrap();
        piece.fill(1);
        assert_eq!((piece.len(), &*next), (3, &[9; 8][..]));
        let mut lent = Lent { scratch, workspace: &mut Workspace::new(), limits: &Limits::DEFAULT };
        assert_eq!(lent.after(0).scratch.take(9).map(|piece| piece.len()), Ok(9));
        let mut scratch = lent.scratch;
        assert_eq!(scratch.take(10).map_err(|fault| fault.at), Err(21));
        assert_eq!(scratch.take(u64::MAX).map_err(|fault| fault.at).err(), Some(usize::MAX));
        assert_eq!(scratch.take(9).map(|piece| piece.len()), Ok(9));
    }
}

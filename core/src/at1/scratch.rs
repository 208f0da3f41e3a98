//! The memory that a file needs besides its input and output.
//!
//! Tables of fixed size live in a [`Workspace`]. What depends on the file, decoded streams and the state of its columns,
//! lives in one slice of bytes, the scratch, that the caller lends; pieces of it are handed out from its start.

use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
#[cfg(feature = "at1")]
use crate::xz;
use crate::{Limits, tuning, zstd};

/// The memory of a [`Workspace`], in bytes.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

/// One number of state that waits in the scratch.
pub(crate) type Word = [u8; 8];

/// How much is collected in the scratch before a [`Sink`](crate::Sink) is called.
pub(crate) const BUFFER: u64 = if tuning::SMALL { 256 } else { 4 << 10 };

/// The tables of the backends. Fits in a `static`.
///
/// A workspace can be used for any number of files, one after the other; nothing of one shows in the next.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) zstd: zstd::Workspace,
    #[cfg(feature = "at1")]
    pub(crate) xz: xz::Workspace,
}

impl Workspace {
    /// An empty workspace.
    pub const fn new() -> Self {
        Self {
            zstd: zstd::Workspace::new(),
            #[cfg(feature = "at1")]
            xz: xz::Workspace::new(),
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

/// The limits of what streams decode to. They are not the output: flags, numbers and literals of a short file can be longer than it is.
pub(crate) const fn of_streams(limits: &Limits) -> Limits {
    Limits { max_output: limits.max_output.saturating_add(limits.max_header), ..*limits }
}

/// Runs something in a stack frame of its own, so that what it keeps there does not add to what comes before and behind it.
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
    /// All of `bytes` is to be had.
    pub(crate) const fn new(bytes: &'s mut [u8]) -> Self {
        Self { rest: bytes, taken: 0 }
    }

    /// How many bytes have been taken.
    pub(crate) const fn taken(&self) -> u64 {
        self.taken
    }

    /// Refuses if there are not `len` bytes more, and says how many there should have been in all.
    pub(crate) fn expect(&self, len: u64) -> Verdict<()> {
        if len > u64_from(self.rest.len()) {
            return Err(Fault::lacking(index(self.taken.saturating_add(len))));
        }
        Ok(())
    }

    /// The next `len` bytes. They hold whatever was there before.
    pub(crate) fn take(&mut self, len: u64) -> Verdict<&'s mut [u8]> {
        self.expect(len)?;
        let rest = core::mem::take(&mut self.rest);
        let (piece, rest) = rest.split_at_mut_checked(index(len)).unwrap_or_default();
        self.rest = rest;
        self.taken = self.taken.saturating_add(len);
        Ok(piece)
    }

    /// The next `count` records of `N` words.
    pub(crate) fn records<const N: usize>(&mut self, count: u64) -> Verdict<&'s mut [[Word; N]]> {
        let bytes = self.take(count.saturating_mul(u64_from(size_of::<[Word; N]>())))?;
        Ok(bytes.as_chunks_mut().0.as_chunks_mut().0)
    }
}

/// What the caller lends, on its way to whoever needs some of it.
pub(crate) struct Lent<'l, 's> {
    pub(crate) scratch: Scratch<'s>,
    pub(crate) workspace: &'l mut Workspace,
    pub(crate) limits: &'l Limits,
}

impl Lent<'_, '_> {
    /// The same for a while, but for the next `len` bytes of the scratch.
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
    fn pieces_do_not_overlap_and_the_last_says_what_is_missing() {
        let mut bytes = [9; 20];
        let mut scratch = Scratch::new(&mut bytes);
        let piece = scratch.take(3).unwrap();
        let next = scratch.take(8).unwrap();
        piece.fill(1);
        assert_eq!((piece.len(), &*next), (3, &[9; 8][..]));
        assert_eq!(scratch.behind(0).take(9).map(|piece| piece.len()), Ok(9));
        assert_eq!(scratch.take(10).map_err(|fault| fault.at), Err(21));
        assert_eq!(scratch.take(u64::MAX).map_err(|fault| fault.at).err(), Some(usize::MAX));
        assert_eq!(scratch.take(9).map(|piece| piece.len()), Ok(9));
    }
}

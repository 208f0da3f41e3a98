//! A sequence, and the trait for its consumers.

use crate::fault::Verdict;

/// One sequence: copy `literals` literals, then `length` bytes from `offset` bytes back.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    pub(super) literals: u32,
    pub(super) length: u32,
    pub(super) offset: u32,
}

/// A consumer of sequences. A trait, because a closure cannot be forced inline into the loop.
pub(super) trait Act {
    /// The result so far, passed by value so that it lives in registers.
    type SoFar: Copy;

    fn act(&mut self, so_far: Self::SoFar, sequence: Sequence) -> Verdict<Self::SoFar>;

    /// Does the same if the sequence is simple and cannot fail; otherwise does nothing. With
    /// `NEAR`, matches that repeat fewer than eight bytes are simple too.
    fn quick<const NEAR: bool>(&mut self, so_far: Self::SoFar, sequence: Sequence) -> Option<Self::SoFar>;
}

/// Matches with at least this offset are copied in pieces that do not overlap.
pub(super) const NEAREST: u32 = 8;

/// Adds up the literals that are used and the lengths of matches.
pub(super) struct Sums;

impl Act for Sums {
    type SoFar = (u64, u64);

    #[inline(always)]
    fn act(&mut self, (literals, matches): (u64, u64), sequence: Sequence) -> Verdict<(u64, u64)> {
        Ok((literals + u64::from(sequence.literals), matches + u64::from(sequence.length)))
    }

    #[inline(always)]
    fn quick<const NEAR: bool>(&mut self, so_far: (u64, u64), sequence: Sequence) -> Option<(u64, u64)> {
        self.act(so_far, sequence).ok()
    }
}

//! The probabilities of an LZMA decoder: one for every context in which it reads a bit.

use core::hint::black_box;
use core::mem::take;

use crate::tuning;

/// The initial probability that a bit is 0: one half, in 2048ths.
const EVEN: u16 = 1024;

/// The probabilities of literals in one context.
#[derive(Clone, Debug)]
pub struct Literals(pub(super) [u16; 0x300]);

impl Literals {
    pub(super) const fn new() -> Self {
        Self([0; 0x300])
    }
}

/// All other probabilities, in one row, so that one loop resets them.
#[derive(Clone, Debug)]
pub(super) struct Probabilities([u16; ALL]);

const ALL: usize = 2 * 16 * 16 + 5 * 16 + 2 * LENGTH + 4 * 64 + 128;

/// The parts of [`Probabilities`]. Those that have few contexts come first, since short
/// instructions reach them. Rows are padded to powers of two, so that a masked index needs no
/// check.
pub(super) struct Contexts<'p> {
    pub(super) is_rep: &'p mut [u16; 16],
    /// Whether a distance that is used again is older than the last, the second-last and the
    /// third-last one.
    pub(super) is_older: &'p mut [[u16; 16]; 3],
    pub(super) align: &'p mut [u16; 16],
    /// The low bits of distances below 128, all slots in one row.
    pub(super) special: &'p mut [u16; 128],
    pub(super) slots: &'p mut [[u16; 64]; 4],
    pub(super) is_match: &'p mut [[u16; 16]; 16],
    pub(super) is_rep0_long: &'p mut [[u16; 16]; 16],
    pub(super) match_length: &'p mut Length,
    pub(super) rep_length: &'p mut Length,
}

/// The probabilities of the length of a match.
pub(super) type Length = [u16; LENGTH];

const LENGTH: usize = 2 + 2 * 16 * 8 + 256;

/// The parts of [`Length`].
pub(super) struct Lengths<'p> {
    pub(super) choice: &'p mut [u16; 2],
    pub(super) low: &'p mut [[u16; 8]; 16],
    pub(super) mid: &'p mut [[u16; 8]; 16],
    pub(super) high: &'p mut [u16; 256],
}

impl<'p> Lengths<'p> {
    /// Takes a row apart. Never `None`.
    #[inline(always)]
    pub(super) fn of(row: &'p mut Length) -> Option<Self> {
        let mut rest = row.as_mut_slice();
        Some(Self { choice: part(&mut rest)?, low: rows(&mut rest)?, mid: rows(&mut rest)?, high: part(&mut rest)? })
    }
}

impl Probabilities {
    /// All zeros, so that a `static` takes no flash.
    pub(super) const fn new() -> Self {
        Self([0; ALL])
    }

    /// Takes the row apart. Never `None`.
    #[inline(always)]
    pub(super) fn contexts(&mut self) -> Option<Contexts<'_>> {
        // If the compiler saw through this, it would compute the address of each part before the
        // loop, and keep all of them in memory. That takes more flash than to compute them in it.
        let row = if tuning::SMALL { black_box(&mut self.0) } else { &mut self.0 };
        let mut rest = row.as_mut_slice();
        Some(Contexts {
            is_rep: part(&mut rest)?,
            is_older: rows(&mut rest)?,
            align: part(&mut rest)?,
            special: part(&mut rest)?,
            slots: rows(&mut rest)?,
            is_match: rows(&mut rest)?,
            is_rep0_long: rows(&mut rest)?,
            match_length: part(&mut rest)?,
            rep_length: part(&mut rest)?,
        })
    }

    /// Resets all probabilities, and those of these contexts of literals.
    pub(super) fn reset<'l>(&mut self, literals: impl Iterator<Item = &'l mut Literals>) {
        literals.for_each(|context| forget(&mut context.0));
        forget(&mut self.0);
    }
}

/// Takes the first `N` probabilities.
#[inline(always)]
fn part<'p, const N: usize>(rest: &mut &'p mut [u16]) -> Option<&'p mut [u16; N]> {
    let (part, after) = take(rest).split_first_chunk_mut()?;
    *rest = after;
    Some(part)
}

/// Takes the first `ROWS` rows of `N` probabilities.
#[inline(always)]
fn rows<'p, const ROWS: usize, const N: usize>(rest: &mut &'p mut [u16]) -> Option<&'p mut [[u16; N]; ROWS]> {
    let (part, after) = take(rest).split_at_mut_checked(ROWS * N)?;
    *rest = after;
    part.as_chunks_mut().0.first_chunk_mut()
}

#[inline(never)]
fn forget(row: &mut [u16]) {
    row.fill(EVEN);
}

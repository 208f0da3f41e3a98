//! The range coder: decodes one bit at a time, given the probability that it is 0.

use core::hint::select_unpredictable;

use super::probability::{Length, Lengths};
use crate::tuning;

/// Below this, the range takes another byte.
pub(super) const TOP: u32 = 1 << 24;

/// A range coder at work. It stays in registers while symbols are decoded.
///
/// With the feature `small`, all symbols share one loop over their bits, with one branch per bit.
/// Without it, each call unrolls its bits, and unpredictable bits take no branch.
///
/// After its end the input reads as zeros, and `least` becomes `usize::MAX`, so that no symbol
/// follows the one that read them.
pub(super) struct Range<'a> {
    pub(super) range: u32,
    pub(super) code: u32,
    /// The unused bytes.
    pub(super) rest: core::slice::Iter<'a, u8>,
    /// No symbol may begin with fewer bytes than this.
    pub(super) least: usize,
}

impl Range<'_> {
    #[inline(always)]
    fn normalise(&mut self) {
        if self.range < TOP {
            let byte = match self.rest.next() {
                Some(&byte) => byte,
                None => {
                    self.least = usize::MAX;
                    0
                }
            };
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(byte);
        }
    }

    /// Decodes a bit that the processor may predict.
    #[cfg_attr(not(feature = "small"), inline(always))]
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn bit(&mut self, probability: &mut u16) -> bool {
        self.normalise();
        let p = u32::from(*probability);
        let bound = (self.range >> 11).wrapping_mul(p);
        if self.code < bound {
            self.range = bound;
            *probability = low(p.wrapping_add(2048u32.wrapping_sub(p) >> 5));
            false
        } else {
            self.range = self.range.wrapping_sub(bound);
            self.code = self.code.wrapping_sub(bound);
            *probability = low(p.wrapping_sub(p >> 5));
            true
        }
    }

    /// Decodes an unpredictable bit with this probability. Computes both outcomes, and selects one.
    #[inline(always)]
    fn bit_branchless(&mut self, p: u32) -> (bool, u16) {
        self.normalise();
        let bound = (self.range >> 11).wrapping_mul(p);
        let (above, zero) = self.code.overflowing_sub(bound);
        self.range = select_unpredictable(zero, bound, self.range.wrapping_sub(bound));
        self.code = select_unpredictable(zero, self.code, above);
        // Adapts towards 2048 or towards 0 by a 32nd, both rounded down, with one arithmetic shift.
        let towards = select_unpredictable(zero, 2048 - 31, 0);
        let step = p.wrapping_sub(towards).cast_signed() >> 5;
        (!zero, low(p.wrapping_sub(step.cast_unsigned())))
    }

    /// Decodes a symbol of `BITS` bits, highest first, with a one before them.
    ///
    /// This loop is hot, and one chain of dependent results. Its contract:
    ///
    /// - The probabilities of both possible next bits are loaded before the bit is known. Otherwise
    ///   every bit would wait for memory.
    /// - One of the two is sign-extended, although it has no sign. If both were extended alike, the
    ///   compiler would extend once after the selection, in the chain.
    /// - Nothing that depends on a bit may branch. Measurements: `docs/tried/xz.md`.
    #[inline(always)]
    pub(super) fn tree<const BITS: u32, const N: usize>(&mut self, row: &mut [u16; N]) -> usize {
        const { assert!(BITS > 0 && N >= 1 << BITS) }
        if tuning::SMALL {
            return self.symbol(row, BITS);
        }
        let (mut symbol, mut p) = (1, u32::from(row[1]));
        for level in 1..=BITS {
            let last = level == BITS;
            // No bit follows the last one; its loads are not used.
            let next = if last { symbol } else { symbol << 1 };
            let (p0, p1) = (row[next & ((1 << BITS) - 2)], row[next & ((1 << BITS) - 2) | 1]);
            let (bit, learnt) = self.bit_branchless(p);
            row[symbol & ((1 << BITS) - 1)] = learnt;
            symbol = symbol << 1 | usize::from(bit);
            p = select_unpredictable(bit, u32::from(p1), signed(p0));
        }
        symbol
    }

    /// Decodes a literal after a match, with a one before it. While its bits equal those of
    /// `guess`, the byte that would continue the match, that byte selects one of two more rows.
    ///
    /// The contract is that of [`tree`](Self::tree).
    #[inline(always)]
    pub(super) fn matched(&mut self, row: &mut [u16; 0x300], guess: u8) -> usize {
        let guess = usize::from(guess);
        if tuning::SMALL {
            return self.guessed(row, guess);
        }
        // 0x100 while the guess is right; its next bit is then at the same place.
        let (mut same, mut symbol) = (0x100, 1);
        let place =
            |same: usize, guess: usize, symbol: usize| (same & 0x100) + (guess & same & 0x100) + (symbol & 0xFF);
        let mut here = place(same, guess << 1, symbol);
        let mut p = u32::from(row[here]);
        for level in 1..9 {
            // For a bit of 0 and of 1: the next place, and 0x100 if the guess stays right.
            let one = same & guess << level;
            let zero = same ^ one;
            let next = symbol << 1;
            let (place0, place1) =
                (place(zero, guess << (level + 1), next), place(one, guess << (level + 1), next | 1));
            let (p0, p1) = (row[place0], row[place1]);
            let (bit, learnt) = self.bit_branchless(p);
            row[here] = learnt;
            symbol = next | usize::from(bit);
            same = select_unpredictable(bit, one, zero);
            here = select_unpredictable(bit, place1, place0);
            p = select_unpredictable(bit, u32::from(p1), signed(p0));
        }
        symbol
    }

    /// The small version of [`matched`](Self::matched), a loop. Its condition is at the end, which
    /// saves a jump to the start.
    #[inline(never)]
    fn guessed(&mut self, row: &mut [u16; 0x300], mut guess: usize) -> usize {
        let (mut same, mut symbol) = (0x100, 1);
        loop {
            guess <<= 1;
            let guessed = guess & same;
            let Some(probability) = row.get_mut(same + guessed + symbol) else { break };
            let bit = self.bit(probability);
            symbol = symbol << 1 | usize::from(bit);
            same = if bit { guessed } else { same & !guessed };
            if symbol >= 0x100 {
                break;
            }
        }
        symbol
    }

    /// Decodes the length of a match, less 2.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn length(&mut self, coder: &mut Length, pos_state: usize) -> usize {
        let Some(Lengths { choice, low, mid, high }) = Lengths::of(coder) else { return 0 };
        if !self.bit(&mut choice[0]) {
            self.tree::<3, 8>(&mut low[pos_state & 15]) - 8
        } else if !self.bit(&mut choice[1]) {
            self.tree::<3, 8>(&mut mid[pos_state & 15])
        } else {
            self.tree::<8, 256>(high) - 256 + 16
        }
    }

    /// The small version of [`tree`](Self::tree), a loop. There is at least one bit.
    #[inline(never)]
    fn symbol(&mut self, row: &mut [u16], mut bits: u32) -> usize {
        let mut symbol = 1;
        while let Some(probability) = row.get_mut(symbol) {
            symbol = symbol << 1 | usize::from(self.bit(probability));
            bits -= 1;
            if bits == 0 {
                break;
            }
        }
        symbol
    }

    /// Decodes `bits` bits, lowest first. Their probabilities follow `base`. The contract is that
    /// of [`tree`](Self::tree).
    #[inline(always)]
    pub(super) fn reverse<const N: usize>(&mut self, row: &mut [u16; N], base: usize, bits: u32) -> u32 {
        const { assert!(N.is_power_of_two()) }
        if tuning::SMALL {
            let symbol = self.symbol(row.get_mut(base..).unwrap_or_default(), bits);
            return reversed(symbol);
        }
        let (mut symbol, mut value) = (1usize, 0);
        let mut p = u32::from(row[base.wrapping_add(1) & (N - 1)]);
        for place in 0..bits {
            let next = base.wrapping_add(symbol << 1);
            let (p0, p1) = (row[next & (N - 1)], row[next.wrapping_add(1) & (N - 1)]);
            let (bit, learnt) = self.bit_branchless(p);
            row[base.wrapping_add(symbol) & (N - 1)] = learnt;
            symbol = symbol << 1 | usize::from(bit);
            value |= u32::from(bit) << (place & 31);
            p = select_unpredictable(bit, u32::from(p1), signed(p0));
        }
        value
    }

    /// Decodes `bits` bits, highest first, without probabilities.
    #[inline(always)]
    pub(super) fn direct(&mut self, mut value: u32, bits: u32) -> u32 {
        for _ in 0..bits {
            self.normalise();
            self.range >>= 1;
            let (above, zero) = self.code.overflowing_sub(self.range);
            self.code = select_unpredictable(zero, self.code, above);
            value = value << 1 | u32::from(!zero);
        }
        value
    }
}

/// A probability in 16 bits, which it fits.
#[inline(always)]
fn low(p: u32) -> u16 {
    let [low, high, ..] = p.to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// A sign-extended probability.
#[inline(always)]
fn signed(p: u16) -> u32 {
    i32::from(p.cast_signed()).cast_unsigned()
}

/// Returns the bits below the highest that is set, lowest last. Small devices have no instruction
/// for it.
#[inline(never)]
fn reversed(mut symbol: usize) -> u32 {
    let mut value = 0;
    while symbol > 1 {
        value = value << 1 | u32::from(symbol & 1 == 1);
        symbol >>= 1;
    }
    value
}

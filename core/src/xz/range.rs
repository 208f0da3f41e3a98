//! The range coder: one bit at a time, each with the probability that it is 0.

use core::hint::select_unpredictable;

use super::probability::Length;
use crate::tuning;

/// Below this the range takes another byte.
pub(super) const TOP: u32 = 1 << 24;

/// A range coder at work. It lives in registers for as long as symbols are decoded.
///
/// With the feature `small` there is one loop for the bits of a symbol, which every place calls, and one branch for a bit. Without,
/// each place has its bits unrolled, and those that nobody could predict take no branch.
///
/// Past its end the input reads as zeros, and `least` becomes more than there could be: the symbol that read them is the last.
pub(super) struct Range<'a> {
    pub(super) range: u32,
    pub(super) code: u32,
    /// The bytes that are not used up.
    pub(super) rest: core::slice::Iter<'a, u8>,
    /// With fewer bytes than this no symbol may begin.
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

    /// A bit that the processor may predict.
    #[cfg_attr(not(feature = "small"), inline(always))]
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn bit(&mut self, probability: &mut u16) -> bool {
        self.normalise();
        let p = *probability;
        let bound = (self.range >> 11).wrapping_mul(u32::from(p));
        if self.code < bound {
            self.range = bound;
            *probability = p.wrapping_add(2048u16.wrapping_sub(p) >> 5);
            false
        } else {
            self.range = self.range.wrapping_sub(bound);
            self.code = self.code.wrapping_sub(bound);
            *probability = p.wrapping_sub(p >> 5);
            true
        }
    }

    /// A bit with this probability: what nobody could predict. Both outcomes are computed, and one is taken.
    #[inline(always)]
    fn bit_branchless(&mut self, p: u32) -> (bool, u16) {
        self.normalise();
        let bound = (self.range >> 11).wrapping_mul(p);
        let (above, zero) = self.code.overflowing_sub(bound);
        self.range = select_unpredictable(zero, bound, self.range.wrapping_sub(bound));
        self.code = select_unpredictable(zero, self.code, above);
        // Towards 2048 or towards 0 by a 32nd, both rounded down: one arithmetic shift for the two.
        let towards = select_unpredictable(zero, 2048 - 31, 0);
        let step = p.wrapping_sub(towards).cast_signed() >> 5;
        let [low, high, ..] = p.wrapping_sub(step.cast_unsigned()).to_le_bytes();
        (!zero, u16::from_le_bytes([low, high]))
    }

    /// A symbol of `BITS` bits, highest first, with a one in front of them.
    ///
    /// The probabilities of both bits that may come next are loaded before it is known which one does: otherwise every bit
    /// would wait for memory. One of them is extended by its sign, which it does not have: two that are extended alike the compiler
    /// would extend once, behind the choice, where everything waits for it.
    #[inline(always)]
    pub(super) fn tree<const BITS: u32, const N: usize>(&mut self, row: &mut [u16; N]) -> usize {
        const { assert!(BITS > 0 && N >= 1 << BITS) }
        if tuning::SMALL {
            return self.symbol(row, BITS);
        }
        let (mut symbol, mut p) = (1, u32::from(row[1]));
        for level in 1..=BITS {
            let last = level == BITS;
            // The last bit leads nowhere; what is loaded for it is not looked at.
            let next = if last { symbol } else { symbol << 1 };
            let (p0, p1) = (row[next & ((1 << BITS) - 2)], row[next & ((1 << BITS) - 2) | 1]);
            let (bit, learnt) = self.bit_branchless(p);
            row[symbol & ((1 << BITS) - 1)] = learnt;
            symbol = symbol << 1 | usize::from(bit);
            p = select_unpredictable(bit, u32::from(p1), signed(p0));
        }
        symbol
    }

    /// A literal behind a match, with a one in front: as long as its bits are those of `guess`, which the match would have
    /// gone on with, that byte chooses among two rows more.
    #[inline(always)]
    pub(super) fn matched(&mut self, row: &mut [u16; 0x300], guess: u8) -> usize {
        let guess = usize::from(guess);
        if tuning::SMALL {
            return self.guessed(row, guess);
        }
        // 0x100 as long as the guess is right; its next bit then stands there, too.
        let (mut same, mut symbol) = (0x100, 1);
        let place =
            |same: usize, guess: usize, symbol: usize| (same & 0x100) + (guess & same & 0x100) + (symbol & 0xFF);
        let mut here = place(same, guess << 1, symbol);
        let mut p = u32::from(row[here]);
        for level in 1..9 {
            // Which places come next, for a bit of 0 and for one of 1, and whether the guess was right.
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

    /// [`matched`](Self::matched) in a loop.
    #[inline(never)]
    fn guessed(&mut self, row: &mut [u16; 0x300], mut guess: usize) -> usize {
        let (mut same, mut symbol) = (0x100, 1);
        while symbol < 0x100 {
            guess <<= 1;
            let guessed = guess & same;
            let bit = row.get_mut(same + guessed + symbol).is_some_and(|p| self.bit(p));
            symbol = symbol << 1 | usize::from(bit);
            same = if bit { guessed } else { same & !guessed };
        }
        symbol
    }

    /// The length of a match, less 2.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn length(&mut self, coder: &mut Length, pos_state: usize) -> usize {
        if !self.bit(&mut coder.choice) {
            self.tree::<3, 8>(&mut coder.low[pos_state & 15]) - 8
        } else if !self.bit(&mut coder.choice2) {
            self.tree::<3, 8>(&mut coder.mid[pos_state & 15])
        } else {
            self.tree::<8, 256>(&mut coder.high) - 256 + 16
        }
    }

    /// [`tree`](Self::tree) in a loop.
    #[inline(never)]
    fn symbol(&mut self, row: &mut [u16], bits: u32) -> usize {
        let mut symbol = 1;
        for _ in 0..bits {
            let bit = row.get_mut(symbol).is_some_and(|p| self.bit(p));
            symbol = symbol << 1 | usize::from(bit);
        }
        symbol
    }

    /// [`reverse`](Self::reverse) in a loop.
    #[inline(never)]
    fn lowest_first(&mut self, row: &mut [u16], bits: u32) -> u32 {
        let (mut symbol, mut value) = (1, 0);
        for place in 0..bits {
            let bit = row.get_mut(symbol).is_some_and(|p| self.bit(p));
            symbol = symbol << 1 | usize::from(bit);
            value |= u32::from(bit) << (place & 31);
        }
        value
    }

    /// So many bits, lowest first. The probabilities lie behind `base`.
    #[inline(always)]
    pub(super) fn reverse<const N: usize>(&mut self, row: &mut [u16; N], base: usize, bits: u32) -> u32 {
        const { assert!(N.is_power_of_two()) }
        if tuning::SMALL {
            return self.lowest_first(row.get_mut(base..).unwrap_or_default(), bits);
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

    /// So many bits, highest first, without probabilities.
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

/// A probability, extended by its sign.
#[inline(always)]
fn signed(p: u16) -> u32 {
    i32::from(p.cast_signed()).cast_unsigned()
}

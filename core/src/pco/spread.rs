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
    use super::*;
    use crate::pco::meta::Meta;
    use crate::pco::{NumberType, model};
    use crate::{Error, Limits};

    #[test]
    fn the_step_is_three_fifths_made_odd() {
        for log in 0..=14 {
            let size = 1u32 << log;
            let fifths = 3 * size / 5;
            assert_eq!(stride(size), if fifths.is_multiple_of(2) { fifths + 1 } else { fifths }, "{size}");
        }
    }

    /// Spreads bins of these weights. Returns the bin of each entry.
    fn bins(log: u32, weights: &[u32]) -> crate::Result<Vec<u32>> {
        let (bytes, mut meta) = (model::metadata(log, weights), Meta::new());
        meta.read(&bytes, NumberType::U32, 4, 0, &Limits::NONE, &mut ())?;
        let (variable, mut slots) = (meta.variable(Role::Primary).unwrap(), vec![u32::MAX; 1 << log]);
        let (mut each, mut filled) = (0, 0);
        let mut fill = |i, bin: &Bin, at: usize| {
            assert_eq!((i, core::mem::replace(&mut slots[at], i)), (bin.lower as u32, u32::MAX));
            filled += 1;
        };
        let count = |i: u32, bin: &Bin| {
            assert_eq!((i, bin.lower, bin.weight), (each, u64::from(each), weights[each as usize]));
            each += 1;
        };
        spread(variable, 0, count, &mut fill).map_err(|fault| meta.error(fault))?;
        assert_eq!((each as usize, filled), (weights.len(), 1 << log));
        Ok(slots)
    }

    #[test]
    fn every_list_of_weights_is_refused_unless_it_fills_the_table() {
        let mut accepted = 0;
        for (log, most) in [(0, 1), (1, 2), (2, 4), (3, 5)] {
            let size = 1u32 << log;
            let lists = (1..=most).flat_map(|count| (0..size.pow(count)).map(move |number| (count, number)));
            for (count, number) in lists {
                let weights: Vec<_> = (0..count).map(|place| 1 + number / size.pow(place) % size).collect();
                let sum: u32 = weights.iter().sum();
                // The bin with which the sum is too large, or the end of all bins.
                let more = |end: &u32| weights[..=*end as usize].iter().sum::<u32>() > size;
                let at = (0..count).find(more).unwrap_or(count);
                let expected = match (log, count) {
                    (1.., 1) => Err(Error::new(ErrorKind::PcoTableSize, 1)),
                    _ if sum == size => Ok(()),
                    _ => Err(Error::new(ErrorKind::PcoWeights, (27 + u64::from(at) * u64::from(log + 38)) / 8)),
                };
                assert_eq!(bins(log, &weights).map(drop), expected, "{weights:?} for {size}");
                accepted += u32::from(expected.is_ok());
            }
        }
        // Lists of each length that add up to 1, 2, 4, and, of up to five numbers, to 8.
        assert_eq!(accepted, 1 + 1 + (3 + 3 + 1) + (7 + 21 + 35 + 35));
    }

    #[test]
    fn every_list_of_weights_leads_to_each_state_once() {
        model::each_table(&mut |log, weights| {
            let (slots, mut counters) = (bins(log, weights).unwrap(), weights.to_vec());
            let entry = |bin: u32| {
                let (read, base) = transition(counters[bin as usize], log);
                counters[bin as usize] += 1;
                (bin as usize, read, base)
            };
            let entries: Vec<_> = slots.into_iter().map(entry).collect();
            model::check(log, weights, |state| entries[state]);
        });
    }
}

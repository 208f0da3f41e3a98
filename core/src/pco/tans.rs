//! tANS tables: which bin a state stands for, and which states may follow.

use super::batch::Node;
use super::meta::{Role, Variable};
use super::number::Latent;
use crate::num::index;
use crate::{Error, ErrorKind, Result};

/// The decoding table of one latent variable: for each state what to read, and the least latent of its bin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'w, D> {
    pub nodes: &'w [Node],
    pub lowers: &'w [D],
    /// The logarithm of the number of states.
    pub log: u32,
    /// The most offset bits of any bin.
    pub widest: u32,
}

impl<D> Table<'_, D> {
    /// Stands for a variable that the chunk does not have.
    pub const NONE: Self = Self { nodes: &[], lowers: &[], log: 0, widest: 0 };
}

impl<'w, D: Latent> Table<'w, D> {
    /// Reads the bins of `variable`, checks them, and spreads them over the table.
    ///
    /// `shift` is added to each latent: what later steps would add to every number costs nothing here. `counters` has an
    /// entry for each bin.
    pub fn build(
        variable: &Variable<'_>,
        nodes: &'w mut [Node],
        lowers: &'w mut [D],
        counters: &mut [u16],
        shift: D,
        window: u32,
    ) -> Result<Self> {
        let size = 1u32 << (variable.table_log & 15);
        let refuse = |kind, i| Err(Error::new(kind, variable.at(i)));
        // Three fifths of the size, made odd so that every entry is met once. 39322 / 2^16 is 3/5 for each size there is.
        let (step, last) = ((size * 39_322) >> 16 | 1, size - 1);
        let (mut slot, mut total, mut widest) = (0, 0, 0);
        for (i, bin) in (0u16..).zip(variable.iter()) {
            if bin.offset_bits > variable.width {
                return refuse(ErrorKind::PcoOffsetBits, u32::from(i));
            }
            if variable.role == Role::Lookback && !(1..=u64::from(window)).contains(&bin.lower) {
                return refuse(ErrorKind::PcoLookbackBin, u32::from(i));
            }
            total += bin.weight;
            if total > size {
                return refuse(ErrorKind::PcoWeights, u32::from(i));
            }
            widest = bin.offset_bits.max(widest);
            if let Some(counter) = counters.get_mut(usize::from(i)) {
                *counter = u16::try_from(bin.weight).unwrap_or(u16::MAX);
            }
            let [low, high] = i.to_le_bytes();
            let bits = u8::try_from(bin.offset_bits).unwrap_or(u8::MAX);
            let lower = D::low(bin.lower).plus(shift);
            for _ in 0..bin.weight {
                let at = index(u64::from(slot));
                if let (Some(node), Some(entry)) = (nodes.get_mut(at), lowers.get_mut(at)) {
                    *node = [bits, 0, low, high];
                    *entry = lower;
                }
                slot = (slot + step) & last;
            }
        }
        if variable.bins == 0 {
            // Without bins every latent is 0; the page decides whether there may be any.
            total = 1;
            nodes.iter_mut().take(1).for_each(|node| *node = [0; 4]);
            lowers.iter_mut().take(1).for_each(|lower| *lower = shift);
        } else {
            // The entries of a bin, in the order of the table, stand for the numbers from its weight to twice that.
            for node in nodes.iter_mut().take(index(u64::from(size))) {
                let [bits, _, low, high] = *node;
                let Some(counter) = counters.get_mut(usize::from(u16::from_le_bytes([low, high]))) else { continue };
                let x = u32::from(*counter);
                *counter = counter.wrapping_add(1);
                let read = (x | 1).leading_zeros().saturating_sub(31 - variable.table_log);
                let base = (x << (read & 15)).wrapping_sub(size);
                let [low, high, ..] = base.to_le_bytes();
                *node = [bits, u8::try_from(read).unwrap_or(0), low, high];
            }
        }
        if total != size {
            return refuse(ErrorKind::PcoWeights, variable.bins);
        }
        Ok(Self { nodes, lowers, log: variable.table_log, widest })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_step_is_three_fifths_made_odd() {
        for log in 0..=14 {
            let size = 1u32 << log;
            let fifths = 3 * size / 5;
            assert_eq!((size * 39_322) >> 16 | 1, if fifths.is_multiple_of(2) { fifths + 1 } else { fifths }, "{size}");
        }
    }
}

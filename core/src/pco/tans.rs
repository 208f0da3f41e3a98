//! tANS tables: which bin a state stands for, and which states may follow.

use super::batch::{Node, node};
use super::meta::Variable;
use super::number::Latent;
use super::spread::{stride, transition};
use crate::Result;
use crate::num::index;

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
        let (step, last) = (stride(size), size - 1);
        let (mut slot, mut total, mut widest) = (0, 0, 0);
        for (i, bin) in (0u16..).zip(variable.iter()) {
            total += bin.weight;
            variable.check(u32::from(i), &bin, total, window)?;
            widest = bin.offset_bits.max(widest);
            if let Some(counter) = counters.get_mut(usize::from(i)) {
                *counter = u16::try_from(bin.weight).unwrap_or(u16::MAX);
            }
            let bits = u8::try_from(bin.offset_bits).unwrap_or(u8::MAX);
            let lower = D::low(bin.lower).plus(shift);
            for _ in 0..bin.weight {
                let at = index(u64::from(slot));
                if let (Some(to), Some(entry)) = (nodes.get_mut(at), lowers.get_mut(at)) {
                    *to = node(0, bits, i.to_le_bytes());
                    *entry = lower;
                }
                slot = (slot + step) & last;
            }
        }
        if variable.bins == 0 {
            // Without bins every latent is 0; the page decides whether there may be any.
            nodes.iter_mut().take(1).for_each(|node| *node = 0);
            lowers.iter_mut().take(1).for_each(|lower| *lower = shift);
        } else {
            // The entries of a bin, in the order of the table, stand for the numbers from its weight to twice that.
            for entry in nodes.iter_mut().take(index(u64::from(size))) {
                let [_, bits, low, high] = entry.to_le_bytes();
                let Some(counter) = counters.get_mut(usize::from(u16::from_le_bytes([low, high]))) else { continue };
                let x = u32::from(*counter);
                *counter = counter.wrapping_add(1);
                let (read, base) = transition(x, variable.table_log);
                let [low, high, ..] = base.to_le_bytes();
                *entry = node(u8::try_from(read).unwrap_or(0), bits, [low, high]);
            }
        }
        variable.check_total(total)?;
        Ok(Self { nodes, lowers, log: variable.table_log, widest })
    }
}

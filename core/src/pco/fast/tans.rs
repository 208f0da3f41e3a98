//! tANS tables: for each state its bin and the states that may follow.

use super::keep::keep_narrow;
use crate::fault::Verdict;
use crate::num::index;
use crate::pco::meta::{Bin, Variable};
use crate::pco::number::Latent;
use crate::pco::spread::{spread, transition};

/// An entry of a tANS table: bits to read for the next state, offset bits of the bin, and the state
/// that the bits are added to.
///
/// One word, because loads are what the hot loops do most. The bits to read are the lowest byte, so
/// that the lowest byte of a sum of four entries is the sum of their bits to read.
pub(crate) type Entry = u32;

/// The states of a variable, which take turns. Words, because a loop would pack and unpack narrower
/// ones in every turn.
pub(crate) type States = [usize; 4];

/// Makes an entry.
pub(crate) const fn entry(read: u8, width: u8, [low, high]: [u8; 2]) -> Entry {
    u32::from_le_bytes([read, width, low, high])
}

/// Returns the next state, for which the lowest bits of `word` are read.
#[inline(always)]
pub(crate) fn next_state(entry: Entry, word: u64) -> usize {
    let [read, ..] = entry.to_le_bytes();
    index(u64::from((entry >> 16).wrapping_add(u32::low(keep_narrow(word, read)))))
}

/// The decoding table of one latent variable: for each state its entry, and the least latent of its
/// bin.
///
/// Empty for a variable that the chunk does not have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SymbolTable<'w, D> {
    pub entries: &'w [Entry],
    pub lowers: &'w [D],
    /// The logarithm of the number of states.
    pub log: u32,
    /// The most offset bits of any bin.
    pub widest: u32,
}

impl<'w, D: Latent> SymbolTable<'w, D> {
    /// Reads the bins of `variable`, checks them, and spreads them over the table.
    ///
    /// `shift` is added to each lower bound, so that later steps need not add it to each number.
    /// `counters` has an entry for each bin.
    pub fn build(
        variable: &Variable<'_>,
        entries: &'w mut [Entry],
        lowers: &'w mut [D],
        counters: &mut [u16],
        shift: D,
        window: u32,
    ) -> Verdict<Self> {
        let mut widest = 0;
        let each = |i: u32, bin: &Bin| {
            widest = bin.offset_bits.max(widest);
            if let Some(counter) = counters.get_mut(index(u64::from(i))) {
                *counter = u16::try_from(bin.weight).unwrap_or(u16::MAX);
            }
        };
        let fill = |i: u32, bin: &Bin, at| {
            if let (Some(to), Some(lower)) = (entries.get_mut(at), lowers.get_mut(at)) {
                let [low, high, ..] = i.to_le_bytes();
                *to = entry(0, u8::try_from(bin.offset_bits).unwrap_or(u8::MAX), [low, high]);
                *lower = D::low(bin.lower).plus(shift);
            }
        };
        spread(variable, window, each, fill)?;
        if variable.bins == 0 {
            // Without bins every latent is 0. The page decides whether there may be any.
            entries.iter_mut().take(1).for_each(|entry| *entry = 0);
            lowers.iter_mut().take(1).for_each(|lower| *lower = shift);
        } else {
            // The entries of a bin, in the order of the table, represent the numbers from its
            // weight to twice that.
            for to in entries.iter_mut().take(1 << (variable.table_log & 15)) {
                let [_, bits, low, high] = to.to_le_bytes();
                let Some(counter) = counters.get_mut(usize::from(u16::from_le_bytes([low, high]))) else { continue };
                let x = u32::from(*counter);
                *counter = counter.wrapping_add(1);
                let (read, base) = transition(x, variable.table_log);
                let [low, high, ..] = base.to_le_bytes();
                *to = entry(u8::try_from(read).unwrap_or(0), bits, [low, high]);
            }
        }
        Ok(Self { entries, lowers, log: variable.table_log, widest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::pco::meta::{Meta, Role};
    use crate::pco::{NumberType, model};

    #[test]
    fn every_list_of_weights_builds_the_table_of_the_format() {
        const SHIFT: u32 = 0xFFFF_F000;
        let (mut entries, mut lowers, mut counters) = (vec![0; 1 << 14], vec![0; 1 << 14], vec![0; 1 << 14]);
        model::each_table(&mut |log, weights| {
            let (bytes, mut meta, size) = (model::metadata(log, weights), Meta::new(), 1 << log);
            meta.read(&bytes, NumberType::U32, 4, 0, &Limits::NONE, &mut ()).unwrap();
            let variable = meta.variable(Role::Primary).unwrap();
            let (entries, lowers) = (&mut entries[..size], &mut lowers[..size]);
            let table = SymbolTable::build(variable, entries, lowers, &mut counters, SHIFT, 0).unwrap();
            assert_eq!((table.log, table.widest), (log, (weights.len() as u32 - 1).min(32)));
            model::check(log, weights, |state| {
                let [read, width, low, high] = table.entries[state].to_le_bytes();
                let bin = table.lowers[state].wrapping_sub(SHIFT);
                assert_eq!(u32::from(width), bin % 33, "offset bits of bin {bin}");
                // The first and the last of the next states.
                assert_eq!(next_state(table.entries[state], 0), usize::from(u16::from_le_bytes([low, high])));
                let last = usize::from(u16::from_le_bytes([low, high])) + (1 << read) - 1;
                assert_eq!(next_state(table.entries[state], u64::MAX), last);
                (bin as usize, read.into(), u16::from_le_bytes([low, high]).into())
            });
        });
    }
}

//! The description of a code: a weight for each symbol. A symbol of weight `w` has a code of `depth + 1 - w` bits, one of
//! weight 0 has none.

use super::{Fault, Rules, top};
use crate::entropy::{fse, low8};
use crate::num::index;

/// Weights, and how often each comes up.
pub(super) struct Weights {
    pub(super) of: [u8; 256],
    /// Symbols that are described, the last one included, whose weight is what the others leave.
    pub(super) count: usize,
    /// Symbols of each weight.
    pub(super) ranks: [u16; 16],
    /// Bits of the longest code.
    pub(super) depth: u32,
    /// Bytes of the description.
    pub(super) len: usize,
}

impl Weights {
    /// What [`read`](Self::read) fills. It is large, and given from call to call it would be on the stack more than once.
    pub(super) const fn new() -> Self {
        Self { of: [0; 256], count: 0, ranks: [0; 16], depth: 0, len: 1 }
    }

    /// Reads a description from the start of `bytes`, which may go on behind it. In the cells a table is built.
    pub(super) fn read<const N: usize>(
        &mut self,
        bytes: &[u8],
        rules: Rules,
        cells: &mut [u16; N],
    ) -> Result<(), Fault> {
        let (&header, rest) = bytes.split_first().ok_or(Fault::Cut)?;
        match header {
            0..128 => {
                self.len += usize::from(header);
                let log = rules.max_weights_log.min(N.trailing_zeros());
                self.coded(bytes.get(..self.len).ok_or(Fault::Cut)?, bytes, log, cells)?;
            }
            242.. if rules.ones => {
                const COUNTS: [u8; 14] = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128];
                self.count = usize::from(COUNTS.get(usize::from(header - 242)).copied().unwrap_or(1));
                self.of.iter_mut().take(self.count).for_each(|weight| *weight = 1);
            }
            _ => {
                self.count = usize::from(header - 127);
                let pairs = rest.get(..self.count.div_ceil(2)).ok_or(Fault::Cut)?;
                let (places, _) = self.of.as_chunks_mut::<2>();
                for (to, pair) in places.iter_mut().zip(pairs) {
                    *to = [pair >> 4, pair & 15];
                }
                // The spare half of the last byte is no weight.
                if let Some(spare) = self.of.get_mut(self.count) {
                    *spare = 0;
                }
                self.len += pairs.len();
            }
        }
        self.complete()
    }

    /// Weights that are coded with two states in turns. `behind` has what follows them too, so that it can be read in
    /// words.
    #[cfg_attr(feature = "small", inline(never))]
    fn coded<const N: usize>(
        &mut self,
        bytes: &[u8],
        behind: &[u8],
        max_log: u32,
        cells: &mut [u16; N],
    ) -> Result<(), Fault> {
        // How many cells each symbol gets all over the table and at its end. What is no weight counts as 15.
        let mut counts = [[0u16; 2]; 16];
        let (log, len) = fse::describe(behind.get(1..).unwrap_or_default(), 255, max_log, &mut |symbol, count| {
            let [spread, last] = &mut counts[symbol.min(15)];
            *(if count < 0 { last } else { spread }) += count.unsigned_abs();
        })
        .ok_or(Fault::Coding)?;
        let size = 1usize << log;
        let mut high = size;
        for (symbol, &[_, last]) in (0u16..).zip(&counts) {
            for _ in 0..last {
                high = high.wrapping_sub(1);
                cells[high & (N - 1)] = symbol << 12;
            }
        }
        let mut at = 0;
        for (symbol, &[spread, _]) in (0u16..).zip(&counts) {
            for _ in 0..spread {
                cells[at & (N - 1)] = symbol << 12;
                at = fse::next(at, log, high);
            }
        }
        // A cell is its symbol in the high four bits, and what follows it: four bits for how many bits are read and eight for
        // where the state starts to which they are added. For large tables, which nobody writes, it is how far the cell is
        // in the row of all of its symbol, and the rest is computed when it is needed.
        let large = N > 256 && log > 8;
        let firsts = counts.map(|[spread, last]| spread + last);
        let mut next = if large { [0; 16] } else { firsts };
        for cell in cells.iter_mut().take(size) {
            let next = &mut next[usize::from(*cell >> 12)];
            let (width, base) = fse::successor((*next).into(), log);
            *cell |= if large { *next & 0xFFF } else { u16::from(width & 15) << 8 | base & 0xFF };
            *next = next.wrapping_add(1);
        }

        let start = (1 + len) * 8;
        let last = *bytes.last().filter(|&&last| last != 0).ok_or(Fault::Coding)?;
        let mut left = bytes.len() * 8 - 1 - last.leading_zeros() as usize;
        let both = 2 * log as usize;
        left = left.checked_sub(both).filter(|&left| left >= start).ok_or(Fault::Coding)?;
        let mut window = top(bytes, left + both).ok_or(Fault::Coding)?;
        let mut one = index(window >> (64 - log));
        window <<= log;
        let mut other = index(window >> (64 - log));
        let mut room = self.of.iter_mut().take(255);
        loop {
            window = top(bytes, left).ok_or(Fault::Coding)?;
            // Four times twelve bits are there.
            for _ in 0..4 {
                let cell = cells[one & (N - 1)];
                let symbol = cell >> 12;
                *room.next().ok_or(Fault::Coding)? = low8(symbol.into());
                let (width, base) = if large {
                    fse::successor(u32::from(firsts[usize::from(symbol)] + (cell & 0xFFF)), log)
                } else {
                    (low8(u32::from(cell >> 8)) & 15, cell & 0xFF)
                };
                if left - start < usize::from(width) {
                    *room.next().ok_or(Fault::Coding)? = low8(u32::from(cells[other & (N - 1)] >> 12));
                    self.count = 255 - room.len();
                    return Ok(());
                }
                left -= usize::from(width);
                let follower = usize::from(base) + index(window >> 1 >> (63 - width));
                window <<= width;
                (one, other) = (other, follower);
            }
        }
    }

    /// Counts the weights and adds the last one, which nobody writes.
    #[cfg_attr(feature = "small", inline(never))]
    fn complete(&mut self) -> Result<(), Fault> {
        // In two columns, since the same weight often comes twice in a row.
        let mut odd = [0u16; 16];
        // What lies behind the last weight is 0, and one such may be counted here.
        let (pairs, _) = self.of.as_chunks::<2>();
        for &[one, other] in pairs.iter().take(self.count.div_ceil(2)) {
            self.ranks[usize::from(one & 15)] += 1;
            odd[usize::from(other & 15)] += 1;
        }
        self.ranks.iter_mut().zip(odd).for_each(|(all, odd)| *all += odd);
        let [_, ranks @ .., a, b, c] = self.ranks;
        // What all of them take of the code space.
        let sum: u32 = ranks.iter().zip(0u32..).map(|(&rank, bits)| u32::from(rank) << bits).sum();
        if sum == 0 || a | b | c != 0 {
            return Err(Fault::Weights);
        }
        self.depth = 32 - sum.leading_zeros();
        let missing = (1u32 << self.depth) - sum;
        if self.depth > super::MAX_DEPTH || !missing.is_power_of_two() {
            return Err(Fault::Weights);
        }
        let last = missing.trailing_zeros() + 1;
        *self.of.get_mut(self.count).ok_or(Fault::Weights)? = low8(last);
        self.count += 1;
        self.ranks[last as usize & 15] += 1;
        // The longest codes come in pairs.
        if self.ranks[1] < 2 || !self.ranks[1].is_multiple_of(2) {
            return Err(Fault::Weights);
        }
        Ok(())
    }
}

//! The description of a Huffman code: a weight for each symbol. A symbol of weight `w` has a code
//! of `depth + 1 - w` bits; weight 0 means no code.
//!
//! # Contract of the hot loop in [`Weights::coded`], which every small frame runs
//!
//! * Eight weights come from one word, as long as the stream has bits for the widest eight. Do not
//!   refill inside such a group.
//! * Bits before the stream are readable, so that a word may begin there.
//! * The measurements are in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#short-frames).

use core::ops::Range;

use crate::bits::{bits_before, mark};
use crate::entropy::{fse, low8, low32};
use crate::num::{index, u64_from};
use crate::tuning::{LEAN, WEIGHT_PARTS};

/// The deepest code: RFC 8878 allows 11 bits, older dictionaries have 12.
pub(crate) const MAX_DEPTH: u32 = 12;

/// The differences between the formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Header bytes from 242 on stand for lists of ones rather than for more weights.
    pub(crate) ones: bool,
    /// The log of the largest table for coded weights.
    pub(crate) max_weights_log: u32,
}

/// A state of the table that decodes weights. From the lowest byte on: the number of bits to read,
/// the weight, and in two bytes the state to which these bits are added.
pub(super) type Cell = [u8; 4];

/// The weights of all symbols, and their counts.
pub(super) struct Weights {
    pub(super) of: [u8; 256],
    /// The number of symbols, the last one included, whose weight is what the others leave.
    pub(super) count: usize,
    /// The number of symbols of each weight, for every part of the symbols.
    pub(super) counts: [[u16; 16]; WEIGHT_PARTS],
    /// The number of symbols of a part.
    pub(super) part: u32,
    /// The number of symbols of each weight. For weight 0 it is too large.
    pub(super) ranks: [u16; 16],
    /// Bits of the longest code.
    pub(super) depth: u32,
    /// Bytes of the description.
    pub(super) len: usize,
}

impl Weights {
    /// Returns the memory that [`read`](Self::read) fills. It is large, and returned from call to
    /// call it would be on the stack more than once.
    pub(super) const fn new() -> Self {
        Self { of: [0; 256], count: 0, counts: [[0; 16]; WEIGHT_PARTS], part: 0, ranks: [0; 16], depth: 0, len: 1 }
    }

    /// Reads the description at `at` of `src`, which may go on after it. Builds a table in `cells`.
    /// `None` if the description breaks the rules.
    pub(super) fn read<const N: usize>(
        &mut self,
        src: &[u8],
        at: usize,
        rules: Rules,
        cells: &mut [Cell; N],
    ) -> Option<()> {
        let (&header, rest) = src.get(at..).and_then(<[u8]>::split_first)?;
        match header {
            0..128 => {
                self.len += usize::from(header);
                let log = rules.max_weights_log.min(N.trailing_zeros());
                let end = at + self.len;
                if end > src.len() {
                    return None;
                }
                self.coded(src, at + 1..end, log, cells)?;
            }
            242.. if rules.ones => {
                const COUNTS: [u8; 14] = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128];
                self.count = usize::from(COUNTS.get(usize::from(header - 242)).copied().unwrap_or(1));
                self.of.iter_mut().take(self.count).for_each(|weight| *weight = 1);
            }
            _ => {
                self.count = usize::from(header - 127);
                let pairs = rest.get(..self.count.div_ceil(2))?;
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

    /// Decodes weights with two states in turns. Words may reach beyond the range.
    #[cfg_attr(feature = "small", inline(never))]
    fn coded<const N: usize>(
        &mut self,
        src: &[u8],
        range: Range<usize>,
        max_log: u32,
        cells: &mut [Cell; N],
    ) -> Option<()> {
        // Bits are counted from nearby: 32 bits cannot count those of a file of 512 MiB.
        let base = range.start.saturating_sub(8);
        let (src, range) = (src.get(base..)?, range.start - base..range.end - base);
        // For each symbol, its cells all over the table and those at its end. Symbols that are no
        // weight count as 15.
        let mut counts = [[0u16; 2]; 16];
        let after = src.get(range.start..)?;
        let (log, len) = fse::describe(after, 255, max_log, &mut |symbol, count| {
            let [spread, last] = &mut counts[symbol.min(15)];
            *(if count < 0 { last } else { spread }) += count.unsigned_abs();
        })?;
        let size = 1usize << log;
        let mut high = size;
        for (weight, &[_, last]) in (0..).zip(&counts) {
            for _ in 0..last {
                high = high.wrapping_sub(1);
                cells[high & (N - 1)][1] = weight;
            }
        }
        let mut at = 0;
        for (weight, &[spread, _]) in (0..).zip(&counts) {
            for _ in 0..spread {
                cells[at & (N - 1)][1] = weight;
                at = fse::next(at, log, high);
            }
        }
        let mut next = counts.map(|[spread, last]| spread + last);
        for cell in cells.iter_mut().take(size) {
            let [_, weight, ..] = *cell;
            let next = &mut next[usize::from(weight) & 15];
            let (width, base) = fse::successor((*next).into(), log);
            *cell = (base << 16 | u32::from(weight) << 8 | width).to_le_bytes();
            *next = next.wrapping_add(1);
        }

        let start = (range.start + len) * 8;
        let mut left = range.end * 8 - mark(src.get(..range.end)?)? as usize;
        let both = 2 * log as usize;
        left = left.checked_sub(both).filter(|&left| left >= start)?;
        let mut window = bits_before(src, left + both)?;
        let mut one = index(window >> (64 - log));
        window <<= log;
        let mut other = index(window >> (64 - log));
        // Eight at a time, as long as the stream and one word have bits for the widest eight.
        let (groups, _) = self.of.as_chunks_mut::<8>();
        let most = 8 * log as usize;
        for group in groups {
            if LEAN || left - start < most || most > 57 {
                break;
            }
            window = bits_before(src, left)?;
            let mut widths = 0;
            for to in group {
                let cell = u32::from_le_bytes(cells[one & (N - 1)]);
                *to = low8(cell >> 8);
                window = window.rotate_left(cell & 63);
                (one, other) = (other, follower(cell, window));
                widths += cell;
            }
            left -= widths as usize & 63;
            self.count += 8;
        }
        let mut room = self.of.get_mut(self.count..255)?.iter_mut();
        let mut ready = 0;
        loop {
            if ready < log {
                (window, ready) = (bits_before(src, left)?, 57);
            }
            let cell = u32::from_le_bytes(cells[one & (N - 1)]);
            *room.next()? = low8(cell >> 8);
            let width = cell & 63;
            let Some(less) = left.checked_sub(width as usize).filter(|&less| less >= start) else { break };
            window = window.rotate_left(width);
            (one, other) = (other, follower(cell, window));
            (left, ready) = (less, ready - width);
        }
        *room.next()? = cells[other & (N - 1)][1];
        self.count = 255 - room.len();
        Some(())
    }

    /// Counts the weights and adds the last one, which is not stored.
    #[cfg_attr(feature = "small", inline(never))]
    fn complete(&mut self) -> Option<()> {
        let part = (self.count + 1).div_ceil(WEIGHT_PARTS);
        self.part = low32(u64_from(part));
        for at in 0..self.part {
            for (part, counts) in (0..).zip(&mut self.counts) {
                let symbol = low8(part * self.part + at);
                counts[usize::from(self.of[usize::from(symbol)] & 15)] += 1;
            }
        }
        self.ranks = core::array::from_fn(|weight| self.counts.iter().map(|counts| counts[weight]).sum());
        let [_, ranks @ ..] = &self.ranks;
        // The part of the code space that all symbols take. A weight that is too large takes too
        // much.
        let sum: u32 = ranks.iter().zip(0u32..).map(|(&rank, bits)| u32::from(rank) << bits).sum();
        self.depth = 32 - sum.leading_zeros();
        let missing = (1u32 << self.depth) - sum;
        if self.depth > MAX_DEPTH || !missing.is_power_of_two() {
            return None;
        }
        let last = missing.trailing_zeros() + 1;
        *self.of.get_mut(self.count)? = low8(last);
        let counts = self.count.checked_div(part).and_then(|part| self.counts.get_mut(part));
        counts?[last as usize & 15] += 1;
        self.ranks[last as usize & 15] += 1;
        self.count += 1;
        // The longest codes come in pairs.
        let longest = self.ranks[1];
        (longest > 0 && longest.is_multiple_of(2)).then_some(())
    }
}

/// Returns the state after a cell. Its bits are now the lowest of the window.
#[inline(always)]
fn follower(cell: u32, window: u64) -> usize {
    ((cell >> 16) + (low32(window) & !(u32::MAX << (cell & 31)))) as usize
}

/// Returns the number of bits of the code of each symbol, from the description at the start of
/// `bytes`; `None` if it breaks the rules.
pub(crate) fn lengths(bytes: &[u8], rules: Rules) -> Option<[u8; 256]> {
    let mut weights = Weights::new();
    weights.read(bytes, 0, rules, &mut [[0; 4]; 1 << 11])?;
    let depth = low8(weights.depth);
    Some(weights.of.map(|weight| if weight > 0 { (depth + 1).wrapping_sub(weight) } else { 0 }))
}

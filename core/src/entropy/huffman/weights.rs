//! The description of a Huffman code: a weight for each symbol. A symbol of weight `w` has a code
//! of `depth + 1 - w` bits; weight 0 means no code.

use super::coded::{self, CELLS, Cell};
use crate::bits::width;
use crate::entropy::{low8, low32};
use crate::num::u64_from;
use crate::tuning::{SMALL, WEIGHT_PARTS};

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
    pub(super) fn read(&mut self, src: &[u8], at: usize, rules: Rules, cells: &mut [Cell; CELLS]) -> Option<()> {
        let (&header, rest) = src.get(at..).and_then(<[u8]>::split_first)?;
        match header {
            0..128 => {
                self.len += usize::from(header);
                let log = rules.max_weights_log.min(CELLS.trailing_zeros());
                let end = at + self.len;
                if end > src.len() {
                    return None;
                }
                self.count = coded::decode(src, at + 1..end, log, cells, &mut self.of)?;
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

    /// Adds the last weight, which is not stored.
    #[cfg_attr(feature = "small", inline(never))]
    fn complete(&mut self) -> Option<()> {
        let (sum, longest) = if SMALL { self.add_up() } else { self.count_parts() };
        self.depth = width(sum);
        let missing = (1u32 << self.depth) - sum;
        if self.depth > MAX_DEPTH || !missing.is_power_of_two() {
            return None;
        }
        let last = width(missing);
        *self.of.get_mut(self.count)? = low8(last);
        if !SMALL {
            self.ranks[last as usize & 15] += 1;
            let part = self.count.checked_div(self.part as usize)?;
            self.counts.get_mut(part)?[last as usize & 15] += 1;
        }
        self.count += 1;
        // The longest codes come in pairs.
        let longest = longest + u32::from(last == 1);
        (longest > 0 && longest.is_multiple_of(2)).then_some(())
    }

    /// Returns the part of the code space that all symbols take, and the number of those with the
    /// longest codes. A weight that is too large takes too much.
    fn add_up(&self) -> (u32, u32) {
        let (mut sum, mut longest) = (0, 0);
        for &weight in self.of.iter().take(self.count) {
            sum += 1u32 << (weight & 15) >> 1;
            longest += u32::from(weight == 1);
        }
        (sum, longest)
    }

    /// Does the same, and counts the weights in each part of the symbols.
    fn count_parts(&mut self) -> (u32, u32) {
        self.part = low32(u64_from((self.count + 1).div_ceil(self.counts.len())));
        for at in 0..self.part {
            for (part, counts) in (0..).zip(&mut self.counts) {
                let symbol = low8(part * self.part + at);
                counts[usize::from(self.of[usize::from(symbol)] & 15)] += 1;
            }
        }
        self.ranks = core::array::from_fn(|weight| self.counts.iter().map(|counts| counts[weight]).sum());
        let [_, ranks @ ..] = &self.ranks;
        let sum = ranks.iter().zip(0u32..).map(|(&rank, bits)| u32::from(rank) << bits).sum();
        (sum, self.ranks[1].into())
    }
}

/// Returns the number of bits of the code of each symbol, from the description at the start of
/// `bytes`; `None` if it breaks the rules.
pub(crate) fn lengths(bytes: &[u8], rules: Rules) -> Option<[u8; 256]> {
    let mut weights = Weights::new();
    weights.read(bytes, 0, rules, &mut [coded::EMPTY; CELLS])?;
    let depth = low8(weights.depth);
    Some(weights.of.map(|weight| if weight > 0 { (depth + 1).wrapping_sub(weight) } else { 0 }))
}

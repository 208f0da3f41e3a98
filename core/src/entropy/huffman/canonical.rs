//! Huffman codes decoded by comparison, for flash and memory counted in kilobytes: the symbols in
//! the order of their codes, and the start of each width.

use core::ops::Range;

use super::coded::{CELLS, Cell, EMPTY};
use super::weights::{Rules, Weights};
use crate::bits::{BackwardBitReader, BackwardFields};
use crate::entropy::{low8, low16, low32};
use crate::num::u64_from;

/// A code, ready to decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The table that decodes the weights.
    cells: [Cell; CELLS],
    /// Symbols from the smallest weight, whose codes are the longest and the lowest, to the
    /// largest.
    symbols: [u8; 256],
    /// For each weight: the first code, as wide as the longest, and the place of its symbols.
    firsts: [(u16, u8); 16],
    /// Width of the longest code; 0 without a code.
    depth: u8,
}

impl Table {
    pub(crate) const fn new() -> Self {
        Self { cells: [EMPTY; CELLS], symbols: [0; 256], firsts: [(0, 0); 16], depth: 0 }
    }

    pub(crate) const fn is_ready(&self) -> bool {
        self.depth != 0
    }

    pub(crate) const fn forget(&mut self) {
        self.depth = 0;
    }

    /// Does nothing: these codes have no table to pack.
    pub(crate) const fn pack(&mut self) -> Option<()> {
        None
    }

    /// Does nothing, like [`pack`](Self::pack).
    pub(crate) const fn prepare(&mut self, _: usize, _: usize) {}

    pub(crate) const fn depth(&self) -> u32 {
        self.depth as u32
    }

    /// Reads the description at `at` of `src`, which may go on after it; returns its length.
    #[inline(never)]
    pub(crate) fn read(&mut self, src: &[u8], at: usize, rules: Rules) -> Option<usize> {
        self.depth = 0;
        let mut weights = Weights::new();
        weights.read(src, at, rules, &mut self.cells)?;
        let mut code = 0u32;
        let mut place = 0;
        for weight in 1..16usize {
            self.firsts[weight] = (low16(code), low8(place));
            for symbol in 0..low32(u64_from(weights.count)) {
                if usize::from(weights.of[symbol as usize & 255]) == weight {
                    self.symbols[place as usize & 255] = low8(symbol);
                    place += 1;
                    code += 1 << (weight - 1);
                }
            }
        }
        self.depth = low8(weights.depth);
        Some(weights.len)
    }

    /// Returns the symbol of the next bits, and the width of its code. `bits` are as many as the
    /// longest code has.
    #[inline(always)]
    fn look(&self, bits: u32) -> (u8, u32) {
        // Short codes are frequent.
        let mut width = 1;
        for &(first, place) in self.firsts.iter().take(usize::from(self.depth) + 1).rev() {
            if let Some(above) = bits.checked_sub(first.into()) {
                let row = above >> (self.depth() - width);
                return (self.symbols[(usize::from(place) + row as usize) & 255], width);
            }
            width += 1;
        }
        (0, width)
    }

    /// Returns the next symbol of a stream and the width of its code, outside of hot loops.
    pub(crate) fn first(&self, bits: &BackwardBitReader<'_>) -> (u8, u32) {
        self.look(low32(bits.peek(self.depth())))
    }

    /// Reads the next symbol of a stream.
    #[inline(always)]
    pub(crate) fn next(&self, bits: &mut BackwardFields<'_>) -> u8 {
        let (symbol, width) = self.look(bits.peek(self.depth()));
        bits.skip(width);
        symbol
    }

    /// Fills `out` from one stream, which must hold exactly that many symbols.
    #[inline(never)]
    pub(crate) fn decode_one(&self, src: &[u8], stream: Range<usize>, out: &mut [u8]) -> Option<()> {
        let mut bits = BackwardFields::open(src.get(stream)?)?;
        self.fill(&mut bits, out);
        (bits.remaining() == 0).then_some(())
    }

    /// Fills `out` with the next symbols of a stream.
    #[inline(never)]
    pub(crate) fn fill(&self, bits: &mut BackwardFields<'_>, out: &mut [u8]) {
        // In registers, where there are enough.
        let mut local = *bits;
        for to in out {
            *to = self.next(&mut local);
        }
        *bits = local;
    }

    /// Fills `out` from four streams, each of which ends where the next one starts: three equal
    /// parts and the rest.
    pub(crate) fn decode_four(&self, src: &[u8], bounds: &[usize; 5], out: &mut [u8]) -> Option<()> {
        let part = out.len().div_ceil(4);
        let mut rest = out;
        for (&start, &end) in bounds.iter().zip(bounds.iter().skip(1)) {
            let (out, after) = rest.split_at_mut_checked(part.min(rest.len()))?;
            self.decode_one(src, start..end, out)?;
            rest = after;
        }
        Some(())
    }
}

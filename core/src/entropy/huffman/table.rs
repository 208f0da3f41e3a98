//! Huffman codes looked up in one table of 11 bits: the fastest way without a table for each width.
//!
//! # Contract of the hot loops, `run_four`, `run_packed` and `run_one`
//!
//! * Input: up to four streams in one slice that starts eight bytes before them if it can, so that
//!   one load of eight bytes is a refill; a table in which every cell is laid.
//! * One refill is enough for [`AT_ONCE`] looks of up to 11 bits. Do not raise either number alone.
//! * Four streams run side by side to hide the latency of the look-ups. A stream is two numbers in
//!   registers, the slice is shared. One more value for each stream is spilled, and costs up to a
//!   tenth.
//! * A stream is checked only at its end ([`SymbolReader::is_exhausted`]). Before its start a
//!   refill fails.
//! * The measurements are in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#nearly-all-huffman).

use core::ops::Range;

use super::weights::{MAX_DEPTH, Rules, Weights};
use crate::bits::{BackwardBitReader, bits_before, mark};
use crate::entropy::{low8, low32};
use crate::tuning::{LEAN, SHORT_FRAMES, WEIGHT_PARTS};

/// Codes are looked up with this many bits, whatever their depth, so that the shift is a constant.
const LOG: u32 = 11;

const CELLS: usize = 1 << LOG;

/// Look-ups for each refill, of one symbol each or of several.
const AT_ONCE: usize = 5;

/// A code, ready to decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The cells, one for each value of the next [`LOG`] bits. The low byte is the width of a code,
    /// the byte above it the symbol. These cells fill the first half; a code of 12 bits has twice
    /// as many and fills all of it.
    ///
    /// Packed cells take the place of two. Each has all symbols within its bits, up to three, from
    /// the lowest byte on. The low six bits of the highest byte are the width of these codes, the
    /// two above them the number of symbols.
    cells: [u8; 4 * CELLS],
    /// Symbols in the order of their codes, the longest first; those without a code come last.
    symbols: [u8; 256],
    /// The number of codes of each width, from the longest on.
    ranks: [u16; 16],
    /// The width of the code of each symbol, once cells are packed.
    widths: [u8; 256],
    /// Width of the longest code; 0 without a code.
    depth: u32,
    /// 1 if cells are packed, else 0. Not a `bool`, so that any bytes are a table.
    packed: u8,
}

/// A packed cell in the order of its bytes.
type Packed = [u8; 4];

/// Bit position of the symbol count within the top byte of a packed cell, and within a sum of these
/// bytes.
const COUNT: u32 = 6;

impl Table {
    pub(crate) const fn new() -> Self {
        let cells = [0; 4 * CELLS];
        Self { cells, symbols: [0; 256], ranks: [0; 16], widths: [0; 256], depth: 0, packed: 0 }
    }

    pub(crate) const fn is_ready(&self) -> bool {
        self.depth != 0
    }

    pub(crate) const fn forget(&mut self) {
        self.depth = 0;
    }

    /// Returns the next symbol of a stream and the width of its code, outside of hot loops.
    pub(crate) fn first(&self, bits: &BackwardBitReader<'_>) -> (u8, u32) {
        let cell = self.look(bits.peek(MAX_DEPTH) << (64 - MAX_DEPTH));
        (low8(cell >> 8), cell & 63)
    }

    /// Reads the next symbol of a stream, outside of hot loops.
    pub(crate) fn next(&self, bits: &mut BackwardBitReader<'_>) -> u8 {
        let (symbol, width) = self.first(bits);
        bits.skip(width);
        symbol
    }

    /// Fills `out` with the next symbols of a stream, outside of hot loops.
    pub(crate) fn fill(&self, bits: &mut BackwardBitReader<'_>, out: &mut [u8]) {
        out.iter_mut().for_each(|to| *to = self.next(bits));
    }

    pub(crate) const fn depth(&self) -> u32 {
        self.depth
    }

    /// Reads the description at `at` of `src`, which may go on after it; returns its length.
    pub(crate) fn read(&mut self, src: &[u8], at: usize, rules: Rules) -> Option<usize> {
        self.depth = 0;
        let mut weights = Weights::new();
        weights.read(src, at, rules, self.cells.as_chunks_mut().0.first_chunk_mut()?)?;
        self.build(&weights)?;
        Some(weights.len)
    }

    fn build(&mut self, weights: &Weights) -> Option<()> {
        let depth = weights.depth;
        // Sorts the symbols by weight; those without a code come last.
        let mut places = [[0u8; 16]; WEIGHT_PARTS];
        let mut place = 0u8;
        for weight in (1..16).chain([0]) {
            for (places, counts) in places.iter_mut().zip(&weights.counts) {
                places[weight & 15] = place;
                place = place.wrapping_add(low8(counts[weight & 15].into()));
            }
        }
        for at in 0..weights.part {
            for (part, places) in (0..).zip(&mut places) {
                let symbol = low8(part * weights.part + at);
                let place = &mut places[usize::from(weights.of[usize::from(symbol)] & 15)];
                self.symbols[usize::from(*place)] = symbol;
                *place = place.wrapping_add(1);
            }
        }
        let log = depth.max(LOG);
        let (mut symbols, mut cells) = (&self.symbols[..], &mut self.cells[..]);
        for (weight, &rank) in (1..=depth).zip(weights.ranks.iter().skip(1)) {
            let each = 2usize << (weight - 1 + log - depth);
            let (these, others) = symbols.split_at_checked(rank.into())?;
            let (room, rest) = cells.split_at_mut_checked(these.len() * each)?;
            let width = low8(depth + 1 - weight);
            match each {
                _ if LEAN => {
                    for (cells, &symbol) in room.chunks_exact_mut(each.max(2)).zip(these) {
                        cells.as_chunks_mut().0.fill([width, symbol]);
                    }
                }
                2 => lay::<2>(room, these, width),
                4 => lay::<4>(room, these, width),
                8 => lay::<8>(room, these, width),
                16 => lay::<16>(room, these, width),
                _ => {
                    for (cells, &symbol) in room.chunks_exact_mut(each.max(32)).zip(these) {
                        cells.as_chunks_mut().0.fill(row::<8>(width, symbol));
                    }
                }
            }
            (symbols, cells) = (others, rest);
        }
        (self.ranks, self.depth, self.packed) = (weights.ranks, depth, 0);
        Some(())
    }

    /// Puts all symbols into each cell that fit in its bits.
    #[cold]
    #[inline(never)]
    pub(crate) fn pack(&mut self) -> Option<()> {
        if LEAN || self.packs() || !(1..=LOG).contains(&self.depth) {
            return None;
        }
        let (mut before, mut symbols, mut codes) = ([(0, 0); 16], 0, 0);
        let ranks = self.ranks.get(1..=self.depth as usize)?;
        for ((at, &rank), before) in (0..).zip(ranks).zip(&mut before) {
            *before = (symbols, codes);
            let these = self.symbols.get(symbols..symbols + usize::from(rank))?;
            these.iter().for_each(|&symbol| self.widths[usize::from(symbol)] = low8(self.depth - at));
            symbols += usize::from(rank);
            codes += usize::from(rank) << at;
        }
        before[ranks.len() & 15] = (symbols, codes);
        let (cells, _) = self.cells.as_chunks_mut();
        CodeOrder { symbols: &self.symbols, ranks, depth: self.depth, before }.lay(cells, 0, 0)?;
        self.packed = 1;
        Some(())
    }

    /// Returns the cell of the next bits, which are at the top.
    #[inline(always)]
    fn cell(&self, bits: u64) -> u32 {
        let (cells, _) = self.cells.as_chunks();
        u16::from_le_bytes(cells[low32(bits >> (64 - LOG)) as usize & (CELLS - 1)]).into()
    }

    /// Returns the packed cell of the next bits.
    #[inline(always)]
    fn packed(&self, bits: u64) -> u32 {
        let (cells, _) = self.cells.as_chunks();
        u32::from_le_bytes(cells[low32(bits >> (64 - LOG)) as usize & (CELLS - 1)])
    }

    /// Returns the cell of the next bits in any table.
    #[inline(always)]
    fn look(&self, bits: u64) -> u32 {
        if self.packs() {
            let symbol = low8(self.packed(bits));
            return u32::from(symbol) << 8 | u32::from(self.widths[usize::from(symbol)]);
        }
        let (cells, _) = self.cells.as_chunks();
        let cell = low32(bits >> (64 - self.depth.max(LOG)));
        u16::from_le_bytes(cells[cell as usize & (2 * CELLS - 1)]).into()
    }

    /// Returns whether cells are packed; lean builds never pack.
    #[inline(always)]
    const fn packs(&self) -> bool {
        !LEAN && self.packed != 0
    }

    /// Fills `out` from one stream, which must hold exactly that many symbols.
    pub(crate) fn decode_one(&self, src: &[u8], stream: Range<usize>, out: &mut [u8]) -> Option<()> {
        let (src, bounds) = nearby(src, [stream.start, stream.end])?;
        let reader = SymbolReader::new(src, bounds[0]..bounds[1])?;
        match LEAN || self.packs() || self.depth > LOG {
            true => self.rest(src, reader, out, 0),
            false => run_one(src, reader, out, |bits| self.cell(bits)),
        }
    }

    /// Prepares for this many symbols in streams of this many bytes. Packed cells pay if there are
    /// many symbols and most codes are short.
    pub(crate) fn prepare(&mut self, symbols: usize, bytes: usize) {
        if !LEAN && symbols >= PACKED_FROM && bytes * 16 / 11 <= symbols {
            self.pack();
        }
    }

    /// Fills `out` from four streams, each of which ends where the next one starts: three equal
    /// parts and the rest.
    pub(crate) fn decode_four(&self, src: &[u8], bounds: &[usize; 5], out: &mut [u8]) -> Option<()> {
        let (src, bounds) = nearby(src, *bounds)?;
        let [a, b, c, d] = core::array::from_fn(|at| SymbolReader::new(src, bounds[at]..bounds[at + 1]));
        let readers = [a?, b?, c?, d?];
        let part = out.len().div_ceil(4);
        let (out0, rest) = out.split_at_mut_checked(part)?;
        let (out1, rest) = rest.split_at_mut_checked(part)?;
        let (out2, out3) = rest.split_at_mut_checked(part)?;
        let outs = [out0, out1, out2, out3];
        match LEAN || self.depth > LOG {
            // No encoder writes codes of 12 bits any more.
            true => self.in_turns(src, &mut lanes(readers, outs)),
            false if self.packs() => self.run_packed(src, readers, outs),
            false => run_four(src, readers, outs, |bits| self.cell(bits)),
        }
    }

    /// Decodes four streams, up to three symbols with each look-up.
    #[inline(never)]
    fn run_packed(&self, src: &[u8], readers: [SymbolReader; 4], outs: [&mut [u8]; 4]) -> Option<()> {
        let [mut reader0, mut reader1, mut reader2, mut reader3] = readers;
        let [out0, out1, out2, out3] = outs;
        let (mut at0, mut at1, mut at2, mut at3) = (0u32, 0u32, 0u32, 0u32);
        while let (Some(to0), Some(to1), Some(to2), Some(to3)) =
            (room(out0, at0), room(out1, at1), room(out2, at2), room(out3, at3))
        {
            reader0.refill(src)?;
            reader1.refill(src)?;
            reader2.refill(src)?;
            reader3.refill(src)?;
            let (mut sum0, mut sum1, mut sum2, mut sum3) = (0, 0, 0, 0);
            for _ in 0..AT_ONCE {
                reader0.symbols(self, &mut sum0, to0);
                reader1.symbols(self, &mut sum1, to1);
                reader2.symbols(self, &mut sum2, to2);
                reader3.symbols(self, &mut sum3, to3);
            }
            at0 += reader0.used(sum0);
            at1 += reader1.used(sum1);
            at2 += reader2.used(sum2);
            at3 += reader3.used(sum3);
        }
        self.rest(src, reader0, out0, at0)?;
        self.rest(src, reader1, out1, at1)?;
        self.rest(src, reader2, out2, at2)?;
        self.rest(src, reader3, out3, at3)
    }

    /// Decodes the rest of a stream, from `at` on, with any table.
    #[inline(never)]
    fn rest(&self, src: &[u8], mut reader: SymbolReader, out: &mut [u8], mut at: u32) -> Option<()> {
        while SHORT_FRAMES
            && self.packs()
            && let Some(to) = room(out, at)
        {
            reader.refill(src)?;
            let mut sum = 0;
            for _ in 0..AT_ONCE {
                reader.symbols(self, &mut sum, to);
            }
            at += reader.used(sum);
        }
        while self.packs()
            && let Some(to) = out.get_mut(at as usize..).filter(|to| to.len() >= 4)
        {
            reader.refill(src)?;
            let mut sum = 0;
            // As many look-ups as there is room for.
            let _ = (0..AT_ONCE).try_for_each(|_| reader.symbols(self, &mut sum, to));
            at += reader.used(sum);
        }
        self.in_turns(src, &mut lanes([reader], [out.get_mut(at as usize..)?]))
    }

    /// Decodes streams side by side, with any table, in one short loop.
    #[inline(never)]
    fn in_turns(&self, src: &[u8], lanes: &mut [Lane<'_>]) -> Option<()> {
        let cell = |bits| self.look(bits);
        // A word has four codes of 12 bits.
        let rounds = lanes.iter().map(|lane| lane.out.len() / 4).min()?;
        for _ in 0..rounds {
            lanes.iter_mut().try_for_each(|lane| lane.symbols::<4>(src, cell))?;
        }
        lanes.iter_mut().try_for_each(|lane| {
            while !lane.out.is_empty() {
                lane.symbols::<1>(src, cell)?;
            }
            lane.reader.is_exhausted().then_some(())
        })
    }
}

/// The least number of symbols for which cells are packed.
const PACKED_FROM: usize = 4 << 10;

/// Bytes that a round may write: three for each look-up, and one more.
const ROOM: usize = 15 + 4;

#[inline(always)]
fn room(out: &mut [u8], at: u32) -> Option<&mut [u8; ROOM]> {
    out.get_mut(at as usize..at as usize + ROOM)?.first_chunk_mut()
}

/// Returns adjacent streams with up to eight bytes before them, where words may begin.
fn nearby<const N: usize>(src: &[u8], bounds: [usize; N]) -> Option<(&[u8], [usize; N])> {
    let base = bounds.first()?.saturating_sub(8);
    let src = src.get(base..*bounds.last()?)?;
    Some((src, bounds.map(|bound| bound.saturating_sub(base))))
}

/// Decodes four streams side by side, each symbol looked up with `cell`.
#[inline(never)]
fn run_four(
    src: &[u8],
    readers: [SymbolReader; 4],
    outs: [&mut [u8]; 4],
    cell: impl Fn(u64) -> u32 + Copy,
) -> Option<()> {
    let [mut reader0, mut reader1, mut reader2, mut reader3] = readers;
    let [out0, out1, out2, out3] = outs;
    // The last part is the shortest. As long as it lasts, the four streams hide each other's
    // latency.
    let (chunks0, _) = out0.as_chunks_mut::<AT_ONCE>();
    let (chunks1, _) = out1.as_chunks_mut::<AT_ONCE>();
    let (chunks2, _) = out2.as_chunks_mut::<AT_ONCE>();
    let (chunks3, _) = out3.as_chunks_mut::<AT_ONCE>();
    let mut rounds = 0;
    for (((chunk3, chunk0), chunk1), chunk2) in chunks3.iter_mut().zip(chunks0).zip(chunks1).zip(chunks2) {
        reader0.refill(src)?;
        reader1.refill(src)?;
        reader2.refill(src)?;
        reader3.refill(src)?;
        let (mut sum0, mut sum1, mut sum2, mut sum3) = (0, 0, 0, 0);
        for (((to0, to1), to2), to3) in chunk0.iter_mut().zip(chunk1).zip(chunk2).zip(chunk3) {
            *to0 = reader0.symbol(cell, &mut sum0);
            *to1 = reader1.symbol(cell, &mut sum1);
            *to2 = reader2.symbol(cell, &mut sum2);
            *to3 = reader3.symbol(cell, &mut sum3);
        }
        reader0.used(sum0);
        reader1.used(sum1);
        reader2.used(sum2);
        reader3.used(sum3);
        rounds += 1;
    }
    let done = rounds * AT_ONCE;
    run_one(src, reader0, out0.get_mut(done..)?, cell)?;
    run_one(src, reader1, out1.get_mut(done..)?, cell)?;
    run_one(src, reader2, out2.get_mut(done..)?, cell)?;
    run_one(src, reader3, out3.get_mut(done..)?, cell)
}

/// Decodes the rest of a stream, which must end with it.
#[inline(never)]
fn run_one(src: &[u8], mut reader: SymbolReader, out: &mut [u8], cell: impl Fn(u64) -> u32) -> Option<()> {
    let (chunks, rest) = out.as_chunks_mut::<AT_ONCE>();
    for chunk in chunks {
        reader.refill(src)?;
        let mut sum = 0;
        for to in chunk {
            *to = reader.symbol(&cell, &mut sum);
        }
        reader.used(sum);
    }
    reader.refill(src)?;
    let mut sum = 0;
    for to in rest {
        *to = reader.symbol(&cell, &mut sum);
    }
    reader.used(sum);
    reader.is_exhausted().then_some(())
}

/// Lays `BYTES` bytes of cells for every symbol.
#[inline(always)]
fn lay<const BYTES: usize>(cells: &mut [u8], symbols: &[u8], width: u8) {
    let (cells, _) = cells.as_chunks_mut();
    for (cells, &symbol) in cells.iter_mut().zip(symbols) {
        *cells = row::<BYTES>(width, symbol);
    }
}

/// Returns the same cell again and again, written in words rather than in bytes.
#[inline(always)]
fn row<const BYTES: usize>(width: u8, symbol: u8) -> [u8; BYTES] {
    let word = (u64::from(u16::from_le_bytes([width, symbol])) * 0x0001_0001_0001_0001).to_le_bytes();
    let words = [word; 2];
    words.as_flattened().first_chunk().copied().unwrap_or([0; BYTES])
}

/// The most symbols of a packed cell.
const MOST: u32 = 3;

/// A code, in the form from which packed cells are laid.
struct CodeOrder<'a> {
    symbols: &'a [u8],
    ranks: &'a [u16],
    depth: u32,
    /// Before the codes of each width, from the longest on: the number of symbols, and the number
    /// of the longest codes that would take their place.
    before: [(usize, usize); 16],
}

impl CodeOrder<'_> {
    /// Lays the symbols that follow `known` others into the cells, one for every value of the bits
    /// after those. `base` holds the known symbols of these cells.
    fn lay(&self, cells: &mut [Packed], known: u32, base: u32) -> Option<()> {
        if known == MOST {
            cells.fill(base.to_le_bytes());
            return Some(());
        }
        // The longer widths have more bits than are left.
        let bits = cells.len().trailing_zeros();
        let long = self.depth.saturating_sub(bits);
        let (symbols, codes) = self.before[long as usize & 15];
        let (none, mut cells) = cells.split_at_mut_checked(codes >> long)?;
        none.fill(base.to_le_bytes());
        let mut symbols = self.symbols.get(symbols..)?;
        for (width, &rank) in (1..=self.depth).rev().zip(self.ranks).skip(long as usize) {
            let (these, others) = symbols.split_at_checked(rank.into())?;
            let Some((&first, more)) = these.split_first() else { continue };
            let each = 1usize << (bits - width);
            let (one, rest) = cells.split_at_mut_checked(each)?;
            let (room, rest) = rest.split_at_mut_checked(more.len() * each)?;
            // The symbols that can follow are the same for all symbols of one width.
            self.lay(one, known + 1, base + ((1 << COUNT | width) << 24))?;
            for (to, &symbol) in room.chunks_exact_mut(each).zip(more) {
                to.iter_mut().zip(&*one).for_each(|(to, from)| *to = with(*from, symbol, known));
            }
            one.iter_mut().for_each(|cell| *cell = with(*cell, first, known));
            (symbols, cells) = (others, rest);
        }
        Some(())
    }
}

/// Returns a cell with one more symbol after `known` others.
#[inline(always)]
fn with(cell: Packed, symbol: u8, known: u32) -> Packed {
    (u32::from_le_bytes(cell) | u32::from(symbol) << (8 * known)).to_le_bytes()
}

/// A stream, read from its end. Each refill takes the bytes as an argument, because four streams
/// share one slice.
struct SymbolReader {
    /// The next bits of the code, at the top.
    bits: u64,
    /// The position of the next bit, less the [`BELOW`] bits that are loaded with it; wraps around
    /// near the start.
    at: u32,
    /// The value of `at` at the end of the stream.
    end: u32,
}

/// The bits of a word below the byte of its first bit.
const BELOW: u32 = 56;

impl SymbolReader {
    /// Positions have 32 bits, because the streams are within the bytes of one block: the compiler
    /// sees that sums of them do not wrap.
    fn new(src: &[u8], stream: Range<usize>) -> Option<Self> {
        let mark = mark(src.get(stream.clone())?)?;
        let [end, all] =
            [stream.start, stream.end].map(|byte| byte.checked_mul(8).and_then(|bit| u32::try_from(bit).ok()));
        let after = BELOW + 1;
        Some(Self { bits: 0, at: all?.wrapping_sub(after + mark), end: end?.wrapping_sub(after) })
    }

    /// Loads at least 57 bits.
    #[inline(always)]
    fn refill(&mut self, src: &[u8]) -> Option<()> {
        let start = (self.at >> 3) as usize;
        self.bits = match src.get(start..start + 8).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u64::from_le_bytes(*chunk) << (!self.at & 7),
            None => at_start(src, self.at)?,
        };
        Some(())
    }

    /// Decodes one symbol.
    #[inline(always)]
    fn symbol(&mut self, cell: impl Fn(u64) -> u32, sum: &mut u32) -> u8 {
        let cell = cell(self.bits);
        self.bits <<= cell & 63;
        *sum += cell;
        low8(cell >> 8)
    }

    /// Decodes all symbols of a cell, if there is room for them and one byte more, so that they are
    /// stored at once.
    #[inline(always)]
    fn symbols(&mut self, table: &Table, sum: &mut u32, to: &mut [u8]) -> Option<()> {
        let cell = table.packed(self.bits);
        let place = (*sum >> COUNT) as usize & 15;
        *to.get_mut(place..place + 4)?.first_chunk_mut()? = cell.to_le_bytes();
        self.bits <<= cell >> 24 & 63;
        *sum += cell >> 24;
        Some(())
    }

    /// Counts the bits of a round, whose cells add up to `sum`; returns the number of symbols.
    #[inline(always)]
    fn used(&mut self, sum: u32) -> u32 {
        self.at = self.at.wrapping_sub(sum & 63);
        sum >> COUNT
    }

    /// Returns whether every bit of the stream was used, and none before it.
    fn is_exhausted(&self) -> bool {
        self.at == self.end
    }
}

/// A stream, and the part of the output that it still has to fill.
struct Lane<'a> {
    reader: SymbolReader,
    out: &'a mut [u8],
}

fn lanes<const N: usize>(readers: [SymbolReader; N], outs: [&mut [u8]; N]) -> [Lane<'_>; N] {
    let mut outs = outs.into_iter();
    readers.map(|reader| Lane { reader, out: outs.next().unwrap_or_default() })
}

impl Lane<'_> {
    /// Decodes the next `N` symbols from one word.
    #[inline(always)]
    fn symbols<const N: usize>(&mut self, src: &[u8], cell: impl Fn(u64) -> u32 + Copy) -> Option<()> {
        let (these, rest) = core::mem::take(&mut self.out).split_first_chunk_mut::<N>()?;
        self.out = rest;
        self.reader.refill(src)?;
        let mut sum = 0;
        for to in these {
            *to = self.reader.symbol(cell, &mut sum);
        }
        self.reader.used(sum);
        Some(())
    }
}

/// Loads the word of a bit that has fewer than eight bytes up to it. `None` before the first bit.
#[cold]
#[inline(never)]
fn at_start(src: &[u8], at: u32) -> Option<u64> {
    bits_before(src, at.wrapping_add(BELOW + 1) as usize)
}

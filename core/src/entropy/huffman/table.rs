//! Codes looked up in one table of 11 bits: the fastest that is to be had without a table for each length.

use core::ops::Range;

use super::weights::Weights;
use super::{Fault, MAX_DEPTH, Rules};
use crate::bits::BackwardBitReader;
use crate::entropy::{low8, low16, low32};
use crate::num::index;

/// Codes this deep or less are looked up with so many bits, so that the shift is a constant.
const LOG: u32 = 11;

const CELLS: usize = 1 << MAX_DEPTH;

/// Cells that are needed for [`LOG`] bits. What lies behind them then holds the symbols that follow.
const HALF: usize = 1 << LOG;

/// Symbols that one refill is enough for.
const AT_ONCE: usize = 5;

/// A code, ready to decode.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Width of the code in the low byte, symbol in the high one.
    cells: [u16; CELLS],
    /// How many bits look up a cell; 0 when there is no code.
    log: u32,
    /// Width of the longest code.
    depth: u32,
    /// Whether the second half says which symbol comes next.
    paired: bool,
}

impl Table {
    pub(crate) const fn new() -> Self {
        Self { cells: [0; CELLS], log: 0, depth: 0, paired: false }
    }

    pub(crate) const fn is_ready(&self) -> bool {
        self.log != 0
    }

    pub(crate) const fn forget(&mut self) {
        self.log = 0;
    }

    /// Copies a code that was read before.
    pub(crate) fn copy(&mut self, from: &Self) {
        self.cells.iter_mut().zip(&from.cells).take(1 << from.log).for_each(|(to, from)| *to = *from);
        (self.log, self.depth, self.paired) = (from.log, from.depth, false);
    }

    /// The next symbol of a stream and how wide its code is, for those who are in no hurry.
    pub(crate) fn first(&self, bits: &BackwardBitReader<'_>) -> (u8, u32) {
        let cell = self.cells[index(bits.peek(self.log)) & (CELLS - 1)];
        (low8(u32::from(cell >> 8)), u32::from(cell & 63))
    }

    pub(crate) const fn depth(&self) -> u32 {
        self.depth
    }

    /// Reads a description from the start of `bytes`, which may go on behind it; says how long it is.
    pub(crate) fn read(&mut self, bytes: &[u8], rules: Rules) -> Result<usize, Fault> {
        self.log = 0;
        let mut weights = Weights::new();
        weights.read(bytes, rules, &mut self.cells)?;
        self.build(&weights);
        Ok(weights.len)
    }

    fn build(&mut self, weights: &Weights) {
        // The symbols by their weights; those without a code come last.
        let mut places = [0usize; 16];
        let mut place = 0;
        for (to, &rank) in places.iter_mut().zip(&weights.ranks).skip(1) {
            *to = place;
            place += usize::from(rank);
        }
        places[0] = place;
        let mut sorted = [0; 256];
        for (symbol, &weight) in (0..=255).zip(weights.of.iter().take(weights.count)) {
            let place = &mut places[usize::from(weight & 15)];
            sorted[*place & 255] = symbol;
            *place += 1;
        }
        let (mut symbols, mut cells) = (&sorted[..], &mut self.cells[..]);
        let depth = weights.depth;
        let log = depth.max(LOG);
        for (weight, &rank) in (1..=depth).zip(weights.ranks.iter().skip(1)) {
            let each = 1usize << (weight - 1 + log - depth);
            let Some((these, others)) = symbols.split_at_checked(rank.into()) else { return };
            let Some((room, rest)) = cells.split_at_mut_checked(these.len() * each) else { return };
            let width = low16(depth + 1 - weight);
            match each {
                1 => lay::<1>(room, these, width),
                2 => lay::<2>(room, these, width),
                4 => lay::<4>(room, these, width),
                8 => lay::<8>(room, these, width),
                16 => lay::<16>(room, these, width),
                _ => {
                    let (chunks, _) = room.as_chunks_mut::<32>();
                    for (group, &symbol) in chunks.chunks_exact_mut((each / 32).max(1)).zip(these) {
                        group.iter_mut().for_each(|cells| *cells = [u16::from(symbol) << 8 | width; 32]);
                    }
                }
            }
            (symbols, cells) = (others, rest);
        }
        (self.log, self.depth, self.paired) = (log, depth, false);
    }

    /// Notes for each cell the symbol that follows where both codes are within its bits, and how wide the two are.
    #[cold]
    fn pair(&mut self) {
        let Some((firsts, seconds)) = self.cells.split_at_mut_checked(HALF) else { return };
        let Some(firsts) = firsts.first_chunk::<HALF>() else { return };
        for (at, (&first, second)) in firsts.iter().zip(seconds).enumerate() {
            let width = first & 63;
            let next = firsts[at << width & (HALF - 1)];
            let both = width + (next & 63);
            let fits = u32::from(both) <= LOG;
            *second = if fits { next & 0xFF00 | 2 << COUNT | both } else { 1 << COUNT | width };
        }
        self.paired = true;
    }

    /// Fills `out` from one stream, which must hold exactly that many symbols.
    pub(crate) fn decode_one(&self, src: &[u8], stream: Range<usize>, out: &mut [u8]) -> Option<()> {
        let reader = Reader::new(src, stream)?;
        match self.log {
            LOG => self.run_one::<LOG>(reader, out),
            _ => self.run_one::<MAX_DEPTH>(reader, out),
        }
    }

    /// Fills `out` from four streams: three equal parts and the rest.
    pub(crate) fn decode_four(&mut self, src: &[u8], streams: &[Range<usize>; 4], out: &mut [u8]) -> Option<()> {
        let [a, b, c, d] = streams.clone().map(|stream| Reader::new(src, stream));
        let readers = [a?, b?, c?, d?];
        let part = out.len().div_ceil(4);
        let (out0, rest) = out.split_at_mut_checked(part)?;
        let (out1, rest) = rest.split_at_mut_checked(part)?;
        let (out2, out3) = rest.split_at_mut_checked(part)?;
        let outs = [out0, out1, out2, out3];
        // Two symbols at once are worth a second table if there are many, and most are short.
        let bits: usize = readers.iter().map(|reader| reader.bytes.len() * 8).sum();
        let worth = part >= PAIRS_FROM && bits / 22 <= part;
        match self.log {
            LOG if worth => {
                if !self.paired {
                    self.pair();
                }
                self.run_pairs(readers, outs)
            }
            LOG => self.run_four::<LOG>(readers, outs),
            _ => self.run_four::<MAX_DEPTH>(readers, outs),
        }
    }

    #[inline(never)]
    fn run_four<const LOG: u32>(&self, readers: [Reader<'_>; 4], outs: [&mut [u8]; 4]) -> Option<()> {
        let [mut reader0, mut reader1, mut reader2, mut reader3] = readers;
        let [out0, out1, out2, out3] = outs;
        // The last part is the shortest; as long as it lasts the four run side by side and hide each other's latency.
        let (chunks0, _) = out0.as_chunks_mut::<AT_ONCE>();
        let (chunks1, _) = out1.as_chunks_mut::<AT_ONCE>();
        let (chunks2, _) = out2.as_chunks_mut::<AT_ONCE>();
        let (chunks3, _) = out3.as_chunks_mut::<AT_ONCE>();
        let mut rounds = 0;
        for (((chunk3, chunk0), chunk1), chunk2) in chunks3.iter_mut().zip(chunks0).zip(chunks1).zip(chunks2) {
            reader0.refill()?;
            reader1.refill()?;
            reader2.refill()?;
            reader3.refill()?;
            let (mut sum0, mut sum1, mut sum2, mut sum3) = (0, 0, 0, 0);
            for (((to0, to1), to2), to3) in chunk0.iter_mut().zip(chunk1).zip(chunk2).zip(chunk3) {
                *to0 = reader0.symbol::<LOG>(&self.cells, &mut sum0);
                *to1 = reader1.symbol::<LOG>(&self.cells, &mut sum1);
                *to2 = reader2.symbol::<LOG>(&self.cells, &mut sum2);
                *to3 = reader3.symbol::<LOG>(&self.cells, &mut sum3);
            }
            reader0.count -= sum0 & 0xFF;
            reader1.count -= sum1 & 0xFF;
            reader2.count -= sum2 & 0xFF;
            reader3.count -= sum3 & 0xFF;
            rounds += 1;
        }
        let done = rounds * AT_ONCE;
        self.run_one::<LOG>(reader0, out0.get_mut(done..)?)?;
        self.run_one::<LOG>(reader1, out1.get_mut(done..)?)?;
        self.run_one::<LOG>(reader2, out2.get_mut(done..)?)?;
        self.run_one::<LOG>(reader3, out3.get_mut(done..)?)
    }

    /// One or two symbols with each look.
    #[inline(never)]
    fn run_pairs(&self, readers: [Reader<'_>; 4], outs: [&mut [u8]; 4]) -> Option<()> {
        let [mut reader0, mut reader1, mut reader2, mut reader3] = readers;
        let [out0, out1, out2, out3] = outs;
        let (firsts, seconds) = self.cells.split_at_checked(HALF)?;
        let (firsts, seconds) = (firsts.first_chunk::<HALF>()?, seconds.first_chunk::<HALF>()?);
        let (mut at0, mut at1, mut at2, mut at3) = (0u32, 0u32, 0u32, 0u32);
        while let (Some(to0), Some(to1), Some(to2), Some(to3)) =
            (room(out0, at0), room(out1, at1), room(out2, at2), room(out3, at3))
        {
            reader0.refill()?;
            reader1.refill()?;
            reader2.refill()?;
            reader3.refill()?;
            let (mut sum0, mut sum1, mut sum2, mut sum3) = (0, 0, 0, 0);
            for _ in 0..AT_ONCE {
                reader0.symbols(firsts, seconds, &mut sum0, to0);
                reader1.symbols(firsts, seconds, &mut sum1, to1);
                reader2.symbols(firsts, seconds, &mut sum2, to2);
                reader3.symbols(firsts, seconds, &mut sum3, to3);
            }
            reader0.count -= sum0 & 63;
            reader1.count -= sum1 & 63;
            reader2.count -= sum2 & 63;
            reader3.count -= sum3 & 63;
            at0 += sum0 >> COUNT;
            at1 += sum1 >> COUNT;
            at2 += sum2 >> COUNT;
            at3 += sum3 >> COUNT;
        }
        self.run_one::<LOG>(reader0, out0.get_mut(at0 as usize..)?)?;
        self.run_one::<LOG>(reader1, out1.get_mut(at1 as usize..)?)?;
        self.run_one::<LOG>(reader2, out2.get_mut(at2 as usize..)?)?;
        self.run_one::<LOG>(reader3, out3.get_mut(at3 as usize..)?)
    }

    /// What is left of a stream, which must then be used up.
    #[inline(never)]
    fn run_one<const LOG: u32>(&self, mut reader: Reader<'_>, out: &mut [u8]) -> Option<()> {
        let (chunks, rest) = out.as_chunks_mut::<AT_ONCE>();
        for chunk in chunks {
            reader.refill()?;
            let mut sum = 0;
            for to in chunk {
                *to = reader.symbol::<LOG>(&self.cells, &mut sum);
            }
            reader.count -= sum & 0xFF;
        }
        reader.refill()?;
        let mut sum = 0;
        for to in rest {
            *to = reader.symbol::<LOG>(&self.cells, &mut sum);
        }
        reader.count -= sum & 0xFF;
        reader.is_exhausted().then_some(())
    }
}

/// Where a cell of the second half says how many symbols it stands for.
const COUNT: u32 = 6;

/// In parts of so many symbols, pairs of them are looked up.
const PAIRS_FROM: usize = 4 << 10;

/// So many bytes a round may touch.
const ROOM: usize = 17;

#[inline(always)]
fn room(out: &mut [u8], at: u32) -> Option<&mut [u8; ROOM]> {
    out.get_mut(at as usize..at as usize + ROOM)?.first_chunk_mut()
}

/// Lays `N` cells for every symbol.
#[inline(always)]
fn lay<const N: usize>(cells: &mut [u16], symbols: &[u8], width: u16) {
    let (cells, _) = cells.as_chunks_mut::<N>();
    for (cells, &symbol) in cells.iter_mut().zip(symbols) {
        *cells = [u16::from(symbol) << 8 | width; N];
    }
}

/// One stream, read from its end. The next load does not wait for the symbols of the last one.
struct Reader<'a> {
    /// The stream, and up to 16 bytes of what comes before it, so that words can be read to its very start.
    bytes: &'a [u8],
    /// The next bits of the code at the top.
    bits: u64,
    /// How many of them may be used.
    count: u32,
    /// The bytes before this one are not all in `bits`. 32 bits, so that the compiler sees that sums do not wrap.
    next: u32,
    /// Bytes before the stream.
    before: u32,
}

impl<'a> Reader<'a> {
    fn new(src: &'a [u8], stream: Range<usize>) -> Option<Self> {
        let before = stream.start.min(16);
        let bytes = src.get(stream.start - before..stream.end)?;
        let last = *bytes.last().filter(|&&last| last != 0 && !stream.is_empty())?;
        // The marker and the zeros above it; what is left of the last byte is all that is loaded yet.
        let skip = last.leading_zeros() + 1;
        let next = u32::try_from(bytes.len()).ok()?.wrapping_sub(1);
        let before = u32::try_from(before).ok()?;
        Some(Self { bytes, bits: u64::from(last) << 56 << skip, count: 8 - skip, next, before })
    }

    /// Makes 56 bits or more ready, with zeros before the start of all.
    #[inline(always)]
    fn refill(&mut self) -> Option<()> {
        let start = self.next.wrapping_sub(8) as usize;
        let word = match self.bytes.get(start..start.wrapping_add(8)).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => at_start(self.bytes, self.next)?,
        };
        self.bits |= word >> self.count;
        self.next = self.next.wrapping_sub((63 - self.count) >> 3);
        self.count |= 56;
        Some(())
    }

    #[inline(always)]
    fn symbol<const LOG: u32>(&mut self, cells: &[u16; CELLS], sum: &mut u32) -> u8 {
        let cell = cells[low32(self.bits >> (64 - LOG)) as usize & (CELLS - 1)];
        self.bits <<= cell & 63;
        *sum += u32::from(cell);
        low8(u32::from(cell >> 8))
    }

    /// One symbol or two.
    #[inline(always)]
    fn symbols(&mut self, firsts: &[u16; HALF], seconds: &[u16; HALF], sum: &mut u32, to: &mut [u8; ROOM]) {
        let at = low32(self.bits >> (64 - LOG)) as usize;
        let (first, second) = (u32::from(firsts[at & (HALF - 1)]), u32::from(seconds[at & (HALF - 1)]));
        let place = (*sum >> COUNT) as usize & 15;
        to[place] = low8(first >> 8);
        to[place + 1] = low8(second >> 8);
        self.bits <<= second & 63;
        *sum += second & 0xFF;
    }

    /// Whether every bit of the stream was used, and none before it.
    fn is_exhausted(&self) -> bool {
        self.next.wrapping_mul(8).wrapping_add(self.count) == self.before * 8
    }
}

/// The eight bytes before `next` where there are fewer. `None` if it is further before the start than any stream gets that
/// is not used up.
#[cold]
#[inline(never)]
fn at_start(bytes: &[u8], next: u32) -> Option<u64> {
    match next {
        0..8 => Some(bytes.get(..next as usize)?.iter().fold(0, |word, &byte| word >> 8 | u64::from(byte) << 56)),
        _ if next.wrapping_neg() <= 8 => Some(0),
        _ => None,
    }
}

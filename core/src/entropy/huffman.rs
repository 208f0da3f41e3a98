//! Canonical Huffman codes as Zstandard describes them: weights, one table, one stream or four.

use super::fse::{self, Counts};
use super::{low8, low16, low32};
use crate::bits::BackwardBitReader;
use crate::num::index;

/// The deepest code that anybody writes: RFC 8878 says 11, older dictionaries have 12.
pub(crate) const MAX_DEPTH: u32 = 12;

/// Codes this deep or less are looked up with so many bits, so that the shift is a constant.
const LOG: u32 = 11;

const CELLS: usize = 1 << MAX_DEPTH;

/// What the formats disagree about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Whether the header bytes from 242 on stand for lists of ones rather than for more weights.
    pub(crate) ones: bool,
    /// The largest table that weights may be coded with.
    pub(crate) max_weights_log: u32,
}

/// What is wrong with a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end before the description does.
    Cut,
    /// The weights are badly coded.
    Coding,
    /// The weights are no complete code.
    Weights,
}

/// A code, ready to decode.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Width of the code in the low byte, symbol in the high one.
    cells: [u16; CELLS],
    /// How many bits look up a cell; 0 when there is no code.
    log: u32,
    /// Width of the longest code.
    depth: u32,
}

impl Table {
    pub(crate) const fn new() -> Self {
        Self { cells: [0; CELLS], log: 0, depth: 0 }
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
        (self.log, self.depth) = (from.log, from.depth);
    }

    /// The next symbol of a stream and how wide its code is, for those who are in no hurry.
    pub(crate) fn first(&self, bits: &BackwardBitReader<'_>) -> (u8, u32) {
        let cell = self.cells[index(bits.peek(self.log)) & (CELLS - 1)];
        (low8(u32::from(cell >> 8)), u32::from(cell & 63))
    }

    pub(crate) const fn depth(&self) -> u32 {
        self.depth
    }

    /// Reads a description from the start of `bytes`; says how long it is.
    pub(crate) fn read(&mut self, bytes: &[u8], rules: Rules) -> Result<usize, Fault> {
        self.log = 0;
        let mut weights = [0u8; 256];
        let (&header, rest) = bytes.split_first().ok_or(Fault::Cut)?;
        let (count, len) = match header {
            0..128 => {
                let coded = rest.get(..usize::from(header)).ok_or(Fault::Cut)?;
                (self.read_coded(coded, rules.max_weights_log, &mut weights)?, coded.len())
            }
            242.. if rules.ones => {
                const COUNTS: [u8; 14] = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128];
                let count = usize::from(COUNTS.get(usize::from(header - 242)).copied().unwrap_or(1));
                weights.iter_mut().take(count).for_each(|weight| *weight = 1);
                (count, 0)
            }
            _ => {
                let count = usize::from(header - 127);
                let pairs = rest.get(..count.div_ceil(2)).ok_or(Fault::Cut)?;
                for (to, pair) in weights.chunks_exact_mut(2).zip(pairs) {
                    if let [first, second] = to {
                        (*first, *second) = (pair >> 4, pair & 15);
                    }
                }
                // The spare half of the last byte is no weight.
                if let Some(spare) = weights.get_mut(count) {
                    *spare = 0;
                }
                (count, pairs.len())
            }
        };
        self.build(&mut weights, count)?;
        Ok(1 + len)
    }

    /// Weights that are coded with two interleaved states. Their table lies where the code's own will be.
    fn read_coded(&mut self, bytes: &[u8], max_log: u32, weights: &mut [u8; 256]) -> Result<usize, Fault> {
        let counts = Counts::<256>::read(bytes, 255, max_log.min(MAX_DEPTH)).ok_or(Fault::Coding)?;
        let log = counts.log;
        // A cell is the symbol in four bits, everything that is no weight as 15, and the low 12 bits of `x`.
        let mut few = [0u16; 16];
        for (symbol, &count) in counts.described().enumerate() {
            if let Some(few) = few.get_mut(symbol.min(15)) {
                *few = count.unsigned_abs();
            }
        }
        let (mask, step) = ((1usize << log) - 1, fse::step(log));
        let mut high = 1usize << log;
        for (symbol, _) in counts.described().enumerate().filter(|&(_, &count)| count == -1) {
            high = high.saturating_sub(1);
            self.cells[high & (CELLS - 1)] = cell_symbol(symbol);
        }
        let mut at = 0;
        for (symbol, &count) in counts.described().enumerate() {
            for _ in 0..count.max(0) {
                self.cells[at & (CELLS - 1)] = cell_symbol(symbol);
                at = (at + step) & mask;
                while at >= high && high > 0 {
                    at = (at + step) & mask;
                }
            }
        }
        let mut next = few;
        for cell in self.cells.iter_mut().take(1 << log) {
            let x = &mut next[usize::from(*cell >> 12)];
            *cell |= *x & 0xFFF;
            *x = x.wrapping_add(1);
        }

        let mut bits =
            BackwardBitReader::new(bytes.get(counts.len..).unwrap_or_default()).map_err(|_| Fault::Coding)?;
        let state = |bits: &mut BackwardBitReader<'_>| usize::try_from(bits.take(log)).unwrap_or(0);
        let (mut one, mut other) = (state(&mut bits), state(&mut bits));
        if bits.remaining() < 0 {
            return Err(Fault::Coding);
        }
        let mut room = weights.iter_mut().take(255);
        let mut count = 0;
        loop {
            let cell = self.cells[one & (CELLS - 1)];
            *room.next().ok_or(Fault::Coding)? = low8(u32::from(cell >> 12));
            count += 1;
            // Of `x` the 13th bit is not kept, but it is set exactly where the rest is below the symbol's count.
            let x = u32::from(cell & 0xFFF);
            let x = if x < u32::from(few[usize::from(cell >> 12)]) { x + 0x1000 } else { x };
            let (width, base) = fse::successor(x, log);
            if i64::from(width) > bits.remaining() {
                let cell = self.cells[other & (CELLS - 1)];
                *room.next().ok_or(Fault::Coding)? = low8(u32::from(cell >> 12));
                return Ok(count + 1);
            }
            let follower = usize::from(base) + usize::try_from(bits.take(width.into())).unwrap_or(0);
            (one, other) = (other, follower);
        }
    }

    /// Completes the weights with the last one, which nobody writes, and lays out the table.
    fn build(&mut self, weights: &mut [u8; 256], count: usize) -> Result<(), Fault> {
        // How many symbols have each weight, and what all of them take of the code space.
        let mut ranks = [0u32; 16];
        let mut sum = 0u32;
        for &weight in weights.iter().take(count) {
            ranks[usize::from(weight & 15)] += 1;
            sum += (1 << (weight & 15)) >> 1;
            if u32::from(weight) > MAX_DEPTH {
                return Err(Fault::Weights);
            }
        }
        if sum == 0 {
            return Err(Fault::Weights);
        }
        let depth = 32 - sum.leading_zeros();
        let missing = (1u32 << depth) - sum;
        if depth > MAX_DEPTH || !missing.is_power_of_two() {
            return Err(Fault::Weights);
        }
        let last = missing.trailing_zeros() + 1;
        *weights.get_mut(count).ok_or(Fault::Weights)? = low8(last);
        ranks[last as usize & 15] += 1;
        // The longest codes come in pairs.
        if ranks[1] < 2 || ranks[1] % 2 != 0 {
            return Err(Fault::Weights);
        }
        let log = depth.max(LOG);
        let mut starts = [0u32; 16];
        let mut start = 0u32;
        for (weight, (at, &rank)) in (0u32..).zip(starts.iter_mut().zip(&ranks)).skip(1) {
            *at = start;
            start += rank << (weight - 1 + log - depth);
        }
        for (symbol, &weight) in (0u16..).zip(weights.iter().take(count + 1)).filter(|&(_, &weight)| weight > 0) {
            let weight = u32::from(weight & 15);
            let cell = symbol << 8 | low16(depth + 1 - weight);
            let at = &mut starts[weight as usize & 15];
            let len = 1u32 << (weight - 1 + log - depth);
            let end = at.wrapping_add(len);
            if let Some(cells) = self.cells.get_mut(*at as usize..end as usize) {
                cells.fill(cell);
            }
            *at = end;
        }
        (self.log, self.depth) = (log, depth);
        Ok(())
    }

    /// Fills `out` from one stream, which must hold exactly that many symbols.
    pub(crate) fn decode_one(&self, stream: &[u8], out: &mut [u8]) -> Option<()> {
        let mut reader = Reader::new(stream)?;
        match self.log {
            LOG => self.run_one::<LOG, 5>(&mut reader, out),
            _ => self.run_one::<MAX_DEPTH, 4>(&mut reader, out),
        }
    }

    fn run_one<const LOG: u32, const AT_ONCE: usize>(&self, reader: &mut Reader<'_>, out: &mut [u8]) -> Option<()> {
        let (chunks, _) = out.as_chunks_mut::<AT_ONCE>();
        let mut rounds = 0;
        for chunk in chunks {
            if !reader.refill() {
                break;
            }
            reader.symbols::<LOG, AT_ONCE>(&self.cells, chunk);
            rounds += 1;
        }
        self.finish(reader.bytes, reader.left(), out.get_mut(rounds * AT_ONCE..)?)
    }

    /// Fills `out` from four streams: three equal parts and the rest. `ends` are where the first three streams end.
    pub(crate) fn decode_four(&self, streams: [&[u8]; 4], out: &mut [u8]) -> Option<()> {
        match self.log {
            LOG => self.run_four::<LOG, 5>(streams, out),
            _ => self.run_four::<MAX_DEPTH, 4>(streams, out),
        }
    }

    fn run_four<const LOG: u32, const AT_ONCE: usize>(&self, streams: [&[u8]; 4], out: &mut [u8]) -> Option<()> {
        let part = out.len().div_ceil(4);
        let (out0, rest) = out.split_at_mut_checked(part)?;
        let (out1, rest) = rest.split_at_mut_checked(part)?;
        let (out2, out3) = rest.split_at_mut_checked(part)?;
        let [stream0, stream1, stream2, stream3] = streams;
        let mut reader0 = Reader::new(stream0)?;
        let mut reader1 = Reader::new(stream1)?;
        let mut reader2 = Reader::new(stream2)?;
        let mut reader3 = Reader::new(stream3)?;
        // The last part is the shortest; as long as it lasts the four run side by side and hide each other's latency.
        let (chunks0, _) = out0.as_chunks_mut::<AT_ONCE>();
        let (chunks1, _) = out1.as_chunks_mut::<AT_ONCE>();
        let (chunks2, _) = out2.as_chunks_mut::<AT_ONCE>();
        let (chunks3, _) = out3.as_chunks_mut::<AT_ONCE>();
        let mut rounds = 0;
        for (((chunk3, chunk0), chunk1), chunk2) in chunks3.iter_mut().zip(chunks0).zip(chunks1).zip(chunks2) {
            // A reader that cannot refill has not moved, so those before it may have: refilling twice is harmless.
            if !(reader0.refill() && reader1.refill() && reader2.refill() && reader3.refill()) {
                break;
            }
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
        self.finish(reader0.bytes, reader0.left(), out0.get_mut(done..)?)?;
        self.finish(reader1.bytes, reader1.left(), out1.get_mut(done..)?)?;
        self.finish(reader2.bytes, reader2.left(), out2.get_mut(done..)?)?;
        self.finish(reader3.bytes, reader3.left(), out3.get_mut(done..)?)
    }

    /// The last symbols of a stream of which `bits` bits are left, where eight bytes can no longer be read at once; then it
    /// must be used up. Takes no [`Reader`], so that readers need not lie in memory.
    fn finish(&self, bytes: &[u8], mut bits: usize, out: &mut [u8]) -> Option<()> {
        let (mut window, mut loaded) = (0, 0);
        for to in out {
            if loaded < MAX_DEPTH as usize {
                (window, loaded) = (top(bytes, bits)?, 57);
            }
            let cell = self.cells[low32(window >> (64 - self.log)) as usize & (CELLS - 1)];
            *to = low8(u32::from(cell >> 8));
            let width = usize::from(cell & 63);
            (window, loaded) = (window << width, loaded - width);
            bits = bits.checked_sub(width)?;
        }
        (bits == 0).then_some(())
    }
}

fn cell_symbol(symbol: usize) -> u16 {
    u16::try_from(symbol.min(15)).unwrap_or(15) << 12
}

/// The last 57 or more of the first `bits` bits, left-aligned, with zeros where the stream has begun.
#[inline]
pub(crate) fn top(bytes: &[u8], bits: usize) -> Option<u64> {
    let end = bits.div_ceil(8);
    let spare = end * 8 - bits;
    let window = match end.checked_sub(8) {
        Some(start) => u64::from_le_bytes(*bytes.get(start..)?.first_chunk()?),
        None => bytes.get(..end)?.iter().fold(0, |window, &byte| window >> 8 | u64::from(byte) << 56),
    };
    Some(window << spare)
}

/// One stream, read from its end. The next load does not wait for the symbols of the last one.
struct Reader<'a> {
    bytes: &'a [u8],
    /// The next bits of the code at the top.
    bits: u64,
    /// How many of them may be used.
    count: u32,
    /// The bytes before this one are not all in `bits`. 32 bits, so that the compiler sees that sums do not wrap.
    next: u32,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let last = *bytes.last().filter(|&&last| last != 0)?;
        // The marker and the zeros above it; what is left of the last byte is all that is loaded yet.
        let skip = last.leading_zeros() + 1;
        let next = u32::try_from(bytes.len()).ok()?.wrapping_sub(1);
        Some(Self { bytes, bits: u64::from(last) << 56 << skip, count: 8 - skip, next })
    }

    /// Loads up to 56 bits and more. False, with nothing changed, near the start of the stream.
    #[inline(always)]
    fn refill(&mut self) -> bool {
        let start = self.next.wrapping_sub(8) as usize;
        let Some(chunk) = self.bytes.get(start..start.wrapping_add(8)).and_then(<[u8]>::first_chunk) else {
            return false;
        };
        self.bits |= u64::from_le_bytes(*chunk) >> self.count;
        self.next -= (63 - self.count) >> 3;
        self.count |= 56;
        true
    }

    #[inline(always)]
    fn symbol<const LOG: u32>(&mut self, cells: &[u16; CELLS], sum: &mut u32) -> u8 {
        let cell = cells[low32(self.bits >> (64 - LOG)) as usize & (CELLS - 1)];
        self.bits <<= cell & 63;
        *sum += u32::from(cell);
        low8(u32::from(cell >> 8))
    }

    #[inline(always)]
    fn symbols<const LOG: u32, const AT_ONCE: usize>(&mut self, cells: &[u16; CELLS], out: &mut [u8; AT_ONCE]) {
        let mut sum = 0;
        for to in out {
            *to = self.symbol::<LOG>(cells, &mut sum);
        }
        self.count -= sum & 0xFF;
    }

    /// How many bits of the stream are left.
    fn left(&self) -> usize {
        self.next as usize * 8 + self.count as usize
    }
}

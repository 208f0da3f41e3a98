//! One batch of one latent variable: symbols, then offsets.
//!
//! These loops read anything, to the last bit of the input; `pipeline` reads the same faster where there is enough of it.

use core::convert::identity;

use super::number::Latent;
use super::spans::BATCH;
use super::tans::Table;
use crate::bits::u64_at;
use crate::num::index;
use crate::tuning::MASK_TABLE;

/// An entry of a tANS table: bits to read for the next state, offset bits of the bin, and the state that the bits are added to.
///
/// One word, because loads are what the loops have most of, and from the lowest byte on, so that a sum of four words starts with the
/// sum of the bits to read.
pub(crate) type Node = u32;

/// Makes an entry.
pub(crate) const fn node(read: u8, width: u8, [low, high]: [u8; 2]) -> Node {
    u32::from_le_bytes([read, width, low, high])
}

/// The state that follows, by the bits at the bottom of `word`.
#[inline(always)]
pub(crate) fn following(node: Node, word: u64) -> usize {
    let [read, ..] = node.to_le_bytes();
    index(u64::from((node >> 16).wrapping_add(u32::low(keep_few(word, read)))))
}

/// The four states that take turns. Words, because what is narrower gets packed and unpacked in every turn of a loop.
pub(crate) type States = [usize; 4];

/// The lowest bits set, as many as the index says; all of them from 64 on.
static MASKS: [u64; 256] = {
    let mut masks = [u64::MAX; 256];
    let mut i = 0;
    while i < 64 {
        masks[i] = (1 << i) - 1;
        i += 1;
    }
    masks
};

/// The lowest `bits` bits, up to 64.
#[inline(always)]
pub(crate) fn keep(word: u64, bits: u8) -> u64 {
    match MASK_TABLE {
        // Beats the instructions that would make a mask: 15 % of all time.
        true => word & MASKS[usize::from(bits)],
        // Twice half of the bits, because a shift by 64 is none.
        false => word & (1u64 << ((bits / 2) & 63) << (bits.div_ceil(2) & 63)).wrapping_sub(1),
    }
}

/// [`keep`] for less than 64 bits.
#[inline(always)]
fn keep_few(word: u64, bits: u8) -> u64 {
    match MASK_TABLE {
        true => keep(word, bits),
        false => word & (1u64 << (bits & 63)).wrapping_sub(1),
    }
}

/// Decodes one symbol for each value: writes the least latent of its bin there, and the bin's offset bits to `widths`.
///
/// `at` is the bit in `bytes` where the symbols start; the result is the bit behind them. Bits behind the end of `bytes` are zeros.
#[inline(never)]
pub(crate) fn symbols<D: Latent>(
    bytes: &[u8],
    mut at: usize,
    table: &Table<'_, D>,
    states: &mut States,
    widths: &mut [u8],
    values: &mut [D],
) -> usize {
    if table.log == 0 {
        let lower = table.lowers.first().copied().unwrap_or(D::ZERO);
        let width = u8::try_from(table.widest).unwrap_or(0);
        values.fill(lower);
        widths.iter_mut().zip(values).for_each(|(to, _)| *to = width);
        return at;
    }
    let size = 1usize << (table.log & 15);
    let (Some(nodes), Some(lowers)) = (table.nodes.get(..size), table.lowers.get(..size)) else { return at };
    let mut four = *states;
    let mut done = 0;
    let groups = values.as_chunks_mut::<4>().0.iter_mut().zip(widths.as_chunks_mut::<4>().0);
    for (values, widths) in groups {
        // Four symbols have at most 56 bits, and 57 are there.
        let Some(mut word) = word::<false>(bytes, at) else { break };
        let mut sum = 0u32;
        for ((value, width), state) in values.iter_mut().zip(widths).zip(&mut four) {
            let Some((node, lower)) = symbol(nodes, lowers, state, &mut word) else { return at };
            [_, *width, ..] = node.to_le_bytes();
            *value = lower;
            sum = sum.wrapping_add(node);
        }
        let [taken, ..] = sum.to_le_bytes();
        at = at.wrapping_add(usize::from(taken));
        done += 4;
    }
    // What is left over in the last batch of a page, or the last bytes of the input: whichever it is, one load has all of its bits.
    let rest = values.get_mut(done..).unwrap_or(&mut []).iter_mut().zip(widths.get_mut(done..).unwrap_or(&mut []));
    let mut word = u64_at(bytes, at / 8) >> (at % 8);
    for ((value, width), turn) in rest.zip((0..4).cycle()) {
        let Some((node, lower)) = symbol(nodes, lowers, &mut four[turn & 3], &mut word) else { return at };
        let [taken, offset, ..] = node.to_le_bytes();
        (*value, *width) = (lower, offset);
        at = at.wrapping_add(usize::from(taken));
    }
    *states = four;
    at
}

/// One step of one state: its entry, and the least latent of its bin. No state lies outside of the table.
#[inline(always)]
fn symbol<D: Latent>(nodes: &[Node], lowers: &[D], state: &mut usize, word: &mut u64) -> Option<(Node, D)> {
    let (&node, &lower) = (nodes.get(*state)?, lowers.get(*state)?);
    let [read, ..] = node.to_le_bytes();
    *state = following(node, *word);
    *word >>= read & 63;
    Some((node, lower))
}

/// Adds to each value an offset of as many bits as `widths` says, and passes the sum through `finish`.
///
/// `at` is the bit where the offsets start; the result is the bit behind them.
#[inline(never)]
pub(crate) fn offsets<D: Latent>(
    bytes: &[u8],
    mut at: usize,
    widths: &[u8],
    values: &mut [D],
    mut finish: impl FnMut(D) -> D,
) -> usize {
    let widths = widths.get(..values.len()).unwrap_or(widths);
    let widest = widths.iter().fold(0, |most, &width| width.max(most));
    if widest == 0 {
        values.iter_mut().for_each(|value| *value = finish(*value));
        return at;
    }
    let done = match widest {
        0..=14 => loads::<4, false, D>(bytes, &mut at, widths, values, &mut finish),
        15..=28 => loads::<2, false, D>(bytes, &mut at, widths, values, &mut finish),
        29..=57 => loads::<1, false, D>(bytes, &mut at, widths, values, &mut finish),
        _ => loads::<1, true, D>(bytes, &mut at, widths, values, &mut finish),
    };
    // As with symbols: one load has all bits that are left.
    let rest = values.get_mut(done..).unwrap_or(&mut []).iter_mut().zip(widths.get(done..).unwrap_or(&[]));
    let mut word = u64_at(bytes, at / 8) >> (at % 8);
    for (value, &width) in rest {
        *value = finish(value.plus(D::low(keep(word, width))));
        word >>= width & 63;
        at = at.wrapping_add(usize::from(width));
    }
    at
}

/// Adds offsets, `MANY` of which are in what a load is good for, as long as there are enough bytes to load. Gives their number.
#[inline(always)]
fn loads<const MANY: usize, const WIDE: bool, D: Latent>(
    bytes: &[u8],
    at: &mut usize,
    widths: &[u8],
    values: &mut [D],
    finish: &mut impl FnMut(D) -> D,
) -> usize {
    let mut done = 0;
    for (values, widths) in values.as_chunks_mut::<MANY>().0.iter_mut().zip(widths.as_chunks::<MANY>().0) {
        let Some(mut word) = word::<WIDE>(bytes, *at) else { break };
        for (value, &width) in values.iter_mut().zip(widths) {
            let offset = if WIDE { keep(word, width) } else { keep_few(word, width) };
            *value = finish(value.plus(D::low(offset)));
            word >>= width & 63;
            *at = at.wrapping_add(usize::from(width));
        }
        done += MANY;
    }
    done
}

/// Writes `values.len()` numbers of `width` bits each, plus `lower`: all that a variable of one bin holds.
///
/// `at` is the bit where the first starts; all of them are known to be there.
pub(crate) fn packed<D: Latent>(bytes: &[u8], at: usize, width: u32, lower: D, values: &mut [D]) {
    if width == D::BITS && at.is_multiple_of(8) {
        return D::get_all(bytes.get(at / 8..).unwrap_or(&[]), lower, values);
    }
    values.fill(lower);
    if width > 0 {
        let (mut at, widths) = (at, [u8::try_from(width).unwrap_or(64); 64]);
        for values in values.chunks_mut(widths.len()) {
            at = offsets(bytes, at, &widths, values, identity);
        }
    }
}

/// The bits from bit `at` on: 57 that a field may take, or 64 where it may be `WIDE` and lie in nine bytes. Nothing if the input ends before.
#[inline(always)]
fn word<const WIDE: bool>(bytes: &[u8], at: usize) -> Option<u64> {
    let (bytes, shift) = (bytes.get(at / 8..)?, at % 8);
    if !WIDE {
        return Some(u64::from_le_bytes(*bytes.first_chunk()?) >> shift);
    }
    let [low @ .., high] = bytes.first_chunk::<9>()?;
    // `<< 1 << 63 - shift` is `<< 64 - shift`, also for shift 0.
    Some(u64::from_le_bytes(*low) >> shift | u64::from(*high) << 1 << (63 - shift))
}

/// The bits that the offsets of a batch will take.
///
/// Eight widths at a time, added up in four lanes of 16 bits: a plain sum does not become vector instructions.
pub(crate) fn total(widths: &[u8; BATCH]) -> usize {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    let lanes = widths.as_chunks::<8>().0.iter().fold(0, |lanes: u64, eight| {
        let eight = u64::from_le_bytes(*eight);
        lanes.wrapping_add(eight & EVEN).wrapping_add(eight >> 8 & EVEN)
    });
    (0..4).map(|lane| index(lanes >> (16 * lane) & 0xFFFF)).sum()
}

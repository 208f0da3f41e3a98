//! One batch of one latent variable: symbols, then offsets.
//!
//! These loops read anything, to the last bit of the input; `pipeline` reads the same faster where there is enough of it.

use super::number::Latent;
use super::tans::Table;
use crate::bits::window;
use crate::num::index;

/// Numbers in a batch. All batches of a page but the last have as many.
pub const BATCH: usize = 256;

/// An entry of a tANS table: offset bits of the bin, bits to read for the next state, and the state that they are added to.
///
/// Bytes rather than a packed word, because loading what one needs is cheaper than shifting it out.
pub(crate) type Node = [u8; 4];

/// The four states that take turns.
pub(crate) type States = [u16; 4];

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
        let (lower, width) = (lower(table, 0), node(table, 0)[0]);
        values.fill(lower);
        widths.iter_mut().zip(values).for_each(|(to, _)| *to = width);
        return at;
    }
    let [mut a, mut b, mut c, mut d] = *states;
    let (groups, rest) = values.as_chunks_mut::<4>();
    let (width_groups, width_rest) = widths.as_chunks_mut::<4>();
    for (value, width) in groups.iter_mut().zip(&mut *width_groups) {
        // Four symbols have at most 56 bits, and 57 are there.
        let mut word = window(bytes, at / 8) >> (at % 8);
        let mut total = 0;
        let [v0, v1, v2, v3] = value;
        let [w0, w1, w2, w3] = width;
        (*v0, *w0) = symbol(table, &mut a, &mut word, &mut total);
        (*v1, *w1) = symbol(table, &mut b, &mut word, &mut total);
        (*v2, *w2) = symbol(table, &mut c, &mut word, &mut total);
        (*v3, *w3) = symbol(table, &mut d, &mut word, &mut total);
        at = at.wrapping_add(total);
    }
    *states = [a, b, c, d];
    // Fewer than four are left over, in the last batch of a page. If values were a multiple of four, widths may be longer.
    let width_rest = match width_groups.get_mut(groups.len()) {
        Some(group) => group.as_mut_slice(),
        None => width_rest,
    };
    let mut word = window(bytes, at / 8) >> (at % 8);
    for ((value, width), state) in rest.iter_mut().zip(width_rest).zip(states) {
        let mut total = 0;
        (*value, *width) = symbol(table, state, &mut word, &mut total);
        at = at.wrapping_add(total);
    }
    at
}

/// One step of one state: its bin, and the next state.
#[inline(always)]
fn symbol<D: Latent>(table: &Table<'_, D>, state: &mut u16, word: &mut u64, total: &mut usize) -> (D, u8) {
    let entry = usize::from(*state);
    let [width, read, low, high] = node(table, entry);
    let value = lower(table, entry);
    let bits = *word & (1u64 << (read & 15)).wrapping_sub(1);
    *word >>= read & 15;
    *total = total.wrapping_add(usize::from(read));
    // 14 bits at most.
    *state = u16::from_le_bytes([low, high]).wrapping_add(u16::low(bits));
    (value, width)
}

#[inline(always)]
fn node<D>(table: &Table<'_, D>, entry: usize) -> Node {
    table.nodes.get(entry).copied().unwrap_or([0; 4])
}

#[inline(always)]
fn lower<D: Latent>(table: &Table<'_, D>, entry: usize) -> D {
    table.lowers.get(entry).copied().unwrap_or(D::ZERO)
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
    if widths.iter().fold(0, |all, width| all | width) == 0 {
        values.iter_mut().for_each(|value| *value = finish(*value));
        return at;
    }
    if D::BITS == 64 && is_wide(widths) {
        for (value, &width) in values.iter_mut().zip(widths) {
            *value = finish(value.plus(D::low(field(bytes, at, u32::from(width)))));
            at = at.wrapping_add(usize::from(width));
        }
    } else {
        for (value, &width) in values.iter_mut().zip(widths) {
            let offset = window(bytes, at / 8) >> (at % 8) & (1u64 << (width & 63)).wrapping_sub(1);
            *value = finish(value.plus(D::low(offset)));
            at = at.wrapping_add(usize::from(width));
        }
    }
    at
}

/// Writes `values.len()` numbers of `width` bits each, plus `lower`: all that a variable of one bin holds.
///
/// `at` is the bit where the first starts; all of them are known to be there.
pub(crate) fn packed<D: Latent>(bytes: &[u8], at: usize, width: u32, lower: D, values: &mut [D]) {
    if width == 0 {
        values.fill(lower);
    } else if width == D::BITS && at.is_multiple_of(8) {
        let bytes = bytes.get(at / 8..).unwrap_or(&[]).chunks_exact(size_of::<D>());
        values.iter_mut().zip(bytes).for_each(|(value, bytes)| *value = D::get(bytes).plus(lower));
    } else {
        let mut at = at;
        for value in values {
            *value = lower.plus(D::low(field(bytes, at, width)));
            at = at.wrapping_add(index(u64::from(width)));
        }
    }
}

/// `width` bits from bit `at` on, up to 64.
#[inline(always)]
fn field(bytes: &[u8], at: usize, width: u32) -> u64 {
    let (low, shift) = (window(bytes, at / 8), at % 8);
    let high = if width > 57 { bytes.get((at / 8).wrapping_add(8)).map_or(0, |&byte| u64::from(byte)) } else { 0 };
    // `<< 1 << 63 - shift` is `<< 64 - shift`, also for shift 0. Likewise the mask, for width 64.
    let all = low >> shift | high << 1 << (63 - shift);
    all & (1u64 << (width / 2 & 63) << (width.div_ceil(2) & 63)).wrapping_sub(1)
}

/// Whether some offset may lie in nine bytes: it has more bits than eight bytes have after the first seven.
pub(crate) fn is_wide(widths: &[u8]) -> bool {
    widths.iter().fold(0, |all, width| all | width.wrapping_add(6)) & 64 != 0
}

/// The bits that the offsets will take.
pub(crate) fn total(widths: &[u8]) -> usize {
    widths.iter().map(|&width| usize::from(width)).sum()
}

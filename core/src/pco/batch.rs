//! One batch of one latent variable: symbols, then offsets.
//!
//! These loops read anything, to the last bit of the input; `pipeline` reads the same faster where there is enough of it.

use super::number::Latent;
use super::pipeline::PIPELINED;
use super::spans::BATCH;
use super::tans::Table;
use crate::bits::window;
use crate::num::index;

/// An entry of a tANS table: bits to read for the next state, offset bits of the bin, and the state that the bits are added to.
///
/// Bytes rather than a packed word, because loading what one needs is cheaper than shifting it out, but where loads are scarce.
pub(crate) type Node = [u8; 4];

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
///
/// Where there is a fast path a load beats the three instructions that make a mask: 15 % of all time.
#[inline(always)]
pub(crate) fn keep(word: u64, bits: u8) -> u64 {
    match PIPELINED {
        true => word & MASKS[usize::from(bits)],
        // Twice half of the bits, because a shift by 64 is none.
        false => word & (1u64 << ((bits / 2) & 63) << (bits.div_ceil(2) & 63)).wrapping_sub(1),
    }
}

/// [`keep`] for less than 64 bits.
#[inline(always)]
fn keep_few(word: u64, bits: u8) -> u64 {
    match PIPELINED {
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
        let Some(eight) = bytes.get(at / 8..).and_then(<[u8]>::first_chunk) else { break };
        let mut word = u64::from_le_bytes(*eight) >> (at % 8);
        let mut taken = 0;
        for ((value, width), state) in values.iter_mut().zip(widths).zip(&mut four) {
            (*value, *width) = symbol(nodes, lowers, state, &mut word, &mut taken);
        }
        at = at.wrapping_add(taken);
        done += 4;
    }
    // The last bytes of the input, and what is left over in the last batch of a page.
    let rest = values.get_mut(done..).unwrap_or(&mut []).iter_mut().zip(widths.get_mut(done..).unwrap_or(&mut []));
    for ((value, width), turn) in rest.zip((0..4).cycle()) {
        let mut word = window(bytes, at / 8) >> (at % 8);
        let mut taken = 0;
        (*value, *width) = symbol(nodes, lowers, &mut four[turn & 3], &mut word, &mut taken);
        at = at.wrapping_add(taken);
    }
    *states = four;
    at
}

/// One step of one state: its bin, and the next state. The table is not empty.
#[inline(always)]
fn symbol<D: Latent>(nodes: &[Node], lowers: &[D], state: &mut usize, word: &mut u64, taken: &mut usize) -> (D, u8) {
    let (Some(&[read, width, low, high]), Some(&lower)) = (nodes.get(*state), lowers.get(*state)) else {
        return (D::ZERO, 0);
    };
    let bits = keep_few(*word, read);
    *word >>= read & 63;
    *taken = taken.wrapping_add(usize::from(read));
    *state = usize::from(u16::from_le_bytes([low, high]).wrapping_add(u16::low(bits)));
    (lower, width)
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
    let mut done = 0;
    if D::BITS < 64 || !is_wide(widths) {
        for (value, &width) in values.iter_mut().zip(widths) {
            let Some(eight) = bytes.get(at / 8..).and_then(<[u8]>::first_chunk) else { break };
            let offset = keep_few(u64::from_le_bytes(*eight) >> (at % 8), width);
            *value = finish(value.plus(D::low(offset)));
            at = at.wrapping_add(usize::from(width));
            done += 1;
        }
    }
    let rest = values.get_mut(done..).unwrap_or(&mut []).iter_mut().zip(widths.get(done..).unwrap_or(&[]));
    for (value, &width) in rest {
        *value = finish(value.plus(D::low(field(bytes, at, width))));
        at = at.wrapping_add(usize::from(width));
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
        D::get_all(bytes.get(at / 8..).unwrap_or(&[]), lower, values);
    } else {
        let (mut at, width) = (at, u8::try_from(width).unwrap_or(64));
        for value in values {
            *value = lower.plus(D::low(field(bytes, at, width)));
            at = at.wrapping_add(usize::from(width));
        }
    }
}

/// `width` bits from bit `at` on, up to 64.
#[inline(always)]
fn field(bytes: &[u8], at: usize, width: u8) -> u64 {
    let (low, shift) = (window(bytes, at / 8), at % 8);
    let high = if width > 57 { bytes.get((at / 8).wrapping_add(8)).map_or(0, |&byte| u64::from(byte)) } else { 0 };
    // `<< 1 << 63 - shift` is `<< 64 - shift`, also for shift 0. Likewise the mask, for width 64.
    let all = low >> shift | high << 1 << (63 - shift);
    keep(all, width)
}

/// Whether some offset may lie in nine bytes: it has more bits than eight bytes have after the first seven.
pub(crate) fn is_wide(widths: &[u8]) -> bool {
    widths.iter().fold(0, |all, width| all | width.wrapping_add(6)) & 64 != 0
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

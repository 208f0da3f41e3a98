//! Loops over one batch of one latent variable: symbols first, then offsets.
//!
//! They read any input to its last bit. [`pipeline`](super::pipeline) reads the same faster where
//! enough input is left.
//!
//! # Contract
//!
//! - Every state is below the size of its table: tables are built that way, and page metadata has
//!   as many bits for a state.
//! - Bits after the end of the input read as zeros. Nothing here fails: the caller compares the
//!   returned position with the length of the input.
//! - One load serves several fields: four symbols have at most 56 bits, and a load has 57 from any
//!   bit on. Do not load once for each field, and do not pad every load: both were slower, see
//!   docs/tried/pco.md.
//! - No check between symbols. The table lookups are the only branches, and the optimizer removes
//!   most of them.

use core::convert::identity;

use super::keep::{keep, keep_narrow};
use super::tans::{Entry, States, SymbolTable, next_state};
use crate::bits::{u64_at, whole_u64_at};
use crate::num::index;
use crate::pco::meta::BATCH;
use crate::pco::number::Latent;

/// Decodes one symbol for each value: writes the least latent of its bin there, and the bin's
/// offset bits to `widths`.
///
/// `at` is the bit in `bytes` where the symbols start. Returns the bit after them.
#[inline(never)]
pub(crate) fn symbols<D: Latent>(
    bytes: &[u8],
    mut at: usize,
    table: &SymbolTable<'_, D>,
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
    let (Some(entries), Some(lowers)) = (table.entries.get(..size), table.lowers.get(..size)) else { return at };
    let mut four = *states;
    let mut done = 0;
    let groups = values.as_chunks_mut::<4>().0.iter_mut().zip(widths.as_chunks_mut::<4>().0);
    for (values, widths) in groups {
        // Four symbols have at most 56 bits, and 57 are there.
        let Some(mut word) = word::<false>(bytes, at) else { break };
        let mut sum = 0u32;
        for ((value, width), state) in values.iter_mut().zip(widths).zip(&mut four) {
            let Some((entry, lower)) = symbol(entries, lowers, state, &mut word) else { return at };
            [_, *width, ..] = entry.to_le_bytes();
            *value = lower;
            sum = sum.wrapping_add(entry);
        }
        let [taken, ..] = sum.to_le_bytes();
        at = at.wrapping_add(usize::from(taken));
        done += 4;
    }
    // The rest of the last batch of a page, or the last bytes of the input: one load has all of its
    // bits either way.
    let rest = values.get_mut(done..).unwrap_or(&mut []).iter_mut().zip(widths.get_mut(done..).unwrap_or(&mut []));
    let mut word = u64_at(bytes, at / 8) >> (at % 8);
    for ((value, width), turn) in rest.zip((0..4).cycle()) {
        let Some((entry, lower)) = symbol(entries, lowers, &mut four[turn & 3], &mut word) else { return at };
        let [taken, offset, ..] = entry.to_le_bytes();
        (*value, *width) = (lower, offset);
        at = at.wrapping_add(usize::from(taken));
    }
    *states = four;
    at
}

/// Moves one state on. Returns its entry and the least latent of its bin; `None` only for a state
/// outside of the table.
#[inline(always)]
fn symbol<D: Latent>(entries: &[Entry], lowers: &[D], state: &mut usize, word: &mut u64) -> Option<(Entry, D)> {
    let (&entry, &lower) = (entries.get(*state)?, lowers.get(*state)?);
    let [read, ..] = entry.to_le_bytes();
    *state = next_state(entry, *word);
    *word >>= read & 63;
    Some((entry, lower))
}

/// Adds to each value an offset of as many bits as `widths` says. With a `moment`, takes the sum of
/// the values on the way: each becomes the moment before it.
///
/// `at` is the bit where the offsets start. Returns the bit after them.
pub(crate) fn offsets<D: Latent>(
    bytes: &[u8],
    at: usize,
    widths: &[u8],
    values: &mut [D],
    moment: Option<&mut D>,
) -> usize {
    let Some(moment) = moment else { return offsets_by(bytes, at, widths, values, identity) };
    // In a register while the loop runs.
    let mut sum = *moment;
    let end = offsets_by(bytes, at, widths, values, |delta| add(&mut sum, delta));
    *moment = sum;
    end
}

/// Returns the sum so far, and adds to it.
#[inline(always)]
pub(crate) fn add<D: Latent>(sum: &mut D, delta: D) -> D {
    let before = *sum;
    *sum = before.plus(delta);
    before
}

/// [`offsets`] that passes each value through `finish`.
#[inline(never)]
fn offsets_by<D: Latent>(
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

/// Adds offsets while there are bytes for a load, `MANY` from each. Returns how many.
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
            let offset = if WIDE { keep(word, width) } else { keep_narrow(word, width) };
            *value = finish(value.plus(D::low(offset)));
            word >>= width & 63;
            *at = at.wrapping_add(usize::from(width));
        }
        done += MANY;
    }
    done
}

/// Writes `lower` plus an offset of `width` bits for each value: all that a variable of one bin
/// holds.
///
/// `at` is the bit where the offsets start. All of them must be in the input.
pub(crate) fn packed<D: Latent>(bytes: &[u8], at: usize, width: u32, lower: D, values: &mut [D]) {
    if width == D::BITS && at.is_multiple_of(8) {
        return D::get_all(bytes.get(at / 8..).unwrap_or(&[]), lower, values);
    }
    values.fill(lower);
    if width > 0 {
        let (mut at, widths) = (at, [u8::try_from(width).unwrap_or(64); 64]);
        for values in values.chunks_mut(widths.len()) {
            at = offsets(bytes, at, &widths, values, None);
        }
    }
}

/// Loads the bits from bit `at` on: 57 of them, or 64 from nine bytes if `WIDE`. `None` if the
/// input ends before.
#[inline(always)]
fn word<const WIDE: bool>(bytes: &[u8], at: usize) -> Option<u64> {
    let shift = at % 8;
    if !WIDE {
        return Some(whole_u64_at(bytes, at / 8)? >> shift);
    }
    let [low @ .., high] = bytes.get(at / 8..)?.first_chunk::<9>()?;
    // `<< 1 << 63 - shift` is `<< 64 - shift`, also for shift 0.
    Some(u64::from_le_bytes(*low) >> shift | u64::from(*high) << 1 << (63 - shift))
}

/// Returns the bits that the offsets of a batch take.
///
/// Adds eight widths at a time, in four lanes of 16 bits: the compiler makes no vector instructions
/// of a plain sum of bytes.
pub(crate) fn total(widths: &[u8; BATCH]) -> usize {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    let lanes = widths.as_chunks::<8>().0.iter().fold(0, |lanes: u64, eight| {
        let eight = u64::from_le_bytes(*eight);
        lanes.wrapping_add(eight & EVEN).wrapping_add(eight >> 8 & EVEN)
    });
    (0..4).map(|lane| index(lanes >> (16 * lane) & 0xFFFF)).sum()
}

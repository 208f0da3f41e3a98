//! The fast path: decodes the symbols of the next unit in the loop that adds the offsets of the
//! current one.
//!
//! A unit is a batch of one latent variable. Symbols wait for each other, so that a processor is
//! idle while it decodes them. Offsets keep it busy and wait for nothing. The next symbols start
//! where the offsets end, which is known when their widths are added up. Both together take little
//! more time than the symbols alone.
//!
//! # Contract
//!
//! - A unit has exactly 256 values, and the widths of the current one come from its symbols.
//! - One check per unit, after it, that the input had all bits: loads past the end read as zeros.
//!   If it is not certain, [`pair`] returns `None`, and the caller undoes the batch and leaves it
//!   to [`batch`](super::batch). That module also reads the last batch of a page, short pages, and
//!   everything for a trace that listens.
//! - No branch between symbols. Sizes of tables are types, so that a masked state needs no check;
//!   the input is one array of `WINDOW` bytes, so that a masked position needs none either. A check
//!   each cost 1 to 20 %.
//! - At most four symbols for each load, and up to four offsets: one load for each offset cost up
//!   to 10 %.
//! - Widths stay in one buffer, replaced group by group. Copying them, or two buffers that take
//!   turns, was slower.
//!
//! The measurements are in docs/tried/pco.md.

use super::batch::{add, offsets, symbols};
use super::keep::keep;
use super::lane::{Current, NextBatch};
use super::tans::{Entry, States, next_state};
use crate::pco::meta::BATCH;
use crate::pco::number::Latent;

/// Finishes a unit and begins the next. The offsets start at bit `at`, the symbols at bit
/// `symbols_at`. Returns the bit after the symbols, or `None` if the input ends so soon that
/// nothing is certain. `widths` are those of the current unit; those of the next replace them.
pub(crate) fn pair<D: Latent, E: Latent>(
    bytes: &[u8],
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: NextBatch<'_, E>,
    widths: &mut [u8; BATCH],
) -> Option<usize> {
    let table = next.table;
    if !(1..=12).contains(&table.log) {
        offsets(bytes, at, widths, current.values, current.moment);
        let end = symbols(bytes, symbols_at, table, next.states, widths, next.values);
        return (end.div_ceil(8) <= bytes.len()).then_some(end);
    }
    let window: Option<&[u8; WINDOW + 8]> = bytes.get(at / 8..).and_then(<[u8]>::first_chunk);
    let end = match window {
        Some(window) => {
            let first = at / 8 * 8;
            first.wrapping_add(by_size(
                window,
                at.wrapping_sub(first),
                symbols_at.wrapping_sub(first),
                current,
                next,
                widths,
            ))
        }
        None => by_size(bytes, at, symbols_at, current, next, widths),
    };
    // Loads that start up to here had all of their bytes.
    ((end / 8).saturating_add(16) <= bytes.len()).then_some(end)
}

/// Picks the loops by the size of the table, so that states need no check.
fn by_size<I: Input, D: Latent, E: Latent>(
    bytes: I,
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: NextBatch<'_, E>,
    widths: &mut [u8; BATCH],
) -> usize {
    match next.table.log {
        0..=8 => sized::<I, D, E, 256>(bytes, at, symbols_at, current, next, widths),
        9..=10 => sized::<I, D, E, 1024>(bytes, at, symbols_at, current, next, widths),
        _ => sized::<I, D, E, 4096>(bytes, at, symbols_at, current, next, widths),
    }
}

/// [`pair`] for tables of one size.
fn sized<I: Input, D: Latent, E: Latent, const SIZE: usize>(
    bytes: I,
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: NextBatch<'_, E>,
    widths: &mut [u8; BATCH],
) -> usize {
    let (Some(entries), Some(lowers)) = (next.table.entries.first_chunk(), next.table.lowers.first_chunk()) else {
        return at;
    };
    let NextBatch { states, values, .. } = next;
    let widest = widths.iter().fold(0, |most, &width| width.max(most));
    if widest == 0 {
        // Without offsets there is nothing to do at the same time.
        if let Some(moment) = current.moment {
            current.values.iter_mut().for_each(|value| *value = add(moment, *value));
        }
        return alone::<I, E, SIZE>(bytes, symbols_at, entries, lowers, states, widths, values);
    }
    let many = match widest {
        0..=14 => 4,
        15..=57 => most_together(widths),
        _ => 1,
    };
    let Current { values: finished, moment } = current;
    let work = Work { bytes, at, symbols_at, finished, entries, lowers, states, widths, values };
    choose(work, moment, widest, many)
}

/// Returns how many offsets a load of 57 bits has: four if all groups of four fit, two, or one. A
/// rare wide offset does not matter if its neighbours make up for it.
fn most_together(widths: &[u8; BATCH]) -> usize {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    // A sum above 57 sets bit 7 of its lane of 16 bits, or bit 8.
    const ROOM: u64 = 70 * 0x0001_0001_0001_0001;
    let [mut two, mut four] = [0; 2];
    for eight in widths.as_chunks::<8>().0 {
        let eight = u64::from_le_bytes(*eight);
        let pairs = (eight & EVEN) + (eight >> 8 & EVEN);
        two |= pairs + ROOM;
        four |= pairs + (pairs >> 16) + ROOM;
    }
    match (two & 0x0080_0080_0080_0080, four & 0x0180_0000_0180) {
        (_, 0) => 4,
        (0, _) => 2,
        _ => 1,
    }
}

/// The inputs and outputs of the loop.
struct Work<'l, I, D, E, const SIZE: usize> {
    bytes: I,
    /// The bit where the offsets of the current unit start.
    at: usize,
    /// The bit where the symbols of the next unit start.
    symbols_at: usize,
    /// The values of the current unit, which lack their offsets.
    finished: &'l mut [D; BATCH],
    entries: &'l [Entry; SIZE],
    lowers: &'l [E; SIZE],
    states: &'l mut States,
    widths: &'l mut [u8; BATCH],
    /// The values of the next unit.
    values: &'l mut [E; BATCH],
}

/// Picks the loop: with a sum or without.
#[inline(always)]
fn choose<I: Input, D: Latent, E: Latent, const SIZE: usize>(
    work: Work<'_, I, D, E, SIZE>,
    moment: Option<&mut D>,
    widest: u8,
    many: usize,
) -> usize {
    let Some(moment) = moment else {
        return by_width(work, widest, many, |latent| latent);
    };
    let mut sum = *moment;
    let end = by_width(work, widest, many, |delta| add(&mut sum, delta));
    *moment = sum;
    end
}

/// Picks the loop by the widest offset, and by the offsets that a load has.
#[inline(always)]
fn by_width<I: Input, D: Latent, E: Latent, const SIZE: usize>(
    work: Work<'_, I, D, E, SIZE>,
    widest: u8,
    many: usize,
    finish: impl FnMut(D) -> D,
) -> usize {
    // Widths that the type cannot have need no loop.
    if many == 4 {
        both::<I, D, E, SIZE, 4, false>(work, finish)
    } else if D::BITS <= 16 || many == 2 {
        both::<I, D, E, SIZE, 2, false>(work, finish)
    } else if D::BITS <= 32 || widest <= 57 {
        both::<I, D, E, SIZE, 1, false>(work, finish)
    } else {
        both::<I, D, E, SIZE, 1, true>(work, finish)
    }
}

/// The hot loop: four symbols and four offsets, 64 times. Loads once for each `MANY` offsets;
/// `WIDE` offsets may take nine bytes.
#[inline(never)]
fn both<I: Input, D: Latent, E: Latent, const SIZE: usize, const MANY: usize, const WIDE: bool>(
    work: Work<'_, I, D, E, SIZE>,
    mut finish: impl FnMut(D) -> D,
) -> usize {
    // Apart, so that each may be in a register.
    let Work { bytes, mut at, mut symbols_at, finished, entries, lowers, states, widths, values } = work;
    let mut four = *states;
    for group in 0..BATCH / 4 {
        let mut now = u32::from_le_bytes(widths.as_chunks::<4>().0[group]);
        symbols_at = four_symbols(bytes, symbols_at, entries, lowers, &mut four, group, widths, values);
        for first in (0..4).step_by(MANY) {
            let mut word = if WIDE { wide_word(bytes, at) } else { bytes.load(at) >> (at % 8) };
            for i in first..first + MANY {
                let [width, ..] = now.to_le_bytes();
                now >>= 8;
                let value = &mut finished[(group * 4 + i) & (BATCH - 1)];
                *value = finish(value.plus(D::low(keep(word, width))));
                word >>= width & 63;
                at = at.wrapping_add(usize::from(width));
            }
        }
    }
    *states = four;
    symbols_at
}

/// [`both`] without offsets.
#[inline(never)]
fn alone<I: Input, E: Latent, const SIZE: usize>(
    bytes: I,
    mut at: usize,
    entries: &[Entry; SIZE],
    lowers: &[E; SIZE],
    states: &mut States,
    widths: &mut [u8; BATCH],
    values: &mut [E; BATCH],
) -> usize {
    let mut four = *states;
    for group in 0..BATCH / 4 {
        at = four_symbols(bytes, at, entries, lowers, &mut four, group, widths, values);
    }
    *states = four;
    at
}

/// One symbol of each state.
#[allow(clippy::too_many_arguments, reason = "a struct would keep them in memory")]
#[inline(always)]
fn four_symbols<E: Latent, const SIZE: usize>(
    bytes: impl Input,
    at: usize,
    entries: &[Entry; SIZE],
    lowers: &[E; SIZE],
    states: &mut [usize; 4],
    group: usize,
    widths: &mut [u8; BATCH],
    values: &mut [E; BATCH],
) -> usize {
    let mut word = bytes.load(at) >> (at % 8);
    let mut sum = 0u32;
    for (state, i) in states.iter_mut().zip(group * 4..) {
        let entry = entries[*state & (SIZE - 1)];
        let [read, width, ..] = entry.to_le_bytes();
        values[i & (BATCH - 1)] = lowers[*state & (SIZE - 1)];
        widths[i & (BATCH - 1)] = width;
        *state = next_state(entry, word);
        word >>= read & 63;
        sum = sum.wrapping_add(entry);
    }
    // Four times up to 14 bits: nothing else gets into the low byte.
    let [taken, ..] = sum.to_le_bytes();
    at.wrapping_add(usize::from(taken))
}

/// The source of the bits of a loop.
trait Input: Copy {
    /// Loads eight bytes, the first of which has bit `at`. Zeros if the input ends before: that is
    /// checked once, after the loop.
    fn load(self, at: usize) -> u64;
}

/// The end of the input.
impl Input for &[u8] {
    #[inline(always)]
    fn load(self, at: usize) -> u64 {
        // Not a shared load: see docs/tried/pco.md.
        self.get(at / 8..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// A power of two above what the offsets of a unit and the symbols of the next can take, so that a
/// masked position needs no check.
const WINDOW: usize = 8192;

/// Enough input for any two units.
impl Input for &[u8; WINDOW + 8] {
    #[inline(always)]
    fn load(self, at: usize) -> u64 {
        let bytes = self.get((at / 8) & (WINDOW - 1)..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// Returns 64 bits from bit `at` on.
#[inline(always)]
fn wide_word(bytes: impl Input, at: usize) -> u64 {
    let (low, shift) = (bytes.load(at), at % 8);
    // The next eight bytes fill what the shift has made room for.
    let high = bytes.load(at.wrapping_add(8));
    low >> shift | high << (8 - shift)
}

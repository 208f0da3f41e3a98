//! The fast path: the symbols of the next unit are decoded in the same loop as the offsets of the current one.
//!
//! A unit is a batch of one latent variable. Symbols wait for each other, so that a processor has little to do while it decodes
//! them; offsets keep it busy but need nothing to wait for. Where the next symbols start is known as soon as the widths of
//! the offsets before them are added up. Both together take little more time than the symbols alone.
//!
//! Everything that this path reads is known to be there: a batch is begun only if as many bytes are left as any batch of
//! the chunk can take. The end of a page, pages that are short, and readers that listen are left to `batch`.

use super::batch::{BATCH, Node, States, is_wide, offsets, packed, symbols, total};
use super::lane::Undo;
use super::number::Latent;
use super::page::{Decoder, look_back};
use super::tans::Table;
use crate::num::{index, u64_from};
use crate::{Error, Result};

/// Whether this build has it. It wants more registers than 32-bit machines have, and engines of WebAssembly do not gain by it.
pub(crate) const PIPELINED: bool = cfg!(all(target_pointer_width = "64", not(feature = "small")));

/// What the offsets of a unit and the symbols of the next one can take is less than this, which is a power of two so that
/// a masked position needs no check.
const WINDOW: usize = 4096;

/// Loads from the window reach up to nine bytes further.
type Window = [u8; WINDOW + 16];

/// The offsets of the unit that is finished.
struct Current<'c, D> {
    /// Bits between them and the next symbols.
    gap: usize,
    widths: &'c [u8; BATCH],
    values: &'c mut [D; BATCH],
    /// The sum that is taken on the way, if there is one.
    moment: Option<&'c mut D>,
}

/// The symbols of the unit that is begun.
struct Next<'n, D> {
    table: &'n Table<'n, D>,
    states: &'n mut States,
    widths: &'n mut [u8; BATCH],
    values: &'n mut [D; BATCH],
}

/// Finishes a unit and begins the next. The offsets start at bit `at`; gives the bit behind the symbols.
fn pair<D: Latent, E: Latent>(bytes: &[u8], at: usize, current: Current<'_, D>, next: Next<'_, E>) -> usize {
    let symbols_at = at.wrapping_add(total(current.widths)).wrapping_add(current.gap);
    let table = next.table;
    let window: Option<&Window> = bytes.get(at / 8..).and_then(<[u8]>::first_chunk);
    let Some(window) = window.filter(|_| (1..=12).contains(&table.log)) else {
        finish(bytes, at, current);
        return symbols(bytes, symbols_at, table, next.states, next.widths, next.values);
    };
    let first = at / 8 * 8;
    let (from, to) = (at.wrapping_sub(first), symbols_at.wrapping_sub(first));
    let end = match table.log {
        0..=8 => sized::<D, E, 256>(window, from, to, current, next),
        9..=10 => sized::<D, E, 1024>(window, from, to, current, next),
        _ => sized::<D, E, 4096>(window, from, to, current, next),
    };
    first.wrapping_add(end)
}

/// [`pair`] for tables of one size.
fn sized<D: Latent, E: Latent, const SIZE: usize>(
    window: &Window,
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: Next<'_, E>,
) -> usize {
    let (Some(nodes), Some(lowers)) = (next.table.nodes.first_chunk(), next.table.lowers.first_chunk()) else { return at };
    let Next { states, widths, values, .. } = next;
    if symbols_at == at.wrapping_add(current.gap) {
        // Without offsets there is nothing to be done at the same time.
        if let Some(moment) = current.moment {
            current.values.iter_mut().for_each(|value| *value = step(moment, *value));
        }
        return alone::<E, SIZE>(window, symbols_at, nodes, lowers, states, widths, values);
    }
    choose::<D, E, SIZE>(window, at, symbols_at, current, nodes, lowers, states, widths, values)
}

/// The offsets of a unit that no other follows.
fn finish<D: Latent>(bytes: &[u8], at: usize, current: Current<'_, D>) -> usize {
    match current.moment {
        Some(moment) => offsets(bytes, at, current.widths, current.values, |delta| step(moment, delta)),
        None => offsets(bytes, at, current.widths, current.values, |latent| latent),
    }
}

/// Gives the sum so far and adds to it.
#[inline(always)]
fn step<D: Latent>(sum: &mut D, delta: D) -> D {
    let before = *sum;
    *sum = before.plus(delta);
    before
}

/// Picks the loop: with a sum or without, and whether offsets may lie in nine bytes.
#[allow(clippy::too_many_arguments, reason = "what a loop works on should be in registers")]
#[inline(always)]
fn choose<D: Latent, E: Latent, const SIZE: usize>(
    window: &Window,
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    nodes: &[Node; SIZE],
    lowers: &[E; SIZE],
    states: &mut States,
    next_widths: &mut [u8; BATCH],
    next_values: &mut [E; BATCH],
) -> usize {
    let wide = D::BITS == 64 && is_wide(current.widths);
    let Current { widths, values, moment, .. } = current;
    match (moment, wide) {
        (None, false) => both::<D, E, SIZE, false>(
            window, at, symbols_at, widths, values, nodes, lowers, states, next_widths, next_values, |latent| latent,
        ),
        (None, true) => both::<D, E, SIZE, true>(
            window, at, symbols_at, widths, values, nodes, lowers, states, next_widths, next_values, |latent| latent,
        ),
        (Some(moment), false) => {
            let mut sum = *moment;
            let end = both::<D, E, SIZE, false>(
                window, at, symbols_at, widths, values, nodes, lowers, states, next_widths, next_values,
                |delta| step(&mut sum, delta),
            );
            *moment = sum;
            end
        }
        (Some(moment), true) => {
            let mut sum = *moment;
            let end = both::<D, E, SIZE, true>(
                window, at, symbols_at, widths, values, nodes, lowers, states, next_widths, next_values,
                |delta| step(&mut sum, delta),
            );
            *moment = sum;
            end
        }
    }
}

/// The loop: four offsets, four symbols, 64 times.
#[allow(clippy::too_many_arguments, reason = "what a loop works on should be in registers")]
#[inline(never)]
fn both<D: Latent, E: Latent, const SIZE: usize, const WIDE: bool>(
    window: &Window,
    mut at: usize,
    mut symbols_at: usize,
    widths: &[u8; BATCH],
    values: &mut [D; BATCH],
    nodes: &[Node; SIZE],
    lowers: &[E; SIZE],
    states: &mut States,
    next_widths: &mut [u8; BATCH],
    next_values: &mut [E; BATCH],
    mut finish: impl FnMut(D) -> D,
) -> usize {
    let mut four = states.map(usize::from);
    for group in 0..BATCH / 4 {
        symbols_at = four_symbols(window, symbols_at, nodes, lowers, &mut four, group, next_widths, next_values);
        for i in group * 4..group * 4 + 4 {
            let width = widths[i & (BATCH - 1)];
            let value = &mut values[i & (BATCH - 1)];
            *value = finish(value.plus(D::low(field::<WIDE>(window, at, width))));
            at = at.wrapping_add(usize::from(width));
        }
    }
    *states = four.map(|state| u16::low(u64_from(state)));
    symbols_at
}

/// The same without offsets.
#[inline(never)]
fn alone<E: Latent, const SIZE: usize>(
    window: &Window,
    mut at: usize,
    nodes: &[Node; SIZE],
    lowers: &[E; SIZE],
    states: &mut States,
    widths: &mut [u8; BATCH],
    values: &mut [E; BATCH],
) -> usize {
    let mut four = states.map(usize::from);
    for group in 0..BATCH / 4 {
        at = four_symbols(window, at, nodes, lowers, &mut four, group, widths, values);
    }
    *states = four.map(|state| u16::low(u64_from(state)));
    at
}

/// One symbol of each state.
#[allow(clippy::too_many_arguments, reason = "what a loop works on should be in registers")]
#[inline(always)]
fn four_symbols<E: Latent, const SIZE: usize>(
    window: &Window,
    at: usize,
    nodes: &[Node; SIZE],
    lowers: &[E; SIZE],
    states: &mut [usize; 4],
    group: usize,
    widths: &mut [u8; BATCH],
    values: &mut [E; BATCH],
) -> usize {
    let mut word = load(window, at) >> (at % 8);
    let mut taken = 0;
    for (state, i) in states.iter_mut().zip(group * 4..) {
        let [width, read, low, high] = nodes[*state & (SIZE - 1)];
        values[i & (BATCH - 1)] = lowers[*state & (SIZE - 1)];
        widths[i & (BATCH - 1)] = width;
        let bits = word & (1u64 << (read & 63)).wrapping_sub(1);
        word >>= read & 63;
        *state = usize::from(u16::from_le_bytes([low, high]).wrapping_add(u16::low(bits)));
        taken += usize::from(read);
    }
    at.wrapping_add(taken)
}

/// The eight bytes that bit `at` lies in the first of.
#[inline(always)]
fn load(window: &Window, at: usize) -> u64 {
    let bytes = window.get(at / 8 & (WINDOW - 1)..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// `width` bits from bit `at` on: up to 57, or up to 64 if `WIDE`.
#[inline(always)]
fn field<const WIDE: bool>(window: &Window, at: usize, width: u8) -> u64 {
    let (low, shift) = (load(window, at), at % 8);
    if !WIDE {
        return low >> shift & (1u64 << (width & 63)).wrapping_sub(1);
    }
    // The eight bytes one further supply what the shift made room for. A shift to the left by 64 less the width, and back,
    // drops what is not part of the field; a width of 0 does not occur together with itself: both shifts are taken modulo 64.
    let high = load(window, at.wrapping_add(8));
    let all = low >> shift | high << (8 - shift);
    let mask = (1u64 << (width / 2) << width.div_ceil(2)).wrapping_sub(1);
    all & mask
}

/// The batch that starts at `from`.
fn batch_at<D>(values: &mut [D], from: usize) -> Option<&mut [D; BATCH]> {
    values.get_mut(from..)?.first_chunk_mut()
}

impl<L: Latent> Decoder<'_, '_, L> {
    /// Decodes as many whole batches as are certainly there, from bit `at` of `bytes`. Gives the bit behind them, and their number.
    ///
    /// `out` starts with the first number of the first batch; where the output is the history, it is the whole page and
    /// `first` tells where the page goes on.
    pub(super) fn pipeline(&mut self, bytes: &[u8], at: usize, origin: u64, out: &mut [L], first: usize) -> Result<(usize, usize)> {
        let history = matches!(self.primary.undo, Undo::Output);
        let room = out.len().saturating_sub(first) / BATCH;
        let full = (self.left.saturating_sub(self.state_len) / BATCH).min(room);
        let (dict, look, has_second) = (self.has_dict(), self.window > 0, !self.second.is_empty());
        // A secondary variable of one bin is no unit, but a gap: there are no symbols in it.
        let second = has_second && self.secondary.table.log > 0;
        let last_gap = if second { 0 } else { BATCH * index(u64::from(self.secondary.table.widest)) };
        // What any batch of this chunk can take.
        let most = BATCH
            * (self.lookback.table.most_bits() + self.index.table.most_bits() + self.primary.table.most_bits()
                + self.secondary.table.most_bits());
        let there = |at: usize| bytes.len().saturating_mul(8).saturating_sub(at) >= most;
        // A chunk whose variables all have one bin is read as fast without.
        let symbols_exist = self.lookback.table.log + self.index.table.log + self.primary.table.log + self.secondary.table.log > 0;
        if full < 2 || !there(at) || !symbols_exist {
            return Ok((at, 0));
        }
        let shift = if history { first.wrapping_add(self.state_len) } else { first };
        let nothing = || Error::new(crate::ErrorKind::NoProgress, origin);

        // Two of each, to be filled and emptied in turns.
        let (widths, _) = self.widths.as_chunks_mut::<BATCH>();
        let [widths, more_widths] = widths else { return Ok((at, 0)) };
        let (mut widths, mut more_widths) = (widths, more_widths);
        let (mut bit, mut batch) = (at, 0);
        let lookback_bit = |batch: usize| (batch & 1) * BATCH;

        // The first symbols have nothing to go along with.
        bit = if look {
            let to = batch_at(self.lookbacks, 0).ok_or_else(nothing)?;
            symbols(bytes, bit, &self.lookback.table, &mut self.lookback.states, widths, to)
        } else if dict {
            let to = batch_at(self.indexes, 0).ok_or_else(nothing)?;
            symbols(bytes, bit, &self.index.table, &mut self.index.states, widths, to)
        } else {
            let to = batch_at(out, shift).ok_or_else(nothing)?;
            symbols(bytes, bit, &self.primary.table, &mut self.primary.states, widths, to)
        };
        loop {
            let here = shift.wrapping_add(batch * BATCH);
            let (turn, other) = (lookback_bit(batch), lookback_bit(batch + 1));
            if look {
                let values = batch_at(self.lookbacks, turn).ok_or_else(nothing)?;
                let current = Current { gap: 0, widths, values, moment: None };
                bit = if dict {
                    let values = batch_at(self.indexes, turn).ok_or_else(nothing)?;
                    let lane = &mut self.index;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                } else {
                    let values = batch_at(out, here).ok_or_else(nothing)?;
                    let lane = &mut self.primary;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                };
                (widths, more_widths) = (more_widths, widths);
            }
            if second {
                let values = batch_at(out, here).ok_or_else(nothing)?;
                let current = Current { gap: 0, widths, values, moment: top(self.primary.undo, &mut self.primary.moments) };
                let values = batch_at(self.second, 0).ok_or_else(nothing)?;
                let lane = &mut self.secondary;
                let next = Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values };
                bit = pair(bytes, bit, current, next);
                (widths, more_widths) = (more_widths, widths);
            }
            // The last unit of this batch goes along with the first of the next, if that is there.
            let gap = bit.wrapping_add(total(widths));
            let start = gap.wrapping_add(last_gap);
            let more = batch + 1 < full && there(start);
            let last_second = if second { batch_at(self.second, 0) } else { None };
            if let Some(values) = last_second {
                let current = Current { gap: last_gap, widths, values, moment: top(self.secondary.undo, &mut self.secondary.moments) };
                bit = if !more {
                    finish(bytes, bit, current).wrapping_add(last_gap)
                } else if look {
                    let values = batch_at(self.lookbacks, other).ok_or_else(nothing)?;
                    let lane = &mut self.lookback;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                } else {
                    let values = batch_at(out, here.wrapping_add(BATCH)).ok_or_else(nothing)?;
                    let lane = &mut self.primary;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                };
            } else if dict {
                let (even, odd) = self.indexes.split_at_mut_checked(BATCH).ok_or_else(nothing)?;
                let (now, then) = if turn == 0 { (even, odd) } else { (odd, even) };
                let values = batch_at(now, 0).ok_or_else(nothing)?;
                let lane = &mut self.index;
                let current = Current { gap: last_gap, widths, values, moment: top(lane.undo, &mut lane.moments) };
                bit = if !more {
                    finish(bytes, bit, current).wrapping_add(last_gap)
                } else if look {
                    let values = batch_at(self.lookbacks, other).ok_or_else(nothing)?;
                    let lane = &mut self.lookback;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                } else {
                    let values = batch_at(then, 0).ok_or_else(nothing)?;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                };
            } else {
                let (now, then) = out.split_at_mut_checked(here.wrapping_add(BATCH)).ok_or_else(nothing)?;
                let values = batch_at(now, here).ok_or_else(nothing)?;
                let lane = &mut self.primary;
                let current = Current { gap: last_gap, widths, values, moment: top(lane.undo, &mut lane.moments) };
                bit = if !more {
                    finish(bytes, bit, current).wrapping_add(last_gap)
                } else if look {
                    let values = batch_at(self.lookbacks, other).ok_or_else(nothing)?;
                    let lane = &mut self.lookback;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                } else {
                    let values = batch_at(then, 0).ok_or_else(nothing)?;
                    pair(bytes, bit, current, Next { table: &lane.table, states: &mut lane.states, widths: more_widths, values })
                };
            }
            (widths, more_widths) = (more_widths, widths);

            if has_second
                && !second
                && let Some(values) = batch_at(self.second, 0)
            {
                let table = &self.secondary.table;
                packed(bytes, gap, table.widest, table.lowers.first().copied().unwrap_or(L::ZERO), values);
                if let Some(moment) = top(self.secondary.undo, &mut self.secondary.moments) {
                    values.iter_mut().for_each(|value| *value = step(moment, *value));
                }
            }

            // All of this batch is read.
            let refuse = |kind| Error::new(kind, origin.saturating_add(u64_from(bit / 8)));
            let lookbacks = self.lookbacks.get(turn..).unwrap_or(&[]);
            let lookbacks = lookbacks.get(..BATCH).unwrap_or(&[]);
            if history {
                look_back(out, here, lookbacks, self.window, self.primary.shift).map_err(refuse)?;
            } else {
                let values = batch_at(out, here).ok_or_else(nothing)?;
                let indexes = self.indexes.get_mut(turn..).unwrap_or(&mut []);
                let indexes = indexes.get_mut(..BATCH).unwrap_or(&mut []);
                if dict {
                    self.index.finish(indexes, BATCH, lookbacks, self.window).map_err(refuse)?;
                } else {
                    self.primary.finish(values, BATCH, lookbacks, self.window).map_err(refuse)?;
                }
                let second = if has_second { &mut *self.second } else { &mut [] };
                self.secondary.finish(second, second.len(), lookbacks, self.window).map_err(refuse)?;
                self.join.run(values, second, indexes).map_err(refuse)?;
            }
            batch += 1;
            if !more {
                return Ok((bit, batch));
            }
        }
    }
}

/// The sum that is taken while offsets are read.
fn top<'l, D>(undo: Undo<'_>, moments: &'l mut [D; 7]) -> Option<&'l mut D> {
    match undo {
        Undo::Sums(order) => moments.get_mut(order.checked_sub(1)?),
        _ => None,
    }
}

//! The fast path: the symbols of the next unit are decoded in the same loop as the offsets of the current one.
//!
//! A unit is a batch of one latent variable. Symbols wait for each other, so that a processor has little to do while it decodes
//! them; offsets keep it busy but need nothing to wait for. Where the next symbols start is known as soon as the widths of
//! the offsets before them are added up. Both together take little more time than the symbols alone.
//!
//! Whether all bits were there is asked once for each unit. If the answer is not a certain yes the batch is taken back and left to
//! `batch`, and so are the last batch of a page, short pages, and readers that listen.

use core::convert::identity;

use super::batch::{Node, States, following, keep, offsets, packed, symbols, total};
use super::lane::{Lane, Undo};
use super::number::Latent;
use super::page::{Fast, look_back};
use super::spans::BATCH;
use super::tans::Table;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result, Step};

/// The offsets of the unit that is finished.
struct Current<'c, D> {
    values: &'c mut [D; BATCH],
    /// The sum that is taken on the way, if there is one.
    moment: Option<&'c mut D>,
}

/// The symbols of the unit that is begun.
struct Next<'n, D> {
    table: &'n Table<'n, D>,
    states: &'n mut States,
    /// Those of the current unit, which are replaced one by one.
    widths: &'n mut [u8; BATCH],
    values: &'n mut [D; BATCH],
}

/// Finishes a unit and begins the next. The offsets start at bit `at`, the symbols at bit `symbols_at`; gives the bit behind
/// the symbols, or `None` if the input ends so soon that nothing is certain.
fn pair<D: Latent, E: Latent>(
    bytes: &[u8],
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: Next<'_, E>,
) -> Option<usize> {
    let table = next.table;
    if !(1..=12).contains(&table.log) {
        finish(bytes, at, next.widths, current);
        let end = symbols(bytes, symbols_at, table, next.states, next.widths, next.values);
        return (end.div_ceil(8) <= bytes.len()).then_some(end);
    }
    let window: Option<&[u8; WINDOW + 8]> = bytes.get(at / 8..).and_then(<[u8]>::first_chunk);
    let end = match window {
        Some(window) => {
            let first = at / 8 * 8;
            first.wrapping_add(by_size(window, at.wrapping_sub(first), symbols_at.wrapping_sub(first), current, next))
        }
        None => by_size(bytes, at, symbols_at, current, next),
    };
    // Loads that began no further than here found all of their bytes.
    ((end / 8).saturating_add(16) <= bytes.len()).then_some(end)
}

/// Picks the loops by the size of the table, which has to be known for states to need no check.
fn by_size<I: Input, D: Latent, E: Latent>(
    bytes: I,
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: Next<'_, E>,
) -> usize {
    match next.table.log {
        0..=8 => sized::<I, D, E, 256>(bytes, at, symbols_at, current, next),
        9..=10 => sized::<I, D, E, 1024>(bytes, at, symbols_at, current, next),
        _ => sized::<I, D, E, 4096>(bytes, at, symbols_at, current, next),
    }
}

/// [`pair`] for tables of one size.
fn sized<I: Input, D: Latent, E: Latent, const SIZE: usize>(
    bytes: I,
    at: usize,
    symbols_at: usize,
    current: Current<'_, D>,
    next: Next<'_, E>,
) -> usize {
    let (Some(nodes), Some(lowers)) = (next.table.nodes.first_chunk(), next.table.lowers.first_chunk()) else {
        return at;
    };
    let Next { states, widths, values, .. } = next;
    let widest = widths.iter().fold(0, |most, &width| width.max(most));
    if widest == 0 {
        // Without offsets there is nothing to be done at the same time.
        if let Some(moment) = current.moment {
            current.values.iter_mut().for_each(|value| *value = step(moment, *value));
        }
        return alone::<I, E, SIZE>(bytes, symbols_at, nodes, lowers, states, widths, values);
    }
    let Current { values: finished, moment } = current;
    let work = Work { bytes, at, symbols_at, finished, nodes, lowers, states, widths, values };
    choose(work, moment, widest)
}

/// The offsets of a unit that no other follows.
fn finish<D: Latent>(bytes: &[u8], at: usize, widths: &[u8; BATCH], current: Current<'_, D>) -> usize {
    match current.moment {
        Some(moment) => offsets(bytes, at, widths, current.values, |delta| step(moment, delta)),
        None => offsets(bytes, at, widths, current.values, identity),
    }
}

/// Gives the sum so far and adds to it.
#[inline(always)]
fn step<D: Latent>(sum: &mut D, delta: D) -> D {
    let before = *sum;
    *sum = before.plus(delta);
    before
}

/// What the loop works on.
struct Work<'l, I, D, E, const SIZE: usize> {
    bytes: I,
    /// Where the offsets of the current unit start,
    at: usize,
    /// and where the symbols of the next one do.
    symbols_at: usize,
    /// The values of the current unit, which lack their offsets.
    finished: &'l mut [D; BATCH],
    nodes: &'l [Node; SIZE],
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
) -> usize {
    let Some(moment) = moment else {
        return by_width(work, widest, |latent| latent);
    };
    let mut sum = *moment;
    let end = by_width(work, widest, |delta| step(&mut sum, delta));
    *moment = sum;
    end
}

/// Picks the loop by the widest offset: a load finds 57 bits of a field, which may be those of several offsets.
#[inline(always)]
fn by_width<I: Input, D: Latent, E: Latent, const SIZE: usize>(
    work: Work<'_, I, D, E, SIZE>,
    widest: u8,
    finish: impl FnMut(D) -> D,
) -> usize {
    // Widths that the type cannot have need no loop.
    if widest <= 14 {
        both::<I, D, E, SIZE, 4, false>(work, finish)
    } else if D::BITS <= 16 || widest <= 28 {
        both::<I, D, E, SIZE, 2, false>(work, finish)
    } else if D::BITS <= 32 || widest <= 57 {
        both::<I, D, E, SIZE, 1, false>(work, finish)
    } else {
        both::<I, D, E, SIZE, 1, true>(work, finish)
    }
}

/// The loop: four offsets, four symbols, 64 times. A load is made for each `MANY` offsets; they are `WIDE` if it may not do for one.
#[inline(never)]
fn both<I: Input, D: Latent, E: Latent, const SIZE: usize, const MANY: usize, const WIDE: bool>(
    work: Work<'_, I, D, E, SIZE>,
    mut finish: impl FnMut(D) -> D,
) -> usize {
    // Each by itself, so that it may be in a register.
    let Work { bytes, mut at, mut symbols_at, finished, nodes, lowers, states, widths, values } = work;
    let mut four = *states;
    for group in 0..BATCH / 4 {
        let now = [0, 1, 2, 3].map(|j| widths[(group * 4 + j) & (BATCH - 1)]);
        symbols_at = four_symbols(bytes, symbols_at, nodes, lowers, &mut four, group, widths, values);
        for first in (0..4).step_by(MANY) {
            let mut word = if WIDE { wide_word(bytes, at) } else { bytes.load(at) >> (at % 8) };
            for i in first..first + MANY {
                let width = now[i & 3];
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

/// The same without offsets.
#[inline(never)]
fn alone<I: Input, E: Latent, const SIZE: usize>(
    bytes: I,
    mut at: usize,
    nodes: &[Node; SIZE],
    lowers: &[E; SIZE],
    states: &mut States,
    widths: &mut [u8; BATCH],
    values: &mut [E; BATCH],
) -> usize {
    let mut four = *states;
    for group in 0..BATCH / 4 {
        at = four_symbols(bytes, at, nodes, lowers, &mut four, group, widths, values);
    }
    *states = four;
    at
}

/// One symbol of each state.
#[allow(clippy::too_many_arguments, reason = "what a loop works on should be in registers")]
#[inline(always)]
fn four_symbols<E: Latent, const SIZE: usize>(
    bytes: impl Input,
    at: usize,
    nodes: &[Node; SIZE],
    lowers: &[E; SIZE],
    states: &mut [usize; 4],
    group: usize,
    widths: &mut [u8; BATCH],
    values: &mut [E; BATCH],
) -> usize {
    let mut word = bytes.load(at) >> (at % 8);
    let mut sum = 0u32;
    for (state, i) in states.iter_mut().zip(group * 4..) {
        let node = nodes[*state & (SIZE - 1)];
        let [read, width, ..] = node.to_le_bytes();
        values[i & (BATCH - 1)] = lowers[*state & (SIZE - 1)];
        widths[i & (BATCH - 1)] = width;
        *state = following(node, word);
        word >>= read & 63;
        sum = sum.wrapping_add(node);
    }
    // Four times up to 14 bits: nothing else gets into the low byte.
    let [taken, ..] = sum.to_le_bytes();
    at.wrapping_add(usize::from(taken))
}

/// Where bits come from.
trait Input: Copy {
    /// The eight bytes that bit `at` lies in the first of. Whether they were there is asked later, once for all of them.
    fn load(self, at: usize) -> u64;
}

/// The end of the input.
impl Input for &[u8] {
    #[inline(always)]
    fn load(self, at: usize) -> u64 {
        self.get(at / 8..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// What the offsets of a unit and the symbols of the next one can take is less than this, a power of two, so that a masked
/// position needs no check.
const WINDOW: usize = 8192;

/// As much input as any two units can take.
impl Input for &[u8; WINDOW + 8] {
    #[inline(always)]
    fn load(self, at: usize) -> u64 {
        let bytes = self.get((at / 8) & (WINDOW - 1)..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// 64 bits from bit `at` on.
#[inline(always)]
fn wide_word(bytes: impl Input, at: usize) -> u64 {
    let (low, shift) = (bytes.load(at), at % 8);
    // The eight bytes one further supply what the shift made room for.
    let high = bytes.load(at.wrapping_add(8));
    low >> shift | high << (8 - shift)
}

/// The batch that starts at `from`.
fn batch_at<D>(values: &mut [D], from: usize) -> Option<&mut [D; BATCH]> {
    values.get_mut(from..)?.first_chunk_mut()
}

impl<L: Latent> Fast<'_, '_, L> {
    /// Decodes as many whole batches as are there, from the start of `bytes`, and counts them in `step`. Gives whether there were any.
    ///
    /// `out` starts with the first number of the first batch; where the output is the history, it is the whole page.
    pub(super) fn pipeline(&mut self, bytes: &[u8], out: &mut [L], step: &mut Step) -> Result<bool> {
        let history = matches!(self.primary.undo, Undo::Output);
        let full = self.page.left.saturating_sub(self.state_len).min(out.len()) / BATCH;
        let symbol_bits =
            [self.lookback.table.log, self.index.table.log, self.primary.table.log, self.secondary.table.log];
        // A chunk whose variables all have one bin is read as fast without.
        if full < 2 || symbol_bits == [0; 4] {
            return Ok(false);
        }
        let run = Run {
            bytes,
            // Latents lie where they will stay, which is behind those of the state if the output is the history.
            first: if history { self.state_len } else { 0 },
            full,
            // A secondary variable of one bin is no unit, but a gap: there are no symbols in it.
            second: self.secondary.table.log > 0,
            gap: BATCH * index(u64::from(if self.secondary.table.log > 0 { 0 } else { self.secondary.table.widest })),
        };
        let (mut batch, mut start, mut ended) = (0, self.page.bit, Ok(()));
        let mut states = self.states();
        let mut bit = self.first_symbols(&run, start, out);
        while let Some(here) = bit {
            let moments = (self.index.moments, self.primary.moments, self.secondary.moments);
            let Some(read) = self.units(&run, batch, here, out) else {
                // The batch does not end in the input, or too close to its end. Nothing of it has happened.
                (self.index.moments, self.primary.moments, self.secondary.moments) = moments;
                break;
            };
            if let Err(kind) = self.join_batch(&run, batch, out) {
                ended = Err(Error::new(kind, self.page.at.saturating_add(u64_from(start / 8))));
                break;
            }
            (batch, start, states, bit) = (batch + 1, read.end, read.states, read.symbols_end);
        }
        self.restore_states(states);
        self.page.pass(step, start, batch * BATCH);
        ended.map(|()| batch > 0)
    }

    /// The states of all lanes.
    fn states(&self) -> [States; 4] {
        [self.lookback.states, self.index.states, self.primary.states, self.secondary.states]
    }

    fn restore_states(&mut self, states: [States; 4]) {
        [self.lookback.states, self.index.states, self.primary.states, self.secondary.states] = states;
    }

    /// The first symbols of all, which have nothing to go along with.
    fn first_symbols(&mut self, run: &Run<'_>, at: usize, out: &mut [L]) -> Option<usize> {
        let widths = batch_at(self.widths, 0)?;
        Some(if self.window > 0 {
            let lane = &mut self.lookback;
            symbols(run.bytes, at, &lane.table, &mut lane.states, widths, batch_at(self.lookbacks, 0)?)
        } else if !self.indexes.is_empty() {
            let lane = &mut self.index;
            symbols(run.bytes, at, &lane.table, &mut lane.states, widths, batch_at(self.indexes, 0)?)
        } else {
            let lane = &mut self.primary;
            symbols(run.bytes, at, &lane.table, &mut lane.states, widths, batch_at(out, run.first)?)
        })
    }

    /// The rest of the batch whose first symbols were decoded, and the first symbols of the next one if there is one.
    ///
    /// `at` is where the offsets of its first unit start. `None` if the input may not suffice.
    fn units(&mut self, run: &Run<'_>, batch: usize, mut at: usize, out: &mut [L]) -> Option<Read> {
        let bytes = run.bytes;
        let (look, dict) = (self.window > 0, !self.indexes.is_empty());
        let here = run.first.wrapping_add(batch * BATCH);
        if look {
            let widths = batch_at(self.widths, 0)?;
            let values = batch_at(self.lookbacks, buffer(batch))?;
            let current = Current { values, moment: None };
            let then = at.wrapping_add(total(widths));
            at = if dict {
                pair(bytes, at, then, current, next(&mut self.index, widths, batch_at(self.indexes, buffer(batch))?))?
            } else {
                pair(bytes, at, then, current, next(&mut self.primary, widths, batch_at(out, here)?))?
            };
        }
        if run.second {
            let widths = batch_at(self.widths, 0)?;
            let moment = top(self.primary.undo, &mut self.primary.moments);
            let current = Current { values: batch_at(out, here)?, moment };
            let then = at.wrapping_add(total(widths));
            at = pair(bytes, at, then, current, next(&mut self.secondary, widths, batch_at(self.second, 0)?))?;
        }

        // The last unit of this batch goes along with the first of the next, if that is there.
        let states = self.states();
        let widths = batch_at(self.widths, 0)?;
        let gap = at.wrapping_add(total(widths));
        let end = gap.wrapping_add(run.gap);
        let first_log = if look { self.lookback.table.log } else { self.index.table.log.max(self.primary.table.log) };
        let first_end = end.wrapping_add(BATCH * index(u64::from(first_log)));
        let more = batch + 1 < run.full && first_end / 8 + 16 <= bytes.len();
        let follows = match (more, look) {
            (false, _) => Follows::Nothing,
            (true, true) => Follows::Lookbacks(&mut self.lookback, batch_at(self.lookbacks, buffer(batch + 1))?),
            (true, false) => Follows::Own,
        };
        let symbols_end = if run.second {
            let moment = top(self.secondary.undo, &mut self.secondary.moments);
            let current = Current { values: batch_at(self.second, 0)?, moment };
            let lane = &mut self.primary;
            close(bytes, at, end, current, widths, follows, move |widths| {
                Some(next(lane, widths, batch_at(out, here.wrapping_add(BATCH))?))
            })?
        } else if dict {
            let (even, odd) = self.indexes.split_at_mut_checked(BATCH)?;
            let (now, then) = if buffer(batch) == 0 { (even, odd) } else { (odd, even) };
            let Lane { table, states, undo, moments, .. } = &mut self.index;
            let current = Current { values: batch_at(now, 0)?, moment: top(*undo, moments) };
            close(bytes, at, end, current, widths, follows, move |widths| {
                Some(Next { table, states, widths, values: batch_at(then, 0)? })
            })?
        } else {
            let (now, then) = out.split_at_mut_checked(here.wrapping_add(BATCH))?;
            let Lane { table, states, undo, moments, .. } = &mut self.primary;
            let current = Current { values: batch_at(now, here)?, moment: top(*undo, moments) };
            close(bytes, at, end, current, widths, follows, move |widths| {
                Some(Next { table, states, widths, values: batch_at(then, 0)? })
            })?
        };
        if !run.second && !self.second.is_empty() {
            if end.div_ceil(8) > bytes.len() {
                return None;
            }
            let (table, values) = (&self.secondary.table, batch_at(self.second, 0)?);
            packed(bytes, gap, table.widest, table.lowers.first().copied()?, values);
            if let Some(moment) = top(self.secondary.undo, &mut self.secondary.moments) {
                values.iter_mut().for_each(|value| *value = step(moment, *value));
            }
        }
        Some(Read { end, states, symbols_end })
    }

    /// Makes numbers of a batch that is read.
    fn join_batch(&mut self, run: &Run<'_>, batch: usize, out: &mut [L]) -> core::result::Result<(), ErrorKind> {
        let here = run.first.wrapping_add(batch * BATCH);
        let lookbacks = self.lookbacks.get(buffer(batch)..).and_then(|rest| rest.get(..BATCH)).unwrap_or(&[]);
        if matches!(self.primary.undo, Undo::Output) {
            return look_back(out, here, lookbacks, self.window, self.primary.shift);
        }
        let values = out.get_mut(here..).and_then(|rest| rest.get_mut(..BATCH)).unwrap_or(&mut []);
        let indexes = self.indexes.get_mut(buffer(batch)..).and_then(|rest| rest.get_mut(..BATCH)).unwrap_or(&mut []);
        if indexes.is_empty() {
            self.primary.finish(values, BATCH, lookbacks, self.window)?;
        } else {
            self.index.finish(indexes, BATCH, lookbacks, self.window)?;
        }
        self.secondary.finish(self.second, BATCH, lookbacks, self.window)?;
        self.join.run(values, self.second, indexes)
    }
}

/// What stays the same from batch to batch, and whose turn it is.
struct Run<'r> {
    bytes: &'r [u8],
    /// Where the first batch lies in the output.
    first: usize,
    /// How many batches the output has room for.
    full: usize,
    /// Whether the secondary variable is a unit.
    second: bool,
    /// Bits behind the last unit of each batch.
    gap: usize,
}

/// What came of a batch.
struct Read {
    /// The bit behind it.
    end: usize,
    /// The states of all lanes there.
    states: [States; 4],
    /// The bit behind the first symbols of the next batch, if they were decoded.
    symbols_end: Option<usize>,
}

/// Which of two buffers it is that belongs to a batch.
const fn buffer(batch: usize) -> usize {
    (batch & 1) * BATCH
}

/// The symbols of `lane` as those of the next unit.
fn next<'n, D: Latent>(
    lane: &'n mut Lane<'_, '_, D>,
    widths: &'n mut [u8; BATCH],
    values: &'n mut [D; BATCH],
) -> Next<'n, D> {
    Next { table: &lane.table, states: &mut lane.states, widths, values }
}

/// Which symbols go along with the last unit of a batch.
enum Follows<'f, 'm, 'w> {
    Nothing,
    /// Where the next batch has any, its lookbacks come first;
    Lookbacks(&'f mut Lane<'m, 'w, u32>, &'f mut [u32; BATCH]),
    /// else those that `close` is told.
    Own,
}

/// The last unit of a batch, and the first symbols of the next one. Gives the bit behind those, if there are any; `None` if the input may
/// not suffice.
fn close<'n, D: Latent>(
    bytes: &[u8],
    at: usize,
    end: usize,
    current: Current<'_, D>,
    widths: &'n mut [u8; BATCH],
    follows: Follows<'n, '_, '_>,
    own: impl FnOnce(&'n mut [u8; BATCH]) -> Option<Next<'n, D>>,
) -> Option<Option<usize>> {
    Some(match follows {
        Follows::Nothing => {
            let end = finish(bytes, at, widths, current);
            return (end.div_ceil(8) <= bytes.len()).then_some(None);
        }
        Follows::Lookbacks(lane, values) => Some(pair(bytes, at, end, current, next(lane, widths, values))?),
        Follows::Own => Some(pair(bytes, at, end, current, own(widths)?)?),
    })
}

/// The sum that is taken while offsets are read.
fn top<'l, D>(undo: Undo<'_>, moments: &'l mut [D; 7]) -> Option<&'l mut D> {
    match undo {
        Undo::Sums(order) => moments.get_mut(order.checked_sub(1)?),
        _ => None,
    }
}

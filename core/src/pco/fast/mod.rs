//! Pages with tables made for speed: batch after batch, from any piece of input into any piece of
//! output.

use core::ops::Range;

use self::batch::{add, offsets, packed, symbols, total};
use self::join::{Join, NumberWriter};
use self::lane::{Current, DeltaState, Lane, NextBatch, OutputRange};
use self::pipeline::pair;
use self::tans::{Entry, States, next_state};
use super::fields::FieldReader;
use super::meta::{BATCH, Delta, Meta, Mode, Role, Variable};
use super::number::{Latent, Order, top};
use super::page::{BEGIN, Page};
use super::reader::PageReader;
use super::workspace::carve;
use crate::bits::u64_at;
use crate::fault::Verdict;
use crate::num::index;
use crate::{Status, Step, Trace};

mod batch;
mod delta;
mod join;
mod keep;
mod lane;
mod pipeline;
mod tans;

/// The word that numbers of the width of `L` are calculated in.
///
/// A 64-bit machine has loops for each width, of which its pipeline gains. Elsewhere one copy of
/// the decoder serves all types of up to 32 bits.
#[cfg(target_pointer_width = "64")]
pub(crate) type Widened<L> = L;
/// The word that numbers of the width of `L` are calculated in.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) type Widened<L> = <L as Latent>::Word;

/// Decodes the pages of one chunk with tables made for speed.
#[derive(Debug)]
pub(crate) struct Fast<'m, 'w, L> {
    page: Page<'m>,
    join: Join<'m, L>,
    /// By role.
    lanes: [RoleLane<'m, 'w, L>; 3],
    widths: &'w mut [u8],
    /// Numbers by which latents are placed later: those of the state, if the output is the history.
    ahead: usize,
}

/// The lane of a role. Lookbacks and the indexes of a dictionary have 32 bits, whatever the numbers
/// have.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is no allocator to put the larger one elsewhere")]
enum RoleLane<'m, 'w, L> {
    Index(Lane<'m, 'w, u32>),
    Number(Lane<'m, 'w, L>),
}

/// Calls the same method on either kind of lane. Only a lane of numbers may have the output.
macro_rules! on {
    ($slot:expr, $lane:ident => $call:expr) => {
        match $slot {
            RoleLane::Index($lane) => $call,
            RoleLane::Number($lane) => $call,
        }
    };
    ($slot:expr, $dst:expr, $lane:ident, $out:ident => $call:expr) => {
        match $slot {
            RoleLane::Index($lane) => {
                let $out = &mut [][..];
                $call
            }
            RoleLane::Number($lane) => {
                let $out = &mut *$dst;
                $call
            }
        }
    };
}

impl<L: Latent> RoleLane<'_, '_, L> {
    /// The values of a lane that are all of 32 bits, and not in the output.
    fn indexes(&mut self, place: OutputRange) -> &mut [u32] {
        match self {
            RoleLane::Index(lane) => lane.values_at(&mut [], place),
            RoleLane::Number(_) => &mut [],
        }
    }

    /// The logarithm of the size of the table.
    fn table_log(&self) -> u32 {
        on!(self, lane => lane.table.log)
    }
}

impl<'m, 'w, L: Latent> PageReader<'m, 'w> for Fast<'m, 'w, L> {
    type Unit = L;

    fn new<N: Latent, const FLOATS: bool>(page: Page<'m>) -> Self {
        let meta = page.meta;
        let delta = match &meta.delta {
            Delta::None => DeltaState::None,
            Delta::Consecutive { order, .. } => DeltaState::Sums(index(u64::from(*order))),
            Delta::Lookback { .. } if meta.looks_back_in_output(page.plan) => DeltaState::Output,
            Delta::Lookback { .. } => DeltaState::Ring,
            Delta::Conv1(convolution) => DeltaState::Predict(convolution),
        };
        // Classic latents become signed numbers by a sum, which is folded into other sums where
        // there are any.
        let flips = matches!(delta, DeltaState::Ring | DeltaState::Predict(_));
        let second = match delta {
            _ if !meta.delta.covers_secondary() => DeltaState::None,
            DeltaState::Output => DeltaState::Ring,
            delta => delta,
        };
        let primary = match meta.has_dict() {
            true => RoleLane::Index(Lane::new(delta)),
            false => RoleLane::Number(Lane::new(delta)),
        };
        let secondary = RoleLane::Number(Lane::new(second));
        Self {
            page,
            join: Join { mode: meta.mode, ty: meta.number_type, flip_classic: flips, writer: NumberWriter::of::<N>() },
            lanes: [RoleLane::Index(Lane::new(DeltaState::None)), primary, secondary],
            widths: &mut [],
            ahead: if matches!(delta, DeltaState::Output) { meta.delta.state_len() } else { 0 },
        }
    }

    #[inline(never)]
    fn build(&mut self, mut workspace: &'w mut [u64]) -> Verdict<()> {
        let Page { meta, longest, plan, .. } = self.page;
        let (words, window) = (&mut workspace, meta.delta.window());
        let signed = meta.mode == Mode::Classic && meta.number_type.order() == Order::Signed;
        for variable in meta.variables.iter().flatten() {
            match variable.role.of(&mut self.lanes) {
                RoleLane::Index(lane) => lane.build(variable, words, 0, window)?,
                RoleLane::Number(lane) => {
                    let flips = signed && variable.role == Role::Primary;
                    let flip = if flips { top(meta.number_type.bits()) } else { L::ZERO };
                    lane.build(variable, words, flip, window)?;
                }
            }
        }
        // All of it was counted, so that nothing carved below is missing.
        self.widths = carve(words, BATCH).unwrap_or(&mut []);
        for role in meta.variables.iter().flatten().map(|variable| variable.role) {
            on!(role.of(&mut self.lanes), lane => {
                lane.values = carve(words, meta.values_len(role)).unwrap_or(&mut []);
                lane.history = carve(words, meta.history(role, longest, plan)).unwrap_or(&mut []);
            });
        }
        Ok(())
    }

    fn page(&mut self) -> &mut Page<'m> {
        &mut self.page
    }

    fn units_log(&self) -> u32 {
        0
    }

    fn output_is_history(&self) -> bool {
        self.ahead > 0
    }

    fn read_state(
        &mut self,
        fields: &mut FieldReader<'_, impl Trace>,
        of: &Variable<'_>,
        dst: &mut [L],
    ) -> Verdict<()> {
        let latents = self.page.meta.delta.state_len();
        on!(of.role.of(&mut self.lanes), dst, lane, out => lane.read_state(fields, of, latents, out))
    }

    /// Decodes as many whole batches as the input has.
    fn pipeline(&mut self, bytes: &[u8], dst: &mut [L], step: &mut Step) -> Verdict<bool> {
        let left = self.page.left.saturating_sub(self.page.meta.delta.state_len());
        let full = left.min(dst.len().saturating_sub(step.wrote)) / BATCH;
        // Two batches are the least that gains. Without any symbols there is nothing to overlap.
        if full < 2 || self.lanes.iter().all(|slot| slot.table_log() == 0) {
            return Ok(false);
        }
        let (lookback, second) = (self.page.meta.variable(Role::Lookback).is_some(), self.lanes[2].table_log() > 0);
        let units: &[usize] = match (lookback, second) {
            (false, false) => &[1],
            (false, true) => &[1, 2],
            (true, false) => &[0, 1],
            (true, true) => &[0, 1, 2],
        };
        // A secondary variable of one bin is no unit but a gap: it has no symbols.
        let gap = match &self.lanes {
            [.., RoleLane::Number(lane)] if !second => BATCH * index(u64::from(lane.table.widest)),
            _ => 0,
        };
        let run = PipelineRun { bytes, first: step.wrote.wrapping_add(self.ahead), full, units, gap };
        let (mut batch, mut start, mut ended) = (0, self.page.bit, Ok(()));
        let (mut states, mut moments) = (self.states(), self.moments());
        let mut bit = self.first_symbols(&run, start, dst);
        while let Some(here) = bit {
            // If the batch does not end in the input, or too close to its end, it has not happened.
            let Some(read) = self.units(&run, batch, here, dst) else { break };
            let first = step.wrote.wrapping_add(batch * BATCH);
            // A fault counts from the start of its batch, which is the next byte of the page below.
            ended = self.finish(dst, batch, first..first.wrapping_add(BATCH));
            if ended.is_err() {
                break;
            }
            (batch, start, states, bit) = (batch + 1, read.end, read.states, read.symbols_end);
            moments = self.moments();
        }
        self.restore(states, moments);
        self.page.pass(step, start, batch * BATCH);
        ended.map(|()| batch > 0)
    }

    /// Counts the numbers that are in the input and fit: whole batches, or all that are left.
    fn packed_len(&self, bytes: &[u8], room: usize) -> usize {
        let Page { meta, left, bit, .. } = self.page;
        let [_, RoleLane::Number(primary), _] = &self.lanes else { return 0 };
        if meta.mode != Mode::Classic || meta.delta != Delta::None || primary.table.log > 0 {
            return 0;
        }
        let bits = bytes.len().saturating_mul(8).saturating_sub(bit);
        let stored = bits.checked_div(index(u64::from(primary.table.widest))).unwrap_or(usize::MAX);
        match left.min(room).min(stored) {
            count if count < left => count - count % BATCH,
            count => count,
        }
    }

    fn batch(&mut self, bytes: &[u8], dst: &mut [L], to: Range<usize>, trace: &mut impl Trace) -> Verdict<usize> {
        let (states, moments) = (self.states(), self.moments());
        let end = self.each_variable(bytes, trace, |this, role, bit| {
            let (place, widths) = (this.place(role, 0, &to), &mut *this.widths);
            on!(role.of(&mut this.lanes), dst, lane, out => lane.read(bytes, bit, widths, out, place))
        });
        let end = end.inspect_err(|_| self.restore(states, moments))?;
        self.finish(dst, 0, to)?;
        Ok(end)
    }

    fn join_page(&mut self, dst: &mut [L]) -> Verdict<()> {
        self.join.run(dst, &[], &[])
    }

    fn walk(&mut self, role: Role, bytes: &[u8], bit: usize) -> (usize, usize) {
        let count = self.page.meta.values(role, self.page.left);
        let (entries, states) = on!(role.of(&mut self.lanes), lane => (lane.table.entries, &mut lane.states));
        skip_batch(bytes, bit, entries, states, count)
    }

    fn step_bytes(&mut self, src: &[u8], dst: &mut [u8], all: &mut Step, trace: &mut impl Trace) -> Verdict<()> {
        match numbers_in(dst, self.page.meta) {
            Some(words) => self.step_units(src, words, all, trace),
            None => self.step_copies(src, dst, all, trace),
        }
    }
}

impl<L: Latent> Fast<'_, '_, L> {
    /// Goes on with the page batch after batch, each by way of the stack: to bytes that are not
    /// aligned, or to numbers narrower than their words. Not inlined, so that other outputs do not
    /// pay for the room.
    #[inline(never)]
    fn step_copies(&mut self, src: &[u8], dst: &mut [u8], all: &mut Step, trace: &mut impl Trace) -> Verdict<()> {
        let (size_log, mut batch) = (self.page.meta.number_type.size_log(), [L::ZERO; BATCH]);
        loop {
            let out = dst.get_mut(all.wrote << size_log..).unwrap_or(&mut []);
            let room = batch.get_mut(..BATCH.min(out.len() >> size_log)).unwrap_or(&mut []);
            let mut step = BEGIN;
            let ended = self.step_units(src.get(all.read..).unwrap_or(&[]), room, &mut step, trace);
            let numbers = batch.get(..step.wrote).unwrap_or(&[]);
            (self.join.writer.put)(numbers, out);
            *all = Step { read: all.read + step.read, wrote: all.wrote + step.wrote, status: step.status };
            if ended.is_err() || step.status == Status::Done || step.wrote == 0 {
                return ended;
            }
        }
    }

    /// The place of a batch of a variable, which goes to these numbers of the output. `batch`
    /// counts from the next one.
    fn place(&self, role: Role, batch: usize, to: &Range<usize>) -> OutputRange {
        let (first, count) = (to.start.wrapping_add(self.ahead), to.len());
        // Pipelined batches are never the last ones of a page, and more than one batch of a packed
        // chunk has no deltas.
        let left = self.page.left.wrapping_sub(batch.wrapping_mul(BATCH));
        let stored = if count > BATCH { count } else { self.page.meta.values(role, left) };
        OutputRange { batch, first, count, stored }
    }

    /// Makes numbers of a batch that was read.
    fn finish(&mut self, dst: &mut [L], batch: usize, to: Range<usize>) -> Verdict<()> {
        let [looks, place, second_place] =
            [Role::Lookback, Role::Primary, Role::Secondary].map(|role| self.place(role, batch, &to));
        let window = self.page.meta.delta.window();
        let [lookback, primary, secondary] = &mut self.lanes;
        let lookbacks = &*lookback.indexes(OutputRange { count: looks.stored, ..looks });
        on!(primary, dst, lane, out => lane.finish(out, place, lookbacks, window))?;
        if self.ahead > 0 {
            // Joined when the page is complete: later batches look back on latents.
            return Ok(());
        }
        let seconds: &[L] = match secondary {
            RoleLane::Number(lane) if !lane.values.is_empty() => {
                lane.finish(&mut [], second_place, lookbacks, window)?;
                lane.values_at(&mut [], second_place)
            }
            _ => &[],
        };
        let indexes = &*primary.indexes(place);
        let out = dst.get_mut(to).unwrap_or(&mut []);
        // By batches, which stay in the cache. A packed chunk, the only one with more than one at a
        // time, has one variable.
        out.chunks_mut(BATCH).try_for_each(|batch| self.join.run(batch, seconds, indexes))
    }

    /// The states of all lanes.
    fn states(&self) -> [States; 3] {
        self.lanes.each_ref().map(|slot| on!(slot, lane => lane.states))
    }

    /// The last moments of all lanes: reading a batch changes no others.
    fn moments(&self) -> [u64; 3] {
        self.lanes.each_ref().map(|slot| on!(slot, lane => lane.moment().wide()))
    }

    /// Takes back the batch that was read last.
    fn restore(&mut self, states: [States; 3], moments: [u64; 3]) {
        for (slot, (states, moment)) in self.lanes.iter_mut().zip(states.into_iter().zip(moments)) {
            on!(slot, lane => lane.restore(states, Latent::low(moment)));
        }
    }

    /// Decodes the symbols of the first unit, without any offsets.
    fn first_symbols(&mut self, run: &PipelineRun<'_>, at: usize, dst: &mut [L]) -> Option<usize> {
        on!(self.lanes.get_mut(*run.units.first()?)?, dst, lane, out => {
            let NextBatch { table, states, values } = lane.next(out, run.place(0))?;
            Some(symbols(run.bytes, at, table, states, self.widths, values))
        })
    }

    /// Decodes the rest of a batch whose first symbols were decoded, and the first symbols of the
    /// next one if there is one. `at` is the bit where the offsets of its first unit start. `None`
    /// if the input may not suffice.
    fn units(&mut self, run: &PipelineRun<'_>, batch: usize, mut at: usize, dst: &mut [L]) -> Option<BatchEnd> {
        let (bytes, here, widths) = (run.bytes, run.place(batch), self.widths.first_chunk_mut()?);
        for (&now, &next) in run.units.iter().zip(run.units.get(1..)?) {
            let turn = Turn { bytes, at, symbols_at: at.wrapping_add(total(widths)), here, then: here };
            at = pair_lanes(&mut self.lanes, [now, next], turn, widths, dst)?;
        }

        // The last unit of this batch goes along with the first of the next.
        let states = self.lanes.each_ref().map(|slot| on!(slot, lane => lane.states));
        let (first, last) = (*run.units.first()?, *run.units.last()?);
        let gap = at.wrapping_add(total(widths));
        let end = gap.wrapping_add(run.gap);
        let symbols_len = BATCH * index(u64::from(self.lanes.get(first)?.table_log()));
        let more = batch + 1 < run.full && end.wrapping_add(symbols_len) / 8 + 16 <= bytes.len();
        let symbols_end = if more {
            let turn = Turn { bytes, at, symbols_at: end, here, then: run.place(batch + 1) };
            Some(pair_lanes(&mut self.lanes, [last, first], turn, widths, dst)?)
        } else {
            let last = self.lanes.get_mut(last)?;
            on!(last, dst, lane, out => {
                let Current { values, moment } = lane.current(out, here)?;
                offsets(bytes, at, widths, values, moment)
            });
            None
        };
        if end.div_ceil(8) > bytes.len() {
            return None;
        }
        if let [.., RoleLane::Number(lane)] = &mut self.lanes
            && last < 2
            && !lane.values.is_empty()
        {
            let (width, lower) = (lane.table.widest, lane.table.lowers.first().copied()?);
            packed(bytes, gap, width, lower, lane.values);
            if let Some(current) = lane.current(&mut [], here)
                && let Some(moment) = current.moment
            {
                current.values.iter_mut().for_each(|value| *value = add(moment, *value));
            }
        }
        Some(BatchEnd { end, states, symbols_end })
    }
}

/// Constants of the batches of a pipeline.
struct PipelineRun<'r> {
    bytes: &'r [u8],
    /// Index in the output of the first latent.
    first: usize,
    /// Batches that the output has room for.
    full: usize,
    /// The lanes that have symbols, in their order.
    units: &'r [usize],
    /// Bits after the last unit of each batch.
    gap: usize,
}

impl PipelineRun<'_> {
    fn place(&self, batch: usize) -> OutputRange {
        OutputRange { batch, first: self.first.wrapping_add(batch * BATCH), count: BATCH, stored: BATCH }
    }
}

/// The end of a batch.
struct BatchEnd {
    /// The bit after it.
    end: usize,
    /// The states of all lanes there.
    states: [States; 3],
    /// The bit after the first symbols of the next batch, if they were decoded.
    symbols_end: Option<usize>,
}

/// A unit that is finished while the next is begun: offsets from bit `at` on, symbols from bit
/// `symbols_at` on.
#[derive(Clone, Copy)]
struct Turn<'t> {
    bytes: &'t [u8],
    at: usize,
    symbols_at: usize,
    /// The place of the unit that is finished.
    here: OutputRange,
    /// The place of the unit that is begun.
    then: OutputRange,
}

/// Finishes a unit of the first lane, and begins one of the second, which may be the same. Returns
/// the bit after the symbols.
fn pair_lanes<L: Latent>(
    lanes: &mut [RoleLane<'_, '_, L>; 3],
    [now, next]: [usize; 2],
    turn: Turn<'_>,
    widths: &mut [u8; BATCH],
    dst: &mut [L],
) -> Option<usize> {
    let Turn { bytes, at, symbols_at, here, then } = turn;
    if now == next {
        return on!(lanes.get_mut(now)?, dst, lane, out => {
            let (current, next) = lane.current_and_next(out, here, then)?;
            pair(bytes, at, symbols_at, current, next, widths)
        });
    }
    let [now, next] = lanes.get_disjoint_mut([now, next]).ok()?;
    // One lane at most has its values in the output.
    let (now_dst, next_dst) = match on!(&*now, lane => lane.values.is_empty()) {
        true => (dst, &mut [][..]),
        false => (&mut [][..], dst),
    };
    on!(now, now_dst, now, now_out => on!(next, next_dst, next, next_out => {
        pair(bytes, at, symbols_at, now.current(now_out, here)?, next.next(next_out, then)?, widths)
    }))
}

/// The bytes as numbers of this machine, if they can be that where they are.
fn numbers_in<'b, L: Latent>(bytes: &'b mut [u8], meta: &Meta<'_>) -> Option<&'b mut [L]> {
    let same = cfg!(target_endian = "little") && meta.number_type.bits() == L::BITS;
    bytemuck::try_cast_slice_mut(bytes).ok().filter(|_| same)
}

/// Reads the symbols of a batch alone. Returns the bits where their offsets start and end.
fn skip_batch(bytes: &[u8], mut at: usize, entries: &[Entry], states: &mut States, count: usize) -> (usize, usize) {
    let mut offsets = 0usize;
    for i in 0..count {
        let state = &mut states[i % 4];
        let entry = entries.get(*state).copied().unwrap_or(0);
        let [read, width, ..] = entry.to_le_bytes();
        *state = next_state(entry, u64_at(bytes, at / 8) >> (at % 8));
        at = at.wrapping_add(usize::from(read));
        offsets = offsets.wrapping_add(usize::from(width));
    }
    (at, at.wrapping_add(offsets))
}

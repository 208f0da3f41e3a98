//! Pages with tables made for speed: batch after batch, from any piece of input into any piece of output.

use super::batch::{packed, symbols, total};
use super::fields::FieldReader;
use super::join::{Join, NumberWriter};
use super::lane::{DeltaState, Lane, Parts, Place, add};
use super::meta::{BATCH, Delta, Meta, Mode, Role};
use super::number::{Latent, Order, bytes_of, top};
use super::pipeline::{Current, Next, batch_at, finish, pair};
use super::plan::Plan;
use super::reader::PageReader;
use super::spans::{BEGIN, Progress, Spans};
use super::tans::{Entry, States, next_state};
use super::workspace::carve;
use crate::bits::u64_at;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Name, Result, Status, Step, Trace, Value, tuning};

/// The word that numbers of the width of `L` are calculated in.
///
/// A 64-bit machine has loops for each width, of which its pipeline gains. Elsewhere one copy of the decoder serves all types of
/// up to 32 bits.
#[cfg(target_pointer_width = "64")]
pub(crate) type Widened<L> = L;
/// The word that numbers of the width of `L` are calculated in.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) type Widened<L> = <L as Latent>::Word;

/// Decodes the pages of one chunk with tables made for speed.
#[derive(Debug)]
pub(crate) struct Fast<'m, 'w, L> {
    meta: &'m Meta<'m>,
    plan: Plan,
    /// The longest page that the workspace is for.
    longest: usize,
    join: Join<'m, L>,
    /// By role.
    lanes: [Slot<'m, 'w, L>; 3],
    widths: &'w mut [u8],
    /// Latents of the primary variable that stand in the page's metadata.
    state_len: usize,
    /// How far latents are placed after their numbers: by the state, if the output is the history.
    ahead: usize,
    window: u32,
    progress: Progress,
}

/// The lane of a role. Lookbacks and the indexes of a dictionary have 32 bits, whatever the numbers have.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is no allocator to put the larger one elsewhere")]
enum Slot<'m, 'w, L> {
    Index(Lane<'m, 'w, u32>),
    Number(Lane<'m, 'w, L>),
}

/// Calls the same method on either kind of lane.
macro_rules! on {
    ($slot:expr, $lane:ident => $call:expr) => {
        match $slot {
            Slot::Index($lane) => $call,
            Slot::Number($lane) => $call,
        }
    };
}

impl<'w, L: Latent> Slot<'_, 'w, L> {
    fn states(&mut self) -> &mut States {
        on!(self, lane => &mut lane.states)
    }

    fn entries(&self) -> &'w [Entry] {
        on!(self, lane => lane.table.entries)
    }

    /// The logarithm of the size of the table.
    fn table_log(&self) -> u32 {
        on!(self, lane => lane.table.log)
    }

    /// The values of a lane that are all of 32 bits, and not in the output.
    fn indexes(&mut self, place: Place) -> &mut [u32] {
        match self {
            Slot::Index(lane) => lane.values_at(&mut [], place),
            Slot::Number(_) => &mut [],
        }
    }
}

/// Returns the lane of a role.
fn lane<'l, 'm, 'w, L>(lanes: &'l mut [Slot<'m, 'w, L>; 3], role: Role) -> &'l mut Slot<'m, 'w, L> {
    let [lookback, primary, secondary] = lanes;
    match role {
        Role::Lookback => lookback,
        Role::Primary => primary,
        Role::Secondary => secondary,
    }
}

impl<'m, 'w, L: Latent> PageReader<'m, 'w> for Fast<'m, 'w, L> {
    type Width = NumberWriter<L>;

    fn width<N: Latent>() -> NumberWriter<L> {
        NumberWriter::of::<N>()
    }

    fn new(meta: &'m Meta<'m>, n: usize, plan: Plan, width: NumberWriter<L>) -> Self {
        let delta = match &meta.delta {
            Delta::None => DeltaState::None,
            Delta::Consecutive { order, .. } => DeltaState::Sums(index(u64::from(*order))),
            Delta::Lookback { .. } if meta.looks_back_in_output(plan) => DeltaState::Output,
            Delta::Lookback { .. } => DeltaState::Ring,
            Delta::Conv1(convolution) => DeltaState::Predict(convolution),
        };
        // Classic latents become signed numbers by a sum, which is folded into other sums where there are any.
        let flips = matches!(delta, DeltaState::Ring | DeltaState::Predict(_));
        let second = match delta {
            _ if !meta.delta.covers_secondary() => DeltaState::None,
            DeltaState::Output => DeltaState::Ring,
            delta => delta,
        };
        let state_len = meta.delta.state_len();
        let primary = if meta.has_dict() { Slot::Index(Lane::new(delta)) } else { Slot::Number(Lane::new(delta)) };
        Self {
            meta,
            plan,
            longest: n,
            join: Join::new(meta.mode, meta.number_type, flips, width),
            lanes: [Slot::Index(Lane::new(DeltaState::None)), primary, Slot::Number(Lane::new(second))],
            widths: &mut [],
            state_len,
            ahead: if matches!(delta, DeltaState::Output) { state_len } else { 0 },
            window: meta.delta.window(),
            progress: Progress::default(),
        }
    }

    #[inline(never)]
    fn open(&mut self, mut workspace: &'w mut [u64]) -> Result<()> {
        let (meta, n, plan, window) = (self.meta, self.longest, self.plan, self.window);
        let need = meta.workspace_len(n, plan);
        if u64_from(workspace.len()) < need {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need));
        }
        let words = &mut workspace;
        let signed = meta.mode == Mode::Classic && meta.number_type.order() == Order::Signed;
        let flip = if signed { top(meta.number_type.bits()) } else { L::ZERO };
        for variable in meta.variables.iter().flatten() {
            match lane(&mut self.lanes, variable.role) {
                Slot::Index(lane) => lane.build(variable, words, 0, window)?,
                Slot::Number(lane) => {
                    let flip = if variable.role == Role::Primary { flip } else { L::ZERO };
                    lane.build(variable, words, flip, window)?;
                }
            }
        }
        // All of it was counted, so that nothing carved below is missing.
        let buffers = meta.buffers(n, plan);
        self.widths = carve(words, buffers.widths).unwrap_or(&mut []);
        for (slot, buffer) in self.lanes.iter_mut().zip(buffers.lanes) {
            on!(slot, lane => lane.values = carve(words, buffer.values).unwrap_or(&mut []));
            on!(slot, lane => lane.history = carve(words, buffer.history).unwrap_or(&mut []));
        }
        Ok(())
    }

    fn meta(&self) -> &'m Meta<'m> {
        self.meta
    }

    fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    fn longest(&self) -> (usize, Plan) {
        (self.longest, self.plan)
    }

    fn takes_as_output(bytes: &mut [u8], meta: &Meta<'_>) -> bool {
        numbers_in::<L>(bytes, meta).is_some()
    }

    fn step<N: Latent>(&mut self, src: &[u8], dst: &mut [N], step: &mut Step, trace: &mut impl Trace) -> Result<()> {
        if size_of::<N>() == size_of::<L>()
            && let Ok(words) = bytemuck::try_cast_slice_mut(dst)
        {
            return self.step_words(src, words, step, trace);
        }
        let ended = self.step_bytes(src, bytes_of(dst), step, trace);
        dst.iter_mut().take(step.wrote).for_each(|number| *number = number.in_native_order());
        ended
    }

    fn step_bytes(&mut self, src: &[u8], dst: &mut [u8], all: &mut Step, trace: &mut impl Trace) -> Result<()> {
        if let Some(words) = numbers_in(dst, self.meta) {
            return self.step_words(src, words, all, trace);
        }
        // Bytes that are not aligned, or numbers narrower than their words: batch after batch.
        let (size, mut batch) = (self.meta.number_type.size(), [L::ZERO; BATCH]);
        loop {
            let out = dst.get_mut(all.wrote.wrapping_mul(size)..).unwrap_or(&mut []);
            let room = batch.get_mut(..BATCH.min(out.len() >> size.trailing_zeros())).unwrap_or(&mut []);
            let mut step = BEGIN;
            let ended = self.step_words(src.get(all.read..).unwrap_or(&[]), room, &mut step, trace);
            let numbers = batch.get(..step.wrote).unwrap_or(&[]);
            (self.join.writer.put)(numbers, out);
            *all = Step { read: all.read + step.read, wrote: all.wrote + step.wrote, status: step.status };
            if ended.is_err() || step.status == Status::Done || step.wrote == 0 {
                return ended;
            }
        }
    }

    fn skip(&mut self, bytes: &[u8], n: usize, at: u64) -> Result<usize> {
        self.progress.start(n, at);
        let (meta, mut step) = (self.meta, BEGIN);
        let len = self.read_metadata(bytes, &mut [], &mut ())?;
        self.progress.read(&mut step, len);
        while self.progress.left > 0 {
            let rest = bytes.get(step.read..).unwrap_or(&[]);
            let (mut bit, silent) = (self.progress.bit, &mut ());
            let mut spans = Spans::new(silent, self.progress.at, bit, rest.len());
            for variable in meta.variables.iter().flatten() {
                let values = meta.values(variable.role, self.progress.left);
                let lane = lane(&mut self.lanes, variable.role);
                let entries = lane.entries();
                let (symbols_end, end) = skip_batch(rest, bit, entries, lane.states(), values);
                spans.symbols(variable.role, symbols_end);
                spans.offsets(variable.role, end);
                bit = end;
            }
            spans.end()?;
            self.progress.pass(&mut step, bit, BATCH);
        }
        self.progress.end(bytes, &mut step, &mut ())?;
        Ok(step.read)
    }
}

impl<L: Latent> Fast<'_, '_, L> {
    /// Goes on with the page, as [`step`](PageReader::step) does, to words.
    fn step_words(&mut self, src: &[u8], dst: &mut [L], step: &mut Step, trace: &mut impl Trace) -> Result<()> {
        // The output is the history.
        let whole = self.ahead > 0;
        if !self.progress.started {
            if whole && dst.len() != self.progress.n {
                let need = u64_from(self.progress.n);
                return Err(Error::new(ErrorKind::OutputTooSmall, self.progress.at).needing(need));
            }
            let len = self.read_metadata(src, dst, trace)?;
            self.progress.read(step, len);
            self.progress.started = true;
        }
        let some = self.progress.left > 0;
        let mut ended = self.batches(src, dst, step, trace);
        if whole && some {
            if ended.is_ok() {
                // Nothing looks back on latents any more.
                ended = self.join.run(dst, &[], &[]).ok_or(Error::new(ErrorKind::PcoDictIndex, self.progress.at));
            }
            ended = ended.inspect_err(|_| self.progress.restart(step));
        }
        ended?;
        self.progress.end(src, step, trace)
    }

    /// Reads the metadata of the page.
    fn read_metadata(&mut self, src: &[u8], dst: &mut [L], trace: &mut impl Trace) -> Result<usize> {
        self.meta.check_bins(self.progress.n, self.progress.at)?;
        trace.enter(Name::PageMetadata, Value::None);
        let mut fields = FieldReader::new(src, self.progress.at, trace);
        let meta = self.meta;
        for variable in meta.variables.iter().flatten() {
            match lane(&mut self.lanes, variable.role) {
                Slot::Index(lane) => lane.open(&mut fields, variable.role, &meta.delta, &mut [])?,
                Slot::Number(lane) => lane.open(&mut fields, variable.role, &meta.delta, dst)?,
            }
        }
        fields.pad();
        fields.check()?;
        let len = index(fields.position() / 8);
        trace.leave();
        Ok(len)
    }

    /// Batch after batch, as far as input and output reach.
    fn batches<T: Trace>(&mut self, src: &[u8], dst: &mut [L], step: &mut Step, trace: &mut T) -> Result<()> {
        while self.progress.left > 0 {
            let rest = src.get(step.read..).unwrap_or(&[]);
            if tuning::PIPELINED && !trace.listens() && self.pipeline(rest, dst, step)? {
                continue;
            }
            let room = dst.len().saturating_sub(step.wrote);
            let count = if trace.listens() { 0 } else { self.packed_len(rest, room) };
            let count = count.max(self.progress.left.min(BATCH));
            if room < count {
                return Ok(());
            }
            let bit = self.batch(rest, dst, step.wrote, count, trace)?;
            self.progress.pass(step, bit, count);
        }
        step.status = Status::Done;
        Ok(())
    }

    /// If the chunk is nothing but numbers of as many bits each, returns how many of them are in the input and fit: whole batches,
    /// or all that are left. One call of [`batch`](Self::batch) reads all of them.
    fn packed_len(&self, bytes: &[u8], room: usize) -> usize {
        let [_, Slot::Number(primary), _] = &self.lanes else { return 0 };
        if self.meta.mode != Mode::Classic || self.meta.delta != Delta::None || primary.table.log > 0 {
            return 0;
        }
        let bits = bytes.len().saturating_mul(8).saturating_sub(self.progress.bit);
        let stored = bits.checked_div(index(u64::from(primary.table.widest))).unwrap_or(usize::MAX);
        match self.progress.left.min(room).min(stored) {
            count if count < self.progress.left => count - count % BATCH,
            count => count,
        }
    }

    /// Reads one batch from the start of `bytes`, or several of a packed chunk, to the numbers of `dst` from `first` on. Returns the
    /// bit after it. If the input ends before that, nothing has changed.
    fn batch(
        &mut self,
        bytes: &[u8],
        dst: &mut [L],
        first: usize,
        count: usize,
        trace: &mut impl Trace,
    ) -> Result<usize> {
        let (meta, at, left) = (self.meta, self.progress.at, self.progress.left);
        let (states, moments) = (self.states(), self.moments());
        let mut spans = Spans::new(trace, at, self.progress.bit, bytes.len());
        spans.trace.enter(Name::Batch, Value::U64(u64_from((self.progress.n - left) / BATCH)));
        let mut bit = self.progress.bit;
        for variable in meta.variables.iter().flatten() {
            let role = variable.role;
            // More than one batch of a packed chunk has no deltas.
            let stored = if count > BATCH { count } else { meta.values(role, left) };
            let place = Place { batch: 0, first: first.wrapping_add(self.ahead), count, stored };
            let widths = &mut *self.widths;
            let (symbols_end, end) = match lane(&mut self.lanes, role) {
                Slot::Index(lane) => lane.read(bytes, bit, widths, &mut [], place),
                Slot::Number(lane) => lane.read(bytes, bit, widths, dst, place),
            };
            spans.symbols(role, symbols_end);
            spans.offsets(role, end);
            bit = end;
        }
        if let Err(error) = spans.end() {
            self.restore(states, moments);
            return Err(error);
        }
        self.finish(dst, 0, first, count, at)?;
        Ok(bit)
    }

    /// Makes numbers of a batch that was read, the one that starts at byte `at` of the input.
    fn finish(&mut self, dst: &mut [L], batch: usize, first: usize, count: usize, at: u64) -> Result<()> {
        let [lookback, primary, secondary] = &mut self.lanes;
        // Pipelined batches are never the last ones of a page.
        let left = self.progress.left.wrapping_sub(batch.wrapping_mul(BATCH));
        let (meta, window, ahead) = (self.meta, self.window, self.ahead);
        let place = |role| {
            let stored = if count > BATCH { count } else { meta.values(role, left) };
            Place { batch, first: first.wrapping_add(ahead), count, stored }
        };
        let looks = place(Role::Lookback);
        let lookbacks = &*lookback.indexes(Place { count: looks.stored, ..looks });
        let done = match primary {
            Slot::Index(lane) => lane.finish(&mut [], place(Role::Primary), lookbacks, window),
            Slot::Number(lane) => lane.finish(dst, place(Role::Primary), lookbacks, window),
        };
        done.ok_or(Error::new(ErrorKind::PcoLookback, at))?;
        if ahead > 0 {
            // Joined when the page is complete: later batches look back on latents.
            return Ok(());
        }
        let seconds: &[L] = match secondary {
            Slot::Number(lane) if !lane.values.is_empty() => {
                let done = lane.finish(&mut [], place(Role::Secondary), lookbacks, window);
                done.ok_or(Error::new(ErrorKind::PcoLookback, at))?;
                lane.values_at(&mut [], place(Role::Secondary))
            }
            _ => &[],
        };
        let indexes = &*primary.indexes(place(Role::Primary));
        let out = dst.get_mut(first..).and_then(|dst| dst.get_mut(..count)).unwrap_or(&mut []);
        // By batches, which stay in the cache. A packed chunk, the only one with more than one at a time, has one variable.
        let joined = out.chunks_mut(BATCH).try_for_each(|batch| self.join.run(batch, seconds, indexes));
        joined.ok_or(Error::new(ErrorKind::PcoDictIndex, at))
    }

    /// The states of all lanes.
    fn states(&mut self) -> [States; 3] {
        let [lookback, primary, secondary] = &mut self.lanes;
        [*lookback.states(), *primary.states(), *secondary.states()]
    }

    /// The moments of all lanes.
    fn moments(&self) -> [[u64; 7]; 3] {
        let [lookback, primary, secondary] = &self.lanes;
        [lookback, primary, secondary].map(|slot| on!(slot, lane => lane.moments()))
    }

    fn restore(&mut self, states: [States; 3], moments: [[u64; 7]; 3]) {
        for (slot, (states, moments)) in self.lanes.iter_mut().zip(states.into_iter().zip(moments)) {
            on!(slot, lane => lane.restore(states, moments));
        }
    }

    /// Decodes as many whole batches as the input has, from the start of `bytes`, and counts them in `step`. `true` if there were any.
    fn pipeline(&mut self, bytes: &[u8], dst: &mut [L], step: &mut Step) -> Result<bool> {
        let left = self.progress.left.saturating_sub(self.state_len);
        let full = left.min(dst.len().saturating_sub(step.wrote)) / BATCH;
        // Two batches are the least that gains. Without any symbols there is nothing to overlap.
        if full < 2 || self.lanes.iter().all(|slot| slot.table_log() == 0) {
            return Ok(false);
        }
        let (lookback, second) = (self.meta.variable(Role::Lookback).is_some(), self.lanes[2].table_log() > 0);
        let units: &[usize] = match (lookback, second) {
            (false, false) => &[1],
            (false, true) => &[1, 2],
            (true, false) => &[0, 1],
            (true, true) => &[0, 1, 2],
        };
        // A secondary variable of one bin is no unit but a gap: it has no symbols.
        let gap = match &self.lanes {
            [.., Slot::Number(lane)] if !second => BATCH * index(u64::from(lane.table.widest)),
            _ => 0,
        };
        let run = Run { bytes, first: step.wrote.wrapping_add(self.ahead), full, units, gap };
        let (mut batch, mut start, mut ended) = (0, self.progress.bit, Ok(()));
        let (mut states, mut moments) = (self.states(), self.moments());
        let mut bit = self.first_symbols(&run, start, dst);
        while let Some(here) = bit {
            // If the batch does not end in the input, or too close to its end, it has not happened.
            let Some(read) = self.units(&run, batch, here, dst) else { break };
            let first = step.wrote.wrapping_add(batch * BATCH);
            ended = self.finish(dst, batch, first, BATCH, self.progress.at.saturating_add(u64_from(start / 8)));
            if ended.is_err() {
                break;
            }
            (batch, start, states, bit) = (batch + 1, read.end, read.states, read.symbols_end);
            moments = self.moments();
        }
        self.restore(states, moments);
        self.progress.pass(step, start, batch * BATCH);
        ended.map(|()| batch > 0)
    }

    /// Decodes the symbols of the first unit, which no offsets go along with.
    fn first_symbols(&mut self, run: &Run<'_>, at: usize, dst: &mut [L]) -> Option<usize> {
        let (widths, place) = (batch_at(self.widths, 0)?, run.place(0));
        Some(match self.lanes.get_mut(*run.units.first()?)? {
            Slot::Index(lane) => {
                let Parts { table, states, values, .. } = lane.split();
                symbols(run.bytes, at, table, states, widths, batch_in(values, &mut [], place)?)
            }
            Slot::Number(lane) => {
                let Parts { table, states, values, .. } = lane.split();
                symbols(run.bytes, at, table, states, widths, batch_in(values, dst, place)?)
            }
        })
    }

    /// Decodes the rest of a batch whose first symbols were decoded, and the first symbols of the next one if there is one. `at` is
    /// the bit where the offsets of its first unit start. `None` if the input may not suffice.
    fn units(&mut self, run: &Run<'_>, batch: usize, mut at: usize, dst: &mut [L]) -> Option<BatchEnd> {
        let (bytes, here) = (run.bytes, run.place(batch));
        for (&now, &next) in run.units.iter().zip(run.units.get(1..)?) {
            let widths = batch_at(self.widths, 0)?;
            let turn = Turn { bytes, at, symbols_at: at.wrapping_add(total(widths)), here, then: here };
            at = pair_lanes(&mut self.lanes, [now, next], turn, widths, dst)?;
        }

        // The last unit of this batch goes along with the first of the next.
        let states = self.states();
        let (first, last, widths) = (*run.units.first()?, *run.units.last()?, batch_at(self.widths, 0)?);
        let gap = at.wrapping_add(total(widths));
        let end = gap.wrapping_add(run.gap);
        let symbols_len = BATCH * index(u64::from(self.lanes.get(first)?.table_log()));
        let more = batch + 1 < run.full && end.wrapping_add(symbols_len) / 8 + 16 <= bytes.len();
        let symbols_end = if more {
            let turn = Turn { bytes, at, symbols_at: end, here, then: run.place(batch + 1) };
            Some(pair_lanes(&mut self.lanes, [last, first], turn, widths, dst)?)
        } else {
            match self.lanes.get_mut(last)? {
                Slot::Index(lane) => finish_lane(bytes, at, widths, lane.split(), &mut [], here)?,
                Slot::Number(lane) => finish_lane(bytes, at, widths, lane.split(), dst, here)?,
            };
            None
        };
        if end.div_ceil(8) > bytes.len() {
            return None;
        }
        let [.., secondary] = &mut self.lanes;
        if last < 2
            && let Slot::Number(lane) = secondary
            && !lane.values.is_empty()
        {
            let Parts { table, moment, values, .. } = lane.split();
            packed(bytes, gap, table.widest, table.lowers.first().copied()?, values);
            if let Some(moment) = moment {
                values.iter_mut().for_each(|value| *value = add(moment, *value));
            }
        }
        Some(BatchEnd { end, states, symbols_end })
    }
}

/// What stays the same from batch to batch of the pipeline.
struct Run<'r> {
    bytes: &'r [u8],
    /// Where the latents of the first batch go in the output.
    first: usize,
    /// Batches that the output has room for.
    full: usize,
    /// The lanes that have symbols, in their order.
    units: &'r [usize],
    /// Bits after the last unit of each batch.
    gap: usize,
}

impl Run<'_> {
    fn place(&self, batch: usize) -> Place {
        Place { batch, first: self.first.wrapping_add(batch * BATCH), count: BATCH, stored: BATCH }
    }
}

/// Where a batch has ended.
struct BatchEnd {
    /// The bit after it.
    end: usize,
    /// The states of all lanes there.
    states: [States; 3],
    /// The bit after the first symbols of the next batch, if they were decoded.
    symbols_end: Option<usize>,
}

/// A unit that is finished while the next is begun: offsets from bit `at` on, symbols from bit `symbols_at` on.
#[derive(Clone, Copy)]
struct Turn<'t> {
    bytes: &'t [u8],
    at: usize,
    symbols_at: usize,
    /// The place of the unit that is finished.
    here: Place,
    /// The place of the unit that is begun.
    then: Place,
}

/// Finishes a unit of the first lane, and begins one of the second, which may be the same. Returns the bit after the symbols.
fn pair_lanes<L: Latent>(
    lanes: &mut [Slot<'_, '_, L>; 3],
    [now, next]: [usize; 2],
    turn: Turn<'_>,
    widths: &mut [u8; BATCH],
    dst: &mut [L],
) -> Option<usize> {
    if now == next {
        return match lanes.get_mut(now)? {
            Slot::Index(lane) => pair_same(lane.split(), &mut [], turn, widths),
            Slot::Number(lane) => pair_same(lane.split(), dst, turn, widths),
        };
    }
    // One lane at most has its values in the output.
    match lanes.get_disjoint_mut([now, next]).ok()? {
        [Slot::Index(a), Slot::Index(b)] => pair_two(a.split(), &mut [], b.split(), &mut [], turn, widths),
        [Slot::Index(a), Slot::Number(b)] => pair_two(a.split(), &mut [], b.split(), dst, turn, widths),
        [Slot::Number(a), Slot::Index(b)] => pair_two(a.split(), dst, b.split(), &mut [], turn, widths),
        [Slot::Number(a), Slot::Number(b)] if a.values.is_empty() => {
            pair_two(a.split(), dst, b.split(), &mut [], turn, widths)
        }
        [Slot::Number(a), Slot::Number(b)] => pair_two(a.split(), &mut [], b.split(), dst, turn, widths),
    }
}

/// [`pair_lanes`] for two batches of one lane.
fn pair_same<D: Latent>(
    parts: Parts<'_, '_, D>,
    dst: &mut [D],
    turn: Turn<'_>,
    widths: &mut [u8; BATCH],
) -> Option<usize> {
    let Parts { table, states, moment, values } = parts;
    let (now, then) = if values.is_empty() {
        let (now, then) = dst.split_at_mut_checked(turn.then.first)?;
        (batch_at(now, turn.here.first)?, batch_at(then, 0)?)
    } else {
        let (even, odd) = values.split_at_mut_checked(BATCH)?;
        let (now, then) = if turn.here.batch.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        (batch_at(now, 0)?, batch_at(then, 0)?)
    };
    pair(
        turn.bytes,
        turn.at,
        turn.symbols_at,
        Current { values: now, moment },
        Next { table, states, widths, values: then },
    )
}

/// [`pair_lanes`] for two lanes.
fn pair_two<D: Latent, E: Latent>(
    now: Parts<'_, '_, D>,
    dst: &mut [D],
    next: Parts<'_, '_, E>,
    next_dst: &mut [E],
    turn: Turn<'_>,
    widths: &mut [u8; BATCH],
) -> Option<usize> {
    let current = Current { values: batch_in(now.values, dst, turn.here)?, moment: now.moment };
    let values = batch_in(next.values, next_dst, turn.then)?;
    pair(turn.bytes, turn.at, turn.symbols_at, current, Next { table: next.table, states: next.states, widths, values })
}

/// Adds the offsets of a unit that no other follows.
fn finish_lane<D: Latent>(
    bytes: &[u8],
    at: usize,
    widths: &[u8; BATCH],
    parts: Parts<'_, '_, D>,
    dst: &mut [D],
    here: Place,
) -> Option<usize> {
    let current = Current { values: batch_in(parts.values, dst, here)?, moment: parts.moment };
    Some(finish(bytes, at, widths, current))
}

/// The values of a batch: in the lane's own buffers if it has any, else in the output.
fn batch_in<'v, D>(own: &'v mut [D], dst: &'v mut [D], place: Place) -> Option<&'v mut [D; BATCH]> {
    match own.len() {
        0 => batch_at(dst, place.first),
        len => batch_at(own, (place.batch * BATCH) & (len - 1)),
    }
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

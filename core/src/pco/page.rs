//! Pages: batch after batch, from any piece of input into any piece of output.

use super::batch::{Node, States, following, packed};
use super::fields::Fields;
use super::lane::{Lane, Undo};
use super::meta::{Delta, Meta, Mode, Role};
use super::mode::{Cut, Join};
use super::number::{Latent, Order, bytes_of, top};
use super::spans::{BATCH, BEGIN, Page, Spans, truncated};
use super::workspace::{Plan, carve};
use crate::bits::u64_at;
use crate::num::{index, u64_from};
use crate::tuning::PIPELINED;
use crate::{Error, ErrorKind, Name, Result, Status, Step, Trace, Value};

/// Decodes the pages of one chunk with tables made for speed.
#[derive(Debug)]
pub(crate) struct Fast<'m, 'w, L> {
    pub(super) meta: &'m Meta<'m>,
    plan: Plan,
    /// The longest page that the workspace is for.
    longest: usize,
    pub(super) join: Join<'m, L>,
    pub(super) lookback: Lane<'m, 'w, u32>,
    /// The primary variable of a dictionary.
    pub(super) index: Lane<'m, 'w, u32>,
    /// The primary variable of every other mode.
    pub(super) primary: Lane<'m, 'w, L>,
    pub(super) secondary: Lane<'m, 'w, L>,
    pub(super) widths: &'w mut [u8],
    pub(super) lookbacks: &'w mut [u32],
    pub(super) indexes: &'w mut [u32],
    pub(super) second: &'w mut [L],
    /// Latents of the primary variable that stand in the page's metadata.
    pub(super) state_len: usize,
    pub(super) window: u32,
    pub(super) page: Page,
}

impl<'m, 'w, L: Latent> Fast<'m, 'w, L> {
    /// A decoder for a chunk whose pages have at most `n` numbers, without tables.
    pub fn new(meta: &'m Meta<'m>, n: usize, plan: Plan, cut: Cut<L>) -> Self {
        let undo = match &meta.delta {
            Delta::None => Undo::Nothing,
            Delta::Consecutive { order, .. } => Undo::Sums(index(u64::from(*order))),
            Delta::Lookback { .. } if meta.looks_back_in_output(plan) => Undo::Output,
            Delta::Lookback { .. } => Undo::Ring,
            Delta::Conv1(convolution) => Undo::Predict(convolution),
        };
        // What makes signed numbers of classic latents is a sum, and goes wherever sums are made already.
        let flips = matches!(undo, Undo::Ring | Undo::Predict(_));
        let second = match undo {
            _ if !meta.delta.covers_secondary() => Undo::Nothing,
            Undo::Output => Undo::Ring,
            undo => undo,
        };
        Self {
            meta,
            plan,
            longest: n,
            join: Join::new(meta.mode, meta.number_type, flips, cut),
            lookback: Lane::new(Undo::Nothing),
            index: Lane::new(undo),
            primary: Lane::new(undo),
            secondary: Lane::new(second),
            widths: &mut [],
            lookbacks: &mut [],
            indexes: &mut [],
            second: &mut [],
            state_len: meta.delta.state_len(),
            window: meta.delta.window(),
            page: Page::default(),
        }
    }

    /// Builds its tables. What is as large as this should not be moved around, so that it is not done before it has its place.
    ///
    /// `words` must have [`Meta::workspace_len`] words for the same `n` and `plan`; what is in them does not matter.
    #[inline(never)]
    pub fn build(&mut self, mut words: &'w mut [u64]) -> Result<()> {
        let (meta, n, plan, window) = (self.meta, self.longest, self.plan, self.window);
        let need = meta.workspace_len(n, plan);
        if u64_from(words.len()) < need {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need));
        }
        let (dict, words) = (self.has_dict(), &mut words);
        let signed = meta.mode == Mode::Classic && meta.number_type.order() == Order::Signed;
        let flip = if signed { top(meta.number_type.bits()) } else { L::ZERO };
        for variable in meta.variables.iter().flatten() {
            match variable.role {
                Role::Lookback => self.lookback.build(variable, words, 0, window)?,
                Role::Primary if dict => self.index.build(variable, words, 0, window)?,
                Role::Primary => self.primary.build(variable, words, flip, window)?,
                Role::Secondary => self.secondary.build(variable, words, L::ZERO, window)?,
            }
        }
        // Whatever is cut out is there, because all of it was counted.
        let scratch = meta.scratch(n, plan);
        self.widths = carve(words, scratch.widths).unwrap_or(&mut []);
        self.lookbacks = carve(words, scratch.lookbacks).unwrap_or(&mut []);
        self.indexes = carve(words, scratch.indexes).unwrap_or(&mut []);
        self.second = carve(words, scratch.second).unwrap_or(&mut []);
        let history = scratch.convolution.max(scratch.primary_ring);
        if dict {
            self.index.history = carve(words, history).unwrap_or(&mut []);
        } else {
            self.primary.history = carve(words, history).unwrap_or(&mut []);
        }
        self.secondary.history = carve(words, scratch.secondary_ring).unwrap_or(&mut []);
        Ok(())
    }

    /// The next input is the start of a page of `n` numbers, at this offset in the caller's input.
    pub fn start(&mut self, n: usize, at: u64) -> Result<()> {
        if n > self.longest {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, at).needing(self.meta.workspace_len(n, self.plan)));
        }
        self.page.start(n, at);
        Ok(())
    }

    /// Goes on with the page, and tells in `step` how far it came, in front of an error as well. Where the input ends too soon, nothing
    /// has happened to what is not there: it can be tried again with more.
    pub fn step(&mut self, src: &[u8], dst: &mut [L], step: &mut Step, trace: &mut impl Trace) -> Result<()> {
        if !self.page.started {
            if matches!(self.primary.undo, Undo::Output) && dst.len() != self.page.n {
                return Err(Error::new(ErrorKind::OutputTooSmall, self.page.at).needing(u64_from(self.page.n)));
            }
            let len = self.open(src, dst, trace)?;
            self.page.read(step, len);
            self.page.started = true;
        }
        if matches!(self.primary.undo, Undo::Output) && self.page.left > 0 {
            self.whole(src, dst, step, trace).inspect_err(|_| self.page.restart(step))?;
        } else {
            self.batches(src, dst, step, trace)?;
        }
        self.page.end(src, step, trace)
    }

    /// [`step`](Self::step) to numbers that may be narrower than their latents.
    pub fn step_into<N: Latent>(
        &mut self,
        src: &[u8],
        dst: &mut [N],
        step: &mut Step,
        trace: &mut impl Trace,
    ) -> Result<()> {
        if size_of::<N>() == size_of::<L>()
            && let Ok(words) = bytemuck::try_cast_slice_mut(dst)
        {
            return self.step(src, words, step, trace);
        }
        let ended = self.step_bytes(src, bytes_of(dst), step, trace);
        dst.iter_mut().take(step.wrote).for_each(|number| *number = number.in_native_order());
        ended
    }

    /// [`step`](Self::step) to little-endian numbers, batch after batch.
    pub fn step_bytes(&mut self, src: &[u8], dst: &mut [u8], all: &mut Step, trace: &mut impl Trace) -> Result<()> {
        if let Some(words) = words_of(dst, self.meta) {
            return self.step(src, words, all, trace);
        }
        let (size, mut batch) = (self.meta.number_type.size(), [L::ZERO; BATCH]);
        loop {
            let out = dst.get_mut(all.wrote.wrapping_mul(size)..).unwrap_or(&mut []);
            let room = batch.get_mut(..BATCH.min(out.len() >> size.trailing_zeros())).unwrap_or(&mut []);
            let mut step = BEGIN;
            let ended = self.step(src.get(all.read..).unwrap_or(&[]), room, &mut step, trace);
            let numbers = batch.get(..step.wrote).unwrap_or(&[]);
            (self.join.cut.put)(numbers, out);
            *all = Step { read: all.read + step.read, wrote: all.wrote + step.wrote, status: step.status };
            if ended.is_err() || step.status == Status::Done || step.wrote == 0 {
                return ended;
            }
        }
    }

    /// Reads the metadata of the page.
    fn open(&mut self, src: &[u8], dst: &mut [L], trace: &mut impl Trace) -> Result<usize> {
        let dict = self.has_dict();
        self.meta.check_bins(self.page.n, self.page.at)?;
        trace.enter(Name::PageMetadata, Value::None);
        let mut fields = Fields::new(src, self.page.at, trace);
        let delta = &self.meta.delta;
        for variable in self.meta.variables.iter().flatten() {
            match variable.role {
                Role::Lookback => self.lookback.open(&mut fields, variable.role, delta, &mut [])?,
                Role::Primary if dict => self.index.open(&mut fields, variable.role, delta, &mut [])?,
                Role::Primary => self.primary.open(&mut fields, variable.role, delta, dst)?,
                Role::Secondary => self.secondary.open(&mut fields, variable.role, delta, &mut [])?,
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
        while self.page.left > 0 {
            let rest = src.get(step.read..).unwrap_or(&[]);
            let out = dst.get_mut(step.wrote..).unwrap_or(&mut []);
            if PIPELINED && !trace.listens() && self.pipeline(rest, out, step)? {
                continue;
            }
            if !trace.listens() && self.is_packed() {
                let count = self.packed(rest, out)?;
                let bit = self.page.bit + count * index(u64::from(self.primary.table.widest));
                self.page.pass(step, bit, count);
                if count > 0 {
                    continue;
                }
            }
            let count = self.page.left.min(BATCH);
            let Some(out) = out.get_mut(..count) else { return Ok(()) };
            let bit = self.batch(rest, self.page.at, out, trace)?;
            self.page.pass(step, bit, count);
        }
        step.status = Status::Done;
        Ok(())
    }

    /// Whether the chunk is nothing but numbers of as many bits each: one variable with one bin, and no deltas.
    fn is_packed(&self) -> bool {
        self.meta.mode == Mode::Classic && self.meta.delta == Delta::None && self.primary.table.log == 0
    }

    /// As many numbers of such a chunk as there are and fit, if that is some batches. Gives their number.
    fn packed(&mut self, bytes: &[u8], out: &mut [L]) -> Result<usize> {
        let table = self.primary.table;
        let bits = bytes.len().saturating_mul(8).saturating_sub(self.page.bit);
        let there = bits.checked_div(index(u64::from(table.widest))).unwrap_or(usize::MAX);
        let mut count = self.page.left.min(out.len()).min(there);
        if count < self.page.left {
            count -= count % BATCH;
        }
        let out = out.get_mut(..count).unwrap_or(&mut []);
        packed(bytes, self.page.bit, table.widest, table.lowers.first().copied().unwrap_or(L::ZERO), out);
        // By batches, which stay in the cache.
        let mut rest = out;
        while !rest.is_empty() {
            let len = rest.len().min(BATCH);
            let Some((batch, behind)) = rest.split_at_mut_checked(len) else { break };
            self.join.run(batch, &[], &[]).map_err(|kind| Error::new(kind, self.page.at))?;
            rest = behind;
        }
        Ok(count)
    }

    /// One batch from the start of `bytes`. Gives the bit behind it; if that is not there, nothing has changed.
    fn batch<T: Trace>(&mut self, bytes: &[u8], at: u64, out: &mut [L], trace: &mut T) -> Result<usize> {
        let deltas = self.page.left.saturating_sub(self.state_len).min(BATCH);
        let all = out.len();
        let count = |undo: Undo<'_>| if matches!(undo, Undo::Nothing) { all } else { deltas };
        let undo = if self.has_dict() { self.index.undo } else { self.primary.undo };
        let (lookback, primary, secondary) = (deltas, count(undo), count(self.secondary.undo));
        let saved = (self.lookback.save(), self.index.save(), self.primary.save(), self.secondary.save());

        let dict = self.has_dict();
        let mut spans = Spans::new(trace, at, self.page.bit, bytes.len());
        spans.trace.enter(Name::Batch, Value::U64(u64_from((self.page.n - self.page.left) / BATCH)));
        let mut bit = self.page.bit;
        let lookbacks = self.lookbacks.get_mut(..lookback).unwrap_or(&mut []);
        let indexes = self.indexes.get_mut(..all).unwrap_or(&mut []);
        let second = self.second.get_mut(..all).unwrap_or(&mut []);
        for variable in self.meta.variables.iter().flatten() {
            let widths = &mut *self.widths;
            bit = match variable.role {
                Role::Lookback => {
                    self.lookback.read(bytes, bit, widths, lookbacks, |bit| spans.symbols(Role::Lookback, bit))
                }
                Role::Primary => match indexes.get_mut(..primary) {
                    Some(indexes) if dict => {
                        self.index.read(bytes, bit, widths, indexes, |bit| spans.symbols(Role::Primary, bit))
                    }
                    _ => {
                        let out = out.get_mut(..primary).unwrap_or(&mut []);
                        self.primary.read(bytes, bit, widths, out, |bit| spans.symbols(Role::Primary, bit))
                    }
                },
                Role::Secondary => {
                    let second = second.get_mut(..secondary).unwrap_or(&mut []);
                    self.secondary.read(bytes, bit, widths, second, |bit| spans.symbols(Role::Secondary, bit))
                }
            };
            spans.offsets(variable.role, bit);
        }
        if let Err(error) = spans.end() {
            self.lookback.restore(saved.0);
            self.index.restore(saved.1);
            self.primary.restore(saved.2);
            self.secondary.restore(saved.3);
            return Err(error);
        }
        let refuse = |kind| Error::new(kind, at);
        let lookbacks = &*lookbacks;
        if dict {
            self.index.finish(indexes, primary, lookbacks, self.window).map_err(refuse)?;
        } else {
            self.primary.finish(out, primary, lookbacks, self.window).map_err(refuse)?;
        }
        self.secondary.finish(second, secondary, lookbacks, self.window).map_err(refuse)?;
        self.join.run(out, second, indexes).map_err(refuse)?;
        Ok(bit)
    }

    /// A whole page whose lookbacks look into the output: latents lie where they will stay, behind those of the state.
    fn whole<T: Trace>(&mut self, src: &[u8], dst: &mut [L], step: &mut Step, trace: &mut T) -> Result<()> {
        let flip = self.primary.shift;
        if PIPELINED && !trace.listens() {
            self.pipeline(src.get(step.read..).unwrap_or(&[]), dst, step)?;
        }
        while self.page.left > 0 {
            let count = self.page.left.min(BATCH);
            let deltas = self.page.left.saturating_sub(self.state_len).min(BATCH);
            let first = step.wrote + self.state_len;
            let bytes = src.get(step.read..).unwrap_or(&[]);
            let at = self.page.at;
            let mut spans = Spans::new(trace, at, self.page.bit, bytes.len());
            spans.trace.enter(Name::Batch, Value::U64(u64_from((self.page.n - self.page.left) / BATCH)));
            let lookbacks = self.lookbacks.get_mut(..deltas).unwrap_or(&mut []);
            let target = dst.get_mut(first..).and_then(|dst| dst.get_mut(..deltas)).unwrap_or(&mut []);
            let bit = self
                .lookback
                .read(bytes, self.page.bit, self.widths, lookbacks, |bit| spans.symbols(Role::Lookback, bit));
            spans.offsets(Role::Lookback, bit);
            let bit = self.primary.read(bytes, bit, self.widths, target, |bit| spans.symbols(Role::Primary, bit));
            spans.offsets(Role::Primary, bit);
            spans.end()?;
            look_back(dst, first, lookbacks, self.window, flip).map_err(|kind| Error::new(kind, at))?;
            self.page.pass(step, bit, count);
        }
        step.status = Status::Done;
        self.join.run(dst, &[], &[]).map_err(|kind| Error::new(kind, self.page.at))
    }

    /// Finds the end of a page of `n` numbers from its symbols alone. Gives the bytes that it takes.
    ///
    /// What only the numbers would show, lookbacks and indexes that lie outside, stays unseen.
    pub fn skip(&mut self, bytes: &[u8], n: usize, at: u64) -> Result<usize> {
        self.page.start(n, at);
        let (meta, mut step) = (self.meta, BEGIN);
        let len = self.open(bytes, &mut [], &mut ())?;
        self.page.read(&mut step, len);
        while self.page.left > 0 {
            let rest = bytes.get(step.read..).unwrap_or(&[]);
            let mut bit = self.page.bit;
            for variable in meta.variables.iter().flatten() {
                let values = meta.values(variable.role, self.page.left);
                let (nodes, states) = self.symbols(variable.role);
                bit = skip_symbols(rest, bit, nodes, states, values);
            }
            if bit.div_ceil(8) > rest.len() {
                return Err(truncated(at, bytes.len(), bytes.len().saturating_add(1)));
            }
            self.page.pass(&mut step, bit, BATCH);
        }
        self.page.end(bytes, &mut step, &mut ())?;
        Ok(step.read)
    }

    pub(super) fn has_dict(&self) -> bool {
        matches!(self.meta.mode, Mode::Dict { .. })
    }

    /// What the symbols of a variable are read by, however wide its latents are.
    fn symbols(&mut self, role: Role) -> (&'w [Node], &mut States) {
        match role {
            Role::Lookback => (self.lookback.table.nodes, &mut self.lookback.states),
            Role::Primary if self.has_dict() => (self.index.table.nodes, &mut self.index.states),
            Role::Primary => (self.primary.table.nodes, &mut self.primary.states),
            Role::Secondary => (self.secondary.table.nodes, &mut self.secondary.states),
        }
    }
}

/// Little-endian numbers as those of this machine, if they can be that where they lie.
pub(crate) fn words_of<'b, L: Latent>(bytes: &'b mut [u8], meta: &Meta<'_>) -> Option<&'b mut [L]> {
    let same = cfg!(target_endian = "little") && meta.number_type.bits() == L::BITS;
    bytemuck::try_cast_slice_mut(bytes).ok().filter(|_| same)
}

/// Moves behind the symbols of a batch, and behind their offsets.
fn skip_symbols(bytes: &[u8], mut at: usize, nodes: &[Node], states: &mut States, count: usize) -> usize {
    let mut offsets = 0usize;
    for i in 0..count {
        let state = &mut states[i % 4];
        let node = nodes.get(*state).copied().unwrap_or(0);
        let [read, width, ..] = node.to_le_bytes();
        *state = following(node, u64_at(bytes, at / 8) >> (at % 8));
        at = at.wrapping_add(usize::from(read));
        offsets = offsets.wrapping_add(usize::from(width));
    }
    at.wrapping_add(offsets)
}

/// Adds to each of the latents from `first` on the one that lies as far back as its lookback says.
#[inline(never)]
pub(super) fn look_back<L: Latent>(
    latents: &mut [L],
    first: usize,
    lookbacks: &[u32],
    window: u32,
    flip: L,
) -> core::result::Result<(), ErrorKind> {
    for (i, &lookback) in (first..).zip(lookbacks) {
        if lookback.wrapping_sub(1) >= window {
            return Err(ErrorKind::PcoLookback);
        }
        // Before a page everything is 0, which flips to what signed numbers call their least.
        let source = i.checked_sub(index(u64::from(lookback)));
        let before = source.and_then(|source| latents.get(source)).copied().unwrap_or(flip);
        if let Some(latent) = latents.get_mut(i) {
            *latent = latent.plus(before);
        }
    }
    Ok(())
}

//! Walks over the pages of a chunk: one walk for both layouts of tables, and for every kind of
//! output.

use core::ops::Range;

use bytemuck::Pod;

use super::fields::FieldReader;
use super::meta::{BATCH, Meta, Role, Variable};
use super::number::{Latent, cast_mut};
use super::page::{BEGIN, Page};
use super::plan::Plan;
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{ErrorKind, Name, Part, Result, Sink, Status, Step, Trace, Value, tuning};

/// Decodes the pages of one chunk. Large: made empty, then opened and used in place.
///
/// Faults count from the next byte of the page, except those of [`open`](Self::open).
/// [`Page::error`] turns them into errors.
pub(crate) trait PageReader<'m, 'w>: Sized {
    /// An element of the output: a word, or a byte of one.
    type Unit: Pod;

    /// Makes a reader without tables, for numbers of the width of `N`. Without `FLOATS` it is never
    /// asked for floats, and need not link their arithmetic.
    fn new<N: Latent, const FLOATS: bool>(page: Page<'m>) -> Self;

    /// Builds the tables in a workspace that suffices.
    fn build(&mut self, workspace: &'w mut [u64]) -> Verdict<()>;

    /// Returns the page that is being read.
    fn page(&mut self) -> &mut Page<'m>;

    /// Returns the logarithm of the units of output that a number takes.
    fn units_log(&self) -> u32;

    /// `true` if lookbacks refer to latents in the output: then a page is read in one call or not
    /// at all.
    fn output_is_history(&self) -> bool;

    /// Reads what page metadata holds of a variable.
    fn read_state(
        &mut self,
        fields: &mut FieldReader<'_, impl Trace>,
        of: &Variable<'_>,
        dst: &mut [Self::Unit],
    ) -> Verdict<()>;

    /// Decodes several batches from the start of `bytes`, and counts them in `step`. `true` if
    /// there were any.
    fn pipeline(&mut self, _bytes: &[u8], _dst: &mut [Self::Unit], _step: &mut Step) -> Verdict<bool> {
        Ok(false)
    }

    /// Returns how many numbers one [`batch`](Self::batch) may have if the chunk is nothing but
    /// numbers of as many bits each.
    fn packed_len(&self, _bytes: &[u8], _room: usize) -> usize {
        0
    }

    /// Reads one batch from the start of `bytes` to these numbers of the output. Returns the bit
    /// after it. If the input ends before that, nothing has changed.
    fn batch(
        &mut self,
        bytes: &[u8],
        dst: &mut [Self::Unit],
        to: Range<usize>,
        trace: &mut impl Trace,
    ) -> Verdict<usize>;

    /// Makes numbers of the latents of a whole page, once nothing looks back on them any more.
    fn join_page(&mut self, dst: &mut [Self::Unit]) -> Verdict<()>;

    /// Reads the symbols of a batch alone. Returns the bits after the symbols and after the
    /// offsets.
    fn walk(&mut self, role: Role, bytes: &[u8], bit: usize) -> (usize, usize);

    /// Goes on with the page, to little-endian numbers. See [`step_units`](Self::step_units).
    fn step_bytes(&mut self, src: &[u8], dst: &mut [u8], step: &mut Step, trace: &mut impl Trace) -> Verdict<()>;

    /// Goes on with the page, to raw numbers, or to bytes of them. See
    /// [`step_units`](Self::step_units).
    fn step<N: Latent>(&mut self, src: &[u8], dst: &mut [N], step: &mut Step, trace: &mut impl Trace) -> Verdict<()> {
        let ended = self.step_bytes(src, cast_mut(dst), step, trace);
        dst.iter_mut().take(step.wrote).for_each(|number| *number = number.in_native_order());
        ended
    }

    /// Builds the tables. `workspace` must have [`Meta::workspace_len`] words for the same `n` and
    /// `plan`; their values are ignored. [`Meta::error`] turns a fault into an error.
    fn open(&mut self, workspace: &'w mut [u64]) -> Verdict<()> {
        let &mut Page { meta, longest, plan, .. } = self.page();
        let need = meta.workspace_len(longest, plan);
        match u64_from(workspace.len()) < need {
            true => Err(Fault::lacking(index(need))),
            false => self.build(workspace),
        }
    }

    /// Starts a page of `n` numbers, at this offset in the caller's input, where a fault shows.
    fn start(&mut self, n: usize, at: u64) -> Verdict<()> {
        let page = self.page();
        if n > page.longest {
            return Err(Fault::lacking(index(page.meta.workspace_len(n, page.plan))));
        }
        page.start(n, at);
        Ok(())
    }

    /// Goes on with the page. `step` counts what was done, also before an error. If the input ends
    /// too soon, the missing part has not changed anything: the call can be repeated with more.
    fn step_units(
        &mut self,
        src: &[u8],
        dst: &mut [Self::Unit],
        step: &mut Step,
        trace: &mut impl Trace,
    ) -> Verdict<()> {
        let (n, started, left) = (self.page().n, self.page().started, self.page().left);
        let whole = self.output_is_history() && (!started || left > 0);
        let mut dst = dst;
        if whole {
            let all = n.saturating_mul(1 << self.units_log());
            let Some(front) = dst.get_mut(..all) else {
                return Err(self.page().lacking(ErrorKind::OutputTooSmall, 0, n));
            };
            dst = front;
        }
        if !started {
            let len = self.read_metadata(src, dst, trace)?;
            self.page().read(step, len);
            self.page().started = true;
        }
        let whole = whole && self.page().left > 0;
        let mut ended = self.batches(src, dst, step, trace);
        if whole {
            ended = ended.and_then(|()| self.join_page(dst)).map_err(|fault| self.page().restart(step, fault));
        }
        ended?;
        self.page().end(src, step, trace)
    }

    /// Reads the metadata of the page. Returns the bytes it takes.
    #[inline(never)]
    fn read_metadata(&mut self, src: &[u8], dst: &mut [Self::Unit], trace: &mut impl Trace) -> Verdict<usize> {
        let &mut Page { meta, n, at, .. } = self.page();
        meta.check_bins(n)?;
        trace.enter(Name::PageMetadata, Value::None);
        let mut fields = FieldReader::new(src, at, trace);
        let read = self.read_variables(&mut fields, meta, dst);
        self.page().need = fields.need();
        read?;
        let len = index(fields.position() / 8);
        trace.leave();
        Ok(len)
    }

    /// Reads what page metadata holds of all variables, and the padding after it.
    fn read_variables(
        &mut self,
        fields: &mut FieldReader<'_, impl Trace>,
        meta: &Meta<'_>,
        dst: &mut [Self::Unit],
    ) -> Verdict<()> {
        for variable in meta.variables.iter().flatten() {
            fields.trace.enter(Name::Variable, Value::Word(variable.role.name()));
            self.read_state(fields, variable, dst)?;
            fields.check()?;
            fields.trace.leave();
        }
        fields.pad();
        fields.check()
    }

    /// Reads batch after batch, as far as input and output reach.
    fn batches(&mut self, src: &[u8], dst: &mut [Self::Unit], step: &mut Step, trace: &mut impl Trace) -> Verdict<()> {
        let all = dst.len() >> self.units_log();
        while self.page().left > 0 {
            crate::steps::count(1);
            let rest = src.get(step.read..).unwrap_or(&[]);
            if tuning::PIPELINED && !trace.listens() && self.pipeline(rest, dst, step)? {
                continue;
            }
            let room = all.saturating_sub(step.wrote);
            let packed = if trace.listens() { 0 } else { self.packed_len(rest, room) };
            let count = self.page().left.min(BATCH).max(packed);
            if room < count {
                return Ok(());
            }
            let bit = self.batch(rest, dst, step.wrote..step.wrote.saturating_add(count), trace)?;
            self.page().pass(step, bit, count);
        }
        step.status = Status::Done;
        Ok(())
    }

    /// Reads the variables of the next batch. `read` returns the bits after the symbols and after
    /// the offsets of one that starts at this bit. Returns the bit after the batch, or a fault if
    /// the input is too short for it.
    #[inline(always)]
    fn each_variable(
        &mut self,
        bytes: &[u8],
        trace: &mut impl Trace,
        mut read: impl FnMut(&mut Self, Role, usize) -> (usize, usize),
    ) -> Verdict<usize> {
        let &mut Page { meta, mut bit, n, left, .. } = self.page();
        let (have, mut need) = (bytes.len(), 0);
        trace.enter(Name::Batch, Value::U64(u64_from((n - left) / BATCH)));
        for variable in meta.variables.iter().flatten() {
            let (symbols_end, end) = read(self, variable.role, bit);
            if need == 0 {
                // A leaf ends with the input.
                let last = have.saturating_mul(8);
                self.page().emit(trace, variable.role, bit, (symbols_end.min(last), end.min(last)));
                if end.div_ceil(8) > have {
                    // Symbols made of missing bits say nothing about how many bits there would be.
                    need = if symbols_end.div_ceil(8) > have { have.saturating_add(1) } else { end.div_ceil(8) };
                }
            }
            bit = end;
        }
        if need > 0 {
            return Err(self.page().lacking(ErrorKind::Truncated, have, need));
        }
        trace.leave();
        Ok(bit)
    }

    /// Finds the end of a page of `n` numbers from its symbols alone. `walk` reads those of a
    /// batch, as [`walk`](Self::walk) does. Returns the bytes of the page.
    ///
    /// Lookbacks and indexes outside of their range stay undetected.
    fn skip(
        &mut self,
        bytes: &[u8],
        n: usize,
        at: u64,
        mut walk: impl FnMut(&mut Self, Role, &[u8], usize) -> (usize, usize),
    ) -> Verdict<usize> {
        self.page().start(n, at);
        let mut step = BEGIN;
        let len = self.read_metadata(bytes, &mut [], &mut ())?;
        self.page().read(&mut step, len);
        while self.page().left > 0 {
            crate::steps::count(1);
            let rest = bytes.get(step.read..).unwrap_or(&[]);
            let end = self.each_variable(rest, &mut (), |this, role, bit| walk(this, role, rest, bit))?;
            self.page().pass(&mut step, end, BATCH);
        }
        self.page().end(bytes, &mut step, &mut ())?;
        Ok(step.read)
    }
}

/// Reads the latents that page metadata holds of a variable, and calls `latent` with each; then the
/// states of its table.
pub(crate) fn read_states(
    fields: &mut FieldReader<'_, impl Trace>,
    variable: &Variable<'_>,
    latents: usize,
    mut latent: impl FnMut(usize, u64),
) -> Verdict<[u64; 4]> {
    // Nothing is stored before all of it is known to be in the input.
    fields.require(u64::from(variable.width) * u64_from(latents))?;
    (0..latents).for_each(|i| latent(i, fields.take(Part::Data, Name::State, variable.width)));
    Ok([(); 4].map(|()| fields.take(Part::Symbols, Name::TansState, variable.table_log)))
}

// These take many arguments: a struct takes up to 160 bytes of flash and 48 of stack more on small
// devices. One of them makes the reader, so that one copy of the code serves all widths of a word.

/// Decodes pages of at most `n` numbers with one set of tables, to raw numbers or to little-endian
/// bytes. Counts the numbers in `wrote`, also before an error. Returns the bytes of the last page.
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
pub(crate) fn read_pages<'m, 'w, 'p, R: PageReader<'m, 'w>, N: Latent>(
    new: fn(Page<'m>) -> R,
    meta: &'m Meta<'m>,
    n: usize,
    plan: Plan,
    workspace: &'w mut [u64],
    at: u64,
    pages: impl Iterator<Item = (&'p [u8], Result<&'p mut [N]>)>,
    wrote: &mut usize,
    trace: &mut impl Trace,
) -> Result<usize> {
    let mut reader = new(Page::new(meta, n, plan));
    if let Err(fault) = reader.open(workspace) {
        return Err(meta.error(fault));
    }
    let mut read = 0;
    for (page, out) in pages {
        let out = out?;
        trace.enter(Name::Page, Value::None);
        let n = size_of_val(out) >> meta.number_type.size_log();
        if let Err(fault) = reader.start(n, at) {
            return Err(fault.error(at, 0));
        }
        let mut step = BEGIN;
        let ended = reader.step(page, out, &mut step, trace);
        *wrote = wrote.saturating_add(step.wrote);
        if let Err(fault) = ended {
            return Err(reader.page().error(fault));
        }
        read = step.read;
        trace.leave();
    }
    Ok(read)
}

/// Decodes a page of `n` numbers to a sink, as much at a time as `scratch` has room for. Returns
/// its bytes.
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
pub(crate) fn read_page_to<'m, 'w, R: PageReader<'m, 'w>>(
    new: fn(Page<'m>) -> R,
    meta: &'m Meta<'m>,
    n: usize,
    plan: Plan,
    workspace: &'w mut [u64],
    at: u64,
    page: &[u8],
    scratch: &mut [u8],
    sink: &mut dyn Sink,
    trace: &mut impl Trace,
) -> Result<usize> {
    let mut reader = new(Page::new(meta, n, plan.in_batches()));
    reader.open(workspace).map_err(|fault| meta.error(fault))?;
    trace.enter(Name::Page, Value::None);
    reader.page().start(n, at);
    let (size, mut read) = (meta.number_type.size(), 0usize);
    loop {
        let mut step = BEGIN;
        let ended = reader.step_bytes(page.get(read..).unwrap_or(&[]), scratch, &mut step, trace);
        sink.write(scratch.get(..step.wrote.saturating_mul(size)).unwrap_or(&[]))?;
        ended.map_err(|fault| reader.page().error(fault))?;
        read = read.saturating_add(step.read);
        if step.status == Status::Done {
            trace.leave();
            return Ok(read);
        }
    }
}

/// Finds the end of a page of `n` numbers. Returns its bytes.
#[inline(never)]
pub(crate) fn skip_page<'m, 'w, R: PageReader<'m, 'w>>(
    new: fn(Page<'m>) -> R,
    meta: &'m Meta<'m>,
    n: usize,
    plan: Plan,
    workspace: &'w mut [u64],
    at: u64,
    page: &[u8],
) -> Result<usize> {
    let mut reader = new(Page::new(meta, n, plan));
    reader.open(workspace).map_err(|fault| meta.error(fault))?;
    reader.skip(page, n, at, R::walk).map_err(|fault| reader.page().error(fault))
}

//! What both page decoders can do, and what is built on it for whole pages.

use super::meta::Meta;
use super::number::Latent;
use super::plan::Plan;
use super::spans::{BEGIN, Progress};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Name, Result, Sink, Status, Step, Trace, Value};

/// Decodes the pages of one chunk. Large: made empty, then opened and used in place.
pub(crate) trait PageReader<'m, 'w>: Sized {
    /// What depends on the width of numbers, but not on the type of their words. A value, so that one copy of the code below serves
    /// all widths of a word.
    type Width: Copy;

    /// For numbers as wide as `N`.
    fn width<N: Latent>() -> Self::Width;

    /// A reader without tables, for pages of at most `n` numbers.
    fn new(meta: &'m Meta<'m>, n: usize, plan: Plan, width: Self::Width) -> Self;

    /// Builds the tables. `workspace` must have [`Meta::workspace_len`] words for the same `n` and `plan`; their values are ignored.
    fn open(&mut self, workspace: &'w mut [u64]) -> Result<()>;

    fn meta(&self) -> &'m Meta<'m>;

    fn progress(&mut self) -> &mut Progress;

    /// The longest page that the workspace is for, and the plan.
    fn longest(&self) -> (usize, Plan);

    /// `true` if the reader can look back on latents in these bytes.
    fn takes_as_output(bytes: &mut [u8], meta: &Meta<'_>) -> bool;

    /// The next input is the start of a page of `n` numbers, at this offset in the caller's input.
    fn start(&mut self, n: usize, at: u64) -> Result<()> {
        let (longest, plan) = self.longest();
        if n > longest {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, at).needing(self.meta().workspace_len(n, plan)));
        }
        self.progress().start(n, at);
        Ok(())
    }

    /// Goes on with the page. `step` counts what was done, also before an error. If the input ends too soon, the missing part has not
    /// changed anything: the call can be repeated with more.
    fn step<N: Latent>(&mut self, src: &[u8], dst: &mut [N], step: &mut Step, trace: &mut impl Trace) -> Result<()>;

    /// [`step`](Self::step) to little-endian numbers.
    fn step_bytes(&mut self, src: &[u8], dst: &mut [u8], step: &mut Step, trace: &mut impl Trace) -> Result<()>;

    /// Finds the end of a page of `n` numbers from its symbols alone. Returns the bytes it takes.
    ///
    /// Lookbacks and indexes outside of their range stay undetected.
    fn skip(&mut self, bytes: &[u8], n: usize, at: u64) -> Result<usize>;
}

/// Pages of one chunk, each with its count of numbers. One type whatever they come from, so that there is one decoder for all.
pub(crate) type Pages<'i, 'p> = &'i mut dyn Iterator<Item = (&'p [u8], usize)>;

// These take many arguments: a struct takes up to 160 bytes of flash and 48 of stack more on small devices.

/// Decodes pages of at most `n` numbers with one set of tables. Counts the numbers in `wrote`, also before an error. Returns the bytes
/// of the last page.
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
pub(crate) fn read_pages<'m, 'w, 'p, R: PageReader<'m, 'w>, N: Latent>(
    meta: &'m Meta<'m>,
    n: usize,
    plan: Plan,
    workspace: &'w mut [u64],
    at: u64,
    pages: impl Iterator<Item = (&'p [u8], &'p mut [N])>,
    wrote: &mut usize,
    trace: &mut impl Trace,
) -> Result<usize> {
    check_width::<N>(meta)?;
    let mut reader = R::new(meta, n, plan, R::width::<N>());
    reader.open(workspace)?;
    let mut read = 0;
    for (page, out) in pages {
        trace.enter(Name::Page, Value::None);
        reader.start(out.len(), at)?;
        let mut step = BEGIN;
        let ended = reader.step(page, out, &mut step, trace);
        *wrote = wrote.saturating_add(step.wrote);
        ended?;
        read = step.read;
        trace.leave();
    }
    Ok(read)
}

/// [`read_pages`] into little-endian numbers, one page after the other.
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
pub(crate) fn read_pages_bytes<'m, 'w, R: PageReader<'m, 'w>>(
    width: R::Width,
    meta: &'m Meta<'m>,
    n: usize,
    plan: Plan,
    workspace: &'w mut [u64],
    at: u64,
    pages: Pages<'_, '_>,
    bytes: &mut [u8],
    wrote: &mut usize,
    trace: &mut impl Trace,
) -> Result<usize> {
    let plan = if R::takes_as_output(bytes, meta) { plan } else { plan.in_batches() };
    let mut reader = R::new(meta, n, plan, width);
    reader.open(workspace)?;
    let (size, mut rest, mut read) = (meta.number_type.size(), bytes, 0);
    for (page, n) in pages {
        let (out, after) = rest.split_at_mut_checked(n.saturating_mul(size)).ok_or(output_too_small(at, n, size))?;
        trace.enter(Name::Page, Value::None);
        reader.start(n, at)?;
        let mut step = BEGIN;
        let ended = reader.step_bytes(page, out, &mut step, trace);
        *wrote = wrote.saturating_add(step.wrote);
        ended?;
        read = step.read;
        trace.leave();
        rest = after;
    }
    Ok(read)
}

/// Decodes a page of `n` numbers to a sink, as much at a time as `scratch` has room for. Returns its bytes.
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
pub(crate) fn read_page_to<'m, 'w, R: PageReader<'m, 'w>>(
    width: R::Width,
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
    let mut reader = R::new(meta, n, plan.in_batches(), width);
    reader.open(workspace)?;
    trace.enter(Name::Page, Value::None);
    reader.start(n, at)?;
    let (size, mut read) = (meta.number_type.size(), 0usize);
    loop {
        let mut step = BEGIN;
        let ended = reader.step_bytes(page.get(read..).unwrap_or(&[]), scratch, &mut step, trace);
        sink.write(scratch.get(..step.wrote.saturating_mul(size)).unwrap_or(&[]))?;
        ended?;
        read = read.saturating_add(step.read);
        if step.status == Status::Done {
            trace.leave();
            return Ok(read);
        }
    }
}

/// The error of an output without room for `n` numbers of this size.
pub(crate) fn output_too_small(at: u64, n: usize, size: usize) -> Error {
    Error::new(ErrorKind::OutputTooSmall, at).needing(u64_from(n).saturating_mul(u64_from(size)))
}

/// Checks that the caller's numbers are as wide as those of the chunk.
pub(crate) fn check_width<L: Latent>(meta: &Meta<'_>) -> Result<()> {
    match meta.number_type.bits() == L::BITS {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::WrongType, 0)),
    }
}

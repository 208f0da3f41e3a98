//! Pages in the caller's pieces, with the tables that the caller's [`Plan`] asks for.

use super::compact::Compact;
use super::meta::Meta;
#[cfg(not(feature = "small"))]
use super::mode::Cut;
#[cfg(not(feature = "small"))]
use super::number::Widened;
use super::number::{Latent, bytes_of};
#[cfg(not(feature = "small"))]
use super::page::{Fast, words_of};
use super::spans::{BEGIN, Page};
use super::workspace::Plan;
use crate::num::u64_from;
use crate::step::StepGuard;
use crate::{End, Error, ErrorKind, Name, Result, Status, Step, Trace, Value};

/// Decodes the pages of one chunk into raw numbers of the width of `L`.
///
/// Making one builds the tables of the chunk in the caller's workspace. Each page then starts with [`start`](Self::start), and
/// comes out in as many calls of [`step`](Self::step) as the caller likes.
#[derive(Debug)]
pub struct Decoder<'m, 'w, L: Latent> {
    engine: Engine<'m, 'w, L>,
    guard: StepGuard,
    /// How much input and room the last call had.
    offered: (usize, usize),
}

/// A build that shall be small has one of them only.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is no allocator to put the larger one elsewhere")]
enum Engine<'m, 'w, L: Latent> {
    #[cfg(not(feature = "small"))]
    Fast(Fast<'m, 'w, Widened<L>>),
    Compact(Compact<'m, 'w, L::Word>),
}

impl<'m, 'w, L: Latent> Decoder<'m, 'w, L> {
    /// Builds the tables for a chunk whose pages have at most `n` numbers.
    ///
    /// `words` must have [`Meta::workspace_len`] words for the same `n` and `plan`; what is in them does not matter.
    pub fn new(meta: &'m Meta<'m>, n: usize, plan: Plan, words: &'w mut [u64]) -> Result<Self> {
        let mut decoder = Self::unbuilt(meta, n, plan);
        decoder.build(words)?;
        Ok(decoder)
    }

    /// A decoder that has no tables yet, for which it knows nothing but zeros, to be [built](Self::build) where it lies: it is too
    /// large to be moved about on a small stack.
    pub fn unbuilt(meta: &'m Meta<'m>, n: usize, plan: Plan) -> Self {
        let engine = match plan {
            #[cfg(not(feature = "small"))]
            Plan::Whole | Plan::Batches => Engine::Fast(Fast::new(meta, n, plan, Cut::to::<L>())),
            _ => Engine::Compact(Compact::new(meta, n, plan)),
        };
        Self { engine, guard: StepGuard::NEW, offered: (0, 0) }
    }

    /// The rest of [`new`](Self::new): builds the tables. Behind an error the decoder is of no use.
    pub fn build(&mut self, words: &'w mut [u64]) -> Result<()> {
        let meta = match &self.engine {
            #[cfg(not(feature = "small"))]
            Engine::Fast(fast) => fast.meta,
            Engine::Compact(compact) => compact.meta,
        };
        check_width::<L>(meta)?;
        match &mut self.engine {
            #[cfg(not(feature = "small"))]
            Engine::Fast(fast) => fast.build(words),
            Engine::Compact(compact) => compact.build(words),
        }
    }

    /// The next input is the start of a page of `n` numbers, at this offset in the caller's input. What was wrong with the page before it
    /// is forgotten.
    pub fn start(&mut self, n: usize, at: u64) -> Result<()> {
        match &mut self.engine {
            #[cfg(not(feature = "small"))]
            Engine::Fast(fast) => fast.start(n, at),
            Engine::Compact(compact) => compact.start(n, at),
        }?;
        (self.guard, self.offered) = (StepGuard::NEW, (0, 0));
        Ok(())
    }

    /// How many numbers of the page are still to come.
    pub const fn left(&self) -> usize {
        self.progress().left
    }

    const fn progress(&self) -> &Page {
        match &self.engine {
            #[cfg(not(feature = "small"))]
            Engine::Fast(fast) => &fast.page,
            Engine::Compact(compact) => &compact.page,
        }
    }

    /// Decodes a whole page from the start of `bytes`, and gives the bytes it took. `at` is where `bytes` lies in the input.
    pub fn page(&mut self, bytes: &[u8], at: u64, out: &mut [L]) -> Result<usize> {
        self.page_traced(bytes, at, out, &mut ())
    }

    /// [`page`](Self::page), heard. The page has as many numbers as `out`.
    pub fn page_traced(&mut self, bytes: &[u8], at: u64, out: &mut [L], trace: &mut impl Trace) -> Result<usize> {
        self.start(out.len(), at)?;
        let mut step = BEGIN;
        let ended = self.go(bytes, out, &mut step, trace);
        // Nobody asks for the numbers in front of an error, so that it comes at once.
        Ok(self.guard.step(step.read, 0, ended.map(|()| step.status), at)?.read)
    }

    /// Goes on with the page: decodes whole batches of 256 numbers while the input has them and the output has room.
    ///
    /// The status is `NeedOutput` while the next batch does not fit, `NeedInput` if it does not end in `src`: call again with the
    /// bytes from the first that was not read on, and more behind them. No batch takes more than 7 488 bytes, most take some hundreds.
    ///
    /// What was decoded before an error leaves before it is reported; then it stays until the next page. A second call in a row that
    /// has nothing to work with, and no more than the one before, is one.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [L]) -> Result<Step> {
        self.step_traced(src, end, dst, &mut ())
    }

    /// [`step`](Self::step), heard.
    ///
    /// For input that is there as a whole: what does not end in `src` is told as far as it is there, and told again when there is more.
    pub fn step_traced(&mut self, src: &[u8], end: End, dst: &mut [L], trace: &mut impl Trace) -> Result<Step> {
        self.guard.error()?;
        let (input, room) = core::mem::replace(&mut self.offered, (src.len(), dst.len()));
        if src.len() > input || dst.len() > room {
            // Input that is not read comes again, so that more of it is something to work with.
            self.guard = StepGuard::NEW;
        }
        let mut step = BEGIN;
        let status = match self.go(src, dst, &mut step, trace) {
            Err(error) if error.kind == ErrorKind::Truncated && end == End::NotYet => Ok(Status::NeedInput),
            ended => ended.map(|()| step.status),
        };
        let at = self.progress().at;
        self.guard.step(step.read, step.wrote, status, at)
    }

    fn go(&mut self, src: &[u8], dst: &mut [L], step: &mut Step, trace: &mut impl Trace) -> Result<()> {
        match &mut self.engine {
            #[cfg(not(feature = "small"))]
            Engine::Fast(fast) => fast.step_into(src, dst, step, trace),
            Engine::Compact(compact) => {
                let ended = compact.step(src, bytes_of(dst), step, trace);
                // Where the machine has its own order of bytes, that is the caller's.
                dst.iter_mut().take(step.wrote).for_each(|number| *number = number.in_native_order());
                ended
            }
        }
    }

    /// Finds the end of a page of `n` numbers from its symbols alone. Gives the bytes that it takes.
    ///
    /// What only the numbers would show, lookbacks and indexes that lie outside, stays unseen. A page that was [started](Self::start) is
    /// given up: none is left behind this.
    pub fn skip(&mut self, bytes: &[u8], n: usize, at: u64) -> Result<usize> {
        let (skipped, page) = match &mut self.engine {
            #[cfg(not(feature = "small"))]
            Engine::Fast(fast) => (fast.skip(bytes, n, at), &mut fast.page),
            Engine::Compact(compact) => (compact.skip(bytes, n, at), &mut compact.page),
        };
        *page = Page::default();
        skipped
    }
}

/// Pages of one chunk, each with how many numbers it has. Of one type whatever they come from, so that there is one decoder for all.
pub(crate) type Pages<'i, 'p> = &'i mut dyn Iterator<Item = (&'p [u8], usize)>;

// What follows takes many arguments: in a struct they take up to 160 bytes of flash and 48 of stack more on small devices.

/// Counts numbers, those in front of an error as well. Whoever does not ask has none there, where the output is what a page looks back on.
pub(crate) type Done<'d> = Option<&'d mut usize>;

/// Decodes pages of at most `n` numbers, with one set of tables, into little-endian numbers that lie behind each other. Gives the bytes
/// that the last one took.
#[cfg(feature = "small")]
#[allow(clippy::too_many_arguments, reason = "see above")]
pub(crate) fn pages_bytes(
    meta: &Meta<'_>,
    n: usize,
    workspace: &mut [u64],
    at: u64,
    pages: Pages<'_, '_>,
    bytes: &mut [u8],
    done: Done<'_>,
    trace: &mut impl Trace,
) -> Result<usize> {
    match meta.number_type.bits() {
        64 => compact_bytes::<u64>(meta, n, workspace, at, pages, bytes, done, trace),
        _ => compact_bytes::<u32>(meta, n, workspace, at, pages, bytes, done, trace),
    }
}

#[cfg(feature = "small")]
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
fn compact_bytes<W: Latent>(
    meta: &Meta<'_>,
    n: usize,
    workspace: &mut [u64],
    at: u64,
    pages: Pages<'_, '_>,
    bytes: &mut [u8],
    mut done: Done<'_>,
    trace: &mut impl Trace,
) -> Result<usize> {
    let plan = if done.is_none() { Plan::CompactWhole } else { Plan::CompactBatches };
    let mut compact = Compact::<W>::new(meta, n, plan);
    compact.build(workspace)?;
    let (mut rest, mut read) = (bytes, 0);
    for (page, n) in pages {
        let (out, behind) = split(rest, meta, n, at)?;
        read = whole(&mut compact, page, at, out, done.as_deref_mut(), trace)?;
        rest = behind;
    }
    Ok(read)
}

/// Decodes pages of at most `n` numbers, with one set of tables, into little-endian numbers that lie behind each other. Gives the bytes
/// that the last one took.
#[cfg(not(feature = "small"))]
#[allow(clippy::too_many_arguments, reason = "see above")]
pub(crate) fn pages_bytes(
    meta: &Meta<'_>,
    n: usize,
    workspace: &mut [u64],
    at: u64,
    pages: Pages<'_, '_>,
    bytes: &mut [u8],
    done: Done<'_>,
    trace: &mut impl Trace,
) -> Result<usize> {
    match meta.number_type.bits() {
        8 => fast_bytes(Cut::<Widened<u8>>::to::<u8>(), meta, n, workspace, at, pages, bytes, done, trace),
        16 => fast_bytes(Cut::<Widened<u16>>::to::<u16>(), meta, n, workspace, at, pages, bytes, done, trace),
        32 => fast_bytes(Cut::<u32>::to::<u32>(), meta, n, workspace, at, pages, bytes, done, trace),
        _ => fast_bytes(Cut::<u64>::to::<u64>(), meta, n, workspace, at, pages, bytes, done, trace),
    }
}

#[cfg(not(feature = "small"))]
#[allow(clippy::too_many_arguments, reason = "see above")]
#[inline(never)]
fn fast_bytes<L: Latent>(
    cut: Cut<L>,
    meta: &Meta<'_>,
    n: usize,
    workspace: &mut [u64],
    at: u64,
    pages: Pages<'_, '_>,
    bytes: &mut [u8],
    mut done: Done<'_>,
    trace: &mut impl Trace,
) -> Result<usize> {
    let plan = if done.is_none() && words_of::<L>(bytes, meta).is_some() { Plan::Whole } else { Plan::Batches };
    let mut fast = Fast::new(meta, n, plan, cut);
    fast.build(workspace)?;
    let (mut rest, mut read) = (bytes, 0);
    for (page, n) in pages {
        let (out, behind) = split(rest, meta, n, at)?;
        trace.enter(Name::Page, Value::None);
        fast.start(n, at)?;
        let mut step = BEGIN;
        let ended = fast.step_bytes(page, out, &mut step, trace);
        count(done.as_deref_mut(), &step);
        ended?;
        read = step.read;
        trace.leave();
        rest = behind;
    }
    Ok(read)
}

fn count(done: Done<'_>, step: &Step) {
    if let Some(done) = done {
        *done = done.saturating_add(step.wrote);
    }
}

/// Room for `n` numbers, and what is behind it.
fn split<'b>(bytes: &'b mut [u8], meta: &Meta<'_>, n: usize, at: u64) -> Result<(&'b mut [u8], &'b mut [u8])> {
    let size = meta.number_type.size();
    bytes.split_at_mut_checked(n.saturating_mul(size)).ok_or(output_too_small(at, n, size))
}

/// There is no room for `n` numbers of this size.
pub(crate) fn output_too_small(at: u64, n: usize, size: usize) -> Error {
    Error::new(ErrorKind::OutputTooSmall, at).needing(u64_from(n).saturating_mul(u64_from(size)))
}

/// Decodes pages of at most `n` numbers with one set of tables. Gives the bytes that the last one took.
#[cfg(not(feature = "small"))]
pub(crate) fn pages<'p, L: Latent>(
    meta: &Meta<'_>,
    n: usize,
    workspace: &mut [u64],
    at: u64,
    pages: impl Iterator<Item = (&'p [u8], &'p mut [L])>,
    trace: &mut impl Trace,
) -> Result<usize> {
    check_width::<L>(meta)?;
    let mut fast = Fast::<Widened<L>>::new(meta, n, Plan::Whole, Cut::to::<L>());
    fast.build(workspace)?;
    let mut read = 0;
    for (page, out) in pages {
        trace.enter(Name::Page, Value::None);
        fast.start(out.len(), at)?;
        let mut step = BEGIN;
        fast.step_into(page, out, &mut step, trace)?;
        read = step.read;
        trace.leave();
    }
    Ok(read)
}

/// Decodes pages of at most `n` numbers with one set of tables. Gives the bytes that the last one took.
#[cfg(feature = "small")]
#[inline(never)]
pub(crate) fn pages<'p, L: Latent>(
    meta: &Meta<'_>,
    n: usize,
    workspace: &mut [u64],
    at: u64,
    pages: impl Iterator<Item = (&'p [u8], &'p mut [L])>,
    trace: &mut impl Trace,
) -> Result<usize> {
    check_width::<L>(meta)?;
    let mut compact = Compact::<L::Word>::new(meta, n, Plan::CompactWhole);
    compact.build(workspace)?;
    let mut read = 0;
    for (page, out) in pages {
        read = whole(&mut compact, page, at, bytes_of(out), None, trace)?;
        out.iter_mut().for_each(|number| *number = number.in_native_order());
    }
    Ok(read)
}

/// Decodes a page into little-endian numbers, as many as there is room for.
#[cfg(feature = "small")]
#[inline(never)]
fn whole<W: Latent>(
    compact: &mut Compact<'_, '_, W>,
    page: &[u8],
    at: u64,
    out: &mut [u8],
    done: Done<'_>,
    trace: &mut impl Trace,
) -> Result<usize> {
    trace.enter(Name::Page, Value::None);
    compact.start(out.len() >> compact.size_log(), at)?;
    let mut step = BEGIN;
    let ended = compact.step(page, out, &mut step, trace);
    count(done, &step);
    ended?;
    trace.leave();
    Ok(step.read)
}

/// The caller's numbers must be as wide as those of the chunk.
fn check_width<L: Latent>(meta: &Meta<'_>) -> Result<()> {
    match meta.number_type.bits() == L::BITS {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::WrongType, 0)),
    }
}

//! Pages in the caller's pieces, with the tables of the caller's [`Plan`].

use super::file::{Best, Least};
use super::meta::Meta;
use super::number::{Latent, Order};
use super::page::{BEGIN, Page};
use super::plan::Plan;
use super::reader::PageReader;
use crate::fault::Fault;
use crate::step::StepGuard;
use crate::{End, ErrorKind, Result, Status, Step, Trace};

/// Decodes the pages of one chunk into raw numbers of the width of `L`.
///
/// [`open`](Self::open) builds the tables of the chunk in the caller's workspace. Each page then
/// begins with [`start`](Self::start) and is decoded by any number of calls of
/// [`step`](Self::step).
#[derive(Debug)]
pub struct Decoder<'m, 'w, L: Latent> {
    engine: Engine<'m, 'w, L>,
    guard: StepGuard,
    /// The lengths of the input and the output of the last call.
    offered: (usize, usize),
    /// Floats are accepted.
    floats: bool,
}

/// The layout of the tables.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is no allocator to put the larger one elsewhere")]
enum Engine<'m, 'w, L: Latent> {
    Best(Best<'m, 'w, L>),
    Least(Least<'m, 'w, L>),
}

/// Calls the same method on either kind of tables.
macro_rules! on {
    ($engine:expr, $reader:ident => $call:expr) => {
        match $engine {
            Engine::Best($reader) => $call,
            Engine::Least($reader) => $call,
        }
    };
}

impl<'m, 'w, L: Latent> Decoder<'m, 'w, L> {
    /// A decoder for a chunk whose pages have at most `n` numbers, to be [opened](Self::open) in
    /// place. It is too large to be moved about on a small stack.
    pub fn new(meta: &'m Meta<'m>, n: usize, plan: Plan) -> Self {
        Self::of::<true>(meta, n, plan)
    }

    /// The same for a chunk of integers: [`open`](Self::open) refuses floats, and the program does
    /// not link their arithmetic. With `small` that is 1.1 KB.
    pub fn of_integers(meta: &'m Meta<'m>, n: usize, plan: Plan) -> Self {
        Self::of::<false>(meta, n, plan)
    }

    #[inline(always)]
    fn of<const FLOATS: bool>(meta: &'m Meta<'m>, n: usize, plan: Plan) -> Self {
        let page = Page::new(meta, n, plan);
        let engine = match plan.is_compact() {
            true => Engine::Least(Least::<L>::new::<L, FLOATS>(page)),
            false => Engine::Best(Best::<L>::new::<L, FLOATS>(page)),
        };
        Self { engine, guard: StepGuard::NEW, offered: (0, 0), floats: FLOATS }
    }

    /// Builds the tables. After an error the decoder is of no use.
    ///
    /// `workspace` must have [`Meta::workspace_len`] words for the same `n` and `plan`. Their
    /// values are ignored.
    pub fn open(&mut self, workspace: &'w mut [u64]) -> Result<()> {
        let meta = self.page_read().meta;
        meta.check_width::<L>()?;
        if !self.floats && meta.number_type.order() == Order::Float {
            return Err(meta.error(Fault::new(ErrorKind::WrongType, 0)));
        }
        let opened = on!(&mut self.engine, reader => reader.open(workspace));
        opened.map_err(|fault| self.page_read().meta.error(fault))
    }

    /// Starts a page of `n` numbers, at this offset in the caller's input. Forgets the page before
    /// it, and its error.
    pub fn start(&mut self, n: usize, at: u64) -> Result<()> {
        let started = on!(&mut self.engine, reader => reader.start(n, at));
        started.map_err(|fault| fault.error(at, 0))?;
        (self.guard, self.offered) = (StepGuard::NEW, (0, 0));
        Ok(())
    }

    /// Returns how many numbers of the page are still to come.
    pub fn left(&mut self) -> usize {
        self.page_read().left
    }

    fn page_read(&mut self) -> &mut Page<'m> {
        on!(&mut self.engine, reader => reader.page())
    }

    /// Decodes a whole page from the start of `src`, with as many numbers as `dst` has. Returns the
    /// bytes it took. `at` is the offset of `src` in the input.
    pub fn page(&mut self, src: &[u8], at: u64, dst: &mut [L], trace: &mut impl Trace) -> Result<usize> {
        self.start(dst.len(), at)?;
        let mut step = BEGIN;
        let ended = on!(&mut self.engine, reader => reader.step(src, dst, &mut step, trace));
        let ended = ended.map_err(|fault| self.page_read().error(fault));
        // The caller gets no numbers before an error, so the error is returned at once.
        Ok(self.guard.step(step.read, 0, ended.map(|()| step.status), at)?.read)
    }

    /// Goes on with the page: decodes whole batches of 256 numbers while the input has them and the
    /// output has room.
    ///
    /// The status is `NeedOutput` if the next batch does not fit, `NeedInput` if it does not end in
    /// `src`. Then call again with the bytes from the first unread one on, and more after them. No
    /// batch takes more than 7,488 bytes; most take some hundreds.
    ///
    /// Numbers before an error are returned first. The error stays until the next page. So does
    /// `NoProgress`, for a second call in a row that has nothing to work with and no more than the
    /// one before.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [L]) -> Result<Step> {
        self.guard.error()?;
        let (input, room) = core::mem::replace(&mut self.offered, (src.len(), dst.len()));
        if src.len() > input || dst.len() > room {
            // Unread input comes again, so that more of it is something to work with.
            self.guard = StepGuard::NEW;
        }
        let mut step = BEGIN;
        let ended = on!(&mut self.engine, reader => reader.step(src, dst, &mut step, &mut ()));
        let page = self.page_read();
        let status = match ended.map_err(|fault| page.error(fault)) {
            Err(error) if error.kind == ErrorKind::Truncated && end == End::NotYet => Ok(Status::NeedInput),
            ended => ended.map(|()| step.status),
        };
        let at = page.at;
        self.guard.step(step.read, step.wrote, status, at)
    }

    /// Finds the end of a page of `n` numbers from its symbols alone. Returns the bytes it takes.
    ///
    /// Lookbacks and indexes outside of their range stay undetected. A page that was
    /// [started](Self::start) is given up.
    pub fn skip(&mut self, src: &[u8], n: usize, at: u64) -> Result<usize> {
        let skipped = on!(&mut self.engine, reader => reader.skip(src, n, at, PageReader::walk));
        let page = self.page_read();
        let skipped = skipped.map_err(|fault| page.error(fault));
        *page = Page::new(page.meta, page.longest, page.plan);
        skipped
    }
}

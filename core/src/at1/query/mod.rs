//! Queries of a table in row groups, which read as few blocks as possible.
//!
//! A [`Query`] starts from the head of a file and does no I/O. [`needs`](Query::needs) returns the
//! next range, [`feed`](Query::feed) takes its bytes: from a page of flash, a `File.slice` or an
//! HTTP range. [`ahead`](Query::ahead) predicts later ranges, for callers that can request several
//! at once.
//!
//! In each group that its zone maps do not exclude, the columns of the conditions are decoded one
//! by one while a row is left. The requested columns follow. Each value is compared exactly.
//!
//! [`group_after`](Query::group_after) and [`begin`](Query::begin) answer row groups apart, so that
//! several threads can share them.
//!
//! `feed` pushes rows to a closure. [`step`](Query::step) stops at each row, which
//! [`row`](Query::row) then returns.
//!
//! The query keeps its data in the scratch. The caller passes it to each call with its front
//! unchanged. If a call asks for more, a longer scratch may replace it.
//!
//! A query reads parts of a file. It does not compare the hash of the file, and ignores streams
//! that it does not need.

mod columns;
pub(crate) mod compare;
mod group;
pub(crate) mod head;
pub(crate) mod predicate;
mod request;
pub(crate) mod row;

use core::ops::Range;

use self::compare::{Best, Sum};
use self::head::{Span, TableHead, too_small};
use self::predicate::ColumnRef;
pub use self::request::{Answer, Ask, Group, Next, Request, Stats};
use self::row::{ColumnState, RECORD, Record, Row};
use crate::at1::backend::Backend;
use crate::at1::codecs::qcolumnar::{Layout, Mark, Meta};
use crate::at1::codecs::qjson::Template;
use crate::at1::scratch::Workspace;
use crate::num::{index, u64_from};
use crate::options::Options;
use crate::{Error, ErrorKind, Limits, Result};

/// The source of column names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Paths,
    /// The first line, which is no row.
    Line,
    /// The first row.
    Row,
}

/// The next action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum QueryStage {
    /// Reads the stream of blocks, which is compressed as a whole.
    Unwrap,
    /// Starts: the columns are known, or their names are in the first row.
    Start,
    /// Reads the first row for its names.
    Names,
    /// Searches for the next group that may match.
    Group,
    /// Tests this condition.
    Filter(usize),
    /// Reads the requested columns.
    Rest,
    /// Returns the rows of the group.
    Rows,
    #[default]
    Done,
}

/// The reply of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Stop,
}

/// A query in progress.
#[derive(Clone, Debug)]
pub struct Query<'q> {
    request: Request<'q>,
    limits: Limits,
    now: Progress,
}

/// The state of a query.
#[derive(Clone, Debug, Default)]
struct Progress {
    head: TableHead,
    /// The stream of blocks, if it had to be decoded.
    inside: Option<Span>,
    names: Option<Names>,
    /// Position in the scratch of the columns of the request: those of the conditions, then the
    /// requested ones. They are column numbers at first, slots later.
    picks: Range<usize>,
    /// Start of the slots in the scratch, and their number. Texts follow them.
    slots_at: usize,
    slots: usize,
    stage: QueryStage,
    /// The slot of the next block.
    pending: usize,
    needs: Option<Range<u64>>,
    mark: Mark,
    first_row: u64,
    rows: u64,
    /// Rows of the group that were tested.
    row: u64,
    /// Bytes of the texts in use, and how many of them outlive the group.
    top: usize,
    base: usize,
    /// Position of the flags of matching rows.
    flags: Option<(usize, usize)>,
    /// The last group had matching rows.
    had_rows: bool,
    /// The query ends after the first group that it reads.
    one_group: bool,
    found: u64,
    without_number: u64,
    /// The sum and its scale. As bytes, because a 128-bit integer would align a query to 16 bytes.
    sum: ([u8; 16], u32),
    best: Best,
    stats: Stats,
}

impl<'q> Query<'q> {
    /// Returns a query without a file. [`open`](Self::open) takes one in place, because a query is
    /// too large to be moved on a small stack.
    ///
    /// A query compares no hash: `options.verify` has no effect.
    // Inlined: a call returns the value in a frame of its own, which is larger than 512 bytes.
    #[inline(always)]
    pub fn new(request: Request<'q>, options: &Options) -> Self {
        Self { request, limits: options.limits, now: Progress::default() }
    }

    /// Returns the request.
    pub const fn request(&self) -> &Request<'q> {
        &self.request
    }

    /// Starts with the first bytes of a file. If `head` is too short, an error of the class
    /// `Truncated` says how long it must be. If the scratch is too short, one of the class
    /// `WorkspaceTooSmall` does, as in [`feed`](Self::feed). After an error, start over with a
    /// [new](Self::new) query.
    #[inline(never)]
    pub fn open(&mut self, head: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> Result<()> {
        self.read_head(head, workspace, scratch)?;
        let (backend, blocks) = self.now.head.blocks();
        if backend == Backend::Stored {
            self.start(scratch)?;
            return self.advance(scratch, &mut |_| Ok(Flow::On));
        }
        (self.now.stage, self.now.needs) = (QueryStage::Unwrap, Some(blocks));
        Ok(())
    }

    /// Reads the description of the table, and reserves scratch for the columns of the request.
    #[inline(never)]
    fn read_head(&mut self, head: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> Result<()> {
        let request = self.request;
        request.check()?;
        let by_name = request.columns().any(|column| matches!(column, ColumnRef::Name(_)));
        self.now.head.load(head, by_name, request.ask == Ask::Rows, workspace, scratch, &self.limits)?;
        let head = &self.now.head;
        let meta = self.meta(scratch)?;
        if meta.columns() == 0 && meta.rows > 0 {
            return Err(Error::new(ErrorKind::At1RowGroups, head.blocks_at));
        }
        let names = match by_name {
            false => None,
            true if head.is_json => Some(Names::Paths),
            true if meta.lines == 0 => return Err(Error::new(ErrorKind::At1NoNames, 0)),
            true => match head.modes.stream(scratch).numbers().byte()? {
                0 => Some(Names::Line),
                _ => Some(Names::Row),
            },
        };
        let picks = request.columns().count();
        let picks_end = head.used.saturating_add(picks.saturating_mul(size_of::<u64>()));
        if picks_end > scratch.len() {
            return Err(too_small(u64_from(picks_end)));
        }
        (self.now.stats.groups, self.now.stats.block_bytes_total) = (meta.groups, head.blocks_len);
        (self.now.names, self.now.picks, self.now.slots_at) = (names, head.used..picks_end, picks_end);
        self.now.stage = QueryStage::Start;
        self.look_up(names != Some(Names::Row), scratch)
    }

    /// Returns the next range of the file; `None` at the end.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.now.needs.clone()
    }

    /// Takes bytes of the file from byte `at` on. They must hold the range of
    /// [`needs`](Self::needs) or its first block, and may hold more. Matching rows go to `visit`,
    /// whose error ends the query.
    ///
    /// After an error of the class `WorkspaceTooSmall`, feed the same bytes again with a longer
    /// scratch that starts with the old content.
    pub fn feed(
        &mut self,
        at: u64,
        bytes: &[u8],
        workspace: &mut Workspace,
        scratch: &mut [u8],
        visit: &mut impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut on = |row: &Row<'_>| visit(row).map(|()| Flow::On);
        match (self.take(at, bytes, workspace, scratch, &mut on)?, self.needs()) {
            (false, Some(needs)) => Err(Error::new(ErrorKind::RangeOutside, needs.start).needing(needs.end)),
            _ => Ok(()),
        }
    }

    /// Continues as [`feed`](Self::feed) does, up to the next matching row. Returns the reason for
    /// stopping.
    ///
    /// The first call needs no bytes. After a row, pass the same bytes again: they may hold the
    /// blocks of more rows. Bytes without the needed range are ignored. An error that is not about
    /// the scratch ends the query.
    pub fn step(&mut self, at: u64, bytes: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> Result<Next> {
        let mut stop = |_: &Row<'_>| Ok(Flow::Stop);
        self.take(at, bytes, workspace, scratch, &mut stop)?;
        Ok(match (self.needs(), self.now.stage) {
            (Some(needs), _) => Next::Bytes(needs),
            (None, QueryStage::Rows) => Next::Row,
            (None, _) => Next::Nothing,
        })
    }

    /// Returns the row that the last [`step`](Self::step) stopped at.
    pub fn row<'s>(&self, scratch: &'s [u8]) -> Option<Row<'s>> {
        let number = self.now.first_row.saturating_add(self.now.row.checked_sub(1)?);
        let picks = self.picks(scratch).get(self.request.filters.len()..);
        let all = self.request.ask == Ask::Rows;
        let layout = if all { Some(layout(&self.now.head, scratch, &self.limits).ok()?) } else { None };
        let texts = scratch.get(self.texts_at()..)?;
        let row = Row { number, records: self.records(scratch), picks: picks.filter(|_| !all), texts, layout };
        (self.now.stage == QueryStage::Rows).then_some(row)
    }

    /// Takes bytes of the file until others are needed or `visit` stops. Returns whether they held
    /// the needed range.
    fn take(
        &mut self,
        at: u64,
        bytes: &[u8],
        workspace: &mut Workspace,
        scratch: &mut [u8],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<Flow>,
    ) -> Result<bool> {
        if self.now.stage == QueryStage::Unwrap {
            let Some(payload) = self.needs().and_then(|needs| cut(at, bytes, &needs)) else { return Ok(false) };
            self.unwrap(payload, workspace, scratch)?;
        }
        let mut fed = self.now.inside.is_some() || self.now.stage == QueryStage::Rows;
        if self.now.stage == QueryStage::Start {
            self.start(scratch)?;
            self.advance(scratch, visit)?;
        } else if self.now.stage == QueryStage::Rows {
            self.advance(scratch, visit)?;
        }
        while self.now.needs.is_some() {
            let slot = self.slot(scratch, self.now.pending);
            let range = self.place(slot.block.0)..self.place(slot.block.1);
            let piece = match cut(at, bytes, &range) {
                _ if self.now.inside.is_some() => &[],
                Some(piece) => piece,
                None => break,
            };
            // The slot is already loaded if the scratch was too short for a later one.
            if !slot.is_loaded() {
                self.load(piece, slot.block, range.start, workspace, scratch)?;
            }
            self.advance(scratch, visit)?;
            fed = true;
        }
        Ok(fed)
    }

    /// Returns how much was read so far.
    pub const fn stats(&self) -> Stats {
        self.now.stats
    }

    /// Returns the results so far, apart from rows.
    pub fn answer<'s>(&self, scratch: &'s [u8]) -> Answer<'s> {
        let texts = scratch.get(self.texts_at()..).unwrap_or_default();
        let best = texts.get(self.now.best.start..self.now.best.end).filter(|_| self.now.best.found);
        Answer { rows: self.now.found, without_number: self.now.without_number, sum: self.sum(), best }
    }

    const fn sum(&self) -> Sum {
        Sum { value: i128::from_le_bytes(self.now.sum.0), scale: self.now.sum.1 }
    }

    /// Returns the offset in the file of a byte of the stream of blocks.
    fn place(&self, at: u64) -> u64 {
        match self.now.inside {
            None => self.now.head.blocks_at.saturating_add(at),
            Some(_) => self.now.head.blocks_at,
        }
    }

    fn texts_at(&self) -> usize {
        self.now.slots_at.saturating_add(self.now.slots.saturating_mul(RECORD))
    }

    fn meta<'s>(&self, scratch: &'s [u8]) -> Result<Meta<'s>> {
        self.now.head.meta(scratch, &self.limits)
    }

    /// Splits the scratch into streams and picks, slots, and texts.
    fn parts<'s>(&self, scratch: &'s mut [u8]) -> (&'s [u8], &'s mut [Record], &'s mut [u8]) {
        let (known, rest) = scratch.split_at_mut_checked(self.now.slots_at).unwrap_or_default();
        let (slots, texts) = rest.split_at_mut_checked(self.now.slots.saturating_mul(RECORD)).unwrap_or_default();
        (known, slots.as_chunks_mut::<8>().0.as_chunks_mut::<7>().0, texts)
    }

    fn records<'s>(&self, scratch: &'s [u8]) -> &'s [Record] {
        let bytes = scratch.get(self.now.slots_at..self.texts_at()).unwrap_or_default();
        bytes.as_chunks::<8>().0.as_chunks::<7>().0
    }

    fn slot(&self, scratch: &[u8], slot: usize) -> ColumnState {
        self.records(scratch).get(slot).map_or(ColumnState::new(0, (0, 0)), ColumnState::read)
    }

    fn picks<'s>(&self, scratch: &'s [u8]) -> &'s [[u8; 8]] {
        scratch.get(self.now.picks.clone()).unwrap_or_default().as_chunks().0
    }

    /// Returns the slot of a condition.
    fn pick(&self, scratch: &[u8], filter: usize) -> usize {
        self.picks(scratch).get(filter).map_or(usize::MAX, |&pick| index(u64::from_le_bytes(pick)))
    }

    /// Decodes the stream of blocks.
    fn unwrap(&mut self, payload: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> Result<()> {
        let (backend, range) = self.now.head.blocks();
        let blocks = Span::load(backend, payload, range.start, self.now.slots_at, workspace, scratch, &self.limits)?;
        self.now.slots_at = blocks.end;
        self.now.stats.block_bytes_total = u64_from(blocks.stream(scratch).bytes.len());
        self.now.inside = Some(blocks);
        self.now.stage = QueryStage::Start;
        Ok(())
    }

    /// Continues until a block is needed or `visit` stops.
    fn advance(&mut self, scratch: &mut [u8], visit: &mut dyn FnMut(&Row<'_>) -> Result<Flow>) -> Result<()> {
        loop {
            match self.now.stage {
                QueryStage::Unwrap | QueryStage::Start | QueryStage::Done => {
                    self.now.needs = None;
                    return Ok(());
                }
                QueryStage::Names => {
                    if self.wants_rest(scratch) {
                        return Ok(());
                    }
                    // The blocks are read again if they are needed.
                    (self.now.stats.read, self.now.stats.skipped) = (0, 0);
                    self.look_up(true, scratch)?;
                    self.make_slots(scratch)?;
                }
                QueryStage::Group => {
                    self.now.stage = QueryStage::Done;
                    let is_over = self.now.one_group && self.now.stats.read > 0;
                    if !is_over && self.now.found < self.request.limit && self.next_group(scratch)? {
                        self.now.stage = QueryStage::Filter(0);
                    }
                }
                QueryStage::Filter(filter) if filter < self.request.filters.len() => {
                    let slot = self.pick(scratch, filter);
                    if !self.slot(scratch, slot).is_loaded() {
                        self.now.pending = slot;
                        self.ask_for(self.slot(scratch, slot).block);
                        return Ok(());
                    }
                    let left = self.apply(filter, slot, scratch)?;
                    self.now.had_rows = left > 0;
                    self.now.stage =
                        if left > 0 { QueryStage::Filter(filter.saturating_add(1)) } else { QueryStage::Group };
                    if self.request.ask == Ask::Count && filter.saturating_add(1) == self.request.filters.len() {
                        self.now.found = self.now.found.saturating_add(left).min(self.request.limit);
                        self.now.stage = QueryStage::Group;
                    }
                }
                QueryStage::Filter(_) => (self.now.stage, self.now.pending) = (QueryStage::Rest, 0),
                QueryStage::Rest => {
                    if self.wants_rest(scratch) {
                        return Ok(());
                    }
                    self.now.stage = QueryStage::Rows;
                    self.now.needs = None;
                }
                QueryStage::Rows => {
                    self.now.stage = QueryStage::Done;
                    let stopped = self.hand_out(scratch, visit)? == Flow::Stop;
                    self.now.stage = if stopped { QueryStage::Rows } else { QueryStage::Group };
                    if stopped {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Requests the first slot from the pending one on that is not loaded, and adjacent ones.
    fn wants_rest(&mut self, scratch: &[u8]) -> bool {
        let slots = self.records(scratch).get(self.now.pending..).unwrap_or_default().iter().map(ColumnState::read);
        let mut missing = (self.now.pending..).zip(slots).skip_while(|(_, slot)| slot.is_loaded());
        let Some((pending, first)) = missing.next() else { return false };
        self.now.pending = pending;
        // The last request covers these already.
        let (start, mut end) = first.block;
        if let Some(needs) =
            self.now.needs.take_if(|needs| needs.contains(&self.now.head.blocks_at.saturating_add(start)))
        {
            end = end.max(needs.end.saturating_sub(self.now.head.blocks_at));
        } else {
            for (_, slot) in missing.take_while(|_| self.now.inside.is_none()) {
                if slot.is_loaded() || slot.block.0 != end {
                    break;
                }
                end = slot.block.1;
            }
        }
        self.ask_for((start, end));
        true
    }

    /// Requests bytes of the stream of blocks: a range, or the whole stream if it is compressed.
    fn ask_for(&mut self, (start, end): (u64, u64)) {
        let (start, end) = if self.now.inside.is_some() { (0, self.now.head.blocks_len) } else { (start, end) };
        let at = self.now.head.blocks_at;
        self.now.needs = Some(at.saturating_add(start)..at.saturating_add(end));
    }
}

/// Returns the text around the values of a row.
fn layout<'s>(head: &TableHead, known: &'s [u8], limits: &Limits) -> Result<Layout<'s>> {
    let meta = head.meta(known, limits)?;
    if head.is_json && meta.columns() > 0 {
        return Ok(Layout::Template(Template::open(head.template.stream(known), meta.columns())?));
    }
    Ok(Layout::Delimited(meta.delimiter))
}

/// Returns a range of a piece of the file that starts at byte `at`.
fn cut<'b>(at: u64, bytes: &'b [u8], range: &Range<u64>) -> Option<&'b [u8]> {
    let start = range.start.checked_sub(at)?;
    let end = range.end.checked_sub(at)?;
    bytes.get(index(start)..index(end))
}

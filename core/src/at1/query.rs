//! Questions to a table in row groups, answered from as few of its blocks as possible.
//!
//! A [`Query`] starts from the head of a file and does no input of its own: [`needs`](Query::needs) says which bytes come
//! next, [`feed`](Query::feed) takes them, so that they can come from a page of flash, a `File.slice` or an HTTP range.
//! In each group whose zone maps do not rule it out, the columns of the conditions are decoded one after the other as long
//! as a row is left; only then the columns that are asked for. Each value is compared exactly.
//!
//! Rows are pushed to a closure by `feed`, or pulled one by one with [`step`](Query::step), which stops at each so that the
//! caller can look at it with [`row`](Query::row) for as long as it likes.
//!
//! What the query knows of the file lies in the scratch, which the caller hands in with each call, unchanged at its front:
//! a longer one may take its place when a call asks for more.
//!
//! A query reads parts of a file. It cannot compare the hash at the file's end, which is that of all lines, and it does not
//! look at streams that it does not need.

use core::cmp::Ordering;
use core::ops::Range;

use super::backend::Backend;
use super::compare::{Best, Number, Sum};
use super::head::{Head, Stretch, inside, too_small};
use super::header::Codec;
use super::lines::{Lines, line_len};
use super::predicate::{Column, Filter, Matcher, Test};
use super::qcolumnar::{ColumnType, Index, Layout, Mark, Meta, Zone, block_size, decode_block};
use super::qjson::{Paths, Template};
use super::row::{RECORD, Record, Row, Slot};
use super::scratch::Workspace;
use crate::copy::to_front;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Result};

/// What is wanted of the rows that meet all conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'q> {
    /// All columns, or the lines.
    Rows,
    /// Some columns, in this order.
    Columns(&'q [Column<'q>]),
    /// How many there are.
    Count,
    /// The sum of the numbers in a column.
    Sum(Column<'q>),
    /// The smallest number in a column.
    Min(Column<'q>),
    /// The largest number in a column.
    Max(Column<'q>),
}

impl<'q> Ask<'q> {
    fn columns(&self) -> &[Column<'q>] {
        match self {
            Self::Rows | Self::Count => &[],
            Self::Columns(columns) => columns,
            Self::Sum(column) | Self::Min(column) | Self::Max(column) => core::slice::from_ref(column),
        }
    }
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'q> {
    /// What a row must meet, all of it.
    pub filters: &'q [Filter<'q>],
    /// What is wanted of these rows.
    pub ask: Ask<'q>,
    /// The first so many of these rows are looked at, no more. `u64::MAX` for all.
    pub limit: u64,
}

/// How much of the file was needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Row groups of the table.
    pub groups: u64,
    /// Groups that the zone maps ruled out.
    pub skipped: u64,
    /// Groups of which blocks were read.
    pub read: u64,
    /// Bytes of the blocks that were read.
    pub block_bytes_read: u64,
    /// Bytes of all blocks.
    pub block_bytes_total: u64,
}

/// What came out besides rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'s> {
    /// Rows that met all conditions, as far as the limit.
    pub rows: u64,
    /// Of these, the rows whose value is no number. Sum, minimum and maximum are over the others.
    pub without_number: u64,
    /// The sum.
    pub sum: Sum,
    /// The smallest or largest number, as the first row that has it writes it.
    pub best: Option<&'s [u8]>,
}

/// What [`Query::step`] stopped at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// These bytes of the file come next.
    Bytes(Range<u64>),
    /// A row that meets all conditions: [`Query::row`] shows it until the next step.
    Row,
    /// All is done.
    Nothing,
}

/// Where the names of columns come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Paths,
    /// The first line, which is no row.
    Line,
    /// The first row.
    Row,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The stream of blocks is compressed as a whole, and needed first.
    Unwrap,
    /// The columns of the request are looked up.
    Start,
    /// The first row is read for the names in it.
    Names,
    /// The next group that may hold rows is looked for.
    Group,
    /// This condition comes next.
    Filter(usize),
    /// The columns that are asked for.
    Rest,
    /// The rows of the group are handed out.
    Rows,
    Done,
}

/// What happens behind a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Stop,
}

/// A question on its way to an answer.
#[derive(Clone, Debug)]
pub struct Query<'q> {
    request: Request<'q>,
    limits: Limits,
    head: Head,
    /// The stream of blocks, if it had to be decoded.
    inside: Option<Stretch>,
    names: Option<Names>,
    /// Where in the scratch the columns of the request stand: those of the conditions, those that are asked for. At first by
    /// their numbers in the table, then by their slots.
    picks: Range<usize>,
    /// Where in the scratch the slots start, and how many there are; texts lie behind them.
    slots_at: usize,
    slots: usize,
    stage: Stage,
    /// The slot whose block comes next.
    pending: usize,
    needs: Option<Range<u64>>,
    mark: Mark,
    first_row: u64,
    rows: u64,
    /// How many of these rows have been looked at.
    row: u64,
    /// How much of the texts is used, and how much of that outlives the group.
    top: usize,
    base: usize,
    /// Where the flags of the rows lie that are left.
    flags: Option<(usize, usize)>,
    found: u64,
    without_number: u64,
    /// The sum and its scale. In bytes, because an integer of 128 bits would want a query to lie at a multiple of 16.
    sum: ([u8; 16], u32),
    best: Best,
    stats: Stats,
}

impl<'q> Query<'q> {
    /// Starts a query with the first bytes of a file, however many: if they are too few, an error of the class `Truncated`
    /// says how many there must be. If the scratch is too short, one of the class `WorkspaceTooSmall` does, here as with
    /// [`feed`](Self::feed).
    pub fn new(
        head: &[u8],
        request: Request<'q>,
        scratch: &mut [u8],
        ws: &mut Workspace,
        limits: &Limits,
    ) -> Result<Self> {
        let mut query = Self::unopened(request, limits);
        query.open(head, scratch, ws)?;
        Ok(query)
    }

    /// A question that knows of no file yet, to be [opened](Self::open) where it lies: a query is too large to be moved about on a
    /// small stack.
    pub fn unopened(request: Request<'q>, limits: &Limits) -> Self {
        Self {
            request,
            limits: *limits,
            head: Head::NONE,
            inside: None,
            names: None,
            picks: 0..0,
            slots_at: 0,
            slots: 0,
            stage: Stage::Done,
            pending: 0,
            needs: None,
            mark: Mark::default(),
            first_row: 0,
            rows: 0,
            row: 0,
            top: 0,
            base: 0,
            flags: None,
            found: 0,
            without_number: 0,
            sum: ([0; 16], 0),
            best: Best::default(),
            stats: Stats::default(),
        }
    }

    /// The rest of [`new`](Self::new): takes the first bytes of a file. Behind an error the query is of no use.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn open(&mut self, head: &[u8], scratch: &mut [u8], ws: &mut Workspace) -> Result<()> {
        self.read_head(head, scratch, ws)?;
        let Head { backend, blocks_at, blocks_len, .. } = self.head;
        if backend == Backend::Stored {
            self.start(scratch)?;
            return self.advance(scratch, &mut |_| Ok(Flow::On));
        }
        self.stage = Stage::Unwrap;
        self.needs = Some(blocks_at..blocks_at.saturating_add(blocks_len));
        Ok(())
    }

    /// Finds out what the table is like, and where the columns of the request will stand in the scratch.
    #[cfg_attr(feature = "small", inline(never))]
    fn read_head(&mut self, head: &[u8], scratch: &mut [u8], ws: &mut Workspace) -> Result<()> {
        let request = self.request;
        let asked = request.ask.columns();
        let named = |column: &Column<'_>| matches!(column, Column::Name(_));
        let by_name = asked.iter().any(named) || request.filters.iter().any(|filter| named(&filter.column));
        if request.ask == Ask::Columns(&[]) {
            return Err(Error::new(ErrorKind::At1NoSuchColumn, 0));
        }
        self.head.read(head, by_name, request.ask == Ask::Rows, scratch, ws, &self.limits)?;
        let head = &self.head;
        let meta = self.meta(scratch)?;
        if meta.columns() == 0 && meta.rows > 0 {
            return Err(Error::new(ErrorKind::At1RowGroups, head.blocks_at));
        }
        let names = match head.codec {
            _ if !by_name => None,
            Codec::QJson => Some(Names::Paths),
            _ if meta.lines == 0 => return Err(Error::new(ErrorKind::At1NoNames, 0)),
            _ => match head.modes.stream(scratch).numbers().byte()? {
                0 => Some(Names::Line),
                _ => Some(Names::Row),
            },
        };
        let picks = request.filters.len().saturating_add(asked.len());
        let picks_end = head.used.saturating_add(picks.saturating_mul(size_of::<u64>()));
        if picks_end > scratch.len() {
            return Err(too_small(u64_from(picks_end)));
        }
        (self.stats.groups, self.stats.block_bytes_total) = (meta.groups, head.blocks_len);
        (self.names, self.picks, self.slots_at) = (names, head.used..picks_end, picks_end);
        self.stage = Stage::Start;
        Ok(())
    }

    /// The bytes of the file that come next; `None` when all is done.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.needs.clone()
    }

    /// Goes on with bytes of the file from byte `at` on, which must hold what [`needs`](Self::needs) says or the first of
    /// the blocks in it, and may hold more. Rows that meet all conditions go to `visit`, whose error ends the query.
    ///
    /// When an error of the class `WorkspaceTooSmall` asks for more scratch, the same bytes can be fed again with a longer
    /// one that starts with what was in the last.
    pub fn feed(
        &mut self,
        at: u64,
        bytes: &[u8],
        scratch: &mut [u8],
        ws: &mut Workspace,
        visit: &mut impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut on = |row: &Row<'_>| visit(row).map(|()| Flow::On);
        match (self.take(at, bytes, scratch, ws, &mut on)?, self.needs()) {
            (false, Some(needs)) => Err(Error::new(ErrorKind::RangeOutside, needs.start).needing(needs.end)),
            _ => Ok(()),
        }
    }

    /// Goes on as [`feed`](Self::feed) does, but only up to the next row that meets all conditions, and says what it stopped at.
    ///
    /// The first call needs no bytes. Behind a row, the next call gets the same bytes again, because they may hold the blocks of more
    /// rows; bytes that do not hold what is needed are not looked at. An error that is not about the scratch ends the query.
    pub fn step(&mut self, at: u64, bytes: &[u8], scratch: &mut [u8], ws: &mut Workspace) -> Result<Next> {
        let mut stop = |_: &Row<'_>| Ok(Flow::Stop);
        self.take(at, bytes, scratch, ws, &mut stop)?;
        Ok(match (self.needs(), self.stage) {
            (Some(needs), _) => Next::Bytes(needs),
            (None, Stage::Rows) => Next::Row,
            (None, _) => Next::Nothing,
        })
    }

    /// The row that the last [`step`](Self::step) stopped at, if it did.
    pub fn row<'s>(&self, scratch: &'s [u8]) -> Option<Row<'s>> {
        let number = self.first_row.saturating_add(self.row.checked_sub(1)?);
        let picks = self.picks(scratch).get(self.request.filters.len()..);
        let all = self.request.ask == Ask::Rows;
        let layout = if all { Some(layout(&self.head, scratch, &self.limits).ok()?) } else { None };
        let texts = scratch.get(self.texts_at()..)?;
        let row = Row { number, records: self.records(scratch), picks: picks.filter(|_| !all), texts, layout };
        (self.stage == Stage::Rows).then_some(row)
    }

    /// Takes bytes of the file, until others are needed or `visit` stops. Says whether they held what was needed.
    fn take(
        &mut self,
        at: u64,
        bytes: &[u8],
        scratch: &mut [u8],
        ws: &mut Workspace,
        visit: &mut impl FnMut(&Row<'_>) -> Result<Flow>,
    ) -> Result<bool> {
        if self.stage == Stage::Unwrap {
            let Some(payload) = self.needs().and_then(|needs| cut(at, bytes, &needs)) else { return Ok(false) };
            self.unwrap(payload, scratch, ws)?;
        }
        let mut fed = self.inside.is_some() || self.stage == Stage::Rows;
        if self.stage == Stage::Start {
            self.start(scratch)?;
            self.advance(scratch, visit)?;
        } else if self.stage == Stage::Rows {
            self.advance(scratch, visit)?;
        }
        while self.needs.is_some() {
            let slot = self.slot(scratch, self.pending);
            let range = self.place(slot.block.0)..self.place(slot.block.1);
            let piece = match cut(at, bytes, &range) {
                _ if self.inside.is_some() => &[],
                Some(piece) => piece,
                None => break,
            };
            // It has been when the scratch was too short for what comes behind it.
            if !slot.is_loaded() {
                self.load(piece, slot.block, range.start, scratch, ws)?;
            }
            self.advance(scratch, visit)?;
            fed = true;
        }
        Ok(fed)
    }

    /// How much was needed so far.
    pub const fn stats(&self) -> Stats {
        self.stats
    }

    /// What came out so far besides rows.
    pub fn answer<'s>(&self, scratch: &'s [u8]) -> Answer<'s> {
        let texts = scratch.get(self.texts_at()..).unwrap_or_default();
        let best = texts.get(self.best.start..self.best.end).filter(|_| self.best.found);
        Answer { rows: self.found, without_number: self.without_number, sum: self.sum(), best }
    }

    const fn sum(&self) -> Sum {
        Sum { value: i128::from_le_bytes(self.sum.0), scale: self.sum.1 }
    }

    /// Where a byte of the stream of blocks lies in the file.
    fn place(&self, at: u64) -> u64 {
        match self.inside {
            None => self.head.blocks_at.saturating_add(at),
            Some(_) => self.head.blocks_at,
        }
    }

    fn texts_at(&self) -> usize {
        self.slots_at.saturating_add(self.slots.saturating_mul(RECORD))
    }

    fn meta<'s>(&self, scratch: &'s [u8]) -> Result<Meta<'s>> {
        Meta::read(self.head.meta.stream(scratch), self.head.codec == Codec::QColumnar, &self.limits)
    }

    /// The scratch in its parts: streams and picks, slots, texts.
    fn parts<'s>(&self, scratch: &'s mut [u8]) -> (&'s [u8], &'s mut [Record], &'s mut [u8]) {
        let (known, rest) = scratch.split_at_mut_checked(self.slots_at).unwrap_or_default();
        let (slots, texts) = rest.split_at_mut_checked(self.slots.saturating_mul(RECORD)).unwrap_or_default();
        (known, slots.as_chunks_mut::<8>().0.as_chunks_mut::<7>().0, texts)
    }

    fn records<'s>(&self, scratch: &'s [u8]) -> &'s [Record] {
        let bytes = scratch.get(self.slots_at..self.texts_at()).unwrap_or_default();
        bytes.as_chunks::<8>().0.as_chunks::<7>().0
    }

    fn slot(&self, scratch: &[u8], slot: usize) -> Slot {
        self.records(scratch).get(slot).map_or(Slot::new(0, (0, 0)), Slot::read)
    }

    fn picks<'s>(&self, scratch: &'s [u8]) -> &'s [[u8; 8]] {
        scratch.get(self.picks.clone()).unwrap_or_default().as_chunks().0
    }

    /// The slot of a condition.
    fn pick(&self, scratch: &[u8], filter: usize) -> usize {
        self.picks(scratch).get(filter).map_or(usize::MAX, |&pick| index(u64::from_le_bytes(pick)))
    }

    /// Decodes the stream of blocks.
    fn unwrap(&mut self, payload: &[u8], scratch: &mut [u8], ws: &mut Workspace) -> Result<()> {
        let Head { backend, blocks_at, .. } = self.head;
        let blocks = Stretch::load(backend, payload, blocks_at, self.slots_at, scratch, ws, &self.limits)?;
        self.slots_at = blocks.end();
        self.stats.block_bytes_total = u64_from(blocks.stream(scratch).bytes.len());
        self.inside = Some(blocks);
        self.stage = Stage::Start;
        Ok(())
    }

    /// Finds out which columns are meant and makes room for them.
    fn start(&mut self, scratch: &mut [u8]) -> Result<()> {
        if self.request.ask == Ask::Rows {
            layout(&self.head, scratch, &self.limits)?;
        }
        if self.names == Some(Names::Row) {
            self.all_slots(scratch)?;
            self.stage = Stage::Names;
            let first = self.next_group(scratch)?;
            return if first { Ok(()) } else { Err(Error::new(ErrorKind::At1NoNames, 0)) };
        }
        self.resolve(scratch)
    }

    /// Writes down the columns of the request by number, makes slots of them, and writes down the slots.
    fn resolve(&mut self, scratch: &mut [u8]) -> Result<()> {
        let request = self.request;
        let columns = request.filters.iter().map(|filter| filter.column);
        for (i, column) in columns.chain(request.ask.columns().iter().copied()).enumerate() {
            let number = match column {
                Column::Number(number) => {
                    Some(number).filter(|&number| number < self.meta(scratch).map_or(0, |meta| meta.columns()))
                }
                Column::Name(name) => self.find(name, scratch)?,
            };
            let number = number.ok_or(Error::new(ErrorKind::At1NoSuchColumn, 0))?;
            self.set_pick(scratch, i, number);
        }
        match request.ask {
            Ask::Rows => self.all_slots(scratch)?,
            _ => self.some_slots(scratch)?,
        }
        for i in 0..self.picks(scratch).len() {
            let column = self.pick(scratch, i);
            let slot =
                self.records(scratch).binary_search_by_key(&u64_from(column), |record| Slot::read(record).column);
            self.set_pick(scratch, i, slot.unwrap_or(usize::MAX));
        }
        self.stage = Stage::Group;
        self.mark = Mark::default();
        self.top = 0;
        if request.ask == Ask::Count && request.filters.is_empty() {
            self.found = self.meta(scratch)?.rows.min(request.limit);
            self.stage = Stage::Done;
        }
        Ok(())
    }

    fn set_pick(&self, scratch: &mut [u8], i: usize, pick: usize) {
        let picks = scratch.get_mut(self.picks.clone()).unwrap_or_default();
        if let Some(slot) = picks.as_chunks_mut().0.get_mut(i) {
            *slot = u64_from(pick).to_le_bytes();
        }
    }

    fn room_for_slots(&mut self, slots: usize, scratch: &[u8]) -> Result<()> {
        let end = slots.saturating_mul(RECORD).saturating_add(self.slots_at);
        if end > scratch.len() {
            return Err(too_small(u64_from(end)));
        }
        self.slots = slots;
        Ok(())
    }

    fn all_slots(&mut self, scratch: &mut [u8]) -> Result<()> {
        self.room_for_slots(self.meta(scratch)?.columns(), scratch)?;
        let (_, records, _) = self.parts(scratch);
        for (column, record) in (0u64..).zip(records) {
            *record = Slot::new(column, (0, 0)).write();
        }
        Ok(())
    }

    /// A slot for each column that is picked, in the order of the table.
    fn some_slots(&mut self, scratch: &mut [u8]) -> Result<()> {
        self.room_for_slots(self.picks(scratch).len(), scratch)?;
        let picks = self.picks.clone();
        let (known, records, _) = self.parts(scratch);
        let mut count = 0usize;
        for &pick in known.get(picks).unwrap_or_default().as_chunks().0 {
            let column = u64::from_le_bytes(pick);
            let sorted = records.get(..count).unwrap_or_default();
            if let Err(place) = sorted.binary_search_by_key(&column, |record| Slot::read(record).column)
                && let Some(moved) = records.get_mut(place..=count)
            {
                let mut next = Slot::new(column, (0, 0)).write();
                for record in moved {
                    core::mem::swap(record, &mut next);
                }
                count = count.saturating_add(1);
            }
        }
        self.slots = count;
        Ok(())
    }

    /// The column of this name.
    fn find(&self, name: &[u8], scratch: &[u8]) -> Result<Option<usize>> {
        let meta = self.meta(scratch)?;
        let no_names = Error::new(ErrorKind::At1NoNames, 0);
        match self.names {
            Some(Names::Paths) => {
                let paths = Paths::open(self.head.paths.stream(scratch))?;
                if paths.iter().next().is_none() {
                    return Err(no_names);
                }
                one(paths.iter().take(meta.columns()).map(|path| path == name))
            }
            Some(Names::Line) => {
                let line = Lines::new(self.head.verbatim.stream(scratch)).item()?;
                let fields = Fields { rest: Some(line), delimiter: meta.delimiter };
                if fields.clone().count() != meta.columns() {
                    return Err(no_names);
                }
                one(fields.map(|field| names(field, name)))
            }
            _ => {
                let texts = scratch.get(self.texts_at()..).unwrap_or_default();
                let fields = self.records(scratch).iter().map(|record| {
                    let text = texts.get(Slot::read(record).text_range()).unwrap_or_default();
                    text.get(..line_len(text)).unwrap_or(text)
                });
                // A first row that holds a number or nothing is a row like the others.
                if fields.clone().any(|field| field.is_empty() || Number::read(field).is_some()) {
                    return Err(no_names);
                }
                one(fields.map(|field| names(field, name)))
            }
        }
    }

    /// Goes on until a block is needed or `visit` stops.
    fn advance(&mut self, scratch: &mut [u8], visit: &mut impl FnMut(&Row<'_>) -> Result<Flow>) -> Result<()> {
        loop {
            match self.stage {
                Stage::Unwrap | Stage::Start | Stage::Done => {
                    self.needs = None;
                    return Ok(());
                }
                Stage::Names => {
                    if self.wants_rest(scratch) {
                        return Ok(());
                    }
                    // The blocks are read once more where they are needed.
                    (self.stats.read, self.stats.skipped) = (0, 0);
                    self.resolve(scratch)?;
                }
                Stage::Group => {
                    self.stage = Stage::Done;
                    if self.found < self.request.limit && self.next_group(scratch)? {
                        self.stage = Stage::Filter(0);
                    }
                }
                Stage::Filter(filter) if filter < self.request.filters.len() => {
                    let slot = self.pick(scratch, filter);
                    if !self.slot(scratch, slot).is_loaded() {
                        self.pending = slot;
                        self.ask_for(self.slot(scratch, slot).block);
                        return Ok(());
                    }
                    let left = self.apply(filter, slot, scratch)?;
                    self.stage = if left > 0 { Stage::Filter(filter.saturating_add(1)) } else { Stage::Group };
                    if self.request.ask == Ask::Count && filter.saturating_add(1) == self.request.filters.len() {
                        self.found = self.found.saturating_add(left).min(self.request.limit);
                        self.stage = Stage::Group;
                    }
                }
                Stage::Filter(_) => self.stage = Stage::Rest,
                Stage::Rest => {
                    if self.wants_rest(scratch) {
                        return Ok(());
                    }
                    self.stage = Stage::Rows;
                    self.needs = None;
                }
                Stage::Rows => {
                    self.stage = Stage::Done;
                    let stopped = self.hand_out(scratch, visit)? == Flow::Stop;
                    self.stage = if stopped { Stage::Rows } else { Stage::Group };
                    if stopped {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Asks for the first slot that has not been loaded, and for those that lie right behind it.
    fn wants_rest(&mut self, scratch: &[u8]) -> bool {
        let slots = self.records(scratch).iter().map(Slot::read);
        let mut missing = slots.enumerate().skip_while(|(_, slot)| slot.is_loaded());
        let Some((pending, first)) = missing.next() else { return false };
        let mut end = first.block.1;
        for (_, slot) in missing {
            if slot.is_loaded() || slot.block.0 != end {
                break;
            }
            end = slot.block.1;
        }
        self.pending = pending;
        self.ask_for((first.block.0, end));
        true
    }

    /// These bytes of the stream of blocks come next: in the file, or all that was compressed with them.
    fn ask_for(&mut self, (start, end): (u64, u64)) {
        let (start, end) = if self.inside.is_some() { (0, self.head.blocks_len) } else { (start, end) };
        let at = self.head.blocks_at;
        self.needs = Some(at.saturating_add(start)..at.saturating_add(end));
    }

    /// Finds the next group that the zone maps do not rule out, and where its blocks lie.
    fn next_group(&mut self, scratch: &mut [u8]) -> Result<bool> {
        let (filters, blocks_len) = (self.request.filters, self.stats.block_bytes_total);
        let reading_names = self.stage == Stage::Names;
        let blocks_at = self.head.blocks_at;
        let (known, records, _) = self.parts(scratch);
        let (meta, picks) = (self.meta(known)?, self.picks(known));
        let stream = self.head.index.stream(known);
        let mut blocks = Index::resume(stream, &meta, self.mark)?;
        loop {
            let mut slots = (0u64..).zip(records.iter_mut()).peekable();
            let mut possible = true;
            let mut group = None;
            for column in 0..meta.columns() {
                let Some(block) = blocks.next().transpose()? else { break };
                group = Some(block.group);
                let wanted = slots.next_if(|(_, record)| Slot::read(record).column == u64_from(column));
                let Some((slot, record)) = wanted else { continue };
                if block.range.end > blocks_len {
                    let at = blocks_at.saturating_add(block.range.start);
                    return Err(Error::new(ErrorKind::At1BlockOutside, at).needing(block.range.end));
                }
                *record = Slot::new(u64_from(column), (block.range.start, block.range.end)).write();
                if block.zone == Zone::None || reading_names {
                    continue;
                }
                for (filter, pick) in filters.iter().zip(picks) {
                    if u64::from_le_bytes(*pick) == slot && possible {
                        possible = Matcher::may_find(&filter.test, kind(&meta, column), block.zone)?;
                    }
                }
            }
            let Some(group) = group else { return Ok(false) };
            self.mark = blocks.mark(&stream);
            if possible {
                self.stats.read = self.stats.read.saturating_add(1);
                self.first_row = group.saturating_mul(meta.rows_per_group);
                self.rows = meta.rows_of(group);
                self.row = 0;
                self.top = self.base;
                self.flags = None;
                return Ok(true);
            }
            self.stats.skipped = self.stats.skipped.saturating_add(1);
        }
    }

    /// Decodes the block of the pending slot.
    fn load(&mut self, piece: &[u8], block: (u64, u64), at: u64, scratch: &mut [u8], ws: &mut Workspace) -> Result<()> {
        let texts_at = self.texts_at();
        let (top, unwrapped) = (self.top, self.inside);
        let (known, records, texts) = self.parts(scratch);
        let piece = match unwrapped {
            None => piece,
            Some(blocks) => blocks.stream(known).bytes.get(index(block.0)..index(block.1)).unwrap_or_default(),
        };
        let size = block_size(piece, at, &self.limits).map_err(|error| inside(error, 0))?;
        // The flags of the rows lie behind the first text that has a value for each of them.
        let flags = if matches!(self.stage, Stage::Filter(_)) && self.flags.is_none() { self.rows } else { 0 };
        if flags > size.saturating_add(1) {
            return Err(Error::new(ErrorKind::At1ListShort, at).needing(flags));
        }
        let decoded = u64_from(top).saturating_add(size);
        if decoded > self.limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, at).needing(decoded));
        }
        let (end, need) = (index(decoded), decoded.saturating_add(flags));
        if need > u64_from(texts.len()) {
            return Err(too_small(u64_from(texts_at).saturating_add(need)));
        }
        if let Some(room) = texts.get_mut(top..end) {
            decode_block(piece, at, room, ws, &self.limits).map_err(|error| inside(error, 0))?;
        }
        if let Some(record) = records.get_mut(self.pending) {
            let mut slot = Slot::read(record);
            slot.load(top, end);
            *record = slot.write();
        }
        if flags > 0 {
            texts.get_mut(end..index(need)).unwrap_or_default().fill(1);
            self.flags = Some((end, index(need)));
        }
        self.top = index(need);
        self.stats.block_bytes_read = self.stats.block_bytes_read.saturating_add(u64_from(piece.len()));
        Ok(())
    }

    /// Clears the flags of rows that do not meet a condition. Says how many are left.
    fn apply(&mut self, filter: usize, slot: usize, scratch: &mut [u8]) -> Result<u64> {
        let slot = self.slot(scratch, slot);
        let Some(filter) = self.request.filters.get(filter) else { return Ok(0) };
        let column = kind(&self.meta(scratch)?, index(slot.column));
        let at = self.place(slot.block.0);
        let flags = self.flags.unwrap_or_default();
        let (_, _, texts) = self.parts(scratch);
        let text = slot.text_range();
        // Text and flags lie side by side, in this order only for the first text of a group.
        let (text, flags) = if text.end <= flags.0 {
            let (before, behind) = texts.split_at_mut_checked(flags.0).unwrap_or_default();
            (before.get(text), behind.get_mut(..flags.1.saturating_sub(flags.0)))
        } else {
            let (before, behind) = texts.split_at_mut_checked(flags.1).unwrap_or_default();
            let text = text.start.saturating_sub(flags.1)..text.end.saturating_sub(flags.1);
            (behind.get(text), before.get_mut(flags.0..))
        };
        sift(&filter.test, column, text, flags.unwrap_or_default(), at)
    }

    /// Takes the rows of a group that are left, or those up to the one that `visit` stops at.
    fn hand_out(&mut self, scratch: &mut [u8], visit: &mut impl FnMut(&Row<'_>) -> Result<Flow>) -> Result<Flow> {
        let ask = self.request.ask;
        let (at, flags, filters) = (self.head.blocks_at, self.flags, self.request.filters.len());
        let (known, records, texts) = self.parts(scratch);
        let picks = self.picks(known).get(filters..).unwrap_or_default();
        let all = ask == Ask::Rows;
        let layout = if all { Some(layout(&self.head, known, &self.limits)?) } else { None };
        let target = picks.first().map_or(usize::MAX, |&pick| index(u64::from_le_bytes(pick)));
        let mut sum = self.sum();
        for row in self.row..self.rows {
            for record in records.iter_mut() {
                let mut slot = Slot::read(record);
                slot.step(texts).ok_or(Error::new(ErrorKind::At1ListShort, at.saturating_add(slot.block.0)))?;
                *record = slot.write();
            }
            let left = flags.is_none_or(|(start, _)| texts.get(start.saturating_add(index(row))) != Some(&0));
            if !left {
                continue;
            }
            if self.found >= self.request.limit {
                break;
            }
            self.found = self.found.saturating_add(1);
            let value = records.get(target).map_or(0..0, |record| Slot::read(record).value_range());
            let number = match ask {
                Ask::Sum(_) => match texts.get(value).and_then(Number::read) {
                    Some(number) => sum.add(&number).map(|()| true)?,
                    None => false,
                },
                Ask::Min(_) => self.best.offer(texts, value.start, value.end, Ordering::Less),
                Ask::Max(_) => self.best.offer(texts, value.start, value.end, Ordering::Greater),
                _ => {
                    let number = self.first_row.saturating_add(row);
                    if visit(&Row { number, records, picks: (!all).then_some(picks), texts, layout })? == Flow::Stop {
                        self.row = row.saturating_add(1);
                        return Ok(Flow::Stop);
                    }
                    true
                }
            };
            self.without_number = self.without_number.saturating_add((!number).into());
        }
        self.sum = (sum.value.to_le_bytes(), sum.scale);
        // The texts of the group go, but for the number that is the best so far.
        if self.best.found {
            let Best { start, end, .. } = self.best;
            to_front(texts, start..end);
            self.base = self.best.len();
            self.best = Best { start: 0, end: self.base, found: true };
        }
        Ok(Flow::On)
    }
}

/// Clears the flags of those values of a text, which lies at byte `at`, that do not pass a test. Says how many are left.
#[cfg_attr(feature = "small", inline(never))]
fn sift(test: &Test<'_>, column: ColumnType, mut text: Option<&[u8]>, flags: &mut [u8], at: u64) -> Result<u64> {
    let matcher = Matcher::new(test, column)?;
    let mut left = 0u64;
    for flag in flags {
        let values = text.ok_or(Error::new(ErrorKind::At1ListShort, at))?;
        let len = line_len(values);
        if *flag != 0 {
            let accepted = matcher.accepts(values.get(..len).unwrap_or(values));
            *flag = accepted.into();
            left = left.saturating_add(accepted.into());
        }
        text = values.get(len.saturating_add(1)..);
    }
    Ok(left)
}

/// What stands around the values of a line.
fn layout<'s>(head: &Head, known: &'s [u8], limits: &Limits) -> Result<Layout<'s>> {
    let meta = Meta::read(head.meta.stream(known), head.codec == Codec::QColumnar, limits)?;
    Ok(match head.codec {
        Codec::QJson if meta.columns() > 0 => {
            Layout::Template(Template::open(head.template.stream(known), meta.columns())?)
        }
        _ => Layout::Delimited(meta.delimiter),
    })
}

/// What a column holds.
fn kind(meta: &Meta<'_>, column: usize) -> ColumnType {
    meta.column_type(column).unwrap_or(ColumnType::Text)
}

/// The bytes of a range out of a piece of the file that starts at byte `at`.
fn cut<'b>(at: u64, bytes: &'b [u8], range: &Range<u64>) -> Option<&'b [u8]> {
    let start = range.start.checked_sub(at)?;
    let end = range.end.checked_sub(at)?;
    bytes.get(index(start)..index(end))
}

/// Which of several things is it: none, one, or too many of them.
fn one(matches: impl Iterator<Item = bool>) -> Result<Option<usize>> {
    let mut places = matches.enumerate().filter(|&(_, is)| is).map(|(place, _)| place);
    let first = places.next();
    match places.next() {
        None => Ok(first),
        Some(_) => Err(Error::new(ErrorKind::At1ColumnTwice, 0)),
    }
}

/// Whether a field of a header line is this name: as it stands, or without quotes and the end of a line.
fn names(field: &[u8], name: &[u8]) -> bool {
    let bare = field.strip_suffix(b"\r").unwrap_or(field);
    let unquoted = bare.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    field == name || bare == name || unquoted == Some(name)
}

/// Cuts a line at its delimiters.
#[derive(Clone, Debug)]
struct Fields<'a> {
    rest: Option<&'a [u8]>,
    delimiter: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let at = match self.delimiter {
            [] => None,
            delimiter => rest.windows(delimiter.len()).position(|window| window == delimiter),
        };
        let Some(at) = at else { return Some(rest) };
        self.rest = rest.get(at.saturating_add(self.delimiter.len())..);
        rest.get(..at)
    }
}

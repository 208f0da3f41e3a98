//! Row groups: those that may match, their blocks, and their matching rows.

use core::cell::Cell;
use core::cmp::Ordering;
use core::ops::{ControlFlow, Range};

use super::compare::Number;
use super::head::too_small;
use super::predicate::{Matcher, Test};
use super::request::{Ask, Group};
use super::row::{ColumnState, Row};
use super::{Flow, Query, QueryStage, layout};
use crate::at1::codecs::qcolumnar::{ColumnType, Index, Meta, Zone, block_size, decode_block};
use crate::at1::scratch::Workspace;
use crate::at1::streams::lines::line_len;
use crate::copy::to_front;
use crate::num::{index, u64_from};
use crate::steps;
use crate::{Error, ErrorKind, Result};

impl Query<'_> {
    /// Returns the next group after this one that its zone maps do not exclude; `None` at the end.
    ///
    /// Use it to answer groups apart, for example on several threads:
    ///
    /// 1. Open a query with the limit 0, and feed it until it needs no more. It has read the head
    ///    of the file then, and the names of columns.
    /// 2. Give each thread a clone of the query and of its scratch.
    /// 3. Pass a group to [`begin`](Self::begin) of such a clone, and feed that.
    pub fn group_after(&self, group: &Group, scratch: &[u8]) -> Result<Option<Group>> {
        let meta = self.meta(scratch)?;
        let stream = self.now.head.index.stream(scratch);
        let mut blocks = Index::resume(stream, &meta, group.end)?;
        let column = |slot: usize| self.records(scratch).get(slot).map(|record| ColumnState::read(record).column);
        while let Some((number, possible)) = self.survey(scratch, &meta, &mut blocks, &column, &mut |_, _, _| ())? {
            if possible {
                return Ok(Some(Group { start: group.end, end: blocks.mark(&stream), number }));
            }
        }
        Ok(None)
    }

    /// Starts over with one group: the query ends after it, or after `limit` matching rows of it.
    /// Its results are those of the group alone.
    pub fn begin(&mut self, group: &Group, limit: u64, scratch: &mut [u8]) -> Result<()> {
        let now = &mut self.now;
        (now.stats.skipped, now.stats.read, now.stats.block_bytes_read) = (0, 0, 0);
        (now.stage, now.mark, now.one_group) = (QueryStage::Group, group.start, true);
        (now.found, now.without_number, now.sum, now.base) = (0, 0, ([0; 16], 0), 0);
        now.best.found = false;
        self.request.limit = limit;
        self.advance(scratch, &mut |_| Ok(Flow::On))
    }

    /// Finds the next group that its zone maps do not exclude, and the ranges of its blocks.
    pub(super) fn next_group(&mut self, scratch: &mut [u8]) -> Result<bool> {
        let (known, records, _) = self.parts(scratch);
        let meta = self.meta(known)?;
        let stream = self.now.head.index.stream(known);
        let mut blocks = Index::resume(stream, &meta, self.now.mark)?;
        let records = Cell::from_mut(records).as_slice_of_cells();
        let column = |slot: usize| records.get(slot).map(|record| ColumnState::read(&record.get()).column);
        let mut see = |slot: usize, column, block| {
            if let Some(record) = records.get(slot) {
                record.set(ColumnState::new(column, block).write());
            }
        };
        loop {
            let Some((group, possible)) = self.survey(known, &meta, &mut blocks, &column, &mut see)? else {
                return Ok(false);
            };
            self.now.mark = blocks.mark(&stream);
            if possible {
                self.now.stats.read = self.now.stats.read.saturating_add(1);
                self.now.first_row = group.saturating_mul(meta.rows_per_group);
                self.now.rows = meta.rows_of(group);
                self.now.row = 0;
                self.now.top = self.now.base;
                self.now.flags = None;
                return Ok(true);
            }
            self.now.stats.skipped = self.now.stats.skipped.saturating_add(1);
        }
    }

    /// Walks over the blocks of a group and passes the blocks of slots to `see`. `column` returns
    /// the column of a slot. Returns the number of the group, and whether its rows may match.
    fn survey(
        &self,
        known: &[u8],
        meta: &Meta<'_>,
        blocks: &mut Index<'_>,
        column: &dyn Fn(usize) -> Option<u64>,
        see: &mut dyn FnMut(usize, u64, (u64, u64)),
    ) -> Result<Option<(u64, bool)>> {
        let reading_names = self.now.stage == QueryStage::Names;
        let (mut slot, mut possible, mut group) = (0usize, true, None);
        for number in 0..meta.columns() {
            let Some(block) = blocks.next().transpose()? else { break };
            group = Some(block.group);
            let Some(wanted) = column(slot).filter(|&wanted| wanted == u64_from(number)) else { continue };
            if block.range.end > self.now.stats.block_bytes_total {
                let at = self.now.head.blocks_at.saturating_add(block.range.start);
                return Err(Error::new(ErrorKind::At1BlockOutside, at).needing(block.range.end));
            }
            see(slot, wanted, (block.range.start, block.range.end));
            let filters = if block.zone == Zone::None || reading_names { &[] } else { self.request.filters };
            for (filter, pick) in filters.iter().zip(self.picks(known)) {
                if u64::from_le_bytes(*pick) == u64_from(slot) && possible {
                    possible = Matcher::may_find(&filter.test, kind(meta, number), block.zone)?;
                }
            }
            slot = slot.saturating_add(1);
        }
        Ok(group.map(|group| (group, possible)))
    }

    /// Predicts the ranges of the file after those in [`needs`](Self::needs), and passes them to
    /// `tell` until it breaks.
    ///
    /// Predicts the block of the first condition in each group that may match. If the last group
    /// had matches, predicts all other blocks too.
    ///
    /// Use it to request several ranges at once if each request is slow.
    pub fn ahead(&self, scratch: &[u8], tell: &mut dyn FnMut(Range<u64>) -> ControlFlow<()>) -> Result<()> {
        let in_groups = matches!(self.now.stage, QueryStage::Filter(_) | QueryStage::Rest) && self.now.inside.is_none();
        let Some(needs) = self.needs().filter(|_| in_groups) else { return Ok(()) };
        let at = self.now.head.blocks_at;
        let mut side_by_side = MergedRange {
            blocks: None,
            tell: &mut |(start, end)| tell(at.saturating_add(start)..at.saturating_add(end)),
            is_done: false,
        };
        let all = self.now.had_rows || self.request.filters.is_empty();
        let slots = self.records(scratch).iter().map(ColumnState::read);
        for slot in slots.filter(|slot| all && !slot.is_loaded()) {
            if !needs.contains(&at.saturating_add(slot.block.0)) {
                side_by_side.add(slot.block);
            }
        }
        side_by_side.end();
        let meta = self.meta(scratch)?;
        let mut blocks = Index::resume(self.now.head.index.stream(scratch), &meta, self.now.mark)?;
        let first = self.pick(scratch, 0);
        let column = |slot: usize| self.records(scratch).get(slot).map(|record| ColumnState::read(record).column);
        while !side_by_side.is_done {
            // The last block decides whether a group may match. A second walk then reports its
            // blocks.
            let mut again = blocks;
            let Some((_, possible)) = self.survey(scratch, &meta, &mut blocks, &column, &mut |_, _, _| ())? else {
                break;
            };
            if possible {
                let mut see = |slot, _, block| {
                    if all || slot == first {
                        side_by_side.add(block);
                    }
                };
                self.survey(scratch, &meta, &mut again, &column, &mut see)?;
                side_by_side.end();
            }
        }
        Ok(())
    }

    /// Decodes the block of the pending slot.
    pub(super) fn load(
        &mut self,
        piece: &[u8],
        block: (u64, u64),
        at: u64,
        workspace: &mut Workspace,
        scratch: &mut [u8],
    ) -> Result<()> {
        let texts_at = self.texts_at();
        let (top, unwrapped) = (self.now.top, self.now.inside);
        let (known, records, texts) = self.parts(scratch);
        let piece = match unwrapped {
            None => piece,
            Some(blocks) => blocks.stream(known).bytes.get(index(block.0)..index(block.1)).unwrap_or_default(),
        };
        // Blocks that were compressed together have no other offset than their start.
        let locate = |error: Error| if unwrapped.is_some() { Error { at, ..error } } else { error.offset_by(at) };
        let size = block_size(piece, 0, &self.limits).map_err(locate)?;
        // The flags of the rows follow the first text that has a value for each row.
        let flags =
            if matches!(self.now.stage, QueryStage::Filter(_)) && self.now.flags.is_none() { self.now.rows } else { 0 };
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
        if let Some(dst) = texts.get_mut(top..end) {
            decode_block(piece, 0, dst, workspace, &self.limits).map_err(locate)?;
        }
        if let Some(record) = records.get_mut(self.now.pending) {
            let mut slot = ColumnState::read(record);
            slot.load(top, end);
            *record = slot.write();
        }
        if flags > 0 {
            texts.get_mut(end..index(need)).unwrap_or_default().fill(1);
            self.now.flags = Some((end, index(need)));
        }
        self.now.top = index(need);
        self.now.stats.block_bytes_read = self.now.stats.block_bytes_read.saturating_add(u64_from(piece.len()));
        Ok(())
    }

    /// Clears the flags of rows that fail a condition. Returns the number of rows left.
    pub(super) fn apply(&mut self, filter: usize, slot: usize, scratch: &mut [u8]) -> Result<u64> {
        let slot = self.slot(scratch, slot);
        let Some(filter) = self.request.filters.get(filter) else { return Ok(0) };
        let column = kind(&self.meta(scratch)?, index(slot.column));
        let at = self.place(slot.block.0);
        let flags = self.now.flags.unwrap_or_default();
        let (_, _, texts) = self.parts(scratch);
        let text = slot.text_range();
        // Text and flags are adjacent. The first text of a group precedes them, later ones follow.
        let (text, flags) = if text.end <= flags.0 {
            let (before, after) = texts.split_at_mut_checked(flags.0).unwrap_or_default();
            (before.get(text), after.get_mut(..flags.1.saturating_sub(flags.0)))
        } else {
            let (before, after) = texts.split_at_mut_checked(flags.1).unwrap_or_default();
            let text = text.start.saturating_sub(flags.1)..text.end.saturating_sub(flags.1);
            (after.get(text), before.get_mut(flags.0..))
        };
        sift(&filter.test, column, text, flags.unwrap_or_default(), at)
    }

    /// Passes the remaining rows of a group to `visit`, up to the one that it stops at.
    pub(super) fn hand_out(
        &mut self,
        scratch: &mut [u8],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        let ask = self.request.ask;
        let (at, flags, filters) = (self.now.head.blocks_at, self.now.flags, self.request.filters.len());
        let (known, records, texts) = self.parts(scratch);
        let picks = self.picks(known).get(filters..).unwrap_or_default();
        let all = ask == Ask::Rows;
        let layout = if all { Some(layout(&self.now.head, known, &self.limits)?) } else { None };
        let target = picks.first().map_or(usize::MAX, |&pick| index(u64::from_le_bytes(pick)));
        let mut sum = self.sum();
        for row in self.now.row..self.now.rows {
            for record in records.iter_mut() {
                let mut slot = ColumnState::read(record);
                if !slot.step(texts) {
                    return Err(Error::new(ErrorKind::At1ListShort, at.saturating_add(slot.block.0)));
                }
                *record = slot.write();
            }
            let left = flags.is_none_or(|(start, _)| texts.get(start.saturating_add(index(row))) != Some(&0));
            if !left {
                continue;
            }
            if self.now.found >= self.request.limit {
                break;
            }
            self.now.found = self.now.found.saturating_add(1);
            let value = records.get(target).map_or(0..0, |record| ColumnState::read(record).value_range());
            let number = match ask {
                Ask::Sum(_) => match texts.get(value).and_then(Number::read) {
                    Some(number) => sum.add(&number).map(|()| true)?,
                    None => false,
                },
                Ask::Min(_) => self.now.best.offer(texts, value.start, value.end, Ordering::Less),
                Ask::Max(_) => self.now.best.offer(texts, value.start, value.end, Ordering::Greater),
                _ => {
                    let number = self.now.first_row.saturating_add(row);
                    if visit(&Row { number, records, picks: (!all).then_some(picks), texts, layout })? == Flow::Stop {
                        self.now.row = row.saturating_add(1);
                        return Ok(Flow::Stop);
                    }
                    true
                }
            };
            self.now.without_number = self.now.without_number.saturating_add((!number).into());
        }
        self.now.sum = (sum.value.to_le_bytes(), sum.scale);
        // Frees the texts of the group, except for the best number so far. One from an earlier
        // group stays in place.
        if self.now.best.found {
            if self.now.best.start > 0 {
                steps::count(self.now.best.end.saturating_sub(self.now.best.start));
                to_front(texts, self.now.best.start..self.now.best.end);
            }
            self.now.base = self.now.best.moved_to_front();
        }
        Ok(Flow::On)
    }
}

/// Merges adjacent blocks into one range.
struct MergedRange<'t> {
    blocks: Option<(u64, u64)>,
    tell: &'t mut dyn FnMut((u64, u64)) -> ControlFlow<()>,
    /// `tell` broke off.
    is_done: bool,
}

impl MergedRange<'_> {
    fn add(&mut self, block: (u64, u64)) {
        match &mut self.blocks {
            Some((_, end)) if *end == block.0 => *end = block.1,
            _ => {
                self.end();
                self.blocks = Some(block);
            }
        }
    }

    fn end(&mut self) {
        if let Some(blocks) = self.blocks.take().filter(|_| !self.is_done) {
            self.is_done = (self.tell)(blocks).is_break();
        }
    }
}

/// Clears the flags of values that fail a test. The text is at byte `at` of the file. Returns the
/// number of flags left.
#[inline(never)]
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

/// Returns the type of a column.
fn kind(meta: &Meta<'_>, column: usize) -> ColumnType {
    meta.column_type(column).unwrap_or(ColumnType::Text)
}

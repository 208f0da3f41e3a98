//! The columns of a request, by number or by name, and a slot for each.

use super::compare::Number;
use super::head::too_small;
use super::predicate::ColumnRef;
use super::request::Ask;
use super::row::{ColumnState, RECORD};
use super::{Names, Query, QueryStage, layout};
use crate::at1::codecs::qcolumnar::Mark;
use crate::at1::codecs::qjson::Paths;
use crate::at1::streams::lines::line_len;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

impl Query<'_> {
    /// Allocates slots for the columns of the request, or for all columns if their names are in the
    /// first row.
    pub(super) fn start(&mut self, scratch: &mut [u8]) -> Result<()> {
        if self.request.ask == Ask::Rows {
            layout(&self.now.head, scratch, &self.limits)?;
        }
        if self.now.names == Some(Names::Row) {
            self.all_slots(scratch)?;
            (self.now.stage, self.now.pending) = (QueryStage::Names, 0);
            let first = self.next_group(scratch)?;
            return if first { Ok(()) } else { Err(Error::new(ErrorKind::At1NoNames, 0)) };
        }
        self.make_slots(scratch)
    }

    /// Stores the columns of the request by number. Does so before any block is read, unless the
    /// `names` are in a block.
    #[inline(never)]
    pub(super) fn look_up(&self, names: bool, scratch: &mut [u8]) -> Result<()> {
        let request = self.request;
        let columns = self.meta(scratch)?.columns();
        for (i, column) in request.columns().enumerate() {
            let number = match column {
                ColumnRef::Number(number) => Some(number).filter(|&number| number < columns),
                ColumnRef::Name(name) if names => self.find(name, scratch)?,
                ColumnRef::Name(_) => continue,
            };
            let number = number.ok_or(Error::new(ErrorKind::At1NoSuchColumn, 0))?;
            self.set_pick(scratch, i, number);
        }
        Ok(())
    }

    /// Allocates slots for the stored columns, and stores the slots instead.
    pub(super) fn make_slots(&mut self, scratch: &mut [u8]) -> Result<()> {
        let request = self.request;
        match request.ask {
            Ask::Rows => self.all_slots(scratch)?,
            _ => self.some_slots(scratch)?,
        }
        for i in 0..self.picks(scratch).len() {
            let column = self.pick(scratch, i);
            let slot = self
                .records(scratch)
                .binary_search_by_key(&u64_from(column), |record| ColumnState::read(record).column);
            self.set_pick(scratch, i, slot.unwrap_or(usize::MAX));
        }
        self.now.stage = QueryStage::Group;
        self.now.mark = Mark::default();
        self.now.top = 0;
        if request.ask == Ask::Count && request.filters.is_empty() {
            self.now.found = self.meta(scratch)?.rows.min(request.limit);
            self.now.stage = QueryStage::Done;
        }
        Ok(())
    }

    fn set_pick(&self, scratch: &mut [u8], i: usize, pick: usize) {
        let picks = scratch.get_mut(self.now.picks.clone()).unwrap_or_default();
        if let Some(slot) = picks.as_chunks_mut().0.get_mut(i) {
            *slot = u64_from(pick).to_le_bytes();
        }
    }

    fn reserve_slots(&mut self, slots: usize, scratch: &[u8]) -> Result<()> {
        let end = slots.saturating_mul(RECORD).saturating_add(self.now.slots_at);
        if end > scratch.len() {
            return Err(too_small(u64_from(end)));
        }
        self.now.slots = slots;
        Ok(())
    }

    fn all_slots(&mut self, scratch: &mut [u8]) -> Result<()> {
        self.reserve_slots(self.meta(scratch)?.columns(), scratch)?;
        let (_, records, _) = self.parts(scratch);
        for (column, record) in (0u64..).zip(records) {
            *record = ColumnState::new(column, (0, 0)).write();
        }
        Ok(())
    }

    /// Allocates a slot for each requested column, in table order.
    fn some_slots(&mut self, scratch: &mut [u8]) -> Result<()> {
        self.reserve_slots(self.picks(scratch).len(), scratch)?;
        let picks = self.now.picks.clone();
        let (known, records, _) = self.parts(scratch);
        let mut count = 0usize;
        for &pick in known.get(picks).unwrap_or_default().as_chunks().0 {
            let column = u64::from_le_bytes(pick);
            let sorted = records.get(..count).unwrap_or_default();
            if let Err(place) = sorted.binary_search_by_key(&column, |record| ColumnState::read(record).column)
                && let Some(moved) = records.get_mut(place..=count)
            {
                let mut next = ColumnState::new(column, (0, 0)).write();
                for record in moved {
                    core::mem::swap(record, &mut next);
                }
                count = count.saturating_add(1);
            }
        }
        self.now.slots = count;
        Ok(())
    }

    /// Returns the column of this name.
    fn find(&self, name: &[u8], scratch: &[u8]) -> Result<Option<usize>> {
        let meta = self.meta(scratch)?;
        let no_names = Error::new(ErrorKind::At1NoNames, 0);
        match self.now.names {
            Some(Names::Paths) => {
                let paths = Paths::open(self.now.head.paths.stream(scratch))?;
                if paths.iter().next().is_none() {
                    return Err(no_names);
                }
                one(paths.iter().take(meta.columns()).map(|path| path == name))
            }
            Some(Names::Line) => {
                let fields = self.now.head.fields(scratch, &meta)?.ok_or(no_names)?;
                one(fields.map(|field| names(field, name)))
            }
            _ => {
                let texts = scratch.get(self.texts_at()..).unwrap_or_default();
                let fields = self.records(scratch).iter().map(|record| {
                    let text = texts.get(ColumnState::read(record).text_range()).unwrap_or_default();
                    text.get(..line_len(text)).unwrap_or(text)
                });
                // A first row with a number or an empty field is data.
                if fields.clone().any(|field| field.is_empty() || Number::read(field).is_some()) {
                    return Err(no_names);
                }
                one(fields.map(|field| names(field, name)))
            }
        }
    }
}

/// Returns the position of the only match. More than one match is an error.
fn one(matches: impl Iterator<Item = bool>) -> Result<Option<usize>> {
    let mut places = matches.enumerate().filter(|&(_, is)| is).map(|(place, _)| place);
    let first = places.next();
    match places.next() {
        None => Ok(first),
        Some(_) => Err(Error::new(ErrorKind::At1ColumnTwice, 0)),
    }
}

/// Returns whether a field of a header line is this name, literally or without quotes and carriage
/// return.
fn names(field: &[u8], name: &[u8]) -> bool {
    let bare = match field {
        [bare @ .., b'\r'] => bare,
        _ => field,
    };
    let unquoted = match bare {
        [b'"', unquoted @ .., b'"'] => Some(unquoted),
        _ => None,
    };
    field == name || bare == name || unquoted == Some(name)
}

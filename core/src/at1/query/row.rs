//! The columns that a query decodes, and its rows.

use core::ops::Range;

use crate::at1::codecs::qcolumnar::Layout;
use crate::at1::streams::lines::line_len;
use crate::num::{index, u64_from};
use crate::steps;
use crate::{Error, ErrorKind, Result, Sink};

/// A [`ColumnState`] in the scratch.
pub(crate) type Record = [[u8; 8]; 7];

/// Bytes of a [`Record`].
pub(crate) const RECORD: usize = size_of::<Record>();

/// The state of one column in the current group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnState {
    pub(crate) column: u64,
    /// Range of its block in the stream of blocks.
    pub(crate) block: (u64, u64),
    /// Range of its text after the slots. [`NOWHERE`] until it is decoded.
    pub(crate) text: (u64, u64),
    /// Range of the value of the current row.
    pub(crate) value: (u64, u64),
}

/// Start of a text that is not decoded.
const NOWHERE: u64 = u64::MAX;

impl ColumnState {
    pub(crate) const fn new(column: u64, block: (u64, u64)) -> Self {
        Self { column, block, text: (NOWHERE, NOWHERE), value: (NOWHERE, NOWHERE) }
    }

    pub(crate) fn read(record: &Record) -> Self {
        steps::count(1);
        let [column, a, b, c, d, e, f] = record.map(u64::from_le_bytes);
        Self { column, block: (a, b), text: (c, d), value: (e, f) }
    }

    pub(crate) fn write(&self) -> Record {
        let Self { column, block, text, value } = *self;
        [column, block.0, block.1, text.0, text.1, value.0, value.1].map(u64::to_le_bytes)
    }

    pub(crate) const fn is_loaded(&self) -> bool {
        self.text.0 != NOWHERE
    }

    /// Sets the range of the decoded text, before its first value.
    pub(crate) fn load(&mut self, start: usize, end: usize) {
        self.text = (u64_from(start), u64_from(end));
        self.value = (NOWHERE, NOWHERE);
    }

    pub(crate) fn text_range(&self) -> Range<usize> {
        index(self.text.0)..index(self.text.1)
    }

    pub(crate) fn value_range(&self) -> Range<usize> {
        index(self.value.0)..index(self.value.1)
    }

    /// Moves to the next value. Returns `false` after the last one.
    #[inline]
    pub(crate) fn step(&mut self, texts: &[u8]) -> bool {
        // The first value starts with the text, each other one after a line feed.
        let start = if self.value.0 == NOWHERE { self.text.0 } else { self.value.1.saturating_add(1) };
        let Some(rest) = texts.get(index(start)..index(self.text.1)) else { return false };
        self.value = (start, start.saturating_add(u64_from(line_len(rest))));
        true
    }
}

/// A matching row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    pub(crate) number: u64,
    pub(crate) records: &'r [Record],
    /// The requested slots; `None` for all.
    pub(crate) picks: Option<&'r [[u8; 8]]>,
    pub(crate) texts: &'r [u8],
    pub(crate) layout: Option<Layout<'r>>,
}

impl<'r> Row<'r> {
    /// Returns the number of the row in the table, from 0. Lines that are no rows do not count.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.picks.map_or(self.records.len(), <[_]>::len)
    }

    /// Returns whether the row has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a value, byte for byte as in the file.
    pub fn value(&self, i: usize) -> Option<&'r [u8]> {
        let slot = match self.picks {
            None => i,
            Some(picks) => index(u64::from_le_bytes(*picks.get(i)?)),
        };
        self.texts.get(ColumnState::read(self.records.get(slot)?).value_range())
    }

    /// Returns the values in the order of the request.
    pub fn values(&self) -> impl Iterator<Item = &'r [u8]> + use<'r> {
        let row = *self;
        (0..row.len()).map_while(move |i| row.value(i))
    }

    /// Writes the original line without a line feed. Fails unless all columns were requested.
    pub fn write_line(&self, sink: &mut impl Sink) -> Result<()> {
        match self.layout {
            None => Err(Error::new(ErrorKind::At1QueryLine, 0)),
            Some(Layout::Delimited(delimiter)) => {
                for (i, value) in self.values().enumerate() {
                    if i > 0 {
                        sink.write(delimiter)?;
                    }
                    sink.write(value)?;
                }
                Ok(())
            }
            Some(Layout::Template(template)) => {
                let mut segments = template.numbers();
                for value in self.values() {
                    sink.write(segments.string()?)?;
                    sink.write(value)?;
                }
                sink.write(segments.string()?)
            }
        }
    }
}

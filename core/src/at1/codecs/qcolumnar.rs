//! Codecs 7 and 8: rows in groups, and an index that lets a query skip groups.
//!
//! * `meta` describes the table.
//! * `row_modes` has a byte for each line: 0 is a line of `verbatim`, anything else a row.
//! * `blocks` holds the columns of group 0, of group 1 and so on, each compressed alone.
//! * `index` holds the length and the zone map of each block.
//!
//! A block is the list of the original texts of its column. Rows are restored by joining: with a
//! delimiter here, with the template of a JSON object in [`qjson`](super::qjson).

use core::ops::Range;

use super::qjson::Template;
use super::shared::{
    Codec, Decode, Error, ErrorKind, Header, Lent, Limits, Lines, Numbers, Output, Result, Set, Stream, Verdict, Word,
    each_line,
};
use crate::at1::backend::{Backend, inside};
use crate::at1::output::first_line_feed;
use crate::at1::scratch::Workspace;
use crate::at1::streams::lines::line_len;
use crate::at1::streams::record::{Memory, RecordReader, RecordWriter, STREAM};
use crate::num::{copy, index, u64_from};
use crate::{steps, tuning};

/// The streams of a table, in the order that the decoder takes them.
pub const NAMES: [&[u8]; 6] = [b"meta", b"row_modes", b"verbatim", b"index", b"blocks", b"template"];

/// The values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Any text.
    Text,
    /// Integers, as text.
    Integer,
    /// Numbers with a fraction, as text.
    Decimal,
}

impl ColumnType {
    const fn of(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Text),
            1 => Some(Self::Integer),
            2 => Some(Self::Decimal),
            _ => None,
        }
    }

    /// Returns its name in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Decimal => "decimal",
        }
    }
}

/// The description of a table.
#[derive(Clone, Copy, Debug)]
pub struct Meta<'a> {
    /// Lines of the file, whether rows or not.
    pub lines: u64,
    /// The last line ends with a line feed.
    pub trailing: bool,
    /// The text between two fields. Empty for JSON.
    pub delimiter: &'a [u8],
    /// Rows in each group but the last.
    pub rows_per_group: u64,
    /// Lines that are rows.
    pub rows: u64,
    /// Groups.
    pub groups: u64,
    types: &'a [u8],
}

impl<'a> Meta<'a> {
    /// Reads the stream `meta`. Only a table of delimited text has a delimiter.
    pub fn read(stream: Stream<'a>, delimited: bool, limits: &Limits) -> Result<Self> {
        let mut fields = stream.numbers();
        let meta = Self::parse(&mut fields, delimited, limits)?;
        if meta.types.iter().any(|&byte| ColumnType::of(byte).is_none()) {
            return Err(fields.fault(ErrorKind::At1ColumnType).into());
        }
        Ok(meta)
    }

    /// Reads `meta` without checking each type.
    fn parse(meta: &mut Numbers<'a>, delimited: bool, limits: &Limits) -> Result<Self> {
        let lines = meta.unsigned()?;
        let trailing = meta.byte()? != 0;
        let delimiter = if delimited { meta.string()? } else { b"" };
        let columns = meta.unsigned()?;
        if columns > limits.max_columns {
            return Err(Error::from(meta.fault(ErrorKind::ColumnLimit)).needing(columns));
        }
        let (rows_per_group, rows, groups) = (meta.unsigned()?, meta.unsigned()?, meta.unsigned()?);
        if rows_per_group == 0 || groups != rows.div_ceil(rows_per_group) || rows > lines {
            return Err(meta.fault(ErrorKind::At1RowGroups).into());
        }
        let types = meta.bytes(index(columns))?;
        Ok(Self { lines, trailing, delimiter, rows_per_group, rows, groups, types })
    }

    /// Returns the number of columns.
    pub const fn columns(&self) -> usize {
        self.types.len()
    }

    /// Returns the type of a column.
    pub fn column_type(&self, column: usize) -> Option<ColumnType> {
        self.types.get(column).and_then(|&byte| ColumnType::of(byte))
    }

    /// Returns the number of rows in a group.
    pub fn rows_of(&self, group: u64) -> u64 {
        let before = group.saturating_mul(self.rows_per_group);
        self.rows.saturating_sub(before).min(self.rows_per_group)
    }

    /// Checks that `row_modes` has a byte for each line and as many rows as `meta` says.
    fn check_modes(&self, modes: Stream<'_>) -> Verdict<()> {
        let bytes = modes.bytes.get(..index(self.lines));
        let bytes = bytes.ok_or_else(|| modes.fault(ErrorKind::At1StreamShort, modes.bytes.len()))?;
        let rows = bytes.iter().filter(|&&mode| mode != 0).count();
        if u64_from(rows) != self.rows {
            return Err(modes.fault(ErrorKind::At1RowGroups, 0));
        }
        Ok(())
    }
}

/// The zone map of a block: bounds of its values, as the writer claims. They are not verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zone {
    /// No bounds, as for texts.
    None,
    /// Lowest and highest integer.
    Integer(i64, i64),
    /// Lowest and highest decimal, rounded to `f64`.
    Decimal(f64, f64),
}

/// One column of one row group.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Number of the group.
    pub group: u64,
    /// Number of the column.
    pub column: usize,
    /// Range of its tag and payload in the stream `blocks`.
    pub range: Range<u64>,
    /// The bounds of its values.
    pub zone: Zone,
}

/// The start of a group in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    read: usize,
    group: u64,
    at: u64,
}

/// Iterates over the blocks of group 0, of group 1 and so on.
#[derive(Clone, Copy, Debug)]
pub struct Index<'a> {
    numbers: Numbers<'a>,
    types: &'a [u8],
    groups: u64,
    group: u64,
    column: usize,
    at: u64,
}

impl<'a> Index<'a> {
    /// Returns the index from the first block on.
    pub const fn new(stream: Stream<'a>, meta: &Meta<'a>) -> Self {
        Self { numbers: stream.numbers(), types: meta.types, groups: meta.groups, group: 0, column: 0, at: 0 }
    }

    /// Returns the index from a later group on.
    #[inline(never)]
    pub(crate) fn resume(stream: Stream<'a>, meta: &Meta<'a>, mark: Mark) -> Verdict<Self> {
        let mut index = Self::new(stream, meta);
        index.numbers.bytes(mark.read)?;
        Ok(Self { group: mark.group, at: mark.at, ..index })
    }

    /// Returns the position between two groups.
    pub(crate) const fn mark(&self, stream: &Stream<'_>) -> Mark {
        Mark { read: self.numbers.position(stream.bytes.len()), group: self.group, at: self.at }
    }

    #[inline(never)]
    fn read(&mut self) -> Verdict<Block> {
        let len = self.numbers.unsigned()?;
        let end = self.at.checked_add(len).filter(|_| len > 0);
        let end = end.ok_or_else(|| self.numbers.fault(ErrorKind::At1BlockOutside))?;
        let zone = match self.types.get(self.column).and_then(|&byte| ColumnType::of(byte)) {
            Some(ColumnType::Integer) => Zone::Integer(self.numbers.signed()?, self.numbers.signed()?),
            Some(ColumnType::Decimal) => {
                let [low, high] = [self.numbers.array()?, self.numbers.array()?].map(f64::from_le_bytes);
                Zone::Decimal(low, high)
            }
            _ => Zone::None,
        };
        let block = Block { group: self.group, column: self.column, range: self.at..end, zone };
        self.at = end;
        self.column = self.column.saturating_add(1);
        if self.column >= self.types.len() {
            self.column = 0;
            self.group = self.group.saturating_add(1);
        }
        Ok(block)
    }
}

impl Iterator for Index<'_> {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        if self.group >= self.groups || self.types.is_empty() {
            return None;
        }
        let block = self.read();
        if block.is_err() {
            // Nothing can be read after an error.
            self.groups = 0;
        }
        Some(block.map_err(Error::from))
    }
}

/// Splits a block into backend and payload. `at` is its offset in the file.
pub fn open_block(block: &[u8], at: u64) -> Result<(Backend, &[u8])> {
    match block.split_first() {
        Some((0, payload)) => Ok((Backend::Xz, payload)),
        Some((1, payload)) => Ok((Backend::Zstd, payload)),
        Some(_) => Err(Error::new(ErrorKind::At1BlockTag, at)),
        None => Err(Error::new(ErrorKind::At1BlockOutside, at)),
    }
}

/// Returns the decoded size that a block declares.
pub fn block_size(block: &[u8], at: u64, limits: &Limits) -> Result<u64> {
    let (backend, payload) = open_block(block, at)?;
    backend.decoded_size(payload, limits).map_err(|error| inside(error, at.saturating_add(1)))
}

/// Decodes a block: the texts of its rows, separated by line feeds. They must fill `dst` exactly.
pub fn decode_block(block: &[u8], at: u64, dst: &mut [u8], workspace: &mut Workspace, limits: &Limits) -> Result<()> {
    let (backend, payload) = open_block(block, at)?;
    backend.decode(payload, dst, workspace, limits).map_err(|error| inside(error, at.saturating_add(1)))
}

/// Runs a closure on the block at a range of the stream `blocks`.
fn with_block<T>(blocks: &Stream<'_>, range: &Range<u64>, run: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    let start = index(range.start);
    let bytes = blocks.bytes.get(start..index(range.end));
    let bytes = bytes.ok_or_else(|| blocks.fault(ErrorKind::At1BlockOutside, start))?;
    run(bytes).map_err(|error| blocks.locate(error, start))
}

/// The text around the values of a row.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'a> {
    /// A delimiter between two values.
    Delimited(&'a [u8]),
    /// Literals before, between and after the values.
    Template(Template<'a>),
}

/// Words of a saved table: [`TEXT_AT`] words that change, start and length of its text, streams.
pub(crate) const RECORD: usize = 8 + NAMES.len() * STREAM;

/// The word with the start of the text in the scratch.
const TEXT_AT: usize = 6;

/// Start of the next value of a column in the texts of its group, and end of that column.
type Cell = [Word; 2];

/// Reads the lines of a table in order, with one group of rows decoded at a time.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    meta: Meta<'a>,
    modes: &'a [u8],
    verbatim: Lines<'a>,
    index: Index<'a>,
    blocks: Stream<'a>,
    layout: Layout<'a>,
    text: &'a mut [u8],
    cells: &'a mut [Cell],
    line: usize,
    /// Unread rows of the group.
    left: u64,
}

impl<'a> Decode<'a, 6> for Rows<'a> {
    const NAMES: [&'static [u8]; 6] = NAMES;

    fn open(streams: &[Stream<'a>; 6], header: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<Self> {
        Self::new(streams, header.codec == Codec::QColumnar, lent)
    }

    fn append(&mut self, out: &mut Output<'_>, lent: &mut Lent<'_, 'a>) -> Result<()> {
        if tuning::BATCHED
            && let Layout::Delimited(&[delimiter]) = self.layout
        {
            return self.append_runs(delimiter, out, lent);
        }
        each_line(self.meta.lines, self.meta.trailing, out, |out| self.line(out, lent))
    }
}

impl<'a> Rows<'a> {
    /// Opens the streams of [`NAMES`]. Takes scratch for the texts of the largest group and the
    /// cells.
    pub(crate) fn new(streams: &[Stream<'a>; 6], delimited: bool, lent: &mut Lent<'_, 'a>) -> Result<Self> {
        let Lent { scratch, limits, .. } = lent;
        let &[meta, modes, _, index, blocks, template] = streams;
        let meta = Meta::read(meta, delimited, limits)?;
        meta.check_modes(modes)?;
        if !delimited && has_template(&meta, &template) {
            Template::open(template, meta.columns())?;
        }
        let text = largest_group(Index::new(index, &meta), &blocks, limits)?;
        let columns = u64_from(meta.columns());
        scratch.expect(text.saturating_add(columns.saturating_mul(u64_from(size_of::<Cell>()))))?;
        let (text, cells) = (scratch.take(text)?, scratch.records(columns)?);
        Ok(Self::of(meta, streams, delimited, text, cells))
    }

    /// Returns the table of checked streams, before its first line.
    #[inline(never)]
    fn of(
        meta: Meta<'a>,
        streams: &[Stream<'a>; 6],
        delimited: bool,
        text: &'a mut [u8],
        cells: &'a mut [Cell],
    ) -> Self {
        let &[_, modes, verbatim, index_stream, blocks, template] = streams;
        let layout = match delimited {
            false if has_template(&meta, &template) => Layout::Template(Template::new(template)),
            _ => Layout::Delimited(meta.delimiter),
        };
        let modes = modes.bytes.get(..index(meta.lines)).unwrap_or_default();
        let (verbatim, index) = (Lines::new(verbatim), Index::new(index_stream, &meta));
        Self { meta, modes, verbatim, index, blocks, layout, text, cells, line: 0, left: 0 }
    }

    /// Saves a table that was just opened, for [`resume`](Self::resume). `ends` are the ends of its
    /// streams in the scratch. Its text starts at `text_at`, and the cells follow it.
    #[inline(never)]
    pub(crate) fn settle(&self, record: &mut [Word], streams: &[Stream<'a>; 6], ends: [u64; 6], text_at: u64) {
        self.save(record);
        let mut record = RecordWriter::new(record.get_mut(TEXT_AT..).unwrap_or_default());
        record.number(text_at);
        record.number(u64_from(self.text.len()));
        streams.iter().zip(ends).for_each(|(stream, end)| record.stream(stream, end));
    }

    /// Saves the words that change from line to line.
    #[inline(never)]
    pub(crate) fn save(&self, record: &mut [Word]) {
        if let Some(words) = record.first_chunk_mut::<TEXT_AT>() {
            let lens = [self.index.numbers.rest().len(), self.verbatim.rest_len(), self.line].map(u64_from);
            let [index_len, verbatim_len, line] = lens;
            *words = [line, self.left, self.index.group, self.index.at, index_len, verbatim_len].map(u64::to_le_bytes);
        }
    }

    /// Continues at the line where [`save`](Self::save) was called.
    #[inline(never)]
    pub(crate) fn advance_to(&mut self, record: &[Word]) {
        let Some(words) = record.first_chunk::<TEXT_AT>() else { return };
        let [line, left, group, at, index_len, verbatim_len] = words.map(u64::from_le_bytes);
        (self.line, self.left, self.index.group, self.index.at) = (index(line), left, group, at);
        self.index.numbers.skip_to(index(index_len));
        self.verbatim.skip_to(index(verbatim_len));
    }

    /// Restores a saved table of JSON, before its first line. Its streams are in the file, or in
    /// the scratch before its text and cells. `scratch` starts at byte `base` of the whole scratch.
    #[inline(never)]
    pub(crate) fn resume(
        record: &[Word],
        file: &'a [u8],
        scratch: &'a mut [u8],
        base: u64,
        limits: &Limits,
    ) -> Result<Self> {
        let mut rest = RecordReader::new(record.get(TEXT_AT..).unwrap_or_default());
        let (text_at, text_len) = (rest.number(), rest.number());
        let before = index(text_at.saturating_sub(base));
        let (before, after) = scratch.split_at_mut_checked(before).unwrap_or_default();
        let memory = Memory { file, scratch: before, base };
        let streams = [(); 6].map(|()| rest.stream(&memory));
        let [meta, ..] = streams;
        let meta = Meta::parse(&mut meta.numbers(), false, limits)?;
        let (text, after) = after.split_at_mut_checked(index(text_len)).unwrap_or_default();
        let cells = after.as_chunks_mut().0.as_chunks_mut().0.get_mut(..meta.columns()).unwrap_or_default();
        Ok(Self::of(meta, &streams, false, text, cells))
    }

    /// Decodes the blocks of the next group.
    fn load(&mut self, lent: &mut Lent<'_, '_>) -> Result<()> {
        let mut at = 0usize;
        let mut group = 0;
        for cell in self.cells.iter_mut() {
            let short = || self.blocks.fault(ErrorKind::At1BlockOutside, self.blocks.bytes.len());
            let block = self.index.next().ok_or_else(short)??;
            group = block.group;
            let end = with_block(&self.blocks, &block.range, |bytes| {
                let end = at.saturating_add(index(block_size(bytes, 0, lent.limits)?));
                let dst = self.text.get_mut(at..end).ok_or_else(short)?;
                decode_block(bytes, 0, dst, lent.workspace, lent.limits)?;
                Ok(end)
            })?;
            *cell = [u64_from(at), u64_from(end)].map(u64::to_le_bytes);
            at = end;
        }
        // A table without columns has no blocks, and empty rows.
        self.left = if self.cells.is_empty() { u64::MAX } else { self.meta.rows_of(group) };
        Ok(())
    }

    /// Appends all lines: runs of rows at once where the output has room for them.
    #[inline(never)]
    fn append_runs(&mut self, delimiter: u8, out: &mut Output<'_>, lent: &mut Lent<'_, '_>) -> Result<()> {
        let mut left = self.meta.lines;
        while left > 0 {
            // The first line has no line feed before it.
            if left < self.meta.lines {
                let rows = self.run(delimiter, out)?;
                if rows > 0 {
                    left = left.saturating_sub(rows);
                    continue;
                }
                out.byte(b'\n');
            }
            self.line(out, lent)?;
            if out.is_full() {
                return Ok(());
            }
            left = left.saturating_sub(1);
        }
        if self.meta.trailing {
            out.byte(b'\n');
        }
        Ok(())
    }

    /// Appends the rows of the group up to the next verbatim line, each after a line feed. Returns
    /// their number: 0 if the output may have no room for them.
    ///
    /// # Contract of the hot path
    ///
    /// All texts of the group fit, so that a field is one copy of 16 bytes and a search in them.
    /// Longer fields take the slow path.
    fn run(&mut self, delimiter: u8, out: &mut Output<'_>) -> Verdict<u64> {
        if self.cells.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left).unwrap_or(0);
        let modes = self.modes.get(self.line..).unwrap_or_default();
        let modes = modes.get(..most).unwrap_or(modes);
        let (text, cells, blocks) = (&*self.text, &mut *self.cells, &self.blocks);
        let texts = cells.iter().fold(0u64, |sum, cell| {
            let [start, end] = cell.map(u64::from_le_bytes);
            sum.saturating_add(end.saturating_sub(start))
        });
        // As if no line were verbatim: rows are counted only once their texts have room, because an
        // output without room asks again for each line.
        let delimiters = u64_from(modes.len()).saturating_mul(u64_from(cells.len()));
        let appended = out.append_at_most(texts.saturating_add(delimiters), |place| {
            let rows = modes.iter().take_while(|&&mode| mode != 0).count();
            steps::count(rows);
            let mut at = 0usize;
            for _ in 0..rows {
                let mut before = b'\n';
                for cell in cells.iter_mut() {
                    let rest = place.get_mut(at..).unwrap_or_default();
                    let Some((first, rest)) = rest.split_first_mut() else { break };
                    *first = before;
                    at = at.wrapping_add(1);
                    before = delimiter;
                    let [start, end] = cell.map(u64::from_le_bytes);
                    let Some(field) = text.get(index(start)..index(end)) else {
                        return (at, (0, Err(blocks.fault(ErrorKind::At1ListShort, 0))));
                    };
                    let len = copy_line(field, rest);
                    at = at.wrapping_add(len);
                    let [start_cell, _] = cell;
                    *start_cell = start.wrapping_add(u64_from(len)).wrapping_add(1).to_le_bytes();
                }
            }
            (at, (rows, Ok(())))
        });
        let Some((rows, result)) = appended else { return Ok(0) };
        result?;
        (self.line, self.left) = (self.line.saturating_add(rows), self.left.saturating_sub(u64_from(rows)));
        Ok(u64_from(rows))
    }

    /// Appends the next line without a line feed.
    ///
    /// # Contract of the hot path
    ///
    /// A row copies one text for each cell and moves the start of the cell. Blocks are decoded once
    /// a group, in [`load`](Self::load). Parse no value and check no type here: that is done when
    /// the table is opened.
    #[inline]
    pub(crate) fn line(&mut self, out: &mut Output<'_>, lent: &mut Lent<'_, '_>) -> Result<()> {
        let mode = self.modes.get(self.line).copied();
        self.line = self.line.saturating_add(1);
        match mode {
            None => Err(self.verbatim.short().into()),
            Some(0) => Ok(self.verbatim.item().map(|item| out.put(item))?),
            Some(_) => {
                if self.left == 0 {
                    self.load(lent)?;
                }
                self.left = self.left.saturating_sub(1);
                Ok(self.row(out)?)
            }
        }
    }

    #[inline]
    fn row(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        match self.layout {
            Layout::Delimited(delimiter) => {
                for (column, cell) in self.cells.iter_mut().enumerate() {
                    if column > 0 {
                        match delimiter {
                            &[byte] => out.byte(byte),
                            _ => out.put(delimiter),
                        }
                    }
                    value(self.text, cell, &self.blocks, out)?;
                }
                Ok(())
            }
            Layout::Template(template) => {
                let mut segments = template.numbers();
                for cell in self.cells.iter_mut() {
                    out.put(segments.string()?);
                    value(self.text, cell, &self.blocks, out)?;
                }
                out.put(segments.string()?);
                Ok(())
            }
        }
    }
}

/// Copies a field up to its line feed. Returns its length.
#[inline(always)]
fn copy_line(text: &[u8], to: &mut [u8]) -> usize {
    if let Some(from) = text.first_chunk::<16>()
        && let Some(to) = to.first_chunk_mut()
    {
        *to = *from;
        let len = first_line_feed(*from);
        if len < 16 {
            return len;
        }
    }
    let len = line_len(text);
    copy(text.get(..len).unwrap_or_default(), to);
    len
}

/// Returns whether a table of JSON has literals around its values. Without columns, all lines are
/// verbatim and the template may be missing.
fn has_template(meta: &Meta<'_>, template: &Stream<'_>) -> bool {
    meta.columns() > 0 || !template.bytes.is_empty()
}

/// Appends the next value of a column.
#[inline]
fn value(text: &[u8], cell: &mut Cell, blocks: &Stream<'_>, out: &mut Output<'_>) -> Verdict<()> {
    let [start, end] = cell.map(u64::from_le_bytes);
    let Some(rest) = text.get(index(start)..index(end)) else {
        return Err(blocks.fault(ErrorKind::At1ListShort, 0));
    };
    let len = out.put_line(rest);
    let [start_cell, _] = cell;
    *start_cell = start.saturating_add(u64_from(len)).saturating_add(1).to_le_bytes();
    Ok(())
}

/// Returns the decoded size of the largest group.
fn largest_group(index: Index<'_>, blocks: &Stream<'_>, limits: &Limits) -> Result<u64> {
    let (mut largest, mut sum) = (0u64, 0u64);
    for block in index {
        let block = block?;
        sum = if block.column == 0 { 0 } else { sum };
        sum = sum.saturating_add(with_block(blocks, &block.range, |bytes| block_size(bytes, 0, limits))?);
        largest = largest.max(sum);
    }
    if largest > limits.max_output {
        return Err(Error::from(blocks.fault(ErrorKind::OutputLimit, 0)).needing(largest));
    }
    Ok(largest)
}

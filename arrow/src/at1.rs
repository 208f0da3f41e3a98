//! AT-1: tables as record batches of integers, exact decimals and text.
//!
//! A [`Table`] knows the schema and the place of every block from the head of a file. A block is
//! one column of one row group. Its text is decoded into the buffer that views of strings point
//! into; integers and decimals are parsed from it.
//!
//! The text of a value is the one in the file: JSON strings keep their quotes, as in the answers of
//! `unspool query`. Lines that are not rows of the table are not in it;
//! [`unspool::at1::decode`](unspool::at1::decode()) returns them.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{Decimal128Type, Float64Type, Int64Type};
use arrow_array::{ArrayRef, Decimal128Array, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use memchr::{memchr, memchr_iter};
use unspool::at1::qcolumnar::{ColumnType, Zone, block_size, decode_block};
use unspool::at1::{Backend, Number, Row, Sum, TableHead, Workspace, grow};
use unspool::{ErrorKind, Limits};

use crate::views::{self, view};
use crate::{Error, Misfit, Result, zeros};

/// The outcome of a value that does not fit the type of its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMisfit {
    /// An error with column, row and value.
    #[default]
    Error,
    /// A null.
    Null,
}

/// The type of columns of decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimals {
    /// `Decimal128(38, scale)`. A value with more digits after the point does not fit.
    Exact {
        /// Digits after the point, at most 38.
        scale: u8,
    },
    /// The nearest `Float64`.
    Float,
    /// The text as it is in the file.
    Text,
}

/// The choices of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bounds on what a file may ask for.
    pub limits: Limits,
    /// The outcome of values that do not fit.
    pub on_misfit: OnMisfit,
    /// The type of columns of decimals.
    pub decimals: Decimals,
}

impl Options {
    /// Default limits, an error for each misfit, nine exact digits after the point.
    pub const DEFAULT: Self =
        Self { limits: Limits::DEFAULT, on_misfit: OnMisfit::Error, decimals: Decimals::Exact { scale: 9 } };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The most digits of a decimal.
const PRECISION: u8 = 38;

/// The schema of a table, and the place of its blocks.
///
/// ```
/// use unspool_arrow::at1::{Options, Table};
/// # let bytes = include_bytes!("../../tests/vectors/at1/c8_events.at1");
/// let table = Table::open(bytes, &Options::DEFAULT)?;
/// let names: Vec<_> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
/// assert_eq!(names, ["type", "ts", "val"]);
/// let batch = table.batch(bytes, 0, &[1])?;
/// assert_eq!(batch.num_rows(), 100);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct Table {
    schema: SchemaRef,
    types: Vec<ColumnType>,
    options: Options,
    rows: u64,
    lines: u64,
    rows_per_group: u64,
    groups: u64,
    /// The end of each block in the stream of blocks, group by group.
    ends: Vec<u64>,
    /// The bounds of each block, in the same order.
    zones: Vec<Zone>,
    backend: Backend,
    blocks: Range<u64>,
    /// The stream of blocks, if it is compressed as a whole and was [unwrapped](Self::unwrap).
    inside: Option<Vec<u8>>,
}

impl Table {
    /// Reads the first bytes of a file. If they are too few, an error of the class `Truncated` says
    /// how many are needed.
    ///
    /// A column without a name is called by its number. If two have one name, the number follows
    /// the name of the second.
    pub fn read(head: &[u8], options: &Options) -> Result<Self> {
        let (mut workspace, mut scratch, limits) = (Workspace::new(), vec![], options.limits);
        let of_head = unspool::at1::Options { limits, ..unspool::at1::Options::DEFAULT };
        let table = loop {
            match TableHead::read(head, &mut workspace, &mut scratch, &of_head) {
                Err(error) => grow(&mut scratch, error)?,
                Ok(table) => break table,
            }
        };
        let meta = table.meta(&scratch, &limits)?;
        let types: Vec<_> = (0..meta.columns()).map_while(|column| meta.column_type(column)).collect();
        let mut names = vec![];
        table.each_name(&scratch, &meta, |name| names.push(text_of_name(name)))?;
        let (backend, blocks) = table.blocks();
        let (mut ends, mut zones) = (vec![], vec![]);
        for block in table.index(&scratch, &meta) {
            let block = block?;
            ends.push(block.range.end);
            zones.push(block.zone);
        }
        if types.is_empty() && meta.rows > 0 {
            return Err(unspool::Error::new(ErrorKind::At1RowGroups, blocks.start).into());
        }
        Ok(Self {
            schema: Arc::new(schema(&names, &types, options)),
            types,
            options: *options,
            rows: meta.rows,
            lines: meta.lines,
            rows_per_group: meta.rows_per_group,
            groups: meta.groups,
            ends,
            zones,
            backend,
            blocks,
            inside: None,
        })
    }

    /// Opens a file in memory.
    pub fn open(src: &[u8], options: &Options) -> Result<Self> {
        let mut table = Self::read(src, options)?;
        if let Some(range) = table.wrapped() {
            table.unwrap(part(src, range)?)?;
        }
        Ok(table)
    }

    /// Returns the schema of all columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns the type of a column as the file states it.
    pub fn column_type(&self, column: usize) -> Option<ColumnType> {
        self.types.get(column).copied()
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of lines of the file, rows or not.
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the number of row groups.
    pub const fn groups(&self) -> u64 {
        self.groups
    }

    /// Returns the rows of a group.
    pub fn rows_of(&self, group: u64) -> Range<u64> {
        let start = group.saturating_mul(self.rows_per_group).min(self.rows);
        start..start.saturating_add(self.rows_per_group).min(self.rows)
    }

    /// Returns the groups that hold these rows.
    pub fn groups_of(&self, rows: Range<u64>) -> Range<u64> {
        let end = if rows.is_empty() { rows.start } else { rows.end };
        // A table without rows has no groups, whatever their size.
        let size = self.rows_per_group.max(1);
        (rows.start / size).min(self.groups)..end.div_ceil(size).min(self.groups)
    }

    /// Returns the zone map of a block: bounds that the writer claims, and nobody has verified.
    pub fn zone(&self, group: u64, column: usize) -> Zone {
        let zone = self.number(group, column).and_then(|number| self.zones.get(number));
        zone.copied().unwrap_or(Zone::None)
    }

    /// Returns the number of a block in the order of the file.
    fn number(&self, group: u64, column: usize) -> Option<usize> {
        let number = usize::try_from(group).ok()?.checked_mul(self.types.len())?;
        number.checked_add(column).filter(|_| column < self.types.len())
    }

    /// Returns the range of the stream of blocks if it is compressed as a whole and has to be
    /// [unwrapped](Self::unwrap) first. No writer of today does that.
    pub fn wrapped(&self) -> Option<Range<u64>> {
        let is_stored = self.backend == Backend::Stored || self.ends.is_empty();
        (!is_stored && self.inside.is_none()).then(|| self.blocks.clone())
    }

    /// Decodes the stream of blocks, whose bytes are those of [`wrapped`](Self::wrapped).
    pub fn unwrap(&mut self, bytes: &[u8]) -> Result<()> {
        let (at, limits) = (self.blocks.start, &self.options.limits);
        let moved = |error: unspool::Error| error.offset_by(at);
        let mut inside = zeros(self.backend.decoded_size(bytes, limits).map_err(moved)?)?;
        self.backend.decode(bytes, &mut inside, &mut Workspace::new(), limits).map_err(moved)?;
        self.inside = Some(inside);
        Ok(())
    }

    /// Returns the range in the file of the block of a column in a group, to be
    /// [decoded](Self::column). It is empty if the table was [unwrapped](Self::unwrap).
    pub fn block(&self, group: u64, column: usize) -> Result<Range<u64>> {
        let (range, base) = (self.range(group, column)?, self.blocks.start);
        Ok(match self.inside {
            Some(_) => base..base,
            None => base.saturating_add(range.start)..base.saturating_add(range.end),
        })
    }

    /// Returns the range of a block within the stream of blocks.
    fn range(&self, group: u64, column: usize) -> Result<Range<u64>> {
        let no_column = unspool::Error::new(ErrorKind::At1NoSuchColumn, 0);
        if column >= self.types.len() {
            return Err(no_column.into());
        }
        let number = self.number(group, column);
        let end = number.and_then(|number| self.ends.get(number));
        let &end = end.ok_or(unspool::Error::new(ErrorKind::RangeOutside, 0))?;
        let start = number.and_then(|number| number.checked_sub(1)).and_then(|before| self.ends.get(before));
        let len = self.inside.as_ref().map_or(self.blocks.end - self.blocks.start, |inside| inside.len() as u64);
        if end > len {
            let at = self.blocks.start.saturating_add(start.copied().unwrap_or(0));
            return Err(unspool::Error::new(ErrorKind::At1BlockOutside, at).needing(end).into());
        }
        Ok(start.copied().unwrap_or(0)..end)
    }

    /// Decodes the block of a column in a group, from the bytes of its [range](Self::block).
    pub fn column(&self, group: u64, column: usize, bytes: &[u8], workspace: &mut Workspace) -> Result<ArrayRef> {
        let data_type = self.schema.fields().get(column).map(|field| field.data_type());
        self.column_as(group, column, data_type.unwrap_or(&DataType::Utf8View), bytes, workspace)
    }

    /// Decodes a block as [`column`](Self::column) does, to values of another type: `Int64`,
    /// `Float64`, `Decimal128` of 38 digits, or else `Utf8View` with the text of the file.
    pub fn column_as(
        &self,
        group: u64,
        column: usize,
        data_type: &DataType,
        bytes: &[u8],
        workspace: &mut Workspace,
    ) -> Result<ArrayRef> {
        let (at, limits) = (self.block(group, column)?.start, &self.options.limits);
        let bytes = match &self.inside {
            Some(inside) => part(inside, self.range(group, column)?)?,
            None => bytes,
        };
        let mut text = zeros(block_size(bytes, at, limits)?)?;
        decode_block(bytes, at, &mut text, workspace, limits)?;
        let rows = self.rows_of(group);
        let short = unspool::Error::new(ErrorKind::At1ListShort, at);
        let count = usize::try_from(rows.end - rows.start).map_err(|_| short)?;
        // Each value but the last one takes a line feed, so the block bounds their number.
        let values = memchr_iter(b'\n', &text).count().saturating_add(1);
        if values < count {
            return Err(short.into());
        }
        let mut builder = self.builder(column, data_type, rows.start);
        builder.reserve(count);
        builder.fill(text, count)?;
        builder.finish()
    }

    /// Decodes some columns of a group of a file in memory, in this order.
    pub fn batch(&self, src: &[u8], group: u64, columns: &[usize]) -> Result<RecordBatch> {
        let mut workspace = Workspace::new();
        let arrays: Result<Vec<_>> = (columns.iter())
            .map(|&column| self.column(group, column, part(src, self.block(group, column)?)?, &mut workspace))
            .collect();
        let rows = self.rows_of(group);
        self.assemble(columns, arrays?, rows.end - rows.start)
    }

    /// Makes a record batch of the arrays of some columns.
    pub fn assemble(&self, columns: &[usize], arrays: Vec<ArrayRef>, rows: u64) -> Result<RecordBatch> {
        let options = RecordBatchOptions::new().with_row_count(usize::try_from(rows).ok());
        let batch = RecordBatch::try_new_with_options(self.projected(columns)?, arrays, &options);
        batch.map_err(|_| unspool::Error::new(ErrorKind::RangeOutside, 0).into())
    }

    /// Returns the schema of some columns.
    pub fn projected(&self, columns: &[usize]) -> Result<SchemaRef> {
        let schema = self.schema.project(columns);
        Ok(Arc::new(schema.map_err(|_| unspool::Error::new(ErrorKind::At1NoSuchColumn, 0))?))
    }

    /// Starts the array of a column whose first value is that of this row.
    fn builder(&self, column: usize, data_type: &DataType, first: u64) -> Builder {
        let (data_type, values) = match *data_type {
            DataType::Int64 => (DataType::Int64, Values::Integers(vec![])),
            DataType::Float64 => (DataType::Float64, Values::Floats(vec![])),
            DataType::Decimal128(_, scale) => {
                let scale = scale.clamp(0, PRECISION.cast_signed());
                (DataType::Decimal128(PRECISION, scale), Values::Decimals(vec![], u32::from(scale.unsigned_abs())))
            }
            _ => (DataType::Utf8View, Values::Texts(vec![], vec![])),
        };
        Builder { column, data_type, values, nulls: None, row: first, on_misfit: self.options.on_misfit }
    }

    /// Starts a collection of rows that a query returns, with the values of these columns.
    pub fn collect(&self, columns: &[usize]) -> Rows<'_> {
        let types = self.schema.fields();
        let data_type = |column: usize| types.get(column).map_or(&DataType::Utf8View, |field| field.data_type());
        let builders = columns.iter().map(|&column| self.builder(column, data_type(column), 0)).collect();
        Rows { table: self, columns: columns.to_vec(), builders, count: 0 }
    }
}

/// Collects the rows of a [`Query`](unspool::at1::Query) that asked for the same columns.
pub struct Rows<'t> {
    table: &'t Table,
    columns: Vec<usize>,
    builders: Vec<Builder>,
    count: u64,
}

impl Rows<'_> {
    /// Appends the values of a row.
    pub fn push(&mut self, row: &Row<'_>) -> Result<()> {
        for (i, builder) in self.builders.iter_mut().enumerate() {
            let missing = unspool::Error::new(ErrorKind::At1NoSuchColumn, 0);
            builder.row = row.number();
            builder.push(row.value(i).ok_or(missing)?)?;
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Returns the number of rows.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there is no row.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the rows so far as a record batch, and starts another one.
    pub fn finish(&mut self) -> Result<RecordBatch> {
        let fresh = self.table.collect(&self.columns);
        let (builders, count) =
            (std::mem::replace(&mut self.builders, fresh.builders), std::mem::take(&mut self.count));
        let arrays: Result<Vec<_>> = builders.into_iter().map(Builder::finish).collect();
        self.table.assemble(&self.columns, arrays?, count)
    }
}

/// Decodes some columns and rows of a file in memory, one record batch after another: at most
/// `batch` rows, all of one group.
///
/// ```
/// use unspool_arrow::at1::{Batches, Options};
/// # let bytes = include_bytes!("../../tests/vectors/at1/c8_events.at1");
/// let batches = Batches::open(bytes, Some(&["ts"]), 150..260, 80, &Options::DEFAULT)?;
/// let lengths: Vec<_> = batches.map(|batch| batch.unwrap().num_rows()).collect();
/// assert_eq!(lengths, [50, 60]);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct Batches<'a> {
    src: &'a [u8],
    table: Table,
    columns: Vec<usize>,
    rows: Range<u64>,
    batch: usize,
    current: Option<RecordBatch>,
}

impl<'a> Batches<'a> {
    /// Opens a file to decode these columns, in this order, or all if `columns` is `None`.
    pub fn open(
        src: &'a [u8],
        columns: Option<&[&str]>,
        rows: Range<u64>,
        batch: usize,
        options: &Options,
    ) -> Result<Self> {
        let table = Table::open(src, options)?;
        let number = |name: &&str| table.schema.index_of(name);
        let columns: std::result::Result<Vec<_>, _> = match columns {
            None => Ok((0..table.types.len()).collect()),
            Some(names) => names.iter().map(number).collect(),
        };
        let columns = columns.map_err(|_| unspool::Error::new(ErrorKind::At1NoSuchColumn, 0))?;
        if rows.start > rows.end || rows.end > table.rows || batch == 0 {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, 0).into());
        }
        Ok(Self { src, table, columns, rows, batch, current: None })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> Result<SchemaRef> {
        self.table.projected(&self.columns)
    }

    fn read(&mut self) -> Result<RecordBatch> {
        let rest = match self.current.take().filter(|rest| rest.num_rows() > 0) {
            Some(rest) => rest,
            None => {
                let group = self.table.groups_of(self.rows.clone()).start;
                let all = self.table.batch(self.src, group, &self.columns)?;
                let rows = self.table.rows_of(group);
                // Within the group, whose values are in memory.
                let place = |row: u64| usize::try_from(row.saturating_sub(rows.start)).unwrap_or(usize::MAX);
                let (start, end) = (place(self.rows.start), place(self.rows.end.min(rows.end)));
                all.slice(start, end.saturating_sub(start))
            }
        };
        let len = rest.num_rows().min(self.batch);
        self.current = Some(rest.slice(len, rest.num_rows() - len));
        self.rows.start = self.rows.start.saturating_add(len as u64);
        Ok(rest.slice(0, len))
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch>;

    /// Returns the next batch; `None` after the last row, or after an error.
    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.rows.is_empty() {
            return None;
        }
        let read = self.read();
        if read.is_err() {
            self.rows.start = self.rows.end;
        }
        Some(read)
    }
}

/// Returns bytes of a file in memory.
fn part(src: &[u8], range: Range<u64>) -> Result<&[u8]> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let truncated = unspool::Error::new(ErrorKind::Truncated, src.len() as u64).needing(range.end);
    src.get(place(range.start)..place(range.end)).ok_or_else(|| truncated.into())
}

/// Returns the name of a column without the quotes and the white space around it.
fn text_of_name(name: &[u8]) -> String {
    let name = name.trim_ascii();
    let inner = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
    String::from_utf8_lossy(inner.unwrap_or(name)).into_owned()
}

fn schema(names: &[String], types: &[ColumnType], options: &Options) -> Schema {
    let mut taken = std::collections::HashSet::new();
    let field = |(number, ty): (usize, &ColumnType)| {
        let mut name = names.get(number).filter(|name| !name.is_empty()).cloned().unwrap_or(number.to_string());
        while !taken.insert(name.clone()) {
            name.push_str(&format!(".{number}"));
        }
        let data_type = match (ty, options.decimals) {
            (ColumnType::Integer, _) => DataType::Int64,
            (ColumnType::Decimal, Decimals::Exact { scale }) => {
                DataType::Decimal128(PRECISION, scale.min(PRECISION).cast_signed())
            }
            (ColumnType::Decimal, Decimals::Float) => DataType::Float64,
            (ColumnType::Decimal, Decimals::Text) | (ColumnType::Text, _) => DataType::Utf8View,
        };
        let nullable = options.on_misfit == OnMisfit::Null;
        Field::new(name, data_type, nullable)
    };
    Schema::new(types.iter().enumerate().map(field).collect::<Vec<_>>())
}

/// The values of an array so far.
enum Values {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    /// With this many digits after the point.
    Decimals(Vec<i128>, u32),
    /// Views, and the bytes that they point into.
    Texts(Vec<u128>, Vec<u8>),
}

/// An array in progress.
struct Builder {
    column: usize,
    data_type: DataType,
    values: Values,
    /// A bit for each value, if one is null.
    nulls: Option<BooleanBufferBuilder>,
    /// The row of the next value.
    row: u64,
    on_misfit: OnMisfit,
}

impl Builder {
    fn reserve(&mut self, count: usize) {
        match &mut self.values {
            Values::Integers(values) => values.reserve_exact(count),
            Values::Floats(values) => values.reserve_exact(count),
            Values::Decimals(values, _) => values.reserve_exact(count),
            Values::Texts(values, _) => values.reserve_exact(count),
        }
    }

    /// Appends the first `count` lines of a text, of which there are at least as many.
    fn fill(&mut self, text: Vec<u8>, count: usize) -> Result<()> {
        let (mut at, mut left) = (0, count);
        while left > 0 {
            let rest = text.get(at..).unwrap_or_default();
            let (read, used) = match &mut self.values {
                Values::Integers(values) => fill_brief(rest, left, values, |number| number.integer()),
                Values::Floats(values) => fill_brief(rest, left, values, |number| Some(number.float())),
                Values::Decimals(values, scale) => {
                    let scale = *scale;
                    fill_brief(rest, left, values, |number| number.decimal(scale))
                }
                Values::Texts(..) => return self.fill_texts(text, count),
            };
            if let Some(nulls) = &mut self.nulls {
                nulls.append_n(read, true);
            }
            self.row = self.row.saturating_add(read as u64);
            at = at.saturating_add(used);
            left -= read;
            if left > 0 {
                let rest = text.get(at..).unwrap_or_default();
                let line = rest.get(..line_len(rest)).unwrap_or_default();
                self.push(line)?;
                at = at.saturating_add(line.len()).saturating_add(1);
                left -= 1;
            }
        }
        Ok(())
    }

    /// Appends the first `count` lines of a text that becomes the buffer of views.
    fn fill_texts(&mut self, text: Vec<u8>, count: usize) -> Result<()> {
        views::check_len(text.len() as u64)?;
        let is_utf8 = std::str::from_utf8(&text).is_ok();
        let mut at = 0;
        for _ in 0..count {
            let rest = text.get(at..).unwrap_or_default();
            let brief = rest.first_chunk().and_then(views::brief_line).filter(|_| is_utf8);
            let (len, view) = match brief {
                Some((len, view)) => (len, Some(view)),
                None => {
                    let line = rest.get(..line_len(rest)).unwrap_or_default();
                    let fits = is_utf8 || std::str::from_utf8(line).is_ok();
                    (line.len(), fits.then(|| view(line, at)))
                }
            };
            if let Values::Texts(values, _) = &mut self.values {
                values.push(view.unwrap_or_default());
            }
            self.pushed(view.is_some(), rest.get(..len).unwrap_or_default())?;
            at = at.saturating_add(len).saturating_add(1);
        }
        if let Values::Texts(_, bytes) = &mut self.values {
            *bytes = text;
        }
        Ok(())
    }

    /// Appends a value.
    fn push(&mut self, text: &[u8]) -> Result<()> {
        let fits = match &mut self.values {
            Values::Integers(values) => append(values, integer(text)),
            Values::Floats(values) => append(values, float(text)),
            Values::Decimals(values, scale) => append(values, decimal(text, *scale)),
            Values::Texts(values, bytes) => {
                let at = bytes.len();
                views::check_len(at.saturating_add(text.len()) as u64)?;
                let fits = std::str::from_utf8(text).is_ok();
                values.push(if fits { view(text, at) } else { 0 });
                if fits && text.len() > views::INLINE {
                    bytes.extend_from_slice(text);
                }
                fits
            }
        };
        self.pushed(fits, text)
    }

    /// Counts a value, which is null if it does not fit.
    #[inline]
    fn pushed(&mut self, fits: bool, text: &[u8]) -> Result<()> {
        if !fits {
            self.misfit(text)?;
        } else if let Some(nulls) = &mut self.nulls {
            nulls.append(true);
        }
        self.row = self.row.saturating_add(1);
        Ok(())
    }

    #[cold]
    fn misfit(&mut self, text: &[u8]) -> Result<()> {
        if self.on_misfit == OnMisfit::Error {
            let value = text.get(..Misfit::QUOTE).unwrap_or(text).to_vec();
            let (column, row, data_type) = (self.column, self.row, self.data_type.clone());
            return Err(Error::Misfit(Misfit { column, row, value, data_type }));
        }
        let before = self.len().saturating_sub(1);
        let nulls = self.nulls.get_or_insert_with(|| {
            let mut nulls = BooleanBufferBuilder::new(before);
            nulls.append_n(before, true);
            nulls
        });
        nulls.append(false);
        Ok(())
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::Integers(values) => values.len(),
            Values::Floats(values) => values.len(),
            Values::Decimals(values, _) => values.len(),
            Values::Texts(values, _) => values.len(),
        }
    }

    fn finish(self) -> Result<ArrayRef> {
        let nulls = self.nulls.map(|mut nulls| NullBuffer::new(nulls.finish()));
        Ok(match self.values {
            Values::Integers(values) => Arc::new(PrimitiveArray::<Int64Type>::new(values.into(), nulls)),
            Values::Floats(values) => Arc::new(PrimitiveArray::<Float64Type>::new(values.into(), nulls)),
            Values::Decimals(values, _) => {
                let array: Decimal128Array = PrimitiveArray::<Decimal128Type>::new(ScalarBuffer::from(values), nulls);
                Arc::new(array.with_data_type(self.data_type))
            }
            Values::Texts(values, bytes) => {
                let (len, bytes) = (bytes.len() as u64, Buffer::from_vec(bytes));
                views::array(values, &bytes, nulls, true).ok_or_else(|| views::out_of_reach(len))?
            }
        })
    }
}

/// Appends a value, or zero for none. Returns whether there was one.
#[inline]
fn append<T: Default>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let fits = value.is_some();
    values.push(value.unwrap_or_default());
    fits
}

/// Appends numbers from lines, at most `most`, up to the first one that is not brief or that
/// `convert` refuses. Returns how many, and the bytes that their lines take.
#[inline]
fn fill_brief<T>(
    text: &[u8],
    most: usize,
    values: &mut Vec<T>,
    convert: impl Fn(Plain) -> Option<T>,
) -> (usize, usize) {
    let (before, mut at) = (values.len(), 0);
    let next = || {
        let (number, len) = brief(text.get(at..)?.first_chunk()?)?;
        let value = convert(number)?;
        at += len + 1;
        Some(value)
    };
    values.extend(std::iter::from_fn(next).take(most));
    (values.len() - before, at)
}

/// Returns the length of the first line.
fn line_len(text: &[u8]) -> usize {
    memchr(b'\n', text).unwrap_or(text.len())
}

/// Returns an integer, written in any way that queries accept: `7`, `007`, `+7`, `7.0`, `0.7e1`.
fn integer(text: &[u8]) -> Option<i64> {
    let value = plain(text).and_then(|number| number.integer());
    value.or_else(|| exact(text, 0).and_then(|value| i64::try_from(value).ok()))
}

/// Returns a decimal times ten to the power of `scale`, if it is exact.
fn decimal(text: &[u8], scale: u32) -> Option<i128> {
    plain(text).and_then(|number| number.decimal(scale)).or_else(|| exact(text, scale))
}

/// Returns the nearest float of a number.
fn float(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    Number::read(text)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The end of what a decimal can hold: ten to the power of its precision.
const MOST: u128 = 10u128.pow(PRECISION as u32);

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

/// A number of at most 18 digits, perhaps with a sign before and a point between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plain {
    negative: bool,
    /// The digits as an integer.
    digits: u64,
    /// The number of digits after the point.
    after: u32,
}

impl Plain {
    #[inline]
    fn signed(self) -> i64 {
        let value = self.digits.cast_signed();
        if self.negative { -value } else { value }
    }

    #[inline]
    fn integer(self) -> Option<i64> {
        (self.after == 0).then(|| self.signed())
    }

    /// Returns the number times ten to the power of `scale`, if it is exact.
    #[inline]
    fn decimal(self, scale: u32) -> Option<i128> {
        let up = power(scale.checked_sub(self.after)?)?;
        i128::from(self.signed()).checked_mul(up).filter(|value| value.unsigned_abs() < MOST)
    }

    /// Returns the nearest float of a number of at most 15 digits. One division of two exact floats
    /// rounds once.
    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "15 digits are exact")]
    fn float(self) -> f64 {
        let power = FLOATS.get(self.after as usize).copied().unwrap_or(f64::NAN);
        let value = self.digits as f64 / power;
        if self.negative { -value } else { value }
    }
}

/// The powers of ten for the digits of a brief number.
const FLOATS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Reads a number of at most 18 digits.
fn plain(text: &[u8]) -> Option<Plain> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if text.len() > 18 {
        return None;
    }
    let (mut digits, mut point, mut after) = (0, false, 0);
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            digits = digits * 10 + u64::from(digit);
            after += u32::from(point);
        } else if byte == b'.' && !point {
            point = true;
        } else {
            return None;
        }
    }
    (text.len() > usize::from(point)).then_some(Plain { negative, digits, after })
}

/// Reads the number at the start of 16 bytes, as [`plain`] does, if a line feed follows it. Returns
/// it and its length.
///
/// # Contract of the hot path
///
/// Takes all digits at once. The only branches are on the sign, which is part of the length, and on
/// whether there is a point: both hardly change within a column.
#[inline]
fn brief(line: &[u8; 16]) -> Option<(Plain, usize)> {
    const ONES: u128 = u128::MAX / 0xFF;
    const ZEROS: u128 = ONES * 0x30;
    const LOW: u128 = ONES * 0x7F;
    /// Added to 10 or more, sets the highest bit.
    const ABOVE_NINE: u128 = ONES * 0x76;
    let negative = line[0] == b'-';
    let word = u128::from_le_bytes(*line) >> (8 * u32::from(negative));
    let values = word ^ ZEROS;
    // The highest bit of each byte that is no digit.
    let others = (((values & LOW) + ABOVE_NINE) | values) & !LOW;
    let byte_at = |bit: u32| word.checked_shr(bit & !7).map_or(0, |word| word.to_le_bytes()[0]);
    let (mut end, mut digits, mut point) = (others.trailing_zeros(), values, None);
    if byte_at(end) == b'.' {
        let before = (1 << (end & !7)) - 1;
        digits = values & before | values >> 8 & !before;
        point = Some(end);
        end = (others & (others - 1)).trailing_zeros();
    }
    let count = end / 8 - u32::from(point.is_some());
    if byte_at(end) != b'\n' || count == 0 {
        return None;
    }
    let after = point.map_or(0, |point| (end - point) / 8 - 1);
    // All 16 digits, with zeros before those of the number.
    let digits = digits << (8 * (16 - count));
    let half = |digits: u128| eight(u64::try_from(digits & u128::from(u64::MAX)).unwrap_or(0));
    let (high, low) = (half(digits), half(digits >> 64));
    let number = Plain { negative, digits: high * 100_000_000 + low, after };
    Some((number, (end / 8) as usize + usize::from(negative)))
}

/// Returns the number of eight digits, the first in the lowest byte.
#[inline]
const fn eight(digits: u64) -> u64 {
    // In each lane the digits before count ten, a hundred or ten thousand times those after.
    let twos = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00FF_00FF_00FF_00FF;
    let fours = twos.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

/// The slow path, by the rules of queries.
#[cold]
fn exact(text: &[u8], scale: u32) -> Option<i128> {
    let mut sum = Sum::default();
    sum.add(&Number::read(text)?).ok()?;
    let up = scale.checked_sub(sum.scale)?;
    sum.value.checked_mul(power(up)?).filter(|value| value.unsigned_abs() < MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_queries_read_them() {
        for text in ["7", "007", "+7", "7.0", "0.7e1", " 7\r", "700e-2", "7."] {
            assert_eq!(integer(text.as_bytes()), Some(7), "{text}");
        }
        assert_eq!(integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(integer(b"9223372036854775807"), Some(i64::MAX));
        for text in ["", "-", ".", "7.5", "x", "NaN", "9223372036854775808", "-9223372036854775809", "1e99", "null"] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn brief_numbers_are_plain_numbers() {
        let digits = "9081726354463728190";
        let mut found = 0;
        for sign in ["", "-", "+", " "] {
            for len in 0..digits.len() {
                for point in (0..=len).map(Some).chain([None]) {
                    for end in ["\n", "\r\n", "", "x", ".", "e1\n", ":", "/"] {
                        let mut text = digits[..len].to_owned();
                        point.iter().for_each(|&point| text.insert(point, '.'));
                        let text = format!("{sign}{text}{end}");
                        for after in ["0123456789012345678", ".\n-5\n", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"] {
                            let bytes = format!("{text}{after}");
                            let Some(line) = bytes.as_bytes().first_chunk() else { continue };
                            let first = bytes.as_bytes().split(|&byte| byte == b'\n').next().unwrap();
                            let expected = plain(first).map(|number| (number, first.len()));
                            // The line feed must be among the 16 bytes.
                            let expected = expected.filter(|_| first.len() < 16 && bytes.len() > first.len());
                            assert_eq!(brief(line), expected, "{bytes:?}");
                            found += usize::from(expected.is_some());
                        }
                    }
                }
            }
        }
        assert!(found > 500, "{found}");
    }

    #[test]
    fn brief_floats_are_the_nearest() {
        for n in 0..200_000u64 {
            let digits = (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (14 + n % 50)) % 1_000_000_000_000_000;
            for after in [0u32, 1, 2, 7, 14, 15] {
                let (text, point) = (format!("{digits:016}"), 16 - after as usize);
                let text = format!("-{}.{}", &text[..point], &text[point..]);
                let expected: f64 = text.parse().unwrap();
                let number = Plain { negative: true, digits, after };
                assert_eq!(number.float().to_bits(), expected.to_bits(), "{text}");
            }
        }
        assert_eq!(brief(b"-0.0\n12345678901").map(|(number, _)| number.float().to_bits()), Some((-0.0f64).to_bits()));
    }

    #[test]
    fn decimals_are_exact_or_none() {
        for (text, scale, value) in [
            ("9.130", 3, 9130),
            ("9.13", 3, 9130),
            ("9.1300000", 2, 913),
            ("-0.00", 2, 0),
            ("-0.5", 1, -5),
            (".5", 1, 5),
            ("5e-1", 1, 5),
            ("123456789012345678901234567890.12345678", 8, 12_345_678_901_234_567_890_123_456_789_012_345_678),
            ("99999999999999999999999999999999999999", 0, 99_999_999_999_999_999_999_999_999_999_999_999_999),
        ] {
            assert_eq!(decimal(text.as_bytes(), scale), Some(value), "{text}");
        }
        for (text, scale) in
            [("9.1301", 3), ("", 2), ("x", 2), ("1e40", 0), ("100000000000000000000000000000000000000", 0), ("10", 37)]
        {
            assert_eq!(decimal(text.as_bytes(), scale), None, "{text}");
        }
    }

    #[test]
    fn floats_are_the_nearest_and_words_are_none() {
        assert_eq!(float(b" 0.1\r"), Some(0.1));
        assert_eq!(float(b"1e400"), Some(f64::INFINITY));
        for text in ["NaN", "inf", "", "null", "0x10", "1_0"] {
            assert_eq!(float(text.as_bytes()), None, "{text}");
        }
    }
}

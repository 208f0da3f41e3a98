//! AT-1: tables as record batches of integers, exact decimals and text.
//!
//! A [`Table`] knows the schema and the place of every block from the head of a file. A block is
//! one column of one row group. Its text is decoded into a buffer that serves block after block;
//! integers and decimals are parsed from it, strings are copied.
//!
//! The text of a value is the one in the file: JSON strings keep their quotes, as in the answers of
//! `unspool query`. Lines that are not rows of the table are not in it;
//! [`unspool::at1::decode`](unspool::at1::decode()) returns them.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::types::{Decimal128Type, Float64Type, Int64Type};
use arrow_array::{ArrayRef, Decimal128Array, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use memchr::{memchr, memchr_iter};
use unspool::at1::qcolumnar::{ColumnType, Zone, block_size, decode_block};
use unspool::at1::{Backend, Row, TableHead, Workspace, grow};
use unspool::{ErrorKind, Limits};

use crate::numbers::{PRECISION, Plain, Shape, brief, decimal, float, integer};
use crate::{Error, Misfit, Result, views, zeros};

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
#[derive(Clone)]
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
    inside: Option<Arc<Vec<u8>>>,
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
            schema: Arc::new(schema(&distinct(names, types.len()), &types, options)),
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

    /// Returns the same table with another type for decimals and another outcome of misfits.
    pub fn with_types(&self, decimals: Decimals, on_misfit: OnMisfit) -> Self {
        let options = Options { decimals, on_misfit, ..self.options };
        let names: Vec<_> = self.schema.fields().iter().map(|field| field.name().clone()).collect();
        Self { schema: Arc::new(schema(&names, &self.types, &options)), options, ..self.clone() }
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
        self.inside = Some(Arc::new(inside));
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
        self.decode(self.reserve(group..group.saturating_add(1), column), |_| bytes, workspace)
    }

    /// Allocates memory for the values of a column in adjacent groups, to be
    /// [decoded](Self::decode) perhaps on another thread. A table that claims many rows gets less:
    /// its blocks show whether it has them.
    pub fn reserve(&self, groups: Range<u64>, column: usize) -> Reserved {
        let data_type = self.schema.fields().get(column).map(|field| field.data_type());
        self.reserve_as(groups, column, data_type.unwrap_or(&DataType::Utf8View))
    }

    fn reserve_as(&self, groups: Range<u64>, column: usize, data_type: &DataType) -> Reserved {
        let rows = self.rows_of(groups.start).start..self.rows_of(groups.end.saturating_sub(1)).end;
        let len = usize::try_from(rows.end.saturating_sub(rows.start)).unwrap_or(MOST_RESERVED);
        Reserved { builder: self.builder(column, data_type, rows.start, len.min(MOST_RESERVED)), groups }
    }

    /// Decodes the blocks of a column in adjacent groups to values of another type: `Int64`,
    /// `Float64`, `Decimal128` of 38 digits, or else `Utf8View` with the text of the file. `block`
    /// returns the bytes of the [range](Self::block) of a group.
    pub fn column_as<'b>(
        &self,
        groups: Range<u64>,
        column: usize,
        data_type: &DataType,
        block: impl Fn(u64) -> &'b [u8],
        workspace: &mut Workspace,
    ) -> Result<ArrayRef> {
        let reserved = self.reserve_as(groups, column, data_type);
        self.decode(reserved, block, workspace)
    }

    /// Decodes the blocks of a column in adjacent groups to one array. `block` returns the bytes
    /// of the [range](Self::block) of a group.
    pub fn decode<'b>(
        &self,
        reserved: Reserved,
        block: impl Fn(u64) -> &'b [u8],
        workspace: &mut Workspace,
    ) -> Result<ArrayRef> {
        let Reserved { mut builder, groups } = reserved;
        let (column, mut buffer, limits) = (builder.column, vec![], &self.options.limits);
        for group in groups {
            let at = self.block(group, column)?.start;
            let bytes = match &self.inside {
                Some(inside) => part(inside, self.range(group, column)?)?,
                None => block(group),
            };
            let len = block_size(bytes, at, limits)?;
            let text = lend(&mut buffer, len)?;
            decode_block(bytes, at, text, workspace, limits)?;
            let (text, rows) = (&*text, self.rows_of(group));
            // Each value but the last one takes a line feed, so the block bounds their number.
            let count = usize::try_from(rows.end - rows.start).ok().filter(|&count| count <= text.len() + 1);
            let filled = count.map_or(Ok(false), |count| builder.fill(text, count));
            let is_short = match &filled {
                Ok(filled) => !filled,
                // A list that is too short is refused for that, whatever it holds.
                Err(_) => count.is_none_or(|count| memchr_iter(b'\n', text).count() + 1 < count),
            };
            if is_short {
                return Err(unspool::Error::new(ErrorKind::At1ListShort, at).into());
            }
            filled?;
        }
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

    /// Starts the array of a column whose first value is that of this row, with room for `len`.
    fn builder(&self, column: usize, data_type: &DataType, first: u64, len: usize) -> Builder {
        let (data_type, values) = match *data_type {
            DataType::Int64 => (DataType::Int64, Values::Integers(Vec::with_capacity(len))),
            DataType::Float64 => (DataType::Float64, Values::Floats(Vec::with_capacity(len))),
            DataType::Decimal128(_, scale) => {
                let scale = scale.clamp(0, PRECISION.cast_signed());
                let values = Values::Decimals(Vec::with_capacity(len), u32::from(scale.unsigned_abs()));
                (DataType::Decimal128(PRECISION, scale), values)
            }
            _ => (DataType::Utf8View, Values::Texts(StringViewBuilder::with_capacity(len))),
        };
        Builder { column, data_type, values, nulls: None, row: first, on_misfit: self.options.on_misfit }
    }

    /// Starts a collection of rows that a query returns, with the values of these columns.
    pub fn collect(&self, columns: &[usize]) -> Rows<'_> {
        let types = self.schema.fields();
        let data_type = |column: usize| types.get(column).map_or(&DataType::Utf8View, |field| field.data_type());
        let builders = columns.iter().map(|&column| self.builder(column, data_type(column), 0, 0)).collect();
        Rows { table: self, columns: columns.to_vec(), builders, count: 0 }
    }
}

/// The most values that memory is allocated for before their blocks are decoded.
const MOST_RESERVED: usize = 1 << 16;

/// Memory for the values of a column in some groups.
pub struct Reserved {
    builder: Builder,
    groups: Range<u64>,
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

/// Returns a name of its own for each column.
fn distinct(names: Vec<String>, columns: usize) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    let name = |(number, name): (usize, String)| {
        let mut name = if name.is_empty() { number.to_string() } else { name };
        while !taken.insert(name.clone()) {
            name.push_str(&format!(".{number}"));
        }
        name
    };
    let names = names.into_iter().chain(std::iter::repeat(String::new()));
    names.take(columns).enumerate().map(name).collect()
}

fn schema(names: &[String], types: &[ColumnType], options: &Options) -> Schema {
    let field = |(name, ty): (&String, &ColumnType)| {
        let data_type = match (ty, options.decimals) {
            (ColumnType::Integer, _) => DataType::Int64,
            (ColumnType::Decimal, Decimals::Exact { scale }) => {
                DataType::Decimal128(PRECISION, scale.min(PRECISION).cast_signed())
            }
            (ColumnType::Decimal, Decimals::Float) => DataType::Float64,
            (ColumnType::Decimal, Decimals::Text) | (ColumnType::Text, _) => DataType::Utf8View,
        };
        Field::new(name, data_type, options.on_misfit == OnMisfit::Null)
    };
    Schema::new(names.iter().zip(types).map(field).collect::<Vec<_>>())
}

/// The values of an array so far.
enum Values {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    /// With this many digits after the point.
    Decimals(Vec<i128>, u32),
    Texts(StringViewBuilder),
}

/// An array in progress.
struct Builder {
    column: usize,
    data_type: DataType,
    values: Values,
    /// A bit for each value, if one is null. Texts count their own.
    nulls: Option<BooleanBufferBuilder>,
    /// The row of the next value.
    row: u64,
    on_misfit: OnMisfit,
}

impl Builder {
    /// Appends the first `count` lines of a text. Returns `false` if it has fewer.
    fn fill(&mut self, text: &[u8], count: usize) -> Result<bool> {
        match &mut self.values {
            Values::Integers(values) => values.reserve(count),
            Values::Floats(values) => values.reserve(count),
            Values::Decimals(values, _) => values.reserve(count),
            Values::Texts(_) => return self.fill_texts(text, count),
        }
        let (mut at, mut left) = (0, count);
        while left > 0 {
            let Some(rest) = text.get(at..) else { return Ok(false) };
            let most = left.min(STEP);
            let (read, used) = match &mut self.values {
                Values::Integers(values) => fill_brief(rest, most, values, Plain::integer),
                Values::Floats(values) => fill_brief(rest, most, values, Plain::float),
                Values::Decimals(values, scale) => {
                    let scale = *scale as usize;
                    fill_brief(rest, most, values, |number| number.decimal(scale))
                }
                Values::Texts(_) => (0, 0),
            };
            if let Some(nulls) = &mut self.nulls {
                nulls.append_n(read, true);
            }
            self.row = self.row.saturating_add(read as u64);
            at += used;
            left -= read;
            if read < most {
                let Some(rest) = text.get(at..) else { return Ok(false) };
                let line = rest.get(..line_len(rest)).unwrap_or_default();
                self.push(line)?;
                at += line.len() + 1;
                left -= 1;
            }
        }
        Ok(true)
    }

    /// Appends the first `count` lines of a text as they are. Returns `false` if it has fewer.
    fn fill_texts(&mut self, text: &[u8], count: usize) -> Result<bool> {
        let all = std::str::from_utf8(text).ok();
        let mut at = 0;
        for _ in 0..count {
            let Some(rest) = text.get(at..) else { return Ok(false) };
            let end = at + line_len(rest);
            match (all.and_then(|all| all.get(at..end)), &mut self.values) {
                (Some(line), Values::Texts(values)) if line.len() <= views::MAX_BUFFER => {
                    values.append_value(line);
                    self.row = self.row.saturating_add(1);
                }
                _ => self.push(text.get(at..end).unwrap_or_default())?,
            }
            at = end + 1;
        }
        Ok(true)
    }

    /// Appends a value.
    fn push(&mut self, text: &[u8]) -> Result<()> {
        let fits = match &mut self.values {
            Values::Integers(values) => append(values, integer(text)),
            Values::Floats(values) => append(values, float(text)),
            Values::Decimals(values, scale) => append(values, decimal(text, *scale)),
            Values::Texts(values) => {
                views::check_len(text.len() as u64)?;
                let text = std::str::from_utf8(text).ok();
                values.append_option(text);
                text.is_some()
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
        let before = match &self.values {
            Values::Integers(values) => values.len(),
            Values::Floats(values) => values.len(),
            Values::Decimals(values, _) => values.len(),
            Values::Texts(_) => return Ok(()),
        };
        let before = before.saturating_sub(1);
        let nulls = self.nulls.get_or_insert_with(|| {
            let mut nulls = BooleanBufferBuilder::new(before);
            nulls.append_n(before, true);
            nulls
        });
        nulls.append(false);
        Ok(())
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
            Values::Texts(mut values) => Arc::new(values.finish()),
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

/// The most numbers that are appended in one go.
const STEP: usize = 256;

/// Appends numbers from lines, at most `most`, up to the first one that is not brief or that
/// `convert` refuses. Returns how many, and the bytes that their lines take.
#[inline]
fn fill_brief<T: Copy + Default>(
    text: &[u8],
    most: usize,
    values: &mut Vec<T>,
    convert: impl Fn(Plain) -> Option<T>,
) -> (usize, usize) {
    let before = values.len();
    // Slots of a slice, which need no check of the capacity.
    values.resize(before + most, T::default());
    let slots = values.get_mut(before..).unwrap_or_default();
    let (mut read, mut at) = fill_even(text, slots, &convert);
    for slot in slots.get_mut(read..).unwrap_or_default() {
        let Some((number, len)) = text.get(at..).and_then(brief) else { break };
        let Some(value) = convert(number) else { break };
        *slot = value;
        read += 1;
        at += len + 1;
    }
    values.truncate(before + read);
    (read, at)
}

/// Fills slots from lines of the shape of the first one, eight at a time, up to one that has
/// another. Returns how many, and the bytes that their lines take.
#[inline]
fn fill_even<T>(text: &[u8], slots: &mut [T], convert: impl Fn(Plain) -> Option<T>) -> (usize, usize) {
    let (mut read, mut at) = (0, 0);
    if let Some(shape) = Shape::first(text) {
        for eight in slots.as_chunks_mut().0 {
            let Some(()) = text.get(at..).and_then(|rest| shape.read(rest, eight, &convert)) else { break };
            read += Shape::LINES;
            at += shape.bytes();
        }
    }
    (read, at)
}

/// Returns the first `len` bytes of a buffer, which grows if it is shorter.
fn lend(buffer: &mut Vec<u8>, len: u64) -> Result<&mut [u8]> {
    if (buffer.len() as u64) < len {
        *buffer = zeros(len)?;
    }
    Ok(buffer.get_mut(..usize::try_from(len).unwrap_or(usize::MAX)).unwrap_or_default())
}

/// Returns the length of the first line. Most lines are short: the first 16 bytes are searched at
/// once, without a branch, which lines of mixed lengths would mispredict.
#[inline]
fn line_len(text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    let search = || memchr(b'\n', text).unwrap_or(text.len());
    let Some(&[low, high]) = text.as_chunks::<8>().0.first_chunk() else { return search() };
    // The lowest bit that is set belongs to the first line feed.
    let [low, high] = [low, high].map(|word| {
        let others = u64::from_le_bytes(word) ^ (ONES * 10);
        (others.wrapping_sub(ONES) & !others & (ONES << 7)).trailing_zeros() / 8
    });
    // The second half counts if the first has none.
    match (low + (high & (low >> 3).wrapping_neg())) as usize {
        16 => search(),
        len => len,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_first_line_feed() {
        for byte in [0, 9, 11, 0x0B, 0x8A, 0xFF] {
            for len in 0..40 {
                for feed in 0..=len {
                    let mut text = vec![byte; len];
                    text.iter_mut().skip(feed).step_by(3).for_each(|byte| *byte = b'\n');
                    assert_eq!(line_len(&text), feed, "{text:?}");
                }
            }
        }
    }
}

//! `unspool.At1`.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unspool::at1::qcolumnar::ColumnType;
use unspool::at1::{
    Ask, Bundle, Codec, ColumnRef, Container, Filter, Header, Number, Query, Request, Row, Sum, Test, Workspace,
    decode_to, grow, scratch_len,
};
use unspool::threads::in_order;
use unspool::{Class, ErrorKind};
use unspool_arrow::at1::{Decimals, OnMisfit, Options, Reserved, Table as Layout};

use crate::arrays::Table;
use crate::fail::{Fail, Result, Signals, misuse};
use crate::limits::{self, Limits};
use crate::source::{Data, Source};

/// A text file as typed columns.
#[pyclass(frozen, module = "unspool")]
pub struct At1 {
    source: Py<Source>,
    limits: unspool::Limits,
    codec: Codec,
    container: Container,
    /// The layout of the table for the types that were asked for last.
    layout: Mutex<Option<(Decimals, OnMisfit, Arc<Layout>)>>,
    /// The most digits after the point in the first row group.
    scale: OnceLock<u8>,
}

/// Bytes that are read first. Most heads fit.
const FIRST: u64 = 64 << 10;

/// The most bytes of adjacent blocks that are read at once.
const PIECE: u64 = 4 << 20;

/// Rows of a record batch that a query returns.
const BATCH: u64 = 1 << 16;

/// Rows of adjacent groups that are decoded together, to one record batch: enough to make up for
/// handing them to a thread, and so few that allocators keep the memory of an array. For larger
/// ones, glibc maps new pages each time: see `docs/tried/at1.md`.
const RUN: u64 = 1 << 13;

/// A condition: column, lowest and highest number, or the value that it equals.
type Condition = (String, Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>);

/// Decodes a file of a bundle.
type DecodeFile<'d> = &'d dyn Fn() -> Result<Vec<u8>>;

/// The choice of a type for decimals, as typed.
#[derive(FromPyObject)]
enum DecimalType {
    Scale(u8),
    Word(String),
}

#[pymethods]
impl At1 {
    #[new]
    #[pyo3(signature = (source, limits=None))]
    fn new(py: Python<'_>, source: &Bound<'_, Source>, limits: Option<&Bound<'_, Limits>>) -> PyResult<Self> {
        let (held, source, limits) = (source.clone().unbind(), source.get(), limits::of(limits));
        let header = py.detach(|| Ok::<_, Fail>(Header::read_start(&source.head(FIRST)?)?))?;
        let (codec, container) = (header.codec, header.container);
        Ok(Self { source: held, limits, codec, container, layout: Mutex::new(None), scale: OnceLock::new() })
    }

    #[getter]
    fn codec(&self) -> &'static str {
        self.codec.name()
    }

    #[getter]
    fn is_table(&self) -> bool {
        matches!(self.codec, Codec::QColumnar | Codec::QJson) && self.container == Container::Whole
    }

    #[getter]
    fn is_bundle(&self) -> bool {
        self.codec == Codec::Bundle && self.container == Container::Whole
    }

    /// The number of rows of a table.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let layout = py.detach(|| self.layout(Decimals::Text, OnMisfit::Error))?;
        Ok(usize::try_from(layout.rows()).unwrap_or(usize::MAX))
    }

    /// The names and types of the columns of a table.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<(String, &'static str)>> {
        let layout = py.detach(|| self.layout(Decimals::Text, OnMisfit::Error))?;
        let schema = layout.schema();
        let column = |(i, field): (usize, &Arc<arrow_schema::Field>)| {
            (field.name().clone(), layout.column_type(i).map_or("text", ColumnType::name))
        };
        Ok(schema.fields().iter().enumerate().map(column).collect())
    }

    /// The rows of each group but the last.
    #[getter]
    fn rows_per_group(&self, py: Python<'_>) -> PyResult<u64> {
        let layout = py.detach(|| self.layout(Decimals::Text, OnMisfit::Error))?;
        Ok(layout.rows_of(0).end)
    }

    #[getter]
    fn other_lines(&self, py: Python<'_>) -> PyResult<u64> {
        let layout = py.detach(|| self.layout(Decimals::Text, OnMisfit::Error))?;
        Ok(layout.lines().saturating_sub(layout.rows()))
    }

    #[pyo3(signature = (columns=None, rows=None, *, decimals=None, misfit="error", threads=None))]
    fn read(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        rows: Option<(u64, u64)>,
        decimals: Option<DecimalType>,
        misfit: &str,
        threads: Option<usize>,
    ) -> PyResult<Table> {
        let threads = limits::threads(threads)?;
        let (decimals, misfit) = (read_decimals(decimals)?, read_misfit(misfit)?);
        let table = py.detach(|| {
            let layout = self.layout_for(decimals, misfit)?;
            let columns = numbers(&layout, columns.as_deref())?;
            let rows = rows.map_or(0..layout.rows(), |(start, end)| start..end);
            if rows.start > rows.end || rows.end > layout.rows() {
                return Err(misuse(ErrorKind::RangeOutside));
            }
            if columns.is_empty() {
                return Ok(Table::without_columns(rows.end - rows.start));
            }
            let batches = self.decode_groups(&layout, &columns, rows, threads)?;
            Ok(Table { schema: layout.projected(&columns)?, batches })
        });
        Ok(table?)
    }

    #[pyo3(signature = (conditions, select=None, limit=None, *, decimals=None, misfit="error"))]
    fn query(
        &self,
        py: Python<'_>,
        conditions: Vec<Condition>,
        select: Option<Vec<String>>,
        limit: Option<u64>,
        decimals: Option<DecimalType>,
        misfit: &str,
    ) -> PyResult<Table> {
        let (decimals, misfit) = (read_decimals(decimals)?, read_misfit(misfit)?);
        let limit = limit.unwrap_or(u64::MAX);
        let table = py.detach(|| {
            let layout = self.layout_for(decimals, misfit)?;
            let columns = numbers(&layout, select.as_deref())?;
            let refs: Vec<_> = columns.iter().map(|&column| ColumnRef::Number(column)).collect();
            let filters = filters(&layout, &conditions)?;
            if columns.is_empty() {
                let rows = self.run(Request { filters: &filters, ask: Ask::Count, limit }, &mut |_| Ok(()))?;
                return Ok(Table::without_columns(rows));
            }
            let mut rows = layout.collect(&columns);
            let mut batches = vec![];
            let request = Request { filters: &filters, ask: Ask::Columns(&refs), limit };
            self.run(request, &mut |row| {
                rows.push(row)?;
                if rows.len() == BATCH {
                    batches.push(rows.finish()?);
                }
                Ok(())
            })?;
            if !rows.is_empty() {
                batches.push(rows.finish()?);
            }
            Ok::<_, Fail>(Table { schema: layout.projected(&columns)?, batches })
        });
        Ok(table?)
    }

    /// Counts the rows that meet the conditions.
    fn count(&self, py: Python<'_>, conditions: Vec<Condition>) -> PyResult<u64> {
        let count = py.detach(|| {
            let layout = self.layout(Decimals::Text, OnMisfit::Error)?;
            let filters = filters(&layout, &conditions)?;
            self.run(Request { filters: &filters, ask: Ask::Count, limit: u64::MAX }, &mut |_| Ok(()))
        });
        Ok(count?)
    }

    /// Restores the file.
    fn decode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let source = self.source.get();
        let decoded = py.detach(|| decode_all(&source.all(&self.limits)?, &self.of_core()))?;
        Ok(PyBytes::new(py, &decoded))
    }

    /// Returns the names of the files of a bundle.
    #[getter]
    fn file_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let source = self.source.get();
        let mut names = vec![];
        py.detach(|| {
            self.each_file(&source.all(&self.limits)?, &mut |name, _| {
                names.push(name.to_owned());
                Ok(true)
            })
        })?;
        Ok(names)
    }

    /// Returns the AT-1 file of this name in a bundle.
    fn file<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let source = self.source.get();
        let mut found = None;
        py.detach(|| {
            self.each_file(&source.all(&self.limits)?, &mut |other, decode| {
                if other == name {
                    found = Some(decode()?);
                }
                Ok(found.is_none())
            })
        })?;
        match found {
            Some(bytes) => Ok(PyBytes::new(py, &bytes)),
            None => Err(pyo3::exceptions::PyKeyError::new_err(name.to_owned())),
        }
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let table = self.read(py, None, None, None, "error", None)?.into_pyobject(py)?;
        table.call_method1("__arrow_c_stream__", (requested_schema,))
    }

    fn close(&self) {
        self.source.get().close();
    }

    fn __repr__(&self) -> String {
        format!("<unspool.At1: {}, {} bytes>", self.codec.name(), self.source.get().size())
    }
}

impl At1 {
    const fn of_core(&self) -> unspool::at1::Options {
        unspool::at1::Options { limits: self.limits, ..unspool::at1::Options::DEFAULT }
    }

    /// Returns the layout of the table for these types. Reads its head once, as much as is needed.
    fn layout(&self, decimals: Decimals, on_misfit: OnMisfit) -> Result<Arc<Layout>> {
        let cached = self.layout.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let layout = match cached {
            Some((of, on, layout)) if (of, on) == (decimals, on_misfit) => return Ok(layout),
            Some((_, _, layout)) => layout.with_types(decimals, on_misfit),
            None => self.read_layout(&Options { limits: self.limits, decimals, on_misfit })?,
        };
        let layout = Arc::new(layout);
        *self.layout.lock().unwrap_or_else(PoisonError::into_inner) = Some((decimals, on_misfit, Arc::clone(&layout)));
        Ok(layout)
    }

    fn read_layout(&self, options: &Options) -> Result<Layout> {
        let source = self.source.get();
        let mut head = source.head(FIRST)?;
        let mut layout = loop {
            match Layout::read(&head, options) {
                Ok(layout) => break layout,
                Err(unspool_arrow::Error::Refused(error))
                    if error.class() == Class::Truncated && (head.len() as u64) < source.size() =>
                {
                    // At least twice as much: a long head is not read again for each stream.
                    head = source.head(error.need.max(2 * head.len() as u64))?;
                }
                Err(error) => return Err(error.into()),
            }
        };
        if let Some(range) = layout.wrapped() {
            layout.unwrap(&source.get(range)?)?;
        }
        Ok(layout)
    }

    /// Returns the layout of the table. Without a choice for decimals, they get as many digits
    /// after the point as those of the first group have.
    fn layout_for(&self, decimals: Option<Decimals>, on_misfit: OnMisfit) -> Result<Arc<Layout>> {
        let decimals = match decimals {
            Some(decimals) => decimals,
            None => Decimals::Exact { scale: self.scale()? },
        };
        self.layout(decimals, on_misfit)
    }

    fn scale(&self) -> Result<u8> {
        if let Some(&scale) = self.scale.get() {
            return Ok(scale);
        }
        let text = self.layout(Decimals::Text, OnMisfit::Null)?;
        let columns = text.schema().fields().len();
        let is_decimal = |column: &usize| text.column_type(*column) == Some(ColumnType::Decimal);
        let mut scale = 0;
        for column in (0..columns).filter(is_decimal).filter(|_| text.groups() > 0) {
            let bytes = self.source.get().get(text.block(0, column)?)?;
            let array = text.column(0, column, &bytes, &mut Workspace::new())?;
            let digits = array.as_string_view().iter().flatten().map(|text| digits_after_point(text.as_bytes()));
            scale = digits.max().unwrap_or(0).max(scale);
        }
        Ok(*self.scale.get_or_init(|| scale))
    }

    /// Decodes the groups that hold these rows, their columns on several threads.
    fn decode_groups(
        &self,
        layout: &Layout,
        columns: &[usize],
        rows: Range<u64>,
        threads: NonZeroUsize,
    ) -> Result<Vec<RecordBatch>> {
        match self.decode_runs(layout, columns, rows.clone(), RUN, threads) {
            // A run is decoded column by column. Group by group finds the error that comes first in
            // the file.
            Err(Fail::Refused(_) | Fail::Misfit(_)) => self.decode_runs(layout, columns, rows, 0, NonZeroUsize::MIN),
            decoded => decoded,
        }
    }

    /// Decodes these rows in runs of adjacent groups of at most `most` rows, or of one group.
    fn decode_runs(
        &self,
        layout: &Layout,
        columns: &[usize],
        rows: Range<u64>,
        most: u64,
        threads: NonZeroUsize,
    ) -> Result<Vec<RecordBatch>> {
        let mut sorted: Vec<usize> = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let groups = layout.groups_of(rows.clone());
        let mut pieces = Pieces {
            source: self.source.get(),
            layout,
            columns: &sorted,
            groups: groups.clone(),
            held: BTreeMap::new(),
        };
        // As many groups as the first one suggests: their rows, and their bytes in the file.
        let block = |column: Option<&usize>| layout.block(groups.start, *column?).ok();
        let len = block(sorted.first()).zip(block(sorted.last())).map_or(0, |(first, last)| last.end - first.start);
        let per_run = (most / layout.rows_of(0).end.max(1)).min(PIECE / len.max(1)).max(1);
        let run_at = |start: u64| start..start.saturating_add(per_run).min(groups.end);
        let starts = groups.clone().step_by(usize::try_from(per_run).unwrap_or(usize::MAX));
        let items = starts.clone().flat_map(|start| sorted.iter().map(move |&column| (run_at(start), column)));
        let items = items.map(|(run, column)| {
            let blocks: Result<Vec<_>> = run.clone().map(|group| pieces.block(group, column, run.start)).collect();
            // Allocated on this thread, whose memory allocators keep from call to call.
            Ok((run.start, layout.reserve(run, column), blocks?))
        });
        let work = |workspace: &mut Workspace, (start, reserved, blocks): (u64, Reserved, Vec<Block>)| {
            let block = |group: u64| {
                let place = usize::try_from(group.wrapping_sub(start)).unwrap_or(usize::MAX);
                blocks.get(place).map_or(&[][..], Block::bytes)
            };
            Ok(layout.decode(reserved, block, workspace)?)
        };
        let (mut batches, mut arrays, mut runs): (Vec<RecordBatch>, Vec<ArrayRef>, _) =
            (vec![], vec![], starts.map(run_at));
        let mut signals = Signals::new();
        in_order(threads, items, Workspace::new, work, |array: ArrayRef| {
            arrays.push(array);
            if arrays.len() == sorted.len()
                && let Some(run) = runs.next()
            {
                let all = std::mem::take(&mut arrays);
                let pick = |column: &usize| sorted.binary_search(column).ok().and_then(|at| all.get(at)).cloned();
                let picked: Option<Vec<_>> = columns.iter().map(pick).collect();
                let of = layout.rows_of(run.start).start..layout.rows_of(run.end.saturating_sub(1)).end;
                let batch = layout.assemble(columns, picked.unwrap_or_default(), of.end - of.start)?;
                // Within the run, whose values are in memory.
                let place = |row: u64| usize::try_from(row.saturating_sub(of.start)).unwrap_or(usize::MAX);
                let (start, end) = (place(rows.start), place(rows.end.min(of.end)));
                batches.push(batch.slice(start, end.saturating_sub(start)));
            }
            signals.check()
        })?;
        Ok(batches)
    }

    /// Runs a query. Returns the number of rows.
    fn run(&self, request: Request<'_>, each: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<u64> {
        let source = self.source.get();
        let (mut scratch, mut workspace, options) = (vec![], Box::new(Workspace::new()), self.of_core());
        let mut head = source.head(FIRST)?;
        let mut query = loop {
            let mut query = Query::new(request, &options);
            match query.open(&head, &mut workspace, &mut scratch) {
                Ok(()) => break query,
                Err(error) if error.class() == Class::Truncated && (head.len() as u64) < source.size() => {
                    head = source.head(error.need.max(2 * head.len() as u64))?;
                }
                Err(error) => grow(&mut scratch, error)?,
            }
        };
        let (mut failed, mut signals) = (None, Signals::new());
        let mut visit = |row: &Row<'_>| {
            each(row).map_err(|fail| {
                failed = Some(fail);
                unspool::Error::new(ErrorKind::SinkFull, 0)
            })
        };
        let ended = loop {
            let Some(range) = query.needs() else { break Ok(()) };
            let bytes = source.get(range.clone())?;
            let fed = loop {
                match query.feed(range.start, &bytes, &mut workspace, &mut scratch, &mut visit) {
                    Err(error) if matches!(error.class(), Class::WorkspaceTooSmall { .. }) => {
                        grow(&mut scratch, error)?
                    }
                    fed => break fed,
                }
            };
            if fed.is_err() {
                break fed;
            }
            signals.check()?;
        };
        match (failed, ended) {
            (Some(fail), _) => Err(fail),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(())) => Ok(query.answer(&scratch).rows),
        }
    }

    /// Calls `each` with the name of each file of a bundle and a function that decodes it, while it
    /// returns `true`.
    fn each_file(&self, src: &[u8], each: &mut dyn FnMut(&str, DecodeFile<'_>) -> Result<bool>) -> Result<()> {
        let (mut workspace, options) = (Workspace::new(), self.of_core());
        let mut scratch = zeros(scratch_len(src, &options)?)?;
        for file in Bundle::open(src, &mut workspace, &mut scratch, &options)? {
            let file = file?;
            let decode = || {
                let mut inner = zeros(file.entry.decoded_size(&self.limits)?)?;
                file.entry.decode(&mut inner, &mut Workspace::new(), &self.limits)?;
                Ok(inner)
            };
            if !each(&file.name.to_string(), &decode)? {
                break;
            }
        }
        Ok(())
    }
}

/// Reads the blocks of some columns, adjacent ones together.
struct Pieces<'t> {
    source: &'t Source,
    layout: &'t Layout,
    columns: &'t [usize],
    groups: Range<u64>,
    /// The pieces of the file that later blocks may be in, by their first byte.
    held: BTreeMap<u64, Arc<Data>>,
}

/// A block within a piece.
struct Block(Arc<Data>, Range<usize>);

impl Block {
    fn bytes(&self) -> &[u8] {
        self.0.get(self.1.clone()).unwrap_or_default()
    }
}

impl Pieces<'_> {
    /// Returns the block of a column in a group. No block of a group before `first` will be needed.
    fn block(&mut self, group: u64, column: usize, first: u64) -> Result<Block> {
        let range = self.layout.block(group, column)?;
        if let Some(block) = self.find(&range) {
            return Ok(block);
        }
        if let Some(&column) = self.columns.first() {
            let start = self.layout.block(first, column)?.start;
            self.held.retain(|&at, data| at + data.len() as u64 > start);
        }
        // Adjacent blocks are read together, of this column and of those after it in the file.
        let mut end = range.end;
        let rest = self.columns.iter().filter(|&&other| other > column).map(|&other| (group, other));
        let later =
            (group + 1..self.groups.end).flat_map(|group| self.columns.iter().map(move |&column| (group, column)));
        for (group, column) in rest.chain(later) {
            match self.layout.block(group, column) {
                Ok(more) if more.start == end && more.end - range.start <= PIECE => end = more.end,
                _ => break,
            }
        }
        self.held.insert(range.start, Arc::new(self.source.get(range.start..end)?));
        self.find(&range).ok_or_else(|| misuse(ErrorKind::RangeOutside))
    }

    /// Returns a block of a piece that was read.
    fn find(&self, range: &Range<u64>) -> Option<Block> {
        let (&at, data) = self.held.range(..=range.start).next_back()?;
        let [start, end] = [range.start, range.end].map(|place| usize::try_from(place - at).unwrap_or(usize::MAX));
        (end <= data.len()).then(|| Block(Arc::clone(data), start..end))
    }
}

/// Decodes a whole file, and looks for signals meanwhile.
pub fn decode_all(src: &[u8], options: &unspool::at1::Options) -> Result<Vec<u8>> {
    let (mut workspace, mut scratch, mut signals) = (Box::new(Workspace::new()), vec![], Signals::new());
    loop {
        let (mut out, mut failed) = (Vec::new(), None);
        let mut sink = |bytes: &[u8]| {
            let full = unspool::Error::new(ErrorKind::NoMemory, 0).needing(bytes.len() as u64);
            out.try_reserve(bytes.len()).map_err(|_| full)?;
            out.extend_from_slice(bytes);
            signals.check().map_err(|fail| {
                failed = Some(fail);
                unspool::Error::new(ErrorKind::SinkFull, 0)
            })
        };
        let done = decode_to(src, &mut sink, &mut workspace, &mut scratch, options);
        if let Some(fail) = failed {
            return Err(fail);
        }
        match done {
            Ok(_) => return Ok(out),
            // Starts again with enough scratch.
            Err(error) => grow(&mut scratch, error)?,
        }
    }
}

fn zeros(len: u64) -> Result<Vec<u8>> {
    let no_memory = unspool::Error::new(ErrorKind::NoMemory, 0).needing(len);
    let len = usize::try_from(len).map_err(|_| no_memory)?;
    Vec::<u8>::new().try_reserve_exact(len).map_err(|_| no_memory)?;
    Ok(vec![0; len])
}

fn read_decimals(decimals: Option<DecimalType>) -> PyResult<Option<Decimals>> {
    match decimals {
        None => Ok(None),
        Some(DecimalType::Scale(scale)) if scale <= 38 => Ok(Some(Decimals::Exact { scale })),
        Some(DecimalType::Word(word)) if word == "exact" => Ok(None),
        Some(DecimalType::Word(word)) if word == "float" => Ok(Some(Decimals::Float)),
        Some(DecimalType::Word(word)) if word == "text" => Ok(Some(Decimals::Text)),
        Some(_) => Err(PyValueError::new_err("decimals: expected 'exact', 'float', 'text', or 0 to 38 digits")),
    }
}

fn read_misfit(misfit: &str) -> PyResult<OnMisfit> {
    match misfit {
        "error" => Ok(OnMisfit::Error),
        "null" => Ok(OnMisfit::Null),
        _ => Err(PyValueError::new_err("misfit: expected 'error' or 'null'")),
    }
}

/// Returns the numbers of columns, or of all.
fn numbers(layout: &Layout, names: Option<&[String]>) -> Result<Vec<usize>> {
    let schema = layout.schema();
    match names {
        None => Ok((0..schema.fields().len()).collect()),
        Some(names) => names.iter().map(|name| number(layout, name)).collect(),
    }
}

fn number(layout: &Layout, name: &str) -> Result<usize> {
    layout.schema().index_of(name).map_err(|_| misuse(ErrorKind::At1NoSuchColumn))
}

fn filters<'q>(layout: &Layout, conditions: &'q [Condition]) -> Result<Vec<Filter<'q>>> {
    let filter = |(name, low, high, equal): &'q Condition| {
        let column = ColumnRef::Number(number(layout, name)?);
        let test = match equal {
            Some(value) => Test::Equal(value),
            None => Test::Range { low: low.as_deref(), high: high.as_deref() },
        };
        Ok(Filter { column, test })
    };
    conditions.iter().map(filter).collect()
}

/// Returns the digits that a number has after the point, at most 38.
fn digits_after_point(text: &[u8]) -> u8 {
    let text = text.trim_ascii();
    let digits = match text.iter().position(|&byte| byte == b'.') {
        Some(point) if text.iter().all(|byte| byte.is_ascii_digit() || b"+-.".contains(byte)) => text.len() - point - 1,
        _ => {
            let mut sum = Sum::default();
            let scale = Number::read(text).and_then(|number| sum.add(&number).ok().map(|()| sum.scale));
            scale.map_or(0, |scale| scale as usize)
        }
    };
    u8::try_from(digits.min(38)).unwrap_or(38)
}

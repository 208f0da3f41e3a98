//! `unspool.At1`.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

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
use unspool_arrow::at1::{Decimals, OnMisfit, Options, Table as Layout};

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
    /// The layout of the table for the options that were asked for last.
    layout: Mutex<Option<(Options, Arc<Layout>)>>,
}

/// Bytes that are read first. Most heads fit.
const FIRST: u64 = 64 << 10;

/// The most bytes of adjacent blocks that are read at once.
const PIECE: u64 = 4 << 20;

/// Rows of a record batch that a query returns.
const BATCH: u64 = 1 << 16;

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
        Ok(Self { source: held, limits, codec, container, layout: Mutex::new(None) })
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
        let layout = py.detach(|| self.layout(&self.with(Decimals::Text, OnMisfit::Error)))?;
        Ok(usize::try_from(layout.rows()).unwrap_or(usize::MAX))
    }

    /// The names and types of the columns of a table.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<(String, &'static str)>> {
        let layout = py.detach(|| self.layout(&self.with(Decimals::Text, OnMisfit::Error)))?;
        let schema = layout.schema();
        let column = |(i, field): (usize, &Arc<arrow_schema::Field>)| {
            (field.name().clone(), layout.column_type(i).map_or("text", ColumnType::name))
        };
        Ok(schema.fields().iter().enumerate().map(column).collect())
    }

    /// The rows of each group but the last.
    #[getter]
    fn rows_per_group(&self, py: Python<'_>) -> PyResult<u64> {
        let layout = py.detach(|| self.layout(&self.with(Decimals::Text, OnMisfit::Error)))?;
        Ok(layout.rows_of(0).end)
    }

    #[getter]
    fn other_lines(&self, py: Python<'_>) -> PyResult<u64> {
        let layout = py.detach(|| self.layout(&self.with(Decimals::Text, OnMisfit::Error)))?;
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
            let layout = self.layout(&self.with(Decimals::Text, OnMisfit::Error))?;
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

    fn __repr__(&self) -> String {
        format!("<unspool.At1: {}, {} bytes>", self.codec.name(), self.source.get().size())
    }
}

impl At1 {
    const fn of_core(&self) -> unspool::at1::Options {
        unspool::at1::Options { limits: self.limits, ..unspool::at1::Options::DEFAULT }
    }

    const fn with(&self, decimals: Decimals, on_misfit: OnMisfit) -> Options {
        Options { limits: self.limits, decimals, on_misfit }
    }

    /// Reads the head of a table, as much of it as is needed.
    fn layout(&self, options: &Options) -> Result<Arc<Layout>> {
        let cached = self.layout.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, layout)) = cached.filter(|(found, _)| found == options) {
            return Ok(layout);
        }
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
        let layout = Arc::new(layout);
        *self.layout.lock().unwrap_or_else(PoisonError::into_inner) = Some((*options, Arc::clone(&layout)));
        Ok(layout)
    }

    /// Reads the head of a table. Without a choice for decimals, they get as many digits after the
    /// point as those of the first group have.
    fn layout_for(&self, decimals: Option<Decimals>, on_misfit: OnMisfit) -> Result<Arc<Layout>> {
        if let Some(decimals) = decimals {
            return self.layout(&self.with(decimals, on_misfit));
        }
        let text = self.layout(&self.with(Decimals::Text, OnMisfit::Null))?;
        let columns = text.schema().fields().len();
        let is_decimal = |column: &usize| text.column_type(*column) == Some(ColumnType::Decimal);
        let mut scale = 0;
        for column in (0..columns).filter(is_decimal).filter(|_| text.groups() > 0) {
            let bytes = self.source.get().get(text.block(0, column)?)?;
            let array = text.column(0, column, &bytes, &mut Workspace::new())?;
            let digits = array.as_string_view().iter().flatten().map(|text| digits_after_point(text.as_bytes()));
            scale = digits.max().unwrap_or(0).max(scale);
        }
        self.layout(&self.with(Decimals::Exact { scale }, on_misfit))
    }

    /// Decodes the groups that hold these rows, their columns on several threads.
    fn decode_groups(
        &self,
        layout: &Layout,
        columns: &[usize],
        rows: Range<u64>,
        threads: std::num::NonZeroUsize,
    ) -> Result<Vec<RecordBatch>> {
        let source = self.source.get();
        let mut sorted: Vec<usize> = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let groups = layout.groups_of(rows.clone());
        let mut blocks = groups.clone().flat_map(|group| sorted.iter().map(move |&column| (group, column))).peekable();
        let mut piece: (Range<u64>, Arc<Data>) = (0..0, Arc::new(Data::Owned(vec![])));
        let is_inside = |piece: &Range<u64>, range: &Range<u64>| piece.start <= range.start && range.end <= piece.end;
        let items = std::iter::from_fn(|| {
            let (group, column) = blocks.next()?;
            let mut next = || {
                let range = layout.block(group, column)?;
                if !is_inside(&piece.0, &range) {
                    // Adjacent blocks are read together.
                    let (mut end, mut ahead) = (range.end, blocks.clone());
                    while let Some((group, column)) = ahead.next()
                        && let Ok(more) = layout.block(group, column)
                        && more.start == end
                        && more.end - range.start <= PIECE
                    {
                        end = more.end;
                    }
                    piece = (range.start..end, Arc::new(source.get(range.start..end)?));
                }
                let start = range.start - piece.0.start;
                let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
                Ok((group, column, place(start)..place(range.end - piece.0.start), Arc::clone(&piece.1)))
            };
            Some(next())
        });
        let work = |workspace: &mut Workspace, (group, column, range, data): (u64, usize, Range<usize>, Arc<Data>)| {
            Ok(layout.column(group, column, data.get(range).unwrap_or_default(), workspace)?)
        };
        let (mut batches, mut arrays, mut group): (Vec<RecordBatch>, Vec<ArrayRef>, u64) =
            (vec![], vec![], groups.start);
        let mut signals = Signals::new();
        in_order(threads, items, Workspace::new, work, |array: ArrayRef| {
            arrays.push(array);
            if arrays.len() == sorted.len() {
                let all = std::mem::take(&mut arrays);
                let pick = |column: &usize| sorted.binary_search(column).ok().and_then(|at| all.get(at)).cloned();
                let picked: Option<Vec<_>> = columns.iter().map(pick).collect();
                let of = layout.rows_of(group);
                let batch = layout.assemble(columns, picked.unwrap_or_default(), of.end - of.start)?;
                // Within the group, whose values are in memory.
                let place = |row: u64| usize::try_from(row.saturating_sub(of.start)).unwrap_or(usize::MAX);
                let (start, end) = (place(rows.start), place(rows.end.min(of.end)));
                batches.push(batch.slice(start, end.saturating_sub(start)));
                group += 1;
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

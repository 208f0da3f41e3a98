//! Tables to query, rows to compare with, and a store that counts.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::arrow::array::{ArrayRef, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::eliminate_limit::EliminateLimit;
use datafusion::optimizer::extract_equijoin_predicate::ExtractEquijoinPredicate;
use datafusion::optimizer::replace_distinct_aggregate::ReplaceDistinctWithAggregate;
use datafusion::optimizer::simplify_expressions::SimplifyExpressions;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use unspool::at1::{Ask, ColumnRef, Filter, Options, Query, Request, Stats, Workspace, grow};
use unspool_tests::at1::{file, numbers, signed, string};
use url::Url;

/// A column of a table: its name, its type as AT-1 numbers them, and its values.
pub struct Column {
    pub name: &'static str,
    pub kind: u8,
    pub values: Vec<String>,
}

pub const TEXT: u8 = 0;
pub const INTEGER: u8 = 1;
pub const DECIMAL: u8 = 2;

/// The zone maps of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zones {
    Honest,
    /// Far beyond the values.
    Wide,
    /// The highest before the lowest, and no number.
    Swapped,
    /// Around zero, wherever the values are.
    Narrow,
    /// These bounds for integers, whatever the values are.
    Claimed(i64, i64),
}

/// Writes a table with a header line, in row groups whose blocks are compressed.
pub fn table(columns: &[Column], rows_per_group: usize, zones: Zones) -> Vec<u8> {
    let rows = columns[0].values.len();
    let groups = rows.div_ceil(rows_per_group);
    let mut meta = numbers([rows as u64 + 1]);
    meta.push(1);
    string(&mut meta, b",");
    meta.extend(numbers([columns.len() as u64, rows_per_group as u64, rows as u64, groups as u64]));
    meta.extend(columns.iter().map(|column| column.kind));
    let (mut index, mut blocks) = (vec![], vec![]);
    for group in 0..groups {
        for column in columns {
            let values = &column.values[group * rows_per_group..((group + 1) * rows_per_group).min(rows)];
            let block = zstd::bulk::compress(values.join("\n").as_bytes(), 3).unwrap();
            index.extend(numbers([block.len() as u64 + 1]));
            blocks.push(1);
            blocks.extend(block);
            match column.kind {
                INTEGER => {
                    let parsed = || values.iter().filter_map(|value| value.parse::<i64>().ok());
                    let (low, high) = (parsed().min().unwrap_or(0), parsed().max().unwrap_or(0));
                    let (low, high) = match zones {
                        Zones::Honest => (low, high),
                        Zones::Wide => (i64::MIN + 1, i64::MAX - 1),
                        Zones::Swapped => (high.max(low + 1), low),
                        Zones::Narrow => (0, 1),
                        Zones::Claimed(low, high) => (low, high),
                    };
                    signed(&mut index, low);
                    signed(&mut index, high);
                }
                DECIMAL => {
                    let parsed = || values.iter().filter_map(|value| value.parse::<f64>().ok());
                    let (low, high) =
                        (parsed().fold(f64::INFINITY, f64::min), parsed().fold(f64::NEG_INFINITY, f64::max));
                    let (low, high) = match zones {
                        Zones::Honest | Zones::Claimed(..) => (low, high),
                        Zones::Wide => (-1e30, 1e30),
                        Zones::Swapped => (f64::NAN, low),
                        Zones::Narrow => (0.0, 1.0),
                    };
                    index.extend(low.to_le_bytes());
                    index.extend(high.to_le_bytes());
                }
                _ => {}
            }
        }
    }
    let mut modes = vec![0];
    modes.extend((0..rows).map(|_| 1));
    let header = columns.iter().map(|column| column.name).collect::<Vec<_>>().join(",");
    let streams =
        [("meta", meta), ("row_modes", modes), ("verbatim", header.into_bytes()), ("index", index), ("blocks", blocks)];
    let pack = |bytes: &[u8]| (2, bytes.to_vec());
    file(7, &streams, pack)
}

/// Writes an OnPair file of these rows, with a token for each byte.
pub fn strings(rows: &[&str]) -> Vec<u8> {
    let mut codes: Vec<u8> = rows.concat().into_bytes();
    codes.resize(codes.len().next_multiple_of(8), 0);
    let mut end = 0;
    let ends = rows.iter().map(|row| {
        end += row.len() as u32;
        end
    });
    let numbers = |numbers: Vec<u32>| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let (token_offsets, row_offsets) = (numbers((0..=256).collect()), numbers([0].into_iter().chain(ends).collect()));
    let mut file = b"ONPAIR01\x08".to_vec();
    for (table, width) in [((0..=255).collect(), 1), (token_offsets, 4), (codes, 8), (row_offsets, 4)] {
        file.extend((table.len() as u32 / width).to_le_bytes());
        file.extend(table);
    }
    file
}

/// Runs a query of the core over a file in memory.
pub fn query(bytes: &[u8], filters: &[Filter<'_>], ask: Ask<'_>, each: &mut dyn FnMut(Vec<Vec<u8>>)) -> Stats {
    let (mut workspace, mut scratch) = (Workspace::new(), vec![]);
    let request = Request { filters, ask, limit: u64::MAX };
    let mut query = loop {
        let mut query = Query::new(request, &Options::DEFAULT);
        match query.open(bytes, &mut workspace, &mut scratch) {
            Ok(()) => break query,
            Err(error) => grow(&mut scratch, error).unwrap(),
        }
    };
    let mut visit = |row: &unspool::at1::Row<'_>| {
        each(row.values().map(<[u8]>::to_vec).collect());
        Ok(())
    };
    while let Some(range) = query.needs() {
        let part = &bytes[range.start as usize..range.end as usize];
        while let Err(error) = query.feed(range.start, part, &mut workspace, &mut scratch, &mut visit) {
            grow(&mut scratch, error).unwrap();
        }
    }
    query.stats()
}

/// Returns the rows of a table as the core's query has them, one vector of texts for each column.
pub fn columns_of(bytes: &[u8], count: usize) -> Vec<Vec<Vec<u8>>> {
    let mut columns = vec![vec![]; count];
    let all: Vec<_> = (0..count).map(ColumnRef::Number).collect();
    query(bytes, &[], Ask::Columns(&all), &mut |row| {
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    });
    columns
}

/// Parses a number with digits alone: the integer times ten to the power of `scale`.
pub fn exact(text: &[u8], scale: i32) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim_matches(|c: char| c.is_ascii_whitespace());
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut value: i128 = all
        .trim_start_matches('0')
        .parse()
        .or_else(|_| if all.bytes().all(|b| b == b'0') { Ok(0) } else { Err(()) })
        .ok()?;
    let mut places = exponent - i32::try_from(fraction.len()).ok()? + scale;
    if value == 0 {
        return Some(0);
    }
    while places > 0 {
        (value, places) = (value.checked_mul(10)?, places - 1);
    }
    while places < 0 {
        if value % 10 != 0 {
            return None;
        }
        (value, places) = (value / 10, places + 1);
    }
    (value < 10i128.pow(38)).then_some(if negative { -value } else { value })
}

/// Builds the rows of a table from texts. A value that does not fit is null.
pub fn reference(texts: &[Vec<Vec<u8>>], schema: &SchemaRef) -> RecordBatch {
    let arrays = texts.iter().zip(schema.fields()).map(|(column, field)| -> ArrayRef {
        match *field.data_type() {
            DataType::Int64 => {
                let values = column.iter().map(|text| exact(text, 0).and_then(|value| i64::try_from(value).ok()));
                Arc::new(Int64Array::from_iter(values))
            }
            DataType::Decimal128(38, scale) => {
                let values = column.iter().map(|text| exact(text, scale.into()));
                Arc::new(Decimal128Array::from_iter(values).with_precision_and_scale(38, scale).unwrap())
            }
            DataType::Float64 => Arc::new(Float64Array::from_iter(column.iter().map(|text| {
                let text = std::str::from_utf8(text).ok()?.trim_matches(|c: char| c.is_ascii_whitespace());
                // Words are no numbers here.
                text.bytes().any(|byte| byte.is_ascii_digit()).then_some(())?;
                text.parse().ok()
            }))),
            DataType::Utf8View => {
                Arc::new(StringViewArray::from_iter(column.iter().map(|text| std::str::from_utf8(text).ok())))
            }
            ref other => panic!("no reference for {other}"),
        }
    });
    RecordBatch::try_new(Arc::clone(schema), arrays.collect()).unwrap()
}

/// A session with our formats that splits even small files, and makes small batches.
pub fn session(partitions: usize, batch_size: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(batch_size);
    config.options_mut().sql_parser.parse_float_as_decimal = true;
    config.options_mut().optimizer.repartition_file_min_size = 1;
    config.options_mut().optimizer.repartition_file_scans = true;
    let context = SessionContext::new_with_config(config);
    unspool_datafusion::register(&context).unwrap();
    context
}

/// A session of DataFusion alone. A literal with a point is a decimal or a float.
///
/// Its plans are not optimised, except for what the engine cannot run otherwise. That takes half
/// of the time, and a rule that changes answers cannot change both.
pub fn plain_session(partitions: usize, decimals: bool) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    config.options_mut().sql_parser.parse_float_as_decimal = decimals;
    let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    let rules: Vec<Arc<dyn OptimizerRule + Send + Sync>> = vec![
        Arc::new(SimplifyExpressions::new()),
        Arc::new(ReplaceDistinctWithAggregate::new()),
        Arc::new(ExtractEquijoinPredicate::new()),
        Arc::new(EliminateLimit::new()),
    ];
    SessionContext::new_with_state(builder.with_optimizer_rules(rules).build())
}

/// Runs a statement. Returns each row as text.
pub async fn rows(context: &SessionContext, sql: &str) -> Result<Vec<String>> {
    let batches = context.sql(sql).await?.collect().await?;
    let mut rows = vec![];
    for batch in batches {
        let options = FormatOptions::default().with_null("NULL");
        let columns = batch.columns().iter().map(|column| {
            let texts = ArrayFormatter::try_new(column.as_ref(), &options).unwrap();
            (texts, column.data_type().is_floating())
        });
        let columns: Vec<_> = columns.collect();
        for row in 0..batch.num_rows() {
            let texts = columns.iter().map(|(texts, is_float)| match texts.value(row).to_string() {
                // Which of two zeros a group is called by depends on the order of rows.
                text if *is_float && ["-0.0", "-0"].contains(&&*text) => text[1..].to_owned(),
                text => text,
            });
            rows.push(texts.collect::<Vec<_>>().join("|"));
        }
    }
    Ok(rows)
}

/// A store in memory that counts the bytes and the requests of readers.
#[derive(Debug, Default)]
pub struct Counting {
    inner: InMemory,
    bytes: AtomicU64,
    requests: AtomicU64,
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counting")
    }
}

impl Counting {
    /// Registers a store that holds these files as `mem://files/`.
    pub async fn with(context: &SessionContext, files: &[(&str, &[u8])]) -> Arc<Self> {
        let store = Arc::new(Self::default());
        for (path, bytes) in files {
            store.inner.put(&Path::from(*path), PutPayload::from(bytes.to_vec())).await.unwrap();
        }
        context.register_object_store(&Url::parse("mem://files").unwrap(), Arc::clone(&store) as _);
        store
    }

    /// Returns the bytes and the requests since the last call.
    pub fn take(&self) -> (u64, u64) {
        (self.bytes.swap(0, Ordering::Relaxed), self.requests.swap(0, Ordering::Relaxed))
    }

    fn count(&self, len: u64) {
        self.bytes.fetch_add(len, Ordering::Relaxed);
        self.requests.fetch_add(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl ObjectStore for Counting {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> object_store::Result<PutResult> {
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        let is_head = options.head;
        let result = self.inner.get_opts(path, options).await?;
        if !is_head {
            self.count(result.range.end - result.range.start);
        }
        Ok(result)
    }

    async fn get_ranges(&self, path: &Path, ranges: &[Range<u64>]) -> object_store::Result<Vec<Bytes>> {
        ranges.iter().for_each(|range| self.count(range.end - range.start));
        self.inner.get_ranges(path, ranges).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

//! OnPair: the dictionary once, then rows piece by piece. Equality, prefixes and substrings are
//! decided by codes, before any row is decoded.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, BooleanBufferBuilder, RecordBatch, new_empty_array};
use datafusion::arrow::compute::{and, concat};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, CastExpr, Column as ColumnExpr, LikeExpr, Literal};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use unspool::onpair::{Codes, Column, Dictionary, Outline, RowOffsets, Search, SearchWorkspace};
use unspool::{ErrorKind, Limits};
use unspool_arrow::Error;

use crate::io::Io;
use crate::options::Options;
use crate::plan::{Condition, Mapping, Plan, convert, missing, slices};

/// The name of the only column.
const COLUMN: &str = "value";

/// Rows of a piece.
const PIECE: u64 = 1 << 16;

/// A file whose tables are known.
pub(crate) struct OnPair {
    limits: Limits,
    pub(crate) schema: SchemaRef,
    pub(crate) rows: u64,
    bits: u32,
    /// The bytes of tokens, their offsets, codes, row offsets.
    places: [Range<u64>; 4],
}

impl OnPair {
    /// Walks over the tables of a file.
    pub(crate) async fn read(io: &Io, options: &Options) -> Result<Self> {
        let mut outline = Outline::new(io.meta.size);
        while let Some(range) = outline.needs() {
            let bytes = io.read(range.start..range.end.min(io.meta.size)).await?;
            outline.feed(range.start, &bytes, &mut ()).map_err(|error| io.error(error))?;
        }
        let (places, limits) = (outline.places().clone(), options.limits);
        let [_, token_offsets, _, row_offsets] = &places;
        let header = token_offsets.end - token_offsets.start;
        if header > limits.max_header {
            return Err(io.error(unspool::Error::new(ErrorKind::HeaderLimit, 0).needing(header)).into());
        }
        let rows = ((row_offsets.end - row_offsets.start) / 4).saturating_sub(1);
        let data_type = if options.binary { DataType::BinaryView } else { DataType::Utf8View };
        let schema = Arc::new(Schema::new(vec![Field::new(COLUMN, data_type, false)]));
        Ok(Self { limits, schema, rows, bits: outline.bits(), places })
    }

    /// Returns the batches of these rows.
    pub(crate) async fn stream(
        self: Arc<Self>,
        io: Arc<Io>,
        plan: Arc<Plan>,
        rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let mapping = Mapping::new(&plan.schema, &self.schema);
        let is_read = plan.needed.iter().any(|&column| mapping.get(column).is_some());
        let end = rows.end.min(rows.start.saturating_add(plan.most_rows()));
        let [tokens, token_offsets, ..] = &self.places;
        let tables = match is_read && rows.start < end {
            true => io.read_all(&[tokens.clone(), token_offsets.clone()]).await?,
            false => vec![],
        };
        let [tokens, token_offsets] = <[Bytes; 2]>::try_from(tables).unwrap_or_default();
        // Codes hold the text of the file. A value of another declared type has a text of its own.
        let keeps_text = plan.schema.field_with_name(COLUMN).is_ok_and(|field| is_text(field.data_type()));
        let test = |condition: &Condition| TextTest::of(&condition.expr).filter(|_| keeps_text);
        let tests = plan.conditions.iter().map(test).collect();
        let size = if is_read { PIECE } else { u64::MAX };
        let pieces = (0..(end.saturating_sub(rows.start)).div_ceil(size)).map(move |i| {
            let start = rows.start.saturating_add(i.saturating_mul(size));
            start..start.saturating_add(size).min(end)
        });
        let (ahead, batch_size) = (plan.ahead(), plan.batch_size);
        let scan = Arc::new(Scan { file: self, io, plan, mapping, tokens, token_offsets, tests, is_read });
        let loaded = stream::iter(pieces).map(move |rows| Arc::clone(&scan).load(rows)).buffered(ahead);
        let size = if is_read { batch_size } else { usize::MAX };
        let batches = loaded.and_then(|piece| async move { piece.batch() });
        Ok(batches.map_ok(move |batch| stream::iter(slices(&batch, size).map(Ok))).try_flatten().boxed())
    }
}

struct Scan {
    file: Arc<OnPair>,
    io: Arc<Io>,
    plan: Arc<Plan>,
    mapping: Mapping,
    tokens: Bytes,
    token_offsets: Bytes,
    /// For each condition the test of codes that decides it, if there is one.
    tests: Vec<Option<TextTest>>,
    is_read: bool,
}

/// Some rows: their codes, and the first code of each.
struct Piece {
    scan: Arc<Scan>,
    rows: Range<u64>,
    /// Four bytes each, counted from the first code of `codes`.
    offsets: Vec<u8>,
    codes: Bytes,
    /// The place of `codes` in the file.
    at: u64,
    /// The memory of the codes.
    _held: Option<MemoryReservation>,
}

impl Scan {
    /// Reads the codes of some rows.
    async fn load(self: Arc<Self>, rows: Range<u64>) -> Result<Piece> {
        if !self.is_read {
            return Ok(Piece { scan: self, rows, offsets: vec![], codes: Bytes::new(), at: 0, _held: None });
        }
        self.io.count_groups(0, 1);
        let [.., codes, row_offsets] = &self.file.places;
        let (start, end) = (row_offsets.start + rows.start * 4, row_offsets.start + rows.end * 4 + 4);
        let offsets = self.io.read(start..end).await?;
        let offsets: Vec<u32> = offsets.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let refuse = |kind, at| self.io.error(unspool::Error::new(kind, at));
        if let Some(wrong) = offsets.windows(2).position(|pair| pair.first() > pair.last()) {
            return Err(refuse(ErrorKind::OnPairRowOrder, start + (wrong as u64 + 1) * 4).into());
        }
        let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
        let bits = u64::from(self.file.bits);
        // Eight codes fill whole bytes.
        let first = first & !7;
        let at = codes.start + u64::from(first) * bits / 8;
        let until = codes.start + (u64::from(last) * bits).div_ceil(8);
        if until > codes.end {
            return Err(refuse(ErrorKind::OnPairRowOutside, end - 4).into());
        }
        let codes = self.io.read(at..until).await?;
        let held = self.io.hold(codes.len());
        let offsets = offsets.iter().flat_map(|offset| (offset - first).to_le_bytes()).collect();
        Ok(Piece { scan: self, rows, offsets, codes, at, _held: held })
    }
}

impl Piece {
    fn batch(&self) -> Result<RecordBatch> {
        let (scan, plan) = (&self.scan, &self.scan.plan);
        let rows = usize::try_from(self.rows.end - self.rows.start).unwrap_or(usize::MAX);
        let find = || -> unspool_arrow::Result<(Option<ArrayRef>, Option<BooleanArray>)> {
            if !scan.is_read {
                return Ok((None, None));
            }
            let dictionary = Dictionary::open(&scan.tokens, &scan.token_offsets);
            let [_, token_offsets, ..] = &scan.file.places;
            let dictionary = dictionary.map_err(|error| error.offset_by(token_offsets.start))?;
            // The row offsets were checked. Any other error is that of a code.
            let moved = |error: unspool::Error| error.offset_by(self.at);
            let offsets = RowOffsets::u32(&self.offsets)?;
            let len = usize::try_from(offsets.last()).unwrap_or(usize::MAX);
            let codes = Codes::packed(&self.codes, scan.file.bits, len).map_err(moved)?;
            let column = Column::open(dictionary, codes, offsets, &scan.file.limits).map_err(moved)?;
            self.search(&column).map_err(|error| match error {
                Error::Refused(error) => Error::Refused(moved(error)),
                Error::Misfit(mut misfit) => {
                    misfit.row = misfit.row.saturating_add(self.rows.start);
                    Error::Misfit(misfit)
                }
            })
        };
        let (array, found) = find().map_err(|error| scan.io.error(error))?;
        let (mut done, mut keep) = (vec![false; plan.conditions.len()], None);
        let mut rows = rows;
        if let Some(found) = found {
            done = scan.tests.iter().map(Option::is_some).collect();
            // Rows that no code matched were not decoded.
            rows = found.true_count();
            keep = None;
        }
        plan.finish(rows, keep.take(), &done, |column| match (&array, scan.mapping.get(column)) {
            (Some(array), Some(_)) => convert(Arc::clone(array), plan.data_type(column)),
            _ => missing(plan, column, rows),
        })
    }

    /// Runs the tests of codes. Returns the rows that they found, and an array of these rows alone.
    fn search(&self, column: &Column<'_>) -> unspool_arrow::Result<(Option<ArrayRef>, Option<BooleanArray>)> {
        let mut found: Option<BooleanArray> = None;
        let len = usize::try_from(column.rows().end).unwrap_or(usize::MAX);
        for test in self.scan.tests.iter().flatten() {
            let mut rows = BooleanBufferBuilder::new(len);
            rows.append_n(len, false);
            test.each(column, &mut |row| rows.set_bit(usize::try_from(row).unwrap_or(usize::MAX), true))?;
            let rows = BooleanArray::new(rows.finish(), None);
            found = Some(match found {
                // Both have as many rows.
                Some(before) => and(&before, &rows).unwrap_or(before),
                None => rows,
            });
        }
        let is_text = !self.scan.plan.options.binary;
        let decode = |rows: Range<u64>| unspool_arrow::onpair::decode(column, rows, is_text);
        let array = match &found {
            None => decode(column.rows())?,
            Some(found) => {
                let runs: Vec<_> = found.values().set_slices().collect();
                let arrays = runs.iter().map(|&(start, end)| decode(start as u64..end as u64));
                let arrays = arrays.collect::<unspool_arrow::Result<Vec<_>>>()?;
                let refs: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
                let data_type = if is_text { DataType::Utf8View } else { DataType::BinaryView };
                // All have one type.
                concat(&refs).unwrap_or_else(|_| new_empty_array(&data_type))
            }
        };
        Ok((Some(array), found))
    }
}

/// A condition on the text of the column that codes decide.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextTest {
    Equals(Vec<u8>),
    StartsWith(Vec<u8>),
    Contains(Vec<u8>),
}

impl TextTest {
    /// Returns the test of a condition, if it is one.
    fn of(expr: &Arc<dyn PhysicalExpr>) -> Option<Self> {
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
            return match (binary.op(), column_and_text(binary.left(), binary.right())) {
                (Operator::Eq, Some(text)) => Some(Self::Equals(text)),
                (Operator::Eq, None) => column_and_text(binary.right(), binary.left()).map(Self::Equals),
                _ => None,
            };
        }
        let like = expr.downcast_ref::<LikeExpr>().filter(|like| !like.negated() && !like.case_insensitive())?;
        Self::of_pattern(&column_and_text(like.expr(), like.pattern())?)
    }

    /// Returns the test of a pattern of `LIKE` with `%` at its ends alone.
    fn of_pattern(pattern: &[u8]) -> Option<Self> {
        let (starts_open, rest) = match pattern.strip_prefix(b"%") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let (ends_open, text) = match rest.strip_suffix(b"%") {
            Some(text) => (true, text),
            None => (false, rest),
        };
        let is_plain = !text.iter().any(|byte| matches!(byte, b'%' | b'_' | b'\\'));
        match (starts_open, ends_open) {
            _ if !is_plain => None,
            (false, false) => Some(Self::Equals(text.to_vec())),
            (false, true) => Some(Self::StartsWith(text.to_vec())),
            (true, true) => Some(Self::Contains(text.to_vec())),
            (true, false) => None,
        }
    }

    /// Calls a function with each row that matches.
    fn each(&self, column: &Column<'_>, found: &mut dyn FnMut(u64)) -> unspool::Result<()> {
        let mut run = |search: &Search<'_>| {
            search.rows().try_for_each(|row| {
                found(row?);
                Ok(())
            })
        };
        match self {
            Self::Equals(text) => run(&Search::equals(column, text)),
            Self::StartsWith(text) => run(&Search::starts_with(column, text)),
            Self::Contains(text) => {
                let (mut needle, mut tokens) = (vec![0; text.len()], vec![0; column.dictionary().len()]);
                let workspace = SearchWorkspace { needle: &mut needle, tokens: &mut tokens };
                run(&Search::contains(column, text, workspace)?)
            }
        }
    }
}

/// Returns whether values of a type are the bytes of the file.
const fn is_text(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    matches!(data_type, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

/// Returns the text of a literal that the column is compared with. The table's type of the column
/// must be one of text.
fn column_and_text(column: &Arc<dyn PhysicalExpr>, literal: &Arc<dyn PhysicalExpr>) -> Option<Vec<u8>> {
    let mut column = column;
    // Casts between kinds of strings keep their bytes.
    while let Some(cast) = column.downcast_ref::<CastExpr>() {
        if !matches!(cast.cast_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
            return None;
        }
        column = cast.expr();
    }
    column.downcast_ref::<ColumnExpr>().filter(|column| column.name() == COLUMN)?;
    match literal.downcast_ref::<Literal>()?.value() {
        ScalarValue::Utf8(Some(text)) | ScalarValue::LargeUtf8(Some(text)) | ScalarValue::Utf8View(Some(text)) => {
            Some(text.as_bytes().to_vec())
        }
        ScalarValue::Binary(Some(bytes))
        | ScalarValue::LargeBinary(Some(bytes))
        | ScalarValue::BinaryView(Some(bytes)) => Some(bytes.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_tests_of_codes() {
        for (pattern, test) in [
            ("abc", Some(TextTest::Equals(b"abc".to_vec()))),
            ("abc%", Some(TextTest::StartsWith(b"abc".to_vec()))),
            ("%abc%", Some(TextTest::Contains(b"abc".to_vec()))),
            ("", Some(TextTest::Equals(vec![]))),
            ("%abc", None),
            ("a%c", None),
            ("a_c%", None),
            (r"a\%%", None),
        ] {
            assert_eq!(TextTest::of_pattern(pattern.as_bytes()), test, "{pattern}");
        }
    }
}

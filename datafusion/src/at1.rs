//! AT-1: row groups, pruned by zone maps, whose columns are read one condition after another.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int64Array, RecordBatch, UInt64Array,
};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::stats::Precision;
use datafusion::common::{Column, ColumnStatistics, Result, ScalarValue};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_optimizer::pruning::PruningPredicate;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use unspool::ErrorKind;
use unspool::at1::Workspace;
use unspool::at1::qcolumnar::Zone;
use unspool_arrow::at1::Table;

use crate::io::Io;
use crate::plan::{Mapping, Plan, convert, missing, slices};

/// Bytes of blocks that a step reads, unless one group has more.
const STEP: u64 = 1 << 20;

/// The type that a block is decoded to, so that no digit is lost before it is converted.
fn decoded_type(wanted: &DataType, own: &DataType) -> DataType {
    match wanted {
        DataType::Int64 | DataType::Float64 => wanted.clone(),
        DataType::Float32 => DataType::Float64,
        DataType::Decimal128(_, scale @ 0..) => DataType::Decimal128(38, *scale),
        DataType::Utf8View | DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        _ => own.clone(),
    }
}

/// A file whose head is known.
pub(crate) struct At1 {
    pub(crate) table: Table,
}

impl At1 {
    /// Returns the bounds of a column over the whole file, as the zone maps claim them.
    pub(crate) fn statistics(&self, column: Option<usize>, data_type: &DataType) -> ColumnStatistics {
        let mut unknown = ColumnStatistics::new_unknown();
        let Some(column) = column else { return unknown };
        let bounds = |upper: bool| {
            let all = (0..self.table.groups()).map(|group| bound(self.table.zone(group, column), data_type, upper));
            // One unknown bound makes that of the file unknown.
            let all: Option<Vec<_>> = all.collect();
            let pick = |a: ScalarValue, b: ScalarValue| match a.partial_cmp(&b) {
                Some(std::cmp::Ordering::Less) if upper => b,
                Some(std::cmp::Ordering::Greater) if !upper => b,
                _ => a,
            };
            all.and_then(|all| all.into_iter().reduce(pick)).map_or(Precision::Absent, Precision::Inexact)
        };
        (unknown.min_value, unknown.max_value) = (bounds(false), bounds(true));
        unknown
    }

    /// Returns the batches of the groups whose first row is among these.
    pub(crate) fn stream(
        self: Arc<Self>,
        io: Arc<Io>,
        plan: Arc<Plan>,
        pruning: Option<Arc<PruningPredicate>>,
        rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let mapping = Arc::new(Mapping::new(&plan.schema, &self.table.schema()));
        let first = |row: u64| self.table.groups_of(row..row.saturating_add(1));
        // The group of the first row belongs to the range before, unless it starts there.
        let whole = |row: u64| match first(row) {
            groups if groups.is_empty() => self.table.groups(),
            groups if self.table.rows_of(groups.start).start < row => groups.start.saturating_add(1),
            groups => groups.start,
        };
        let mut groups: Vec<u64> = (whole(rows.start)..whole(rows.end)).collect();
        let before = groups.len();
        if let Some(pruning) = pruning.filter(|_| plan.options.zone_maps) {
            let zones = Zones { table: &self.table, groups: &groups, schema: &plan.schema, mapping: &mapping };
            // If a bound overflows the type that a condition converts it to, no group is skipped.
            if let Ok(keep) = pruning.prune(&zones) {
                let mut keep = keep.into_iter();
                groups.retain(|_| keep.next().unwrap_or(true));
            }
        }
        io.count_groups(before - groups.len(), 0);
        let (mut taken, most) = (0u64, plan.most_rows());
        groups.retain(|&group| {
            let is_wanted = taken < most;
            let rows = self.table.rows_of(group);
            taken = taken.saturating_add(rows.end - rows.start);
            is_wanted
        });
        let steps = self.steps(&plan, &mapping, groups)?;
        let ahead = plan.ahead();
        let workspace = Mutex::new(Box::new(Workspace::new()));
        let scan = Arc::new(Scan { file: self, io, plan, mapping, workspace });
        let loaded = stream::iter(steps).map(move |groups| Arc::clone(&scan).load(groups)).buffered(ahead);
        Ok(loaded.map_ok(|groups| stream::iter(groups.into_iter().flat_map(Loaded::batches))).try_flatten().boxed())
    }

    /// Cuts groups into steps of a few requests each.
    fn steps(&self, plan: &Plan, mapping: &Mapping, groups: Vec<u64>) -> Result<Vec<Vec<u64>>> {
        let columns: Vec<_> = plan.needed.iter().filter_map(|&column| mapping.get(column)).collect();
        let (mut steps, mut size) = (Vec::<Vec<u64>>::new(), 0u64);
        for group in groups {
            // A hostile block is reported when it is read.
            let blocks = columns
                .iter()
                .map(|&column| self.table.block(group, column).map_or(0, |block| block.end - block.start));
            let bytes = blocks.fold(0u64, u64::saturating_add);
            size = size.saturating_add(bytes);
            match steps.last_mut() {
                Some(step) if size <= STEP && plan.limit.is_none() => step.push(group),
                _ => {
                    steps.push(vec![group]);
                    size = bytes;
                }
            }
        }
        Ok(steps)
    }
}

struct Scan {
    file: Arc<At1>,
    io: Arc<Io>,
    plan: Arc<Plan>,
    mapping: Arc<Mapping>,
    /// Used by one block at a time: a partition decodes in one task.
    workspace: Mutex<Box<Workspace>>,
}

/// Adjacent groups in progress, which become batches together.
struct Loaded {
    scan: Arc<Scan>,
    groups: Range<u64>,
    rows: usize,
    arrays: HashMap<usize, ArrayRef>,
    keep: Option<BooleanArray>,
    /// The blocks of a column, group by group. They are decoded when their batch is due.
    blocks: HashMap<usize, Vec<Bytes>>,
    /// The memory of blocks and arrays.
    held: Option<MemoryReservation>,
}

impl Scan {
    /// Reads some groups: the columns of one condition after another, while rows remain, then the
    /// other columns.
    async fn load(self: Arc<Self>, groups: Vec<u64>) -> Result<Vec<Loaded>> {
        self.io.count_groups(0, groups.len());
        let most = self.plan.options.limits.max_elements;
        let len = |group: u64| self.file.table.rows_of(group).end - self.file.table.rows_of(group).start;
        // A group without columns to read has no block that its rows could be compared with.
        if let Some(rows) = groups.iter().map(|&group| len(group)).find(|&rows| rows > most) {
            return Err(self.io.error(unspool::Error::new(ErrorKind::ElementLimit, 0).needing(rows)).into());
        }
        let mut loaded: Vec<_> = self
            .runs(groups)
            .into_iter()
            .map(|groups| {
                // Rows take memory only when a block with as many values was decoded.
                let rows = groups.clone().map(len).fold(0u64, u64::saturating_add);
                let rows = usize::try_from(rows).unwrap_or(usize::MAX);
                let (scan, held) = (Arc::clone(&self), self.io.hold(0));
                Loaded { scan, groups, rows, arrays: HashMap::new(), keep: None, blocks: HashMap::new(), held }
            })
            .collect();
        for condition in &self.plan.conditions {
            self.read(&mut loaded, &condition.columns).await?;
            let mut left = vec![];
            for mut group in loaded {
                let arrays = condition.columns.iter().map(|&column| group.array(column)).collect::<Result<Vec<_>>>()?;
                let found = condition.test(arrays, group.rows, group.keep.as_ref())?;
                if found.has_true() {
                    group.keep = Some(found);
                    left.push(group);
                }
            }
            loaded = left;
        }
        self.read(&mut loaded, &self.plan.output).await?;
        Ok(loaded)
    }

    /// Joins adjacent groups to the size of a batch. With conditions, each group is alone: one
    /// without a match is not read any further.
    fn runs(&self, groups: Vec<u64>) -> Vec<Range<u64>> {
        let size = if self.plan.conditions.is_empty() { self.plan.batch_size as u64 } else { 0 };
        let rows = |groups: &Range<u64>| {
            self.file.table.rows_of(groups.end - 1).end - self.file.table.rows_of(groups.start).start
        };
        let mut runs: Vec<Range<u64>> = vec![];
        for group in groups {
            let next = group.saturating_add(1);
            match runs.last_mut() {
                Some(run) if run.end == group && rows(&(run.start..next)) <= size => run.end = next,
                _ => runs.push(group..next),
            }
        }
        runs
    }

    /// Reads the blocks of some columns that were not read yet.
    async fn read(&self, groups: &mut [Loaded], columns: &[usize]) -> Result<()> {
        let (mut places, mut ranges) = (vec![], vec![]);
        for (number, loaded) in groups.iter().enumerate() {
            for &column in columns {
                if let Some(own) = self.mapping.get(column)
                    && !loaded.arrays.contains_key(&column)
                    && !loaded.blocks.contains_key(&column)
                {
                    for group in loaded.groups.clone() {
                        places.push((number, column));
                        ranges.push(self.file.table.block(group, own).map_err(|error| self.io.error(error))?);
                    }
                }
            }
        }
        let blocks = self.io.read_all(&ranges).await?;
        for ((number, column), block) in places.into_iter().zip(blocks) {
            if let Some(group) = groups.get_mut(number) {
                group.held.iter().for_each(|held| held.grow(block.len()));
                group.blocks.entry(column).or_default().push(block);
            }
        }
        Ok(())
    }
}

impl Loaded {
    /// Returns a column of the table, and decodes it if that was not done yet.
    fn array(&mut self, column: usize) -> Result<ArrayRef> {
        if let Some(array) = self.arrays.get(&column) {
            return Ok(Arc::clone(array));
        }
        let (scan, wanted) = (&self.scan, self.scan.plan.data_type(column));
        let array = match scan.mapping.get(column) {
            None => missing(&scan.plan, column, self.rows)?,
            Some(own) => {
                let schema = scan.file.table.schema();
                let as_type = decoded_type(wanted, schema.field(own).data_type());
                let (blocks, first) = (self.blocks.remove(&column).unwrap_or_default(), self.groups.start);
                let block = |group: u64| {
                    let number = usize::try_from(group - first).unwrap_or(usize::MAX);
                    blocks.get(number).map_or(&[][..], |block| block)
                };
                let mut workspace = scan.workspace.lock().unwrap_or_else(PoisonError::into_inner);
                let decoded = scan.file.table.column_as(self.groups.clone(), own, &as_type, block, &mut workspace);
                drop(workspace);
                convert(decoded.map_err(|error| scan.io.error(error))?, wanted)?
            }
        };
        self.held.iter().for_each(|held| held.grow(array.get_array_memory_size()));
        self.arrays.insert(column, Arc::clone(&array));
        Ok(array)
    }

    fn batches(mut self) -> impl Iterator<Item = Result<RecordBatch>> {
        let plan = Arc::clone(&self.scan.plan);
        let size = plan.batch_size;
        let batch = plan.batch(self.rows, |column| self.array(column)).and_then(|batch| match &self.keep {
            Some(keep) => Ok(filter_record_batch(&batch, keep)?),
            None => Ok(batch),
        });
        let (batch, error) = match batch {
            Ok(batch) => (Some(batch), None),
            Err(error) => (None, Some(Err(error))),
        };
        batch.into_iter().flat_map(move |batch| slices(&batch, size)).map(Ok).chain(error)
    }
}

/// Returns one bound of a block as a value of a type, rounded outwards; `None` if it is unknown.
fn bound(zone: Zone, data_type: &DataType, upper: bool) -> Option<ScalarValue> {
    let outwards = |value: f64| {
        // A writer may have been a step off, and so may a product be.
        (0..4).fold(value, |value, _| if upper { value.next_up() } else { value.next_down() })
    };
    match zone {
        Zone::None => None,
        Zone::Integer(low, high) => {
            let value = if upper { high } else { low };
            // The ends of 64 bits mean that or beyond; swapped ends mean nothing.
            if low > high || value == i64::MIN || value == i64::MAX {
                return None;
            }
            match data_type {
                DataType::Int64 => Some(ScalarValue::Int64(Some(value))),
                #[allow(clippy::cast_precision_loss, reason = "rounded outwards next")]
                DataType::Float64 => Some(ScalarValue::Float64(Some(outwards(value as f64)))),
                &DataType::Decimal128(38, scale) => {
                    let value = i128::from(value).checked_mul(10i128.checked_pow(u32::from(scale.unsigned_abs()))?)?;
                    within(value).filter(|_| scale >= 0).map(|value| ScalarValue::Decimal128(Some(value), 38, scale))
                }
                _ => None,
            }
        }
        Zone::Decimal(low, high) => {
            let value = if upper { high } else { low };
            // Not if one of them is `NaN`.
            if !(low <= high && value.is_finite()) {
                return None;
            }
            match data_type {
                DataType::Float64 => Some(ScalarValue::Float64(Some(outwards(value)))),
                &DataType::Decimal128(38, scale) if scale >= 0 => {
                    let scaled = outwards(outwards(value) * 10f64.powi(scale.into()));
                    let scaled = if upper { scaled.ceil() } else { scaled.floor() };
                    // Beyond this a decimal cannot hold it.
                    #[allow(clippy::cast_possible_truncation, reason = "within 10^37")]
                    (scaled.abs() < 1e37).then(|| ScalarValue::Decimal128(Some(scaled as i128), 38, scale))
                }
                _ => None,
            }
        }
    }
}

fn within(value: i128) -> Option<i128> {
    (value.unsigned_abs() < 10u128.pow(38)).then_some(value)
}

/// The zone maps of some groups.
struct Zones<'a> {
    table: &'a Table,
    groups: &'a [u64],
    schema: &'a SchemaRef,
    mapping: &'a Mapping,
}

impl Zones<'_> {
    fn bounds(&self, column: &Column, upper: bool) -> Option<ArrayRef> {
        let number = self.schema.index_of(&column.name).ok()?;
        let (own, data_type) = (self.mapping.get(number)?, self.schema.field(number).data_type());
        let bounds = self.groups.iter().map(|&group| bound(self.table.zone(group, own), data_type, upper));
        Some(match data_type {
            DataType::Int64 => Arc::new(Int64Array::from_iter(bounds.map(|bound| match bound {
                Some(ScalarValue::Int64(value)) => value,
                _ => None,
            }))),
            DataType::Float64 => Arc::new(Float64Array::from_iter(bounds.map(|bound| match bound {
                Some(ScalarValue::Float64(value)) => value,
                _ => None,
            }))),
            &DataType::Decimal128(38, scale) => {
                let values = bounds.map(|bound| match bound {
                    Some(ScalarValue::Decimal128(value, ..)) => value,
                    _ => None,
                });
                Arc::new(Decimal128Array::from_iter(values).with_precision_and_scale(38, scale).ok()?)
            }
            _ => return None,
        })
    }
}

impl PruningStatistics for Zones<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.bounds(column, false)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.bounds(column, true)
    }

    fn num_containers(&self) -> usize {
        self.groups.len()
    }

    /// Unknown: a value that does not fit its column may be null.
    fn null_counts(&self, _: &Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        let rows = self.groups.iter().map(|&group| self.table.rows_of(group));
        Some(Arc::new(UInt64Array::from_iter_values(rows.map(|rows| rows.end - rows.start))))
    }

    fn contained(&self, _: &Column, _: &std::collections::HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_outwards_or_unknown() {
        let decimal = DataType::Decimal128(38, 2);
        let value = |scalar: Option<ScalarValue>| match scalar {
            Some(ScalarValue::Decimal128(value, ..)) => value,
            _ => None,
        };
        let zone = Zone::Decimal(0.1, 7.25);
        assert!(matches!(value(bound(zone, &decimal, false)), Some(9..=10)));
        assert!(matches!(value(bound(zone, &decimal, true)), Some(725..=726)));
        for zone in [Zone::Decimal(f64::NAN, 1.0), Zone::Decimal(1.0, f64::NAN), Zone::Decimal(2.0, 1.0), Zone::None] {
            for upper in [false, true] {
                assert_eq!(bound(zone, &decimal, upper), None, "{zone:?}");
                assert_eq!(bound(zone, &DataType::Float64, upper), None, "{zone:?}");
            }
        }
        assert_eq!(bound(Zone::Decimal(-1e300, 1e300), &decimal, true), None);
        assert_eq!(bound(Zone::Integer(i64::MIN, 5), &DataType::Int64, false), None);
        assert_eq!(bound(Zone::Integer(i64::MIN, 5), &DataType::Int64, true), Some(ScalarValue::Int64(Some(5))));
        assert_eq!(bound(Zone::Integer(5, i64::MAX), &DataType::Int64, true), None);
        assert_eq!(bound(Zone::Integer(6, 5), &DataType::Int64, true), None);
        assert_eq!(value(bound(Zone::Integer(-3, 5), &decimal, false)), Some(-300));
        assert_eq!(bound(Zone::Integer(i64::MIN + 1, 5), &DataType::Decimal128(38, 30), false), None);
    }
}

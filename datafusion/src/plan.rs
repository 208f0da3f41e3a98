//! The part of a query that one file answers: columns, conditions, batches.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions, new_null_array,
};
use datafusion::arrow::compute::CastOptions;
use datafusion::arrow::compute::{and, cast_with_options, filter_record_batch, prep_null_mask_filter};
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};

use crate::options::Options;

/// A condition, and the columns that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// In terms of `schema`.
    pub(crate) expr: Arc<dyn PhysicalExpr>,
    /// Columns of the table, in ascending order.
    pub(crate) columns: Vec<usize>,
    schema: SchemaRef,
}

impl Condition {
    /// Returns the rows of `among`, or of all, that meet the condition. Other rows are not
    /// evaluated, because an earlier condition may protect them from an error.
    pub(crate) fn test(
        &self,
        arrays: Vec<ArrayRef>,
        rows: usize,
        among: Option<&BooleanArray>,
    ) -> Result<BooleanArray> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        let value = match among {
            Some(among) => self.expr.evaluate_selection(&batch, among)?,
            None => self.expr.evaluate(&batch)?,
        };
        let array = value.into_array(rows)?;
        let Some(found) = array.as_boolean_opt() else {
            return internal_err!("expected a condition, found values of type {}", array.data_type());
        };
        let found = if found.null_count() > 0 { prep_null_mask_filter(found) } else { found.clone() };
        Ok(match among {
            Some(among) => and(&found, among)?,
            None => found,
        })
    }
}

/// The columns and rows to return of each file.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) options: Options,
    /// The columns of the table that are in files.
    pub(crate) schema: SchemaRef,
    /// The columns to return, in this order.
    pub(crate) output: Vec<usize>,
    pub(crate) output_schema: SchemaRef,
    /// All of them must be met.
    pub(crate) conditions: Vec<Condition>,
    /// The columns to return and those of the conditions, in ascending order.
    pub(crate) needed: Vec<usize>,
    pub(crate) batch_size: usize,
    /// The most rows that the query takes.
    pub(crate) limit: Option<usize>,
}

impl Plan {
    pub(crate) fn new(
        options: Options,
        schema: SchemaRef,
        output: Vec<usize>,
        filter: Option<&Arc<dyn PhysicalExpr>>,
        batch_size: usize,
        limit: Option<usize>,
    ) -> Result<Self> {
        let mut conditions = vec![];
        for expr in filter.map(split_conjunction).unwrap_or_default() {
            let mut columns: Vec<_> = collect_columns(expr).iter().map(|column| column.index()).collect();
            columns.sort_unstable();
            let own = Arc::new(schema.project(&columns)?);
            conditions.push(Condition { expr: reassign_expr_columns(Arc::clone(expr), &own)?, columns, schema: own });
        }
        let mut needed: Vec<_> =
            conditions.iter().flat_map(|condition| &condition.columns).chain(&output).copied().collect();
        needed.sort_unstable();
        needed.dedup();
        let output_schema = Arc::new(schema.project(&output)?);
        Ok(Self { options, schema, output, output_schema, conditions, needed, batch_size: batch_size.max(1), limit })
    }

    /// Returns the most rows that have to be read: the limit, if no condition discards rows.
    pub(crate) fn most_rows(&self) -> u64 {
        self.limit.filter(|_| self.conditions.is_empty()).map_or(u64::MAX, |limit| limit as u64)
    }

    /// Returns the steps that may be in flight at a time. With a limit, each may be the last one.
    pub(crate) const fn ahead(&self) -> usize {
        if self.limit.is_some() { 1 } else { 3 }
    }

    pub(crate) fn data_type(&self, column: usize) -> &DataType {
        self.schema.field(column).data_type()
    }

    /// Makes a batch of the columns to return. `array` returns a column of the table.
    pub(crate) fn batch(&self, rows: usize, mut array: impl FnMut(usize) -> Result<ArrayRef>) -> Result<RecordBatch> {
        let arrays = self.output.iter().map(|&column| array(column)).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.output_schema), arrays, &options)?)
    }

    /// Tests the conditions on columns that are all at hand, except for those that `done` says were
    /// tested, and returns the rows that remain.
    pub(crate) fn finish(
        &self,
        rows: usize,
        mut keep: Option<BooleanArray>,
        done: &[bool],
        array: impl Fn(usize) -> Result<ArrayRef>,
    ) -> Result<RecordBatch> {
        for (number, condition) in self.conditions.iter().enumerate() {
            if !done.get(number).copied().unwrap_or(false) {
                let arrays = condition.columns.iter().map(|&column| array(column)).collect::<Result<Vec<_>>>()?;
                keep = Some(condition.test(arrays, rows, keep.as_ref())?);
            }
        }
        let batch = self.batch(rows, array)?;
        Ok(match keep {
            Some(keep) => filter_record_batch(&batch, &keep)?,
            None => batch,
        })
    }
}

/// Splits a batch into slices of at most `size` rows.
pub(crate) fn slices(batch: &RecordBatch, size: usize) -> impl Iterator<Item = RecordBatch> + use<> {
    let (batch, rows) = (batch.clone(), batch.num_rows());
    (0..rows.div_ceil(size)).map(move |i| batch.slice(i * size, size.min(rows - i * size)))
}

/// Converts an array to the type of its column in the table, as `CAST` does.
///
/// A value out of range is an error. A float that becomes an integer loses its fraction.
pub(crate) fn convert(array: ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array);
    }
    Ok(cast_with_options(&array, to, &CastOptions { safe: false, ..CastOptions::default() })?)
}

/// The columns of a table in one file.
#[derive(Clone, Debug)]
pub(crate) struct Mapping(Vec<Option<usize>>);

impl Mapping {
    /// Finds the columns of a table in a file, by name.
    pub(crate) fn new(table: &Schema, file: &Schema) -> Self {
        let found = table.fields().iter().map(|field| file.index_of(field.name()).ok());
        Self(found.collect())
    }

    /// Returns the number of a column in the file, or `None` if the file does not have it.
    pub(crate) fn get(&self, column: usize) -> Option<usize> {
        self.0.get(column).copied().flatten()
    }
}

/// Returns nulls for a column that a file does not have.
pub(crate) fn missing(plan: &Plan, column: usize, rows: usize) -> Result<ArrayRef> {
    let field = plan.schema.field(column);
    if !field.is_nullable() {
        return exec_err!("expected a column {:?}, which the file does not have", field.name());
    }
    Ok(new_null_array(field.data_type(), rows))
}

/// Returns the part of `len` rows whose share of a file starts in this range of bytes.
///
/// Ranges that tile a file thus tile its rows, whoever made them. A reader takes the groups whose
/// first row is in its part.
pub(crate) fn rows_of_range(range: Option<&Range<u64>>, size: u64, len: u64) -> Range<u64> {
    let Some(range) = range else { return 0..len };
    let place = |at: u64| match at >= size {
        true => len,
        // Both factors are below 2^64.
        false => u64::try_from(u128::from(at) * u128::from(len) / u128::from(size)).unwrap_or(len),
    };
    // A range that ends with the file ends with its rows.
    place(range.start)..place(range.end).max(place(range.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_tile_a_file_tile_its_rows() {
        for (size, rows) in [(1u64, 1u64), (10, 3), (3, 10), (1000, 7), (7, 1000), (5, 0), (u64::MAX, u64::MAX)] {
            for parts in 1..6 {
                let mut next = 0;
                for part in 0..parts {
                    let cut = |part: u64| u64::try_from(u128::from(size) * u128::from(part) / parts as u128).unwrap();
                    let range = cut(part)..cut(part + 1);
                    let found = rows_of_range(Some(&range), size, rows);
                    assert_eq!(found.start, next, "{size} bytes, {rows} rows, part {part} of {parts}");
                    next = found.end;
                }
                assert_eq!(next, rows);
            }
        }
        assert_eq!(rows_of_range(None, 10, 3), 0..3);
    }
}

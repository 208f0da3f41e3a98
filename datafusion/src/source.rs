//! The scan of files of one format: what DataFusion plans with, ships to workers, and opens.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener, FileScanConfig, FileSource};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::memory_pool::{MemoryPool, UnboundedMemoryPool};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{DynamicFilterTracking, PhysicalExpr, conjunction};
use datafusion::physical_expr_adapter::replace_columns_with_literals;
use datafusion::physical_expr_common::physical_expr::{fmt_sql, is_volatile};
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, apply_expression_roots};
use object_store::ObjectStore;

use crate::head::Heads;
use crate::io::{Counters, Io};
use crate::options::{Kind, Options};
use crate::plan::Plan;

/// Rows of a batch unless the session sets another number.
const BATCH: usize = 8192;

/// A [`FileSource`] of files of one format.
#[derive(Clone, Debug)]
pub struct Source {
    kind: Kind,
    options: Options,
    heads: Arc<Heads>,
    table_schema: TableSchema,
    projection: SplitProjection,
    filter: Option<Arc<dyn PhysicalExpr>>,
    batch_size: usize,
    metrics: ExecutionPlanMetricsSet,
    pool: Arc<dyn MemoryPool>,
}

impl Source {
    /// Makes a scan of all columns of a table.
    pub fn new(kind: Kind, options: Options, table_schema: TableSchema) -> Self {
        Self::with_heads(kind, options, Arc::default(), table_schema)
    }

    pub(crate) fn with_heads(kind: Kind, options: Options, heads: Arc<Heads>, table_schema: TableSchema) -> Self {
        let projection = SplitProjection::unprojected(&table_schema);
        let metrics = ExecutionPlanMetricsSet::new();
        let pool = Arc::new(UnboundedMemoryPool::default());
        Self { kind, options, heads, table_schema, projection, filter: None, batch_size: BATCH, metrics, pool }
    }

    /// Returns the same scan of the rows that meet a condition, in terms of the table's schema.
    pub fn with_filter(self, filter: Option<Arc<dyn PhysicalExpr>>) -> Self {
        Self { filter, ..self }
    }

    /// Returns the same scan, which takes memory from this pool.
    pub fn with_pool(self, pool: Arc<dyn MemoryPool>) -> Self {
        Self { pool, ..self }
    }

    /// Returns the format of the files.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the options of the table.
    pub const fn options(&self) -> &Options {
        &self.options
    }
}

impl FileSource for Source {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let opener = Opener {
            kind: self.kind,
            options: self.options,
            heads: Arc::clone(&self.heads),
            store,
            schema: Arc::clone(self.table_schema.file_schema()),
            partition_columns: self
                .table_schema
                .table_partition_cols()
                .iter()
                .map(|field| field.name().clone())
                .collect(),
            output: self.projection.file_indices.clone(),
            filter: self.filter.clone(),
            batch_size: config.batch_size.unwrap_or(self.batch_size),
            limit: config.limit,
            counters: Counters::new(&self.metrics, partition),
            pool: Arc::clone(&self.pool),
        };
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), self.table_schema.file_schema())
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_size, ..self.clone() })
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.filter.clone()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        self.kind.name()
    }

    fn fmt_extra(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.options.to_string();
        let (open, close) = if matches!(format, DisplayFormatType::TreeRender) { ("", "\n") } else { (", ", "") };
        if !options.is_empty() {
            write!(f, "{open}options=[{options}]{close}")?;
        }
        match &self.filter {
            Some(filter) => write!(f, "{open}predicate={}{close}", fmt_sql(filter.as_ref())),
            None => Ok(()),
        }
    }

    /// Pco alone is not split: the place of a chunk is known only after the one before it. In the
    /// other formats a range of bytes means its share of the rows, in whole groups.
    fn supports_repartitioning(&self) -> bool {
        self.kind != Kind::Pco
    }

    /// Takes every condition that has one answer for each row, and tests it as the plan would.
    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let is_taken = |filter: &Arc<dyn PhysicalExpr>| !is_volatile(filter) && !is_dynamic(filter);
        let answers: Vec<_> =
            filters.iter().map(|f| if is_taken(f) { PushedDown::Yes } else { PushedDown::No }).collect();
        let taken: Vec<_> = filters.into_iter().filter(is_taken).collect();
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answers);
        if taken.is_empty() {
            return Ok(propagation);
        }
        let filter = conjunction(self.filter.clone().into_iter().chain(taken));
        Ok(propagation.with_updated_node(Arc::new(self.clone().with_filter(Some(filter))) as _))
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.table_schema.file_schema(), &merged);
        Ok(Some(Arc::new(Self { projection, ..self.clone() })))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let projected = self.projection.source.iter().map(|column| &column.expr);
        apply_expression_roots(projected.chain(&self.filter), f)
    }
}

/// Returns whether the plan may change a condition while it runs.
fn is_dynamic(filter: &Arc<dyn PhysicalExpr>) -> bool {
    DynamicFilterTracking::classify(filter).contains_dynamic_filter()
}

/// Opens the files of one partition.
struct Opener {
    kind: Kind,
    options: Options,
    heads: Arc<Heads>,
    store: Arc<dyn ObjectStore>,
    schema: SchemaRef,
    partition_columns: Vec<String>,
    output: Vec<usize>,
    filter: Option<Arc<dyn PhysicalExpr>>,
    batch_size: usize,
    limit: Option<usize>,
    counters: Counters,
    pool: Arc<dyn MemoryPool>,
}

impl FileOpener for Opener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let literals: std::collections::HashMap<&str, &ScalarValue> =
            self.partition_columns.iter().map(String::as_str).zip(&file.partition_values).collect();
        let filter = self.filter.clone().map(|filter| replace_columns_with_literals(filter, &literals)).transpose()?;
        let pruning = filter.as_ref().and_then(|filter| {
            PruningPredicateBuilder::new().with_file_schema(Arc::clone(&self.schema)).build(Arc::clone(filter))
        });
        let plan = Plan::new(
            self.options,
            Arc::clone(&self.schema),
            self.output.clone(),
            filter.as_ref(),
            self.batch_size,
            self.limit,
        )?;
        let (kind, options, heads, store) = (self.kind, self.options, Arc::clone(&self.heads), Arc::clone(&self.store));
        let (counters, pool) = (self.counters.clone(), Arc::clone(&self.pool));
        Ok(Box::pin(async move {
            let io = Io::new(Arc::clone(&store), file.object_meta, Some(counters));
            let known = heads.get(kind, &options, &store, &io).await?;
            let offset = |at: i64| u64::try_from(at).unwrap_or(0);
            let range = file.range.map(|range| offset(range.start)..offset(range.end));
            let io = Arc::new(io.with_prefix(known.prefix).with_pool(pool));
            known.head.stream(io, Arc::new(plan), pruning, range).await
        }))
    }
}

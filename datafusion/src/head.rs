//! Heads of files: what is known before a query reads data. They are read once and kept.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Result, Statistics};
use datafusion::physical_optimizer::pruning::PruningPredicate;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use object_store::{ObjectMeta, ObjectStore};
use unspool_arrow::at1::Table;

use crate::at1::At1;
use crate::cvc::Cvc;
use crate::io::Io;
use crate::lines::{self, OtherLines};
use crate::onpair::OnPair;
use crate::options::{Kind, Options};
use crate::pco::Pco;
use crate::plan::{Mapping, Plan, convert, missing, rows_of_range, slices};

/// The head of a file.
pub(crate) enum Head {
    At1(Arc<At1>),
    Lines(Arc<OtherLines>, SchemaRef),
    Cvc(Arc<Cvc>),
    Pco(Arc<Pco>),
    OnPair(Arc<OnPair>),
}

impl Head {
    async fn read(kind: Kind, options: &Options, io: &Io) -> Result<(Self, Bytes)> {
        Ok(match kind {
            Kind::At1 if options.other_lines => {
                let (found, prefix) = io.read_head(|head| OtherLines::read(head, options)).await?;
                (Self::Lines(Arc::new(found), lines::schema(options)), prefix)
            }
            Kind::At1 => {
                let (mut table, prefix) = io.read_head(|head| Table::read(head, &options.at1())).await?;
                if let Some(range) = table.wrapped() {
                    let blocks = io.read(range).await?;
                    table.unwrap(&blocks).map_err(|error| io.error(error))?;
                }
                (Self::At1(Arc::new(At1 { table })), prefix)
            }
            Kind::Cvc => {
                let (cvc, prefix) = io.read_head(|head| Cvc::read(head, &options.limits)).await?;
                (Self::Cvc(Arc::new(cvc)), prefix)
            }
            Kind::Pco => {
                let (pco, prefix) = io.read_head(|head| Pco::read(head, &options.limits)).await?;
                (Self::Pco(Arc::new(pco)), prefix)
            }
            Kind::OnPair => (Self::OnPair(Arc::new(OnPair::read(io, options).await?)), Bytes::new()),
        })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        match self {
            Self::At1(file) => file.table.schema(),
            Self::Lines(_, schema) => Arc::clone(schema),
            Self::Cvc(file) => Arc::clone(&file.schema),
            Self::Pco(file) => Arc::clone(&file.schema),
            Self::OnPair(file) => Arc::clone(&file.schema),
        }
    }

    /// Returns the number of rows if the format states it.
    fn rows(&self) -> Option<u64> {
        match self {
            Self::At1(file) => Some(file.table.rows()),
            Self::Lines(found, _) => Some(found.numbers.len() as u64),
            Self::Cvc(file) => Some(file.rows),
            Self::Pco(_) => None,
            Self::OnPair(file) => Some(file.rows),
        }
    }

    /// Returns what the head says about the columns of a table. Bounds are inexact, because a
    /// writer claims them and nobody has verified them.
    pub(crate) fn statistics(&self, schema: &Schema, size: u64) -> Statistics {
        let count = |rows: u64| usize::try_from(rows).ok();
        let num_rows = match self {
            Self::Pco(file) => file.expected.and_then(count).map_or(Precision::Absent, Precision::Inexact),
            _ => self.rows().and_then(count).map_or(Precision::Absent, Precision::Exact),
        };
        let mapping = Mapping::new(schema, &self.schema());
        let column = |(number, data_type): (usize, &DataType)| match self {
            Self::At1(file) => file.statistics(mapping.get(number), data_type),
            _ => ColumnStatistics::new_unknown(),
        };
        let types = schema.fields().iter().map(|field| field.data_type());
        Statistics {
            num_rows,
            total_byte_size: usize::try_from(size).map_or(Precision::Absent, Precision::Inexact),
            column_statistics: types.enumerate().map(column).collect(),
        }
    }

    /// Returns the batches of the rows whose share of the file is in this range.
    pub(crate) async fn stream(
        &self,
        io: Arc<Io>,
        plan: Arc<Plan>,
        pruning: Option<Arc<PruningPredicate>>,
        range: Option<Range<u64>>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        // A file that is not split is one unit, which one range has.
        let units = if matches!(self, Self::Pco(_) | Self::Lines(..)) { Some(1) } else { self.rows() };
        let rows = rows_of_range(range.as_ref(), io.meta.size, units.unwrap_or(1));
        match self {
            Self::Pco(_) | Self::Lines(..) if rows.is_empty() => Ok(stream::empty().boxed()),
            Self::At1(file) => Arc::clone(file).stream(io, plan, pruning, rows),
            Self::Cvc(file) => Arc::clone(file).stream(io, plan, rows).await,
            Self::OnPair(file) => Arc::clone(file).stream(io, plan, rows).await,
            Self::Pco(file) => Arc::clone(file).stream(io, plan),
            Self::Lines(found, schema) => {
                let mapping = Mapping::new(&plan.schema, schema);
                let count = found.numbers.len();
                let batch = plan.finish(count, None, &[], |column| match mapping.get(column) {
                    Some(0) => convert(Arc::clone(&found.numbers), plan.data_type(column)),
                    Some(_) => convert(Arc::clone(&found.texts), plan.data_type(column)),
                    None => missing(&plan, column, count),
                })?;
                Ok(stream::iter(slices(&batch, plan.batch_size).map(Ok)).boxed())
            }
        }
    }
}

/// A head, and the first bytes of the file.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) head: Arc<Head>,
    pub(crate) prefix: Bytes,
    /// Keeps the address of the store from being used again.
    #[allow(dead_code, reason = "held, not read")]
    store: Arc<dyn ObjectStore>,
}

/// Bytes of files that are kept at most. Heads take a few times as much.
const KEPT: usize = 32 << 20;

/// Bytes that an entry counts at least.
const ENTRY: usize = 1 << 10;

/// Heads by file, so that planning and reading fetch each once.
#[derive(Default)]
pub(crate) struct Heads(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    heads: HashMap<Key, Known>,
    size: usize,
}

/// The identity of a file, which changes when the file does. A store is known by its address: it
/// outlives the heads, because the entry holds it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    store: usize,
    path: String,
    size: u64,
    modified: i64,
    tag: Option<String>,
}

impl Heads {
    /// Returns the head of a file, from an earlier call if the file has not changed since.
    pub(crate) async fn get(
        &self,
        kind: Kind,
        options: &Options,
        store: &Arc<dyn ObjectStore>,
        io: &Io,
    ) -> Result<Known> {
        let ObjectMeta { location, last_modified, size, e_tag, .. } = &io.meta;
        let key = Key {
            store: Arc::as_ptr(store).cast::<()>().addr(),
            path: location.to_string(),
            size: *size,
            modified: last_modified.timestamp_micros(),
            tag: e_tag.clone(),
        };
        if let Some(known) = self.lock().heads.get(&key) {
            return Ok(known.clone());
        }
        let (head, prefix) = Head::read(kind, options, io).await?;
        let known = Known { head: Arc::new(head), prefix, store: Arc::clone(store) };
        let mut kept = self.lock();
        let more = known.prefix.len().saturating_add(ENTRY);
        if kept.size.saturating_add(more) > KEPT {
            *kept = Kept::default();
        }
        kept.size = kept.size.saturating_add(more);
        kept.heads.insert(key, known.clone());
        Ok(known)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Heads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Heads({})", self.lock().heads.len())
    }
}

//! Heads of files: what is known before a query reads data. They are read once and kept.

use std::collections::{HashMap, VecDeque};
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

    /// Returns the bytes of the file that the head was made of, at most `prefix`.
    fn len(&self, prefix: usize) -> usize {
        match self {
            // The first block follows the head.
            Self::At1(file) => {
                let blocks = file.table.wrapped().or_else(|| file.table.block(0, 0).ok());
                let end =
                    blocks.filter(|blocks| !blocks.is_empty()).and_then(|blocks| usize::try_from(blocks.start).ok());
                end.map_or(prefix, |end| end.min(prefix))
            }
            Self::Lines(..) => prefix,
            Self::Cvc(file) => file.head.len(),
            Self::Pco(file) => file.head.len(),
            Self::OnPair(_) => 0,
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

    /// Returns what the head says about the columns of a table.
    ///
    /// Bounds are inexact, because a writer claims them and nobody has verified them. The engine
    /// still orders files and counts distinct values by inexact bounds. So there are none if the
    /// table ignores zone maps.
    pub(crate) fn statistics(&self, schema: &Schema, size: u64, options: &Options) -> Statistics {
        let count = |rows: u64| usize::try_from(rows).ok();
        let num_rows = match self {
            Self::Pco(file) => file.expected.and_then(count).map_or(Precision::Absent, Precision::Inexact),
            _ => self.rows().and_then(count).map_or(Precision::Absent, Precision::Exact),
        };
        let mapping = Mapping::new(schema, &self.schema());
        let column = |(number, data_type): (usize, &DataType)| match self {
            Self::At1(file) if options.zone_maps => file.statistics(mapping.get(number), data_type),
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

/// A head, and the first bytes of the file. They spare a request for data after the head.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) head: Arc<Head>,
    /// Bytes of the file that the head was made of.
    len: usize,
    pub(crate) prefix: Bytes,
    /// Keeps the address of the store from being used again.
    #[allow(dead_code, reason = "held, not read")]
    store: Arc<dyn ObjectStore>,
}

impl Known {
    /// Returns the bytes that it counts.
    fn size(&self) -> usize {
        self.len.max(self.prefix.len()).saturating_add(ENTRY)
    }
}

/// Bytes of files that are kept at most. Heads take a few times as much.
const KEPT: usize = 32 << 20;

/// Bytes that an entry counts beside those of its file.
const ENTRY: usize = 1 << 10;

/// Heads by file, so that planning and reading fetch each once.
#[derive(Default)]
pub(crate) struct Heads(Mutex<Kept>);

/// The heads that are kept. If they become too large, the oldest ones lose their prefix. If heads
/// alone are too large, the oldest ones are evicted.
#[derive(Default)]
struct Kept {
    heads: HashMap<Arc<Key>, Known>,
    /// Keys of all entries, the oldest first.
    order: VecDeque<Arc<Key>>,
    /// Keys of the entries that have their prefix, the oldest first.
    with_prefix: VecDeque<Arc<Key>>,
    size: usize,
}

impl Kept {
    fn insert(&mut self, key: Key, known: Known) {
        let key = Arc::new(key);
        // Two tasks may have read the same head.
        if self.heads.contains_key(&key) {
            return;
        }
        self.size = self.size.saturating_add(known.size());
        self.heads.insert(Arc::clone(&key), known);
        self.with_prefix.push_back(Arc::clone(&key));
        self.order.push_back(key);
        // The newest entry stays, whatever its size.
        while self.size > KEPT && self.order.len() > 1 {
            if let Some(known) = self.with_prefix.pop_front().and_then(|key| self.heads.get_mut(&key)) {
                self.size -= known.size();
                known.prefix = Bytes::new();
                self.size += known.size();
            } else if let Some(known) = self.order.pop_front().and_then(|key| self.heads.remove(&key)) {
                self.size -= known.size();
            }
        }
    }
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
        let len = head.len(prefix.len());
        let known = Known { head: Arc::new(head), len, prefix, store: Arc::clone(store) };
        self.lock().insert(key, known.clone());
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

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::new_empty_array;
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn old_prefixes_are_evicted_before_old_heads() {
        const FILES: usize = 40;
        let (options, bytes) = (Options::DEFAULT, Bytes::from(vec![0; 1 << 20]));
        let empty = new_empty_array(&DataType::Null);
        let lines = Arc::new(OtherLines { numbers: Arc::clone(&empty), texts: empty });
        let head = Arc::new(Head::Lines(lines, lines::schema(&options)));
        let key = |file: usize| Key { store: 0, path: file.to_string(), size: 0, modified: 0, tag: None };
        for (len, heads) in [(0, FILES), (bytes.len(), 31)] {
            let mut kept = Kept::default();
            for file in 0..FILES {
                let (head, prefix) = (Arc::clone(&head), bytes.clone());
                kept.insert(key(file), Known { head, len, prefix, store: Arc::new(InMemory::new()) });
                assert!(kept.size <= KEPT, "{} bytes", kept.size);
            }
            assert_eq!((kept.heads.len(), kept.order.len()), (heads, heads), "{len} bytes of a head");
            let prefix = |file: usize| kept.heads.get(&key(file)).map(|known| known.prefix.len());
            assert_eq!(prefix(0), (len == 0).then_some(0));
            assert_eq!(prefix(FILES - 1), Some(if len == 0 { bytes.len() } else { 0 }));
        }
    }
}

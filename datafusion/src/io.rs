//! Ranges of one file in a store: adjacent ones are merged, a few are in flight, all are counted.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{GetOptions, GetResult, GetResultPayload, ObjectMeta, ObjectStore};
use unspool::ErrorKind;

use crate::error::FileError;

/// Bytes that are read of a file before anything is known about it. Most heads fit.
pub(crate) const HEAD: u64 = 64 << 10;

/// The most bytes of one request.
const REQUEST: u64 = 8 << 20;

/// Requests in flight of one partition.
const IN_FLIGHT: usize = 4;

/// The counters of one partition in `EXPLAIN ANALYZE`.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    /// Bytes that the store returned.
    pub(crate) bytes_read: Count,
    /// Requests to the store.
    pub(crate) requests: Count,
    /// Row groups that zone maps excluded.
    pub(crate) groups_pruned: Count,
    /// Row groups, chunks or pieces that were read.
    pub(crate) groups_read: Count,
}

impl Counters {
    pub(crate) fn new(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
        Self {
            bytes_read: counter("bytes_read"),
            requests: counter("requests"),
            groups_pruned: counter("groups_pruned"),
            groups_read: counter("groups_read"),
        }
    }
}

/// A file in a store.
pub(crate) struct Io {
    store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    counters: Option<Counters>,
    /// The opened file, if the store is a disk of this machine.
    local: OnceLock<Mutex<File>>,
    /// The first bytes of the file, which were read with its head.
    prefix: Bytes,
    pool: Option<Arc<dyn MemoryPool>>,
}

impl Io {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, meta: ObjectMeta, counters: Option<Counters>) -> Self {
        Self { store, meta, counters, local: OnceLock::new(), prefix: Bytes::new(), pool: None }
    }

    /// Returns the same file with its first bytes at hand.
    pub(crate) fn with_prefix(self, prefix: Bytes) -> Self {
        Self { prefix, ..self }
    }

    /// Returns the same file with the pool that its scan takes memory from.
    pub(crate) fn with_pool(self, pool: Arc<dyn MemoryPool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Takes memory from the engine's pool until the reservation is dropped.
    ///
    /// A scan cannot spill, so it takes what it needs even if the pool is empty. Sorts, joins and
    /// aggregates spill earlier then.
    pub(crate) fn hold(&self, bytes: usize) -> Option<MemoryReservation> {
        let held = MemoryConsumer::new("scan of unspool").register(self.pool.as_ref()?);
        held.grow(bytes);
        Some(held)
    }

    /// Adds the path of the file to an error.
    pub(crate) fn error(&self, error: impl Into<unspool_arrow::Error>) -> FileError {
        FileError::new(&self.meta.location, error)
    }

    /// Reads a range. One that ends after the file is an error of the file.
    pub(crate) async fn read(&self, range: Range<u64>) -> Result<Bytes> {
        if range.end > self.meta.size {
            let truncated = unspool::Error::new(ErrorKind::Truncated, self.meta.size).needing(range.end);
            return Err(self.error(truncated).into());
        }
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        if range.end <= self.prefix.len() as u64 {
            return Ok(self.prefix.slice(place(range.start.min(range.end))..place(range.end)));
        }
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let bytes = self.fetch(range.clone()).await?;
        if let Some(counters) = &self.counters {
            counters.requests.add(1);
            counters.bytes_read.add(bytes.len());
        }
        if bytes.len() as u64 != range.end - range.start {
            // The file has shrunk since it was listed.
            let end = range.start.saturating_add(bytes.len() as u64);
            return Err(self.error(unspool::Error::new(ErrorKind::Truncated, end).needing(range.end)).into());
        }
        Ok(bytes)
    }

    /// Asks the store for a range. A file on a disk of this machine is opened once, and read on the
    /// thread that decodes it, as the engine does for CSV: another thread costs more than the read.
    async fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        let local = match self.local.get() {
            Some(local) => local,
            None => {
                let options = GetOptions { range: Some(range.clone().into()), ..GetOptions::default() };
                let found = self.store.get_opts(&self.meta.location, options).await?;
                match found.payload {
                    GetResultPayload::File(file, _) => self.local.get_or_init(|| Mutex::new(file)),
                    payload => return Ok(GetResult { payload, ..found }.bytes().await?),
                }
            }
        };
        let bytes = read_file(&mut local.lock().unwrap_or_else(PoisonError::into_inner), range);
        bytes.map_err(|error| DataFusionError::from(error).context(self.meta.location.to_string()))
    }

    /// Reads ranges in any order, and returns their bytes in the same order. Ranges that touch are
    /// one request, and no byte between ranges is read.
    pub(crate) async fn read_all(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let mut order: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).collect();
        order.sort_unstable_by_key(|range| range.start);
        let mut merged: Vec<Range<u64>> = vec![];
        for range in order {
            match merged.last_mut() {
                // Hostile files may overlap ranges. Those that start within the last one extend it.
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                Some(last) if range.start == last.end && range.end - last.start <= REQUEST => last.end = range.end,
                _ => merged.push(range.clone()),
            }
        }
        let fetched: Vec<_> = stream::iter(merged)
            .map(|range| async move { Ok::<_, DataFusionError>((range.start, self.read(range).await?)) })
            .buffered(IN_FLIGHT)
            .try_collect()
            .await?;
        let find = |range: &Range<u64>| {
            let at = fetched.partition_point(|(start, _)| *start <= range.start).checked_sub(1);
            let (start, bytes) = at.and_then(|at| fetched.get(at))?;
            let place = |at: u64| usize::try_from(at.checked_sub(*start)?).ok();
            let (from, to) = (place(range.start)?, place(range.end)?);
            (to <= bytes.len()).then(|| bytes.slice(from..to))
        };
        let all = ranges.iter().map(|range| if range.is_empty() { Some(Bytes::new()) } else { find(range) });
        let all: Option<Vec<_>> = all.collect();
        Ok(all.ok_or_else(|| self.error(unspool::Error::new(ErrorKind::RangeOutside, 0)))?)
    }

    pub(crate) fn count_groups(&self, pruned: usize, read: usize) {
        if let Some(counters) = &self.counters {
            counters.groups_pruned.add(pruned);
            counters.groups_read.add(read);
        }
    }

    /// Reads the start of the file, as much as `parse` asks for by errors of the class `Truncated`.
    /// Returns its result and the bytes.
    pub(crate) async fn read_head<T>(
        &self,
        mut parse: impl FnMut(&Bytes) -> unspool_arrow::Result<T>,
    ) -> Result<(T, Bytes)> {
        let mut head = self.read(0..HEAD.min(self.meta.size)).await?;
        loop {
            let error = match parse(&head) {
                Ok(parsed) => return Ok((parsed, head)),
                Err(error) => error,
            };
            let len = head.len() as u64;
            match &error {
                unspool_arrow::Error::Refused(short)
                    if short.class() == unspool::Class::Truncated && len < self.meta.size =>
                {
                    // At least a quarter more, so that the number of requests is a logarithm.
                    let end = short.need.max(len.saturating_add(len / 4).saturating_add(1)).min(self.meta.size);
                    let more = self.read(len..end).await?;
                    head = [head, more].concat().into();
                }
                _ => return Err(self.error(error).into()),
            }
        }
    }
}

/// Reads a range of an opened file, or less if the file ends before.
fn read_file(file: &mut File, range: Range<u64>) -> io::Result<Bytes> {
    let len = range.end - range.start;
    let mut bytes = Vec::with_capacity(usize::try_from(len).map_err(io::Error::other)?);
    file.seek(SeekFrom::Start(range.start))?;
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

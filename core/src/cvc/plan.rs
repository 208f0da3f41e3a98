//! Which bytes of a file hold which rows of a column, without reading any.

use core::ops::Range;

use super::chunk::{Chunk, Chunks};
use super::column::{Column, Slot};
use super::convert::Encoding;
use super::header::File;
use super::lossless::Planes;
use super::payload::{Crc, CrcCount, Payload};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// What a [`Plan`] asks for next.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and nowhere to put a box")]
pub enum Need<'a> {
    /// These four bytes, for [`Plan::feed`]: the length of a chunk, which the header does not tell.
    Length(Range<u64>),
    /// A chunk with rows that were asked for. Fetch [`Piece::range`] and [`open`](Piece::open) it.
    Chunk(Piece<'a>),
}

/// Walks over the chunks of a column and says what to fetch; the caller fetches it from a flash page, a file or a server.
///
/// Where the header tells how long a chunk is, nothing is asked but the chunks themselves. In files with many columns or lossless
/// chunks, where it does not, four bytes of each earlier chunk are needed too, because the format has no index.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    column: Column<'a>,
    chunks: Chunks<'a>,
    rows: Range<u64>,
    next_at: u64,
    /// A chunk whose length was asked for, and the answer.
    waiting: Option<(Chunk<'a>, Option<u64>)>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(column: Column<'a>, rows: Range<u64>) -> Result<Self> {
        if rows.start > rows.end || rows.end > column.file.num_vectors() {
            return Err(Error::new(ErrorKind::RangeOutside, 0));
        }
        let next_at = column.file.head_len();
        Ok(Self { column, chunks: column.file.chunks(), rows, next_at, waiting: None })
    }

    /// The answer to [`Need::Length`].
    pub fn feed(&mut self, length: &[u8]) -> Result<()> {
        let bytes = length.first_chunk().ok_or(Error::new(ErrorKind::Truncated, self.next_at).needing(4))?;
        if let Some((_, answer)) = &mut self.waiting {
            *answer = Some(u32::from_le_bytes(*bytes).into());
        }
        Ok(())
    }

    /// What is needed next; `None` when all rows have been named.
    #[expect(clippy::should_implement_trait, reason = "an iterator could not be fed between its items")]
    pub fn next(&mut self) -> Result<Option<Need<'a>>> {
        loop {
            let (chunk, answer) = match self.waiting.take() {
                Some(waiting) => waiting,
                None => match self.chunks.next() {
                    Some(chunk) => (chunk?, None),
                    None => return Ok(None),
                },
            };
            if chunk.rows.start > self.rows.end
                || chunk.rows.start == self.rows.end && !self.rows.is_empty() && chunk.rows.end > chunk.rows.start
            {
                return Ok(None);
            }
            let at = place(&self.column.file, &chunk, self.next_at)?;
            let slot = self.column.slot(&chunk)?;
            let Some(len) = slot.payload_len().or(answer) else {
                self.waiting = Some((chunk, None));
                return Ok(Some(Need::Length(at..at.saturating_add(4))));
            };
            let piece = Piece::new(self.column, &chunk, slot, at, len, &self.rows)?;
            self.next_at = piece.range().end;
            // A chunk without rows belongs to whoever reads past it: it may still be broken.
            let wanted = chunk.rows.start < self.rows.end && chunk.rows.end > self.rows.start;
            let empty = chunk.rows.is_empty() && self.rows.start <= chunk.rows.start && chunk.rows.end <= self.rows.end;
            if wanted || empty {
                return Ok(Some(Need::Chunk(piece)));
            }
        }
    }
}

/// Where a chunk starts: where the header says, or else behind the one before it.
pub(super) fn place(file: &File<'_>, chunk: &Chunk<'_>, next_at: u64) -> Result<u64> {
    match chunk.file_offset {
        Some((offset, node)) if offset < file.head_len() => Err(node.error(ErrorKind::CvcChunkOutside)),
        Some((offset, _)) => Ok(offset),
        None => Ok(next_at),
    }
}

/// The rows of a column that lie in one chunk.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    column: Column<'a>,
    /// The number of the chunk.
    pub chunk: u64,
    /// The rows, counted over the whole file.
    pub rows: Range<u64>,
    pub(super) slot: Slot,
    at: u64,
    pub(super) payload_len: u64,
    skip: u64,
    values: u64,
}

impl<'a> Piece<'a> {
    pub(super) fn new(
        column: Column<'a>,
        chunk: &Chunk<'a>,
        slot: Slot,
        at: u64,
        payload_len: u64,
        rows: &Range<u64>,
    ) -> Result<Self> {
        let outside = chunk.node.error(ErrorKind::CvcChunkOutside);
        let end = at.checked_add(column.file.prefix_len()).and_then(|start| start.checked_add(payload_len));
        end.ok_or(outside)?;
        // Not `clamp`, which would panic if a chunk ended before it starts.
        let start = rows.start.max(chunk.rows.start).min(chunk.rows.end);
        let rows = start..rows.end.max(start).min(chunk.rows.end);
        // Both products are at most the chunk's number of values, which is known to fit.
        let skip = start.saturating_sub(chunk.rows.start).saturating_mul(column.dimension());
        let values = (rows.end - rows.start).saturating_mul(column.dimension());
        Ok(Self { column, chunk: chunk.index, rows, slot, at, payload_len, skip, values })
    }

    /// The length of the payload.
    pub(super) fn length(&self) -> Range<u64> {
        self.at..self.at.saturating_add(4)
    }

    /// Where the payload starts.
    pub(super) fn payload_start(&self) -> u64 {
        self.at.saturating_add(self.column.file.prefix_len())
    }

    /// The whole chunk: what [`open`](Self::open) wants, and what the checksum needs.
    pub fn range(&self) -> Range<u64> {
        self.at..self.payload_start().saturating_add(self.payload_len)
    }

    /// Only the bytes of these rows: what [`open_data`](Self::open_data) wants. Less to fetch than the chunk, but it cannot be
    /// checked, because the CRC-32 covers all rows of all columns of the chunk. Of a lossless column all rows are needed.
    pub fn data_range(&self) -> Result<Range<u64>> {
        let column = self.slot.range(self.payload_len)?;
        let start = self.payload_start().saturating_add(column.start);
        Ok(match self.slot.encoding.width() {
            // Within the column, whose size is known to fit.
            Some(width) => {
                let start = start.saturating_add(self.skip.saturating_mul(width));
                start..start.saturating_add(self.values.saturating_mul(width))
            }
            None => start..self.payload_start().saturating_add(column.end),
        })
    }

    /// How many values the rows have.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Compares the length in the file with the one that the header needs.
    pub(super) fn check_length(&self, prefix: &[u8]) -> Result<()> {
        let stored = prefix.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        if stored.map(u64::from) != Some(self.payload_len) {
            return Err(Error::new(ErrorKind::CvcChunkLength, self.at));
        }
        self.slot.range(self.payload_len).map(drop)
    }

    /// The stored CRC-32 and where it lies.
    pub(super) fn stored_crc(&self, prefix: &[u8]) -> Option<(u32, u64)> {
        let crc = prefix.get(4..)?.first_chunk()?;
        self.column.file.has_checksums().then_some((u32::from_le_bytes(*crc), self.at.saturating_add(4)))
    }

    /// Takes the bytes of [`range`](Self::range), verifies them and gives the values of the rows.
    pub fn open<'b>(&self, chunk: &'b [u8], crc: Crc, count: &mut CrcCount) -> Result<Payload<'b>> {
        let (prefix, payload) = chunk
            .split_at_checked(index(self.column.file.prefix_len()))
            .filter(|(_, payload)| u64_from(payload.len()) == self.payload_len)
            .ok_or(Error::new(ErrorKind::RangeOutside, self.at).needing(self.range().end.saturating_sub(self.at)))?;
        self.check_length(prefix)?;
        count.check(self.stored_crc(prefix), crc, payload)?;
        let column = self.slot.range(self.payload_len)?;
        let stored = payload.get(index(column.start)..index(column.end)).unwrap_or(&[]);
        self.payload(stored, self.payload_start().saturating_add(column.start), self.skip)
    }

    /// Takes the bytes of [`data_range`](Self::data_range) and gives the values of the rows, unverified.
    pub fn open_data<'b>(&self, data: &'b [u8]) -> Result<Payload<'b>> {
        let range = self.data_range()?;
        if u64_from(data.len()) != range.end.saturating_sub(range.start) {
            return Err(Error::new(ErrorKind::RangeOutside, range.start).needing(range.end.saturating_sub(range.start)));
        }
        let skip = if self.slot.encoding.width().is_some() { 0 } else { self.skip };
        self.payload(data, range.start, skip)
    }

    fn payload<'b>(&self, stored: &'b [u8], at: u64, skip: u64) -> Result<Payload<'b>> {
        if self.slot.encoding == Encoding::Lossless && Planes::parse(stored, at, &mut ())?.count != self.slot.values {
            return Err(Error::new(ErrorKind::CvcLosslessCount, at));
        }
        Ok(Payload { stored, at, encoding: self.slot.encoding, skip: index(skip), len: index(self.values) })
    }
}

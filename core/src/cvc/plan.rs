//! Which bytes of a file hold which rows of a column, without reading any.

use core::ops::Range;

use super::chunk::{Chunk, Chunks};
use super::column::{Column, Slot, part};
use super::convert::Encoding;
use super::header::File;
use super::lossless::Planes;
use super::payload::{Crc, CrcCount, Payload};
use crate::fault::Verdict;
use crate::num::{behind, index, u64_from};
use crate::{Error, ErrorKind, Result};

/// What a [`Plan`] asks for next.
#[derive(Clone, Debug)]
pub enum Need {
    /// These four bytes, for [`Plan::feed`]: the length of a chunk, which the header does not tell.
    Length(Range<u64>),
    /// A chunk with rows that were asked for. Fetch [`Piece::range`] and [`open`](Piece::open) it.
    Chunk(Piece),
}

/// The same of a piece that is filled in place.
pub(super) enum Asked {
    Length,
    Chunk,
    Nothing,
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
    extent: Extent,
    /// The chunk that was read last, whether its length was asked for, and the answer.
    chunk: Chunk<'a>,
    waiting: bool,
    answer: Option<u32>,
}

impl<'a> Plan<'a> {
    /// For no rows yet, to be [asked](Self::ask) where it lies: a plan is large for a small stack.
    #[inline(never)]
    pub fn of(column: &Column<'a>) -> Self {
        let extent = Extent::of(&column.file);
        let (chunks, chunk) = (column.file.chunks(), Chunk::default());
        Self { column: *column, chunks, rows: 0..0, extent, chunk, waiting: false, answer: None }
    }

    /// Starts with these rows, which the column must have. Only once, and before anything else.
    pub fn ask(&mut self, rows: Range<u64>) -> Result<()> {
        self.column.check_rows(&rows)?;
        self.rows = rows;
        Ok(())
    }

    /// The answer to [`Need::Length`].
    pub fn feed(&mut self, length: &[u8]) -> Result<()> {
        let bytes = length.first_chunk().ok_or(Error::new(ErrorKind::Truncated, self.extent.end).needing(4))?;
        if self.waiting {
            self.answer = Some(u32::from_le_bytes(*bytes));
        }
        Ok(())
    }

    /// The answer out of a file that is at hand.
    #[inline(never)]
    pub(super) fn look_up(&mut self, file: &[u8], piece: &Piece) -> Result<()> {
        self.feed(part(file, piece.length())?)
    }

    /// What is needed next; `None` when all rows have been named.
    #[expect(clippy::should_implement_trait, reason = "an iterator could not be fed between its items")]
    pub fn next(&mut self) -> Result<Option<Need>> {
        let mut piece = Piece::NONE;
        Ok(match self.read(&mut piece)? {
            Asked::Length => Some(Need::Length(piece.length())),
            Asked::Chunk => Some(Need::Chunk(piece)),
            Asked::Nothing => None,
        })
    }

    /// The same with one piece for all of them; of a chunk whose length is asked for, it knows only where that lies.
    #[inline(never)]
    pub(super) fn read(&mut self, piece: &mut Piece) -> Verdict<Asked> {
        loop {
            let answer = self.answer.take();
            if !core::mem::take(&mut self.waiting) && !self.chunks.read(&mut self.chunk)? {
                return Ok(Asked::Nothing);
            }
            let (chunk, rows) = (&self.chunk, &self.rows);
            if chunk.rows.start > rows.end
                || chunk.rows.start == rows.end && !rows.is_empty() && chunk.rows.end > chunk.rows.start
            {
                return Ok(Asked::Nothing);
            }
            piece.at = place(&self.column.file, chunk, self.extent.end)?;
            self.column.slot(chunk, &mut piece.slot)?;
            let Some(len) = piece.slot.payload_len().or(answer.map(u64::from)) else {
                self.waiting = true;
                return Ok(Asked::Length);
            };
            piece.read(&self.column, chunk, len, rows)?;
            self.extent.add(chunk, piece.range().end, len)?;
            // A chunk without rows belongs to whoever reads past it: it may still be broken.
            let wanted = chunk.rows.start < rows.end && chunk.rows.end > rows.start;
            let empty = chunk.rows.is_empty() && rows.start <= chunk.rows.start && chunk.rows.end <= rows.end;
            if wanted || empty {
                return Ok(Asked::Chunk);
            }
        }
    }
}

/// How far the chunks reach that were walked over, and how long their payloads are together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) end: u64,
    payloads: u64,
}

impl Extent {
    /// Of no chunks: behind the header.
    pub(super) fn of(file: &File<'_>) -> Self {
        Self { end: file.head_len(), payloads: 0 }
    }

    /// Adds a chunk that ends there. However chunks with places of their own are arranged, their payloads fit before the end of the last one.
    /// If they do not, chunks lie on top of each other, and a small file could name the same bytes any number of times.
    pub(super) fn add(&mut self, chunk: &Chunk<'_>, end: u64, payload_len: u64) -> Verdict<()> {
        self.end = self.end.max(end);
        self.payloads = behind(self.payloads, payload_len);
        if self.payloads > self.end { Err(chunk.node.fault(ErrorKind::CvcChunkOutside)) } else { Ok(()) }
    }
}

/// Where a chunk starts: where the header says, or else behind those before it.
pub(super) fn place(file: &File<'_>, chunk: &Chunk<'_>, next_at: u64) -> Verdict<u64> {
    match chunk.file_offset {
        Some(offset) if offset < file.head_len() => {
            Err(chunk.node.member("file_offset").unwrap_or(chunk.node).fault(ErrorKind::CvcChunkOutside))
        }
        Some(offset) => Ok(offset),
        None => Ok(next_at),
    }
}

/// The rows of a column that lie in one chunk.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The number of the chunk.
    pub chunk: u64,
    /// The rows, counted over the whole file.
    pub rows: Range<u64>,
    pub(super) slot: Slot,
    /// Where the chunk starts.
    pub(super) at: u64,
    pub(super) payload_len: u64,
    skip: u64,
    values: u64,
    /// Whether a CRC-32 follows the length of the payload.
    pub(super) has_crc: bool,
}

impl Piece {
    pub(super) const NONE: Self =
        Self { chunk: 0, rows: 0..0, slot: Slot::NONE, at: 0, payload_len: 0, skip: 0, values: 0, has_crc: false };

    /// What the rest is, once it is known where the chunk starts and how the column is stored in it.
    #[inline(never)]
    pub(super) fn read(
        &mut self,
        column: &Column<'_>,
        chunk: &Chunk<'_>,
        payload_len: u64,
        rows: &Range<u64>,
    ) -> Verdict<()> {
        self.chunk = chunk.index;
        self.has_crc = column.file.has_checksums();
        self.payload_len = payload_len;
        // No file is that long.
        if self.range().end == u64::MAX {
            return Err(chunk.node.fault(ErrorKind::CvcChunkOutside));
        }
        // Not `clamp`, which would panic if a chunk ended before it starts.
        let start = rows.start.max(chunk.rows.start).min(chunk.rows.end);
        self.rows = start..rows.end.max(start).min(chunk.rows.end);
        // Both products are at most the chunk's number of values, which is known to fit.
        self.skip = start.wrapping_sub(chunk.rows.start).wrapping_mul(column.dimension());
        self.values = self.rows.end.wrapping_sub(start).wrapping_mul(column.dimension());
        Ok(())
    }

    /// The length of the payload.
    pub(super) fn length(&self) -> Range<u64> {
        self.at..behind(self.at, 4)
    }

    /// Bytes before the payload: its length, and from version 1 on its CRC-32.
    pub(super) fn prefix_len(&self) -> u64 {
        if self.has_crc { 8 } else { 4 }
    }

    /// Where the payload starts.
    pub(super) fn payload_start(&self) -> u64 {
        behind(self.at, self.prefix_len())
    }

    /// The whole chunk: what [`open`](Self::open) wants, and what the checksum needs.
    pub fn range(&self) -> Range<u64> {
        self.at..behind(self.payload_start(), self.payload_len)
    }

    /// Only the bytes of these rows: what [`open_data`](Self::open_data) wants. Less to fetch than the chunk, but it cannot be
    /// checked, because the CRC-32 covers all rows of all columns of the chunk. Of a lossless column all rows are needed.
    pub fn data_range(&self) -> Result<Range<u64>> {
        let column = self.slot.range(self.payload_len)?;
        let start = behind(self.payload_start(), column.start);
        Ok(match self.slot.encoding.width() {
            // Within the column, whose size is known to fit.
            Some(width) => {
                let start = behind(start, self.skip.saturating_mul(width));
                start..behind(start, self.values.saturating_mul(width))
            }
            None => start..behind(self.payload_start(), column.end),
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
        self.slot.range(self.payload_len)?;
        Ok(())
    }

    /// The stored CRC-32 and where it lies.
    pub(super) fn stored_crc(&self, prefix: &[u8]) -> Option<(u32, u64)> {
        let crc = prefix.get(4..)?.first_chunk()?;
        self.has_crc.then_some((u32::from_le_bytes(*crc), behind(self.at, 4)))
    }

    /// Takes the bytes of [`range`](Self::range), verifies them and gives the values of the rows.
    #[inline(never)]
    pub fn open<'b>(&self, chunk: &'b [u8], crc: Crc, count: &mut CrcCount) -> Result<Payload<'b>> {
        let (prefix, payload) = chunk
            .split_at_checked(index(self.prefix_len()))
            .filter(|(_, payload)| u64_from(payload.len()) == self.payload_len)
            .ok_or(Error::new(ErrorKind::RangeOutside, self.at).needing(self.range().end.saturating_sub(self.at)))?;
        self.check_length(prefix)?;
        count.check(self.stored_crc(prefix), crc, payload)?;
        let column = self.slot.range(self.payload_len)?;
        let stored = payload.get(index(column.start)..index(column.end)).unwrap_or(&[]);
        self.payload(stored, behind(self.payload_start(), column.start), self.skip)
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
        if self.slot.encoding == Encoding::Lossless {
            Planes::check(stored, at, self.slot.values)?;
        }
        Ok(Payload { stored, at, encoding: self.slot.encoding, skip: index(skip), len: index(self.values) })
    }
}

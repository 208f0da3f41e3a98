//! The rows of one column in one chunk: which bytes of the file hold them, and reading those.

use core::ops::Range;

use super::chunk::{ChunkEntry, Cursor};
use super::column::{Column, Slot};
use super::convert::Encoding;
use super::header::File;
use super::lossless::Planes;
use super::payload::{Payload, check_crc};
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::num::{behind, index, u64_from};
use crate::{Checksums, Error, ErrorKind, Result, Verify};

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
    /// Values of the chunk before the first row.
    skip: u64,
    values: u64,
    /// Whether a CRC-32 follows the length of the payload.
    has_crc: bool,
    /// Whether any of the rows asked for are in the chunk, or it has none: then it may still be broken.
    pub(super) wanted: bool,
    /// The chunk's object in the JSON.
    pub(super) node: usize,
}

impl Piece {
    /// No rows of no chunk.
    pub(super) const fn new() -> Self {
        Self {
            chunk: 0,
            rows: 0..0,
            slot: Slot::new(),
            at: 0,
            payload_len: 0,
            skip: 0,
            values: 0,
            has_crc: false,
            wanted: false,
            node: 0,
        }
    }

    /// Starts a chunk that lies at this place of the file.
    pub(super) fn open(&mut self, file: &File<'_>, chunk: &ChunkEntry, at: u64) {
        (self.chunk, self.node, self.at, self.has_crc) = (chunk.index, chunk.node, at, file.has_checksums());
    }

    /// Selects those of these rows that the chunk holds of a column whose slot is known.
    #[inline(never)]
    pub(super) fn select(&mut self, column: &Column<'_>, chunk: &ChunkEntry, rows: &Range<u64>) {
        // Not `clamp`, which would panic if a chunk ended before it starts.
        let start = rows.start.max(chunk.first).min(chunk.end);
        self.rows = start..rows.end.max(start).min(chunk.end);
        // Both products are at most the chunk's number of values, which is known to fit.
        self.skip = start.wrapping_sub(chunk.first).wrapping_mul(column.dimension());
        self.values = self.rows.end.wrapping_sub(start).wrapping_mul(column.dimension());
        self.wanted = match chunk.first == chunk.end {
            true => rows.start <= chunk.first && chunk.end <= rows.end,
            false => chunk.first < rows.end && chunk.end > rows.start,
        };
    }

    /// Sets how long the payload is: as the header tells, or else the file.
    pub(super) fn set_len(&mut self, payload_len: u64) -> Verdict<()> {
        self.payload_len = payload_len;
        // No file is that long.
        if self.range().end == u64::MAX {
            return Err(Fault::new(ErrorKind::CvcChunkOutside, self.node));
        }
        Ok(())
    }

    /// Goes beyond a chunk whose payload is so long, and returns whether it is wanted.
    #[inline(never)]
    pub(super) fn enter(&mut self, cursor: &mut Cursor, payload_len: u64) -> Verdict<bool> {
        self.set_len(payload_len)?;
        cursor.pass(self.node, self.range().end, payload_len)?;
        Ok(self.wanted)
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

    /// The whole chunk: what [`read`](Self::read) needs, and what the checksum covers.
    pub fn range(&self) -> Range<u64> {
        self.at..behind(self.payload_start(), self.payload_len)
    }

    /// Only the bytes of these rows: what [`read_data`](Self::read_data) needs. Less to fetch than the chunk, but it cannot be
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
        self.crc(u32::from_le_bytes(*prefix.get(4..)?.first_chunk()?))
    }

    /// A CRC-32 and where it lies, if the chunk has one.
    pub(super) fn crc(&self, stored: u32) -> Option<(u32, u64)> {
        self.has_crc.then_some((stored, behind(self.at, 4)))
    }

    /// Takes the bytes of [`range`](Self::range), verifies them and returns the values of the rows.
    #[inline(never)]
    pub fn read<'b>(&self, chunk: &'b [u8], verify: Verify, checksums: &mut Checksums) -> Result<Payload<'b>> {
        let (prefix, payload) = chunk
            .split_at_checked(index(self.prefix_len()))
            .filter(|(_, payload)| u64_from(payload.len()) == self.payload_len)
            .ok_or(Error::new(ErrorKind::RangeOutside, self.at).needing(self.range().end.saturating_sub(self.at)))?;
        self.check_length(prefix)?;
        check_crc(checksums, self.stored_crc(prefix), verify, payload)?;
        let column = self.slot.range(self.payload_len)?;
        let stored = payload.get(index(column.start)..index(column.end)).unwrap_or(&[]);
        self.payload(stored, behind(self.payload_start(), column.start), self.skip)
    }

    /// Takes the bytes of [`data_range`](Self::data_range), which lie at `at`, and returns the values of the rows, unverified.
    pub fn read_data<'b>(&self, at: u64, data: &'b [u8]) -> Result<Payload<'b>> {
        let range = self.data_range()?;
        if at != range.start || u64_from(data.len()) != range.end.saturating_sub(range.start) {
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

    /// A version 0 header before chunks with checksums would decode to shifted values. Where more chunks follow, their lengths are
    /// wrong; after the last one, the four bytes too many give it away if they complete what the first four are the CRC-32 of.
    pub(super) fn refuse_hidden_crc(&self, file: &File<'_>, src: &[u8]) -> Result<()> {
        let (start, end) = (self.payload_start(), self.range().end);
        if self.has_crc || self.chunk.saturating_add(1) < file.chunk_count() || start == end {
            return Ok(());
        }
        let shifted = behind(start, 4)..behind(end, 4);
        let (Ok(stored), Ok(shifted)) = (part(src, start..shifted.start), part(src, shifted)) else {
            return Ok(());
        };
        if stored == Crc32::of(shifted).to_le_bytes() {
            return Err(Error::new(ErrorKind::CvcHiddenCrc, start));
        }
        Ok(())
    }
}

/// What a walk over the pieces of a column has found.
pub(super) enum Next {
    /// A chunk of unknown length: to be [entered](Piece::enter) with the one that the file has.
    Length,
    /// A chunk that is wanted.
    Chunk,
    Nothing,
}

impl Column<'_> {
    /// Finds the next chunk that holds some of these rows, or whose length must be known to go on.
    #[inline(never)]
    pub(super) fn next_piece(&self, cursor: &mut Cursor, rows: &Range<u64>, piece: &mut Piece) -> Verdict<Next> {
        let (file, mut chunk) = (&self.file, ChunkEntry::new());
        while cursor.next(file, &mut chunk)? {
            if chunk.first > rows.end || chunk.first == rows.end && !rows.is_empty() && chunk.end > chunk.first {
                break;
            }
            piece.open(file, &chunk, cursor.start(file, &chunk)?);
            self.slot(&chunk, &mut piece.slot)?;
            piece.select(self, &chunk, rows);
            match piece.slot.payload_len() {
                None => return Ok(Next::Length),
                Some(len) if piece.enter(cursor, len)? => return Ok(Next::Chunk),
                Some(_) => {}
            }
        }
        Ok(Next::Nothing)
    }
}

/// Returns the bytes of a range, all of them.
#[inline(never)]
pub(super) fn part(src: &[u8], range: Range<u64>) -> Result<&[u8]> {
    let end = range.end;
    src.get(index(range.start)..index(end)).ok_or_else(|| Error::truncated(u64_from(src.len()), end))
}

//! The walk from chunk to chunk: what the header says of each, and where each starts.

use core::ops::Range;

use super::header::File;
use super::object::{Object, Position};
use super::section::{Metadata, Sections};
use crate::fault::{Fault, Verdict};
use crate::json::{Elements, Node};
use crate::num::{Size, offset_after, size, wide};
use crate::{Error, ErrorKind, Result};

/// The entry of a chunk in the header. Numbers and positions only, so that it outlives the borrow
/// of the head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChunkEntry {
    pub(super) index: Size,
    /// First row, counted over the whole file.
    pub(super) first: Size,
    /// The row after the last one.
    pub(super) end: Size,
    /// The member `file_offset`, and its value.
    file_offset: (Position, Size),
    /// The position of the entry in the JSON.
    pub(super) node: usize,
    /// The member `columns`, for files with a schema.
    pub(super) columns: Position,
    /// The members `compression`, `min` and `scale`, for files without one.
    pub(super) encoding: [Position; 3],
}

impl ChunkEntry {
    pub(super) const fn fault(&self, kind: ErrorKind) -> Fault {
        Fault::new(kind, self.node)
    }

    /// Returns whether the chunk has some of these rows, or is empty and between them: even an
    /// empty chunk can be broken.
    pub(super) fn overlaps(&self, rows: &Range<Size>) -> bool {
        match self.first == self.end {
            true => rows.start <= self.first && self.end <= rows.end,
            false => self.first < rows.end && self.end > rows.start,
        }
    }

    /// Returns whether neither this chunk nor a later one [overlaps](Self::overlaps) these rows.
    pub(super) fn is_after(&self, rows: &Range<Size>) -> bool {
        self.first > rows.end || self.first == rows.end && !rows.is_empty() && self.end > self.first
    }
}

/// Walks over the chunks of a file in the order of their rows. Numbers only, so that it goes on
/// after the borrow of the head ends.
///
/// Each entry is read once. [`start`](Self::start) returns where the chunk starts. Once the length
/// of its payload is known, [`pass`](Self::pass) moves past it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkCursor {
    /// The position of the next entry, or of white space and a comma before it.
    json: usize,
    index: Size,
    first: Size,
    /// The end of the chunks so far.
    pub(super) end: Size,
    /// The sum of the lengths of their payloads.
    payloads: Size,
}

impl ChunkCursor {
    /// A walk over no file.
    pub(super) const NONE: Self = Self { json: 0, index: 0, first: 0, end: 0, payloads: 0 };

    /// Starts before the first chunk.
    #[inline(never)]
    pub(super) fn of(file: &File<'_>) -> Self {
        Self { json: file.facts.chunks + 1, end: size(file.facts.end), ..Self::NONE }
    }

    /// Reads the entry of the next chunk. Returns `false` after the last one, whose rows stay.
    // A `Verdict<bool>` would come back in memory.
    #[inline(always)]
    pub(super) fn next(&mut self, file: &File<'_>, entry: &mut ChunkEntry) -> Verdict<bool> {
        self.read(file, entry)?;
        Ok(entry.node > 0)
    }

    /// Does the same, and sets the position to 0 after the last chunk.
    #[inline(never)]
    fn read(&mut self, file: &File<'_>, entry: &mut ChunkEntry) -> Verdict<()> {
        entry.node = 0;
        let Some(node) = Elements::resume(file.head, self.json).peek() else { return Ok(()) };
        if !node.is_object() {
            return Err(node.fault(ErrorKind::CvcWrongValue));
        }
        let mut object = Object::new(node);
        let [rows, file_offset, columns, encoding @ ..] =
            object.pick(&["rows", "file_offset", "columns", "compression", "min", "scale"]);
        let end = object.integer(rows).checked_add(self.first);
        if end.is_none() {
            object.refuse(ErrorKind::SizeOverflow, rows);
        }
        let has_offset = file.facts.mmap_optimized || object.find(file_offset).is_some();
        let file_offset = (file_offset, if has_offset { object.integer(file_offset) } else { 0 });
        self.json = object.end;
        object.check()?;
        let (first, end) = (self.first, end.unwrap_or(0));
        *entry = ChunkEntry { index: self.index, first, end, file_offset, node: node.start(), columns, encoding };
        (self.first, self.index) = (end, self.index + 1);
        Ok(())
    }

    /// Returns where a chunk starts: at its `file_offset`, or else after the chunks before it.
    pub(super) fn start(&self, file: &File<'_>, entry: &ChunkEntry) -> Verdict<Size> {
        let (position, offset) = entry.file_offset;
        match position.node(&file.node(0)) {
            Some(node) if offset < size(file.facts.end) => Err(node.fault(ErrorKind::CvcChunkOutside)),
            Some(_) => Ok(offset),
            None => Ok(self.end),
        }
    }

    /// Moves past a chunk whose entry is at `node` and which ends at `end`.
    ///
    /// In whatever order chunks lie, their payloads together are no longer than the end of the last
    /// one. If they are, chunks overlap, and a small file could name the same bytes any number of
    /// times.
    pub(super) fn pass(&mut self, node: usize, end: Size, payload_len: Size) -> Verdict<()> {
        self.end = self.end.max(end);
        self.payloads = offset_after(self.payloads, payload_len);
        if self.payloads > self.end { Err(Fault::new(ErrorKind::CvcChunkOutside, node)) } else { Ok(()) }
    }
}

/// A chunk as the header describes it: the same rows of every column.
#[derive(Clone, Debug, Default)]
pub struct Chunk<'a> {
    /// Its number, from 0.
    pub index: u64,
    /// Its rows, counted over the whole file.
    pub rows: Range<u64>,
    node: Node<'a>,
}

impl<'a> Chunk<'a> {
    /// Returns the metadata that the writer attached to this chunk.
    pub fn metadata(&self) -> Metadata<'a> {
        Metadata::new(self.node.member("metadata"))
    }

    /// Walks over the sections that overlap this chunk, cut to its rows. Rows count over the whole
    /// file.
    pub fn sections(&self) -> Sections<'a> {
        Sections::new(self.node.member("sections"), ["start_in_chunk", "end_in_chunk"], self.rows.clone())
    }
}

/// Walks over the chunks in the order of their rows.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    file: File<'a>,
    cursor: ChunkCursor,
}

impl<'a> File<'a> {
    /// Walks over the chunks in the order of their rows.
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks { file: *self, cursor: ChunkCursor::of(self) }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut entry = ChunkEntry::default();
        let found = self.cursor.next(&self.file, &mut entry);
        let ChunkEntry { index, first, end, node, .. } = entry;
        let chunk = Chunk { index: wide(index), rows: wide(first)..wide(end), node: self.file.node(node) };
        found.map(|found| found.then_some(chunk)).map_err(Error::from).transpose()
    }
}

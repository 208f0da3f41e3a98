//! The one walk from chunk to chunk: what the header says of each, and where it lies.

use core::ops::Range;

use super::header::File;
use super::object::{Object, Place};
use super::section::{Metadata, Sections};
use crate::fault::{Fault, Verdict};
use crate::json::{Elements, Node};
use crate::num::behind;
use crate::{ErrorKind, Result};

/// What the header says of a chunk: numbers and positions in the JSON, so that it outlives the borrow of the head.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkEntry {
    pub(super) index: u64,
    /// Its rows, counted over the whole file.
    pub(super) first: u64,
    pub(super) end: u64,
    pub(super) file_offset: Option<u64>,
    /// Its object.
    pub(super) node: usize,
    /// Members of the object: the columns of a file with a schema, or how the only column is stored.
    pub(super) columns: Place,
    pub(super) storage: [Place; 3],
}

impl ChunkEntry {
    pub(super) const fn new() -> Self {
        let (columns, storage) = (Place::NONE, [Place::NONE; 3]);
        Self { index: 0, first: 0, end: 0, file_offset: None, node: 0, columns, storage }
    }

    pub(super) const fn fault(&self, kind: ErrorKind) -> Fault {
        Fault::new(kind, self.node)
    }
}

/// Walks over the chunks of a file in the order of their rows: numbers only, so that it can go on after the borrow of the head has ended.
///
/// Each object is read once. [`start`](Self::start) tells where the chunk lies; once the length of its payload is known,
/// [`pass`](Self::pass) goes beyond it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    /// Where the next object is, or white space and a comma before it.
    json: usize,
    index: u64,
    first: u64,
    /// Where the chunks so far end.
    pub(super) end: u64,
    /// How long their payloads are together.
    payloads: u64,
}

impl Cursor {
    /// A walk over no file.
    pub(super) const fn new() -> Self {
        Self { json: 0, index: 0, first: 0, end: 0, payloads: 0 }
    }

    /// Before the first chunk.
    #[inline(never)]
    pub(super) fn of(file: &File<'_>) -> Self {
        Self { json: file.facts.chunks.saturating_add(1), end: file.head_len(), ..Self::new() }
    }

    /// Reads the entry of the next chunk; `false` after the last.
    #[inline(never)]
    pub(super) fn next(&mut self, file: &File<'_>, entry: &mut ChunkEntry) -> Verdict<bool> {
        let Some(node) = Elements::resume(file.head, self.json).peek() else { return Ok(false) };
        if !node.is_object() {
            return Err(node.fault(ErrorKind::CvcWrongValue));
        }
        let mut object = Object::new(node);
        let [rows, file_offset, columns, storage @ ..] =
            object.pick(["rows", "file_offset", "columns", "compression", "min", "scale"]);
        let end = object.integer(rows).checked_add(self.first);
        if end.is_none() {
            object.refuse(ErrorKind::SizeOverflow, rows);
        }
        let has_offset = file.facts.mmap_optimized || object.find(file_offset).is_some();
        let file_offset = has_offset.then(|| object.integer(file_offset));
        self.json = object.end;
        object.check()?;
        let (first, end) = (self.first, end.unwrap_or(0));
        *entry = ChunkEntry { index: self.index, first, end, file_offset, node: node.start(), columns, storage };
        (self.first, self.index) = (end, self.index.saturating_add(1));
        Ok(true)
    }

    /// Returns where a chunk starts: where the header says, or else after those before it.
    pub(super) fn start(&self, file: &File<'_>, entry: &ChunkEntry) -> Verdict<u64> {
        match entry.file_offset {
            Some(offset) if offset < file.head_len() => {
                let node = file.node(entry.node);
                Err(node.member("file_offset").unwrap_or(node).fault(ErrorKind::CvcChunkOutside))
            }
            Some(offset) => Ok(offset),
            None => Ok(self.end),
        }
    }

    /// Goes beyond a chunk whose object is there and that ends there. However chunks with places of their own are arranged, their payloads
    /// fit before the end of the last one. If they do not, chunks lie on top of each other, and a small file could name the same bytes any number of times.
    pub(super) fn pass(&mut self, node: usize, end: u64, payload_len: u64) -> Verdict<()> {
        self.end = self.end.max(end);
        self.payloads = behind(self.payloads, payload_len);
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
    /// What the writer noted of this chunk.
    pub fn metadata(&self) -> Metadata<'a> {
        Metadata::new(self.node.member("metadata"))
    }

    /// The sections that reach into this chunk, with rows of the whole file.
    pub fn sections(&self) -> Sections<'a> {
        Sections::of_chunk(self.node.member("sections"), self.rows.clone())
    }
}

/// Walks over the chunks in the order of their rows.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    file: File<'a>,
    cursor: Cursor,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(file: &File<'a>) -> Self {
        Self { file: *file, cursor: Cursor::of(file) }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut entry = ChunkEntry::new();
        match self.cursor.next(&self.file, &mut entry) {
            Ok(false) => None,
            Ok(true) => {
                let ChunkEntry { index, first, end, node, .. } = entry;
                Some(Ok(Chunk { index, rows: first..end, node: self.file.node(node) }))
            }
            Err(fault) => Some(Err(fault.into())),
        }
    }
}

//! What the header says of each chunk.

use core::ops::Range;

use super::header::File;
use super::object::Object;
use super::section::{Metadata, Sections};
use crate::fault::Verdict;
use crate::json::{Elements, Node};
use crate::{ErrorKind, Result};

/// A chunk as the header describes it: the same rows of every column.
#[derive(Clone, Debug, Default)]
pub struct Chunk<'a> {
    /// Its number, from 0.
    pub index: u64,
    /// Its rows, counted over the whole file.
    pub rows: Range<u64>,
    pub(super) node: Node<'a>,
    pub(super) file_offset: Option<u64>,
}

impl<'a> Chunk<'a> {
    /// What the writer noted of this chunk.
    pub fn metadata(&self) -> Metadata<'a> {
        Metadata::new(self.node.member("metadata"))
    }

    /// The object that names its columns, in a file with a schema.
    pub(super) fn columns(&self) -> Option<Node<'a>> {
        self.node.member("columns").filter(Node::is_object)
    }

    /// The sections that reach into this chunk, with rows of the whole file.
    pub fn sections(&self) -> Sections<'a> {
        Sections::of_chunk(self.node.member("sections"), self.rows.clone())
    }
}

/// Walks over the chunks in the order of their rows.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    nodes: Elements<'a>,
    place: ChunkPlace,
    needs_offset: bool,
}

/// How far a walk over the chunks came: numbers only, so that it can go on after the borrow has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkPlace {
    at: usize,
    index: u64,
    first_row: u64,
}

impl ChunkPlace {
    /// Before the first chunk of a file, but for where that is.
    pub(super) const START: Self = Self { at: 0, index: 0, first_row: 0 };
}

impl<'a> Chunks<'a> {
    pub(super) fn new(file: &File<'a>) -> Self {
        let start = ChunkPlace { at: file.facts.chunks.saturating_add(1), ..ChunkPlace::START };
        Self::resume(file, start)
    }

    pub(super) fn resume(file: &File<'a>, place: ChunkPlace) -> Self {
        Self { nodes: Elements::resume(file.head, place.at), place, needs_offset: file.facts.mmap_optimized }
    }

    pub(super) fn place(&self) -> ChunkPlace {
        ChunkPlace { at: self.nodes.position(), ..self.place }
    }
}

impl<'a> Chunks<'a> {
    /// Reads the next chunk; `false` behind the last.
    #[inline(never)]
    pub(super) fn read(&mut self, chunk: &mut Chunk<'a>) -> Verdict<bool> {
        let Some(node) = self.nodes.next() else { return Ok(false) };
        if !node.is_object() {
            return Err(node.fault(ErrorKind::CvcWrongValue));
        }
        let mut object = Object::new(node);
        let [rows, file_offset] = object.pick(["rows", "file_offset"]);
        let end = object.integer(rows).checked_add(self.place.first_row);
        if end.is_none() {
            object.refuse(ErrorKind::SizeOverflow, rows);
        }
        let has_offset = self.needs_offset || object.find(file_offset).is_some();
        let file_offset = has_offset.then(|| object.integer(file_offset));
        object.check()?;
        let rows = self.place.first_row..end.unwrap_or(0);
        self.place.first_row = rows.end;
        *chunk = Chunk { index: self.place.index, rows, node, file_offset };
        self.place.index = self.place.index.saturating_add(1);
        Ok(true)
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut chunk = Chunk::default();
        match self.read(&mut chunk) {
            Ok(more) => more.then_some(Ok(chunk)),
            Err(fault) => Some(Err(fault.into())),
        }
    }
}

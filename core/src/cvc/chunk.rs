//! What the header says of each chunk.

use core::ops::Range;

use super::header::File;
use super::json::{Elements, Node};
use super::section::{Metadata, Sections};
use crate::{ErrorKind, Result};

/// A chunk as the header describes it: the same rows of every column.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// Its number, from 0.
    pub index: u64,
    /// Its rows, counted over the whole file.
    pub rows: Range<u64>,
    pub(super) node: Node<'a>,
    pub(super) file_offset: Option<(u64, Node<'a>)>,
    /// Keys of a single-column chunk.
    pub(super) coding: Coding<'a>,
    pub(super) columns: Option<Node<'a>>,
    sections: Option<Node<'a>>,
    metadata: Option<Node<'a>>,
}

/// The keys that say how values are stored, wherever they stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coding<'a> {
    pub(super) compression: Option<Node<'a>>,
    pub(super) min: Option<Node<'a>>,
    pub(super) scale: Option<Node<'a>>,
}

impl<'a> Chunk<'a> {
    fn read(node: Node<'a>, index: u64, first_row: u64, needs_offset: bool) -> Result<Self> {
        if !node.is_object() {
            return Err(node.error(ErrorKind::CvcWrongValue));
        }
        let [rows, file_offset, compression, min, scale, columns, sections, metadata] =
            node.pick(["rows", "file_offset", "compression", "min", "scale", "columns", "sections", "metadata"]);
        let rows = rows.ok_or(node.error(ErrorKind::CvcMissingKey))?;
        let end = rows.integer()?.checked_add(first_row).ok_or(rows.error(ErrorKind::SizeOverflow))?;
        let file_offset = match file_offset {
            Some(offset) => Some((offset.integer()?, offset)),
            None if needs_offset => return Err(node.error(ErrorKind::CvcMissingKey)),
            None => None,
        };
        let coding = Coding { compression, min, scale };
        Ok(Self { index, rows: first_row..end, node, file_offset, coding, columns, sections, metadata })
    }

    /// What the writer noted of this chunk.
    pub fn metadata(&self) -> Metadata<'a> {
        Metadata::new(self.metadata)
    }

    /// The sections that reach into this chunk, with rows of the whole file.
    pub fn sections(&self) -> Sections<'a> {
        Sections::of_chunk(self.sections, self.rows.clone())
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

impl<'a> Chunks<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        let start = ChunkPlace { at: file.facts.chunks.saturating_add(1), index: 0, first_row: 0 };
        Self::resume(file, start)
    }

    pub(super) fn resume(file: File<'a>, place: ChunkPlace) -> Self {
        Self { nodes: Elements::resume(file.head, place.at), place, needs_offset: file.facts.mmap_optimized }
    }

    pub(super) fn place(&self) -> ChunkPlace {
        ChunkPlace { at: self.nodes.position(), ..self.place }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.nodes.next()?;
        let chunk = Chunk::read(node, self.place.index, self.place.first_row, self.needs_offset);
        if let Ok(chunk) = &chunk {
            self.place.index = self.place.index.saturating_add(1);
            self.place.first_row = chunk.rows.end;
        }
        Some(chunk)
    }
}

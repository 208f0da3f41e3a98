//! The chunks of a Pco file: lends the walk of the core its workspace, and leaves out fields where there are too many.

use alloc::vec::Vec;
use core::ops::Range;

use unspool::pco::Outline;
use unspool::{ErrorKind, Limits, Name, Part, Result, Trace, Value};

use crate::number;
use crate::structure::Structure;

/// Walks from chunk to chunk.
pub struct Chunks {
    outline: Outline,
    words: Vec<u64>,
}

impl Chunks {
    pub const fn new(len: u64, limits: &Limits) -> Self {
        Self { outline: Outline::new(len, limits), words: Vec::new() }
    }

    pub fn needs(&self) -> Option<Range<u64>> {
        self.outline.needs()
    }

    /// Reads all chunks that end in `bytes`.
    pub fn feed(&mut self, bytes: &[u8], structure: &mut Structure) -> Result<()> {
        let Some(range) = self.needs() else { return Ok(()) };
        let mut brief = Brief { structure, depth: 0, left_out: None };
        loop {
            match self.outline.feed(range.start, bytes, &mut self.words, &mut brief) {
                Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => {
                    self.words.resize(number::index(error.need), 0);
                }
                fed => return fed,
            }
        }
    }
}

/// Passes on what it is told. When half of the room for nodes is taken, it merges the metadata of each chunk into one field, so that
/// there is room for all chunks.
struct Brief<'s> {
    structure: &'s mut Structure,
    depth: usize,
    /// The bits of the fields of this chunk that were merged.
    left_out: Option<Range<u64>>,
}

impl Trace for Brief<'_> {
    fn enter(&mut self, name: Name, value: Value<'_>) {
        self.depth += 1;
        if self.depth == 1 && name == Name::Chunk && self.structure.is_half_full() {
            self.left_out = Some(Range { start: u64::MAX, end: 0 });
        }
        if self.depth == 1 || self.left_out.is_none() {
            self.structure.enter(name, value);
        }
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        match &mut self.left_out {
            Some(merged) => *merged = merged.start.min(bits.start)..merged.end.max(bits.end),
            None => self.structure.leaf(part, name, bits, value),
        }
    }

    fn leave(&mut self) {
        if self.depth == 1
            && let Some(bits) = self.left_out.take()
        {
            self.structure.leaf(Part::Header, Name::ChunkMetadata, bits, Value::None);
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 || self.left_out.is_none() {
            self.structure.leave();
        }
    }
}

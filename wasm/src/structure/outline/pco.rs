//! Outlines a Pco file: lends the core's walk its workspace.

use alloc::vec::Vec;
use core::ops::Range;

use unspool::pco::Outline;
use unspool::{ErrorKind, Limits, Result};

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
        structure.is_brief = true;
        loop {
            match self.outline.feed(range.start, bytes, &mut self.words, structure) {
                Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => {
                    self.words.resize(number::index(error.need), 0);
                }
                fed => return fed,
            }
        }
    }
}

//! Outlines a CVC file: reads the head, whose length is in its prefix, then the length of each
//! chunk.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::cvc::{Header, Outline, Workspace};
use unspool::{Limits, Result};

use crate::structure::Structure;

/// Walks from chunk to chunk. Only the head is kept in memory.
pub struct Chunks {
    len: u64,
    limits: Limits,
    known: Known,
}

enum Known {
    Nothing,
    /// The length of the head.
    Length(u64),
    /// The open outline, and its table for finding columns.
    Head(Box<Outline<Vec<u8>>>, Vec<u32>),
    /// The prefix is not a valid head.
    Broken,
}

impl Chunks {
    pub const fn new(len: u64, limits: Limits) -> Self {
        Self { len, limits, known: Known::Nothing }
    }

    pub fn needs(&self) -> Option<Range<u64>> {
        let least = u64::try_from(Header::LEN).unwrap_or(u64::MAX);
        match &self.known {
            Known::Nothing => Some(0..least.min(self.len)),
            Known::Length(head) => Some(0..(*head).max(least).min(self.len)),
            Known::Head(outline, _) => outline.needs(),
            Known::Broken => None,
        }
    }

    pub fn feed(&mut self, bytes: &[u8], structure: &mut Structure) -> Result<()> {
        if let Known::Head(outline, table) = &mut self.known {
            let at = outline.needs().unwrap_or_default().start;
            return outline.feed(at, bytes, &mut Workspace::with_table(table), structure);
        }
        if let (Known::Nothing, Ok(header)) = (&self.known, Header::read(bytes, &self.limits)) {
            self.known = Known::Length(header.head_len());
            return Ok(());
        }
        self.known = Known::Broken;
        let outline = Outline::open(bytes.to_vec(), self.len, &self.limits, structure)?;
        let words = usize::try_from(outline.file().workspace_len()).unwrap_or(0);
        self.known = Known::Head(Box::new(outline), vec![0; words]);
        Ok(())
    }
}

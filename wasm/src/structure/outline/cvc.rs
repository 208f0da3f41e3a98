//! The chunks of a CVC file: the head, which says of its own length, and then the length of each chunk.

use alloc::vec::Vec;
use core::ops::Range;

use unspool::cvc::{FRAMING_LEN, Outline, head_len};
use unspool::{Limits, Result};

use crate::structure::Structure;

/// Walks from chunk to chunk. In memory is the head.
pub struct Chunks {
    len: u64,
    limits: Limits,
    known: Known,
}

enum Known {
    Nothing,
    /// How long the head is.
    Length(u64),
    Head(Outline<Vec<u8>>),
    /// What was read of the head shows why it cannot be one.
    Broken,
}

impl Chunks {
    pub const fn new(len: u64, limits: Limits) -> Self {
        Self { len, limits, known: Known::Nothing }
    }

    pub fn needs(&self) -> Option<Range<u64>> {
        let least = u64::try_from(FRAMING_LEN).unwrap_or(u64::MAX);
        match &self.known {
            Known::Nothing => Some(0..least.min(self.len)),
            Known::Length(head) => Some(0..(*head).max(least).min(self.len)),
            Known::Head(outline) => outline.needs(),
            Known::Broken => None,
        }
    }

    pub fn feed(&mut self, bytes: &[u8], structure: &mut Structure) -> Result<()> {
        if let Known::Head(outline) = &mut self.known {
            return outline.feed(bytes, structure);
        }
        if let (Known::Nothing, Ok(head)) = (&self.known, head_len(bytes, &self.limits)) {
            self.known = Known::Length(head);
            return Ok(());
        }
        self.known = Known::Broken;
        self.known = Known::Head(Outline::open(bytes.to_vec(), self.len, &self.limits, structure)?);
        Ok(())
    }
}

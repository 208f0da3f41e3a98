//! The header of a chunk of LZMA2: what its control byte allows and resets, and its sizes.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};

/// The most bytes that a chunk decodes to.
#[cfg(feature = "alloc")]
pub(super) const MAX_CHUNK: usize = 2 << 20;

/// The first bytes of LZMA symbols, which start the range coder.
pub(super) const CODER_START: usize = 5;

/// The length of a chunk's header after its control byte: sizes, properties, and the start of the
/// range coder.
pub(super) const fn chunk_header_len(control: u8) -> usize {
    match control {
        0..0x80 => 2,
        0x80..0xC0 => 4 + CODER_START,
        0xC0.. => 4 + 1 + CODER_START,
    }
}

/// The resets that the next chunk of a block must bring, as the least control byte that a chunk of
/// symbols may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wants(u8);

impl Wants {
    /// Before the first chunk of a block.
    pub(super) const ALL: Self = Self(0xE0);

    /// Accepts the control byte of the next chunk, or refuses it. A zero ends the chunks, and does
    /// not come here. Returns whether the chunk empties the dictionary.
    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn accept(&mut self, control: u8) -> Verdict<bool> {
        let empties = control >= 0xE0 || control == 1;
        let kind = if !empties && self.0 == 0xE0 {
            ErrorKind::XzDictionaryReset
        } else if control >= 0x80 && control < self.0 {
            ErrorKind::XzProperties
        } else if control > 2 && control < 0x80 {
            ErrorKind::XzControl
        } else {
            // An empty dictionary requires new properties, in this chunk or before the next that
            // needs them.
            match control {
                1 => self.0 = 0xC0,
                0xC0.. => self.0 = 0x80,
                _ => {}
            }
            return Ok(empties);
        };
        Err(Fault::new(kind, 0))
    }
}

/// Reads the sizes after a control byte. Returns the bytes of the chunk after its sizes and
/// properties, those that it decodes to, and the length of the sizes.
#[cfg_attr(feature = "small", inline(always))]
pub(super) fn sizes(control: u8, header: &[u8]) -> Option<(usize, usize, usize)> {
    let size = |high, low| (usize::from(high) << 8) + usize::from(low) + 1;
    match *header {
        [a, b, ..] if control < 0x80 => Some((size(a, b), size(a, b), 2)),
        [a, b, c, d, ..] => Some((size(c, d), size(a, b) + (usize::from(control & 0x1F) << 16), 4)),
        _ => None,
    }
}

/// Returns the name of a chunk for people.
pub(super) const fn chunk_name(control: u8) -> &'static str {
    match control {
        0 => "end of data",
        1 => "copy, dictionary reset",
        2..0x80 => "copy",
        0x80..0xA0 => "LZMA",
        0xA0..0xC0 => "LZMA, state reset",
        0xC0..0xE0 => "LZMA, state reset, new properties",
        0xE0.. => "LZMA, all reset",
    }
}

//! The report of a call that decoded or inspected a whole file, the same for all formats.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};

/// The outcome of decoding or inspecting a whole file.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Done {
    /// Bytes that the file decodes to, as far as they were counted, even if the call writes
    /// nothing.
    pub content: u64,
    /// Top-level parts: frames of Zstandard and AT-1, streams of xz, members of gzip, chunks of Pco
    /// and CVC. A file of OnPair or LZMA is one part.
    pub parts: u64,
    /// Blocks within the parts, for Zstandard and xz.
    pub blocks: u64,
    /// Bytes of history that a streaming decoder of this file must keep.
    pub window: u64,
    /// Checksums, by outcome.
    pub checksums: Checksums,
    /// Bytes of the input that were used.
    pub read: usize,
    /// Elements of the output that were filled, in the units of that slice; bytes for a sink. 0 if
    /// the call writes nothing.
    pub wrote: usize,
}

/// Checksums of a file, by outcome.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Checksums {
    /// Compared, and equal. After `inspect`, the checksums that the file has.
    pub matched: u64,
    /// Compared, and different; only with [`Verify::Report`].
    pub mismatched: u64,
    /// Not compared: the part has no checksum, or the caller asked to [skip](Verify::Skip) it.
    pub unchecked: u64,
}

/// The action of a decoder at a checksum.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verify {
    /// Compute and compare; a difference is an error.
    #[default]
    Refuse,
    /// Compute and compare; count differences in [`Checksums::mismatched`] and go on.
    Report,
    /// Compute nothing.
    Skip,
}

impl Done {
    /// Adds the parts of a piece of the same file, and its blocks, window and checksums.
    pub(crate) fn add_parts(&mut self, piece: &Self) {
        self.parts += piece.parts;
        self.blocks += piece.blocks;
        self.window = self.window.max(piece.window);
        self.checksums.add(&piece.checksums);
    }
}

impl Checksums {
    /// Adds the checksums of a piece of the same file.
    pub(crate) const fn add(&mut self, piece: &Self) {
        self.matched += piece.matched;
        self.mismatched += piece.mismatched;
        self.unchecked += piece.unchecked;
    }

    /// Counts one comparison. With [`Verify::Refuse`], a difference is an error of this kind at
    /// this byte.
    pub(crate) const fn count(&mut self, matches: bool, verify: Verify, kind: ErrorKind, at: usize) -> Verdict<()> {
        if matches {
            self.matched += 1;
        } else if matches!(verify, Verify::Refuse) {
            return Err(Fault::new(kind, at));
        } else {
            self.mismatched += 1;
        }
        Ok(())
    }
}

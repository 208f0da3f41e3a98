//! Lists of blocks, in constant memory: those that were read are compared with those in the index.

use core::ops::Range;

use super::check::CheckKind;
#[cfg(not(feature = "xz-sha256"))]
use crate::checksum::Crc64 as Hash;
#[cfg(feature = "xz-sha256")]
use crate::checksum::Sha256 as Hash;

/// A block, as the index lists it. Its bytes have not been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The bytes of the file that it takes, with its header and its check.
    pub range: Range<u64>,
    /// The bytes of the content that it holds.
    pub content: Range<u64>,
    /// The check after it.
    pub check: CheckKind,
}

/// The sums of the sizes in a list of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    /// Bytes of the file, padding included.
    pub(super) stored: u64,
    /// Bytes of content.
    pub(super) content: u64,
}

impl Sums {
    pub(super) const fn new() -> Self {
        Self { stored: 0, content: 0 }
    }

    /// Adds a block: its size without padding, and the size of its content. `None` if no block has
    /// such sizes.
    pub(super) fn add(&mut self, unpadded: u64, content: u64) -> Option<()> {
        // One comparison for both ends of the range: 5 to 2^63 − 4.
        let stored = unpadded.wrapping_add(3) & !3;
        if stored.cast_signed() < 8 {
            return None;
        }
        *self = self.and(&Self { stored, content })?;
        Some(())
    }

    /// Concatenates two lists.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        Some(Self { stored: self.stored.checked_add(other.stored)?, content: self.content.checked_add(other.content)? })
    }
}

/// A list of blocks: its sums, and a hash of every number in it. Two lists of as many blocks are
/// equal if both are.
///
/// The hash is the strongest that is linked anyway: SHA-256, or CRC-64 without the feature
/// `xz-sha256`. CRC-64 can be forged: a hostile index may list other block sizes with the same
/// sums. Decoding does not use those sizes.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) sums: Sums,
    /// `None` for an empty list, so that a workspace is all zeros.
    hash: Option<Hash>,
}

impl Records {
    pub(super) const fn new() -> Self {
        Self { sums: Sums::new(), hash: None }
    }

    /// Empties the list, in place.
    pub(super) fn clear(&mut self) {
        self.sums = Sums::new();
        self.hash = None;
    }

    /// Adds a block.
    pub(super) fn add(&mut self, unpadded: u64, content: u64) -> Option<()> {
        self.sums.add(unpadded, content)?;
        let hash = self.hash.get_or_insert_with(Hash::new);
        hash.update([unpadded.to_le_bytes(), content.to_le_bytes()].as_flattened());
        Some(())
    }

    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn same(&self, other: &Self) -> bool {
        self.sums == other.sums && self.hash.as_ref().map(Hash::value) == other.hash.as_ref().map(Hash::value)
    }
}

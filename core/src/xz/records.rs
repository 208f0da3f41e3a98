//! What the index lists, compared in constant memory with what the blocks were.

#[cfg(not(feature = "xz-sha256"))]
use crate::checksum::Crc64 as Hash;
#[cfg(feature = "xz-sha256")]
use crate::checksum::Sha256 as Hash;

/// The least and the most that an index may say of a block without its padding.
const UNPADDED: core::ops::RangeInclusive<u64> = 5..=(u64::MAX >> 1) & !3;

/// What the sizes in a list of blocks add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) count: u64,
    /// What the blocks take in the file, padding included.
    pub(super) stored: u64,
    /// What they decode to.
    pub(super) content: u64,
}

impl Sums {
    pub(super) const fn new() -> Self {
        Self { count: 0, stored: 0, content: 0 }
    }

    /// One block more: its size without padding, and the size of its content. Nothing if no block can be like that.
    pub(super) fn add(&mut self, unpadded: u64, content: u64) -> Option<()> {
        if !UNPADDED.contains(&unpadded) {
            return None;
        }
        let stored = unpadded.checked_next_multiple_of(4)?;
        *self = self.and(&Self { count: 1, stored, content })?;
        Some(())
    }

    /// Two lists in a row.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        Some(Self {
            count: self.count.checked_add(other.count)?,
            stored: self.stored.checked_add(other.stored)?,
            content: self.content.checked_add(other.content)?,
        })
    }
}

/// A list of blocks: its sums, and a hash of every number in it. Two lists are the same if all of that is.
///
/// The hash is the best that is linked anyway: SHA-256, or CRC-64 without the feature `xz-sha256`. Against the latter, who writes a file on
/// purpose can make its index name other sizes of blocks with the same sums; decoding takes none of them from there.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) sums: Sums,
    /// None of an empty list, so that a workspace is all zeros.
    hash: Option<Hash>,
}

impl Records {
    pub(super) const fn new() -> Self {
        Self { sums: Sums::new(), hash: None }
    }

    /// Starts an empty list, in place.
    pub(super) fn clear(&mut self) {
        self.sums = Sums::new();
        self.hash = None;
    }

    /// One block more.
    pub(super) fn add(&mut self, unpadded: u64, content: u64) -> Option<()> {
        self.sums.add(unpadded, content)?;
        let hash = self.hash.get_or_insert_with(Hash::new);
        hash.update(&unpadded.to_le_bytes());
        hash.update(&content.to_le_bytes());
        Some(())
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        self.sums == other.sums && self.hash.as_ref().map(Hash::value) == other.hash.as_ref().map(Hash::value)
    }
}

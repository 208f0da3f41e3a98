//! Lists of blocks, in constant memory: those that were read are compared with those in the index.

use core::ops::Range;

use super::check::CheckKind;
#[cfg(feature = "xz-sha256")]
use crate::checksum::Sha256;
use crate::num::Size;

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

/// The most bytes of the file that a block takes: numbers have 63 bits, unless a size has fewer.
const MOST_STORED: Size = Size::MAX >> (Size::BITS / 64) & !3;

/// The sums of the sizes in a list of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    /// Bytes of the file, padding included.
    pub(super) stored: Size,
    /// Bytes of content.
    pub(super) content: Size,
}

impl Sums {
    pub(super) const fn new() -> Self {
        Self { stored: 0, content: 0 }
    }

    /// Adds a block: its size without padding, and the size of its content. `None` if no block has
    /// such sizes.
    pub(super) fn add(&mut self, unpadded: Size, content: Size) -> Option<()> {
        // One comparison for both ends of the range: from 5 to the largest multiple of 4.
        let stored = unpadded.wrapping_add(3) & !3;
        if stored.wrapping_sub(8) > MOST_STORED - 8 {
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
/// The hash is SHA-256. Without the feature `xz-sha256` it is a word, which can be forged: a
/// hostile index may list other block sizes with the same sums. Decoding does not use those sizes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Records {
    sums: Sums,
    hash: Hash,
}

impl Records {
    /// An empty list, all zeros.
    pub(super) const fn new() -> Self {
        Self { sums: Sums::new(), hash: Hash::new() }
    }

    /// Adds a block.
    pub(super) fn add(&mut self, unpadded: Size, content: Size) -> Option<()> {
        self.sums.add(unpadded, content)?;
        self.hash.add(unpadded);
        self.hash.add(content);
        Some(())
    }
}

/// `None` if nothing was added, so that a workspace is all zeros.
#[cfg(feature = "xz-sha256")]
#[derive(Clone, Debug)]
struct Hash(Option<Sha256>);

#[cfg(feature = "xz-sha256")]
impl Hash {
    const fn new() -> Self {
        Self(None)
    }

    fn add(&mut self, number: Size) {
        self.0.get_or_insert_with(Sha256::new).update(&number.to_le_bytes());
    }
}

#[cfg(feature = "xz-sha256")]
impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().map(Sha256::value) == other.0.as_ref().map(Sha256::value)
    }
}

#[cfg(not(feature = "xz-sha256"))]
#[derive(Clone, Debug, PartialEq)]
struct Hash(Size);

#[cfg(not(feature = "xz-sha256"))]
impl Hash {
    const fn new() -> Self {
        Self(0)
    }

    fn add(&mut self, number: Size) {
        // A polynomial. The base is a prime near 2^32 over the golden ratio.
        self.0 = self.0.wrapping_mul(0x9E37_79B1).wrapping_add(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(blocks: &[(Size, Size)]) -> Records {
        let mut records = Records::new();
        blocks.iter().for_each(|&(unpadded, content)| records.add(unpadded, content).unwrap());
        records
    }

    #[test]
    fn lists_differ_in_order_and_in_sizes_with_the_same_sums() {
        let blocks = [(20, 7), (24, 9), (300, 5000)];
        let records = list(&blocks);
        assert_eq!(records, list(&blocks));
        assert_ne!(records, list(&[blocks[1], blocks[0], blocks[2]]));
        assert_ne!(records, list(&[blocks[2], blocks[1], blocks[0]]));
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            let mut others = blocks;
            (others[a].1, others[b].1) = (others[a].1 - 1, others[b].1 + 1);
            assert_ne!(records, list(&others));
            let mut others = blocks;
            (others[a].0, others[b].0) = (others[a].0 - 4, others[b].0 + 4);
            assert_ne!(records, list(&others));
        }
        let of_many = |n: Size| list(&(5..n).map(|i| (i, i * 3)).collect::<Vec<_>>());
        assert_ne!(of_many(100), of_many(101));
    }

    #[test]
    fn no_block_is_that_small() {
        let mut records = Records::new();
        assert_eq!((0..5).map(|size| records.add(size, 1)).collect::<Vec<_>>(), [None; 5]);
        assert_eq!(records.add(5, 1), Some(()));
    }

    #[test]
    fn no_block_is_larger_than_numbers_with_padding() {
        let refuses = |unpadded| Records::new().add(unpadded, 1).is_none();
        assert_eq!([MOST_STORED - 1, MOST_STORED].map(refuses), [false; 2]);
        assert_eq!([MOST_STORED + 1, MOST_STORED + 3, Size::MAX].map(refuses), [true; 3]);
    }
}

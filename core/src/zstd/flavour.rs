//! The differences between the three formats. The rest of this room is the same for all of them.

use crate::bits::header_u32_at;
use crate::entropy::huffman::Rules;
use crate::entropy::low32;

/// One of the three formats that share two magic numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "zstd"), non_exhaustive)]
pub enum Flavour {
    /// RFC 8878, zstd 0.8 and later, with the magic `28 B5 2F FD`: the format in use today.
    Rfc8878,
    /// The draft 0.2.0 of 2016-07-22, under both magics: its text says `27`, its encoder wrote
    /// `28`. Needs the feature `zstd`, as the next one does.
    #[cfg(feature = "zstd")]
    Draft,
    /// The format of zstd 0.7, with the magic `27 B5 2F FD`.
    #[cfg(feature = "zstd")]
    V07,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Compressed,
    Raw,
    Rle,
    End,
    Reserved,
}

impl BlockKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            BlockKind::Compressed => "compressed",
            BlockKind::Raw => "raw",
            BlockKind::Rle => "rle",
            BlockKind::End => "end",
            BlockKind::Reserved => "reserved",
        }
    }
}

/// The header of a block: three bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockHeader {
    pub(super) kind: BlockKind,
    pub(super) last: bool,
    /// Bytes that follow. For `Rle` the length of the run; in an end block the checksum.
    pub(super) size: u32,
    /// Reserved bits are set.
    pub(super) stray: bool,
}

impl BlockHeader {
    /// Returns the number of bytes that follow the header.
    pub(super) const fn stored(&self) -> usize {
        match self.kind {
            BlockKind::Compressed | BlockKind::Raw => self.size as usize,
            BlockKind::Rle => 1,
            BlockKind::End | BlockKind::Reserved => 0,
        }
    }
}

/// The encoding of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiteralsKind {
    Huffman,
    Repeat,
    Raw,
    Rle,
}

/// The header of a literals section.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiteralsHeader {
    pub(super) kind: LiteralsKind,
    /// One Huffman stream rather than four.
    pub(super) single: bool,
    /// Bytes of this header.
    pub(super) len: usize,
    /// The number of literals.
    pub(super) size: u32,
    /// Bytes of a Huffman description and its streams.
    pub(super) stored: u32,
}

/// The source of one of the three tables of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableMode {
    Predefined,
    Rle,
    Fse,
    Repeat,
}

impl Flavour {
    /// Returns the name that the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            Flavour::Rfc8878 => "zstd",
            #[cfg(feature = "zstd")]
            Flavour::Draft => "zstd-draft",
            #[cfg(feature = "zstd")]
            Flavour::V07 => "zstd-v07",
        }
    }

    /// Returns the format that owns a magic number, by its first byte.
    pub(super) const fn of(first: u8) -> Self {
        match first {
            #[cfg(feature = "zstd")]
            0x27 => Flavour::V07,
            _ => Flavour::Rfc8878,
        }
    }

    /// Returns whether the format is that of RFC 8878. Always true without the feature `zstd`: the
    /// compiler removes everything else.
    pub(super) const fn is_rfc(self) -> bool {
        matches!(self, Flavour::Rfc8878)
    }

    pub(super) const fn is_v07(self) -> bool {
        #[cfg(feature = "zstd")]
        let is = matches!(self, Flavour::V07);
        #[cfg(not(feature = "zstd"))]
        let is = false;
        is
    }

    /// Returns whether a frame of this format may start with this first byte of the magic.
    pub(super) const fn starts_with(self, first: u8) -> bool {
        match first {
            0x28 => !self.is_v07(),
            0x27 => !self.is_rfc(),
            _ => false,
        }
    }

    pub(super) const fn block(self, bytes: [u8; 3]) -> BlockHeader {
        let [a, b, c] = bytes;
        let little = u32::from_le_bytes([a, b, c, 0]);
        if self.is_rfc() {
            const KINDS: [BlockKind; 4] = [BlockKind::Raw, BlockKind::Rle, BlockKind::Compressed, BlockKind::Reserved];
            return BlockHeader {
                kind: KINDS[(little >> 1 & 3) as usize],
                last: little & 1 == 1,
                size: little >> 3,
                stray: false,
            };
        }
        let (kind, size) = match self.is_v07() {
            false => (little & 3, little >> 2),
            true => ((a >> 6) as u32, u32::from_be_bytes([0, a & 0x3F, b, c])),
        };
        const KINDS: [BlockKind; 4] = [BlockKind::Compressed, BlockKind::Raw, BlockKind::Rle, BlockKind::End];
        let kind = KINDS[kind as usize & 3];
        let end = matches!(kind, BlockKind::End);
        // Three bits between type and size are reserved. In an end block they belong to the
        // checksum.
        let stray = self.is_v07() && !end && size >> 19 != 0;
        BlockHeader { kind, last: end, size, stray }
    }

    /// Returns the part of a hash that a frame stores. RFC 8878 has 32 bits in four bytes after the
    /// last block, the older formats have 22 bits in the end block.
    pub(super) const fn checksum_of(self, hash: u64) -> u32 {
        if self.is_rfc() { low32(hash) } else { low32(hash >> 11) & 0x3F_FFFF }
    }

    /// Reads the header of a literals section. `None` if the block ends before the header does.
    pub(super) fn literals(self, bytes: &[u8]) -> Option<LiteralsHeader> {
        let first = u32::from(*bytes.first()?);
        let (kind, format) = match self.is_v07() {
            true => (first >> 6, first >> 4 & 3),
            false => (first & 3, first >> 2 & 3),
        };
        const RFC: [LiteralsKind; 4] =
            [LiteralsKind::Raw, LiteralsKind::Rle, LiteralsKind::Huffman, LiteralsKind::Repeat];
        const OLD: [LiteralsKind; 4] =
            [LiteralsKind::Huffman, LiteralsKind::Repeat, LiteralsKind::Raw, LiteralsKind::Rle];
        let kind = if self.is_rfc() { RFC } else { OLD }[(kind & 3) as usize];
        let huffman = matches!(kind, LiteralsKind::Huffman | LiteralsKind::Repeat);
        // The bytes of the header, and the bits of a size.
        let middle = if self.is_v07() { 2 } else { 1 };
        let len = match (huffman, format) {
            (true, _) => 2 + format.max(1),
            (false, 3) => 3,
            (false, _) => 1 + u32::from(format == middle),
        };
        let bits = match (huffman, len) {
            (true, _) => 4 * len - 2,
            (false, 1) => 5,
            (false, _) => 8 * len - 4,
        };
        let header = bytes.get(..len as usize)?;
        let (mut first, mut second) = (header_u32_at(header, 0), header_u32_at(header, 1));
        let (skip, past);
        if self.is_v07() {
            (first, second) = (first.swap_bytes(), second.swap_bytes());
            (skip, past) = (if huffman { 28 - bits } else { 32 - 8 * len }, 40 - 8 * len);
        } else {
            (skip, past) = (if bits == 5 { 3 } else { 4 }, bits - 4);
        }
        let mask = (1 << bits) - 1;
        let (size, stored) = (first >> skip & mask, if huffman { second >> past & mask } else { 0 });
        let single = huffman && format == u32::from(self.is_v07());
        Some(LiteralsHeader { kind, single, len: len as usize, size, stored })
    }

    pub(super) const fn table_mode(self, bits: u8) -> TableMode {
        match (bits & 3, self.is_rfc()) {
            (0, _) => TableMode::Predefined,
            (1, _) => TableMode::Rle,
            (2, true) | (3, false) => TableMode::Fse,
            _ => TableMode::Repeat,
        }
    }

    pub(super) const fn tree(self) -> Rules {
        match self.is_rfc() {
            true => Rules { ones: false, max_weights_log: 6 },
            false => Rules { ones: true, max_weights_log: 12 },
        }
    }

    pub(super) const fn max_offset_code(self) -> u8 {
        if self.is_rfc() { 31 } else { 28 }
    }

    /// Returns the offset of the values 1 to 3, and updates the history. An offset of 0 becomes the
    /// largest number, which reaches too far in every frame.
    #[inline(always)]
    pub(super) const fn repeat(self, value: u32, no_literals: bool, history: &mut [u32; 3]) -> u32 {
        let [a, b, c] = *history;
        let index = match (self.is_rfc(), no_literals, value) {
            (true, true, value) => value,
            (false, true, 1) => 1,
            (false, true, 2) => 0,
            (_, _, value) => value.wrapping_sub(1),
        };
        let offset = match index {
            0 => return a,
            1 => {
                *history = [b, a, c];
                return b;
            }
            2 => c,
            _ => match a.wrapping_sub(1) {
                0 => u32::MAX,
                less => less,
            },
        };
        *history = [offset, a, b];
        offset
    }
}

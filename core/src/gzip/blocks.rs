//! Blocks and symbols of gzip files, for inspectors.
//!
//! The inflater has no observer, so this is a second reader of DEFLATE. It decodes symbols without
//! their content: it keeps no history, and reads any block by itself. The tests rebuild the content
//! from the symbols, and compare it with that of [`decode`](super::decode).

use core::ops::Range;

use super::header::Header;
use crate::bits::BitReader;
use crate::num::{index, u64_from};
use crate::{End, Error, ErrorKind, Limits, Result};

/// The number of symbols of literals and lengths.
const LITERALS: usize = 288;

/// The number of symbols of distances.
const DISTANCES: usize = 32;

/// Symbols that a block may describe; the last ones of either code are not in use.
const MOST_LITERALS: usize = 286;
const MOST_DISTANCES: usize = 30;

/// The symbol that ends a block. That of the shortest length follows it.
const END_OF_BLOCK: u16 = 256;
const FIRST_LENGTH: u16 = END_OF_BLOCK + 1;

/// The largest distance.
const HISTORY: u64 = 32 << 10;

/// The bits of the CRC-32 and the size after a member.
const TRAILER: u64 = 64;

/// How the symbols of a block are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Bytes as they are.
    Stored,
    /// The code that the format defines.
    Fixed,
    /// A code that the block describes.
    Dynamic,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its bits in the file.
    pub bits: Range<u64>,
    /// The content that it decodes to.
    pub content: Range<u64>,
    /// Its meaning.
    pub kind: SymbolKind,
}

/// The meaning of a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// The header of a member.
    Member,
    /// The header of a block, with the code that it describes: see [`BlockReader::lengths`].
    Block(BlockKind),
    /// The bytes of a stored block.
    Stored,
    /// A literal.
    Literal(u8),
    /// A match.
    Match {
        /// Its symbol among literals and lengths, from 257 on.
        length_symbol: u16,
        /// Its distance, from 1 on.
        distance: u16,
        /// The symbol of its distance.
        distance_symbol: u16,
    },
    /// The end of a block. In a stored block it has no bits.
    EndOfBlock {
        /// No block of the member follows.
        last: bool,
    },
    /// The CRC-32 and the size after the last block of a member.
    Trailer,
}

/// The part that comes next.
#[derive(Clone, Copy, Debug)]
enum State {
    /// A member, or the end of the file.
    Member,
    Block,
    Stored(u16),
    Symbols,
    EndOfStored,
    Trailer,
}

/// Reads the parts of a gzip file one by one: headers, blocks and symbols.
///
/// The caller passes a piece of the file that holds the next part. Zeros after the last member are
/// not read, and no checksum is verified: [`inspect`](super::inspect) does both.
///
/// ```
/// use unspool::{End, Limits, gzip};
/// // "aaaa" as a literal and a match.
/// let file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x4B\x04\x02\0\x45\xE5\x98\xAD\x04\0\0\0";
/// let mut reader = gzip::BlockReader::new(&Limits::DEFAULT);
/// let mut matches = 0;
/// while let Some(symbol) = reader.next(file, 0, End::Here)? {
///     matches += usize::from(matches!(symbol.kind, gzip::SymbolKind::Match { distance: 1, .. }));
/// }
/// assert_eq!(matches, 1);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BlockReader {
    limits: Limits,
    state: State,
    /// The next bit.
    bit: u64,
    /// Content so far, and before the member.
    content: u64,
    member: u64,
    /// Members that were entered.
    members: u64,
    /// No block of the member follows the current one.
    last: bool,
    /// The code lengths of the block: of literals and lengths, then of distances.
    lengths: [u8; LITERALS + DISTANCES],
    literals: Code,
    distances: Code,
}

impl BlockReader {
    /// A reader at the start of a file.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            state: State::Member,
            bit: 0,
            content: 0,
            member: 0,
            members: 0,
            last: false,
            lengths: [0; LITERALS + DISTANCES],
            literals: Code::EMPTY,
            distances: Code::EMPTY,
        }
    }

    /// A reader at a block that starts at this bit, after so much content of its file. It does not
    /// know where the member starts, and lets matches reach back before it.
    pub fn at_block(bit: u64, content: u64, limits: &Limits) -> Self {
        Self { state: State::Block, bit, content, members: 1, ..Self::new(limits) }
    }

    /// Returns the bit at which the next part starts.
    pub const fn position(&self) -> u64 {
        self.bit
    }

    /// Returns the code lengths of the block that was entered last: of 288 literals and lengths,
    /// then of 32 distances. All are 0 in a stored block.
    pub const fn lengths(&self) -> &[u8; LITERALS + DISTANCES] {
        &self.lengths
    }

    /// Reads the next part from a piece of the file that starts at offset `at`.
    ///
    /// Returns `None` after the last member, and if the piece ends inside the part while more
    /// follow. Pass then a piece that starts at the byte of [`position`](Self::position). A part
    /// has at most 64 KiB, or as many bytes as the limit on headers allows.
    pub fn next(&mut self, piece: &[u8], at: u64, end: End) -> Result<Option<Symbol>> {
        let (start, before) = (self.bit, self.content);
        let skipped = at.saturating_mul(8);
        let bits = &mut BitReader::at_bit(piece, start.saturating_sub(skipped));
        if start < skipped {
            return Err(Error::new(ErrorKind::BadArgument, at));
        }
        let refuse = |error: Error| match (error.kind, end) {
            (ErrorKind::Truncated, End::NotYet) => Ok(None),
            (ErrorKind::Truncated, End::Here) => {
                Err(Error::new(ErrorKind::Truncated, at.saturating_add(u64_from(piece.len()))))
            }
            (kind, _) => Err(Error { kind, ..error }),
        };
        match self.read(bits) {
            Ok(None) => Ok(None),
            Ok(Some(kind)) => {
                self.bit = skipped.saturating_add(bits.position());
                Ok(Some(Symbol { bits: start..self.bit, content: before..self.content, kind }))
            }
            Err(error) => refuse(error),
        }
    }

    /// Reads the next part. Changes no state if it is cut, apart from the codes of a block.
    fn read(&mut self, bits: &mut BitReader<'_>) -> Result<Option<SymbolKind>> {
        let corrupt = Error::new(ErrorKind::GzipDeflate, self.bit / 8);
        Ok(Some(match self.state {
            State::Member => {
                // Zeros fill up tapes and block devices.
                if self.members > 0 && (bits.remaining() == 0 || bits.peek(8) == 0) {
                    return Ok(None);
                }
                let header = Header::read(bits.rest(), &self.limits).map_err(|error| error.offset_by(self.bit / 8))?;
                bits.skip(u64_from(header.len).saturating_mul(8))?;
                (self.state, self.member, self.members) = (State::Block, self.content, self.members.saturating_add(1));
                SymbolKind::Member
            }
            State::Block => {
                let last = bits.take_bit()?;
                let (kind, state) = match bits.take(2)? {
                    0 => {
                        bits.align();
                        let len = bits.take(16)?;
                        if bits.take(16)? != len ^ 0xFFFF {
                            return Err(corrupt);
                        }
                        self.lengths.fill(0);
                        (BlockKind::Stored, State::Stored(u16::try_from(len).unwrap_or(u16::MAX)))
                    }
                    1 => {
                        let (literals, distances) = self.lengths.split_at_mut_checked(LITERALS).unwrap_or_default();
                        for (symbol, length) in literals.iter_mut().enumerate() {
                            *length = match symbol {
                                0..144 => 8,
                                144..256 => 9,
                                256..280 => 7,
                                _ => 8,
                            };
                        }
                        distances.fill(5);
                        (BlockKind::Fixed, State::Symbols)
                    }
                    2 => {
                        self.describe(bits)?;
                        (BlockKind::Dynamic, State::Symbols)
                    }
                    _ => return Err(corrupt),
                };
                if kind != BlockKind::Stored {
                    let (literals, distances) = self.lengths.split_at_checked(LITERALS).unwrap_or_default();
                    if !self.literals.build(literals) || !self.distances.build(distances) {
                        return Err(corrupt);
                    }
                }
                (self.state, self.last) = (state, last);
                SymbolKind::Block(kind)
            }
            State::Stored(len) => {
                bits.skip(u64::from(len) * 8)?;
                (self.state, self.content) = (State::EndOfStored, self.content.saturating_add(len.into()));
                SymbolKind::Stored
            }
            State::EndOfStored => self.end_block(),
            State::Symbols => self.symbol(bits)?,
            State::Trailer => {
                bits.align();
                bits.skip(TRAILER)?;
                self.state = State::Member;
                SymbolKind::Trailer
            }
        }))
    }

    /// Reads a symbol with the bits that belong to it.
    fn symbol(&mut self, bits: &mut BitReader<'_>) -> Result<SymbolKind> {
        let corrupt = Error::new(ErrorKind::GzipDeflate, self.bit / 8);
        // A match has at most 48 bits.
        let word = bits.peek(57);
        let lacking = |read: u64| bits.remaining() < read;
        let cut = Error::new(ErrorKind::Truncated, 0);
        let Some((symbol, mut used)) = self.literals.symbol(word) else {
            // A code that no symbol has may be one that is cut.
            return Err(if lacking(15) { cut } else { corrupt });
        };
        let (kind, len) = match symbol {
            0..END_OF_BLOCK => (SymbolKind::Literal(symbol.to_le_bytes()[0]), 1),
            END_OF_BLOCK => {
                bits.skip(used.into())?;
                return Ok(self.end_block());
            }
            FIRST_LENGTH.. => {
                let extra = |used: u32, bits: u32| (word >> (used & 63)) & ((1 << bits) - 1);
                let (base, wide) = length_of(symbol).ok_or(if lacking(used.into()) { cut } else { corrupt })?;
                let len = base + extra(used, wide);
                used += wide;
                let Some((distance_symbol, more)) = self.distances.symbol(word >> (used & 63)) else {
                    return Err(if lacking(u64::from(used) + 15) { cut } else { corrupt });
                };
                used += more;
                if lacking(used.into()) {
                    return Err(cut);
                }
                let (base, wide) = distance_of(distance_symbol).ok_or(corrupt)?;
                let distance = base + extra(used, wide);
                used += wide;
                if lacking(used.into()) {
                    return Err(cut);
                }
                if distance > HISTORY || distance > self.content.saturating_sub(self.member) {
                    return Err(corrupt);
                }
                // The largest distance is 2^15.
                let distance = u16::try_from(distance).unwrap_or(u16::MAX);
                (SymbolKind::Match { length_symbol: symbol, distance, distance_symbol }, len)
            }
        };
        bits.skip(used.into())?;
        self.content = self.content.saturating_add(len);
        Ok(kind)
    }

    /// Ends a block.
    fn end_block(&mut self) -> SymbolKind {
        self.state = if self.last { State::Trailer } else { State::Block };
        SymbolKind::EndOfBlock { last: self.last }
    }

    /// Reads the description of a code: the lengths of all symbols, which are coded themselves.
    fn describe(&mut self, bits: &mut BitReader<'_>) -> Result<()> {
        /// The order in which the lengths of the code for lengths are stored.
        const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        let corrupt = Error::new(ErrorKind::GzipDeflate, self.bit / 8);
        let mut number = |width: u32, least: usize| Ok::<_, Error>(index(bits.take(width)?).saturating_add(least));
        let (literals, distances, described) = (number(5, 257)?, number(5, 1)?, number(4, 4)?);
        if literals > MOST_LITERALS || distances > MOST_DISTANCES {
            return Err(corrupt);
        }
        let mut lengths = [0; ORDER.len()];
        for &symbol in ORDER.iter().take(described) {
            let length = bits.take(3)?.to_le_bytes()[0];
            lengths.get_mut(usize::from(symbol)).into_iter().for_each(|place| *place = length);
        }
        let mut code = Code::EMPTY;
        if !code.build(&lengths) || code.is_partial(&lengths) {
            return Err(corrupt);
        }
        self.lengths.fill(0);
        let (mut at, mut before) = (0, None);
        while at < literals + distances {
            crate::steps::count(1);
            let Some((symbol, used)) = code.symbol(bits.peek(15)) else {
                return Err(if bits.remaining() < 15 { Error::new(ErrorKind::Truncated, 0) } else { corrupt });
            };
            bits.skip(used.into())?;
            let (length, times) = match symbol {
                16 => (before.ok_or(corrupt)?, 3 + bits.take(2)?),
                17 => (0, 3 + bits.take(3)?),
                18 => (0, 11 + bits.take(7)?),
                length => (length.to_le_bytes()[0], 1),
            };
            before = Some(length);
            for _ in 0..times {
                if at >= literals + distances {
                    return Err(corrupt);
                }
                let place = if at < literals { at } else { LITERALS + at - literals };
                self.lengths.get_mut(place).into_iter().for_each(|place| *place = length);
                at += 1;
            }
        }
        // A block without an end is none.
        if self.lengths.get(usize::from(END_OF_BLOCK)) == Some(&0) {
            return Err(corrupt);
        }
        Ok(())
    }
}

/// Returns the shortest match of a length symbol, and the number of bits that are added to it.
fn length_of(symbol: u16) -> Option<(u64, u32)> {
    match u32::from(symbol.checked_sub(FIRST_LENGTH)?) {
        number @ 0..8 => Some((3 + u64::from(number), 0)),
        28 => Some((258, 0)),
        number @ 8..28 => {
            let wide = number / 4 - 1;
            Some((3 + (u64::from(4 + number % 4) << wide), wide))
        }
        _ => None,
    }
}

/// Returns the least distance of a distance symbol, and the number of bits that are added to it.
fn distance_of(symbol: u16) -> Option<(u64, u32)> {
    match u32::from(symbol) {
        number @ 0..4 => Some((1 + u64::from(number), 0)),
        number @ 4..30 => {
            let wide = number / 2 - 1;
            Some((1 + (u64::from(2 + number % 2) << wide), wide))
        }
        _ => None,
    }
}

/// Bits that a table lookup decodes. Longer codes take a loop over their bits.
const FAST: u32 = 9;

/// The most bits of a code.
const MOST: usize = 15;

/// A prefix code.
#[derive(Clone, Debug)]
struct Code {
    /// For each value of the next bits: a symbol and its length in the lowest 4 bits, or 0.
    fast: [u16; 1 << FAST],
    /// The number of codes of each length.
    counts: [u16; MOST + 1],
    /// The symbols in the order of their codes.
    symbols: [u16; LITERALS],
}

impl Code {
    const EMPTY: Self = Self { fast: [0; 1 << FAST], counts: [0; MOST + 1], symbols: [0; LITERALS] };

    /// Builds the code of these lengths. Returns false if they are too short for their number, or
    /// leave codes without a symbol. A code of one symbol of one bit may do so, or one of none.
    fn build(&mut self, lengths: &[u8]) -> bool {
        *self = Self::EMPTY;
        for &length in lengths {
            if let (Some(count), 1..) = (self.counts.get_mut(usize::from(length)), length) {
                *count = count.saturating_add(1);
            }
        }
        let (mut first, mut starts) = ([0u16; MOST + 2], [0u16; MOST + 2]);
        let (mut code, mut start) = (0u32, 0u16);
        for (length, &count) in self.counts.iter().enumerate().skip(1) {
            code <<= 1;
            first.get_mut(length).into_iter().for_each(|place| *place = u16::try_from(code).unwrap_or(u16::MAX));
            starts.get_mut(length).into_iter().for_each(|place| *place = start);
            (code, start) = (code.saturating_add(count.into()), start.saturating_add(count));
            if code > 1 << length {
                return false;
            }
        }
        if code != 1 << MOST && (start > 1 || self.counts[1] != start) {
            return false;
        }
        for (symbol, &length) in (0u16..).zip(lengths) {
            let (Some(code), Some(start)) = (first.get_mut(usize::from(length)), starts.get_mut(usize::from(length)))
            else {
                continue;
            };
            if length == 0 {
                continue;
            }
            self.symbols.get_mut(usize::from(*start)).into_iter().for_each(|place| *place = symbol);
            *start += 1;
            let own = *code;
            *code = own.wrapping_add(1);
            if u32::from(length) <= FAST {
                // Codes are stored from their highest bit on.
                let reversed = own.reverse_bits() >> (16 - u32::from(length));
                let entries = self.fast.iter_mut().skip(reversed.into()).step_by(1 << length);
                entries.for_each(|entry| *entry = symbol << 4 | u16::from(length));
            }
        }
        true
    }

    /// Returns whether codes are left without a symbol.
    fn is_partial(&self, lengths: &[u8]) -> bool {
        let taken: u32 = lengths.iter().filter(|&&length| length > 0).map(|&length| 1 << (15 - (length & 15))).sum();
        taken != 1 << MOST
    }

    /// Returns the symbol at the start of these bits, and the length of its code.
    #[inline]
    fn symbol(&self, bits: u64) -> Option<(u16, u32)> {
        match self.fast.get(index(bits & ((1 << FAST) - 1))) {
            Some(&entry @ 1..) => Some((entry >> 4, u32::from(entry & 15))),
            _ => self.long_symbol(bits),
        }
    }

    /// Reads a symbol bit by bit. Codes of a length are consecutive numbers.
    #[cold]
    fn long_symbol(&self, mut bits: u64) -> Option<(u16, u32)> {
        let (mut code, mut first, mut start) = (0u32, 0u32, 0u32);
        for (length, &count) in (0..).zip(&self.counts).skip(1) {
            code |= u32::from(bits & 1 != 0);
            bits >>= 1;
            let count = u32::from(count);
            if code < first + count {
                let symbol = self.symbols.get((start + code - first) as usize)?;
                return Some((*symbol, length));
            }
            start += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

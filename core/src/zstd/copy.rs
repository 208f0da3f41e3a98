//! Carrying out sequences: literals and matches, in pieces of 16 and 32 bytes where there is room.

use super::sequences::Sequence;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// The block that is being written, and what its matches may refer to.
///
/// Positions have 32 bits: sums of them cannot wrap, and the compiler drops a check for each.
pub(super) struct Area<'a> {
    /// Ends where the literals of the block end, or further.
    pub(super) out: &'a mut [u8],
    /// What comes before `out`: the dictionary, or the older part of a window.
    pub(super) before: &'a [u8],
    /// Where the block starts.
    pub(super) start: u32,
    /// Where the next byte goes.
    pub(super) at: u32,
    /// Literals that are not used yet, behind all that the block may still write.
    pub(super) literals: u32,
    pub(super) literals_end: u32,
    pub(super) window: u64,
    /// Bytes that the frame had before this block.
    pub(super) produced: u64,
    /// Where to say that something is wrong.
    pub(super) place: u64,
    /// What is wrong when the block does not fit.
    pub(super) too_long: Error,
}

/// How far a copy in pieces may write past its end.
const SLACK: u32 = 32;

impl Area<'_> {
    #[inline(always)]
    pub(super) fn act(&mut self, sequence: Sequence) -> Result<()> {
        let Sequence { literals, length, offset } = sequence;
        let from = self.literals;
        let (to, middle) = (self.at, self.at + literals);
        let end = middle + length;
        let used = from + literals;
        // Neither may the writes reach literals that are still needed, nor the reads the end of the slice.
        let roomy = used <= self.literals_end && end + SLACK <= used && (used + 16) as usize <= self.out.len();
        if roomy && offset <= middle && u64::from(offset) <= self.window {
            self.at = end;
            self.literals = used;
            if self.in_pieces(from, to, literals, middle, length, offset).is_some() {
                return Ok(());
            }
            // Cannot happen: the room was checked.
            return Err(self.too_long);
        }
        self.exactly(sequence)
    }

    #[inline(always)]
    fn in_pieces(&mut self, from: u32, to: u32, literals: u32, middle: u32, length: u32, offset: u32) -> Option<()> {
        piece::<16>(self.out, from, to)?;
        let mut done = 16;
        while done < literals {
            piece::<16>(self.out, from + done, to + done)?;
            done += 16;
        }
        let from = middle - offset;
        if offset >= 32 {
            piece::<32>(self.out, from, middle)?;
            let mut done = 32;
            while done < length {
                piece::<32>(self.out, from + done, middle + done)?;
                done += 32;
            }
        } else if offset >= 16 {
            let mut done = 0;
            while done < length {
                piece::<16>(self.out, from + done, middle + done)?;
                done += 16;
            }
        } else {
            return self.pattern(middle, length, offset);
        }
        Some(())
    }

    /// A match that overlaps itself: its first bytes, repeated to 16, stored as often as needed.
    #[inline(never)]
    fn pattern(&mut self, at: u32, length: u32, offset: u32) -> Option<()> {
        let first = (at - offset) as usize;
        let bytes: [u8; 16] = *self.out.get(first..first + 16)?.first_chunk()?;
        let mut width = (offset & 15) * 8;
        let mut pattern = u128::from_le_bytes(bytes) & ((1u128 << width) - 1);
        let step = 16 - 16 % (offset & 15).max(1);
        while width < 128 {
            pattern |= pattern << width;
            width *= 2;
        }
        let pattern = pattern.to_le_bytes();
        let mut done = 0;
        while done < length {
            let to = (at + done) as usize;
            *self.out.get_mut(to..to + 16)?.first_chunk_mut()? = pattern;
            done += step;
        }
        Some(())
    }

    /// Every byte on its own and every check: near the end of the room, and for matches that start before it.
    #[cold]
    #[inline(never)]
    fn exactly(&mut self, sequence: Sequence) -> Result<()> {
        let Sequence { literals, length, offset } = sequence;
        let error = |kind| Err(Error::new(kind, self.place));
        if literals > self.literals_end - self.literals {
            return error(ErrorKind::ZstdLiteralsUsedUp);
        }
        let middle = self.at + literals;
        let used = self.literals + literals;
        if middle + length > used {
            return Err(self.too_long);
        }
        let produced = self.produced + u64::from(middle - self.start);
        let far = u64::from(offset) > self.window && produced > self.window;
        let reach = u64::from(middle) + u64_from(self.before.len());
        if far || u64::from(offset) > reach {
            return error(ErrorKind::ZstdOffset);
        }
        forward(self.out, self.literals as usize, self.at as usize, literals as usize);
        (self.at, self.literals) = (middle, used);
        let mut length = length as usize;
        let mut at = middle as usize;
        if let Some(back) = offset.checked_sub(middle).filter(|&back| back > 0) {
            let older = self.before.len() - back as usize;
            let older = self.before.get(older..).unwrap_or_default();
            let older = older.get(..length).unwrap_or(older);
            crate::num::copy(older, self.out.get_mut(at..).unwrap_or_default());
            length -= older.len();
            at += older.len();
        }
        if length > 0 {
            forward(self.out, at - offset as usize, at, length);
        }
        self.at = low(at + length);
        Ok(())
    }

    /// Moves the literals behind the last sequence to their place; says where the block ends.
    pub(super) fn finish(&mut self) -> u32 {
        let rest = self.literals_end - self.literals;
        if self.literals != self.at {
            forward(self.out, self.literals as usize, self.at as usize, rest as usize);
        }
        self.at += rest;
        self.at
    }
}

fn low(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Copies `N` bytes inside of the slice.
#[inline(always)]
fn piece<const N: usize>(out: &mut [u8], from: u32, to: u32) -> Option<()> {
    let (from, to) = (from as usize, to as usize);
    let bytes: [u8; N] = *out.get(from..from + N)?.first_chunk()?;
    *out.get_mut(to..to + N)?.first_chunk_mut()? = bytes;
    Some(())
}

/// Copies front to back, so that bytes that are written may be read again.
fn forward(out: &mut [u8], from: usize, to: usize, len: usize) {
    let mut done = 0;
    if from.abs_diff(to) >= 16 {
        while len - done >= 16 {
            let Some(bytes) = out.get(from + done..).and_then(<[u8]>::first_chunk::<16>).copied() else { return };
            let Some(place) = out.get_mut(to + done..).and_then(<[u8]>::first_chunk_mut::<16>) else { return };
            *place = bytes;
            done += 16;
        }
    }
    while done < len {
        let Some(&byte) = out.get(from + done) else { return };
        let Some(place) = out.get_mut(to + done) else { return };
        *place = byte;
        done += 1;
    }
}

//! Carries out sequences: copies literals and matches, in pieces of 16 and 32 bytes if there is
//! room.
//!
//! # Contract of the fast path, [`Act::quick`] of [`MatchWriter`]
//!
//! * It is inlined into the hot loop of `fold.rs` and shares its registers. Do not add a call, a
//!   value that stays alive, or a branch that most sequences do not need.
//! * Input: positions of 32 bits, in which sums cannot wrap; literals at the end of the output,
//!   after all that the block may still write.
//! * It writes up to 32 bytes after a match and reads up to 16 bytes after the literals. It refuses
//!   a sequence if that would touch literals that are still needed, or leave the slice.
//! * A sequence that it refuses goes to [`Area::exactly`], which copies every byte and does every
//!   check. Errors come only from there.
//! * The measurements are in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#the-loop-over-sequences).

use super::sequence::{Act, NEAREST, Sequence};
use crate::ErrorKind;
use crate::copy::{byte_by_byte, piece};
use crate::fault::{Fault, Verdict};
use crate::num::{copy, u64_from};
use crate::tuning::{LEAN, SHORT_FRAMES, SMALL};

/// The block that is being written and the history of its matches: everything that stays the same
/// from sequence to sequence. A [`Cursor`] holds what changes, and is passed by value so that it
/// lives in registers.
///
/// Positions have 32 bits: their sums cannot wrap, so that the compiler drops a check for each.
pub(super) struct Area<'a> {
    /// The bytes before the slice: the dictionary, or the older part of a window.
    pub(super) before: &'a [u8],
    /// The position of the block.
    pub(super) start: u32,
    /// The end of the last literal, where the block must have ended.
    pub(super) literals_end: u32,
    pub(super) window: u32,
    /// The number of offsets, from [`NEAREST`] on, that the window allows.
    pub(super) near: u32,
    /// Bytes of the frame before this block.
    pub(super) produced: u64,
    /// The byte of faults in sequences.
    pub(super) place: usize,
    /// The fault of a block that does not fit.
    pub(super) too_long: Fault,
}

/// The progress of the sequences of a block.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    /// The position of the next byte.
    pub(super) at: u32,
    /// The position of the next literal, after all that the block may still write.
    pub(super) literals: u32,
}

/// Literals are copied in pieces of this size.
pub(super) const PIECE: usize = 16;

/// Matches are copied in pieces of this size. A copy may overwrite this many bytes after its end.
const SLACK: usize = 32;

/// Carries out sequences. Blocks with bytes before the slice have a loop of their own; without that
/// case the other loop is faster.
pub(super) struct MatchWriter<'a, 'b, const BEFORE: bool> {
    /// Owned: through a reference, the compiler would load it again after every byte that is
    /// written.
    pub(super) area: Area<'a>,
    pub(super) out: &'b mut [u8],
}

impl<const BEFORE: bool> Act for MatchWriter<'_, '_, BEFORE> {
    type SoFar = Cursor;

    fn act(&mut self, cursor: Cursor, sequence: Sequence) -> Verdict<Cursor> {
        self.area.exactly(self.out, cursor, sequence)
    }

    #[inline(always)]
    fn quick<const NEAR: bool>(&mut self, cursor: Cursor, sequence: Sequence) -> Option<Cursor> {
        let Self { area, out } = self;
        let Sequence { literals, length, offset } = sequence;
        // Sums of 32 bits cannot wrap in the 64 bits of most machines, so that the compiler drops
        // one check for each piece.
        let (at, from) = (cursor.at as usize, cursor.literals as usize);
        let middle = at + literals as usize;
        let end = middle + length as usize;
        let read = from + literals as usize + PIECE;
        // Writes must not reach literals that are still needed; reads must not reach the end of the
        // slice.
        let roomy = read <= out.len() && end + SLACK + PIECE <= read;
        if !roomy || area.refuses::<NEAR>(offset) || (!BEFORE && offset as usize > middle) {
            return None;
        }
        if BEFORE && offset as usize > middle {
            // The whole match is before the slice, and not at the end of it.
            let older = area.before.len().checked_sub(offset as usize - middle)?;
            let older = area.before.get(older..older + (length as usize).next_multiple_of(SLACK))?;
            literals_in_pieces(out, at, from, literals as usize)?;
            let (older, _) = older.as_chunks::<SLACK>();
            let (to, _) = out.get_mut(middle..)?.as_chunks_mut::<SLACK>();
            to.iter_mut().zip(older).for_each(|(to, older)| *to = *older);
            return Some(Cursor { at: cursor.at + literals + length, literals: cursor.literals + literals });
        }
        in_pieces::<NEAR>(out, at, from, literals as usize, length as usize, offset as usize)?;
        Some(Cursor { at: cursor.at + literals + length, literals: cursor.literals + literals })
    }
}

impl Area<'_> {
    /// Returns whether a match with this offset is not simple, or not in the window.
    #[inline(always)]
    fn refuses<const NEAR: bool>(&self, offset: u32) -> bool {
        if NEAR {
            self.near == 0 || offset.wrapping_sub(1) >= self.near + (NEAREST - 1)
        } else {
            offset.wrapping_sub(NEAREST) >= self.near
        }
    }

    /// Carries out a sequence with every check, byte by byte if needed: near the end of the room,
    /// for matches that start before it, and for those that repeat a few bytes.
    #[cold]
    #[inline(never)]
    fn exactly(&self, out: &mut [u8], cursor: Cursor, sequence: Sequence) -> Verdict<Cursor> {
        let Sequence { literals, length, offset } = sequence;
        if literals > self.literals_end - cursor.literals {
            return Err(Fault::new(ErrorKind::ZstdLiteralsUsedUp, self.place));
        }
        let middle = cursor.at + literals;
        let used = cursor.literals + literals;
        let next = Cursor { at: middle + length, literals: used };
        if next.at > used {
            return Err(self.too_long);
        }
        let window = u64::from(self.window);
        let produced = self.produced + u64::from(middle - self.start);
        let far = u64::from(offset) > window && produced > window;
        let reach = u64::from(middle) + u64_from(self.before.len());
        if far || u64::from(offset) > reach {
            return Err(Fault::new(ErrorKind::ZstdOffset, self.place));
        }
        let (from, at, literals) = (cursor.literals as usize, cursor.at as usize, literals as usize);
        if !SHORT_FRAMES || last_literals(out, from, at, literals).is_none() {
            forward(out, from, at, literals);
        }
        let mut length = length as usize;
        let mut at = middle as usize;
        // The bytes up to the literals that are still needed may be overwritten.
        let is_roomy = |at: usize, length: usize| SHORT_FRAMES && length <= SLACK && at + SLACK <= used as usize;
        if let Some(back) = offset.checked_sub(middle).filter(|&back| back > 0) {
            let older = self.before.len() - back as usize;
            let older = self.before.get(older..).unwrap_or_default();
            if is_roomy(at, length)
                && let (Some(older), Some(to)) = (older.first_chunk::<SLACK>(), out.get_mut(at..at + SLACK))
            {
                copy(older, to);
                return Ok(next);
            }
            let older = older.get(..length).unwrap_or(older);
            copy(older, out.get_mut(at..).unwrap_or_default());
            length -= older.len();
            at += older.len();
        }
        if is_roomy(at, length)
            && offset as usize >= SLACK
            && piece::<SLACK>(out, at.wrapping_sub(offset as usize), at).is_some()
        {
            return Ok(next);
        }
        if length > 0 {
            forward(out, at - offset as usize, at, length);
        }
        Ok(next)
    }
}

impl<const BEFORE: bool> MatchWriter<'_, '_, BEFORE> {
    /// Moves the literals after the last sequence to their place; returns the end of the block.
    pub(super) fn finish(self, cursor: Cursor) -> u32 {
        let rest = self.area.literals_end - cursor.literals;
        if cursor.literals != cursor.at {
            forward(self.out, cursor.literals as usize, cursor.at as usize, rest as usize);
        }
        cursor.at + rest
    }
}

/// Carries out a sequence that has room after it.
#[inline(always)]
fn in_pieces<const NEAR: bool>(
    out: &mut [u8],
    to: usize,
    from: usize,
    literals: usize,
    length: usize,
    offset: usize,
) -> Option<()> {
    literals_in_pieces(out, to, from, literals)?;
    let to = to + literals;
    let from = to.checked_sub(offset)?;
    if offset >= SLACK {
        piece::<SLACK>(out, from, to)?;
        if length > SLACK {
            pieces::<SLACK>(out, from, to, length)?;
        }
    } else if offset >= PIECE {
        piece::<PIECE>(out, from, to)?;
        pieces::<PIECE>(out, from, to, length)?;
    } else if !NEAR || offset >= NEAREST as usize {
        piece::<8>(out, from, to)?;
        pieces::<8>(out, from, to, length)?;
    } else {
        few(out, from, to, length, offset)?;
    }
    Some(())
}

/// Repeats fewer than eight bytes. Stores them from a register as often as needed, so that no load
/// waits for a store.
#[inline(always)]
fn few(out: &mut [u8], from: usize, to: usize, len: usize, offset: usize) -> Option<()> {
    let (times, step) = TIMES[offset % 8];
    let bytes = u64::from_le_bytes(*out.get(from..from + 8)?.first_chunk()?);
    let pattern = (bytes & !(u64::MAX << (offset % 8 * 8))).wrapping_mul(times).to_le_bytes();
    let mut done = 0;
    loop {
        *out.get_mut(to + done..to + done + 8)?.first_chunk_mut()? = pattern;
        done += step;
        if done >= len {
            return Some(());
        }
    }
}

/// For each number of bytes: the factor that repeats them in eight bytes, and the length of the
/// whole repetitions in these.
static TIMES: [(u64, usize); 8] = {
    let mut times = [(1, 8); 8];
    let mut few = 1;
    while few < 8 {
        let mut at = few;
        while at < 8 {
            times[few].0 |= 1 << (at * 8);
            at += few;
        }
        times[few].1 = 8 / few * few;
        few += 1;
    }
    times
};

/// Copies up to 16 literals with one store, also the last of the slice, after which 16 bytes cannot
/// be read. `None` if there are more, or if the store would reach the literals after them.
#[inline(always)]
fn last_literals(out: &mut [u8], from: usize, to: usize, len: usize) -> Option<()> {
    if len > PIECE || to + PIECE > from + len {
        return None;
    }
    let start = from.min(out.len().checked_sub(PIECE)?);
    let bytes = u128::from_le_bytes(*out.get(start..start + PIECE)?.first_chunk()?);
    *out.get_mut(to..to + PIECE)?.first_chunk_mut()? = (bytes >> (((from - start) * 8) & 127)).to_le_bytes();
    Some(())
}

/// Copies literals that have room after them.
#[inline(always)]
fn literals_in_pieces(out: &mut [u8], to: usize, from: usize, len: usize) -> Option<()> {
    piece::<PIECE>(out, from, to)?;
    if len > PIECE {
        pieces::<PIECE>(out, from, to, len)?;
    }
    Some(())
}

/// Copies the bytes after the first `N` of `len`.
#[inline(always)]
fn pieces<const N: usize>(out: &mut [u8], from: usize, to: usize, len: usize) -> Option<()> {
    let mut done = N;
    loop {
        piece::<N>(out, from + done, to + done)?;
        done += N;
        if done >= len {
            return Some(());
        }
    }
}

/// Copies front to back, so that bytes that are written may be read again.
#[inline(always)]
fn forward(out: &mut [u8], from: usize, to: usize, len: usize) {
    let alone = to.checked_sub(from).is_none_or(|distance| distance >= len);
    if SMALL {
        byte_by_byte(out, from, to, len);
    } else if !LEAN && alone && len <= PIECE {
        if len >= 8 {
            ends::<8>(out, from, to, len);
        } else if len >= 4 {
            ends::<4>(out, from, to, len);
        } else {
            byte_by_byte(out, from, to, len);
        }
    } else {
        long(out, from, to, len);
    }
}

/// Copies the first `N` bytes and the last `N`. Reads both before it writes.
fn ends<const N: usize>(out: &mut [u8], from: usize, to: usize, len: usize) -> Option<()> {
    let last = len - N;
    let one: [u8; N] = *out.get(from..from + N)?.first_chunk()?;
    let other: [u8; N] = *out.get(from + last..from + len)?.first_chunk()?;
    *out.get_mut(to..to + N)?.first_chunk_mut()? = one;
    *out.get_mut(to + last..to + len)?.first_chunk_mut()? = other;
    Some(())
}

/// Copies many bytes, and stretches that overlap.
#[inline(never)]
fn long(out: &mut [u8], mut from: usize, mut to: usize, mut len: usize) {
    // A few bytes that repeat also repeat as a multiple of their length, once that many are
    // written.
    if let Some(few @ 1..PIECE) = to.checked_sub(from) {
        let more = len.min((PIECE - 1) / few * few);
        byte_by_byte(out, from, to, more);
        to += more;
        len -= more;
    }
    while len >= PIECE {
        let Some(()) = piece::<PIECE>(out, from, to) else { return };
        from += PIECE;
        to += PIECE;
        len -= PIECE;
    }
    byte_by_byte(out, from, to, len);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence after `at` bytes of a block that has `extra` bytes of matches and `rest` literals
    /// after it. Compares the output with one byte after the other.
    fn check(at: usize, (literals, length, offset): (usize, usize, usize), extra: usize, rest: usize) {
        let before: Vec<u8> = (100..164).collect();
        let from = at + length + extra;
        let mut out: Vec<u8> = (0..).take(at).chain(core::iter::repeat_n(255, length + extra)).collect();
        out.extend((200..=254).cycle().take(literals + rest));
        let mut expected = [&before, &out[..at], &out[from..from + literals]].concat();
        (0..length).for_each(|_| expected.push(expected[expected.len() - offset]));
        let needed = out[from + literals..].to_vec();
        let low = |n: usize| u32::try_from(n).unwrap();
        let area = Area {
            before: &before,
            start: 0,
            literals_end: low(out.len()),
            window: u32::MAX,
            near: u32::MAX,
            produced: 0,
            place: 0,
            too_long: Fault::new(ErrorKind::OutputTooSmall, 0),
        };
        let cursor = Cursor { at: low(at), literals: low(from) };
        let sequence = Sequence { literals: low(literals), length: low(length), offset: low(offset) };
        let next = area.exactly(&mut out, cursor, sequence).unwrap();
        let case = (at, literals, length, offset, extra, rest);
        assert_eq!((next.at, next.literals), (low(at + literals + length), low(from + literals)), "{case:?}");
        assert_eq!(out[..next.at as usize], expected[before.len()..], "{case:?}");
        assert_eq!(out[from + literals..], needed, "{case:?}");
    }

    #[test]
    fn every_sequence_near_the_end_of_the_room_is_exact() {
        for at in [0, 1, 40] {
            for literals in 0..20 {
                let middle = at + literals;
                for length in (3..40).chain([63, 64]) {
                    let fixed = [1, 2, 7, 8, 15, 16, 31, 32, 33];
                    let edges = [middle, middle + 1, middle + 2, middle + 31, middle + 32, middle + 33, middle + 64];
                    for offset in fixed.into_iter().chain(edges).filter(|&it| it > 0 && it <= middle + 64) {
                        for extra in [0, 1, 15, 16, 17, 31, 32, 33, 48] {
                            for rest in [0, 1, 16, 20] {
                                check(at, (literals, length, offset), extra, rest);
                            }
                        }
                    }
                }
            }
        }
    }
}

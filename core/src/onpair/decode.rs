//! From codes to bytes.
//!
//! A token is copied as 16 bytes, whatever its length, and the next one is written over what was too much: a copy of known
//! size is one load and one store. Only where the output ends within 16 bytes is a token copied by its exact length.

use core::ops::Range;

use super::codes::{BLOCK, Codes};
use super::dictionary::MAX_TOKEN_LEN;
use crate::num::u64_from;
use crate::tuning::LEAN;
use crate::{Error, ErrorKind, Result, Sink};

/// A dictionary as the decoder sees it.
pub(super) trait Tokens<'t>: Copy {
    /// What finds a token with anything behind it, and its length. It gives `None` for a code that names none, and for a token
    /// behind which the dictionary ends too early. There is no such function for a dictionary that is shorter than any of these.
    ///
    /// Asked for before a loop, so that the compiler knows within it what was found out here.
    fn fat(self) -> Option<impl Fn(u16) -> Option<(&'t [u8; MAX_TOKEN_LEN], usize)>>;

    /// A token by itself. `None` for a code that names none.
    fn token(self, code: u16) -> Option<&'t [u8]>;

    /// Its length.
    fn token_len(self, code: u16) -> Option<u8>;
}

/// Tokens that are copied with one look at the room that is left.
const GROUP: usize = 8;
/// Room for a group. For its tokens 128 bytes would do; but what the compiler sees of a length is that it is a byte, and with
/// this much room it sees that no copy can leave the window, and leaves the comparisons out.
const WINDOW: usize = GROUP * 255 + MAX_TOKEN_LEN;

/// Copies the tokens of `codes` to `out` from `at` on, as many as fit. Gives how many, and where the last one ends.
///
/// Stops in front of the first code that names no token.
fn fill<'t>(tokens: impl Tokens<'t>, codes: &[u16], out: &mut [u8], mut at: usize) -> (usize, usize) {
    if cfg!(feature = "small") {
        return bytewise(tokens, codes, out, at);
    }
    let fat = tokens.fat();
    let mut done = 0usize;
    loop {
        let rest = (codes.get(done..).unwrap_or(&[]), out.get_mut(at..).unwrap_or(&mut []));
        let (codes_done, bytes_done) = fill_groups(&tokens, rest.0, rest.1);
        (done, at) = (done.wrapping_add(codes_done), at.wrapping_add(bytes_done));
        // What is not a group, where a group has no room, and where one has a token that needs care: one after the other.
        for &code in codes.get(done..).unwrap_or(&[]).iter().take(GROUP) {
            if let Some((token, len)) = fat.as_ref().and_then(|fat| fat(code))
                && let Some(to) = out.get_mut(at..at.wrapping_add(MAX_TOKEN_LEN)).and_then(<[u8]>::first_chunk_mut)
            {
                *to = *token;
                at = at.wrapping_add(len);
            } else {
                let Some(token) = tokens.token(code) else { return (done, at) };
                let end = at.wrapping_add(token.len());
                let Some(to) = out.get_mut(at..end) else { return (done, at) };
                exact(token, to);
                at = end;
            }
            done = done.wrapping_add(1);
        }
        if done >= codes.len() {
            return (done, at);
        }
    }
}

/// The same for whole groups from the start of `out` on, while nothing needs care.
///
/// A function of its own that keeps no more than it must, because its loop needs all registers that there are.
#[cfg_attr(not(target_arch = "wasm32"), inline(never))]
#[cfg_attr(target_arch = "wasm32", inline(always))]
fn fill_groups<'t>(tokens: &impl Tokens<'t>, codes: &[u16], mut out: &mut [u8]) -> (usize, usize) {
    let (groups, room) = (codes.as_chunks::<GROUP>().0, out.len());
    let Some(fat) = tokens.fat() else { return (0, 0) };
    let mut left = groups;
    'groups: while let [group, after @ ..] = left
        && let Some(window) = out.first_chunk_mut::<WINDOW>()
    {
        let mut end = 0usize;
        for &code in group {
            let Some((token, len)) = fat(code) else { break 'groups };
            let to = window.get_mut(end..end.wrapping_add(MAX_TOKEN_LEN)).and_then(<[u8]>::first_chunk_mut);
            let Some(to) = to else { break 'groups };
            *to = *token;
            end = end.wrapping_add(len & 0xFF);
        }
        out = core::mem::take(&mut out).get_mut(end..).unwrap_or_default();
        left = after;
    }
    (groups.len().wrapping_sub(left.len()).wrapping_mul(GROUP), room.wrapping_sub(out.len()))
}

/// The same byte after byte, where flash counts for more than time: the functions that copy more at once weigh more than all
/// that is needed here to decode a row.
fn bytewise<'t>(tokens: impl Tokens<'t>, codes: &[u16], out: &mut [u8], mut at: usize) -> (usize, usize) {
    for (done, &code) in codes.iter().enumerate() {
        let Some(token) = tokens.token(code) else { return (done, at) };
        let mut end = at;
        for &byte in token {
            let Some(to) = out.get_mut(end) else { return (done, at) };
            *to = byte;
            end = end.wrapping_add(1);
        }
        at = end;
    }
    (codes.len(), at)
}

/// Copies a token to where exactly it has room, with two copies that may overlap: a call costs more than they do, and weighs less.
#[inline]
fn exact(token: &[u8], to: &mut [u8]) {
    if LEAN {
        return crate::num::copy(token, to);
    }
    if !overlapping::<8>(token, to) && !overlapping::<4>(token, to) && !overlapping::<2>(token, to) {
        overlapping::<1>(token, to);
    }
}

/// The first `N` bytes and the last: everything, if there are between `N` and two times `N`.
#[inline]
fn overlapping<const N: usize>(token: &[u8], to: &mut [u8]) -> bool {
    let (Some(first), Some(last)) = (token.first_chunk::<N>(), token.last_chunk::<N>()) else { return false };
    if let Some(to) = to.first_chunk_mut() {
        *to = *first;
    }
    if let Some(to) = to.last_chunk_mut() {
        *to = *last;
    }
    true
}

/// The same for the few codes of a row, without the preparations that pay for themselves over thousands. `None` where
/// something is wrong or needs care: then [`decode`] finds out what.
///
/// A function of its own, because within another there are not registers enough for this loop.
#[inline(never)]
pub(super) fn decode_row<'t>(
    tokens: &impl Tokens<'t>,
    codes: impl Iterator<Item = Option<u16>>,
    out: &mut [u8],
) -> Option<usize> {
    decode_row_here(tokens, codes, out)
}

/// [`decode_row`] within another function, one in which nothing about the form is left to be asked.
#[inline(always)]
pub(super) fn decode_row_here<'t>(
    tokens: &impl Tokens<'t>,
    codes: impl Iterator<Item = Option<u16>>,
    out: &mut [u8],
) -> Option<usize> {
    let (fat, mut at) = (tokens.fat()?, 0usize);
    let last = out.len().checked_sub(MAX_TOKEN_LEN)?;
    for code in codes {
        let (token, len) = fat(code?)?;
        // One comparison with a number that stays: the compiler sees that what follows is inside.
        if at > last {
            return None;
        }
        *out.get_mut(at..)?.first_chunk_mut()? = *token;
        at = at.wrapping_add(len);
    }
    Some(at)
}

/// Decodes a stretch of codes to the start of `out`; gives how many bytes that are.
#[inline]
pub(super) fn decode<'t>(
    tokens: impl Tokens<'t>,
    codes: &Codes<'_>,
    range: Range<usize>,
    out: &mut [u8],
) -> Result<usize> {
    let (mut room, mut from, mut at) = ([0; BLOCK], range.start, 0);
    while from < range.end {
        let block = codes.block(from..range.end, &mut room);
        let (done, end) = fill(tokens, block, out, at);
        (from, at) = (from.wrapping_add(done), end);
        if done < block.len() || block.is_empty() {
            return Err(unfinished(tokens, codes, from..range.end, at));
        }
    }
    Ok(at)
}

/// Why decoding stopped in front of a code: it names no token, or there is no room for it and what follows.
#[cold]
fn unfinished<'t>(tokens: impl Tokens<'t>, codes: &Codes<'_>, range: Range<usize>, written: usize) -> Error {
    match decoded_len(tokens, codes, range) {
        Ok(rest) => Error::new(ErrorKind::OutputTooSmall, 0).needing(u64_from(written).saturating_add(rest)),
        Err(error) => error,
    }
}

/// How many bytes a stretch of codes decodes to.
#[inline]
pub(super) fn decoded_len<'t>(tokens: impl Tokens<'t>, codes: &Codes<'_>, range: Range<usize>) -> Result<u64> {
    let (mut room, mut from, mut sum) = ([0; BLOCK], range.start, 0u64);
    while from < range.end {
        let block = codes.block(from..range.end, &mut room);
        let mut good = 0usize;
        for &code in block {
            let Some(len) = tokens.token_len(code) else { break };
            sum = sum.wrapping_add(u64::from(len));
            good = good.wrapping_add(1);
        }
        from = from.wrapping_add(good);
        if good < block.len() || block.is_empty() {
            return Err(Error::new(ErrorKind::OnPairCode, codes.place(from)));
        }
    }
    Ok(sum)
}

/// Tokens that go to a sink at a time, in a buffer that a small stack has room for.
const TO_SINK: usize = 32;

/// Decodes a stretch of codes to a sink; gives how many bytes that are.
pub(super) fn decode_to<'t>(
    tokens: impl Tokens<'t>,
    codes: &Codes<'_>,
    range: Range<usize>,
    most: u64,
    sink: &mut impl Sink,
) -> Result<u64> {
    let (mut from, mut sum) = (range.start, 0u64);
    let mut buffer = [0; TO_SINK * MAX_TOKEN_LEN];
    while from < range.end {
        let to = from.saturating_add(TO_SINK).min(range.end);
        let len = decode(tokens, codes, from..to, &mut buffer)?;
        sum = sum.saturating_add(u64_from(len));
        if sum > most {
            return Err(Error::new(ErrorKind::OutputLimit, codes.place(from)).needing(sum));
        }
        sink.write(buffer.get(..len).unwrap_or(&[]))?;
        from = to;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_copies_write_nothing_more() {
        let token = *b"0123456789abcdef";
        for len in 0..=16 {
            let mut room = [b'.'; 20];
            exact(&token[..len], &mut room[2..2 + len]);
            assert_eq!(&room[2..2 + len], &token[..len]);
            assert!(room[..2].iter().chain(&room[2 + len..]).all(|&byte| byte == b'.'), "{len}");
        }
    }
}

//! From codes to bytes: the hot loops of this room.
//!
//! A token is copied as 16 bytes, whatever its length, and the next one overwrites the excess: a
//! copy of known size is one load and one store. Only where the output ends within 16 bytes is a
//! token copied by its exact length.
//!
//! Advice for hackers: every loop here is bound by registers, and many forms of each were measured.
//! Read `docs/tried/onpair.md` ("Whole columns", "Rows") before you add a comparison, move a loop
//! into another function, or unroll one.

use core::ops::Range;

use super::codes::{BLOCK, Codes};
use super::tokens::{MAX_TOKEN_LEN, Tokens};
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::tuning::{LEAN, SMALL};

/// Tokens that are copied after one check of the remaining output.
const GROUP: usize = 8;
/// Output for a group. Its tokens need 128 bytes, but the compiler knows of a length only that it
/// is a byte. With this many bytes it proves that no copy leaves the window, and drops the
/// comparisons.
const WINDOW: usize = GROUP * 255 + MAX_TOKEN_LEN;

/// Copies the tokens of `codes` to `out` from `at` on, as many as fit. Returns how many, and where
/// the last one ends.
///
/// Stops before the first code that names no token: the caller finds out why.
fn fill<'t>(tokens: impl Tokens<'t>, codes: &[u16], out: &mut [u8], mut at: usize) -> (usize, usize) {
    if SMALL {
        return bytewise(tokens, codes, out, at);
    }
    let lookup = tokens.padded_lookup();
    let mut done = 0usize;
    loop {
        let rest = (codes.get(done..).unwrap_or(&[]), out.get_mut(at..).unwrap_or(&mut []));
        let (codes_done, bytes_done) = fill_groups(&tokens, rest.0, rest.1);
        (done, at) = (done.wrapping_add(codes_done), at.wrapping_add(bytes_done));
        // One by one: codes that fill no group, and groups that lack output or have a token at the
        // end of the dictionary.
        for &code in codes.get(done..).unwrap_or(&[]).iter().take(GROUP) {
            if let Some((token, len)) = lookup.as_ref().and_then(|lookup| lookup(code))
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

/// [`fill`] for whole groups from the start of `out` on, while no token needs the slow path.
/// Returns the codes and bytes done.
///
/// Hot loop: 10 instructions a token.
/// - Input: any codes; `tokens` are validated, so that no length exceeds 16.
/// - Invariant: `out` has room for a group in the worst case, checked once a group; `end` is at
///   most 8 × 255.
/// - Stays a function of its own, with an output that becomes shorter: then it needs no stack (17
///   instructions before). Prefetching the output, or decoding to the stack first, cost 15 to 35 %.
#[cfg_attr(not(target_arch = "wasm32"), inline(never))]
#[cfg_attr(target_arch = "wasm32", inline(always))]
fn fill_groups<'t>(tokens: &impl Tokens<'t>, codes: &[u16], mut out: &mut [u8]) -> (usize, usize) {
    let (groups, room) = (codes.as_chunks::<GROUP>().0, out.len());
    let Some(lookup) = tokens.padded_lookup() else { return (0, 0) };
    let mut left = groups;
    'groups: while let [group, after @ ..] = left
        && let Some(window) = out.first_chunk_mut::<WINDOW>()
    {
        let mut end = 0usize;
        for &code in group {
            let Some((token, len)) = lookup(code) else { break 'groups };
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

/// [`fill`] byte by byte, where flash is scarce: wider copies take more code than all else that
/// decodes a row.
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

/// Copies a token to exactly its length, with two copies that may overlap: a call of `memcpy` is
/// slower, and shorter.
#[inline]
fn exact(token: &[u8], to: &mut [u8]) {
    if LEAN {
        return crate::num::copy(token, to);
    }
    if !overlapping::<8>(token, to) && !overlapping::<4>(token, to) && !overlapping::<2>(token, to) {
        overlapping::<1>(token, to);
    }
}

/// Copies the first `N` bytes and the last: all of them, if there are between `N` and two times
/// `N`.
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

/// Decodes the few codes of a row to the start of `out`, without the set-up that pays off over
/// thousands. Returns its length.
///
/// Hot loop: 13 instructions a code, 10 from the wide copy.
/// - Input: any codes; `None` for one that the form of codes cannot read here.
/// - Invariant: `at` is compared with a `last` that does not change, so that no other comparison is
///   needed for the store.
/// - `None` if something is wrong or needs the slow path, such as an output that ends within 16
///   bytes of the row. The caller then takes [`decode_codes`]; if that stops, too, [`codes_len`]
///   finds the cause.
/// - Stays a function of its own: within another there are too few registers (−10 % and more). Two
///   or four codes a turn gained nothing.
#[inline(never)]
pub(super) fn decode_row<'t>(
    tokens: &impl Tokens<'t>,
    codes: impl Iterator<Item = Option<u16>>,
    out: &mut [u8],
) -> Option<usize> {
    decode_row_here(tokens, codes, out)
}

/// [`decode_row`], inlined: only for a caller that knows the form of codes, offsets and dictionary
/// at compile time.
#[inline(always)]
pub(super) fn decode_row_here<'t>(
    tokens: &impl Tokens<'t>,
    codes: impl Iterator<Item = Option<u16>>,
    out: &mut [u8],
) -> Option<usize> {
    let (lookup, mut at) = (tokens.padded_lookup()?, 0usize);
    let last = out.len().checked_sub(MAX_TOKEN_LEN)?;
    for code in codes {
        let (token, len) = lookup(code?)?;
        // One comparison with a constant of the loop: the compiler sees that the store is inside.
        if at > last {
            return None;
        }
        *out.get_mut(at..)?.first_chunk_mut()? = *token;
        at = at.wrapping_add(len);
    }
    Some(at)
}

/// Decodes a range of codes to the start of `out`. Returns the number of bytes.
///
/// `None` if a code names no token, or if the output is too small: [`codes_len`] finds the cause.
#[inline]
pub(super) fn decode_codes<'t>(
    tokens: impl Tokens<'t>,
    codes: &Codes<'_>,
    range: Range<usize>,
    out: &mut [u8],
) -> Option<usize> {
    let (mut scratch, mut from, mut at) = ([0; BLOCK], range.start, 0);
    while from < range.end {
        let block = codes.block(from..range.end, &mut scratch);
        let (done, end) = fill(tokens, block, out, at);
        (from, at) = (from.wrapping_add(done), end);
        if done < block.len() || block.is_empty() {
            return None;
        }
    }
    Some(at)
}

/// Returns the number of bytes that a range of codes decodes to.
#[cfg_attr(feature = "small", inline(always))]
#[cfg_attr(not(feature = "small"), inline)]
pub(super) fn codes_len<'t>(tokens: impl Tokens<'t>, codes: &Codes<'_>, range: Range<usize>) -> Verdict<u64> {
    let mut sum = 0u64;
    let from = codes.blocks(range.clone(), |block| {
        let mut good = 0usize;
        for &code in block {
            let Some(len) = tokens.token_len(code) else { break };
            sum = sum.wrapping_add(u64::from(len));
            good = good.wrapping_add(1);
        }
        good
    });
    if from < range.end { Err(Fault::new(ErrorKind::OnPairCode, codes.place(from))) } else { Ok(sum) }
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

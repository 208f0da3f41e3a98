//! Looks up needles in a sorted dictionary.

use super::dictionary::Dictionary;
use super::tokens::MAX_TOKEN_LEN;
use crate::num::u64_from;

/// The codes that a row may have at one place if it agrees with the needle from there on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NeedleStep {
    /// The longest token that the needle continues with: the choice of an encoder.
    pub(super) code: u16,
    /// The shorter tokens that the needle continues with, by length. No known encoder takes one of
    /// them here.
    shorter: [u16; MAX_TOKEN_LEN],
    /// The same tokens.
    filter: Filter,
    /// The same with the tokens that start with the rest of the needle.
    wider: Filter,
    /// The first token that starts with the rest of the needle, and the number of those after it,
    first: u16,
    more: u16,
    /// if any do.
    is_extended: bool,
    /// End of the longest token in the needle.
    pub(super) end: usize,
}

/// A set of a few codes, which excludes most others: a bit for each value of the six lowest bits of
/// a code, and of the six above.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Filter {
    low: u64,
    high: u64,
}

impl Filter {
    /// Passes all codes.
    pub(super) const ALL: Self = Self { low: u64::MAX, high: u64::MAX };

    const fn with(self, code: u16) -> Self {
        Self { low: self.low | 1 << (code % 64), high: self.high | 1 << (code / 64 % 64) }
    }

    /// Returns `true` if a code may be one of them.
    #[inline]
    pub(super) const fn passes(self, code: u16) -> bool {
        (self.low >> (code % 64)) & (self.high >> (code / 64 % 64)) & 1 != 0
    }
}

impl NeedleStep {
    /// Returns `true` if the needle continues with a token, and for a few others that the filter
    /// passes.
    #[inline]
    pub(super) const fn may_agree(&self, code: u16) -> bool {
        self.filter.passes(code)
    }

    /// The tokens that may agree with the needle in any way.
    #[inline]
    pub(super) const fn wider(&self) -> Filter {
        self.wider
    }

    /// Returns `true` if a token starts with the rest of the needle.
    #[inline]
    pub(super) fn extends(&self, code: u16) -> bool {
        // One comparison: a code below the first wraps around and is too large.
        self.is_extended & (code.wrapping_sub(self.first) <= self.more)
    }

    /// Returns `true` if a token certainly disagrees with the needle.
    #[inline]
    pub(super) fn excludes(&self, code: u16) -> bool {
        !(self.extends(code) || self.may_agree(code) && self.shorter.contains(&code))
    }
}

/// Cuts the start of the needle into tokens, the longest first. Returns the number of steps.
pub(super) fn steps(dictionary: &Dictionary<'_>, needle: &[u8], room: &mut [NeedleStep]) -> usize {
    let (mut at, mut count) = (0, 0);
    for step in room {
        let rest = needle.get(at..).unwrap_or(&[]);
        let Some(found) = step_at(dictionary, rest, at).filter(|_| !rest.is_empty()) else { break };
        *step = found;
        at = found.end;
        count += 1;
    }
    count
}

/// The codes of a row that equals the needle, if rows are cut into the longest tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeedleCodes {
    /// The number of codes.
    pub(super) count: usize,
    /// The last code.
    pub(super) last: u16,
}

/// Cuts the needle. `None` if it is empty.
pub(super) fn cut_needle(dictionary: &Dictionary<'_>, mut needle: &[u8]) -> Option<NeedleCodes> {
    let mut cut = None;
    while !needle.is_empty() {
        let (last, len) = longest(dictionary, needle.get(..MAX_TOKEN_LEN).unwrap_or(needle))?;
        needle = needle.get(len..)?;
        cut = Some(NeedleCodes { count: cut.map_or(0, |cut: NeedleCodes| cut.count).wrapping_add(1), last });
    }
    cut
}

/// Returns the longest token that `ahead` starts with, and its length.
fn longest(dictionary: &Dictionary<'_>, mut ahead: &[u8]) -> Option<(u16, usize)> {
    loop {
        // Every string between a token and a longer string that starts with it starts with it, too.
        // So the last token that is not above is the result, or shares its start with it.
        let above = partition(dictionary, 0, u64_from(dictionary.len()), |token| token <= ahead);
        let below = above.checked_sub(1)?;
        let token = token(dictionary, below);
        let common = common(token, ahead);
        if common == token.len() {
            return Some((u16::try_from(below).ok()?, common)).filter(|_| common > 0);
        }
        ahead = ahead.get(..common)?;
    }
}

/// Returns `true` if other tokens start with this one. They follow it.
#[inline]
pub(super) fn starts_others(dictionary: &Dictionary<'_>, code: u16, token: &[u8]) -> bool {
    code.checked_add(1).and_then(|next| dictionary.token(next)).is_some_and(|next| next.starts_with(token))
}

/// Returns `true` if no longer token starts `ahead`, which starts with this one.
pub(super) fn is_longest(dictionary: &Dictionary<'_>, code: u16, mut ahead: &[u8]) -> bool {
    let (code, count) = (u64::from(code), u64_from(dictionary.len()));
    loop {
        // Most often the next tokens are above already.
        let (mut low, mut step) = (code, 1u64);
        let mut high = low.saturating_add(step);
        while high < count && token(dictionary, high) <= ahead {
            (low, step) = (high, step.saturating_mul(2));
            high = high.saturating_add(step);
        }
        let above = partition(dictionary, low, high.min(count), |token| token <= ahead);
        let below = above.saturating_sub(1);
        if below <= code {
            return true;
        }
        let token = token(dictionary, below);
        let common = common(token, ahead);
        match ahead.get(..common) {
            Some(shared) if common < token.len() && common < ahead.len() => ahead = shared,
            _ => return false,
        }
    }
}

/// Returns the length of the common start of two strings.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Returns the tokens that the needle may end with.
pub(super) fn ends(dictionary: &Dictionary<'_>, needle: &[u8]) -> Filter {
    let starts = needle.len().saturating_sub(MAX_TOKEN_LEN)..needle.len();
    let whole = |start| {
        let end = needle.get(start..)?;
        step_at(dictionary, end, 0).filter(|step| step.end == end.len())
    };
    starts.filter_map(whole).fold(Filter::default(), |filter, step| filter.with(step.code))
}

/// Narrows the tokens that agree with the needle, byte after byte.
fn step_at(dictionary: &Dictionary<'_>, rest: &[u8], at: usize) -> Option<NeedleStep> {
    // From `low` on, before `high`: the tokens that start with the first `depth` bytes.
    let (mut low, mut high) = (0, u64_from(dictionary.len()));
    let (mut longest, mut shorter, mut is_extended) = (None, [None; MAX_TOKEN_LEN], false);
    for ((depth, &byte), shorter) in rest.iter().enumerate().zip(&mut shorter) {
        // Tokens that end here precede those that continue.
        let beyond = |token: &[u8], more: bool| token.get(depth).is_some_and(|&b| b > byte || !more && b == byte);
        let from = partition(dictionary, low, high, |token| !beyond(token, false));
        let to = partition(dictionary, from, high, |token| !beyond(token, true));
        if from >= to {
            break;
        }
        (low, high) = (from, to);
        let len = depth + 1;
        if token(dictionary, low).len() == len {
            longest = Some((low, len));
            *shorter = u16::try_from(low).ok();
        }
        is_extended = len == rest.len();
    }
    let (code, len) = longest?;
    let narrow = |n: u64| u16::try_from(n).ok();
    let code = narrow(code)?;
    let shorter = shorter.map(|token| token.unwrap_or(code));
    let filter = shorter.iter().fold(Filter::default(), |filter, &token| filter.with(token));
    let (first, last) = (narrow(low)?, narrow(high.wrapping_sub(1))?);
    let more = last.wrapping_sub(first);
    let wider = match (is_extended, more) {
        (false, _) => filter,
        (true, 0..64) => (first..=last).fold(filter, Filter::with),
        _ => Filter::ALL,
    };
    Some(NeedleStep { code, shorter, filter, wider, first, more, is_extended, end: at + len })
}

fn token<'a>(dictionary: &Dictionary<'a>, code: u64) -> &'a [u8] {
    u16::try_from(code).ok().and_then(|code| dictionary.token(code)).unwrap_or(&[])
}

/// Returns the first token between `low` and `high` for which `before` is false.
fn partition(dictionary: &Dictionary<'_>, mut low: u64, mut high: u64, before: impl Fn(&[u8]) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if before(token(dictionary, middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_of_every_token_against_looking_at_all_tokens() {
        // Sorted, with tokens that start each other.
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for word in
            ["https://", "http", "https://www.", "ht", "tt", "ttp", "aaaaaaaaaaaaaaaa", "aaaa", "ab", "\u{ff}\u{ff}"]
        {
            tokens.push(word.as_bytes().to_vec());
        }
        tokens.push(vec![255; 16]);
        tokens.sort();
        let bytes = tokens.concat();
        let mut end = 0u32;
        let mut offsets = vec![0; 4];
        for token in &tokens {
            end += token.len() as u32;
            offsets.extend(end.to_le_bytes());
        }
        let dictionary = Dictionary::open(&bytes, &offsets).unwrap().conforming().unwrap();
        for needle in ["https://www.x", "httpx", "aaaaaaaaaaaaaaaaaaaaaaaab", "a", "h", "ttttp", "\u{ff}\u{ff}\u{ff}"] {
            let needle = needle.as_bytes();
            let mut room = [NeedleStep::default(); 40];
            let count = steps(&dictionary, needle, &mut room);
            let mut at = 0;
            for step in &room[..count] {
                let rest = &needle[at..];
                let agrees = |token: &[u8]| rest.starts_with(token) || token.starts_with(rest);
                let longest =
                    tokens.iter().enumerate().filter(|(_, t)| rest.starts_with(t)).max_by_key(|(_, t)| t.len());
                let (code, token) = longest.unwrap();
                assert_eq!((usize::from(step.code), step.end), (code, at + token.len()));
                for (code, token) in tokens.iter().enumerate() {
                    assert_eq!(step.extends(code as u16), token.starts_with(rest), "{token:?}");
                    assert_eq!(!agrees(token), step.excludes(code as u16), "{token:?}");
                    assert!(!agrees(token) || step.wider().passes(code as u16), "{token:?}");
                    assert!(!rest.starts_with(token) || step.may_agree(code as u16), "{token:?}");
                }
                for (code, token) in tokens.iter().enumerate().filter(|(_, token)| rest.starts_with(token)) {
                    let ahead = &rest[..rest.len().min(16)];
                    assert_eq!(
                        is_longest(&dictionary, code as u16, ahead),
                        code == usize::from(step.code),
                        "{token:?}"
                    );
                    let others = tokens.iter().any(|other| other != token && other.starts_with(token));
                    assert_eq!(starts_others(&dictionary, code as u16, token), others, "{token:?}");
                }
                at = step.end;
            }
            assert_eq!(at, needle.len());
            let cut = cut_needle(&dictionary, needle).unwrap();
            assert_eq!((cut.count, cut.last), (count, room[count - 1].code));
        }
    }
}

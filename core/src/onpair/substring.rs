//! Finds a needle anywhere in a row: Knuth, Morris and Pratt's algorithm over tokens instead of
//! bytes.
//!
//! The state is the length of the needle's start that the bytes read so far end with. A table holds
//! the state that each token leads to from the initial state. Most tokens lead there from any other
//! state, too: those whose first byte does not continue the needle. So nearly every code takes one
//! table entry and one test that it applies. Row ends matter only if the test fails.

use core::ops::Range;

use super::codes::CodeBuffer;
use super::column::Column;
use super::dictionary::Dictionary;
use super::offsets::{RowSpans, with_rows};
use super::sifted::Sifted;
use super::tokens::MAX_TOKEN_LEN;
use crate::fault::Verdict;
use crate::num::index;
use crate::tuning::LEAN;

/// A needle with its tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Substring<'s> {
    needle: &'s [u8],
    /// For each start of the needle, the length of its longest proper start that is also its end.
    fallback: &'s [u32],
    /// For each token the state that it leads to from the start in the lower five bits, and the
    /// class of its first byte in the upper three.
    tokens: &'s [u8],
    /// For each state, a bit for each class of tokens that may lead elsewhere from there than from
    /// the start.
    special: [u8; STATES],
}

/// Five bits of state. A token ends with at most 16 bytes of the needle.
const STATES: usize = 32;
/// Codes of a turn of the loop.
const GROUP: usize = 4;
/// Entry of a token that the needle ends within, whatever precedes it. Its class is special in all
/// states.
const FOUND: u8 = u8::MAX;

impl<'s> Substring<'s> {
    /// Prepares the search. `fallback` has an entry for each byte of the needle, `tokens` one for
    /// each token or none.
    pub(super) fn new(
        needle: &'s [u8],
        fallback: &'s mut [u32],
        tokens: &'s mut [u8],
        dictionary: &Dictionary<'_>,
    ) -> Self {
        prepare(needle, fallback);
        let fallback = &*fallback;
        // The bytes that can continue the needle, up to the length of a token. They share six
        // classes.
        let starts = needle.get(..=MAX_TOKEN_LEN).unwrap_or(needle);
        let mut classes = [0u8; 256];
        for (&byte, class) in starts.iter().zip((1..=6).cycle()) {
            if let Some(entry @ 0) = classes.get_mut(usize::from(byte)) {
                *entry = class;
            }
        }
        let class = |byte: u8| classes.get(usize::from(byte)).map_or(0, |class| class % 8);
        let mut special = [u8::MAX; STATES];
        for (state, special) in special.iter_mut().enumerate().take(MAX_TOKEN_LEN + 1) {
            let elsewhere = |&byte: &u8| step(needle, fallback, state, byte) != step(needle, fallback, 0, byte);
            let all = starts.iter().filter(|byte| elsewhere(byte)).fold(0, |all, &byte| all | 1 << class(byte));
            *special = all | 1 << (FOUND / 32);
        }
        if let Some(&first) = needle.first() {
            for (entry, token) in tokens.iter_mut().zip(dictionary.tokens()) {
                let state = if token.contains(&first) { advance(needle, fallback, 0, token) } else { Some(0) };
                let class = token.first().map_or(0, |&byte| class(byte));
                *entry =
                    state.and_then(|state| u8::try_from(state).ok()).map_or(FOUND, |state| class * 32 + state % 32);
            }
        }
        Self { needle, fallback, tokens, special }
    }

    /// Judges some more rows and takes them off `rows`.
    pub(super) fn sift(
        &self,
        column: &Column<'_>,
        unpacked: &mut CodeBuffer,
        rows: &mut Range<u64>,
        crowded: bool,
    ) -> Sifted {
        match column.row_offsets().table() {
            _ if self.needle.is_empty() => Sifted::all(rows),
            _ if !crowded => self.code_by_code(column, unpacked, rows),
            table => with_rows!(table, table => self.row_by_row(column, table, unpacked, rows)),
        }
    }

    /// Judges all rows up to the first that needs a close look, and the 63 after it.
    ///
    /// Not inlined: among the registers of [`sift`](Self::sift), the loop of
    /// [`position`](Self::position) would load the table again for every code (8 % more
    /// instructions).
    #[inline(never)]
    fn code_by_code(&self, column: &Column<'_>, unpacked: &mut CodeBuffer, rows: &mut Range<u64>) -> Sifted {
        let offsets = column.row_offsets();
        let mut sifted = Sifted::NONE;
        let (mut next, mut end) = (rows.start, rows.end);
        let mut codes = offsets.span(rows).unwrap_or_default();
        while let Some((at, before)) = self.candidate(column, unpacked, codes.clone()) {
            let row = offsets.row_of(at, next);
            if sifted.is_empty() {
                (sifted.first, end) = (row, end.min(row.saturating_add(64)));
                codes.end = offsets.get(index(end)).map_or(codes.end, index);
            }
            let of_row = offsets.row(row).unwrap_or(at..codes.end);
            (next, codes.start) = (row.saturating_add(1), of_row.end);
            let found = match before {
                // The state belongs to another row if this one starts here.
                Some(_) if at == of_row.start => self.within(column, unpacked, of_row, 0).ok(),
                Some(before) => self.within(column, unpacked, at..of_row.end, before.into()).ok(),
                None => Some(true),
            };
            sifted.add(row, found);
        }
        rows.start = end;
        sifted.crowded = sifted.matches_most(end);
        sifted
    }

    /// Judges up to 64 of the next rows, one by one, while their codes are in one block.
    #[inline(never)]
    fn row_by_row(
        &self,
        column: &Column<'_>,
        table: impl RowSpans,
        unpacked: &mut CodeBuffer,
        rows: &mut Range<u64>,
    ) -> Sifted {
        let mut sifted = Sifted { first: rows.start, ..Sifted::NONE };
        let window = rows.start..rows.end.min(rows.start.saturating_add(64));
        let all = column.row_offsets().span(&window).unwrap_or_default();
        // The codes unpacked before may not hold a whole row.
        unpacked.forget();
        let block = unpacked.block(&column.codes, all.clone());
        for codes in table.each(index(window.start)..index(window.end)) {
            let mut codes = codes.start.wrapping_sub(all.start)..codes.end.wrapping_sub(all.start);
            let found = if let Some(found) = self.glance(block, &mut codes) {
                Some(found)
            } else {
                let Some(codes) = block.get(codes) else { break };
                match self.through(&column.dictionary, codes, 0) {
                    Reached::State(_) => Some(false),
                    Reached::Needle => Some(true),
                    Reached::NoToken(_) => None,
                }
            };
            sifted.add(rows.start, found);
            rows.start = rows.start.saturating_add(1);
        }
        if rows.start == sifted.first {
            // The codes of this row continue after the block.
            let codes = column.offsets.row(sifted.first);
            sifted.add(sifted.first, codes.and_then(|codes| self.within(column, unpacked, codes, 0).ok()));
            rows.start = sifted.first.saturating_add(1);
        }
        sifted.crowded = sifted.matches_most(rows.start);
        sifted
    }

    /// Returns the first of these codes that needs a close look, and the state it is met in; no
    /// state if the needle is within it.
    fn candidate(
        &self,
        column: &Column<'_>,
        unpacked: &mut CodeBuffer,
        codes: Range<usize>,
    ) -> Option<(usize, Option<u8>)> {
        let (mut at, mut before) = (codes.start, 0);
        while at < codes.end {
            let block = unpacked.block(&column.codes, at..codes.end);
            let found = self.position(block, &mut before);
            if found.is_some() || block.is_empty() {
                let code = found.and_then(|i| block.get(i)).and_then(|&code| self.tokens.get(usize::from(code)));
                let state = if code == Some(&FOUND) { None } else { Some(before) };
                return Some((at.saturating_add(found.unwrap_or(0)), state));
            }
            at = at.saturating_add(block.len());
        }
        None
    }

    /// Returns the first of these codes that needs a close look, and leaves in `before` the state
    /// that it is met in.
    ///
    /// Hot loop: one look into the table for a code, and one at the class of its entry.
    /// - Input: any codes. One without an entry needs a close look, so nothing is checked before.
    /// - Invariant: a state is below 32, and `special` has 32 entries.
    /// - The table is a local: reached by `self`, its length was loaded again for every code (8 %
    ///   more instructions).
    /// - Row ends are not looked up here: the caller looks up the row of a code that needs a close
    ///   look.
    /// - The measurements are in `docs/tried/onpair.md`, under "Search".
    #[inline]
    fn position(&self, codes: &[u16], before: &mut u8) -> Option<usize> {
        let tokens = self.tokens;
        let mut closely = |&code: &u16| match tokens.get(usize::from(code)) {
            Some(&entry) if !self.is_special(usize::from(*before % 32), entry) => {
                *before = entry % 32;
                false
            }
            _ => true,
        };
        let (groups, rest) = if LEAN { (&[][..], codes) } else { codes.as_chunks::<GROUP>() };
        let mut first = 0usize;
        for group in groups {
            if let Some(found) = group.iter().position(&mut closely) {
                return Some(first.wrapping_add(found));
            }
            first = first.wrapping_add(GROUP);
        }
        rest.iter().position(closely).map(|found| first.wrapping_add(found))
    }

    /// Returns `true` if a token may lead elsewhere from this state than from the initial one.
    #[inline]
    fn is_special(&self, state: usize, entry: u8) -> bool {
        self.special.get(state).is_none_or(|special| special >> (entry / 32) & 1 != 0)
    }

    /// Returns `true` if the needle ends within these codes. `state` bytes of it precede them.
    pub(super) fn within(
        &self,
        column: &Column<'_>,
        unpacked: &mut CodeBuffer,
        codes: Range<usize>,
        mut state: usize,
    ) -> Verdict<bool> {
        let mut at = codes.start;
        while at < codes.end && !self.needle.is_empty() {
            let block = unpacked.block(&column.codes, at..codes.end);
            state = match self.through(&column.dictionary, block, state) {
                Reached::State(state) if !block.is_empty() => state,
                Reached::State(_) => return Err(column.no_token(at)),
                Reached::Needle => return Ok(true),
                Reached::NoToken(i) => return Err(column.no_token(at.saturating_add(i))),
            };
            at = at.saturating_add(block.len());
        }
        Ok(self.needle.is_empty())
    }

    /// Returns `true` if the needle is within one of these tokens. `None` if it may begin in one
    /// and end in another; takes the tokens before that off `codes`.
    ///
    /// If most rows match, the token that decides cannot be predicted. So tokens are read in
    /// groups, even past the end of the row, and only the group is a branch.
    #[inline]
    fn glance(&self, block: &[u16], codes: &mut Range<usize>) -> Option<bool> {
        if LEAN {
            return None;
        }
        while codes.start < codes.end {
            let group: &[u16; GROUP] = block.get(codes.start..)?.first_chunk()?;
            let (mut entries, mut known) = ([0; GROUP], true);
            for (entry, &code) in entries.iter_mut().zip(group) {
                let token = self.tokens.get(usize::from(code));
                known &= token.is_some();
                *entry = token.copied().unwrap_or(0);
            }
            let unused = GROUP.saturating_sub(codes.len()) * 8;
            let entries = u32::from_le_bytes(entries) << unused >> unused;
            if known && has_found(entries) {
                return Some(true);
            }
            // Another state than the initial one: the needle may continue in the next token.
            if !known || entries & (ONES * 31) != 0 {
                return None;
            }
            codes.start = codes.start.wrapping_add(GROUP);
        }
        Some(false)
    }

    /// Follows these codes from a state.
    #[inline]
    fn through(&self, dictionary: &Dictionary<'_>, codes: &[u16], mut state: usize) -> Reached {
        for (i, &code) in codes.iter().enumerate() {
            state = match self.tokens.get(usize::from(code)) {
                Some(&FOUND) => return Reached::Needle,
                Some(&entry) if !self.is_special(state, entry) => usize::from(entry % 32),
                _ => match self.bytewise(dictionary, state, code) {
                    Some(Some(state)) => state,
                    Some(None) => return Reached::Needle,
                    None => return Reached::NoToken(i),
                },
            };
        }
        Reached::State(state)
    }

    /// Returns the state that a token leads to by its bytes. `None` if the code names no token.
    #[inline(never)]
    fn bytewise(&self, dictionary: &Dictionary<'_>, state: usize, code: u16) -> Option<Option<usize>> {
        Some(advance(self.needle, self.fallback, state, dictionary.token(code)?))
    }
}

/// The end of a walk over codes.
enum Reached {
    /// This state, at the end of the codes.
    State(usize),
    /// The end of the needle.
    Needle,
    /// The code with this index, which names no token.
    NoToken(usize),
}

/// A one in each of four entries.
const ONES: u32 = u32::from_le_bytes([1; GROUP]);

/// Returns `true` if one of four entries is [`FOUND`]: its lower bits carry into the highest, which
/// is set.
#[inline]
const fn has_found(entries: u32) -> bool {
    ((entries & (ONES * 127)) + ONES) & entries & (ONES * 128) != 0
}

/// For each start of the needle, the length of its longest proper start that is also its end.
fn prepare(needle: &[u8], fallback: &mut [u32]) {
    let mut len = 0usize;
    for at in 0..needle.len() {
        if let (Some(&byte), 1..) = (needle.get(at), at) {
            while len > 0 && needle.get(len) != Some(&byte) {
                len = shorter(fallback, len);
            }
            len = len.saturating_add(usize::from(needle.get(len) == Some(&byte)));
        }
        if let Some(entry) = fallback.get_mut(at) {
            *entry = u32::try_from(len).unwrap_or(u32::MAX);
        }
    }
}

#[inline]
fn shorter(fallback: &[u32], state: usize) -> usize {
    fallback.get(state.wrapping_sub(1)).map_or(0, |&len| index(len.into()).min(state.wrapping_sub(1)))
}

/// Returns the state that a byte leads to.
#[inline]
fn step(needle: &[u8], fallback: &[u32], mut state: usize, byte: u8) -> usize {
    while state > 0 && needle.get(state) != Some(&byte) {
        state = shorter(fallback, state);
    }
    state.wrapping_add(usize::from(needle.get(state) == Some(&byte)))
}

/// Returns the state that a token leads to. `None` if the needle ends within it.
#[inline]
fn advance(needle: &[u8], fallback: &[u32], mut state: usize, token: &[u8]) -> Option<usize> {
    for &byte in token {
        state = step(needle, fallback, state, byte);
        if state >= needle.len() {
            return None;
        }
    }
    Some(state)
}

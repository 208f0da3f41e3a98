//! Finding rows without decoding them.
//!
//! No row has to be cut into tokens as any particular encoder would: tokens are compared as the bytes that they are. What a
//! sorted dictionary adds is speed, because then nearly every row is decided by comparing one code with two numbers.

use core::ops::Range;

use super::codes::{BLOCK, Form};
use super::column::Column;
use super::lookup::{Step, steps};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// Memory for [`Search::contains`].
#[derive(Debug)]
pub struct SearchSpace<'s> {
    /// An entry for each byte of the needle.
    pub needle: &'s mut [u32],
    /// An entry for each token. With fewer the search is slower, and finds the same.
    pub tokens: &'s mut [u8],
}

/// A needle, prepared for one column.
///
/// ```
/// # use unspool::{onpair::{Codes, Column, Dictionary, RowOffsets, Search, SearchSpace}, Limits};
/// # let le = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
/// # let (token_offsets, row_offsets) = (le(&[0, 1, 3, 4]), le(&[0, 2, 3, 6]));
/// # let dictionary = Dictionary::open(b"abcd", &token_offsets)?;
/// # let column =
/// #     Column::open(dictionary, Codes::plain(&[0, 1, 2, 2, 0, 1]), RowOffsets::u32(&row_offsets)?, &Limits::DEFAULT)?;
/// // The rows are abc, d and dabc.
/// let mut space = SearchSpace { needle: &mut [0; 2], tokens: &mut [0; 3] };
/// let found: Result<Vec<u64>, _> = Search::contains(&column, b"ab", &mut space)?.rows().collect();
/// assert_eq!(found?, [0, 2]);
/// assert!(Search::equals(&column, b"d").matches(1)?);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Search<'s> {
    column: &'s Column<'s>,
    needle: &'s [u8],
    kind: Kind<'s>,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is no heap to put the large one on")]
enum Kind<'s> {
    /// From the start of a row: the whole row, or what it starts with.
    Start { whole: bool, steps: [Step; STEPS], len: usize },
    /// Anywhere in a row.
    Inside { fallback: &'s [u32], tokens: &'s [u8] },
}

/// How many tokens of the needle are looked up beforehand. Rows that agree with all of them are rare, or compared bytewise.
const STEPS: usize = 8;
/// In the table of tokens: the needle ends within this token. Other entries are at most 16.
const FOUND: u8 = u8::MAX;

impl<'s> Search<'s> {
    /// Rows that are the needle.
    pub fn equals(column: &'s Column<'s>, needle: &'s [u8]) -> Self {
        Self::start(column, needle, true)
    }

    /// Rows that start with the needle; all, if it is empty.
    pub fn starts_with(column: &'s Column<'s>, needle: &'s [u8]) -> Self {
        Self::start(column, needle, false)
    }

    fn start(column: &'s Column<'s>, needle: &'s [u8], whole: bool) -> Self {
        let mut room = [Step::default(); STEPS];
        let len = if column.dictionary.is_conforming() { steps(&column.dictionary, needle, &mut room) } else { 0 };
        Self { column, needle, kind: Kind::Start { whole, steps: room, len } }
    }

    /// Rows in which the needle occurs; all, if it is empty.
    ///
    /// Knuth, Morris and Pratt's algorithm over tokens instead of bytes. `space` must have an entry for each byte of the
    /// needle. With one for each token as well, a token is one step; without, each of its bytes is.
    pub fn contains(column: &'s Column<'s>, needle: &'s [u8], space: &'s mut SearchSpace<'_>) -> Result<Self> {
        Self::contains_in(column, needle, SearchSpace { needle: space.needle, tokens: space.tokens })
    }

    /// [`contains`](Self::contains) with memory that is given away, for whoever has nowhere to keep the two slices together.
    pub fn contains_in(column: &'s Column<'s>, needle: &'s [u8], space: SearchSpace<'s>) -> Result<Self> {
        let Some(fallback) = space.needle.get_mut(..needle.len()) else {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(needle.len())));
        };
        if u32::try_from(needle.len()).is_err() {
            return Err(Error::new(ErrorKind::ElementLimit, 0).needing(u64_from(needle.len())));
        }
        prepare(needle, fallback);
        let fallback = &*fallback;
        let tokens = space.tokens.get_mut(..column.dictionary.len()).unwrap_or_default();
        if let Some(&first) = needle.first() {
            for (entry, token) in tokens.iter_mut().zip(column.dictionary.tokens()) {
                *entry = match token.contains(&first) {
                    false => 0,
                    true => match advance(needle, fallback, 0, token) {
                        None => FOUND,
                        Some(state) => u8::try_from(state).unwrap_or(0),
                    },
                };
            }
        }
        Ok(Self { column, needle, kind: Kind::Inside { fallback, tokens } })
    }

    /// Whether a row matches. Only the codes that decide it are looked at.
    pub fn matches(&self, row: u64) -> Result<bool> {
        self.matches_codes(self.column.span_of_row(row)?)
    }

    /// The rows that match, in ascending order.
    pub fn rows(&self) -> Matches<'s> {
        Matches { search: *self, next: self.column.rows() }
    }

    /// The rows that match among these.
    pub fn rows_in(&self, rows: Range<u64>) -> Matches<'s> {
        Matches { search: *self, next: rows }
    }

    #[inline]
    fn matches_codes(&self, codes: Range<usize>) -> Result<bool> {
        match &self.kind {
            Kind::Start { whole, steps, len } => self.starts(*whole, steps.get(..*len).unwrap_or(&[]), codes),
            Kind::Inside { fallback, tokens } => self.inside(fallback, tokens, codes),
        }
    }

    /// The first of these rows that its codes do not exclude. Nearly all rows end here, in a loop that knows little else.
    fn skip(&self, rows: Range<u64>) -> u64 {
        let Kind::Start { steps, len: len @ 1.., .. } = &self.kind else { return rows.start };
        let steps = steps.get(..*len).unwrap_or(&[]);
        let count = index(rows.end.saturating_sub(rows.start));
        let skipped = match (self.column.row_offsets().narrow(rows.start), self.column.codes.numbers()) {
            (Some(offsets), Some(codes)) => offsets.windows(2).take(count).position(|pair| {
                let &[start, end] = pair else { return true };
                let range = index(u32::from_le_bytes(start).into())..index(u32::from_le_bytes(end).into());
                codes.get(range).is_none_or(|codes| !self.excluded(steps, codes.iter().copied()))
            }),
            _ => rows.clone().position(|row| {
                match self.column.codes.short(self.column.span_of_row(row).unwrap_or(0..0)) {
                    Form::Numbers(codes) => !self.excluded(steps, codes),
                    Form::Packed(codes) => !self.excluded(steps, codes),
                }
            }),
        };
        skipped.map_or(rows.end, |skipped| rows.start.saturating_add(u64_from(skipped)))
    }

    /// Whether a row surely does not match. A code that names no token excludes nothing: it is an error, found elsewhere.
    #[inline]
    fn excluded(&self, steps: &[Step], mut codes: impl Iterator<Item = u16>) -> bool {
        for step in steps {
            match codes.next() {
                // The needle goes on where the row ends.
                None => return true,
                Some(code) if code == step.code => {}
                Some(code) => return step.excludes(code) && usize::from(code) < self.column.dictionary.len(),
            }
        }
        false
    }

    #[inline]
    fn starts(&self, whole: bool, steps: &[Step], codes: Range<usize>) -> Result<bool> {
        let (mut at, mut known) = (codes.start, 0);
        for step in steps {
            if at >= codes.end {
                return Ok(false);
            }
            let code = self.code(at)?;
            if code != step.code {
                if !whole && step.extends(code) {
                    return Ok(true);
                }
                if step.excludes(code) {
                    return if usize::from(code) < self.column.dictionary.len() {
                        Ok(false)
                    } else {
                        Err(self.bad(at))
                    };
                }
                // A shorter token than there could be: no encoder that is known would do that, but the bytes may agree.
                break;
            }
            at = at.saturating_add(1);
            known = step.end;
        }
        self.compare(whole, self.needle.get(known..).unwrap_or(&[]), at..codes.end)
    }

    /// Compares what is left of a needle with what is left of a row, token by token.
    fn compare(&self, whole: bool, mut rest: &[u8], codes: Range<usize>) -> Result<bool> {
        for at in codes {
            if rest.is_empty() {
                return Ok(!whole);
            }
            let token = self.column.dictionary.token(self.code(at)?).ok_or_else(|| self.bad(at))?;
            match rest.strip_prefix(token) {
                Some(more) => rest = more,
                None => return Ok(!whole && token.starts_with(rest)),
            }
        }
        Ok(rest.is_empty())
    }

    fn inside(&self, fallback: &[u32], tokens: &[u8], codes: Range<usize>) -> Result<bool> {
        if self.needle.is_empty() {
            return Ok(true);
        }
        let (mut room, mut from, mut state) = ([0; BLOCK], codes.start, 0usize);
        while from < codes.end {
            let block = self.column.codes.block(from..codes.end, &mut room);
            if block.is_empty() {
                return Err(self.bad(from));
            }
            for (i, &code) in block.iter().enumerate() {
                if state == 0 {
                    match tokens.get(usize::from(code)) {
                        Some(0) => continue,
                        Some(&FOUND) => return Ok(true),
                        Some(&entry) => {
                            state = usize::from(entry);
                            continue;
                        }
                        None => {}
                    }
                }
                let token = self.column.dictionary.token(code).ok_or_else(|| self.bad(from.saturating_add(i)))?;
                state = match advance(self.needle, fallback, state, token) {
                    Some(state) => state,
                    None => return Ok(true),
                };
            }
            from = from.saturating_add(block.len());
        }
        Ok(false)
    }

    #[inline]
    fn code(&self, at: usize) -> Result<u16> {
        self.column.codes.get(at).ok_or_else(|| self.bad(at))
    }

    #[cold]
    fn bad(&self, at: usize) -> Error {
        Error::new(ErrorKind::OnPairCode, self.column.codes.place(at))
    }
}

/// For each start of the needle the length of its longest own start that is also its end.
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

/// How much of the needle stands at the end of a text that goes on with `token`, where `state` bytes stood before. `None` where the
/// needle ends within it.
#[inline]
fn advance(needle: &[u8], fallback: &[u32], mut state: usize, token: &[u8]) -> Option<usize> {
    for byte in token {
        while state > 0 && needle.get(state) != Some(byte) {
            state = shorter(fallback, state);
        }
        state = state.wrapping_add(usize::from(needle.get(state) == Some(byte)));
        if state >= needle.len() {
            return None;
        }
    }
    Some(state)
}

/// Rows that a search finds. An error ends it.
#[derive(Clone, Debug)]
pub struct Matches<'s> {
    search: Search<'s>,
    next: Range<u64>,
}

impl Iterator for Matches<'_> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Result<u64>> {
        self.next.start = self.search.skip(self.next.clone());
        while let Some(row) = self.next.next() {
            let matches = self.search.matches(row);
            self.next.start = if matches == Ok(false) { self.search.skip(self.next.clone()) } else { self.next.start };
            match matches {
                Ok(false) => {}
                Ok(true) => return Some(Ok(row)),
                Err(error) => {
                    self.next = 0..0;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

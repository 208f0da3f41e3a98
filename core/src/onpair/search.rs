//! Finding rows without decoding them.
//!
//! No row has to be cut into tokens as any particular encoder would: tokens are compared as the bytes that they are. What a
//! sorted dictionary adds is speed, because then nearly every row is decided by comparing one code with two numbers.

use core::ops::Range;

use super::codes::{Form, Source, Unpacked};
use super::column::Column;
use super::lookup::{Step, steps};
use super::offsets::{Entry, Table};
use super::substring::Substring;
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
    Start(Start),
    Inside(Substring<'s>),
}

/// How many tokens of the needle are looked up beforehand. Rows that agree with all of them are rare, or compared bytewise.
const STEPS: usize = 8;

/// From the start of a row: the whole row, or what it starts with.
#[derive(Clone, Copy, Debug)]
struct Start {
    whole: bool,
    steps: [Step; STEPS],
    len: usize,
    /// Whether the steps reach the end of the needle.
    complete: bool,
    /// Codes from here on name no token. They decide nothing: they are an error.
    tokens: usize,
}

/// What the codes of a row say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    /// The bytes have to be compared.
    Unsure,
}

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
        let known = room.get(..len).and_then(<[_]>::last).map_or(0, |step| step.end);
        let complete = known == needle.len();
        let start = Start { whole, steps: room, len, complete, tokens: column.dictionary.len() };
        Self { column, needle, kind: Kind::Start(start) }
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
        let tokens = space.tokens.get_mut(..column.dictionary.len()).unwrap_or_default();
        let inside = Substring::new(needle, fallback, tokens, &column.dictionary);
        Ok(Self { column, needle, kind: Kind::Inside(inside) })
    }

    /// Whether a row matches. Only the codes that decide it are looked at.
    pub fn matches(&self, row: u64) -> Result<bool> {
        let codes = self.column.span_of_row(row)?;
        match &self.kind {
            Kind::Start(start) => {
                let verdict = match self.column.codes.form() {
                    Form::Numbers(source) => start.judge(source, codes.clone()),
                    Form::Pairs(source) => start.judge(source, codes.clone()),
                    Form::Packed(source) => start.judge(source, codes.clone()),
                };
                self.decide(start, verdict, codes)
            }
            Kind::Inside(inside) => inside.within(self.column, &mut Unpacked::new(), codes, 0),
        }
    }

    /// The rows that match, in ascending order.
    pub fn rows(&self) -> Matches<'s> {
        self.rows_in(self.column.rows())
    }

    /// The rows that match among these.
    pub fn rows_in(&self, rows: Range<u64>) -> Matches<'s> {
        Matches { search: *self, next: rows, unpacked: Unpacked::new() }
    }

    fn decide(&self, start: &Start, verdict: Verdict, codes: Range<usize>) -> Result<bool> {
        match verdict {
            Verdict::Yes => Ok(true),
            Verdict::No => Ok(false),
            Verdict::Unsure => self.compare(start.whole, codes),
        }
    }

    /// Compares the needle with a row, token by token.
    fn compare(&self, whole: bool, codes: Range<usize>) -> Result<bool> {
        let mut rest = self.needle;
        for at in codes {
            if rest.is_empty() {
                return Ok(!whole);
            }
            let token = self.column.codes.get(at).and_then(|code| self.column.dictionary.token(code));
            let token = token.ok_or_else(|| self.column.no_token(at))?;
            match rest.strip_prefix(token) {
                Some(more) => rest = more,
                None => return Ok(!whole && token.starts_with(rest)),
            }
        }
        Ok(rest.is_empty())
    }

    /// The first of these rows that matches.
    fn first_in(&self, start: &Start, rows: &mut Range<u64>) -> Option<Result<u64>> {
        while rows.start < rows.end {
            let (row, verdict) = match (self.column.row_offsets().table(), self.column.codes.form()) {
                (Table::U32(table), Form::Numbers(source)) => start.first(table, source, rows.clone()),
                (Table::U32(table), Form::Pairs(source)) => start.first(table, source, rows.clone()),
                (Table::U32(table), Form::Packed(source)) => start.first(table, source, rows.clone()),
                (Table::U64(table), Form::Numbers(source)) => start.first(table, source, rows.clone()),
                (Table::U64(table), Form::Pairs(source)) => start.first(table, source, rows.clone()),
                (Table::U64(table), Form::Packed(source)) => start.first(table, source, rows.clone()),
            }?;
            rows.start = row.saturating_add(1);
            let codes = if verdict == Verdict::Unsure { self.column.span_of_row(row) } else { Ok(0..0) };
            match codes.and_then(|codes| self.decide(start, verdict, codes)) {
                Ok(true) => return Some(Ok(row)),
                Ok(false) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }
}

impl Start {
    /// What the codes of a row say.
    #[inline]
    fn judge(&self, source: impl Source, codes: Range<usize>) -> Verdict {
        let mut rest = codes;
        for step in self.steps.get(..self.len).unwrap_or(&[]) {
            // The needle goes on where the row ends.
            let Some(at) = rest.next() else { return Verdict::No };
            match source.at(at) {
                Some(code) if code == step.code => {}
                Some(code) if usize::from(code) < self.tokens => {
                    return if step.extends(code) {
                        // What is more than the needle is too much for a whole row.
                        if self.whole { Verdict::No } else { Verdict::Yes }
                    } else if step.excludes(code) {
                        Verdict::No
                    } else {
                        // A shorter token than there could be: no encoder that is known would do that, but the bytes may agree.
                        Verdict::Unsure
                    };
                }
                _ => return Verdict::Unsure,
            }
        }
        match (self.complete, self.whole && !rest.is_empty()) {
            (true, false) => Verdict::Yes,
            (true, true) => Verdict::No,
            (false, _) => Verdict::Unsure,
        }
    }

    /// The first of these rows that does not surely not match. Nearly every row ends at its first code: in this loop, which
    /// knows little else.
    fn first<E: Entry>(&self, table: &[E], source: impl Source, rows: Range<u64>) -> Option<(u64, Verdict)> {
        let (known, least) = match self.steps.first() {
            Some(step) if self.len > 0 => (self.tokens, *step),
            _ => (0, Step::default()),
        };
        let table = table.get(index(rows.start)..=index(rows.end))?;
        for (row, pair) in rows.zip(table.windows(2)) {
            let &[start, end] = pair else { break };
            let codes = index(start.number())..index(end.number());
            match source.at(codes.start) {
                Some(code) if least.is_far(code) && usize::from(code) < known && codes.start < codes.end => {}
                _ => match self.judge(source, codes) {
                    Verdict::No => {}
                    verdict => return Some((row, verdict)),
                },
            }
        }
        None
    }
}

/// Rows that a search finds. An error ends it.
#[derive(Clone, Debug)]
pub struct Matches<'s> {
    search: Search<'s>,
    next: Range<u64>,
    unpacked: Unpacked,
}

impl Iterator for Matches<'_> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Result<u64>> {
        let search = &self.search;
        self.next.end = self.next.end.min(search.column.rows().end);
        let found = match &search.kind {
            Kind::Start(start) => search.first_in(start, &mut self.next),
            Kind::Inside(inside) => inside.first_in(search.column, &mut self.unpacked, &mut self.next),
        };
        if !matches!(found, Some(Ok(_))) {
            self.next = 0..0;
        }
        found
    }
}

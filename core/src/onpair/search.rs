//! Finding rows without decoding them.
//!
//! No row has to be cut into tokens as any particular encoder would: tokens are compared as the bytes that they are. What a
//! sorted dictionary adds is speed, because then nearly every row is decided by comparing one code with two numbers.

use core::ops::Range;

use super::codes::{Form, Source, Unpacked};
use super::column::Column;
use super::lookup::{Cut, Filter, Step, cut, ends, steps};
use super::offsets::{Entry, Table};
use super::substring::Substring;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, LEAN, Result};

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
#[cfg_attr(
    not(feature = "small"),
    expect(clippy::large_enum_variant, reason = "there is no heap to put the large one on")
)]
enum Kind<'s> {
    Start(Start),
    Inside(Substring<'s>),
}

/// How many tokens of the needle are looked up beforehand. Rows that agree with all of them are rare, or compared bytewise. Where stack
/// counts for more than time, only the first.
const STEPS: usize = if cfg!(feature = "small") { 1 } else { 8 };

/// From the start of a row: the whole row, or what it starts with.
#[derive(Clone, Copy, Debug)]
struct Start {
    whole: bool,
    steps: [Step; STEPS],
    len: usize,
    /// Whether the steps reach the end of the needle.
    complete: bool,
    /// The tokens that a row may end with if it is the needle.
    ends: Filter,
    /// What the codes of a row are if it is the needle, where that is known.
    cut: Option<Cut>,
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
        Self { column, needle, kind: Kind::Start(Start::new(column, needle, whole)) }
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
                    form if LEAN => start.judge(form, codes.clone()),
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
        Matches { search: *self, progress: self.progress(rows) }
    }

    /// Where a search among these rows starts, for whoever goes on with [`next_match`](Self::next_match).
    pub fn progress(&self, rows: Range<u64>) -> Progress {
        let next = rows.start..rows.end.min(self.column.rows().end);
        Progress { next, sifted: Sifted::default(), unpacked: Unpacked::new() }
    }

    /// The next row that matches. An error ends the search.
    pub fn next_match(&self, progress: &mut Progress) -> Option<Result<u64>> {
        let Progress { next, sifted, unpacked } = progress;
        let found = match &self.kind {
            Kind::Start(start) => self.first_in(start, sifted, next),
            Kind::Inside(inside) => inside.first_in(self.column, unpacked, next),
        };
        if matches!(found, Some(Err(_))) {
            (*next, *sifted) = (0..0, Sifted::default());
        }
        found
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

    /// The first of these rows that matches, or of those that were sifted before.
    fn first_in(&self, start: &Start, sifted: &mut Sifted, rows: &mut Range<u64>) -> Option<Result<u64>> {
        loop {
            for (row, sure) in sifted.by_ref() {
                if sure {
                    return Some(Ok(row));
                }
                match self.column.span_of_row(row).and_then(|codes| self.compare(start.whole, codes)) {
                    Ok(true) => return Some(Ok(row)),
                    Ok(false) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
            if rows.start >= rows.end {
                return None;
            }
            *sifted = match (self.column.row_offsets().table(), self.column.codes.form()) {
                (Table::U32(table), form) if LEAN => start.sift(table, form, rows, sifted.crowded),
                (Table::U64(table), form) if LEAN => start.sift(table, form, rows, sifted.crowded),
                (Table::U32(table), Form::Numbers(source)) => start.sift(table, source, rows, sifted.crowded),
                (Table::U32(table), Form::Pairs(source)) => start.sift(table, source, rows, sifted.crowded),
                (Table::U32(table), Form::Packed(source)) => start.sift(table, source, rows, sifted.crowded),
                (Table::U64(table), Form::Numbers(source)) => start.sift(table, source, rows, sifted.crowded),
                (Table::U64(table), Form::Pairs(source)) => start.sift(table, source, rows, sifted.crowded),
                (Table::U64(table), Form::Packed(source)) => start.sift(table, source, rows, sifted.crowded),
            };
        }
    }
}

/// What is known of up to 64 rows: a bit each, the highest for the first.
#[derive(Clone, Debug, Default)]
struct Sifted {
    first: u64,
    /// Those that match.
    sure: u64,
    /// Those that have to be compared.
    unsure: u64,
    /// Whether many were not told apart from the needle by their first code.
    crowded: bool,
}

/// The bit of the first row.
const FIRST: u64 = 1 << 63;

/// Which bit is the first that is set; clears it.
#[inline]
fn take_first(bits: &mut u64) -> Option<u32> {
    let first = bits.leading_zeros();
    *bits &= !FIRST.checked_shr(first)?;
    Some(first)
}

impl Iterator for Sifted {
    type Item = (u64, bool);

    /// The next row that is not known not to match, and whether it is known to match.
    #[inline]
    fn next(&mut self) -> Option<(u64, bool)> {
        let row = take_first(&mut (self.sure | self.unsure))?;
        let bit = FIRST >> (row % 64);
        let sure = self.sure & bit != 0;
        (self.sure, self.unsure) = (self.sure & !bit, self.unsure & !bit);
        Some((self.first.saturating_add(row.into()), sure))
    }
}

impl Start {
    #[cfg_attr(feature = "small", inline(never))]
    fn new(column: &Column<'_>, needle: &[u8], whole: bool) -> Self {
        let (tokens, dictionary) = (column.dictionary.len(), &column.dictionary);
        let room = [Step::default(); STEPS];
        let mut start = Self { whole, steps: room, len: 0, complete: false, ends: Filter::ALL, cut: None, tokens };
        if dictionary.is_conforming() {
            start.len = steps(dictionary, needle, &mut start.steps);
        }
        let known = start.steps.get(..start.len).and_then(<[_]>::last).map_or(0, |step| step.end);
        start.complete = known == needle.len();
        if whole && start.len > 0 {
            start.cut = if column.is_greedy() { cut(dictionary, needle) } else { None };
            start.ends = if start.cut.is_none() { ends(dictionary, needle) } else { Filter::ALL };
        }
        start
    }

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

    /// Looks at the next 64 rows and takes them off `rows`.
    ///
    /// Which way a row goes cannot be foretold where it is `crowded`: then the first code of each, and the last of those that
    /// have to be the needle, are looked at without a branch. What is worth more than that look is left for a second loop.
    #[inline(never)]
    fn sift<E: Entry>(&self, table: &[E], source: impl Source, rows: &mut Range<u64>, crowded: bool) -> Sifted {
        let first = rows.start;
        rows.start = first.saturating_add(64).min(rows.end);
        let table = table.get(index(first)..=index(rows.start)).unwrap_or(&[]);
        let unused = 65usize.saturating_sub(table.len()) % 64;
        let codes = |pair: &[E; 2]| index(pair[0].number())..index(pair[1].number());
        let (mut sure, mut open, mut most) = (0u64, 0u64, 0);
        match self.steps.first().filter(|_| self.len > 0) {
            Some(step) if let Some(cut) = self.cut => {
                let mut alike = 0u64;
                for pair in table.array_windows() {
                    let codes = codes(pair);
                    alike = alike << 1 | u64::from(codes.end.wrapping_sub(codes.start) == cut.count);
                }
                alike <<= unused;
                // Codes are fetched for rows that have as many, and without a branch, so that waiting for one is waiting for all.
                while let Some(row) = take_first(&mut alike) {
                    let Some(pair) = table.get(index(row.into())..).and_then(<[E]>::first_chunk) else { break };
                    let codes = codes(pair);
                    let (first, last) = (source.at(codes.start), source.at(codes.end.wrapping_sub(1)));
                    let agree = (first == Some(step.code)) & (last == Some(cut.last));
                    open |= u64::from(agree) << (63 - row % 64);
                }
            }
            Some(step) if crowded => {
                // Where the first code is the needle's first, the second decides.
                let wider = self.steps.get(1).filter(|_| self.len > 1).map_or(Filter::ALL, Step::wider);
                for pair in table.array_windows() {
                    let codes = codes(pair);
                    let there = codes.start < codes.end;
                    let code = source.at(codes.start).unwrap_or(0);
                    let (yes, perhaps) = if self.whole {
                        let last = source.at(codes.end.wrapping_sub(1)).unwrap_or(0);
                        most = last.max(most);
                        (false, step.may_agree(code) & self.ends.passes(last))
                    } else {
                        (step.extends(code), step.may_agree(code))
                    };
                    let second = source.at(codes.start.wrapping_add(1)).unwrap_or(0);
                    let perhaps = perhaps & ((code != step.code) | wider.passes(second));
                    most = code.max(second).max(most);
                    sure = sure << 1 | u64::from(yes & there);
                    open = open << 1 | u64::from(perhaps & there);
                }
                (sure, open) = (sure << unused, (open & !sure) << unused);
            }
            Some(step) => {
                let wider = step.wider();
                for (row, pair) in table.array_windows().enumerate() {
                    let code = source.at(codes(pair).start).unwrap_or(0);
                    most = code.max(most);
                    // The filter alone lets all pass where many tokens start with what is left of the needle.
                    if wider.passes(code) && (step.extends(code) | step.may_agree(code)) {
                        open |= FIRST >> (row % 64);
                    }
                }
            }
            None => {}
        }
        let crowded = (sure | open).count_ones() > 8;
        if self.len == 0 || usize::from(most) >= self.tokens {
            (sure, open) = (0, u64::MAX << unused);
        }
        let mut sifted = Sifted { first, sure, unsure: 0, crowded };
        while let Some(row) = take_first(&mut open) {
            let Some(pair) = table.get(index(row.into())..).and_then(<[E]>::first_chunk) else { break };
            match self.judge(source, codes(pair)) {
                Verdict::Yes => sifted.sure |= FIRST >> (row % 64),
                Verdict::Unsure => sifted.unsure |= FIRST >> (row % 64),
                Verdict::No => {}
            }
        }
        sifted
    }
}

/// How far a search came, for whoever keeps that beside the search: [`Matches`] is both.
#[derive(Clone, Debug)]
pub struct Progress {
    next: Range<u64>,
    sifted: Sifted,
    unpacked: Unpacked,
}

/// Rows that a search finds. An error ends it.
#[derive(Clone, Debug)]
pub struct Matches<'s> {
    search: Search<'s>,
    progress: Progress,
}

impl Iterator for Matches<'_> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Result<u64>> {
        self.search.next_match(&mut self.progress)
    }
}

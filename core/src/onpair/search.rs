//! Finds rows without decoding them.
//!
//! Rows may be cut into tokens in any way: tokens are compared by their bytes. Many rows are judged
//! at a time; each call of the iterator then takes one bit.

use core::ops::Range;

use super::codes::CodeBuffer;
use super::column::Column;
use super::sifted::Sifted;
use super::start::Start;
use super::substring::Substring;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// A workspace for [`Search::contains`].
#[derive(Debug)]
pub struct SearchWorkspace<'s> {
    /// An entry for each byte of the needle.
    pub needle: &'s mut [u32],
    /// An entry for each token. With fewer the search is slower, but finds the same rows.
    pub tokens: &'s mut [u8],
}

/// A needle, prepared for one column.
///
/// ```
/// # use unspool::{onpair::{Codes, Column, Dictionary, RowOffsets, Search, SearchWorkspace}, Limits};
/// # let le = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
/// # let (token_offsets, row_offsets) = (le(&[0, 1, 3, 4]), le(&[0, 2, 3, 6]));
/// # let dictionary = Dictionary::open(b"abcd", &token_offsets)?;
/// # let column =
/// #     Column::open(dictionary, Codes::plain(&[0, 1, 2, 2, 0, 1]), RowOffsets::u32(&row_offsets)?, &Limits::DEFAULT)?;
/// // The rows are abc, d and dabc.
/// let (mut needle, mut tokens) = ([0; 2], [0; 3]);
/// let workspace = SearchWorkspace { needle: &mut needle, tokens: &mut tokens };
/// let found: Result<Vec<u64>, _> = Search::contains(&column, b"ab", workspace)?.rows().collect();
/// assert_eq!(found?, [0, 2]);
/// assert!(Search::equals(&column, b"d").matches(1)?);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Search<'s> {
    column: &'s Column<'s>,
    matcher: Matcher<'s>,
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is no heap to put the large one on")]
enum Matcher<'s> {
    Start(Start<'s>),
    Inside(Substring<'s>),
}

impl<'s> Search<'s> {
    /// Rows that are the needle.
    pub fn equals(column: &'s Column<'s>, needle: &'s [u8]) -> Self {
        Self { column, matcher: Matcher::Start(Start::new(column, needle, true)) }
    }

    /// Rows that start with the needle; all, if it is empty.
    pub fn starts_with(column: &'s Column<'s>, needle: &'s [u8]) -> Self {
        Self { column, matcher: Matcher::Start(Start::new(column, needle, false)) }
    }

    /// Rows in which the needle occurs; all, if it is empty.
    ///
    /// Knuth, Morris and Pratt's algorithm over tokens instead of bytes. The workspace must have an
    /// entry for each byte of the needle. With an entry for each token, a token is one step;
    /// otherwise each of its bytes is.
    #[inline(never)]
    pub fn contains(column: &'s Column<'s>, needle: &'s [u8], workspace: SearchWorkspace<'s>) -> Result<Self> {
        let Some(fallback) = workspace.needle.get_mut(..needle.len()) else {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(needle.len())));
        };
        if u32::try_from(needle.len()).is_err() {
            return Err(Error::new(ErrorKind::ElementLimit, 0).needing(u64_from(needle.len())));
        }
        let tokens = workspace.tokens.get_mut(..column.dictionary.len()).unwrap_or_default();
        let inside = Substring::new(needle, fallback, tokens, &column.dictionary);
        Ok(Self { column, matcher: Matcher::Inside(inside) })
    }

    /// Returns `true` if a row matches. Reads only the codes that decide it.
    pub fn matches(&self, row: u64) -> Result<bool> {
        let codes = self.column.codes_of_row(row)?;
        let matches = match &self.matcher {
            Matcher::Start(start) => start.matches(self.column, codes),
            Matcher::Inside(inside) => inside.within(self.column, &mut CodeBuffer::new(), codes, 0),
        };
        matches.map_err(|fault| self.column.error(fault))
    }

    /// The rows that match, in ascending order.
    pub fn rows(&self) -> Matches<'_> {
        self.rows_in(self.column.rows())
    }

    /// The rows that match among these.
    pub fn rows_in(&self, rows: Range<u64>) -> Matches<'_> {
        Matches { search: self, progress: Progress::new(rows) }
    }

    /// Judges some more rows by their codes.
    #[inline(never)]
    fn sift(&self, progress: &mut Progress) {
        let Progress { next, sifted, unpacked } = progress;
        next.end = next.end.min(self.column.rows().end);
        if next.is_empty() {
            return;
        }
        *sifted = match &self.matcher {
            Matcher::Start(start) => start.sift(self.column, next, sifted.crowded),
            Matcher::Inside(inside) => inside.sift(self.column, unpacked, next, sifted.crowded),
        };
    }

    /// Returns `true` if a row matches that its codes did not decide.
    #[inline(never)]
    fn settle(&self, row: u64, progress: &mut Progress) -> Result<bool> {
        let settled = self.column.codes_of_row(row).and_then(|codes| {
            let settled = match &self.matcher {
                Matcher::Start(start) => start.compare(self.column, codes),
                Matcher::Inside(inside) => inside.within(self.column, &mut progress.unpacked, codes, 0),
            };
            settled.map_err(|fault| self.column.error(fault))
        });
        if settled.is_err() {
            (progress.next, progress.sifted) = (0..0, Sifted::NONE);
        }
        settled
    }
}

/// The progress of a search, for callers that cannot keep a [`Matches`], which borrows the search.
#[derive(Clone, Debug)]
pub struct Progress {
    next: Range<u64>,
    sifted: Sifted,
    unpacked: CodeBuffer,
}

impl Progress {
    /// The start of a search among these rows.
    pub const fn new(rows: Range<u64>) -> Self {
        Self { next: rows, sifted: Sifted::NONE, unpacked: CodeBuffer::new() }
    }

    /// The next row that matches. An error ends the search.
    #[inline]
    pub fn next(&mut self, search: &Search<'_>) -> Option<Result<u64>> {
        loop {
            match self.sifted.next() {
                Some((row, true)) => return Some(Ok(row)),
                Some((row, false)) => match search.settle(row, self) {
                    Ok(false) => {}
                    Ok(true) => return Some(Ok(row)),
                    Err(error) => return Some(Err(error)),
                },
                None if self.next.is_empty() => return None,
                None => search.sift(self),
            }
        }
    }
}

/// The rows that a search finds. An error ends it.
#[derive(Clone, Debug)]
pub struct Matches<'s> {
    search: &'s Search<'s>,
    progress: Progress,
}

impl Iterator for Matches<'_> {
    type Item = Result<u64>;

    #[inline]
    fn next(&mut self) -> Option<Result<u64>> {
        self.progress.next(self.search)
    }
}

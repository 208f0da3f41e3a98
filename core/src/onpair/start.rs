//! Finds rows that start with a needle, or equal it.
//!
//! With a sorted dictionary, comparing one code with two numbers decides nearly every row.

use core::ops::Range;

use super::codes::{Source, with_codes};
use super::column::Column;
use super::lookup::{Filter, NeedleCodes, NeedleStep, cut_needle, ends, steps};
use super::offsets::{RowSpans, with_rows};
use super::sifted::{FIRST, Sifted, take_first, take_rows};
use crate::fault::Verdict;
use crate::num::index;
use crate::tuning::SMALL;

/// Tokens of the needle that are looked up beforehand. Rows that agree with all of them are rare;
/// the others are compared by bytes. Only one, if stack counts for more than time.
const STEPS: usize = if SMALL { 1 } else { 8 };

/// A needle to compare with the start of a row, or with the whole row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'s> {
    needle: &'s [u8],
    whole: bool,
    steps: [NeedleStep; STEPS],
    len: usize,
    /// `true` if the steps reach the end of the needle.
    complete: bool,
    /// The tokens that a row may end with if it is the needle.
    ends: Filter,
    /// The codes of a row that equals the needle, if known.
    cut: Option<NeedleCodes>,
    /// Codes from here on name no token. They are an error.
    tokens: usize,
}

impl<'s> Start<'s> {
    pub(super) fn new(column: &Column<'_>, needle: &'s [u8], whole: bool) -> Self {
        let (tokens, dictionary) = (column.dictionary.len(), &column.dictionary);
        let room = [NeedleStep::default(); STEPS];
        let mut start =
            Self { needle, whole, steps: room, len: 0, complete: false, ends: Filter::ALL, cut: None, tokens };
        if dictionary.is_conforming() {
            start.len = steps(dictionary, needle, &mut start.steps);
        }
        let known = start.steps.get(..start.len).and_then(<[_]>::last).map_or(0, |step| step.end);
        start.complete = known == needle.len();
        if whole && start.len > 0 {
            start.cut = if column.is_greedy() { cut_needle(dictionary, needle) } else { None };
            start.ends = if start.cut.is_none() { ends(dictionary, needle) } else { Filter::ALL };
        }
        start
    }

    /// Returns `true` if the row of these codes matches. Reads only those that decide it.
    pub(super) fn matches(&self, column: &Column<'_>, codes: Range<usize>) -> Verdict<bool> {
        let answer = with_codes!(column.codes.form(), source => self.judge(source, codes.clone()));
        answer.map_or_else(|| self.compare(column, codes), Ok)
    }

    /// Compares the needle with the row of these codes, token by token.
    pub(super) fn compare(&self, column: &Column<'_>, codes: Range<usize>) -> Verdict<bool> {
        let mut rest = self.needle;
        for at in codes {
            if rest.is_empty() {
                return Ok(!self.whole);
            }
            let token = column.token_at(at)?;
            match rest.split_at_checked(token.len()) {
                Some((start, more)) if start == token => rest = more,
                _ => return Ok(!self.whole && token.starts_with(rest)),
            }
        }
        Ok(rest.is_empty())
    }

    /// Judges the next 64 rows and takes them off `rows`.
    pub(super) fn sift(&self, column: &Column<'_>, rows: &mut Range<u64>, crowded: bool) -> Sifted {
        with_rows!(column.row_offsets().table(), table => {
            with_codes!(column.codes.form(), source => self.sift_form(table, source, rows, crowded))
        })
    }

    /// Judges the row of these codes. `None` if its bytes have to be compared.
    #[inline]
    fn judge(&self, source: impl Source, codes: Range<usize>) -> Option<bool> {
        let mut rest = codes;
        for step in self.steps.get(..self.len).unwrap_or(&[]) {
            // The needle continues where the row ends.
            let Some(at) = rest.next() else { return Some(false) };
            match source.at(at) {
                Some(code) if code == step.code => {}
                Some(code) if usize::from(code) < self.tokens => {
                    return match step.extends(code) {
                        // The row is longer than the needle.
                        true => Some(!self.whole),
                        // A shorter token than possible. No known encoder takes one, but the bytes
                        // may agree.
                        false => step.excludes(code).then_some(false),
                    };
                }
                _ => return None,
            }
        }
        self.complete.then_some(!self.whole || rest.is_empty())
    }

    /// [`sift`](Self::sift) for one form of codes.
    ///
    /// Hot loop: one code a row, two if `crowded` or if the codes of the needle are known.
    /// - Input: any codes. A code that names no token makes all 64 rows open, and
    ///   [`judge`](Self::judge) finds it.
    /// - Invariant: bit 63 of a word is the first row; `unused` low bits stand for none.
    /// - No branch on a code where `crowded` or where the codes of the needle are known: it cannot
    ///   be predicted.
    /// - The measurements are in `docs/tried/onpair.md`, under "Search".
    ///
    /// If rows are `crowded`, no branch on them can be predicted. Then the first code of each row,
    /// and the last one for an equal row, are compared without a branch. A second loop judges the
    /// rows that remain open.
    #[inline(never)]
    fn sift_form(&self, table: impl RowSpans, source: impl Source, rows: &mut Range<u64>, crowded: bool) -> Sifted {
        let (first, unused) = take_rows(rows);
        let all = || table.each(index(first)..index(rows.start));
        let nth = |row: u32| table.nth(index(first.saturating_add(row.into())));
        let (mut sure, mut open, mut most) = (0u64, 0u64, 0);
        match self.steps.first().filter(|_| self.len > 0) {
            Some(step) if let Some(cut) = self.cut => {
                let mut alike = 0u64;
                for codes in all() {
                    alike = alike << 1 | u64::from(codes.end.wrapping_sub(codes.start) == cut.count);
                }
                alike <<= unused;
                // Fetches codes only for rows of the right length, and without a branch, so that
                // their cache misses overlap.
                while let Some(row) = take_first(&mut alike) {
                    let Some(codes) = nth(row) else { break };
                    let (first, last) = (source.at(codes.start), source.at(codes.end.wrapping_sub(1)));
                    let agree = (first == Some(step.code)) & (last == Some(cut.last));
                    open |= u64::from(agree) << (63 - row % 64);
                }
            }
            Some(step) if crowded => {
                // Where the first code is the needle's first, the second decides.
                let wider = self.steps.get(1).filter(|_| self.len > 1).map_or(Filter::ALL, NeedleStep::wider);
                for codes in all() {
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
                for (row, codes) in all().enumerate() {
                    let code = source.at(codes.start).unwrap_or(0);
                    most = code.max(most);
                    // The filter alone passes all codes if many tokens start with the rest of the
                    // needle.
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
            let Some(codes) = nth(row) else { break };
            sifted.add(first.saturating_add(row.into()), self.judge(source, codes));
        }
        sifted
    }
}

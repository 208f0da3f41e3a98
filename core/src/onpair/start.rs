//! A needle at the start of a row, or that is the whole row.
//!
//! With a sorted dictionary, nearly every row is decided by comparing one code with two numbers.

use core::ops::Range;

use super::codes::{Source, with_codes};
use super::column::Column;
use super::lookup::{Filter, NeedleCodes, NeedleStep, cut_needle, ends, steps};
use super::offsets::{RowSpans, with_rows};
use super::sifted::{FIRST, Sifted, take_first, take_rows};
use crate::Result;
use crate::num::index;
use crate::tuning::SMALL;

/// How many tokens of the needle are looked up beforehand. Rows that agree with all of them are rare, or compared bytewise. Where stack
/// counts for more than time, only the first.
const STEPS: usize = if SMALL { 1 } else { 8 };

/// From the start of a row: the whole row, or what it starts with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'s> {
    needle: &'s [u8],
    whole: bool,
    steps: [NeedleStep; STEPS],
    len: usize,
    /// Whether the steps reach the end of the needle.
    complete: bool,
    /// The tokens that a row may end with if it is the needle.
    ends: Filter,
    /// What the codes of a row are if it is the needle, where that is known.
    cut: Option<NeedleCodes>,
    /// Codes from here on name no token. They decide nothing: they are an error.
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

    /// Whether the row of these codes matches. Only those are looked at that decide it.
    pub(super) fn matches(&self, column: &Column<'_>, codes: Range<usize>) -> Result<bool> {
        let answer = with_codes!(column.codes.form(), source => self.judge(source, codes.clone()));
        answer.map_or_else(|| self.compare(column, codes), Ok)
    }

    /// Compares the needle with the row of these codes, token by token.
    pub(super) fn compare(&self, column: &Column<'_>, codes: Range<usize>) -> Result<bool> {
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

    /// Looks at the next 64 rows and takes them off `rows`.
    pub(super) fn sift(&self, column: &Column<'_>, rows: &mut Range<u64>, crowded: bool) -> Sifted {
        with_rows!(column.row_offsets().table(), table => {
            with_codes!(column.codes.form(), source => self.sift_form(table, source, rows, crowded))
        })
    }

    /// Whether the row of these codes matches. `None` if its bytes have to be compared.
    #[inline]
    fn judge(&self, source: impl Source, codes: Range<usize>) -> Option<bool> {
        let mut rest = codes;
        for step in self.steps.get(..self.len).unwrap_or(&[]) {
            // The needle goes on where the row ends.
            let Some(at) = rest.next() else { return Some(false) };
            match source.at(at) {
                Some(code) if code == step.code => {}
                Some(code) if usize::from(code) < self.tokens => {
                    return match step.extends(code) {
                        // What is more than the needle is too much for a whole row.
                        true => Some(!self.whole),
                        // A shorter token than there could be: no encoder that is known would do that, but the bytes may agree.
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
    /// Which way a row goes cannot be foretold where it is `crowded`: then the first code of each, and the last of those that
    /// have to be the needle, are looked at without a branch. What is worth more than that look is left for a second loop.
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
                // Codes are fetched for rows that have as many, and without a branch, so that waiting for one is waiting for all.
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
            let Some(codes) = nth(row) else { break };
            sifted.add(first.saturating_add(row.into()), self.judge(source, codes));
        }
        sifted
    }
}

//! A column: a dictionary, codes and rows that fit together.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::codes::{Codes, Source as _, with_codes};
use super::dictionary::Dictionary;
use super::emit::{codes_len, decode_codes, decode_row};
use super::lookup::{is_longest, starts_others};
use super::offsets::{RowOffsets, RowSpans as _};
use super::tokens::MAX_TOKEN_LEN;
use super::wide::Wide;
use crate::fault::{Fault, Verdict};
#[cfg(feature = "alloc")]
use crate::heap::zeros;
use crate::num::{index, u64_from};
use crate::tuning::SMALL;
use crate::{Error, ErrorKind, Limits, Result, Sink};

/// Evaluates an expression with the wide copy of the dictionary if there is one, or else with the
/// dictionary.
macro_rules! with_tokens {
    ($column:expr, $tokens:ident => $call:expr) => {
        match &$column.wide {
            Some($tokens) if !$crate::tuning::SMALL => $call,
            _ => {
                let $tokens = &$column.dictionary;
                $call
            }
        }
    };
}
pub(super) use with_tokens;

/// A column of strings, borrowed from the slices that hold it.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    pub(super) dictionary: Dictionary<'a>,
    pub(super) codes: Codes<'a>,
    pub(super) offsets: RowOffsets<'a>,
    pub(super) wide: Option<Wide<'a>>,
    greedy: bool,
    /// The limit on output.
    max_output: u64,
}

impl<'a> Column<'a> {
    /// Makes a column. Checks that no row ends before it starts, and that none ends after the last
    /// code.
    ///
    /// Safe decoding needs only this and the checks of [`Dictionary::open`]. Codes are checked one
    /// by one when they are decoded, or all at once by [`check`](Self::check).
    #[cfg_attr(feature = "small", inline(always))]
    pub fn open(
        dictionary: Dictionary<'a>,
        codes: Codes<'a>,
        offsets: RowOffsets<'a>,
        limits: &Limits,
    ) -> Result<Self> {
        if u64_from(dictionary.len()) > limits.max_elements {
            return Err(Error::new(ErrorKind::ElementLimit, 0).needing(u64_from(dictionary.len())));
        }
        offsets.check(codes.len(), limits)?;
        Ok(Self { dictionary, codes, offsets, wide: None, greedy: false, max_output: limits.max_output })
    }

    /// Checks that every code of every row names a token.
    pub fn check(&self) -> Result<()> {
        self.decoded_len(self.rows()).map(drop)
    }

    /// Returns the same column if its dictionary is [conforming](Dictionary::conforming), which
    /// makes search faster.
    pub fn conforming(self) -> Result<Self> {
        Ok(Self { dictionary: self.dictionary.conforming()?, ..self })
    }

    /// Checks if each row of a [conforming](Self::conforming) column is cut as all known encoders
    /// cut it: into the longest token, repeatedly. Then a row equals the needle only if their codes
    /// are equal, and [`Search::equals`](super::Search::equals) skips rows with more codes or
    /// fewer.
    ///
    /// Takes longer than decoding the column, so use it for columns that are searched often.
    /// Returns a column that is cut otherwise as it was, and one whose dictionary is not known to
    /// conform. A code that names no token is an error.
    pub fn greedy(self) -> Result<Self> {
        if !self.dictionary.is_conforming() {
            return Ok(self);
        }
        let mut greedy = true;
        for row in self.rows() {
            let mut codes = self.codes_of_row(row)?;
            while let Some(at) = codes.next() {
                let token = self.codes.get(at).and_then(|code| Some((code, self.dictionary.token(code)?)));
                let (code, token) = token.ok_or_else(|| self.error(self.no_token(at)))?;
                if greedy && starts_others(&self.dictionary, code, token) {
                    let mut ahead = [0; MAX_TOKEN_LEN];
                    let len = self.look_ahead(at..codes.end, &mut ahead);
                    greedy = is_longest(&self.dictionary, code, ahead.get(..len).unwrap_or(&[]));
                }
            }
        }
        Ok(Self { greedy, ..self })
    }

    /// Returns `true` if [`greedy`](Self::greedy) has found the column so.
    pub const fn is_greedy(&self) -> bool {
        self.greedy
    }

    /// Copies the next bytes of a row, at most as many as a token may have. Returns their number.
    fn look_ahead(&self, codes: Range<usize>, ahead: &mut [u8; MAX_TOKEN_LEN]) -> usize {
        let mut len = 0;
        for at in codes {
            let token = self.token_at(at).unwrap_or(&[]);
            let room = ahead.get_mut(len..).unwrap_or(&mut []);
            if room.is_empty() {
                break;
            }
            crate::num::copy(token, room);
            len = len.wrapping_add(token.len());
        }
        len.min(MAX_TOKEN_LEN)
    }

    /// Returns the same column with a wide copy of its dictionary in the caller's memory: 16 bytes
    /// and a length for each token. The output is the same, but decoding is faster: it pays off
    /// after a few thousand rows. [`WideWorkspace`](super::WideWorkspace) is such memory in one
    /// piece.
    ///
    /// Tokens that start at a multiple of 16 bytes, as allocators return them, are read fastest.
    /// With the feature `small` nothing becomes faster.
    pub fn widened<'w>(self, tokens: &'w mut [[u8; MAX_TOKEN_LEN]], lens: &'w mut [u8]) -> Result<Column<'w>>
    where
        'a: 'w,
    {
        let wide = Wide::new(&self.dictionary, tokens, lens)?;
        Ok(Column { wide: Some(wide), ..self })
    }

    /// The tokens.
    pub const fn dictionary(&self) -> &Dictionary<'a> {
        &self.dictionary
    }

    /// The codes, including those that belong to no row.
    pub const fn codes(&self) -> &Codes<'a> {
        &self.codes
    }

    /// The first code of each row.
    pub const fn row_offsets(&self) -> &RowOffsets<'a> {
        &self.offsets
    }

    /// All rows.
    pub const fn rows(&self) -> Range<u64> {
        0..self.offsets.rows()
    }

    /// Returns the number of bytes that these rows decode to.
    pub fn decoded_len(&self, rows: Range<u64>) -> Result<u64> {
        self.decoded_len_of(self.codes_of_rows(&rows)?)
    }

    /// Returns the length of a row in bytes.
    pub fn row_len(&self, row: u64) -> Result<u64> {
        self.decoded_len_of(self.codes_of_row(row)?)
    }

    /// Decodes rows, one after the other, to the start of `out`. Returns the number of bytes.
    ///
    /// An output that is exactly as long as [`decoded_len`](Self::decoded_len) says is enough. May
    /// overwrite up to 16 bytes after the last row in a longer one, which is faster than sparing
    /// them.
    pub fn decode_into(&self, rows: Range<u64>, out: &mut [u8]) -> Result<usize> {
        self.decode_range(self.codes_of_rows(&rows)?, out)
    }

    /// Decodes one row to the start of `out`. Returns its length. May overwrite up to 16 bytes
    /// after the row.
    #[inline]
    pub fn row_into(&self, row: u64, out: &mut [u8]) -> Result<usize> {
        if let Some(codes) = self.offsets.table().nth(index(row))
            && let Some(len) = self.decode_short(codes, out)
        {
            return Ok(len);
        }
        self.decode_long_row(row, out)
    }

    /// The slow path: many codes, errors, and output that ends with the row. Marked cold, or the
    /// compiler would reserve registers for it that short rows need.
    #[cold]
    #[inline(never)]
    pub(super) fn decode_long_row(&self, row: u64, out: &mut [u8]) -> Result<usize> {
        self.decode_long(self.codes_of_row(row)?, out)
    }

    /// Decodes rows to a sink, at most 512 bytes at a time. Returns the number of bytes. The sink
    /// takes nothing if they exceed the limit on output.
    pub fn decode_to(&self, rows: Range<u64>, sink: &mut impl Sink) -> Result<u64> {
        let mut codes = self.codes_of_rows(&rows)?;
        // Rows that may exceed the limit are measured first, for the same error as in one piece.
        if u64_from(codes.len()).saturating_mul(u64_from(MAX_TOKEN_LEN)) > self.max_output {
            self.check_output(self.decoded_len(rows)?)?;
        }
        let (mut sum, mut buffer) = (0u64, [0; TO_SINK * MAX_TOKEN_LEN]);
        while codes.start < codes.end {
            let (from, to) = (codes.start, codes.start.saturating_add(TO_SINK).min(codes.end));
            let decoded = with_tokens!(self, tokens => decode_codes(*tokens, &self.codes, from..to, &mut buffer));
            let len = decoded.ok_or_else(|| self.unfinished(from..to))?;
            sum = sum.saturating_add(u64_from(len));
            sink.write(buffer.get(..len).unwrap_or(&[]))?;
            codes.start = to;
        }
        Ok(sum)
    }

    /// Decodes rows in the layout of Arrow strings: all bytes in one buffer, the start of each row
    /// in another. The second has one entry more than there are rows. Returns the number of bytes.
    pub fn decode_arrow<O: ArrowOffset>(&self, rows: Range<u64>, bytes: &mut [u8], offsets: &mut [O]) -> Result<usize> {
        self.codes_of_rows(&rows)?;
        let count = index(rows.end.saturating_sub(rows.start)).saturating_add(1);
        let Some((first, ends)) = offsets.get_mut(..count).and_then(<[O]>::split_first_mut) else {
            return Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(u64_from(count)));
        };
        *first = O::default();
        let mut at = 0usize;
        for (row, end) in rows.clone().zip(ends) {
            let rest = bytes.get_mut(at..).unwrap_or(&mut []);
            match self.row_into(row, rest) {
                Ok(len) => at = at.saturating_add(len),
                // The need of all rows, not of this one.
                Err(error) if error.kind == ErrorKind::OutputTooSmall => {
                    return Err(error.needing(self.decoded_len(rows)?));
                }
                Err(error) => return Err(error),
            }
            let too_much = Error::new(ErrorKind::OutputLimit, 0).needing(u64_from(at));
            *end = O::try_from(at).map_err(|_| too_much)?;
            if u64_from(at) > self.max_output {
                return Err(too_much);
            }
        }
        Ok(at)
    }

    /// Decodes rows, one after the other.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec(&self, rows: Range<u64>) -> Result<Vec<u8>> {
        let need = self.decoded_len(rows.clone())?;
        self.check_output(need)?;
        let mut out = zeros(need)?;
        self.decode_into(rows, &mut out)?;
        Ok(out)
    }

    /// Returns the wide copy, unless the build has no loop for it.
    #[inline]
    pub(super) fn wide(&self) -> Option<Wide<'a>> {
        self.wide.filter(|_| !SMALL)
    }

    /// Returns the number of bytes that may be written to an output.
    #[inline]
    pub(super) fn most(&self) -> usize {
        index(self.max_output)
    }

    /// Refuses an output of this length if it exceeds the limit.
    fn check_output(&self, need: u64) -> Result<()> {
        let allowed = need <= self.max_output;
        allowed.then_some(()).ok_or(Error::new(ErrorKind::OutputLimit, 0).needing(need))
    }

    /// Returns the codes of these rows.
    #[inline]
    fn codes_of_rows(&self, rows: &Range<u64>) -> Result<Range<usize>> {
        self.offsets.span(rows).ok_or_else(|| outside(rows.end))
    }

    /// Returns the codes of one row.
    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
    pub(super) fn codes_of_row(&self, row: u64) -> Result<Range<usize>> {
        self.offsets.row(row).ok_or_else(|| outside(row))
    }

    /// Turns a fault, which counts from the first code, into an error of the file.
    #[cold]
    pub(super) fn error(&self, fault: Fault) -> Error {
        Error::new(fault.kind, self.codes.at().saturating_add(u64_from(fault.at)))
    }

    /// Returns the token of the code at this place.
    #[inline]
    pub(super) fn token_at(&self, at: usize) -> Verdict<&'a [u8]> {
        let token = self.codes.get(at).and_then(|code| self.dictionary.token(code));
        token.ok_or_else(|| self.no_token(at))
    }

    /// Returns the fault of a code that names no token.
    #[cold]
    pub(super) fn no_token(&self, at: usize) -> Fault {
        Fault::new(ErrorKind::OnPairCode, self.codes.place(at))
    }

    #[inline]
    pub(super) fn decoded_len_of(&self, range: Range<usize>) -> Result<u64> {
        let len = with_tokens!(self, tokens => codes_len(*tokens, &self.codes, range));
        len.map_err(|fault| self.error(fault))
    }

    #[inline]
    pub(super) fn decode_range(&self, range: Range<usize>, out: &mut [u8]) -> Result<usize> {
        match self.decode_short(range.clone(), out) {
            Some(len) => Ok(len),
            None => self.decode_long(range, out),
        }
    }

    /// Decodes a few codes. Returns `None` if they need the slow path.
    #[cfg_attr(not(target_arch = "wasm32"), inline)]
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn decode_short(&self, range: Range<usize>, out: &mut [u8]) -> Option<usize> {
        if !is_short(&range) {
            return None;
        }
        let most = self.most().min(out.len());
        let out = out.get_mut(..most)?;
        with_tokens!(self, tokens => with_codes!(self.codes.form(), codes => decode_row(tokens, codes.each(range)?, out)))
    }

    fn decode_long(&self, range: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let most = self.most().min(out.len());
        let out = out.get_mut(..most).unwrap_or(&mut []);
        let decoded = with_tokens!(self, tokens => decode_codes(*tokens, &self.codes, range.clone(), out));
        decoded.ok_or_else(|| self.unfinished(range))
    }

    /// Returns the reason why these codes were not decoded: one names no token, or else the output
    /// is too small, or must not be as large.
    #[cold]
    fn unfinished(&self, range: Range<usize>) -> Error {
        match with_tokens!(self, tokens => codes_len(*tokens, &self.codes, range)) {
            Err(fault) => self.error(fault),
            Ok(need) if need > self.max_output => Error::new(ErrorKind::OutputLimit, 0).needing(need),
            Ok(need) => Error::new(ErrorKind::OutputTooSmall, 0).needing(need),
        }
    }
}

/// Tokens that go to a sink at a time: their bytes fit on a small stack.
const TO_SINK: usize = 32;

/// Returns the error of a row that does not exist.
#[cold]
fn outside(row: u64) -> Error {
    Error::new(ErrorKind::RangeOutside, 0).needing(row)
}

/// Returns `true` if these codes are too few for the set-up of the fast decoder. With the feature
/// `small` it has none.
#[inline]
pub(super) const fn is_short(codes: &Range<usize>) -> bool {
    !SMALL && codes.end.wrapping_sub(codes.start) <= 48
}

/// A type of string offsets: i32 or i64 as in Arrow, u32 and u64 for others.
pub trait ArrowOffset: Copy + Default + TryFrom<usize> + private::Sealed {}

impl ArrowOffset for i32 {}
impl ArrowOffset for i64 {}
impl ArrowOffset for u32 {}
impl ArrowOffset for u64 {}

mod private {
    /// Keeps the list of types closed.
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

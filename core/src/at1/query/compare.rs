//! Numbers as text, compared and added by their digits.
//!
//! A column of integers or decimals keeps the text of each value, so that `007`, `+5`, `1e3` and
//! numbers of any length stay as written. No answer goes through an `f64`. Only [`Number::near`]
//! does, for zone maps, whose bounds are `f64`; its error can only cause a needless read.

use core::cmp::Ordering;
use core::fmt::{self, Write as _};

use crate::steps;
use crate::{Error, ErrorKind, Result};

/// Digits up to which integers are distinguished. More than an `i64` has.
const INTEGER_DIGITS: i64 = 30;

/// A number: `0.` and its digits, times ten to the power of `magnitude`.
///
/// The text may have white space around it, a sign, leading zeros, a point at either end, and an
/// exponent of up to nine digits.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    negative: bool,
    /// Digits before the point without leading zeros. Without trailing zeros either if no digits
    /// follow the point.
    whole: &'a [u8],
    /// Digits after the point without trailing zeros. Without leading zeros either if no digits
    /// precede the point.
    fraction: &'a [u8],
    magnitude: i64,
}

impl<'a> Number<'a> {
    /// Reads a number. Returns `None` for any other text, `NaN` and infinities included.
    pub fn read(text: &'a [u8]) -> Option<Self> {
        steps::count(text.len());
        let (negative, text) = sign(text.trim_ascii());
        let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            None => (text, 0),
            Some(at) => (text.get(..at)?, exponent(text.get(at..)?.get(1..)?)?),
        };
        let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
            None => (mantissa, &[][..]),
            Some(at) => (mantissa.get(..at)?, mantissa.get(at..)?.get(1..)?),
        };
        let digits = whole.iter().chain(fraction);
        if mantissa.len() == usize::from(whole.len() < mantissa.len()) || !digits.clone().all(u8::is_ascii_digit) {
            return None;
        }
        let mut whole = without_leading_zeros(whole);
        let mut fraction = without_trailing_zeros(fraction);
        let mut magnitude = len(whole);
        if fraction.is_empty() {
            whole = without_trailing_zeros(whole);
        }
        if whole.is_empty() {
            let significant = without_leading_zeros(fraction);
            magnitude = len(significant).saturating_sub(len(fraction));
            fraction = significant;
        }
        // Zero has neither sign nor magnitude.
        let zero = whole.is_empty() && fraction.is_empty();
        let magnitude = if zero { 0 } else { magnitude.saturating_add(exponent) };
        Some(Self { negative: negative && !zero, whole, fraction, magnitude })
    }

    fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.whole.iter().chain(self.fraction).map(|byte| byte.wrapping_sub(b'0'))
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// Compares two numbers.
    pub fn compare(&self, other: &Number<'_>) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_sizes(other),
            (true, true) => other.compare_sizes(self),
        }
    }

    fn compare_sizes(&self, other: &Number<'_>) -> Ordering {
        let by_magnitude = match (self.is_zero(), other.is_zero()) {
            (false, false) => self.magnitude.cmp(&other.magnitude),
            (ours, theirs) => theirs.cmp(&ours),
        };
        // Digits never end with a zero, so that a longer number is larger than its prefix.
        by_magnitude.then_with(|| self.digits().cmp(other.digits()))
    }

    /// Returns the nearest integer above the number (`up`) or below it. If no `i64` is near, only
    /// the sign is right.
    pub(crate) fn integer(&self, up: bool) -> i128 {
        let mut size = 0i128;
        let mut digits = self.digits();
        for _ in 0..self.magnitude.min(INTEGER_DIGITS) {
            size = size.saturating_mul(10).saturating_add(digits.next().unwrap_or(0).into());
        }
        let exact = digits.all(|digit| digit == 0);
        let away = i128::from(!exact && up != self.negative);
        let size = size.saturating_add(away);
        if self.negative { size.saturating_neg() } else { size }
    }

    /// Returns two numbers close to this one, one on each side.
    ///
    /// Eighteen digits are multiplied by a power of ten in a few steps that round. The margin on
    /// both sides is far larger than the sum of these errors.
    pub(crate) fn near(&self) -> (f64, f64) {
        const DIGITS: i64 = 18;
        /// Below this, an `f64` loses bits.
        const TINY: f64 = 1e-280;
        let mut digits = self.digits();
        let top = (0..DIGITS).fold(0u64, |sum, _| sum.wrapping_mul(10).wrapping_add(digits.next().unwrap_or(0).into()));
        #[allow(clippy::cast_precision_loss, reason = "one of the roundings that the margin is for")]
        let mut size = top as f64;
        let mut power = self.magnitude.saturating_sub(DIGITS).clamp(-800, 800);
        while power != 0 && size != 0.0 && size.is_finite() {
            let step = power.clamp(-22, 22);
            let factor = (0..step.unsigned_abs()).fold(1.0, |factor, _| factor * 10.0);
            size = if step < 0 { size / factor } else { size * factor };
            power = power.saturating_sub(step);
        }
        let margin = size * f64::EPSILON * 64.0;
        let (low, high) = match size {
            _ if self.is_zero() => (0.0, 0.0),
            size if size < TINY => (0.0, TINY),
            size if size.is_finite() => (size - margin, size + margin),
            _ => (f64::MAX, f64::INFINITY),
        };
        if self.negative { (-high, -low) } else { (low, high) }
    }
}

/// Splits off the sign.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = sign(text);
    let significant = without_leading_zeros(digits);
    if digits.is_empty() || significant.len() > 9 {
        return None;
    }
    let value = digits_value(significant)?;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Returns the value of at most 18 digits. `None` if one of them is no digit.
#[inline]
fn digits_value(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0i64, |sum, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| sum.wrapping_mul(10).wrapping_add(digit.into()))
    })
}

fn without_leading_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

fn without_trailing_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|&&digit| digit == b'0').count();
    digits.get(..digits.len().saturating_sub(zeros)).unwrap_or_default()
}

fn len(digits: &[u8]) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

/// Reads an integer of the usual form: an optional minus and at most 18 digits.
#[inline]
pub(crate) fn short_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let value = digits_value(digits)?;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// An exact sum of decimals: a 128-bit integer and its number of decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The sum times ten to the power of `scale`.
    pub value: i128,
    /// Digits after the point.
    pub scale: u32,
}

/// Decimals of a sum at most. No `f64` has more, as long as 128 bits hold the digits before the
/// point. A larger exponent could ask for a gigabyte of text.
const MAX_SCALE: i64 = 400;

impl Sum {
    /// Adds a number. Fails if the sum does not fit.
    pub fn add(&mut self, number: &Number<'_>) -> Result<()> {
        *self = self.plus(number).ok_or(Error::new(ErrorKind::At1QuerySum, 0))?;
        Ok(())
    }

    fn plus(self, number: &Number<'_>) -> Option<Self> {
        if number.is_zero() {
            return Some(self);
        }
        let mut value = 0i128;
        for digit in number.digits() {
            let digit = i128::from(digit);
            value = value.checked_mul(10)?.checked_add(if number.negative { digit.wrapping_neg() } else { digit })?;
        }
        let digits = len(number.whole).saturating_add(len(number.fraction));
        let scale = digits.saturating_sub(number.magnitude);
        let common = scale.max(self.scale.into());
        if common > MAX_SCALE {
            return None;
        }
        let ours = scaled(self.value, common.saturating_sub(self.scale.into()))?;
        let theirs = scaled(value, common.saturating_sub(scale))?;
        Some(Self { value: ours.checked_add(theirs)?, scale: u32::try_from(common).ok()? })
    }
}

/// Multiplies by ten to the power of `power`.
fn scaled(value: i128, power: i64) -> Option<i128> {
    match (value, u32::try_from(power)) {
        (0, _) => Some(0),
        (value, Ok(power)) => value.checked_mul(10i128.checked_pow(power)?),
        _ => None,
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [b'0'; 40];
        let mut rest = words(self.value.unsigned_abs());
        let mut count = 0u32;
        for place in digits.iter_mut().rev() {
            if rest == [0; 4] {
                break;
            }
            *place = b'0'.wrapping_add(last_digit(&mut rest));
            count = count.saturating_add(1);
        }
        if self.value < 0 {
            f.write_str("-")?;
        }
        // The places from the highest that matters down to the last. Those above the digits are
        // zero.
        for place in (0..count.max(self.scale.saturating_add(1))).rev() {
            let byte = usize::try_from(place).ok().and_then(|place| digits.iter().rev().nth(place));
            f.write_char(char::from(byte.copied().unwrap_or(b'0')))?;
            if place == self.scale && place > 0 {
                f.write_str(".")?;
            }
        }
        Ok(())
    }
}

/// Returns the words of an integer, the highest first.
fn words(value: u128) -> [u32; 4] {
    [96, 64, 32, 0].map(|shift| u32::try_from(value >> shift & u128::from(u32::MAX)).unwrap_or(0))
}

/// Divides by ten and returns the remainder. Works word by word, because 128-bit division takes a
/// kilobyte of flash that nothing else needs.
fn last_digit(words: &mut [u32; 4]) -> u8 {
    let mut left = 0u64;
    for word in words {
        let value = left << 32 | u64::from(*word);
        *word = u32::try_from(value / 10).unwrap_or(0);
        left = value % 10;
    }
    u8::try_from(left).unwrap_or(0)
}

/// The smallest or the largest number so far, by the position of its text. Keeps the parsed number,
/// so that a long text is not read again for each comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Best {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) found: bool,
    negative: bool,
    magnitude: i64,
    /// Start of the digits of a [`Number`] in the text, and their count.
    whole: (usize, usize),
    fraction: (usize, usize),
}

impl Best {
    /// Moves its position to the front, where its text is now. Returns its length.
    pub(crate) const fn moved_to_front(&mut self) -> usize {
        self.end = self.end.saturating_sub(self.start);
        self.start = 0;
        self.end
    }

    /// Takes the text at `start..end` of `work` if it is a number before (`Less`) or after
    /// (`Greater`) the best so far. Returns whether it is a number.
    pub(crate) fn offer(&mut self, work: &[u8], start: usize, end: usize, wins: Ordering) -> bool {
        let text = work.get(start..end).unwrap_or_default();
        let Some(number) = Number::read(text) else { return false };
        if !self.found || number.compare(&self.number(work)) == wins {
            let place = |digits: &[u8]| (digits.as_ptr().addr().saturating_sub(text.as_ptr().addr()), digits.len());
            let Number { negative, whole, fraction, magnitude } = number;
            let (whole, fraction) = (place(whole), place(fraction));
            *self = Self { start, end, found: true, negative, magnitude, whole, fraction };
        }
        true
    }

    fn number<'a>(&self, work: &'a [u8]) -> Number<'a> {
        let text = work.get(self.start..self.end).unwrap_or_default();
        let digits = |(at, len): (usize, usize)| text.get(at..at.saturating_add(len)).unwrap_or_default();
        let Self { negative, magnitude, .. } = *self;
        Number { negative, whole: digits(self.whole), fraction: digits(self.fraction), magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number<'_> {
        Number::read(text.as_bytes()).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn compares_numbers_in_any_notation() {
        let ascending: &[&[&str]] = &[
            &["-1e400"],
            &["-9223372036854775809", "-9223372036854775809.0"],
            &["-9223372036854775808"],
            &["-12.50", "-012.5", "-1.25e1", "-125E-1", " -12.5\r"],
            &["-0.001", "-1e-3"],
            &["0", "-0", "+0", "000", "0.00", "-0.0", "0e5", ".0", "0."],
            &["1e-400"],
            &["0.1", ".1", "+.10"],
            &["0.10000000000000000000000000000000000000001"],
            &["7", "007", "+7", "7.", "7.0", "0.7e1", "700e-2", "\t7 "],
            &["10", "1e1", "1E+01"],
            &["123456789012345678901234567890"],
            &["123456789012345678901234567890.1"],
            &["1e999999999"],
        ];
        for (i, ones) in ascending.iter().enumerate() {
            for (j, others) in ascending.iter().enumerate() {
                for one in ones.iter() {
                    for other in others.iter() {
                        assert_eq!(number(one).compare(&number(other)), i.cmp(&j), "{one} and {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_best_number_stays() {
        // A million digits, then many numbers that differ from it only at the end, or at once.
        let zeros = "0".repeat(1 << 20);
        for (long, short, wins) in [
            (format!("2.{zeros}1"), "2", Ordering::Greater),
            (format!("-2{zeros}1"), "-2e1048577", Ordering::Less),
            (format!("2{zeros}"), "2e1048576", Ordering::Greater),
        ] {
            let work = format!("{long}\n{short}");
            let mut best = Best::default();
            assert!(best.offer(work.as_bytes(), 0, long.len(), wins));
            for _ in 0..100 {
                assert!(best.offer(work.as_bytes(), long.len() + 1, work.len(), wins));
            }
            assert_eq!((best.start, best.end), (0, long.len()));
        }
    }

    #[test]
    fn refuses_texts_that_are_no_numbers() {
        for text in [
            "",
            " ",
            ".",
            "-",
            "+",
            "-.",
            "e5",
            "1e",
            "1e+",
            "1e1.5",
            "--1",
            "1 2",
            "1.2.3",
            "NaN",
            "inf",
            "0x1",
            "1_0",
            "1e1234567890",
            "\"1\"",
            "1,5",
        ] {
            assert!(Number::read(text.as_bytes()).is_none(), "{text:?}");
        }
    }

    #[test]
    fn bounds_a_number_by_integers_and_floats() {
        for (text, low, high) in [
            ("7.5", 7, 8),
            ("-7.5", -8, -7),
            ("7", 7, 7),
            ("0.0001", 0, 1),
            ("-1e-9", -1, 0),
            ("1200e-2", 12, 12),
            ("-9223372036854775809", -9_223_372_036_854_775_809, -9_223_372_036_854_775_809),
        ] {
            assert_eq!((number(text).integer(false), number(text).integer(true)), (low, high), "{text}");
        }
        assert!(number("1e99").integer(false) > i128::from(u64::MAX));
        assert!(number("-1e99").integer(true) < i128::from(i64::MIN));
        for text in [
            "42284.01",
            "-0.1",
            "1e22",
            "1e23",
            "123456789012345678901234567890",
            "1e-300",
            "-1e308",
            "5e-324",
            "0",
            "1e-900",
            "1e900",
            "3.3e-290",
        ] {
            let exact: f64 = text.parse().unwrap();
            let (low, high) = number(text).near();
            assert!(low <= exact && exact <= high, "{text}: {low} {high}");
            assert!(
                exact.abs() < 1e-279 || !exact.is_finite() || high - low <= exact.abs() * 1e-13,
                "{text}: {low} {high}"
            );
        }
    }

    #[test]
    fn sums_are_exact_until_they_do_not_fit() {
        let sum = |texts: &[&str]| {
            let mut sum = Sum::default();
            texts.iter().try_for_each(|text| sum.add(&number(text))).map(|()| sum.to_string())
        };
        assert_eq!(sum(&[]).unwrap(), "0");
        assert_eq!(sum(&["0.1", "0.2", "-0.30"]).unwrap(), "0.0");
        assert_eq!(sum(&["9223372036854775807", "9223372036854775807", "1"]).unwrap(), "18446744073709551615");
        assert_eq!(sum(&["-0.05", "-1e2", "3"]).unwrap(), "-97.05");
        assert_eq!(sum(&["1e-50", "0e99"]).unwrap(), format!("0.{}1", "0".repeat(49)));
        assert_eq!(sum(&["5e-324"]).unwrap(), format!("0.{}5", "0".repeat(323)));
        assert_eq!(sum(&["1e-401"]).map_err(|error| error.kind), Err(ErrorKind::At1QuerySum));
        assert_eq!(sum(&["1e-999999999"]).map_err(|error| error.kind), Err(ErrorKind::At1QuerySum));
        assert_eq!(sum(&["1e-50", "1"]).map_err(|error| error.kind), Err(ErrorKind::At1QuerySum));
        assert_eq!(sum(&["1e38", "1e38"]).map_err(|error| error.kind), Err(ErrorKind::At1QuerySum));
        assert_eq!(sum(&["170141183460469231731687303715884105727"]).unwrap(), i128::MAX.to_string());
        assert_eq!(sum(&["-170141183460469231731687303715884105728"]).unwrap(), i128::MIN.to_string());
    }

    #[test]
    fn short_integers_are_the_same_numbers() {
        for text in ["0", "-5", "999999999999999999", "-999999999999999999", "007"] {
            assert_eq!(short_integer(text.as_bytes()).map(i128::from), Some(number(text).integer(true)));
        }
        for text in ["", "-", "1234567890123456789", "+5", " 5", "5.0", "5a"] {
            assert_eq!(short_integer(text.as_bytes()), None);
        }
    }
}

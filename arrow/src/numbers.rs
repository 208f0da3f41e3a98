//! Numbers of AT-1 tables as integers, decimals and floats: the short ones a word at a time, the
//! others by the rules of queries.

use unspool::at1::{Number, Sum};

/// The most digits of a decimal.
pub(crate) const PRECISION: u8 = 38;

/// Returns an integer, written in any way that queries accept: `7`, `007`, `+7`, `7.0`, `0.7e1`.
pub(crate) fn integer(text: &[u8]) -> Option<i64> {
    let value = plain(text).and_then(|number| number.integer());
    value.or_else(|| exact(text, 0).and_then(|value| i64::try_from(value).ok()))
}

/// Returns a decimal times ten to the power of `scale`, if it is exact.
pub(crate) fn decimal(text: &[u8], scale: u32) -> Option<i128> {
    plain(text).and_then(|number| number.decimal(scale as usize)).or_else(|| exact(text, scale))
}

/// Returns the nearest float of a number.
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    Number::read(text)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The end of what a decimal can hold: ten to the power of its precision.
const MOST: u128 = 10u128.pow(PRECISION as u32);

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

/// A number of at most 18 digits, perhaps with a sign before and a point between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    negative: bool,
    /// The digits as an integer.
    digits: u64,
    /// The number of digits after the point.
    after: usize,
}

impl Plain {
    /// The most digits.
    const MOST: usize = 18;

    #[inline]
    fn signed(self) -> i64 {
        let value = self.digits.cast_signed();
        if self.negative { -value } else { value }
    }

    #[inline]
    pub(crate) fn integer(self) -> Option<i64> {
        (self.after == 0).then(|| self.signed())
    }

    /// Returns the number times ten to the power of `scale`, if at most 18 digits are added.
    #[inline]
    pub(crate) fn decimal(self, scale: usize) -> Option<i128> {
        let up = *POWERS.get(scale.checked_sub(self.after)?)?;
        // Fewer than 36 digits, so it fits.
        Some(i128::from(self.signed()) * i128::from(up))
    }

    /// Returns the nearest float, if the digits are exact as a float. Powers of ten up to 22 are,
    /// too, and one division of two exact floats rounds once.
    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "both are exact")]
    pub(crate) fn float(self) -> Option<f64> {
        let power = *FLOATS.get(self.after)?;
        let value = self.digits as f64 / power;
        (self.digits <= 1 << f64::MANTISSA_DIGITS).then_some(if self.negative { -value } else { value })
    }
}

const POWERS: [u64; Plain::MOST + 1] = {
    let mut powers = [1; Plain::MOST + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

#[allow(clippy::cast_precision_loss, reason = "powers of ten up to 22 are exact")]
const FLOATS: [f64; Plain::MOST + 1] = {
    let mut floats = [1.0; Plain::MOST + 1];
    let mut at = 0;
    while at < floats.len() {
        floats[at] = POWERS[at] as f64;
        at += 1;
    }
    floats
};

/// Reads a number of at most 18 digits.
fn plain(text: &[u8]) -> Option<Plain> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if text.len() > Plain::MOST + 1 {
        return None;
    }
    let (mut digits, mut point, mut after) = (0, false, 0);
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            digits = digits * 10 + u64::from(digit);
            after += usize::from(point);
        } else if byte == b'.' && !point {
            point = true;
        } else {
            return None;
        }
    }
    let count = text.len() - usize::from(point);
    (1..=Plain::MOST).contains(&count).then_some(Plain { negative, digits, after })
}

/// Reads the number at the start of a text, as [`plain`] does, if a line feed follows it. Returns
/// it and its length. May return `None` for a number of more than 15 digits, or in the last 24
/// bytes of the text.
///
/// # Contract of the hot path
///
/// Takes eight bytes at once. The branches are on the sign, on the point, and on more or fewer than
/// eight digits: all of them hardly change within a column. Up to seven digits on both sides of a
/// point are joined and converted once. No loop over digits, no integer of 128 bits: see
/// `docs/tried/at1.md`.
#[inline]
pub(crate) fn brief(text: &[u8]) -> Option<(Plain, usize)> {
    let negative = *text.first()? == b'-';
    let start = usize::from(negative);
    let text = text.get(start..)?;
    let word = values(text.first_chunk()?);
    let bits = digit_bits(word);
    if bits < 64 {
        let len = (bits / 8) as usize;
        match *text.get(len)? {
            b'\n' if len > 0 => return Some((Plain { negative, digits: number(word, bits), after: 0 }, start + len)),
            b'.' => {}
            _ => return None,
        }
        // The digits before the point, and those after it in the place of the point.
        let low = (1 << bits) - 1;
        let joined = (word & low) | (values(text.get(1..)?.first_chunk()?) & !low);
        let bits = digit_bits(joined);
        let count = (bits / 8) as usize;
        if bits < 64 && count > 0 && text.get(count + 1) == Some(&b'\n') {
            return Some((Plain { negative, digits: number(joined, bits), after: count - len }, start + count + 1));
        }
    }
    let (whole, len) = digits(text)?;
    match *text.get(len)? {
        b'\n' if len > 0 => Some((Plain { negative, digits: whole, after: 0 }, start + len)),
        b'.' => {
            let (part, after) = digits(text.get(len + 1..)?)?;
            let (count, end) = (len + after, len + 1 + after);
            if *text.get(end)? != b'\n' || count == 0 || count > Plain::MOST {
                return None;
            }
            Some((Plain { negative, digits: whole * POWERS.get(after)? + part, after }, start + end))
        }
        _ => None,
    }
}

/// Lines of unsigned numbers that are equally long and have their point in the same place, as most
/// identifiers, times and prices are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The length of a line without its line feed.
    len: usize,
    /// The digits before the point, or all.
    before: usize,
    /// The digits after it.
    after: usize,
}

impl Shape {
    /// The lines that are read at once.
    pub(crate) const LINES: usize = 8;

    /// Returns the shape of the first line, if lines like it can be read at once.
    pub(crate) fn first(text: &[u8]) -> Option<Self> {
        let (Plain { negative, after, .. }, len) = brief(text)?;
        let before = if after > 0 { len.checked_sub(after + 1)? } else { len };
        let fits = !negative && before + after <= 16 && (after == 0 || before <= 8);
        fits.then_some(Self { len, before, after })
    }

    /// Returns the bytes that lines of this shape take.
    pub(crate) const fn bytes(self) -> usize {
        (self.len + 1) * Self::LINES
    }

    /// Reads the lines at the start of a text. Returns `None` if one has another shape, if
    /// `convert` refuses one, or in the last 18 bytes of the text.
    ///
    /// # Contract of the hot path
    ///
    /// Every line starts where the shape says, so no number waits for the one before it. Nothing
    /// but the end of the text is a branch: what does not fit is collected, and looked at after the
    /// last line.
    #[inline(always)]
    pub(crate) fn read<T>(
        self,
        text: &[u8],
        slots: &mut [T; Self::LINES],
        convert: impl Fn(Plain) -> Option<T>,
    ) -> Option<()> {
        match (self.before + self.after > 8, self.after > 0) {
            (false, false) => self.read_as::<T, false, false>(text, slots, convert),
            (false, true) => self.read_as::<T, false, true>(text, slots, convert),
            (true, false) => self.read_as::<T, true, false>(text, slots, convert),
            (true, true) => self.read_as::<T, true, true>(text, slots, convert),
        }
    }

    #[inline(always)]
    fn read_as<T, const LONG: bool, const POINT: bool>(
        self,
        text: &[u8],
        slots: &mut [T; Self::LINES],
        convert: impl Fn(Plain) -> Option<T>,
    ) -> Option<()> {
        let Self { len, before, after } = self;
        let first = (before + after).min(8);
        let second = before + after - first;
        let bits = |bytes: usize| u32::try_from(8 * bytes).unwrap_or(64);
        let (unused, up) = (64 - bits(if LONG { second } else { first }), *POWERS.get(second)?);
        let low = 1u64.unbounded_shl(bits(before)).wrapping_sub(1);
        let (mut others, mut rest) = (0, text);
        for slot in slots {
            // Up to 16 digits, a point and a line feed.
            let line: &[u8; 18] = rest.first_chunk()?;
            let [mut digits, mut more] = [eight_at::<0>(line), eight_at::<8>(line)];
            others |= u64::from(line.get(len)? ^ b'\n');
            if POINT {
                others |= u64::from(line.get(before)? ^ b'.');
                digits = (digits & low) | (eight_at::<1>(line) & !low);
                more = eight_at::<9>(line);
            }
            let last = (if LONG { more } else { digits }).unbounded_shl(unused);
            others |= no_digits(last);
            let mut number = joined(last);
            if LONG {
                others |= no_digits(digits);
                number += joined(digits) * up;
            }
            *slot = convert(Plain { negative: false, digits: number, after })?;
            rest = rest.get(len + 1..)?;
        }
        (others == 0).then_some(())
    }
}

/// Reads at most 16 digits. Returns their number and their count.
#[inline]
fn digits(text: &[u8]) -> Option<(u64, usize)> {
    let (first, len) = eight(text.first_chunk()?);
    if len < 8 {
        return Some((first, len));
    }
    let (second, len) = eight(text.get(8..)?.first_chunk()?);
    Some((first * POWERS.get(len)? + second, 8 + len))
}

/// Reads the digits at the start of eight bytes. Returns their number and their count.
#[inline]
const fn eight(text: &[u8; 8]) -> (u64, usize) {
    let values = values(text);
    let bits = digit_bits(values);
    (number(values, bits), (bits / 8) as usize)
}

/// Returns eight bytes of a line as [`values`] does.
#[inline]
fn eight_at<const AT: usize>(line: &[u8; 18]) -> u64 {
    line.get(AT..).and_then(<[u8]>::first_chunk).map_or(0, values)
}

const ONES: u64 = u64::MAX / 0xFF;

/// Returns eight bytes, each of which is the value of its digit if it is one.
#[inline]
const fn values(text: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*text) ^ (ONES * 0x30)
}

/// Returns the bits of the digits before the first byte that is no digit; 64 if all are digits.
#[inline]
const fn digit_bits(values: u64) -> u32 {
    no_digits(values).trailing_zeros() & !7
}

/// Returns the highest bit of the first byte that is no digit. Bits above it mean nothing.
#[inline]
const fn no_digits(values: u64) -> u64 {
    // Added to 10 or more, 0x76 sets the highest bit of the byte. A sum may carry into the bytes
    // above, but only from a byte that is no digit: the lowest bit that is set is right.
    (values.wrapping_add(ONES * 0x76) | values) & (ONES << 7)
}

/// Returns the number of the digits in the lowest bits.
#[inline]
const fn number(values: u64, bits: u32) -> u64 {
    // Zeros before the digits.
    joined(values.unbounded_shl(64 - bits))
}

/// Returns the number of eight digits.
#[inline]
const fn joined(digits: u64) -> u64 {
    // In each lane the digits before count ten, a hundred or ten thousand times those after.
    let twos = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00FF_00FF_00FF_00FF;
    let fours = twos.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

/// The slow path, by the rules of queries.
#[cold]
fn exact(text: &[u8], scale: u32) -> Option<i128> {
    let mut sum = Sum::default();
    sum.add(&Number::read(text)?).ok()?;
    let up = scale.checked_sub(sum.scale)?;
    sum.value.checked_mul(power(up)?).filter(|value| value.unsigned_abs() < MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_queries_read_them() {
        for text in ["7", "007", "+7", "7.0", "0.7e1", " 7\r", "700e-2", "7."] {
            assert_eq!(integer(text.as_bytes()), Some(7), "{text}");
        }
        assert_eq!(integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(integer(b"9223372036854775807"), Some(i64::MAX));
        for text in ["", "-", ".", "7.5", "x", "NaN", "9223372036854775808", "-9223372036854775809", "1e99", "null"] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn brief_numbers_are_plain_numbers() {
        let digits = "9081726354463728190";
        let (mut found, mut cut) = (0, 0);
        for sign in ["", "-", "+", " ", "--"] {
            for len in 0..=digits.len() {
                for point in (0..=len).map(Some).chain([None]) {
                    for end in ["\n", "\r\n", "", "x", ".", "e1\n", ":", "/", "\u{ba}"] {
                        let mut text = digits[..len].to_owned();
                        point.iter().for_each(|&point| text.insert(point, '.'));
                        let line = format!("{sign}{text}{end}");
                        for after in
                            ["", "0", "0123456789012345678901234", ".\n-5\n....................", "\n\n\n\n\n\n\n"]
                        {
                            let text = format!("{line}{after}");
                            let first = text.split('\n').next().unwrap();
                            let expected = plain(first.as_bytes()).map(|number| (number, first.len()));
                            let expected = expected.filter(|_| first.len() < text.len());
                            let brief = brief(text.as_bytes());
                            if first.len() <= 16 && text.len() >= first.len() + 24 {
                                assert_eq!(brief, expected, "{text:?}");
                                found += usize::from(expected.is_some());
                            } else if brief.is_some() {
                                assert_eq!(brief, expected, "{text:?}");
                                cut += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(found > 500 && cut > 100, "{found} {cut}");
    }

    #[test]
    fn lines_of_one_shape_are_read_as_one_by_one() {
        let (mut even, mut odd, mut shapes) = (0, 0, 0);
        for (before, after) in (0..=17).flat_map(|before| (0..=17).map(move |after| (before, after))) {
            let mut all = "31415926535897932384626433832795".chars().cycle();
            let mut line = || {
                let mut digits = |count| all.by_ref().take(count).collect::<String>();
                let whole = digits(before);
                if after > 0 { format!("{whole}.{}\n", digits(after)) } else { format!("{whole}\n") }
            };
            let text = (0..Shape::LINES).map(|_| line()).collect::<String>() + "12345678901234567\n";
            let Some(shape) = Shape::first(text.as_bytes()) else {
                assert!(before + after == 0 || before + after > 16 || after > 0 && before > 8, "{text}");
                continue;
            };
            shapes += 1;
            let mut slots = [Plain { negative: true, digits: 0, after: 0 }; Shape::LINES];
            for at in 0..shape.bytes() {
                for byte in *b"09.\n-+/: \xB0\xFF" {
                    let mut text = text.clone().into_bytes();
                    text[at] = byte;
                    let one = |line: &[u8]| {
                        let number = plain(line).filter(|number| !number.negative && number.after == after);
                        number.filter(|_| line.len() == shape.len && line.contains(&b'.') == (after > 0))
                    };
                    let lines = text.split(|&byte| byte == b'\n').take(Shape::LINES);
                    let expected: Option<Vec<_>> = lines.map(one).collect();
                    let found = shape.read(&text, &mut slots, Some).map(|()| slots.to_vec());
                    assert_eq!(found, expected, "{:?}", text.escape_ascii());
                    *if found.is_some() { &mut even } else { &mut odd } += 1;
                }
            }
            for end in 0..text.len() {
                let found = shape.read(&text.as_bytes()[..end], &mut slots, Some);
                assert!(found.is_none() || end >= shape.bytes(), "{end} bytes of {text}");
            }
        }
        assert!(shapes == 124 && even > 10_000 && odd > 100_000, "{shapes} {even} {odd}");
    }

    #[test]
    fn bytes_that_are_no_digits_end_a_number() {
        for byte in (0..=255u8).filter(|byte| !byte.is_ascii_digit()) {
            for len in 0..8 {
                for other in [b'0', b'9', b'\n', 0xFF] {
                    let mut word = [other; 8];
                    word[..len].copy_from_slice(&b"9876543"[..len]);
                    word[len] = byte;
                    let expected = "9876543"[..len].parse().unwrap_or(0);
                    assert_eq!(eight(&word), (expected, len), "{word:?}");
                }
            }
        }
        assert_eq!(eight(b"98765432"), (98_765_432, 8));
    }

    #[test]
    fn brief_floats_are_the_nearest() {
        let mut found = 0;
        for n in 0..200_000u64 {
            let digits = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (4 + n % 60);
            for after in [0, 1, 2, 7, 14, 15, 16, 18] {
                let (text, point) = (format!("{digits:020}"), 20 - after);
                let text = format!("-{}.{}", &text[..point], &text[point..]);
                let expected: f64 = text.parse().unwrap();
                let number = Plain { negative: true, digits, after };
                if let Some(float) = number.float() {
                    assert_eq!(float.to_bits(), expected.to_bits(), "{text}");
                    found += 1;
                } else {
                    assert!(digits > 1 << 53, "{text}");
                }
            }
        }
        assert!(found > 1_000_000, "{found}");
        let zero = brief(b"-0.0\n12345678901234567890").and_then(|(number, _)| number.float());
        assert_eq!(zero.map(f64::to_bits), Some((-0.0f64).to_bits()));
    }

    #[test]
    fn plain_decimals_are_those_of_the_slow_path() {
        for text in ["0", "-1.5", "999999999999999999", "-.999999999999999999", "12345678.12345678", "7."] {
            let number = plain(text.as_bytes()).unwrap();
            for scale in 0..=38 {
                let exact = exact(text.as_bytes(), scale);
                match number.decimal(scale as usize) {
                    Some(value) => assert_eq!(Some(value), exact, "{text} {scale}"),
                    None => assert!(exact.is_none() || scale as usize > number.after + 18, "{text} {scale}"),
                }
            }
        }
    }

    #[test]
    fn decimals_are_exact_or_none() {
        for (text, scale, value) in [
            ("9.130", 3, 9130),
            ("9.13", 3, 9130),
            ("9.1300000", 2, 913),
            ("-0.00", 2, 0),
            ("-0.5", 1, -5),
            (".5", 1, 5),
            ("5e-1", 1, 5),
            ("123456789012345678901234567890.12345678", 8, 12_345_678_901_234_567_890_123_456_789_012_345_678),
            ("99999999999999999999999999999999999999", 0, 99_999_999_999_999_999_999_999_999_999_999_999_999),
        ] {
            assert_eq!(decimal(text.as_bytes(), scale), Some(value), "{text}");
        }
        for (text, scale) in
            [("9.1301", 3), ("", 2), ("x", 2), ("1e40", 0), ("100000000000000000000000000000000000000", 0), ("10", 37)]
        {
            assert_eq!(decimal(text.as_bytes(), scale), None, "{text}");
        }
    }

    #[test]
    fn floats_are_the_nearest_and_words_are_none() {
        assert_eq!(float(b" 0.1\r"), Some(0.1));
        assert_eq!(float(b"1e400"), Some(f64::INFINITY));
        for text in ["NaN", "inf", "", "null", "0x10", "1_0"] {
            assert_eq!(float(text.as_bytes()), None, "{text}");
        }
    }
}

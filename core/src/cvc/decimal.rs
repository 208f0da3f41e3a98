//! Decimal text: in canonical form, to compare numbers by value; and to f32 by way of f64, both
//! roundings exact, in integers only.
//!
//! Writers store `min` and `scale` as decimals that are read as f64 and then rounded to f32;
//! rounding once would give other bits. The parser of `core` does the first step, but brings 10 KiB
//! of tables and code that can panic. Here the digits make a big binary number, which is multiplied
//! or divided by 10 as often as the exponent says: only the range of f32 matters.

use core::iter::repeat;

use super::float;

/// Limbs of 16 bits after the point: enough for the bits of an f64 that is nearly too small for an
/// f32, and for rounding them.
const FRACTION: usize = 14;
const FRACTION_BITS: i32 = 224;
/// Before the point, one limb more than any f64 has.
const LIMBS: usize = FRACTION + 65;
const INFINITY: u32 = f32::INFINITY.to_bits();

/// Reads a checked JSON number, or one of the words `NaN`, `Infinity` and `-Infinity`.
///
/// Returns `None` for anything else, and for integers beyond the range of f64, which Python cannot
/// convert.
#[inline(never)]
pub(super) fn f32_from(raw: &[u8]) -> Option<f32> {
    let (negative, raw) = if let [b'-', rest @ ..] = raw { (true, rest) } else { (false, raw) };
    let bits = match raw.first()? {
        b'N' => return Some(f32::NAN),
        b'I' => INFINITY,
        b'0'..=b'9' => match magnitude(raw)? {
            // An integer has no sign if it is zero.
            (0, false) => return Some(0.0),
            (bits, _) => bits,
        },
        _ => return None,
    };
    Some(f32::from_bits(bits | u32::from(negative) << 31))
}

/// Returns the bits of the f32 that a number without a sign becomes, and whether it has a point or
/// an exponent.
fn magnitude(raw: &[u8]) -> Option<(u32, bool)> {
    let mut number = Big { limbs: [0; LIMBS], used: FRACTION };
    // The power of ten by which the number is multiplied in the end.
    let (mut power, mut real) = (0isize, false);
    let mut rest = raw.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            b'.' => real = true,
            b'e' | b'E' => {
                real = true;
                power = power.wrapping_add(exponent(rest.as_slice()));
                break;
            }
            digit => {
                let is_full = number.is_full();
                if is_full {
                    number.set_lowest(digit != b'0');
                } else {
                    number.multiply(FRACTION, 10, u32::from(digit & 15));
                }
                // A digit before the point that was left out raises the power. One after the point
                // that was not left out lowers it.
                power = power.wrapping_add(isize::from(is_full)).wrapping_sub(isize::from(real));
            }
        }
    }
    if number.used == FRACTION {
        return Some((0, real));
    }
    while power > 0 && !number.is_full() {
        number.multiply(FRACTION, 10, 0);
        power -= 1;
    }
    // Four limbs are less than half of the smallest f32.
    while power < 0 && number.used > 4 {
        number.divide_by_10();
        power += 1;
    }
    match number.bits() {
        None if real => Some((INFINITY, real)),
        bits => Some((bits?, real)),
    }
}

/// A decimal number.
pub(super) struct Decimal<'a> {
    negative: bool,
    /// The mantissa from the first digit that is not zero, perhaps with a point; empty for zero.
    mantissa: &'a [u8],
    /// The power of ten of the first digit; 0 for zero.
    magnitude: isize,
}

impl<'a> Decimal<'a> {
    /// Reads a checked JSON number. Returns `None` for a word or no number.
    pub(super) fn of(raw: &'a [u8]) -> Option<Self> {
        let (negative, raw) = if let [b'-', rest @ ..] = raw { (true, rest) } else { (false, raw) };
        if !raw.first()?.is_ascii_digit() {
            return None;
        }
        let (mut real, mut magnitude, mut mantissa) = (false, -1isize, [].as_slice());
        let mut rest = raw;
        while let Some((&byte, after)) = rest.split_first() {
            match byte {
                b'.' => real = true,
                b'e' | b'E' => {
                    magnitude = magnitude.saturating_add(exponent(after));
                    mantissa = mantissa.get(..mantissa.len().saturating_sub(rest.len()))?;
                    break;
                }
                _ => {
                    if mantissa.is_empty() && byte != b'0' {
                        mantissa = rest;
                    }
                    // Before the point, each digit raises the power. After it, each zero before the
                    // first digit lowers it.
                    if mantissa.is_empty() == real {
                        magnitude += if real { -1 } else { 1 };
                    }
                }
            }
            rest = after;
        }
        Some(Self { negative, mantissa, magnitude: if mantissa.is_empty() { 0 } else { magnitude } })
    }

    fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.mantissa.iter().copied().filter(|&byte| byte != b'.')
    }

    /// Compares by value.
    pub(super) fn equals(&self, other: &Self) -> bool {
        let longest = self.mantissa.len().max(other.mantissa.len());
        let padded = |number: &Self| number.digits().chain(repeat(b'0')).take(longest);
        (self.negative == other.negative || self.mantissa.is_empty())
            && self.magnitude == other.magnitude
            && padded(self).eq(padded(other))
    }
}

/// A binary number of up to 1040 bits before the point.
struct Big {
    /// Least significant first. The lowest bit is also set if a digit below it is not zero: it is
    /// too low for any other meaning.
    limbs: [u16; LIMBS],
    /// From here on all limbs are 0.
    used: usize,
}

impl Big {
    /// Returns whether the number is beyond the range of f64, and has no room for more digits.
    fn is_full(&self) -> bool {
        self.used >= LIMBS
    }

    /// Notes a digit that is left out.
    fn set_lowest(&mut self, is: bool) {
        if let Some(lowest) = self.limbs.first_mut() {
            *lowest |= u16::from(is);
        }
    }

    /// Multiplies the limbs from this one on, and adds to it.
    #[inline(never)]
    fn multiply(&mut self, from: usize, by: u32, plus: u32) {
        let mut carry = plus;
        for limb in self.limbs.iter_mut().take(self.used).skip(from) {
            carry = carry.wrapping_add(u32::from(*limb).wrapping_mul(by));
            *limb = low(carry);
            carry >>= 16;
        }
        if carry != 0
            && let Some(limb) = self.limbs.get_mut(self.used)
        {
            *limb = low(carry);
            self.used += 1;
        }
    }

    fn divide_by_10(&mut self) {
        let mut rest = 0u32;
        for limb in self.limbs.iter_mut().take(self.used).rev() {
            // 65536 is 6553 times 10 and 6. Below 81920, this product is a division by 10.
            let n = rest.wrapping_mul(6).wrapping_add((*limb).into());
            let tenth = n.wrapping_mul(52429) >> 19;
            *limb = low(rest.wrapping_mul(6553).wrapping_add(tenth));
            rest = n.wrapping_sub(tenth.wrapping_mul(10));
        }
        self.set_lowest(rest != 0);
        if self.top() == Some(0) {
            self.used = self.used.saturating_sub(1);
        }
    }

    fn top(&self) -> Option<u16> {
        self.limbs.get(self.used.checked_sub(1)?).copied()
    }

    /// Returns the bits of the f32 nearest to the nearest f64; `None` beyond the range of f64.
    fn bits(&mut self) -> Option<u32> {
        // The highest bit of a limb first.
        let mut exponent = -FRACTION_BITS - 32;
        while let Some(1..0x8000) = self.top() {
            self.multiply(0, 2, 0);
            exponent -= 1;
        }
        exponent += 16 * i32::try_from(self.used).ok()?;
        let limbs = self.limbs.split_at_checked(self.used.saturating_sub(4)).unwrap_or_default();
        let (rest, &[a, b, c, d]) = (limbs.0, limbs.1.first_chunk()?);
        // The 53 bits of an f64, all normal in this range, and 11 to round by.
        let (low, high) = (u32::from(b) << 16 | u32::from(a), u32::from(d) << 16 | u32::from(c));
        let sticky = rest.iter().any(|&limb| limb != 0);
        // Half of the last digit or more, and not half of it below an even one.
        let up = (low & 0x7FF) * 2 + u32::from(sticky) + (low >> 11 & 1) > 0x800;
        let (low, carry) = (low >> 11 << 11).overflowing_add(u32::from(up) << 11);
        let (high, carry) = high.overflowing_add(carry.into());
        let (high, exponent) = if carry { (1, exponent + 32) } else { (high, exponent) };
        if exponent + 32 - i32::from(carry) * 31 > 1024 {
            return None;
        }
        Some(float::nearest(0, high | u32::from(low != 0), exponent))
    }
}

/// Reads the digits of an exponent with its sign, bounded to what matters.
fn exponent(raw: &[u8]) -> isize {
    let (sign, digits) = match raw.split_first() {
        Some((b'-', digits)) => (-1, digits),
        Some((b'+', digits)) => (1, digits),
        _ => (1, raw),
    };
    let more = |all, digit: &u8| if all < 1 << 26 { all * 10 + isize::from(digit & 15) } else { all };
    digits.iter().fold(0, more) * sign
}

/// Returns the low half.
const fn low(n: u32) -> u16 {
    (n & 0xFFFF) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(text: &str) {
        let expected = text.parse::<f64>().unwrap() as f32;
        let got = f32_from(text.as_bytes()).unwrap();
        assert_eq!(got.to_bits(), expected.to_bits(), "{text}: {got:e}, not {expected:e}");
    }

    #[test]
    fn agrees_with_the_standard_library() {
        for text in [
            "0",
            "0.0",
            "1",
            "0.1",
            "0.00392156862",
            "16777217",
            "33554433",
            "0.5e1",
            "5E-1",
            "100e+2",
            "1e-46",
            "7.006492321624085e-46",
            "7.006492321624086e-46",
            "1.4e-45",
            "1.1754943508222875e-38",
            "1.1754942e-38",
            "3.4028235e38",
            "3.4028235677973366e38",
            "3.4028235677973362e38",
            "1e39",
            "1e308",
            "0e999999999999",
            "1e-999999999999",
            "1e400",
            "1e-400",
            "0.24999999254941940307617187499999999999999999999",
            "0.24999999254941940307617187500",
            "0.249999992549419403076171875000001",
            "8388608.5",
            "8388609.5",
            "4503599627370496.5",
            "9007199254740993",
            "9007199254740992.99999",
            "0000.1e0",
        ] {
            agree(text);
            if text == "0" {
                assert_eq!(f32_from(b"-0").map(f32::to_bits), Some(0), "an integer to Python");
            } else {
                agree(&format!("-{text}"));
            }
        }
    }

    #[test]
    fn agrees_on_more_digits_than_it_has_room_for() {
        let (nines, zeros) = ("9".repeat(400), "0".repeat(400));
        for text in [
            format!("{nines}e-400"),
            format!("{nines}e-361"),
            format!("{nines}.{nines}e-430"),
            format!("1{zeros}e-400"),
            format!("1{zeros}1e-440"),
            format!("16777217{zeros}1e-401"),
            format!("0.{zeros}1e401"),
            format!("0.{zeros}16777217{zeros}1e408"),
            format!("{zeros}5.{zeros}"),
            format!("{nines}e-900"),
            format!("{nines}.5"),
            "1e-67108863".into(),
            "1e67108863".into(),
        ] {
            agree(&text);
        }
    }

    #[test]
    fn agrees_on_every_exponent_around_every_power_of_two_and_half_way_between() {
        let mut seed = 1u64;
        for exponent in -155i32..130 {
            for step in 0..40 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let mantissa = match step {
                    0 => 0,
                    1 => 1,
                    2 => (1 << 52) - 1,
                    3..10 => 1 << (step + 20),
                    10..20 => (seed >> 12) & !((1 << 29) - 1) | 1 << 28,
                    _ => seed >> 12,
                };
                let double = f64::from_bits(u64::try_from(1023 + exponent).unwrap() << 52 | mantissa);
                agree(&format!("{double:e}"));
                agree(&format!("{double}"));
                // Exact decimals of the double, and a hair to both sides of it.
                let exact = format!("{double:.210}");
                agree(&exact);
                agree(&format!("{exact}1"));
                agree(&format!("{exact}{}1", "0".repeat(400)));
            }
        }
    }

    #[test]
    fn words_and_integers_out_of_range() {
        assert!(f32_from(b"NaN").unwrap().is_nan());
        assert_eq!(f32_from(b"Infinity"), Some(f32::INFINITY));
        assert_eq!(f32_from(b"-Infinity"), Some(f32::NEG_INFINITY));
        for text in ["true", "null", "\"1\"", "", "-", "[1]"] {
            assert_eq!(f32_from(text.as_bytes()), None, "{text}");
        }
        // One below 2^1024 - 2^970, the first integer that Python's conversion to f64 refuses.
        let max = "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070\
            9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447\
            5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904\
            174497791";
        assert!(max.parse::<f64>().unwrap().is_finite());
        assert_eq!(f32_from(max.as_bytes()), Some(f32::INFINITY));
        let beyond = format!("{}2", &max[..308]);
        assert!(beyond.parse::<f64>().unwrap().is_infinite());
        assert_eq!(f32_from(beyond.as_bytes()), None);
        assert_eq!(f32_from("9".repeat(400).as_bytes()), None);
        assert_eq!(f32_from(format!("{}.0", "9".repeat(400)).as_bytes()), Some(f32::INFINITY));
    }
}

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
/// Before the point, limbs for 310 digits: no f64 has more.
const LIMBS: usize = FRACTION + 65;
const MAX_DIGITS: usize = 310;

/// Reads a checked JSON number, or one of the words `NaN`, `Infinity` and `-Infinity`.
///
/// Returns `None` for anything else, and for integers beyond the range of f64, which Python cannot
/// convert.
#[inline(never)]
pub(super) fn f32_from(raw: &[u8]) -> Option<f32> {
    if let Some(decimal) = Decimal::of(raw) {
        // An integer has no sign if it is zero.
        let negative = decimal.negative && (decimal.real || !decimal.mantissa.is_empty());
        return Some(f32::from_bits(decimal.bits()? | u32::from(negative) << 31));
    }
    match raw {
        b"NaN" => Some(f32::NAN),
        b"Infinity" => Some(f32::INFINITY),
        b"-Infinity" => Some(f32::NEG_INFINITY),
        _ => None,
    }
}

/// A decimal number.
pub(super) struct Decimal<'a> {
    negative: bool,
    /// Written with a point or an exponent.
    real: bool,
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
                    real = true;
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
        Some(Self { negative, real, mantissa, magnitude: if mantissa.is_empty() { 0 } else { magnitude } })
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

    /// Returns the bits of the f32 without its sign.
    fn bits(&self) -> Option<u32> {
        if self.mantissa.is_empty() || self.magnitude < -46 {
            return Some(0);
        }
        if self.real && self.magnitude > 38 {
            return Some(f32::INFINITY.to_bits());
        }
        if self.magnitude > 308 {
            return None;
        }
        let mut number = Big { limbs: [0; LIMBS], used: FRACTION, sticky: false };
        let mut exponent = self.magnitude;
        for (digit, count) in self.digits().zip(0..) {
            if count < MAX_DIGITS {
                number.multiply(FRACTION, 10, u32::from(digit & 15));
                exponent -= 1;
            } else {
                number.sticky |= digit != b'0';
            }
        }
        for _ in -1..exponent {
            number.multiply(FRACTION, 10, 0);
        }
        for _ in exponent..-1 {
            number.divide_by_10();
        }
        number.bits()
    }
}

/// A binary number of up to 310 decimal digits before the point, and a little more if `sticky`.
struct Big {
    /// Least significant first.
    limbs: [u16; LIMBS],
    /// From here on all limbs are 0.
    used: usize,
    sticky: bool,
}

impl Big {
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
        self.sticky |= rest != 0;
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
        let mut exponent = -FRACTION_BITS;
        while self.top()? < 0x8000 {
            self.multiply(0, 2, 0);
            exponent -= 1;
        }
        let (rest, digits) = self.limbs.split_at_checked(self.used.checked_sub(4)?)?;
        let digits = digits.iter().take(4).rev().fold(0, |digits, &limb| digits << 16 | u64::from(limb));
        let sticky = self.sticky || rest.iter().any(|&limb| limb != 0);
        exponent += i32::try_from(16 * rest.len()).ok()?;
        // 64 bits: the 53 of an f64, all normal in this range, and the rest to round by.
        let (double, dropped) = (digits >> 11, digits & 0x7FF);
        let double = double + u64::from(dropped > 0x400 || dropped == 0x400 && (sticky || double & 1 == 1));
        if exponent + 64 + i32::from(double >> 53 != 0) > 1024 {
            return None;
        }
        let (high, low) = (double >> 21, double & 0x1F_FFFF);
        let (high, exponent) = if high >> 32 == 0 { (high, exponent + 32) } else { (high >> 1, exponent + 33) };
        Some(float::nearest(0, u32::try_from(high).ok()? | u32::from(low != 0), exponent))
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
    fn agrees_on_every_exponent_around_every_power_of_two_and_half_way_between() {
        let mut seed = 1u64;
        // An interpreter would take hours for all of it.
        let (stride, steps) = if cfg!(miri) { (200, 3) } else { (1, 40) };
        for exponent in (-155i32..130).step_by(stride) {
            for step in 0..steps {
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

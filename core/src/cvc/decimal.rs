//! Decimal text to f32 by way of f64, both roundings exact, in integers only.
//!
//! The writers store `min` and `scale` as decimals that are read as f64 and then rounded to f32; rounding once would give other
//! bits. `core`'s parser does the first step, but brings 10 KiB of tables and code that can panic. Here the digits make a big
//! binary number, which is multiplied or divided by 10 as often as the exponent says: only the range of f32 matters, so that is not often.

use super::float;

/// 16 bits each; behind the point there is room for the bits of an f64 that is nearly too small for an f32, and for what they are rounded by.
const FRACTION: usize = 14;
const FRACTION_BITS: i32 = 224;
/// Before the point there is room for 310 digits: no f64 has more.
const LIMBS: usize = FRACTION + 65;
const MAX_DIGITS: isize = 310;

/// Reads a checked JSON number, or one of the words `NaN`, `Infinity` and `-Infinity`.
///
/// `None` for anything else, and for integers beyond the range of f64, which Python cannot convert.
#[inline(never)]
pub(super) fn f32_from(raw: &[u8]) -> Option<f32> {
    let (sign, raw) = match raw {
        // An integer, which has no sign if it is zero.
        b"-0" => (0, b"0".as_slice()),
        [b'-', rest @ ..] => (1 << 31, rest),
        _ => (0, raw),
    };
    let magnitude = match raw {
        b"NaN" => f32::NAN.to_bits(),
        b"Infinity" => f32::INFINITY.to_bits(),
        _ => {
            let mut number = Decimal { limbs: [0; LIMBS], used: FRACTION, count: 0, exponent: 0, sticky: false };
            let real = number.read(raw)?;
            number.magnitude(real)?
        }
    };
    Some(f32::from_bits(magnitude | sign))
}

/// `limbs × 10^exponent`, and a little more if `sticky`.
struct Decimal {
    /// Least significant first.
    limbs: [u16; LIMBS],
    /// From here on all limbs are 0.
    used: usize,
    count: isize,
    exponent: isize,
    sticky: bool,
}

impl Decimal {
    /// Whether the number was written as a real one.
    fn read(&mut self, raw: &[u8]) -> Option<bool> {
        let (mut real, mut digits) = (false, 0usize);
        let mut rest = raw;
        while let Some((&byte, behind)) = rest.split_first() {
            rest = behind;
            match byte {
                b'0'..=b'9' => {
                    digits = digits.saturating_add(1);
                    self.push(byte - b'0', real);
                }
                b'.' => real = true,
                b'e' | b'E' => {
                    real = true;
                    self.exponent = self.exponent.saturating_add(exponent(rest));
                    break;
                }
                _ => return None,
            }
        }
        (digits > 0 && (real || self.count < MAX_DIGITS)).then_some(real)
    }

    fn push(&mut self, digit: u8, fraction: bool) {
        let mut more = isize::from(!fraction);
        if self.count < MAX_DIGITS {
            self.multiply(FRACTION, 10, digit.into());
            // Zeros before all other digits do not count.
            self.count += isize::from(self.used > FRACTION);
            more -= 1;
        } else {
            self.sticky |= digit != 0;
        }
        self.exponent = self.exponent.wrapping_add(more);
    }

    /// Multiplies the limbs from this one on.
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
        self.trim();
    }

    fn trim(&mut self) {
        while self.top() == Some(0) {
            self.used = self.used.saturating_sub(1);
        }
    }

    fn top(&self) -> Option<u16> {
        self.limbs.get(self.used.checked_sub(1)?).copied()
    }

    /// The bits of the f32.
    fn magnitude(&mut self, real: bool) -> Option<u32> {
        // The value lies in [10^leading, 10^(leading + 1)).
        let leading = self.exponent.saturating_add(self.count).wrapping_sub(1);
        if self.count == 0 || leading < -46 {
            return Some(0);
        }
        if real && leading > 38 {
            return Some(f32::INFINITY.to_bits());
        }
        for _ in 0..self.exponent {
            self.multiply(FRACTION, 10, 0);
        }
        for _ in self.exponent..0 {
            self.divide_by_10();
        }
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

/// The digits of an exponent with its sign, held within what matters.
fn exponent(raw: &[u8]) -> isize {
    let (sign, digits) = match raw.split_first() {
        Some((b'-', digits)) => (-1, digits),
        Some((b'+', digits)) => (1, digits),
        _ => (1, raw),
    };
    let more = |all, digit: &u8| if all < 1 << 26 { all * 10 + isize::from(digit & 15) } else { all };
    digits.iter().fold(0, more) * sign
}

/// The low half.
fn low(n: u32) -> u16 {
    let [a, b, ..] = n.to_le_bytes();
    u16::from_le_bytes([a, b])
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

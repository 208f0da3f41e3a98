//! Decimal text to f32 by way of f64, both roundings exact, in integers only.
//!
//! The writers store `min` and `scale` as decimals that are read as f64 and then rounded to f32; rounding once would give other
//! bits. `core`'s parser does the first step, but brings 10 KiB of tables and code that can panic. Here the quotient of two
//! big integers is taken bit by bit: only the range of f32 matters, so 768 bits are enough for any number of digits.

/// 32-bit words of a big integer. The largest number is 10^216, the divisor of the longest fraction: 718 bits, and one to spare.
const WORDS: usize = 24;

/// Digits that can decide a rounding. Half-way points between the f64 in the range of f32 have at most 159 of them.
const MAX_DIGITS: i32 = 170;

/// Reads a checked JSON number, or one of the words `NaN`, `Infinity` and `-Infinity`.
///
/// `None` for anything else, and for integers beyond the range of f64, which Python cannot convert.
pub(super) fn f32_from(raw: &[u8]) -> Option<f32> {
    let (negative, raw) = match raw.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, raw),
    };
    let magnitude = match raw {
        b"NaN" => f32::NAN,
        b"Infinity" => f32::INFINITY,
        _ => f32::from_bits(Decimal::read(raw)?.to_f32_bits()),
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// `digits × 10^exponent`, and a little more if `sticky`.
struct Decimal {
    digits: Big,
    count: i32,
    exponent: i32,
    sticky: bool,
}

impl Decimal {
    fn read(raw: &[u8]) -> Option<Self> {
        let mut number = Self { digits: Big::ZERO, count: 0, exponent: 0, sticky: false };
        let mut fraction = false;
        let mut integer_digits = 0usize;
        let mut bytes = raw.iter();
        let mut real = false;
        while let Some(&byte) = bytes.next() {
            match byte {
                b'0'..=b'9' => {
                    integer_digits += usize::from(!fraction);
                    number.push(byte - b'0', fraction);
                }
                b'.' => (fraction, real) = (true, true),
                b'e' | b'E' => {
                    real = true;
                    number.exponent = number.exponent.saturating_add(exponent(bytes.as_slice()));
                    break;
                }
                _ => return None,
            }
        }
        let too_large = !real && (integer_digits > 309 || integer_digits == 309 && raw > MAX_F64.as_slice());
        (!raw.is_empty() && !too_large).then_some(number)
    }

    fn push(&mut self, digit: u8, fraction: bool) {
        if self.count == 0 && digit == 0 {
            self.exponent = self.exponent.saturating_sub(i32::from(fraction));
        } else if self.count < MAX_DIGITS {
            self.digits.mul_add(10, u32::from(digit));
            self.count += 1;
            self.exponent = self.exponent.saturating_sub(i32::from(fraction));
        } else {
            self.sticky |= digit != 0;
            self.exponent = self.exponent.saturating_add(i32::from(!fraction));
        }
    }

    fn to_f32_bits(&self) -> u32 {
        let infinity = f32::INFINITY.to_bits();
        // The value lies in [10^leading, 10^(leading + 1)).
        let leading = self.exponent.saturating_add(self.count - 1);
        if self.count == 0 || leading < -46 {
            return 0;
        }
        if leading > 38 {
            return infinity;
        }
        let (mut over, mut under) = (self.digits.clone(), Big::ONE);
        for _ in 0..self.exponent {
            over.mul_add(10, 0);
        }
        for _ in self.exponent..0 {
            under.mul_add(10, 0);
        }
        // Shift both to the same length, then once more if need be: the quotient lies in [1, 2) and counts 2^scale.
        let mut scale = over.bits() - under.bits();
        over.shift_left(u32::try_from(-scale).unwrap_or(0));
        under.shift_left(u32::try_from(scale).unwrap_or(0));
        if over.less_than(&under) {
            over.shift_left(1);
            scale -= 1;
        }
        let mut quotient = 0u64;
        for _ in 0..54 {
            quotient <<= 1;
            if !over.less_than(&under) {
                over.subtract(&under);
                quotient |= 1;
            }
            over.shift_left(1);
        }
        // 54 bits: the 53 of an f64, all normal in this range, and one to round by.
        let mut double = round(quotient, 1, self.sticky || over.bits() > 0);
        if double >> 53 != 0 {
            double >>= 1;
            scale += 1;
        }
        if scale > 127 {
            return infinity;
        }
        let subnormal = u32::try_from(-126 - scale).unwrap_or(0);
        let single = round(double, 29 + subnormal, false);
        // The leading bit of `single` adds the one that is missing in the exponent; a subnormal has none, and exponent 0.
        let exponent = u64::try_from(scale + 126).unwrap_or(0);
        u32::try_from((exponent << 23) + single).unwrap_or(infinity)
    }
}

/// Drops `drop` low bits; halves go to the even side, unless `sticky` says that there was more.
fn round(bits: u64, drop: u32, sticky: bool) -> u64 {
    if drop > 60 {
        return 0;
    }
    let (kept, dropped, half) = (bits >> drop, bits & ((1 << drop) - 1), 1u64 << (drop - 1));
    let up = dropped > half || dropped == half && (sticky || kept & 1 == 1);
    kept + u64::from(up)
}

/// The digits of an exponent with its sign, held within what matters.
fn exponent(raw: &[u8]) -> i32 {
    let (sign, digits) = match raw.split_first() {
        Some((b'-', digits)) => (-1, digits),
        Some((b'+', digits)) => (1, digits),
        _ => (1, raw),
    };
    let magnitude = digits.iter().fold(0i32, |all, digit| all.saturating_mul(10).saturating_add(i32::from(digit & 15)));
    magnitude.min(1 << 30) * sign
}

/// The first integer that Python's conversion to f64 refuses is 2^1024 - 2^970; one below, in decimal.
const MAX_F64: [u8; 309] =
    *b"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070\
9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447\
5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904\
174497791";

/// A big integer, least significant word first. Only as many words are looked at as were ever used.
#[derive(Clone)]
struct Big {
    words: [u32; WORDS],
    used: usize,
}

impl Big {
    const ZERO: Self = Self { words: [0; WORDS], used: 0 };
    const ONE: Self = {
        let mut words = [0; WORDS];
        words[0] = 1;
        Self { words, used: 1 }
    };

    fn mul_add(&mut self, by: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for word in self.words.iter_mut().take(self.used) {
            carry += u64::from(*word) * u64::from(by);
            *word = low(carry);
            carry >>= 32;
        }
        self.grow(low(carry));
    }

    /// Takes a carry out of the highest word in use.
    fn grow(&mut self, carry: u32) {
        if carry != 0
            && let Some(word) = self.words.get_mut(self.used)
        {
            *word = carry;
            self.used += 1;
        }
    }

    fn bits(&self) -> i32 {
        let top = self.words.iter().zip(0i32..).filter(|&(&word, _)| word != 0).last();
        top.map_or(0, |(word, at)| 32 * (at + 1) - word.leading_zeros().cast_signed())
    }

    fn shift_left(&mut self, by: u32) {
        for _ in 0..by / 32 {
            let mut below = 0;
            for word in self.words.iter_mut().take(self.used) {
                below = core::mem::replace(word, below);
            }
            self.grow(below);
        }
        let by = by % 32;
        let mut carry = 0u64;
        for word in self.words.iter_mut().take(self.used) {
            carry |= u64::from(*word) << by;
            *word = low(carry);
            carry >>= 32;
        }
        self.grow(low(carry));
    }

    fn less_than(&self, other: &Self) -> bool {
        let used = self.used.max(other.used);
        let pairs = self.words.iter().zip(&other.words).take(used);
        pairs.fold(false, |less, (a, b)| if a == b { less } else { a < b })
    }

    /// Takes away no more than there is.
    fn subtract(&mut self, other: &Self) {
        let used = self.used.max(other.used);
        let mut borrow = false;
        for (word, &less) in self.words.iter_mut().zip(&other.words).take(used) {
            let (difference, first) = word.overflowing_sub(less);
            let (difference, second) = difference.overflowing_sub(u32::from(borrow));
            (*word, borrow) = (difference, first || second);
        }
    }
}

/// The low word.
fn low(n: u64) -> u32 {
    let [a, b, c, d, ..] = n.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
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
            agree(&format!("-{text}"));
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
        let max = String::from_utf8(MAX_F64.to_vec()).unwrap();
        assert!(max.parse::<f64>().unwrap().is_finite());
        assert_eq!(f32_from(max.as_bytes()), Some(f32::INFINITY));
        let beyond = format!("{}2", &max[..308]);
        assert!(beyond.parse::<f64>().unwrap().is_infinite());
        assert_eq!(f32_from(beyond.as_bytes()), None);
        assert_eq!(f32_from("9".repeat(400).as_bytes()), None);
        assert_eq!(f32_from(format!("{}.0", "9".repeat(400)).as_bytes()), Some(f32::INFINITY));
    }
}

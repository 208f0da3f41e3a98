//! Numbers as decimal text: eight digits at a time, or one by one where flash is scarce.

use core::num::NonZero;

use super::output::Output;
use crate::bits::mask;
use crate::num::index;
use crate::tuning;

/// The largest scale of a decimal: 10^18 still fits in an `i64`.
pub(crate) const MAX_SCALE: u8 = 18;

/// All powers of ten.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

const EIGHT: u64 = 100_000_000;
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends a number digit by digit, with `scale` digits after a point. Small machines have no room
/// for the lanes of [`eight`], and subtract sooner than they divide.
fn each_digit(mut n: u64, scale: Option<u8>, out: &mut Output<'_>) {
    let digits = POWERS.iter().take_while(|&&power| power <= n).count();
    // At least one digit precedes the point.
    let last = usize::from(scale.unwrap_or(0));
    for (place, &power) in POWERS.iter().enumerate().take(digits.max(last + 1)).rev() {
        let mut digit = b'0';
        while n >= power {
            n -= power;
            digit += 1;
        }
        out.byte(digit);
        if place == last && scale.is_some() {
            out.byte(b'.');
        }
    }
}

/// Returns the eight digits of a number below 10^8 as values, the first digit in the lowest byte.
///
/// Each step divides the number `n` in a lane of `w` bits by a power of ten `d`. With the quotient
/// `q`, the lane becomes `(n << w / 2) - q * ((d << w / 2) - 1)`: the rest above `q`.
#[inline]
fn eight(n: u64) -> u64 {
    let n = n & 0xFFFF_FFFF;
    let fours = (n << 32).wrapping_sub((n / 10_000).wrapping_mul((10_000 << 32) - 1));
    // In each lane a multiplication and a shift divide: by 100 below 10,000, by 10 below 100.
    let hundreds = (fours.wrapping_mul(10_486) >> 20) & 0x7F_0000_007F;
    let twos = (fours << 16).wrapping_sub(hundreds.wrapping_mul((100 << 16) - 1));
    let tens = (twos.wrapping_mul(103) >> 10) & 0x000F_000F_000F_000F;
    (twos << 8).wrapping_sub(tens.wrapping_mul((10 << 8) - 1))
}

/// Returns the digits of a number below 10^8 as text without leading zeros, and their count.
#[inline]
fn short(n: u64) -> (u64, u32) {
    let digits = eight(n);
    // The last digit stays even if it is a zero.
    let zeros = (digits | 1 << 56).trailing_zeros() >> 3;
    ((digits | ZEROS) >> (8 * zeros), 8 - zeros)
}

/// Returns the last 1 to 15 of the 16 digits of a number below 10^16, as text after the byte
/// `before`.
#[inline]
fn padded(n: u64, count: u32, before: u8) -> [u8; 16] {
    let (high, low) = (n / EIGHT, n % EIGHT);
    let digits = u128::from(eight(high) | ZEROS) | u128::from(eight(low) | ZEROS) << 64;
    (digits >> (8 * (16 - count.clamp(1, 15))) << 8 | u128::from(before)).to_le_bytes()
}

/// Appends a number.
///
/// # Contract of the hot path
///
/// A number below 10^8 takes one call of [`short`] and one store of eight bytes. Nothing here may
/// loop over digits or divide by 10: two multiplications in lanes replace eight divisions.
#[inline]
pub(crate) fn unsigned(n: u64, out: &mut Output<'_>) {
    if tuning::SMALL {
        return each_digit(n, None, out);
    }
    if n < EIGHT {
        let (text, len) = short(n);
        return out.put_short(&text.to_le_bytes(), len as usize);
    }
    long(n, out);
}

fn long(n: u64, out: &mut Output<'_>) {
    let (high, low) = (n / EIGHT, n % EIGHT);
    if high < EIGHT {
        let (text, len) = short(high);
        let text = u128::from(text & mask(8 * len)) | u128::from(eight(low) | ZEROS) << (8 * len);
        return out.put_short(&text.to_le_bytes(), len as usize + 8);
    }
    unsigned(high, out);
    out.put_short(&(eight(low) | ZEROS).to_le_bytes(), 8);
}

/// Appends a number, with a minus if it is negative.
#[inline]
pub(crate) fn signed(n: i64, out: &mut Output<'_>) {
    if n < 0 {
        out.byte(b'-');
    }
    unsigned(n.unsigned_abs(), out);
}

/// Appends `n` / 10^`scale` with exactly `scale` digits after the point. A scale of 0 still writes
/// the point.
#[inline]
pub(crate) fn fixed(n: i64, scale: u8, out: &mut Output<'_>) {
    if n < 0 {
        out.byte(b'-');
    }
    if tuning::SMALL {
        return each_digit(n.unsigned_abs(), Some(scale), out);
    }
    let power = POWERS.get(usize::from(scale)).copied().and_then(NonZero::new).unwrap_or(NonZero::<u64>::MIN);
    let (whole, mut part) = (n.unsigned_abs() / power, n.unsigned_abs() % power);
    unsigned(whole, out);
    if scale == 0 {
        return out.byte(b'.');
    }
    let mut left = u32::from(scale.min(MAX_SCALE));
    let mut before = b'.';
    if left > 15 {
        // Two steps: a point and the first digits, then the last 15 digits after them.
        const LOW: u64 = 1_000_000_000_000_000;
        let low;
        (part, low) = (part / LOW, part % LOW);
        let first = padded(part, left - 15, before);
        out.put_short(&first, index((left - 15).into()));
        before = first.get(index((left - 15).into())).copied().unwrap_or(0);
        (part, left) = (low, 15);
    }
    out.put_short(&padded(part, left, before), index(left.into()) + 1);
}

/// All but the last eight digits of a number below 10^15. Neighbours in a column often share them.
#[derive(Default)]
pub(crate) struct HighDigits {
    /// The smallest number that has them.
    start: u64,
    /// Seven of them.
    digits: u64,
}

/// Returns the digits of a number as text of at most 16 bytes, and its length, without a minus.
/// Returns `None` if it may take more.
///
/// # Contract of the hot path
///
/// The only branch is on the size of the number, which hardly changes within a column. The point
/// moves the digits after it, instead of a division that takes them apart.
#[inline(always)]
pub(crate) fn brief(number: Decimal, high: &mut HighDigits) -> Option<(u128, usize)> {
    let magnitude = number.value.unsigned_abs();
    let scale = number.scale.map_or(0, u32::from);
    if magnitude < EIGHT && scale < 8 {
        let digits = eight(magnitude);
        // A zero before the point stays.
        let zeros = (digits | 1 << (8 * (7 - scale))).trailing_zeros() >> 3;
        let (text, len) = (digits | ZEROS, (8 - zeros) as usize);
        let Some(_) = number.scale else { return Some(((text >> (8 * zeros)).into(), len)) };
        return Some((pointed(text.into(), 8 - scale) >> (8 * zeros), len + 1));
    }
    if magnitude < 1_000_000_000_000_000 && scale < 15 {
        let mut low = magnitude.wrapping_sub(high.start);
        if low >= EIGHT {
            let (first, last) = (magnitude / EIGHT, magnitude % EIGHT);
            // The first of 16 digits is 0, and not kept.
            *high = HighDigits { start: magnitude.wrapping_sub(last), digits: eight(first) >> 8 };
            low = last;
        }
        let digits = u128::from(high.digits) | u128::from(eight(low)) << 56;
        let zeros = (digits | 1 << (8 * (14 - scale))).trailing_zeros() >> 3;
        let text = digits | u128::from(ZEROS) << 56 | u128::from(ZEROS);
        let len = (15 - zeros) as usize;
        let Some(_) = number.scale else { return Some((text >> (8 * zeros), len)) };
        return Some((pointed(text, 15 - scale) >> (8 * zeros), len + 1));
    }
    None
}

/// Puts a point after the first `whole` digits, of 15 at most. It has the same place in all numbers
/// of a column as long as they have their zeros.
#[inline(always)]
const fn pointed(digits: u128, whole: u32) -> u128 {
    let after = digits & u128::MAX << (8 * whole);
    digits ^ after | (b'.' as u128) << (8 * whole) | after << 8
}

/// A number as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) value: i64,
    /// Digits after the point; `None` for an integer.
    pub(crate) scale: Option<u8>,
}

impl Decimal {
    #[inline]
    pub(crate) fn put(self, out: &mut Output<'_>) {
        match self.scale {
            None => signed(self.value, out),
            Some(scale) => fixed(self.value, scale, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_numbers_around_every_power_of_ten_and_two() {
        let tens = (0..19).map(|power| 10i64.pow(power));
        let twos = (0..63).map(|shift| 1i64 << shift);
        for base in tens.chain(twos).chain([i64::MAX, i64::MIN + 1, 0, 12_345_678, 1_020_304_050_607_080]) {
            for n in [
                base - 1,
                base,
                base.saturating_add(1),
                base.wrapping_neg(),
                base.wrapping_neg().wrapping_add(1),
                base / 3,
                base / 7 * 3,
            ] {
                assert_eq!(Output::printed(|out| signed(n, out)), n.to_string());
                for scale in 1..=18u8 {
                    let digits = format!("{:0width$}", n.unsigned_abs(), width = usize::from(scale) + 1);
                    let (whole, part) = digits.split_at(digits.len() - usize::from(scale));
                    let sign = if n < 0 { "-" } else { "" };
                    assert_eq!(
                        Output::printed(|out| fixed(n, scale, out)),
                        format!("{sign}{whole}.{part}"),
                        "{n} {scale}"
                    );
                }
            }
        }
        assert_eq!(Output::printed(|out| signed(i64::MIN, out)), i64::MIN.to_string());
        assert_eq!(Output::printed(|out| unsigned(u64::MAX, out)), u64::MAX.to_string());
        assert_eq!(Output::printed(|out| fixed(-12, 0, out)), "-12.");
    }

    #[test]
    fn brief_text_is_the_same_text() {
        let tens = (0..19).flat_map(|power| (1..10).map(move |digit| digit * 10i64.pow(power) / 3));
        let mut high = HighDigits::default();
        let edges = (0..19).flat_map(|power| (-2..=2).map(move |more| 10i64.pow(power) + more));
        for value in tens.chain(edges).flat_map(|value| [value, -value]) {
            for scale in (0..=MAX_SCALE).map(Some).chain([None]) {
                let number = Decimal { value, scale };
                let text = Output::printed(|out| number.put(out));
                match brief(number, &mut high) {
                    Some((bytes, len)) => {
                        assert_eq!(&bytes.to_le_bytes()[..len], text.trim_start_matches('-').as_bytes(), "{number:?}");
                    }
                    None => assert!(text.len() > 14, "{number:?}"),
                }
            }
        }
    }

    #[test]
    fn prints_every_number_of_four_digits_in_both_halves() {
        for n in 0..10_000u64 {
            assert_eq!(Output::printed(|out| unsigned(n * 10_007, out)), (n * 10_007).to_string());
            assert_eq!(Output::printed(|out| unsigned(n, out)), n.to_string());
        }
    }
}

//! Sums, products and conversions of f32 by integers, bit for bit as float instructions compute
//! them.
//!
//! On machines without float instructions, each operation would call a function that handles more
//! cases than occur here.

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;

/// Converts an integer to f32, ties to even.
pub(super) fn integer(value: i64) -> f32 {
    let (mut digits, mut exponent) = (value.unsigned_abs(), 0);
    loop {
        if let Ok(digits) = u32::try_from(digits) {
            return f32::from_bits(nearest(if value < 0 { SIGN } else { 0 }, digits, exponent));
        }
        (digits, exponent) = (digits >> 1 | digits & 1, exponent + 1);
    }
}

/// The NaN that x86 makes of `0 * inf` and `inf - inf`, which files hold. Other processors make one
/// whose sign bit is not set.
pub(super) const INDEFINITE: f32 = f32::from_bits(0xFFC0_0000);

/// Computes `code * scale`.
pub(super) fn product(code: u8, scale: f32) -> f32 {
    if scale.to_bits() & !SIGN >= INFINITY {
        let none = code == 0 && scale.to_bits() & !SIGN == INFINITY;
        return if none { INDEFINITE } else { scale };
    }
    let (digits, exponent) = parts(scale.to_bits());
    f32::from_bits(nearest(scale.to_bits() & SIGN, u32::from(code).wrapping_mul(digits), exponent))
}

/// Computes `a + b`. Of two NaN with the same digits, the first is returned.
pub(super) fn sum(a: f32, b: f32) -> f32 {
    let (a, b) = (a.to_bits(), b.to_bits());
    let (large, small) = if a & !SIGN >= b & !SIGN { (a, b) } else { (b, a) };
    if large & !SIGN >= INFINITY {
        let opposite = a ^ b == SIGN && large & !SIGN == INFINITY;
        return if opposite { INDEFINITE } else { f32::from_bits(large) };
    }
    let ((digits, exponent), (less, below)) = (parts(large), parts(small));
    // Seven extra digits. The last one is set if any digit after it is.
    let (digits, less) = (digits << 7, shifted(less << 7, exponent - below));
    let digits = if (a ^ b) & SIGN == 0 { digits.wrapping_add(less) } else { digits.wrapping_sub(less) };
    let sign = if digits == 0 { a & b } else { large };
    f32::from_bits(nearest(sign & SIGN, digits, exponent - 7))
}

/// Splits a finite float without its sign into `digits * 2^exponent`.
fn parts(float: u32) -> (u32, i32) {
    let (exponent, digits) = (float >> 23 & 0xFF, float & 0x7F_FFFF);
    match exponent {
        0 => (digits, -149),
        _ => (digits | 1 << 23, exponent.cast_signed() - 150),
    }
}

/// Shifts to the right. The last digit is also set if a dropped one was.
fn shifted(digits: u32, by: i32) -> u32 {
    let by = by.clamp(0, 31).cast_unsigned();
    let kept = digits >> by;
    kept | u32::from(kept << by != digits)
}

/// Returns the float nearest to `digits * 2^exponent`, ties to even.
#[inline(never)]
pub(super) fn nearest(sign: u32, mut digits: u32, exponent: i32) -> u32 {
    if digits == 0 {
        return sign;
    }
    // The biased exponent, as if the highest bit were the digit before the point.
    let mut exponent = exponent.saturating_add(127 + 31);
    while digits >> 31 == 0 {
        (digits, exponent) = (digits << 1, exponent.saturating_sub(1));
    }
    // A subnormal has no digit before the point.
    let digits = shifted(digits, 1i32.saturating_sub(exponent));
    let (kept, rest) = (digits >> 8, digits & 0xFF);
    let kept = kept + u32::from(rest > 0x80 || rest == 0x80 && kept & 1 == 1);
    // That digit adds the missing one to the exponent. A carry of the rounding runs into the
    // exponent, and from the largest one into infinity.
    let exponent = exponent.clamp(1, 255).cast_unsigned() - 1;
    sign | (exponent << 23).wrapping_add(kept).min(INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floats of every kind, finite.
    fn floats() -> Vec<f32> {
        let mut floats = vec![0, 1, 2, 0x7F_FFFF, 1 << 23, 0x3F80_0000, 0x7F7F_FFFF, 0x0080_0001, 0x3F7F_FFFF];
        let mut random = 1u64;
        while floats.len() < 600 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = (random >> 33) as u32;
            floats.push(bits);
            // Near to another one, so that digits cancel out.
            floats.push(bits ^ (random as u32 & 0x0180_0003));
        }
        let both = floats.into_iter().map(f32::from_bits).filter(|float| float.is_finite());
        both.flat_map(|float| [float, -float]).collect()
    }

    #[test]
    fn sums_and_products_are_those_of_the_machine() {
        let floats = floats();
        for &a in &floats {
            for &b in &floats {
                assert_eq!(sum(a, b).to_bits(), (a + b).to_bits(), "{a:e} + {b:e}");
            }
            for code in 0..=255 {
                assert_eq!(product(code, a).to_bits(), (f32::from(code) * a).to_bits(), "{code} * {a:e}");
            }
            assert_eq!(sum(f32::NEG_INFINITY, a), f32::NEG_INFINITY);
        }
    }

    #[test]
    fn integers_are_rounded_as_the_machine_does() {
        for shift in 0..64 {
            for low in [0, 1, 2, 3] {
                for value in
                    [i64::MIN >> shift, i64::MAX >> shift, (3 << 61 | 5 << 37) >> shift, 0x40_0000_4000_0000 >> shift]
                {
                    let value = value ^ low;
                    assert_eq!(integer(value).to_bits(), (value as f32).to_bits(), "{value}");
                }
            }
        }
    }
}

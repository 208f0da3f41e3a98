//! Products of floats made of integers: one function for all three float types, the same on every machine.

use super::number::NumberType;
use crate::bits::mask;

/// The float that `latent` stands for in float mult, times the float `base`, as bits.
///
/// Latents stand for integers counted from the middle of their range, as far as a float holds those exactly, and for the floats
/// beyond from there on. The base is finite and not 0.
#[inline(never)]
pub(crate) fn product(latent: u64, base: u64, ty: NumberType) -> u64 {
    let (bits, mantissa) = (ty.bits() & 127, ty.mantissa_bits() & 63);
    let middle = 1u64 << (bits.wrapping_sub(1) & 63);
    let infinity = (middle - 1) >> mantissa << mantissa;
    let bias = infinity >> mantissa >> 1;
    let most = 2u64 << mantissa;
    let (mut sign, integer) =
        if latent < middle { (middle, middle - 1 - latent) } else { (0, latent.wrapping_sub(middle)) };
    let mut a = Parts { digits: integer, exponent: bias.wrapping_add(u64::from(mantissa)) };
    if integer >= most {
        // The bits of the float `most`, and as many floats further. They may run into the sign.
        let first = (a.exponent.wrapping_add(1)) << mantissa;
        let float = first.wrapping_add(integer.wrapping_sub(most)) & mask(bits) | sign;
        let magnitude = float & !middle;
        if magnitude >= infinity {
            // An infinity stays one, whatever its sign is; a NaN stays what it is, but quiet.
            let quiet = 1 << mantissa >> 1;
            return if magnitude > infinity { float | quiet } else { float ^ (base & middle) };
        }
        sign = float & middle;
        a = Parts::of(magnitude, mantissa);
    }
    sign ^= base & middle;
    let b = Parts::of(base & !middle, mantissa);
    if a.digits == 0 {
        return sign;
    }
    let (from_a, from_b) = (a.digits.leading_zeros(), b.digits.leading_zeros());
    let mut digits = high(a.digits << (from_a & 63), b.digits << (from_b & 63));
    // As if the highest of the 64 bits were the digit before the point. One of them may be 0 yet.
    let mut exponent = (a.exponent.wrapping_add(b.exponent).wrapping_add(127))
        .wrapping_sub(bias.wrapping_add(u64::from(2 * mantissa + from_a + from_b)))
        .cast_signed();
    if digits >> 63 == 0 {
        digits <<= 1;
        exponent = exponent.wrapping_sub(1);
    }
    if exponent < 1 {
        // Too small for a digit before the point.
        let by = u32::try_from(1i64.wrapping_sub(exponent)).unwrap_or(63).min(63);
        digits = digits >> by | u64::from(digits & mask(by) != 0);
        exponent = 1;
    }
    // To the nearest, ties to even.
    let (below, half) = (63 - mantissa, 1 << (62 - mantissa));
    let (kept, rest) = (digits >> below, digits & mask(below));
    let kept = kept.wrapping_add(u64::from(rest > half || rest == half && kept & 1 == 1));
    // What a digit carries over runs into the exponent, and from there into infinity.
    let float = ((exponent.wrapping_sub(1).cast_unsigned()).min(infinity >> mantissa) << mantissa).wrapping_add(kept);
    sign | float.min(infinity)
}

/// `digits * 2^(exponent - bias - mantissa)`.
struct Parts {
    digits: u64,
    exponent: u64,
}

impl Parts {
    /// Of a float that is not negative.
    fn of(float: u64, mantissa: u32) -> Self {
        match float >> mantissa {
            0 => Self { digits: float, exponent: 1 },
            exponent => Self { digits: float & mask(mantissa) | 1 << mantissa, exponent },
        }
    }
}

/// The upper half of a product, the lowest bit of which is also set if anything of the lower half is.
fn high(a: u64, b: u64) -> u64 {
    let low = mask(32);
    let lowest = (a & low).wrapping_mul(b & low);
    let (one, other) = ((a & low).wrapping_mul(b >> 32), (a >> 32).wrapping_mul(b & low));
    let middle = (lowest >> 32).wrapping_add(one & low).wrapping_add(other & low);
    let high = (a >> 32).wrapping_mul(b >> 32).wrapping_add(one >> 32).wrapping_add(other >> 32);
    high.wrapping_add(middle >> 32) | u64::from((lowest | middle) & low != 0)
}

#[cfg(all(test, not(feature = "small")))]
#[allow(clippy::cast_possible_truncation, reason = "latents are made of as many bits")]
mod tests {
    use super::super::join::product_beyond;
    use super::*;

    /// Floats of every kind: both ends of each range, and bits in no order.
    fn bases(bits: u32, mantissa: u32) -> Vec<u64> {
        let infinity = mask(bits - 1) >> mantissa << mantissa;
        let mut bases =
            vec![1, 2, 3, mask(mantissa), 1 << mantissa, infinity - 1, infinity >> 1 >> mantissa << mantissa];
        let mut random = 0x9E37_79B9_7F4A_7C15u64;
        while bases.len() < 300 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let base = (random ^ random >> 31) & mask(bits - 1);
            if (1..infinity).contains(&base) {
                bases.push(base);
            }
        }
        bases
    }

    fn latents(bits: u32, mantissa: u32) -> Vec<u64> {
        let middle = 1u64 << (bits - 1);
        let most = 2u64 << mantissa;
        let mut latents = vec![0, 1, 2, mask(bits)];
        for i in 0..200u64 {
            let wide = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits);
            for distance in [i, most - 1 - i.min(most - 1), most.wrapping_add(i), wide] {
                latents.extend([middle.wrapping_add(distance), middle.wrapping_sub(1).wrapping_sub(distance)]);
            }
        }
        latents.iter().map(|latent| latent & mask(bits)).collect()
    }

    #[test]
    fn products_are_those_of_the_machine() {
        for latent in latents(64, 52) {
            for base in bases(64, 52) {
                for base in [base, base | 1 << 63] {
                    let expected = product_beyond(latent, base, 2 << 52);
                    assert_eq!(product(latent, base, NumberType::F64), expected, "{latent:x} {base:x}");
                }
            }
        }
        for latent in latents(32, 23) {
            for base in bases(32, 23) {
                for base in [base, base | 1 << 31] {
                    let expected = product_beyond(latent as u32, base as u32, 2 << 23);
                    assert_eq!(product(latent, base, NumberType::F32), u64::from(expected), "{latent:x} {base:x}");
                }
            }
        }
        for latent in latents(16, 10) {
            for base in bases(16, 10) {
                for base in [base, base | 1 << 15] {
                    let expected = product_beyond(latent as u16, base as u16, 2 << 10);
                    assert_eq!(product(latent, base, NumberType::F16), u64::from(expected), "{latent:x} {base:x}");
                }
            }
        }
    }
}

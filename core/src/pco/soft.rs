//! Products of floats made of integers: one function for all three float types, the same on every
//! machine.

use super::number::NumberType;
use crate::bits::mask;

/// Returns the product of a latent of float mult and the float `base`, as bits.
///
/// Latents represent integers counted from the middle of their range, as far as a float holds those
/// exactly, and the floats beyond from there on. The base is finite and not 0.
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

/// The upper half of a product, the lowest bit of which is also set if anything of the lower half
/// is.
fn high(a: u64, b: u64) -> u64 {
    let low = mask(32);
    let lowest = (a & low).wrapping_mul(b & low);
    let (one, other) = ((a & low).wrapping_mul(b >> 32), (a >> 32).wrapping_mul(b & low));
    let middle = (lowest >> 32).wrapping_add(one & low).wrapping_add(other & low);
    let high = (a >> 32).wrapping_mul(b >> 32).wrapping_add(one >> 32).wrapping_add(other >> 32);
    high.wrapping_add(middle >> 32) | u64::from((lowest | middle) & low != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half floats, for machines that do not know them.
    mod half {
        pub fn widen(half: u64) -> f32 {
            let (sign, magnitude) = ((half as u32 & 0x8000) << 16, half as u32 & 0x7FFF);
            let bits = match magnitude {
                0..0x400 => (magnitude as f32 * f32::from_bits(0x3380_0000)).to_bits(),
                0x400..0x7C00 => (magnitude << 13) + (112 << 23),
                _ => (magnitude << 13) | 0x7F80_0000,
            };
            f32::from_bits(sign | bits)
        }

        pub fn round(float: f32) -> u64 {
            let bits = float.to_bits();
            let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7FFF_FFFF);
            let half = match magnitude {
                // Below the least normal half: count units of 2^-24. Below half a unit everything
                // becomes 0.
                0..0x3300_0000 => 0,
                0x3300_0000..0x3880_0000 => nearest(magnitude & 0x7F_FFFF | 0x80_0000, 126 - (magnitude >> 23)),
                0x3880_0000..0x7F80_0000 => nearest(magnitude - (112 << 23), 13).min(0x7C00),
                0x7F80_0000 => 0x7C00,
                _ => 0x7E00 | magnitude >> 13 & 0x3FF,
            };
            u64::from(sign | half)
        }

        /// `bits / 2^shift`, to nearest, ties to even.
        fn nearest(bits: u32, shift: u32) -> u32 {
            let (kept, half, rest) = (bits >> shift, 1 << (shift - 1), bits & ((1 << shift) - 1));
            kept + u32::from(rest > half || rest == half && kept & 1 == 1)
        }
    }

    /// The same product, computed with the floats of the machine.
    fn expected(latent: u64, base: u64, ty: NumberType) -> u64 {
        let (middle, mantissa) = (1u64 << (ty.bits() - 1), ty.mantissa_bits());
        let (most, infinity) = (2u64 << mantissa, (middle - 1) >> mantissa << mantissa);
        let (sign, integer) = if latent < middle { (middle, middle - 1 - latent) } else { (0, latent - middle) };
        let float_of = |integer: u64| match ty {
            NumberType::F64 => (integer as f64).to_bits(),
            NumberType::F32 => u64::from((integer as f32).to_bits()),
            _ => half::round(integer as f32),
        };
        let magnitude = if integer < most { float_of(integer) } else { float_of(most) + integer - most };
        let float = magnitude | sign;
        if float & !middle > infinity {
            return float | 1 << mantissa >> 1;
        }
        match ty {
            NumberType::F64 => (f64::from_bits(float) * f64::from_bits(base)).to_bits(),
            NumberType::F32 => u64::from((f32::from_bits(float as u32) * f32::from_bits(base as u32)).to_bits()),
            // Rounded once: 22 bits of mantissas fit in an f32, so that its product is exact.
            _ => half::round(half::widen(float) * half::widen(base)),
        }
    }

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
        for ty in [NumberType::F16, NumberType::F32, NumberType::F64] {
            let (bits, mantissa) = (ty.bits(), ty.mantissa_bits());
            for latent in latents(bits, mantissa) {
                for base in bases(bits, mantissa) {
                    for base in [base, base | 1 << (bits - 1)] {
                        assert_eq!(product(latent, base, ty), expected(latent, base, ty), "{latent:x} {base:x} {ty:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_half_survives_widening_and_rounding() {
        for bits in 0..=u64::from(u16::MAX) {
            let nan = bits & 0x7C00 == 0x7C00 && bits & 0x3FF != 0;
            assert_eq!(half::round(half::widen(bits)), if nan { bits | 0x200 } else { bits }, "{bits:04x}");
        }
    }

    #[test]
    fn rounding_finds_the_nearest_by_comparison() {
        // Every pair of neighbours, at a quarter, the half and three quarters between them.
        for low in 0..0x7BFFu64 {
            let (a, b) = (f64::from(half::widen(low)), f64::from(half::widen(low + 1)));
            for (part, up) in [(0.25, false), (0.5, low & 1 == 1), (0.75, true)] {
                let float = (a + (b - a) * part) as f32;
                assert_eq!(half::round(float), low + u64::from(up), "{low:04x} {part}");
                assert_eq!(half::round(-float), (low + u64::from(up)) | 0x8000);
            }
        }
        assert_eq!((half::round(65519.996), half::round(65520.0)), (0x7BFF, 0x7C00));
    }
}

//! Types and encodings of values, and the conversion of one stored value to a number.
//!
//! These functions are inlined in the hot loops of `Payload::decode_f32`, which has their contract.

use super::float::{self, INDEFINITE};
use crate::num::{Size, wide};
use crate::tuning;

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// 32-bit float.
    F32,
    /// Half float; [`Element`] takes its 16 bits.
    F16,
    /// 64-bit signed integer.
    I64,
    /// 32-bit signed integer.
    I32,
    /// 8-bit signed integer.
    I8,
    /// 8-bit unsigned integer.
    U8,
}

impl Dtype {
    const ALL: [(Dtype, &'static str); 6] = [
        (Dtype::F32, "float32"),
        (Dtype::F16, "float16"),
        (Dtype::I64, "int64"),
        (Dtype::I32, "int32"),
        (Dtype::I8, "int8"),
        (Dtype::U8, "uint8"),
    ];

    /// Returns the name in the header, which is numpy's.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(dtype, _)| *dtype == self).map_or("", |(_, name)| name)
    }

    pub(super) fn named(is: impl Fn(&str) -> bool) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| is(name)).map(|&(dtype, _)| dtype)
    }

    /// Returns the type that a column decodes to if a chunk decodes to this one, and the chunks
    /// before it to `known`.
    pub(super) fn joined(self, known: Option<Self>) -> Self {
        if known.is_none_or(|known| known == self) { self } else { Dtype::F32 }
    }

    /// Returns the bytes of one value.
    pub const fn width(self) -> u64 {
        wide(self.size())
    }

    /// Returns the same as a size.
    pub(super) const fn size(self) -> Size {
        match self {
            Dtype::F32 | Dtype::I32 => 4,
            Dtype::F16 => 2,
            Dtype::I64 => 8,
            Dtype::I8 | Dtype::U8 => 1,
        }
    }
}

/// Returns which power of two a width of 1, 2, 4 or 8 bytes is. Small machines call a function to
/// divide.
pub(super) const fn log2(width: usize) -> usize {
    (width >> 1) - (width >> 3)
}

/// A name of an encoding.
#[derive(Clone, Copy)]
pub(super) enum Compression {
    Fp16,
    Int8,
    Lossless,
    None,
}

impl Compression {
    const ALL: [(Compression, &'static str); 4] = [
        (Compression::Fp16, "fp16"),
        (Compression::Int8, "int8"),
        (Compression::Lossless, "lossless"),
        (Compression::None, "none"),
    ];

    pub(super) fn named(is: impl Fn(&str) -> bool) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| is(name)).map(|&(compression, _)| compression)
    }
}

/// The encoding of the values of a column in one chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding {
    Fp16,
    Int8 { min: f32, scale: f32 },
    Lossless,
    Plain(Dtype),
}

impl Encoding {
    /// Returns the bytes of one value; `None` if values have no fixed width.
    pub(super) const fn width(self) -> Option<Size> {
        match self {
            Encoding::Fp16 => Some(2),
            Encoding::Int8 { .. } => Some(1),
            Encoding::Lossless => None,
            Encoding::Plain(dtype) => Some(dtype.size()),
        }
    }

    /// Returns the type that values decode to: plain values keep theirs, all others become f32.
    pub(super) const fn output(self) -> Dtype {
        match self {
            Encoding::Plain(dtype) => dtype,
            _ => Dtype::F32,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Encoding::Fp16 => "fp16",
            Encoding::Int8 { .. } => "int8",
            Encoding::Lossless => "lossless",
            Encoding::Plain(_) => "none",
        }
    }
}

/// A type that a column can be decoded to: f32 from any stored values, any other type from plain
/// values of that type. Half floats are `u16`, their bits.
pub trait Element: Copy + Default + private::Sealed {
    /// The type of the columns that it takes.
    const DTYPE: Dtype;

    /// Fills a slice from little-endian bytes.
    #[doc(hidden)]
    const READ: fn(&[u8], &mut [Self]);

    /// Returns the slice if its elements are f32.
    #[doc(hidden)]
    fn floats(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u16 {}
    impl Sealed for i64 {}
    impl Sealed for i32 {}
    impl Sealed for i8 {}
    impl Sealed for u8 {}
}

fn read_each<T, const N: usize>(stored: &[u8], to: &mut [T], value: impl Fn([u8; N]) -> T) {
    let (values, _) = stored.as_chunks::<N>();
    to.iter_mut().zip(values).for_each(|(to, &stored)| *to = value(stored));
}

impl Element for f32 {
    const DTYPE: Dtype = Dtype::F32;
    const READ: fn(&[u8], &mut [Self]) = |stored, to| read_each(stored, to, f32::from_le_bytes);

    fn floats(to: &mut [Self]) -> Option<&mut [f32]> {
        Some(to)
    }
}

impl Element for u16 {
    const DTYPE: Dtype = Dtype::F16;
    const READ: fn(&[u8], &mut [Self]) = |stored, to| read_each(stored, to, u16::from_le_bytes);
}

impl Element for i64 {
    const DTYPE: Dtype = Dtype::I64;
    const READ: fn(&[u8], &mut [Self]) = |stored, to| read_each(stored, to, i64::from_le_bytes);
}

impl Element for i32 {
    const DTYPE: Dtype = Dtype::I32;
    const READ: fn(&[u8], &mut [Self]) = |stored, to| read_each(stored, to, i32::from_le_bytes);
}

impl Element for i8 {
    const DTYPE: Dtype = Dtype::I8;
    const READ: fn(&[u8], &mut [Self]) = |stored, to| read_each(stored, to, i8::from_le_bytes);
}

impl Element for u8 {
    const DTYPE: Dtype = Dtype::U8;
    const READ: fn(&[u8], &mut [Self]) = |stored, to| read_each(stored, to, u8::from_le_bytes);
}

/// Computes `code * scale + min` and rounds twice, as numpy does: the product is rounded before the
/// sum. A fused multiply-add would return other bits.
#[inline(always)]
pub(super) fn code_to_f32(code: u8, min: f32, scale: f32) -> f32 {
    sum(product(code, scale), min)
}

#[inline(always)]
fn product(code: u8, scale: f32) -> f32 {
    if tuning::SMALL { float::product(code, scale) } else { f32::from(code) * scale }
}

#[inline(always)]
fn sum(a: f32, b: f32) -> f32 {
    if tuning::SMALL { float::sum(a, b) } else { a + b }
}

/// Converts the bytes of a plain value of any type but half floats, for machines with little flash:
/// one copy of the code for all types.
pub(super) fn plain_to_f32(dtype: Dtype, stored: &[u8]) -> f32 {
    let negative = dtype != Dtype::U8 && stored.last().is_some_and(|&highest| highest >= 0x80);
    let sign = if negative { -1 } else { 0 };
    let value = stored.iter().rev().fold(sign, |value: i64, &byte| value << 8 | i64::from(byte));
    match dtype {
        Dtype::F32 => f32::from_bits(u32::try_from(value & 0xFFFF_FFFF).unwrap_or(0)),
        _ => integer_to_f32(value),
    }
}

/// Rounds an integer to f32.
#[inline(always)]
pub(super) fn integer_to_f32(value: i64) -> f32 {
    if tuning::SMALL { float::integer(value) } else { value as f32 }
}

/// Compares bits: on machines without float instructions, comparing floats would be a call.
pub(super) fn is_finite(float: f32) -> bool {
    float.to_bits() << 1 < INFINITE
}

/// The bits of an infinity without its sign.
const INFINITE: u32 = f32::INFINITY.to_bits() << 1;

/// Computes `code * scale + min` if `min` or `scale` is infinite or NaN.
///
/// Of zero times infinity and of infinities of both signs, files hold [`INDEFINITE`].
pub(super) fn beyond_finite(code: u8, min: f32, scale: f32) -> f32 {
    let is_infinite = |float: f32| float.to_bits() << 1 == INFINITE;
    let is_nan = |float: f32| float.to_bits() << 1 > INFINITE;
    let product = if is_finite(scale) { product(code, scale) } else { scale };
    match () {
        () if is_nan(scale) => scale,
        () if is_infinite(scale) && code == 0 => INDEFINITE,
        () if is_nan(min) => min,
        () if is_infinite(product) && product.to_bits() == (-min).to_bits() => INDEFINITE,
        () => sum(product, min),
    }
}

/// Converts the bits of a half float to its exact value. A signalling NaN stays one, as in numpy;
/// hardware conversions do not promise that.
///
/// Part of a hot loop. It has no branches, and masks instead of choices, so that it becomes short
/// SIMD. The exponent is rebased by 112.
///
/// * Subnormals need a leading bit: adding one makes `2^-14 + x`, and subtracting 2^-14 is exact.
/// * Infinities and NaNs are treated as the finite numbers that their bits would be. They are
///   rebased by another 112 at the end, after which no arithmetic can make a NaN quiet.
#[inline(always)]
pub fn half_to_f32(half: u16) -> f32 {
    const REBASE: u32 = 112 << 23;
    const LEADING: u32 = 1 << 23;
    if tuning::SMALL {
        return half_by_integers(half);
    }
    let bits = u32::from(half) << 16;
    let sign = bits & 0x8000_0000;
    let magnitude = (bits ^ sign) >> 3;
    let subnormal = u32::from(magnitude < LEADING).wrapping_neg();
    let special = u32::from(magnitude >= 31 << 23).wrapping_neg();
    let biased = f32::from_bits(magnitude + REBASE + (subnormal & LEADING));
    let exact = biased - f32::from_bits(subnormal & (REBASE + LEADING));
    f32::from_bits((exact.to_bits() + (special & REBASE)) | sign)
}

/// Does the same with integers alone, for machines where every float operation is a call and a
/// branch costs little.
fn half_by_integers(half: u16) -> f32 {
    let (sign, exponent, digits) =
        (u32::from(half & 0x8000) << 16, u32::from(half >> 10 & 31), u32::from(half & 0x3FF));
    f32::from_bits(match exponent {
        0 => float::nearest(sign, digits, -24),
        31 => sign | f32::INFINITY.to_bits() | digits << 13,
        _ => sign | (exponent + 112) << 23 | digits << 13,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the definition of binary16, by integers.
    fn slow(half: u16) -> u32 {
        let (sign, exponent, mantissa) =
            (u32::from(half >> 15) << 31, u32::from(half >> 10 & 31), u32::from(half & 0x3FF));
        sign | match (exponent, mantissa) {
            (0, 0) => 0,
            (0, _) => {
                let shift = mantissa.leading_zeros() - 21;
                (113 - shift) << 23 | (mantissa << shift & 0x3FF) << 13
            }
            (31, _) => 0x7F80_0000 | mantissa << 13,
            _ => (exponent + 112) << 23 | mantissa << 13,
        }
    }

    #[test]
    fn all_half_floats_to_the_bit() {
        for half in 0..=u16::MAX {
            assert_eq!(half_to_f32(half).to_bits(), slow(half), "{half:04x}");
            assert_eq!(half_by_integers(half).to_bits(), slow(half), "{half:04x}");
        }
        assert_eq!(half_to_f32(0x7C01).to_bits(), 0x7F80_2000, "a signalling NaN is not made quiet");
    }

    #[test]
    fn not_a_number_has_the_bits_of_the_files() {
        let bits = |code, min, scale| beyond_finite(code, min, scale).to_bits();
        let special = [0.0, 1.0, f32::MAX, f32::INFINITY, f32::NAN];
        for (a, b) in special.iter().flat_map(|a| special.iter().map(move |b| (*a, *b))) {
            for (min, scale) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
                // The header has one NaN, without a sign.
                let [min, scale] = [min, scale].map(|float| if float.is_nan() { f32::NAN } else { float });
                for code in [0, 1, 255] {
                    let small = float::sum(float::product(code, scale), min);
                    assert_eq!(small.to_bits(), bits(code, min, scale), "{code} * {scale} + {min}");
                }
            }
        }
        assert_eq!(bits(0, 1.0, f32::INFINITY), 0xFFC0_0000);
        assert_eq!(bits(1, f32::NEG_INFINITY, f32::INFINITY), 0xFFC0_0000);
        assert_eq!(bits(1, 1.0, f32::NAN), 0x7FC0_0000);
        assert_eq!(bits(1, f32::NAN, 1.0), 0x7FC0_0000);
        assert_eq!(bits(1, f32::INFINITY, 1.0), f32::INFINITY.to_bits());
        assert_eq!(bits(1, 0.0, f32::NEG_INFINITY), f32::NEG_INFINITY.to_bits());
    }
}

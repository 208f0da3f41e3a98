//! Number types, and the unsigned integers that they are decoded through.

use bytemuck::Pod;
use core::ops::{BitAnd, BitOr, BitXor, Not};

/// The type of the numbers in a chunk. The values are those that standalone files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NumberType {
    /// Unsigned, 32 bits.
    U32 = 1,
    /// Unsigned, 64 bits.
    U64 = 2,
    /// Signed, 32 bits.
    I32 = 3,
    /// Signed, 64 bits.
    I64 = 4,
    /// IEEE 754 binary32.
    F32 = 5,
    /// IEEE 754 binary64.
    F64 = 6,
    /// Unsigned, 16 bits.
    U16 = 7,
    /// Signed, 16 bits.
    I16 = 8,
    /// IEEE 754 binary16. Decoded as raw bits in a `u16`.
    F16 = 9,
    /// Unsigned, 8 bits.
    U8 = 10,
    /// Signed, 8 bits.
    I8 = 11,
}

/// How the bits of a number type are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Unsigned,
    Signed,
    Float,
}

impl NumberType {
    /// Every type, in the order of their bytes.
    pub const ALL: [Self; 11] = [
        Self::U32,
        Self::U64,
        Self::I32,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::U16,
        Self::I16,
        Self::F16,
        Self::U8,
        Self::I8,
    ];

    /// Returns the type that this byte stands for.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&ty| ty as u8 == byte)
    }

    /// As Rust spells it: `i64`, `f16`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::F16 => "f16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
        }
    }

    /// Bits of a number.
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 8,
            Self::U16 | Self::I16 | Self::F16 => 16,
            Self::U32 | Self::I32 | Self::F32 => 32,
            Self::U64 | Self::I64 | Self::F64 => 64,
        }
    }

    /// Bytes of a number.
    pub const fn size(self) -> usize {
        (self.bits() / 8) as usize
    }

    pub(crate) const fn order(self) -> Order {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Order::Unsigned,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => Order::Signed,
            Self::F16 | Self::F32 | Self::F64 => Order::Float,
        }
    }

    /// Explicit mantissa bits of a float; 0 for integers.
    pub(crate) const fn mantissa_bits(self) -> u32 {
        match self {
            Self::F16 => 10,
            Self::F32 => 23,
            Self::F64 => 52,
            _ => 0,
        }
    }
}

/// An unsigned integer of 8, 16, 32 or 64 bits. All arithmetic of the format is modulo 2^[`BITS`](Self::BITS).
///
/// It is also the raw form of each number of that width, which [`Chunk::decode_bits`](super::Chunk::decode_bits) writes.
pub trait Latent:
    Pod + Eq + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> + sealed::Sealed
{
    /// The word of the compact decoder: 32 bits, or 64 for those.
    #[doc(hidden)]
    type Word: Latent + core::fmt::Debug;

    /// Width in bits.
    const BITS: u32;
    /// 0.
    const ZERO: Self;
    /// The highest bit alone, which is also the middle of the range.
    const MID: Self;
    /// Explicit mantissa bits of the float of this width; 0 if there is none.
    #[doc(hidden)]
    const MANTISSA: u32;

    /// The low bits of a larger number.
    fn low(bits: u64) -> Self;
    /// As a larger number.
    fn wide(self) -> u64;
    /// The sum, wrapped.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The difference, wrapped.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// The product, wrapped.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// Shifted to higher bits.
    #[doc(hidden)]
    #[must_use]
    fn up(self, by: u32) -> Self;
    /// All ones where the highest bit is set, else 0.
    #[must_use]
    fn spread_top(self) -> Self;
    /// Writes the number in little-endian order into a slice of its size, or of less for its low bytes.
    fn put(self, bytes: &mut [u8]);
    /// Reads it back; missing bytes count as zero.
    fn get(bytes: &[u8]) -> Self;
    /// Returns number `i` of `bytes`, if they have it.
    #[doc(hidden)]
    fn nth(bytes: &[u8], i: usize) -> Option<Self>;
    /// Converts a number whose bytes are in little-endian order to one of this machine.
    #[doc(hidden)]
    #[must_use]
    fn in_native_order(self) -> Self;
    /// Writes the low bits of numbers in little-endian order, as many as fit.
    #[doc(hidden)]
    fn put_all<W: Latent>(numbers: &[W], bytes: &mut [u8]);
    /// Reads them back, and adds `lower` to each.
    #[doc(hidden)]
    fn get_all(bytes: &[u8], lower: Self, numbers: &mut [Self]);
    /// The float of an integer that it can hold exactly, as bits.
    #[doc(hidden)]
    fn float_from(integer: Self) -> Self;
    /// The product of two floats, rounded to nearest, ties to even, as bits. Not for NaN, which differs between machines.
    #[doc(hidden)]
    fn float_product(self, other: Self) -> Self;
}

/// A number that a column can hold, and that has a type of its own in Rust.
///
/// Half floats have none in `core`; decode them with [`Chunk::decode_bits`](super::Chunk::decode_bits) into `u16`.
pub trait Number: Pod + Default + sealed::Sealed {
    /// The unsigned integer of the same width.
    type Bits: Latent;
    /// The type in the format.
    const TYPE: NumberType;
}

mod sealed {
    pub trait Sealed {}
}

/// Returns a word with only the highest of so many bits.
pub(crate) fn top<W: Latent>(bits: u32) -> W {
    W::low(1 << (bits.wrapping_sub(1) & 63))
}

// Two macros, because a trait cannot be implemented for four integers by a function.
macro_rules! latents {
    ($($int:ident $signed:ident $word:ident $mantissa:literal $from:expr, $product:expr;)*) => {$(
        impl Latent for $int {
            type Word = $word;
            const BITS: u32 = <$int>::BITS;
            const ZERO: Self = 0;
            const MID: Self = 1 << (<$int>::BITS - 1);
            const MANTISSA: u32 = $mantissa;

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "keeping the low bits is what it is for")]
            fn low(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn wide(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn up(self, by: u32) -> Self {
                self.wrapping_shl(by)
            }
            #[inline(always)]
            fn spread_top(self) -> Self {
                (self.cast_signed() >> (<$int>::BITS - 1)).cast_unsigned()
            }
            #[inline(always)]
            fn put(self, bytes: &mut [u8]) {
                bytes.iter_mut().zip(self.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
            #[inline(always)]
            fn get(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<Self>()];
                own.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                Self::from_le_bytes(own)
            }
            #[inline(always)]
            fn nth(bytes: &[u8], i: usize) -> Option<Self> {
                bytes.as_chunks().0.get(i).map(|bytes| Self::from_le_bytes(*bytes))
            }
            #[inline(always)]
            fn in_native_order(self) -> Self {
                Self::from_le(self)
            }
            #[inline]
            fn put_all<W: Latent>(numbers: &[W], bytes: &mut [u8]) {
                let (chunks, _) = bytes.as_chunks_mut::<{ size_of::<$int>() }>();
                chunks.iter_mut().zip(numbers).for_each(|(to, number)| *to = Self::low(number.wide()).to_le_bytes());
            }
            #[inline]
            fn get_all(bytes: &[u8], lower: Self, numbers: &mut [Self]) {
                let (chunks, _) = bytes.as_chunks::<{ size_of::<$int>() }>();
                let sums = chunks.iter().map(|chunk| Self::from_le_bytes(*chunk).wrapping_add(lower));
                numbers.iter_mut().zip(sums).for_each(|(to, number)| *to = number);
            }
            #[inline(always)]
            fn float_from(integer: Self) -> Self {
                $from(integer)
            }
            #[inline(always)]
            fn float_product(self, other: Self) -> Self {
                $product(self, other)
            }
        }
    )*};
}

latents! {
    u8 i8 u32 0 |_| 0, |_, _| 0;
    u16 i16 u32 10 half::from_integer, half::product;
    // Through the signed type, for which every machine with vectors has an instruction; the integers are below 2^25.
    u32 i32 u32 23 |integer: u32| (integer.cast_signed() as f32).to_bits(), |a, b| (f32::from_bits(a) * f32::from_bits(b)).to_bits();
    u64 i64 u64 52 |integer: u64| (integer as f64).to_bits(), |a, b| (f64::from_bits(a) * f64::from_bits(b)).to_bits();
}

macro_rules! numbers {
    ($($number:ident $bits:ident $ty:ident;)*) => {$(
        impl sealed::Sealed for $number {}
        impl Number for $number {
            type Bits = $bits;
            const TYPE: NumberType = NumberType::$ty;
        }
    )*};
}

numbers! {
    u8 u8 U8;
    i8 u8 I8;
    u16 u16 U16;
    i16 u16 I16;
    u32 u32 U32;
    i32 u32 I32;
    f32 u32 F32;
    u64 u64 U64;
    i64 u64 I64;
    f64 u64 F64;
}

/// Returns the same numbers as raw bits. Both types have the same size, so that this never fails.
#[inline]
pub(crate) fn bits_of<T: Number>(numbers: &mut [T]) -> &mut [T::Bits] {
    bytemuck::try_cast_slice_mut(numbers).unwrap_or(&mut [])
}

/// Returns their bytes, in the order of this machine.
#[inline]
pub(crate) fn bytes_of<L: Latent>(numbers: &mut [L]) -> &mut [u8] {
    bytemuck::try_cast_slice_mut(numbers).unwrap_or(&mut [])
}

/// Half floats, whose products must come out the same on machines that know them and on those that do not.
mod half {
    /// The half float of an integer of at most 2^11.
    pub fn from_integer(integer: u16) -> u16 {
        match integer.checked_ilog2() {
            None => 0,
            // Callers ignore results beyond 2^11; the shift is bounded all the same.
            Some(log) => {
                let log = u16::try_from(log).unwrap_or(15);
                let mantissa = if log <= 10 { integer << (10 - log) } else { integer >> (log - 10) };
                (log + 15) << 10 | mantissa & 0x3FF
            }
        }
    }

    /// The product, rounded once: 22 bits of mantissas fit in an f32 with room to spare, so that its product is exact.
    pub fn product(a: u16, b: u16) -> u16 {
        round(widen(a) * widen(b))
    }

    fn widen(half: u16) -> f32 {
        let sign = u32::from(half & 0x8000) << 16;
        let magnitude = u32::from(half & 0x7FFF);
        let bits = match magnitude {
            0..0x400 => (magnitude.cast_signed() as f32 * f32::from_bits(0x3380_0000)).to_bits(),
            0x400..0x7C00 => (magnitude << 13) + (112 << 23),
            _ => (magnitude << 13) | 0x7F80_0000,
        };
        f32::from_bits(sign | bits)
    }

    fn round(float: f32) -> u16 {
        let bits = float.to_bits();
        let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7FFF_FFFF);
        let half = match magnitude {
            // Below the least normal half: count units of 2^-24. Below half a unit everything becomes 0.
            0..0x3300_0000 => 0,
            0x3300_0000..0x3880_0000 => {
                let shift = (126 - (magnitude >> 23)) & 31;
                nearest(magnitude & 0x7F_FFFF | 0x80_0000, shift)
            }
            0x3880_0000..0x7F80_0000 => nearest(magnitude - (112 << 23), 13).min(0x7C00),
            0x7F80_0000 => 0x7C00,
            _ => 0x7E00 | magnitude >> 13 & 0x3FF,
        };
        // Both parts have 16 bits.
        u16::try_from(sign | half).unwrap_or(0x7E00)
    }

    /// `bits / 2^shift`, to nearest, ties to even.
    fn nearest(bits: u32, shift: u32) -> u32 {
        let kept = bits >> shift;
        let half = 1 << shift >> 1;
        let rest = bits & ((1u32 << shift).wrapping_sub(1));
        kept + u32::from(rest > half || rest == half && kept & 1 == 1)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_half_survives_widening_and_rounding() {
            for half in 0..=u16::MAX {
                let nan = half & 0x7C00 == 0x7C00 && half & 0x3FF != 0;
                assert_eq!(round(widen(half)), if nan { half | 0x200 } else { half }, "{half:04x}");
            }
        }

        #[test]
        fn rounding_finds_the_nearest_by_comparison() {
            // Every pair of neighbours, at a quarter, the half and three quarters between them.
            for low in 0..0x7BFFu16 {
                let (a, b) = (f64::from(widen(low)), f64::from(widen(low + 1)));
                for (part, up) in [(0.25, false), (0.5, low & 1 == 1), (0.75, true)] {
                    let float = (a + (b - a) * part) as f32;
                    assert_eq!(round(float), low + u16::from(up), "{low:04x} {part}");
                    assert_eq!(round(-float), (low + u16::from(up)) | 0x8000);
                }
            }
            assert_eq!(round(65519.996), 0x7BFF);
            assert_eq!(round(65520.0), 0x7C00);
        }

        #[test]
        fn integers() {
            for integer in 0..=2048u16 {
                assert_eq!(widen(from_integer(integer)), f32::from(integer));
            }
        }
    }
}

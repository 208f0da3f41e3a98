//! Number types, and the unsigned integers that they are decoded through.

use crate::bits::width;
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

/// The order of the bits of a number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Unsigned,
    Signed,
    Float,
}

impl NumberType {
    /// Every type, in the order of their bytes.
    pub const ALL: [Self; 11] = {
        use NumberType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
        [U32, U64, I32, I64, F32, F64, U16, I16, F16, U8, I8]
    };

    /// Returns the type of this byte.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&ty| ty as u8 == byte)
    }

    /// As Rust spells it: `i64`, `f16`.
    pub const fn name(self) -> &'static str {
        self.properties().0
    }

    /// Bits of a number.
    pub const fn bits(self) -> u32 {
        self.properties().1
    }

    /// Bytes of a number.
    pub const fn size(self) -> usize {
        (self.bits() / 8) as usize
    }

    /// The logarithm of that.
    pub(crate) const fn size_log(self) -> u32 {
        width(self.bits()) - 4
    }

    pub(crate) const fn order(self) -> Order {
        self.properties().2
    }

    /// Explicit mantissa bits of a float; 0 for integers.
    pub(crate) const fn mantissa_bits(self) -> u32 {
        self.properties().3
    }

    /// The name, the bits, their order, and the mantissa bits. Inlined, so that a caller keeps the
    /// one it wants.
    #[inline(always)]
    const fn properties(self) -> (&'static str, u32, Order, u32) {
        match self {
            Self::U8 => ("u8", 8, Order::Unsigned, 0),
            Self::I8 => ("i8", 8, Order::Signed, 0),
            Self::U16 => ("u16", 16, Order::Unsigned, 0),
            Self::I16 => ("i16", 16, Order::Signed, 0),
            Self::F16 => ("f16", 16, Order::Float, 10),
            Self::U32 => ("u32", 32, Order::Unsigned, 0),
            Self::I32 => ("i32", 32, Order::Signed, 0),
            Self::F32 => ("f32", 32, Order::Float, 23),
            Self::U64 => ("u64", 64, Order::Unsigned, 0),
            Self::I64 => ("i64", 64, Order::Signed, 0),
            Self::F64 => ("f64", 64, Order::Float, 52),
        }
    }
}

/// An unsigned integer of 8, 16, 32 or 64 bits. All arithmetic of the format is modulo
/// 2^[`BITS`](Self::BITS).
///
/// It is also the raw form of each number of that width, which
/// [`Chunk::decode_bits`](super::Chunk::decode_bits) writes.
pub trait Latent:
    Pod
    + Default
    + Eq
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + sealed::Sealed
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

    /// The low bits of a larger number.
    fn low(bits: u64) -> Self;
    /// As a larger number.
    fn wide(self) -> u64;
    /// The sum, wrapped.
    #[must_use]
    fn plus(self, other: Self) -> Self;
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
    /// Writes the number in little-endian order into a slice of its size, or of less for its low
    /// bytes.
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
    /// The float of an integer that it can hold exactly, as bits. Of 32 or 64 bits.
    #[doc(hidden)]
    fn float_from(integer: Self) -> Self;
    /// The product of two floats, rounded to nearest, ties to even, as bits. Not for NaN, which
    /// differs between machines.
    #[doc(hidden)]
    fn float_product(self, other: Self) -> Self;
}

/// A number that a column can hold, and that has a type of its own in Rust.
///
/// Half floats have none in `core`; decode them with
/// [`Chunk::decode_bits`](super::Chunk::decode_bits) into `u16`.
pub trait Number: Pod + Default + sealed::Sealed {
    /// The unsigned integer of the same width.
    type Bits: Latent;
    /// The type in the format.
    const TYPE: NumberType;
}

mod sealed {
    pub trait Sealed {}
}

/// Returns a word with only the highest of `bits` bits set.
pub(crate) fn top<W: Latent>(bits: u32) -> W {
    W::low(1 << (bits.wrapping_sub(1) & 63))
}

// Two macros, because a trait cannot be implemented for four integers by a function.
macro_rules! latents {
    ($($int:ident $word:ident $from:expr, $product:expr;)*) => {$(
        impl Latent for $int {
            type Word = $word;
            const BITS: u32 = <$int>::BITS;
            const ZERO: Self = 0;
            const MID: Self = 1 << (<$int>::BITS - 1);

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
    u8 u32 |_| 0, |_, _| 0;
    // Half floats are multiplied in software, see `soft`.
    u16 u32 |_| 0, |_, _| 0;
    // Through the signed type, for which every machine with vectors has an instruction; the
    // integers are below 2^25.
    u32 u32 |integer: u32| (integer.cast_signed() as f32).to_bits(), |a, b| (f32::from_bits(a) * f32::from_bits(b)).to_bits();
    u64 u64 |integer: u64| (integer as f64).to_bits(), |a, b| (f64::from_bits(a) * f64::from_bits(b)).to_bits();
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

/// Returns the same numbers as raw bits of the same size, or as bytes in the order of this machine.
/// So this never fails.
#[inline]
pub(crate) fn cast_mut<A: Pod, B: Pod>(numbers: &mut [A]) -> &mut [B] {
    bytemuck::try_cast_slice_mut(numbers).unwrap_or(&mut [])
}

//! The values of one column in one chunk: verified, then decoded or lent out as they are.

use super::cell::Cell;
use super::convert::{
    Dtype, Element, Encoding, beyond_finite, code_to_f32, half_to_f32, integer_to_f32, is_finite, plain_to_f32,
};
use super::lossless::Planes;
use super::simd;
use crate::fault::{Fault, Verdict};
use crate::num::{Size, copy, index_of, u64_from, wide};
use crate::tuning::SMALL;
use crate::{Checksums, Error, ErrorKind, Result, Verify};

/// Compares the CRC-32 of a chunk and counts the outcome. `stored` is the one in the file with its
/// offset, if the chunk has one.
pub(super) fn compare_crc(
    checksums: &mut Checksums,
    stored: Option<(u32, Size)>,
    verify: Verify,
    computed: impl FnOnce() -> u32,
) -> Verdict<(), Size> {
    let Some((stored, at)) = stored.filter(|_| verify != Verify::Skip) else {
        checksums.unchecked += 1;
        return Ok(());
    };
    // The offset may have more bits than those that are counted here.
    let counted = checksums.count(stored == computed(), verify, ErrorKind::CvcCrc, 0);
    counted.map_err(|fault| Fault::of_file(fault.kind, at))
}

/// The stored values of some rows of one column in one chunk.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'b> {
    /// The bytes of the column. The values start at number `skip`.
    pub(super) stored: &'b [u8],
    /// The offset of `stored` in the file.
    pub(super) at: Size,
    pub(super) encoding: Encoding,
    pub(super) skip: usize,
    pub(super) len: usize,
}

impl<'b> Payload<'b> {
    /// No values.
    pub(super) const NONE: Self = Self { stored: &[], at: 0, encoding: Encoding::Fp16, skip: 0, len: 0 };

    /// Returns the number of values: rows times dimension.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns `fp16`, `int8`, `lossless` or `none`.
    pub fn compression(&self) -> &'static str {
        self.encoding.name()
    }

    /// Returns the stored bytes of the values; `None` for lossless, which has no bytes of a single
    /// value.
    pub fn raw(&self) -> Option<&'b [u8]> {
        let width = index_of(self.encoding.width()?);
        // Within the column, whose size is known to fit.
        self.stored.get(self.skip.wrapping_mul(width)..)?.get(..self.len.wrapping_mul(width))
    }

    /// Returns the half floats of an fp16 payload without a copy, little-endian and at any
    /// alignment.
    pub fn fp16(&self) -> Option<&'b [[u8; 2]]> {
        let is_half = matches!(self.encoding, Encoding::Fp16 | Encoding::Plain(Dtype::F16));
        Some(self.raw().filter(|_| is_half)?.as_chunks().0)
    }

    /// Returns the codes of an int8 payload without a copy, with `min` and `scale`.
    pub fn int8(&self) -> Option<(&'b [u8], f32, f32)> {
        let Encoding::Int8 { min, scale } = self.encoding else { return None };
        Some((self.raw()?, min, scale))
    }

    /// Returns the plain values of a `none` payload without a copy, little-endian and at any
    /// alignment.
    pub fn plain(&self) -> Option<(Dtype, &'b [u8])> {
        let Encoding::Plain(dtype) = self.encoding else { return None };
        Some((dtype, self.raw()?))
    }

    /// Decodes to numbers: to f32 from any encoding, where integers beyond 2^24 are rounded; to any
    /// other type from plain values of that type.
    pub fn decode<T: Element>(&self, dst: &mut [T]) -> Result<()> {
        Ok(self.fill(self.filled(dst)?)?)
    }

    /// Does the same with as many elements as there are values.
    pub(super) fn fill<T: Element>(&self, to: &mut [T]) -> Verdict<(), Size> {
        match self.plain() {
            Some((dtype, raw)) if dtype == T::DTYPE => {
                (T::READ)(raw, to);
                Ok(())
            }
            _ => self.decode_f32(T::floats(to).ok_or(Fault::of_file(ErrorKind::WrongType, self.at))?),
        }
    }

    /// Decodes to f32 in little-endian bytes at any alignment.
    pub fn decode_f32_bytes(&self, dst: &mut [u8]) -> Result<()> {
        let (cells, _) = dst.as_chunks_mut::<4>();
        Ok(self.decode_f32(self.filled(cells)?)?)
    }

    /// Fills bytes with little-endian values of `output`: f32, or for plain values their own type.
    pub(super) fn fill_bytes(&self, output: Dtype, to: &mut [u8]) -> Verdict<(), Size> {
        match self.plain() {
            Some((dtype, raw)) if dtype == output => {
                copy(raw, to);
                Ok(())
            }
            _ => self.decode_f32(to.as_chunks_mut::<4>().0),
        }
    }

    /// Fills the cells with values. Plain integers are rounded to f32.
    ///
    /// A hot loop for each encoding, unless the machine has a kernel for it. The lengths of both
    /// slices are known before it and nothing in it can fail, so that it becomes SIMD. Add no
    /// branch, no checked index and no other case to `value`: each undoes that.
    /// `docs/tried/cvc.md` has the measurements.
    #[inline(never)]
    fn decode_f32<C: Cell>(&self, to: &mut [C]) -> Verdict<(), Size> {
        fn values<'b, const N: usize>(payload: &Payload<'b>) -> &'b [[u8; N]] {
            payload.stored.as_chunks().0.get(payload.skip..).unwrap_or(&[])
        }
        fn each<C: Cell, const N: usize>(payload: &Payload<'_>, to: &mut [C], value: impl Fn([u8; N]) -> f32) {
            to.iter_mut().zip(values(payload)).for_each(|(to, &stored)| to.put(value(stored)));
        }
        match self.encoding {
            Encoding::Fp16 | Encoding::Plain(Dtype::F16) => {
                if !C::bytes(to).is_some_and(|to| simd::halves_to_f32(values(self), to)) {
                    each(self, to, |half| half_to_f32(u16::from_le_bytes(half)));
                }
            }
            // With small tables, integers compute everything, also what is not finite.
            Encoding::Int8 { min, scale } if SMALL || is_finite(min) && is_finite(scale) => {
                let codes = values::<1>(self).as_flattened();
                if !C::bytes(to).is_some_and(|to| simd::codes_to_f32(codes, min, scale, to)) {
                    each(self, to, |[code]| code_to_f32(code, min, scale));
                }
            }
            Encoding::Int8 { min, scale } => each(self, to, |[code]| beyond_finite(code, min, scale)),
            Encoding::Lossless => {
                return Planes::of(self.stored, self.at)?.decode(self.skip, to);
            }
            Encoding::Plain(dtype) if SMALL => {
                let width = index_of(dtype.size());
                let mut rest = self.stored.get(self.skip.wrapping_mul(width)..).unwrap_or(&[]);
                for to in to {
                    let Some((stored, after)) = rest.split_at_checked(width) else { break };
                    to.put(plain_to_f32(dtype, stored));
                    rest = after;
                }
            }
            Encoding::Plain(Dtype::F32) => each(self, to, f32::from_le_bytes),
            Encoding::Plain(Dtype::I64) => each(self, to, |int| integer_to_f32(i64::from_le_bytes(int))),
            Encoding::Plain(Dtype::I32) => each(self, to, |int| integer_to_f32(i32::from_le_bytes(int).into())),
            Encoding::Plain(Dtype::I8) => each(self, to, |int| integer_to_f32(i8::from_le_bytes(int).into())),
            Encoding::Plain(Dtype::U8) => each(self, to, |[int]| integer_to_f32(int.into())),
        }
        Ok(())
    }

    /// Returns the elements that this payload fills.
    fn filled<'t, T>(&self, to: &'t mut [T]) -> Result<&'t mut [T]> {
        let need = Error::new(ErrorKind::OutputTooSmall, wide(self.at)).needing(u64_from(self.len));
        to.get_mut(..self.len).ok_or(need)
    }
}

/// Splits elements off the front: `len` of them, or all.
pub(super) fn split_front<'t, T>(rest: &mut &'t mut [T], len: usize) -> &'t mut [T] {
    let all = core::mem::take(rest);
    let len = len.min(all.len());
    let (front, back) = all.split_at_mut_checked(len).unwrap_or_default();
    *rest = back;
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded<C: Cell + Copy + Default>(encoding: Encoding, stored: &[u8], skip: usize, len: usize) -> Vec<C> {
        let mut cells = vec![C::default(); len];
        Payload { stored, at: 0, encoding, skip, len }.decode_f32(&mut cells).unwrap();
        cells
    }

    #[test]
    fn half_floats_decode_in_vectors_as_they_do_alone() {
        let halves: Vec<u16> = (0..=u16::MAX).collect();
        let stored: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let cells: Vec<[u8; 4]> = decoded(Encoding::Fp16, &stored, 0, halves.len());
        for (half, cell) in halves.into_iter().zip(cells) {
            assert_eq!(u32::from_le_bytes(cell), half_to_f32(half).to_bits(), "{half:04x}");
        }
    }

    #[test]
    fn int8_rounds_twice() {
        // One rounding, as a fused multiply-add does, would give another number.
        let (min, scale) = (-0.3f32, 0.1f32);
        let cell: Vec<f32> = decoded(Encoding::Int8 { min, scale }, &[3], 0, 1);
        assert_eq!(cell[0], 3.0f32 * scale + min);
        assert_ne!(cell[0], 3.0f32.mul_add(scale, min));
    }

    #[test]
    fn plain_values_of_every_type_skip_and_round() {
        let check = |dtype, stored: &[u8], expected: &[f32]| {
            let values: Vec<f32> = decoded(Encoding::Plain(dtype), stored, 1, expected.len());
            assert_eq!(values, expected, "{dtype:?}");
            let stored = stored.chunks_exact(index_of(dtype.size())).skip(1);
            let small: Vec<f32> = stored.map(|stored| plain_to_f32(dtype, stored)).collect();
            assert!(dtype == Dtype::F16 || small == expected, "{dtype:?}");
        };
        check(
            Dtype::I64,
            &[[0; 8], 16_777_217i64.to_le_bytes(), (-3i64).to_le_bytes()].concat(),
            &[16_777_216.0, -3.0],
        );
        check(Dtype::I32, &[[0; 4], (-7i32).to_le_bytes()].concat(), &[-7.0]);
        check(Dtype::I8, &[9, 0x80, 0x7F], &[-128.0, 127.0]);
        check(Dtype::U8, &[9, 0x80, 0xFF], &[128.0, 255.0]);
        check(Dtype::F16, &[9, 9, 0, 0x3C], &[1.0]);
        check(Dtype::F32, &[[9; 4], 1.5f32.to_le_bytes()].concat(), &[1.5]);
    }
}

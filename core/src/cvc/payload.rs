//! The values of one column in one chunk: verified, then decoded or lent out as they are.

use super::convert::{
    Cell, Dtype, Element, Encoding, beyond_finite, code_to_f32, half_to_f32, integer_to_f32, is_finite,
};
use super::lossless::Planes;
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::{Checksums, Error, ErrorKind, Result, Verify};

/// Compares the CRC-32 of a chunk and counts the outcome. `stored` is the one in the file and where it lies, if there is one.
pub(super) fn compare_crc(
    checksums: &mut Checksums,
    stored: Option<(u32, u64)>,
    verify: Verify,
    computed: impl FnOnce() -> u32,
) -> Result<()> {
    let Some((stored, at)) = stored.filter(|_| verify != Verify::Skip) else {
        checksums.unchecked += 1;
        return Ok(());
    };
    if stored == computed() {
        checksums.matched += 1;
    } else if verify == Verify::Refuse {
        return Err(Error::new(ErrorKind::CvcCrc, at));
    } else {
        checksums.mismatched += 1;
    }
    Ok(())
}

/// [`compare_crc`] for a payload that is at hand.
pub(super) fn check_crc(
    checksums: &mut Checksums,
    stored: Option<(u32, u64)>,
    verify: Verify,
    payload: &[u8],
) -> Result<()> {
    compare_crc(checksums, stored, verify, || Crc32::of(payload))
}

/// The stored values of some rows of one column in one chunk.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'b> {
    /// The bytes of the column; the values asked for start at `skip`.
    pub(super) stored: &'b [u8],
    pub(super) at: u64,
    pub(super) encoding: Encoding,
    pub(super) skip: usize,
    pub(super) len: usize,
}

impl<'b> Payload<'b> {
    /// How many values there are: rows times dimension.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// `fp16`, `int8`, `lossless` or `none`.
    pub fn compression(&self) -> &'static str {
        self.encoding.name()
    }

    /// The values as they stand in the file, where they stand there one after the other: all but lossless.
    pub fn raw(&self) -> Option<&'b [u8]> {
        let width = index(self.encoding.width()?);
        let start = self.skip.checked_mul(width)?;
        self.stored.get(start..)?.get(..self.len.checked_mul(width)?)
    }

    /// The half floats of an fp16 payload, without a copy, little-endian and at any alignment.
    pub fn fp16(&self) -> Option<&'b [[u8; 2]]> {
        match self.encoding {
            Encoding::Fp16 | Encoding::Plain(Dtype::F16) => Some(self.raw()?.as_chunks().0),
            _ => None,
        }
    }

    /// The codes of an int8 payload without a copy, with `min` and `scale`.
    pub fn int8(&self) -> Option<(&'b [u8], f32, f32)> {
        match self.encoding {
            Encoding::Int8 { min, scale } => Some((self.raw()?, min, scale)),
            _ => None,
        }
    }

    /// The plain values of a `none` payload without a copy, little-endian and at any alignment.
    pub fn plain(&self) -> Option<(Dtype, &'b [u8])> {
        match self.encoding {
            Encoding::Plain(dtype) => Some((dtype, self.raw()?)),
            _ => None,
        }
    }

    /// Whether all values of the stored bytes can be decoded, which only codes of lossless planes may prevent.
    pub(super) fn check_codes(&self) -> Result<()> {
        if self.encoding != Encoding::Lossless {
            return Ok(());
        }
        let mut planes = Planes::default();
        planes.read(self.stored, self.at, &mut ())?;
        planes.check_codes()
    }

    /// Decodes to numbers: f32 from whatever is stored, where integers beyond 2^24 are rounded; any other type only from
    /// plain values of that type.
    pub fn decode<T: Element>(&self, dst: &mut [T]) -> Result<()> {
        let to = self.room(dst)?;
        match self.plain() {
            Some((dtype, raw)) if dtype == T::DTYPE => T::read(raw, to),
            _ => self.decode_f32(T::floats(to).ok_or(Error::new(ErrorKind::WrongType, self.at))?)?,
        }
        Ok(())
    }

    /// Decodes to f32 in little-endian bytes at any alignment.
    pub fn decode_f32_bytes(&self, dst: &mut [u8]) -> Result<()> {
        let (cells, _) = dst.as_chunks_mut::<4>();
        self.decode_f32(self.room(cells)?)
    }

    /// Decodes to little-endian bytes of `output`: f32, or for plain values their own type.
    pub(super) fn decode_bytes(&self, output: Dtype, to: &mut [u8]) -> Result<()> {
        match self.plain() {
            Some((dtype, raw)) if dtype == output => {
                copy(raw, to);
                Ok(())
            }
            _ => self.decode_f32(to.as_chunks_mut::<4>().0),
        }
    }

    /// Decodes as many values as there are cells. Plain integers are rounded to f32.
    ///
    /// A hot loop for each encoding. The lengths of both slices are known before it and nothing in it can fail, so that the compiler makes short SIMD of
    /// it: a branch, a checked index or another case in `value` undoes that.
    #[inline(never)]
    fn decode_f32<C: Cell>(&self, to: &mut [C]) -> Result<()> {
        fn each<C: Cell, const N: usize>(payload: &Payload<'_>, to: &mut [C], value: impl Fn([u8; N]) -> f32) {
            let (values, _) = payload.stored.as_chunks::<N>();
            let values = values.get(payload.skip..).unwrap_or(&[]);
            to.iter_mut().zip(values).for_each(|(to, &stored)| to.put(value(stored)));
        }
        match self.encoding {
            Encoding::Fp16 | Encoding::Plain(Dtype::F16) => {
                each(self, to, |half| half_to_f32(u16::from_le_bytes(half)));
            }
            Encoding::Int8 { min, scale } if is_finite(min) && is_finite(scale) => {
                each(self, to, |[code]| code_to_f32(code, min, scale));
            }
            Encoding::Int8 { min, scale } => each(self, to, |[code]| beyond_finite(code, min, scale)),
            Encoding::Lossless => {
                let mut planes = Planes::default();
                planes.read(self.stored, self.at, &mut ())?;
                return planes.decode(self.skip, to);
            }
            Encoding::Plain(Dtype::F32) => each(self, to, f32::from_le_bytes),
            Encoding::Plain(Dtype::I64) => each(self, to, |int| integer_to_f32(i64::from_le_bytes(int))),
            Encoding::Plain(Dtype::I32) => each(self, to, |int| integer_to_f32(i32::from_le_bytes(int).into())),
            Encoding::Plain(Dtype::I8) => each(self, to, |int| integer_to_f32(i8::from_le_bytes(int).into())),
            Encoding::Plain(Dtype::U8) => each(self, to, |[int]| integer_to_f32(int.into())),
        }
        Ok(())
    }

    /// Exactly the cells that this payload fills.
    fn room<'t, T>(&self, to: &'t mut [T]) -> Result<&'t mut [T]> {
        let need = Error::new(ErrorKind::OutputTooSmall, self.at).needing(u64_from(self.len));
        to.get_mut(..self.len).ok_or(need)
    }
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
        // An interpreter would take minutes for all of them.
        let halves: Vec<u16> = (0..=u16::MAX).step_by(if cfg!(miri) { 251 } else { 1 }).collect();
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

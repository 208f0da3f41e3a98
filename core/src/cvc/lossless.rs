//! The lossless encoding: each of the four bytes of an f32 in a plane of its own, which has a
//! dictionary of the bytes it uses.
//!
//! The payload holds a count of values and four widths. Then follows each plane, least significant
//! byte first: the number of distinct bytes, these bytes, and a code of `width` bits for each
//! value, packed from the most significant bit on.

use super::cell::Cell;
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::{Size, index, offset_after, size, wide};
use crate::tuning::WIDE;
use crate::{ErrorKind, Name, Part, Trace, Value};

const COUNT: Field<4> = Field::new(0, Part::Header, Name::Values);
/// The first of four.
const WIDTH: Field<1> = Field::new(4, Part::Header, Name::BitsOfACode);

/// The planes of a payload, with their sizes checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Planes<'a> {
    planes: [Plane<'a>; 4],
    count: u32,
    /// The offset of the payload in the file.
    at: Size,
}

#[derive(Clone, Copy, Debug, Default)]
struct Plane<'a> {
    dictionary: &'a [u8],
    codes: &'a [u8],
    width: u32,
    /// The offset of the codes in the payload.
    at: usize,
}

impl<'a> Planes<'a> {
    /// Checks that the payload holds this number of values.
    pub(super) fn check_count(&self, values: Size) -> Verdict<(), Size> {
        let same = u64::from(self.count) == wide(values);
        if same { Ok(()) } else { Err(Fault::of_file(ErrorKind::CvcLosslessCount, self.at)) }
    }

    /// Finds the planes of a payload at offset `at` of the file.
    #[inline(never)]
    pub(super) fn of(payload: &'a [u8], at: Size) -> Verdict<Self, Size> {
        let mut planes = Self::default();
        planes.read(payload, at, &mut ())?;
        Ok(planes)
    }

    /// Does the same in place, and traced.
    pub(super) fn read<T: Trace>(&mut self, payload: &'a [u8], at: Size, trace: &mut T) -> Verdict<(), Size> {
        self.at = at;
        self.fill(&mut Fields::new(payload, wide(at), trace)).map_err(|fault| {
            let is_short = fault.kind == ErrorKind::Truncated;
            let kind = if is_short { ErrorKind::CvcLosslessShort } else { fault.kind };
            Fault::of_file(kind, offset_after(at, size(fault.at)))
        })
    }

    fn fill<T: Trace>(&mut self, fields: &mut Fields<'a, '_, T>) -> Verdict<()> {
        let count = u32::from_le_bytes(fields.array()?);
        fields.emit(&COUNT, Value::U64(count.into()));
        let widths = fields.array::<4>()?;
        for (plane, (width, at)) in self.planes.iter_mut().zip(widths.into_iter().zip(WIDTH.at()..)) {
            let field = Field::<1>::new(at, Part::Header, Name::BitsOfACode);
            fields.emit(&field, Value::U64(width.into()));
            if !(1..=8).contains(&width) {
                return Err(Fault::new(ErrorKind::CvcLosslessBits, field.at()));
            }
            plane.width = width.into();
        }
        for (plane, number) in self.planes.iter_mut().zip(0..) {
            fields.enter(Name::Plane, Value::U64(number));
            let start = fields.at();
            let distinct = u16::from_le_bytes(fields.array()?);
            fields.emit_from(start, Part::Header, Name::DistinctBytes, Value::U64(distinct.into()));
            let start = fields.at();
            plane.dictionary = fields.take(distinct.into())?;
            fields.emit_from(start, Part::Table, Name::Dictionary, Value::Bytes(plane.dictionary));
            plane.at = fields.at();
            // Their product may take more than 32 bits.
            let bytes = count / 8 * plane.width + (count % 8 * plane.width).div_ceil(8);
            plane.codes = fields.take(index(bytes.into()))?;
            fields.emit_from(plane.at, Part::Symbols, Name::Codes, Value::None);
            fields.leave();
        }
        let start = fields.at();
        if !fields.take(fields.rest().len())?.is_empty() {
            fields.emit_from(start, Part::Padding, Name::Unused, Value::None);
        }
        self.count = count;
        Ok(())
    }

    /// Fills the cells with values, from value `skip` on.
    ///
    /// A hot loop: four dictionary lookups a value. A missing code or dictionary byte is an error,
    /// and its offset is worked out after the loop, so that the loop keeps no positions.
    /// `docs/tried/cvc.md` has the measurements.
    pub(super) fn decode<C: Cell>(&self, skip: usize, to: &mut [C]) -> Verdict<(), Size> {
        for (cell, value) in to.iter_mut().zip(skip..) {
            let mut bytes = [0; 4];
            for (byte, plane) in bytes.iter_mut().zip(&self.planes) {
                let Some(found) = plane.byte(value) else { return Err(self.bad_code(plane, value)) };
                *byte = found;
            }
            cell.put(f32::from_le_bytes(bytes));
        }
        Ok(())
    }

    /// Checks that each value has a byte in each plane. A plane whose dictionary has a byte for
    /// every code is skipped.
    pub(super) fn check_codes(&self) -> Verdict<(), Size> {
        let (mut values, mut bad) = (0..index(self.count.into()), None);
        for plane in self.planes.iter().filter(|plane| plane.dictionary.len() < 1 << plane.width) {
            if let Some(value) = values.clone().find(|&value| plane.byte(value).is_none()) {
                // Of the next planes, only an earlier value matters.
                (values, bad) = (0..value, Some((plane, value)));
            }
        }
        bad.map_or(Ok(()), |(plane, value)| Err(self.bad_code(plane, value)))
    }

    #[cold]
    fn bad_code(&self, plane: &Plane<'_>, value: usize) -> Fault<Size> {
        let byte = plane.at.saturating_add(plane.code(value).0);
        Fault::of_file(ErrorKind::CvcLosslessCode, offset_after(self.at, size(byte)))
    }
}

impl Plane<'_> {
    /// Returns the byte of the codes in which the code of a value starts, and the bits before it in
    /// that byte.
    #[inline(always)]
    fn code(&self, value: usize) -> (usize, usize) {
        let width = index(self.width.into());
        // All bits of a long payload are too many for 32 bits.
        let (bytes, value) = if WIDE { (0, value) } else { ((value / 8).wrapping_mul(width), value % 8) };
        let bits = value.wrapping_mul(width);
        (bytes.wrapping_add(bits / 8), bits % 8)
    }

    /// Returns the byte of a value in this plane.
    #[inline]
    fn byte(&self, value: usize) -> Option<u8> {
        let (at, before) = self.code(value);
        let first = *self.codes.get(at)?;
        let second = self.codes.get(at + 1).copied().unwrap_or(0);
        let both = u16::from_be_bytes([first, second]) << before;
        let code = both >> (16 - self.width);
        self.dictionary.get(usize::from(code)).copied()
    }
}

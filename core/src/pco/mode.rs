//! From latents to numbers.

use super::meta::Mode;
use super::number::{Latent, NumberType, Order};
use crate::ErrorKind;
use crate::num::index;

/// What makes numbers of latents, for one chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join<'m, L> {
    pub mode: Mode<'m>,
    pub float: bool,
    /// The sign bit where the number type is signed, else 0: what an ordered latent of an integer differs from it by.
    pub flip: L,
    /// Whether latents of a classic chunk still have to be flipped.
    pub flip_classic: bool,
}

impl<'m, L: Latent> Join<'m, L> {
    pub fn new(mode: Mode<'m>, ty: NumberType, flip_classic: bool) -> Self {
        let flip = if ty.order() == Order::Signed { L::MID } else { L::ZERO };
        Self { mode, float: ty.order() == Order::Float, flip, flip_classic }
    }

    /// Replaces the latents of a batch by numbers.
    pub fn run(&self, values: &mut [L], second: &[L], indexes: &[u32]) -> Result<(), ErrorKind> {
        match self.mode {
            Mode::Classic if self.float => values.iter_mut().for_each(|value| *value = float_of(*value)),
            Mode::Classic if self.flip_classic => values.iter_mut().for_each(|value| *value = *value ^ self.flip),
            Mode::Classic => {}
            Mode::IntMult { base } => {
                let base = L::low(base);
                for (value, &second) in values.iter_mut().zip(second) {
                    *value = value.times(base).plus(second) ^ self.flip;
                }
            }
            Mode::FloatMult { base } => float_mult(L::low(base), values, second),
            Mode::FloatQuant { bits } => float_quant(values, second, bits),
            Mode::Dict { entries } => return self.look_up(entries, values, indexes),
        }
        Ok(())
    }

    fn look_up(&self, entries: &[u8], values: &mut [L], indexes: &[u32]) -> Result<(), ErrorKind> {
        let entry = |i: u32| L::nth(entries, index(u64::from(i))).ok_or(ErrorKind::PcoDictIndex);
        if self.float {
            values.iter_mut().zip(indexes).try_for_each(|(value, &i)| entry(i).map(|latent| *value = float_of(latent)))
        } else {
            values
                .iter_mut()
                .zip(indexes)
                .try_for_each(|(value, &i)| entry(i).map(|latent| *value = latent ^ self.flip))
        }
    }
}

/// The bits of the float that an ordered latent stands for: positive ones have lost their sign bit, others are inverted.
#[inline(always)]
pub(crate) fn float_of<L: Latent>(latent: L) -> L {
    latent ^ (!latent.spread_top() | L::MID)
}

/// The ordered latent of a float.
#[inline(always)]
pub(crate) fn latent_of<L: Latent>(float: L) -> L {
    float ^ (float.spread_top() | L::MID)
}

/// Joins the high bits of each float, as an ordered latent, with its low bits.
#[inline(never)]
fn float_quant<L: Latent>(values: &mut [L], second: &[L], bits: u32) {
    let bits = bits & (L::BITS - 1);
    // Positive floats lose their sign bit, of others all bits above the quantum are inverted.
    let above = L::low(u64::MAX << bits);
    let clean = values.iter().fold(L::ZERO, |all, &value| all | value).wide() >> (L::BITS - bits) == 0;
    if clean {
        for (value, &low) in values.iter_mut().zip(second) {
            let high = L::low(value.wide() << bits);
            *value = high ^ low ^ (!high.spread_top() & above | L::MID);
        }
    } else {
        // Latents that no float has: whether it is positive is asked before bits are lost.
        let middle = L::MID.wide() >> bits;
        for (value, &low) in values.iter_mut().zip(second) {
            let invert = if value.wide() >= middle { L::MID } else { above };
            *value = L::low(value.wide() << bits) ^ low ^ invert;
        }
    }
}

/// `base` times the integer that each latent stands for, and as many floats further as `second` says.
#[inline(never)]
fn float_mult<L: Latent>(base: L, values: &mut [L], second: &[L]) {
    // Integers that a float can hold. Latents beyond stand for the floats beyond.
    let most = 1u64 << (L::MANTISSA + 1);
    let magnitude = base & !L::MID;
    let exact = values.iter().fold(L::ZERO, |all, &value| all | integer_of(value)).wide() < most;
    if exact {
        for (value, &second) in values.iter_mut().zip(second) {
            let product = L::float_from(integer_of(*value)).float_product(magnitude);
            // The sign of the product, spread over all bits: what the integer's and the base's do not share.
            let negative = !(*value ^ base).spread_top();
            let ordered = product ^ negative ^ L::MID;
            *value = float_of(ordered.plus(second).plus(L::MID));
        }
    } else {
        for (value, &second) in values.iter_mut().zip(second) {
            let product = product_beyond(*value, base, most);
            *value = float_of(latent_of(product).plus(second).plus(L::MID));
        }
    }
}

/// How far a latent is from the middle: 0 and up for positive numbers, and again from 0 up for negative ones.
#[inline(always)]
fn integer_of<L: Latent>(latent: L) -> L {
    latent ^ !latent.spread_top() ^ L::MID
}

/// The product where the integer may be none that a float can hold, but the bits of a float, or not even that.
pub(super) fn product_beyond<L: Latent>(latent: L, base: L, most: u64) -> L {
    let integer = integer_of(latent);
    let sign = !latent & L::MID;
    let magnitude = match integer.wide() < most {
        true => L::float_from(integer),
        false => L::float_from(L::low(most)).plus(integer.minus(L::low(most))),
    };
    let float = magnitude | sign;
    let infinity = (L::MID.wide() - 1) >> L::MANTISSA << L::MANTISSA;
    if (float & !L::MID).wide() > infinity {
        // A NaN stays what it is, but quiet. Machines do not agree on that, so none is asked.
        return float | L::low(1 << L::MANTISSA >> 1);
    }
    float.float_product(base)
}

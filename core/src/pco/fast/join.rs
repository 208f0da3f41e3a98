//! Joins latents into numbers.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::index;
use crate::pco::meta::Mode;
use crate::pco::number::{Latent, NumberType, Order};
use crate::pco::soft::product;
use crate::tuning;

/// Joins the latents of one chunk into numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join<'m, D> {
    pub mode: Mode<'m>,
    pub ty: NumberType,
    /// Latents of a classic chunk of signed numbers still have to be flipped.
    pub flip_classic: bool,
    pub writer: NumberWriter<D>,
}

/// [`Join::run`] for one width.
type JoinWidth<D> = fn(&Join<'_, D>, &mut [D], &[D], &[u32]) -> Verdict<()>;

/// The functions that depend on the width of numbers that are calculated in words of `D`. Function
/// pointers, so that one copy of the decoder serves all of these widths, and a program links only
/// those that it uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberWriter<D> {
    join: JoinWidth<D>,
    /// Writes numbers in little-endian order.
    pub put: fn(&[D], &mut [u8]),
}

impl<D: Latent> NumberWriter<D> {
    /// For numbers as wide as `L`.
    pub fn of<L: Latent>() -> Self {
        Self { join: |join, values, second, indexes| join.run_of::<L>(values, second, indexes), put: L::put_all }
    }
}

impl<D: Latent> Join<'_, D> {
    /// Replaces the latents of a batch by numbers. Fails if a dictionary has no entry of some
    /// index.
    pub fn run(&self, values: &mut [D], second: &[D], indexes: &[u32]) -> Verdict<()> {
        match tuning::WIDENED {
            true => (self.writer.join)(self, values, second, indexes),
            false => self.run_of::<D>(values, second, indexes),
        }
    }

    fn run_of<L: Latent>(&self, values: &mut [D], second: &[D], indexes: &[u32]) -> Verdict<()> {
        let float = self.ty.order() == Order::Float;
        // The sign bit of a signed type: the difference between an integer and its ordered latent.
        let flip = if self.ty.order() == Order::Signed { L::MID } else { L::ZERO };
        match self.mode {
            Mode::Classic if float => each(values, float_of::<L>),
            Mode::Classic if self.flip_classic => each(values, |value: L| value ^ flip),
            Mode::Classic => {}
            Mode::IntMult { base } => {
                let base = L::low(base);
                each_two(values, second, |value: L, second| value.times(base).plus(second) ^ flip);
            }
            Mode::FloatMult { base } => float_mult(self.ty, L::low(base), values, second),
            Mode::FloatQuant { bits } => float_quant::<D, L>(values, second, bits),
            Mode::Dict { entries } => {
                let found = match float {
                    true => look_up(entries, values, indexes, float_of::<L>),
                    false => look_up(entries, values, indexes, |latent: L| latent ^ flip),
                };
                found.ok_or(Fault::new(ErrorKind::PcoDictIndex, 0))?;
            }
        }
        Ok(())
    }
}

/// Returns the low bits of a word, or widens them to one.
#[inline(always)]
fn cast<A: Latent, B: Latent>(a: A) -> B {
    B::low(a.wide())
}

/// Replaces each latent.
#[inline(always)]
fn each<D: Latent, L: Latent>(values: &mut [D], finish: impl Fn(L) -> L) {
    values.iter_mut().for_each(|value| *value = cast(finish(cast(*value))));
}

/// Joins each two latents.
#[inline(always)]
fn each_two<D: Latent, L: Latent>(values: &mut [D], second: &[D], join: impl Fn(L, L) -> L) {
    values.iter_mut().zip(second).for_each(|(value, &second)| *value = cast(join(cast(*value), cast(second))));
}

/// Replaces each index by its entry of the dictionary. `None` if there is no such entry.
#[inline(always)]
fn look_up<D: Latent, L: Latent>(
    entries: &[u8],
    values: &mut [D],
    indexes: &[u32],
    finish: impl Fn(L) -> L,
) -> Option<()> {
    values.iter_mut().zip(indexes).try_for_each(|(value, &i)| {
        *value = cast(finish(L::nth(entries, index(u64::from(i)))?));
        Some(())
    })
}

/// Returns the bits of the float of an ordered latent: positive ones have lost their sign bit,
/// others are inverted.
#[inline(always)]
fn float_of<L: Latent>(latent: L) -> L {
    latent ^ (!latent.spread_top() | L::MID)
}

/// Returns the ordered latent of a float.
#[inline(always)]
fn latent_of<L: Latent>(float: L) -> L {
    float ^ (float.spread_top() | L::MID)
}

/// Joins the high bits of each float, as an ordered latent, with its low bits.
#[inline(never)]
fn float_quant<D: Latent, L: Latent>(values: &mut [D], second: &[D], bits: u32) {
    let bits = bits & (L::BITS - 1);
    // Positive floats lose their sign bit, of others all bits above the quantum are inverted.
    let above = L::low(u64::MAX << bits);
    let all = values.iter().fold(L::ZERO, |all, &value| all | cast(value));
    if all.wide() >> (L::BITS - bits) == 0 {
        each_two(values, second, |value: L, low| {
            let high = L::low(value.wide() << bits);
            high ^ low ^ (!high.spread_top() & above | L::MID)
        });
    } else {
        // Some latent belongs to no float: compare before bits are lost.
        let middle = L::MID.wide() >> bits;
        each_two(values, second, |value: L, low| {
            let invert = if value.wide() >= middle { L::MID } else { above };
            L::low(value.wide() << bits) ^ low ^ invert
        });
    }
}

/// Replaces each latent by `base` times its integer, moved on by `second` floats.
#[inline(never)]
fn float_mult<D: Latent, L: Latent>(ty: NumberType, base: L, values: &mut [D], second: &[D]) {
    // A float holds integers below this exactly. Latents beyond represent the floats beyond.
    let most = 2u64 << ty.mantissa_bits();
    let magnitude = base & !L::MID;
    let all = values.iter().fold(L::ZERO, |all, &value| all | integer_of(cast(value)));
    if ty == NumberType::F16 || all.wide() >= most {
        each_two(values, second, |value: L, second| {
            let product = L::low(product(value.wide(), base.wide(), ty));
            float_of(latent_of(product).plus(second).plus(L::MID))
        });
    } else {
        each_two(values, second, |value: L, second| {
            let product = L::float_from(integer_of(value)).float_product(magnitude);
            // The sign of the product, spread over all bits: what the integer's and the base's do
            // not share.
            let negative = !(value ^ base).spread_top();
            let ordered = product ^ negative ^ L::MID;
            float_of(ordered.plus(second).plus(L::MID))
        });
    }
}

/// Returns the distance of a latent from the middle, which counts from 0 on both sides.
#[inline(always)]
fn integer_of<L: Latent>(latent: L) -> L {
    latent ^ !latent.spread_top() ^ L::MID
}

//! From differences to latents.

use super::meta::Convolution;
use super::number::Latent;
use crate::ErrorKind;
use crate::num::index;

/// Takes the sum of all values before each, starting with `first`, which goes on where the values end.
#[inline(never)]
pub(crate) fn sum<D: Latent>(first: &mut D, values: &mut [D]) {
    let mut sum = *first;
    for value in values {
        let delta = *value;
        *value = sum;
        sum = sum.plus(delta);
    }
    *first = sum;
}

/// The latents that lookbacks can reach, in a ring whose size is a power of two.
///
/// Latents are put in a page's state ahead of those that leave.
pub(crate) struct Ring<'r, D> {
    pub latents: &'r mut [D],
    pub window: u32,
    /// How many latents have left.
    pub read: usize,
    /// How many were put in.
    pub written: usize,
}

impl<D: Latent> Ring<'_, D> {
    /// Puts in a latent for each of the first `deltas` of `values`, and replaces each of the values by one that leaves.
    #[inline(never)]
    pub fn run(self, values: &mut [D], deltas: usize, lookbacks: &[u32]) -> Result<(usize, usize), ErrorKind> {
        let Self { latents, window, mut read, mut written } = self;
        if latents.is_empty() {
            return Ok((read, written));
        }
        let last = latents.len() - 1;
        let (first, rest) = match values.split_at_mut_checked(deltas) {
            Some(halves) => halves,
            None => return Ok((read, written)),
        };
        for (value, &lookback) in first.iter_mut().zip(lookbacks) {
            if lookback.wrapping_sub(1) >= window {
                return Err(ErrorKind::PcoLookback);
            }
            // Before a page everything is 0.
            let source = written.checked_sub(index(u64::from(lookback)));
            let before = source.map_or(D::ZERO, |at| latents[at & (latents.len() - 1)]);
            let leaves = latents[read & (latents.len() - 1)];
            latents[written & (latents.len() - 1)] = value.plus(before);
            *value = leaves;
            read = read.wrapping_add(1);
            written = written.wrapping_add(1);
        }
        for value in rest {
            *value = latents.get(read & last).copied().unwrap_or(D::ZERO);
            read = read.wrapping_add(1);
        }
        Ok((read, written))
    }
}

/// Makes latents of deltas to predictions: the first `deltas` of `values` were read, and all of them are wanted.
///
/// `history` holds as many latents as there are weights, which come out first, and has room for a batch behind them.
pub(crate) fn convolve<D: Latent>(convolution: &Convolution, history: &mut [D], values: &mut [D], deltas: usize) {
    let order = convolution.weights().len();
    let weights = convolution.weights();
    for (i, &delta) in values.iter().take(deltas).enumerate() {
        let Some((before, after)) = history.get_mut(i..).and_then(|rest| rest.split_at_mut_checked(order)) else {
            return;
        };
        // Checked by the metadata: no sum leaves 64 bits.
        let sum = weights.iter().zip(&*before).fold(convolution.bias, |sum, (&weight, latent)| {
            sum.wrapping_add(i64::from(weight).wrapping_mul(latent.wide().cast_signed()))
        });
        let prediction = sum.max(0).cast_unsigned() >> (convolution.shift & 63);
        if let Some(next) = after.first_mut() {
            *next = delta.plus(D::low(prediction));
        }
    }
    // What was there before comes out; the last latents stay for the next batch.
    values.iter_mut().zip(&*history).for_each(|(value, latent)| *value = *latent);
    for i in 0..order {
        let Some(&latent) = history.get(i.wrapping_add(values.len())) else { return };
        if let Some(entry) = history.get_mut(i) {
            *entry = latent;
        }
    }
}

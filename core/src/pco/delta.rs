//! From differences to latents.

use super::meta::{Convolution, MAX_ORDER};
use super::number::Latent;
use super::spans::BATCH;
use crate::ErrorKind;
use crate::bits::mask;
use crate::num::index;
use crate::tuning::MASK_TABLE;
use crate::tuning::PIPELINED;
use crate::tuning::WIDENED;

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

/// The most bits of a latent that convolution exists for.
const WIDEST: u32 = 32;

/// What a convolution looks back on: room for the most latents that it may, and behind it for those of a batch.
pub(crate) const CONVOLVED: usize = MAX_ORDER + BATCH;

/// Makes latents of deltas to predictions: the first `deltas` of `values` were read, and all of them are wanted.
///
/// The latents that come out first lie right before entry [`MAX_ORDER`] of `history`, which has room for a batch behind them.
pub(crate) fn convolve<D: Latent>(
    convolution: &Convolution<'_>,
    width: u32,
    history: &mut [D],
    values: &mut [D],
    deltas: usize,
) {
    let Some(history) = history.first_chunk_mut::<CONVOLVED>().filter(|_| D::BITS <= WIDEST) else { return };
    let order = convolution.order();
    // The newest latent has just been made, and everything waits for it. The others are weighted before it is there.
    let mut weights = [0; MAX_ORDER];
    let places = weights.iter_mut().skip(MAX_ORDER - order);
    places.zip(convolution.weights()).for_each(|(to, weight)| *to = i64::from(weight));
    let [older @ .., newest] = weights;
    // Loops of more steps than the order multiply what is older than that by zero; it must be something all the same.
    history.iter_mut().take(MAX_ORDER - order).for_each(|latent| *latent = D::ZERO);
    let values_read = values.get(..deltas).unwrap_or(values);
    // Loops that know how many weights there are, where that is worth their size.
    match order {
        0..=8 if MASK_TABLE => predict(convolution, width, &older, newest, 7, history, values_read),
        9..=12 if PIPELINED => predict(convolution, width, &older, newest, 11, history, values_read),
        13..=16 if PIPELINED => predict(convolution, width, &older, newest, 15, history, values_read),
        order => predict(convolution, width, &older, newest, order.saturating_sub(1), history, values_read),
    }
    // What was there before comes out; the last latents stay for the next batch.
    let first = MAX_ORDER - order;
    values.iter_mut().zip(history.iter().skip(first)).for_each(|(value, latent)| *value = *latent);
    for i in 0..MAX_ORDER {
        history[i] = history[(i + values.len().min(BATCH)) % CONVOLVED];
    }
}

/// The latents of `deltas`, the last `n` and one of which are weighted for the next.
#[inline(always)]
fn predict<D: Latent>(
    convolution: &Convolution<'_>,
    width: u32,
    older: &[i64; MAX_ORDER - 1],
    newest: i64,
    n: usize,
    history: &mut [D; CONVOLVED],
    deltas: &[D],
) {
    let Some(weights) = older.get(older.len().saturating_sub(n)..) else { return };
    let mut last = history[MAX_ORDER - 1];
    for (i, &delta) in (0..BATCH).zip(deltas) {
        let before = history.get(i.wrapping_add(MAX_ORDER - 1).wrapping_sub(n)..).and_then(|rest| rest.get(..n));
        let Some(before) = before else { return };
        // Checked by the metadata: no sum leaves 64 bits.
        let sum = weights.iter().zip(before).fold(convolution.bias, |sum, (&weight, latent)| {
            sum.wrapping_add(weight.wrapping_mul(latent.wide().cast_signed()))
        });
        let sum = sum.wrapping_add(newest.wrapping_mul(last.wide().cast_signed()));
        let prediction = sum.max(0).cast_unsigned() >> (convolution.shift & 63);
        last = delta.plus(D::low(prediction));
        if WIDENED {
            last = last & D::low(mask(width));
        }
        if let Some(latent) = history.get_mut(i.wrapping_add(MAX_ORDER)) {
            *latent = last;
        }
    }
}

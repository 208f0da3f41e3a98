//! Makes latents of deltas.
//!
//! The loops are bound by latency: each latent waits for the one before it. They return `None` for
//! a lookback of 0 or one beyond the window, which the lane reports as `PcoLookback`.

use crate::bits::mask;
use crate::num::index;
use crate::pco::meta::{BATCH, Convolution, MAX_ORDER};
use crate::pco::number::Latent;
use crate::tuning;

/// Replaces each value by `first` plus the sum of the values before it. `first` becomes the sum
/// that follows the last one.
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
/// The page's state is pushed first, so that latents leave that many later.
pub(crate) struct Ring<'r, D> {
    pub latents: &'r mut [D],
    pub window: u32,
    /// Latents that have left.
    pub read: usize,
    /// Latents that were pushed.
    pub written: usize,
}

impl<D: Latent> Ring<'_, D> {
    /// Pushes a latent for each of the first `deltas` of `values`, and replaces each value by the
    /// latent that leaves. Returns how many have left and how many were pushed.
    #[inline(never)]
    pub fn run(self, values: &mut [D], deltas: usize, lookbacks: &[u32]) -> Option<(usize, usize)> {
        let Self { latents, window, mut read, mut written } = self;
        if latents.is_empty() {
            return Some((read, written));
        }
        let last = latents.len() - 1;
        let Some((first, rest)) = values.split_at_mut_checked(deltas) else { return Some((read, written)) };
        for (value, &lookback) in first.iter_mut().zip(lookbacks) {
            if lookback.wrapping_sub(1) >= window {
                return None;
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
        Some((read, written))
    }
}

/// The most bits of a latent that convolution exists for.
const WIDEST: u32 = 32;

/// Entries of a convolution's history: the most latents that it may look back on, then those of a
/// batch.
pub(crate) const CONVOLVED: usize = MAX_ORDER + BATCH;

/// Makes latents of differences to predictions: the first `deltas` of `values` were read, and all
/// of them are wanted.
///
/// The latents before the batch end at entry [`MAX_ORDER`] of `history`; those of the batch follow
/// there.
pub(crate) fn convolve<D: Latent>(
    convolution: &Convolution<'_>,
    width: u32,
    history: &mut [D],
    values: &mut [D],
    deltas: usize,
) {
    let Some(history) = history.first_chunk_mut::<CONVOLVED>().filter(|_| D::BITS <= WIDEST) else { return };
    let order = convolution.order();
    // The newest latent has just been made, and everything waits for it. The others are weighted
    // before it exists.
    let mut weights = [0; MAX_ORDER];
    let places = weights.iter_mut().skip(MAX_ORDER - order);
    places.zip(convolution.weights()).for_each(|(to, weight)| *to = i64::from(weight));
    let [older @ .., newest] = weights;
    // Loops of more steps than the order multiply what is older than that by zero; it must be
    // something all the same.
    history.iter_mut().take(MAX_ORDER - order).for_each(|latent| *latent = D::ZERO);
    let values_read = values.get(..deltas).unwrap_or(values);
    // Loops that know how many weights there are, where that is worth their size.
    match order {
        0..=8 if tuning::MASK_TABLE => predict(convolution, width, &older, newest, 7, history, values_read),
        9..=12 if tuning::PIPELINED => predict(convolution, width, &older, newest, 11, history, values_read),
        13..=16 if tuning::PIPELINED => predict(convolution, width, &older, newest, 15, history, values_read),
        order => predict(convolution, width, &older, newest, order.saturating_sub(1), history, values_read),
    }
    // The oldest latents leave; the last ones stay for the next batch.
    let first = MAX_ORDER - order;
    values.iter_mut().zip(history.iter().skip(first)).for_each(|(value, latent)| *value = *latent);
    for i in 0..MAX_ORDER {
        history[i] = history[(i + values.len().min(BATCH)) % CONVOLVED];
    }
}

/// Computes the latents of `deltas`. Each prediction weights the `n` + 1 latents before it.
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
        if tuning::WIDENED {
            last = last & D::low(mask(width));
        }
        if let Some(latent) = history.get_mut(i.wrapping_add(MAX_ORDER)) {
            *latent = last;
        }
    }
}

/// Adds to each of the latents from `first` on the one that its lookback points to. `flip` is the
/// latent of every place before the page.
#[inline(never)]
pub(crate) fn look_back<D: Latent>(
    latents: &mut [D],
    first: usize,
    lookbacks: &[u32],
    window: u32,
    flip: D,
) -> Option<()> {
    for (i, &lookback) in (first..).zip(lookbacks) {
        if lookback.wrapping_sub(1) >= window {
            return None;
        }
        // Before a page everything is 0, which flips to the least signed number.
        let source = i.checked_sub(index(u64::from(lookback)));
        let before = source.and_then(|source| latents.get(source)).copied().unwrap_or(flip);
        if let Some(latent) = latents.get_mut(i) {
            *latent = latent.plus(before);
        }
    }
    Some(())
}

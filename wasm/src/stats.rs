//! Statistics of numbers.

use alloc::vec;
use alloc::vec::Vec;
use unspool::stats::{Histogram, Magnitudes, Norms, Summary};
use wasm_bindgen::prelude::*;

use crate::number;

/// Accumulates statistics over any number of calls.
#[wasm_bindgen]
#[derive(Default)]
pub struct Stats {
    summary: Summary,
    histogram: Histogram,
    magnitudes: Magnitudes,
    norms: Summary,
    /// Values per row.
    dimension: usize,
    /// Norms of vectors that the caller has not taken yet.
    lengths: Vec<f64>,
}

#[wasm_bindgen]
impl Stats {
    /// Starts without numbers. With a dimension above 1, each call passes whole rows, which have
    /// norms.
    #[wasm_bindgen(constructor)]
    pub fn new(dimension: f64) -> Self {
        Self { dimension: number::index(number::to_u64(dimension)), ..Self::default() }
    }

    /// Adds numbers.
    pub fn push(&mut self, values: &[f64]) {
        for &value in values {
            self.summary.push(value);
            self.histogram.push(value);
            self.magnitudes.push(value);
        }
        if self.dimension > 1 {
            for row in values.chunks_exact(self.dimension) {
                let norm = Norms::of(row.iter().copied()).l2;
                self.norms.push(norm);
                self.lengths.push(norm);
            }
        }
    }

    /// Adds everything that `other` has accumulated, except norms not yet taken.
    pub fn merge(&mut self, other: &Self) {
        self.summary.merge(&other.summary);
        self.histogram.merge(&other.histogram);
        self.magnitudes.merge(&other.magnitudes);
        self.norms.merge(&other.norms);
    }

    /// Returns count, NaNs, infinities, minimum, maximum, mean and deviation; NaN if undefined.
    pub fn summary(&self) -> Vec<f64> {
        numbers(&self.summary)
    }

    /// Returns the same for the norms of the vectors.
    pub fn norms(&self) -> Vec<f64> {
        numbers(&self.norms)
    }

    /// Takes the norms of the vectors added since the last call.
    pub fn lengths(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.lengths)
    }

    /// Returns start, end and count of each bin.
    pub fn histogram(&self) -> Vec<f64> {
        bins(self.histogram.iter())
    }

    /// Returns zeros and negative numbers, then start, end and count of each bin of the base-2
    /// logarithms of absolute values.
    pub fn magnitudes(&self) -> Vec<f64> {
        let mut all = vec![number::from_u64(self.magnitudes.zeros()), number::from_u64(self.magnitudes.negative())];
        all.append(&mut bins(self.magnitudes.iter()));
        all
    }
}

fn numbers(summary: &Summary) -> Vec<f64> {
    let or_none = |number: Option<f64>| number.unwrap_or(f64::NAN);
    vec![
        number::from_u64(summary.count()),
        number::from_u64(summary.nans()),
        number::from_u64(summary.infinite()),
        or_none(summary.min()),
        or_none(summary.max()),
        or_none(summary.mean()),
        or_none(summary.deviation()),
    ]
}

fn bins(bins: impl Iterator<Item = (f64, f64, u64)>) -> Vec<f64> {
    bins.flat_map(|(low, high, count)| [low, high, number::from_u64(count)]).collect()
}

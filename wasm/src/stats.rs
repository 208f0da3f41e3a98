//! What numbers come to.

use alloc::vec;
use alloc::vec::Vec;
use unspool::stats::{Histogram, Magnitudes, Norms, Summary};
use wasm_bindgen::prelude::*;

use crate::number;

/// Sums up numbers, any number of them at a time.
#[wasm_bindgen]
#[derive(Default)]
pub struct Stats {
    summary: Summary,
    histogram: Histogram,
    magnitudes: Magnitudes,
    norms: Summary,
    /// Values in a row.
    dimension: usize,
    /// The length of each vector that nobody was told of.
    lengths: Vec<f64>,
}

#[wasm_bindgen]
impl Stats {
    /// Of no numbers. With a dimension of more than 1, whole rows come each time, and have norms.
    #[wasm_bindgen(constructor)]
    pub fn new(dimension: f64) -> Self {
        Self { dimension: number::index(number::to_u64(dimension)), ..Self::default() }
    }

    /// Takes numbers.
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

    /// Takes what another one took, but for the lengths of its vectors, which it gave away.
    pub fn merge(&mut self, other: &Self) {
        self.summary.merge(&other.summary);
        self.histogram.merge(&other.histogram);
        self.magnitudes.merge(&other.magnitudes);
        self.norms.merge(&other.norms);
    }

    /// Count, those that are no number, those that are infinite, least, most, mean, deviation; NaN where there is none.
    pub fn summary(&self) -> Vec<f64> {
        numbers(&self.summary)
    }

    /// The same of the lengths of the vectors.
    pub fn norms(&self) -> Vec<f64> {
        numbers(&self.norms)
    }

    /// The lengths of the vectors since this was last asked for.
    pub fn lengths(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.lengths)
    }

    /// Start, end and count of each bin.
    pub fn histogram(&self) -> Vec<f64> {
        bins(self.histogram.iter())
    }

    /// The same of base-2 logarithms of sizes. Before them: zeros, and numbers less than zero.
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

//! Count, bounds, mean and deviation.

use libm::{fabs, sqrt};

/// A summary of numbers. NaNs are counted apart. Infinities count as numbers, but the mean and the
/// deviation ignore them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    count: u64,
    nans: u64,
    infinite: u64,
    min: f64,
    max: f64,
    /// Factor of the finite numbers before they are added: one of three powers of two, which keeps
    /// every bit.
    unit: f64,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

/// The units are 2^600, 1 and 2^-600. The first one is the default, so that squares of small
/// numbers do not vanish.
const TINY: f64 = f64::from_bits((1023 + 600) << 52);
const COARSER: f64 = f64::from_bits((1023 - 600) << 52);

/// Distance that needs the next unit: 2^450, so that 2^64 of its squares do not overflow. No number
/// is this far in the last unit.
const FAR: f64 = f64::from_bits((1023 + 450) << 52);

impl Summary {
    /// Returns an empty summary.
    pub const fn new() -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { count: 0, nans: 0, infinite: 0, min, max, unit: TINY, mean: 0.0, squares: 0.0 }
    }

    /// Adds a number.
    pub fn push(&mut self, value: f64) {
        if value.is_nan() {
            self.nans = self.nans.saturating_add(1);
            return;
        }
        self.count = self.count.saturating_add(1);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if value.is_infinite() {
            self.infinite = self.infinite.saturating_add(1);
            return;
        }
        // Welford's algorithm: no large sum absorbs small numbers.
        while fabs(value * self.unit - self.mean) > FAR {
            self.coarsen();
        }
        let value = value * self.unit;
        let distance = value - self.mean;
        self.mean += distance / self.finite();
        self.squares += distance * (value - self.mean);
    }

    /// Moves to the next unit.
    #[cold]
    fn coarsen(&mut self) {
        self.unit *= COARSER;
        self.mean *= COARSER;
        self.squares *= COARSER * COARSER;
    }

    /// Adds the numbers of another summary.
    pub fn merge(&mut self, other: &Self) {
        let mut other = *other;
        while self.unit > other.unit {
            self.coarsen();
        }
        while other.unit > self.unit {
            other.coarsen();
        }
        let (mine, theirs) = (self.finite(), other.finite());
        if theirs > 0.0 {
            let distance = other.mean - self.mean;
            let share = theirs / (mine + theirs);
            self.mean += distance * share;
            self.squares += other.squares + distance * distance * mine * share;
        }
        self.count = self.count.saturating_add(other.count);
        self.nans = self.nans.saturating_add(other.nans);
        self.infinite = self.infinite.saturating_add(other.infinite);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns the count of finite numbers, for arithmetic.
    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 numbers one more makes no difference")]
    fn finite(&self) -> f64 {
        self.count.saturating_sub(self.infinite) as f64
    }

    /// Returns the count of numbers without NaNs.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the count of NaNs.
    pub const fn nans(&self) -> u64 {
        self.nans
    }

    /// Returns the count of infinities.
    pub const fn infinite(&self) -> u64 {
        self.infinite
    }

    /// Returns the smallest number.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// Returns the largest number.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Returns the mean of the finite numbers.
    pub fn mean(&self) -> Option<f64> {
        (self.finite() > 0.0).then(|| self.mean / self.unit)
    }

    /// Returns their standard deviation, as of a whole population.
    pub fn deviation(&self) -> Option<f64> {
        let count = self.finite();
        // Rounding may leave a little less than zero.
        (count > 0.0).then(|| sqrt((self.squares / count).max(0.0)) / self.unit)
    }
}

impl Default for Summary {
    fn default() -> Self {
        Self::new()
    }
}

impl Extend<f64> for Summary {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl FromIterator<f64> for Summary {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut summary = Self::new();
        summary.extend(values);
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * b.abs().max(1.0)
    }

    #[test]
    fn summarizes_known_numbers() {
        let summary: Summary = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().collect();
        assert_eq!((summary.count(), summary.min(), summary.max()), (8, Some(2.0), Some(9.0)));
        assert!(near(summary.mean().unwrap(), 5.0) && near(summary.deviation().unwrap(), 2.0));
        assert_eq!(Summary::new().mean(), None);
        assert_eq!(Summary::new().min(), None);
    }

    #[test]
    fn a_large_offset_does_not_swallow_the_deviation() {
        let summary: Summary = (0..1000).map(|n| 1e9 + f64::from(n % 2)).collect();
        assert!(near(summary.deviation().unwrap(), 0.5));
    }

    #[test]
    fn no_size_overflows_or_vanishes() {
        let largest = f64::MAX;
        for (values, mean, deviation) in [
            (vec![-1.7e308, 1.7e308], 0.0, 1.7e308),
            (vec![1.7e308, -1.7e308], 0.0, 1.7e308),
            (vec![1e200, 2e200, 3e200], 2e200, 1e200 * (2.0f64 / 3.0).sqrt()),
            (vec![1e-200, 2e-200, 3e-200], 2e-200, 1e-200 * (2.0f64 / 3.0).sqrt()),
            (vec![5e-324, 5e-324], 5e-324, 0.0),
            (vec![1e-300, 1.0, 3.0], 4.0 / 3.0, (14.0f64 / 9.0).sqrt()),
            (vec![1.0, 3.0, 1e200, -1e200], 1.0, 1e200 * 0.5f64.sqrt()),
            (vec![1e-170, 3.0, 4e170], 4e170 / 3.0, 4e170 / 3.0 * 2.0f64.sqrt()),
            (vec![largest; 7], largest, 0.0),
            (vec![0.0, largest], largest / 2.0, largest / 2.0),
        ] {
            for cut in 0..=values.len() {
                let (left, right) = values.split_at(cut);
                let mut merged: Summary = left.iter().copied().collect();
                merged.merge(&right.iter().copied().collect());
                let (is, size) = (merged.mean().unwrap(), deviation.max(mean));
                assert!((is - mean).abs() <= 1e-14 * size, "{values:?} at {cut}: mean {is}");
                let is = merged.deviation().unwrap();
                assert!((is - deviation).abs() <= 1e-14 * size, "{values:?} at {cut}: deviation {is}");
            }
        }
    }

    #[test]
    fn nans_and_infinities_are_counted_apart() {
        let values = [f64::NAN, f64::INFINITY, 1.0, f64::NEG_INFINITY, 3.0];
        let summary: Summary = values.into_iter().collect();
        assert_eq!((summary.count(), summary.nans(), summary.infinite()), (4, 1, 2));
        assert_eq!((summary.min(), summary.max()), (Some(f64::NEG_INFINITY), Some(f64::INFINITY)));
        assert_eq!((summary.mean(), summary.deviation()), (Some(2.0), Some(1.0)));
    }

    #[test]
    fn summaries_merge_at_any_cut() {
        let values: Vec<f64> = (0..100).map(|n| f64::from((n * 7919) % 101) / 7.0 - 3.0).collect();
        let whole: Summary = values.iter().copied().collect();
        for cut in 0..=values.len() {
            let (left, right) = values.split_at(cut);
            let mut merged: Summary = left.iter().copied().collect();
            merged.merge(&right.iter().copied().collect());
            assert_eq!((merged.count(), merged.min(), merged.max()), (whole.count(), whole.min(), whole.max()));
            assert!(near(merged.mean().unwrap(), whole.mean().unwrap()), "{cut}");
            assert!(near(merged.deviation().unwrap(), whole.deviation().unwrap()), "{cut}");
        }
    }
}

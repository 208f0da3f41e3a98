//! The distribution of numbers: bins of equal width, or of equal width of their logarithms.

use libm::{fabs, floor, frexp, ldexp, log2};

/// Bins of a histogram.
pub const BINS: usize = 64;

/// Bins of equal width. The width is a power of two and doubles if a number is too far away. Edges
/// are multiples of the width, so that two histograms always merge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Histogram {
    /// Base-2 logarithm of the width.
    exponent: i32,
    /// Start of the first bin, in widths.
    start: i64,
    bins: [u64; BINS],
    count: u64,
}

/// The narrowest width. No two numbers differ by less.
const NARROWEST: i32 = -1074;

/// The number of bins, for arithmetic on places.
const SPAN: i64 = 64;
const _: () = assert!(BINS == 64);

impl Histogram {
    /// Returns an empty histogram.
    pub const fn new() -> Self {
        Self { exponent: NARROWEST, start: 0, bins: [0; BINS], count: 0 }
    }

    /// Adds a number. Ignores one that is not finite.
    pub fn push(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        // At this width a number is within 2^51 widths of zero, and its place is exact. Zero fits
        // any width.
        let (_, size) = frexp(value);
        let least = if value == 0.0 { NARROWEST } else { size.saturating_sub(51) };
        while self.exponent < least {
            // Bins that hold only values close to zero keep their place.
            if self.bounds().is_none_or(|bounds| bounds == (0, 0)) {
                self.exponent = least;
            } else {
                self.widen();
            }
        }
        loop {
            let place = place(value, self.exponent);
            if self.make_room(place, place) {
                self.add(place, 1);
                return;
            }
            self.widen();
        }
    }

    /// Adds the numbers of another histogram.
    pub fn merge(&mut self, other: &Self) {
        let mut other = *other;
        let Some((low, high)) = other.bounds() else { return };
        if self.count == 0 {
            *self = other;
            return;
        }
        let (mut low, mut high) = (low, high);
        loop {
            while self.exponent < other.exponent {
                self.widen();
            }
            while other.exponent < self.exponent {
                other.widen();
                (low, high) = other.bounds().unwrap_or((low, high));
            }
            if self.make_room(low, high) {
                break;
            }
            self.widen();
        }
        for (place, count) in other.places() {
            self.add(place, count);
        }
    }

    /// Returns start, end and count of each bin, from the first to the last used one. A bin
    /// includes its start, not its end.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let bounds = self.bounds();
        let exponent = self.exponent;
        self.places()
            .filter(move |&(place, _)| bounds.is_some_and(|(low, high)| (low..=high).contains(&place)))
            .map(move |(place, count)| (edge(place, exponent), edge(place.saturating_add(1), exponent), count))
    }

    /// Returns the count of numbers.
    pub const fn count(&self) -> u64 {
        self.count
    }

    fn places(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        let start = self.start;
        (0i64..).zip(&self.bins).map(move |(at, &count)| (start.saturating_add(at), count))
    }

    /// Returns the first and the last place in use.
    fn bounds(&self) -> Option<(i64, i64)> {
        let mut used = self.places().filter(|&(_, count)| count > 0).map(|(place, _)| place);
        let low = used.next()?;
        Some((low, used.last().unwrap_or(low)))
    }

    fn add(&mut self, place: i64, count: u64) {
        let at = usize::try_from(place.saturating_sub(self.start)).unwrap_or(usize::MAX);
        if let Some(bin) = self.bins.get_mut(at) {
            *bin = bin.saturating_add(count);
            self.count = self.count.saturating_add(count);
        }
    }

    /// Moves the bins so that they cover these places. Returns whether all places fit.
    fn make_room(&mut self, low: i64, high: i64) -> bool {
        let inside = |place: i64| (0..SPAN).contains(&place.saturating_sub(self.start));
        if inside(low) && inside(high) {
            return true;
        }
        let (first, last) = self.bounds().unwrap_or((low, high));
        let (first, last) = (first.min(low), last.max(high));
        let free = SPAN.saturating_sub(1).saturating_sub(last.saturating_sub(first));
        if free < 0 {
            return false;
        }
        // Leaves space on both sides for later numbers.
        self.rearrange(first.saturating_sub(free / 2), |place| place);
        true
    }

    /// Doubles the width.
    fn widen(&mut self) {
        self.exponent = self.exponent.saturating_add(1);
        let (low, high) = self.bounds().unwrap_or((self.start, self.start));
        let (low, high) = (low.div_euclid(2), high.div_euclid(2));
        let free = SPAN.saturating_sub(1).saturating_sub(high.saturating_sub(low)).max(0);
        self.rearrange(low.saturating_sub(free / 2), |place| place.div_euclid(2));
    }

    /// Moves all counts into bins that start at `start`. `to` returns their new places.
    fn rearrange(&mut self, start: i64, to: impl Fn(i64) -> i64) {
        let old = *self;
        (self.start, self.bins, self.count) = (start, [0; BINS], 0);
        for (place, count) in old.places().filter(|&(_, count)| count > 0) {
            self.add(to(place), count);
        }
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the place of a number among bins of this width.
#[expect(clippy::cast_possible_truncation, reason = "the number lies within 2^51 widths of zero")]
fn place(value: f64, exponent: i32) -> i64 {
    let place = floor(scaled(value, exponent.saturating_neg())) as i64;
    // A tiny negative number becomes -0 when scaled, but is not in the bin that starts at 0.
    if value < 0.0 { place.min(-1) } else { place }
}

/// Returns the start of a bin.
#[expect(clippy::cast_precision_loss, reason = "places lie within 2^52 of zero")]
fn edge(place: i64, exponent: i32) -> f64 {
    ldexp(place as f64, exponent)
}

/// Returns a number times a power of two. The power itself may exceed an `f64`.
fn scaled(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    ldexp(ldexp(value, half), exponent.saturating_sub(half))
}

/// The distribution of absolute values: bins whose edges are powers of a power of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Magnitudes {
    zeros: u64,
    negative: u64,
    logarithms: Histogram,
}

impl Magnitudes {
    /// Returns an empty distribution.
    pub const fn new() -> Self {
        Self { zeros: 0, negative: 0, logarithms: Histogram::new() }
    }

    /// Adds a number if it is finite.
    pub fn push(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        if value == 0.0 {
            self.zeros = self.zeros.saturating_add(1);
            return;
        }
        self.negative = self.negative.saturating_add(u64::from(value < 0.0));
        self.logarithms.push(log2(fabs(value)));
    }

    /// Adds the numbers of another distribution.
    pub fn merge(&mut self, other: &Self) {
        self.zeros = self.zeros.saturating_add(other.zeros);
        self.negative = self.negative.saturating_add(other.negative);
        self.logarithms.merge(&other.logarithms);
    }

    /// Returns the count of zeros, which have no logarithm.
    pub const fn zeros(&self) -> u64 {
        self.zeros
    }

    /// Returns the count of negative numbers. The bins hold their absolute values.
    pub const fn negative(&self) -> u64 {
        self.negative
    }

    /// Returns the bins: base-2 logarithms of start and end, and the count.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        self.logarithms.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = f64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|value| histogram.push(value));
        histogram
    }

    /// Checks that each number is in the bin that counts it.
    fn check(histogram: &Histogram, values: &[f64]) {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        assert_eq!(histogram.count(), finite.len() as u64);
        let mut end = None;
        for (low, high, count) in histogram.iter() {
            assert!(low < high || finite.iter().all(|value| value.abs() < 1e-300), "{low} {high}");
            assert!(end.is_none_or(|end| end == low), "no gaps");
            end = Some(high);
            let inside = finite.iter().filter(|&&value| low <= value && value < high).count();
            assert_eq!(inside as u64, count, "{low}..{high} of {values:?}");
        }
        assert_eq!(histogram.iter().map(|(_, _, count)| count).sum::<u64>(), finite.len() as u64);
    }

    #[test]
    fn counts_the_numbers_in_each_bin() {
        for values in [
            vec![],
            vec![0.0],
            vec![5.5],
            vec![-1.0, 1.0],
            vec![1e300, -1e300, 1e-300],
            vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY],
            vec![1e308, -1e308, -5e-324, 5e-324, -1e-300, 1e-300, 0.0, -0.0],
            vec![-5e-324, 0.0, 1000.0],
            (0..1000).map(f64::from).collect(),
            (0..1000).map(|n| f64::from(n * 7919 % 1009) / 37.0 - 12.0).collect(),
            (0..64).map(|n| 1e15 + f64::from(n)).collect(),
        ] {
            let histogram = of(values.iter().copied());
            check(&histogram, &values);
            let mut backwards = values.clone();
            backwards.reverse();
            check(&of(backwards.iter().copied()), &values);
        }
    }

    #[test]
    fn bins_are_as_narrow_as_they_can_be() {
        let histogram = of((0..1000).map(f64::from));
        let bins = histogram.iter().count();
        assert!((32..=64).contains(&bins), "{bins} bins for 0 to 999");
    }

    #[test]
    fn a_zero_widens_nothing() {
        let mut values: Vec<f64> = (0..1000).map(|n| 5e-20 + f64::from(n) * 1e-22).collect();
        let bins = of(values.iter().copied()).iter().count();
        assert!(bins >= 32, "{bins} bins");
        for zero in [0.0, -0.0] {
            for at in [0, 500, 1000] {
                values.insert(at, zero);
                let histogram = of(values.iter().copied());
                check(&histogram, &values);
                let bins = histogram.iter().count();
                assert!(bins >= 32, "{bins} bins with {zero} at {at}");
                let mut merged = of([zero]);
                merged.merge(&histogram);
                assert!(
                    merged
                        .iter()
                        .map(|(low, high, _)| (low, high))
                        .eq(histogram.iter().map(|(low, high, _)| (low, high)))
                );
                values.remove(at);
            }
        }
    }

    #[test]
    fn histograms_merge_at_any_cut() {
        let values: Vec<f64> =
            (0..200).map(|n| f64::from(n * n % 173) * if n % 3 == 0 { -1e-3 } else { 1e3 }).collect();
        for cut in 0..=values.len() {
            let (left, right) = values.split_at(cut);
            let mut merged = of(left.iter().copied());
            merged.merge(&of(right.iter().copied()));
            check(&merged, &values);
        }
    }

    #[test]
    fn magnitudes_have_the_edges_of_powers() {
        let mut magnitudes = Magnitudes::new();
        [0.0, 1.0, -2.0, 4.0, 1e-9, f64::NAN].into_iter().for_each(|value| magnitudes.push(value));
        assert_eq!((magnitudes.zeros(), magnitudes.negative()), (1, 1));
        assert_eq!(magnitudes.iter().map(|(_, _, count)| count).sum::<u64>(), 4);
        let mut other = Magnitudes::new();
        other.push(-0.5);
        magnitudes.merge(&other);
        assert_eq!((magnitudes.zeros(), magnitudes.negative()), (1, 2));
        assert_eq!(magnitudes.iter().map(|(_, _, count)| count).sum::<u64>(), 5);
    }
}

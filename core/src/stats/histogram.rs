//! How numbers spread: bins of equal width, or of equal width of their logarithms.

use libm::{fabs, floor, frexp, ldexp, log2};

/// How many bins a histogram has.
pub const BINS: usize = 64;

/// Bins of equal width, which is a power of two and doubles whenever a number lies too far away. The edges are multiples of the
/// width, so that two histograms always merge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Histogram {
    /// The width of a bin is 2 to this power.
    exponent: i32,
    /// The first bin starts at this multiple of the width.
    start: i64,
    bins: [u64; BINS],
    count: u64,
}

/// Narrower bins than this say nothing, because no number differs by less.
const NARROWEST: i32 = -1074;

/// The number of bins, for arithmetic on their places.
const SPAN: i64 = 64;
const _: () = assert!(BINS == 64);

impl Histogram {
    /// Of no numbers.
    pub const fn new() -> Self {
        Self { exponent: NARROWEST, start: 0, bins: [0; BINS], count: 0 }
    }

    /// Takes a number. One that is not finite has no place, and is left out.
    pub fn push(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        // At this width a number lies within 2^51 widths of zero, and its place is exact. Zero does at any width.
        let (_, size) = frexp(value);
        let least = if value == 0.0 { NARROWEST } else { size.saturating_sub(51) };
        while self.exponent < least {
            // What lies right behind zero stays there.
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

    /// Takes what another one took.
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

    /// The bins from the first to the last that holds anything: where each starts, where it ends, and how many numbers it holds.
    /// Bins hold their start and not their end.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let bounds = self.bounds();
        let exponent = self.exponent;
        self.places()
            .filter(move |&(place, _)| bounds.is_some_and(|(low, high)| (low..=high).contains(&place)))
            .map(move |(place, count)| (edge(place, exponent), edge(place.saturating_add(1), exponent), count))
    }

    /// How many numbers there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    fn places(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        let start = self.start;
        (0i64..).zip(&self.bins).map(move |(at, &count)| (start.saturating_add(at), count))
    }

    /// The first and the last place that holds anything.
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

    /// Moves the bins so that these places have one, if they all fit.
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
        // Room on both sides, for what may come.
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

    /// Puts all counts into bins that start at `start`, at the places that `to` names.
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

/// The place of a number among bins of this width.
#[expect(clippy::cast_possible_truncation, reason = "the number lies within 2^51 widths of zero")]
fn place(value: f64, exponent: i32) -> i64 {
    floor(scaled(value, exponent.saturating_neg())) as i64
}

/// Where a bin starts.
#[expect(clippy::cast_precision_loss, reason = "places lie within 2^52 of zero")]
fn edge(place: i64, exponent: i32) -> f64 {
    ldexp(place as f64, exponent)
}

/// A number times a power of two that may itself be too large to be one.
fn scaled(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    ldexp(ldexp(value, half), exponent.saturating_sub(half))
}

/// How the sizes of numbers spread, whatever their signs: bins whose edges are powers of a power of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Magnitudes {
    zeros: u64,
    negative: u64,
    logarithms: Histogram,
}

impl Magnitudes {
    /// Of no numbers.
    pub const fn new() -> Self {
        Self { zeros: 0, negative: 0, logarithms: Histogram::new() }
    }

    /// Takes a number, if it is finite.
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

    /// Takes what another one took.
    pub fn merge(&mut self, other: &Self) {
        self.zeros = self.zeros.saturating_add(other.zeros);
        self.negative = self.negative.saturating_add(other.negative);
        self.logarithms.merge(&other.logarithms);
    }

    /// How many numbers are zero, and have no logarithm.
    pub const fn zeros(&self) -> u64 {
        self.zeros
    }

    /// How many are less than zero. They are in the bins of their sizes.
    pub const fn negative(&self) -> u64 {
        self.negative
    }

    /// The bins: the base-2 logarithms where each starts and ends, and how many numbers it holds.
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

    /// Every number lies in the bin that counts it.
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
    fn counts_what_lies_in_each_bin() {
        for values in [
            vec![],
            vec![0.0],
            vec![5.5],
            vec![-1.0, 1.0],
            vec![1e300, -1e300, 1e-300],
            vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY],
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
    fn bins_are_no_wider_than_they_must() {
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
    fn merged_at_any_cut_it_counts_the_same() {
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

//! How long vectors are.

use libm::{fabs, sqrt};

/// The norms of one vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Norms {
    /// The sum of the sizes of its values.
    pub l1: f64,
    /// Its length, as the crow flies.
    pub l2: f64,
    /// The size of its largest value.
    pub max: f64,
}

impl Norms {
    /// Of a vector. One that has values which are no numbers has norms that are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut l1, mut max) = (0.0, 0.0);
        // The squares of values that are scaled to at most 1: those of large ones would overflow, those of small ones vanish.
        let (mut scale, mut squares) = (0.0, 0.0);
        for value in values {
            let size = fabs(value);
            l1 += size;
            if size.is_nan() || size.is_infinite() {
                (max, scale, squares) = (max + size, size, 1.0);
            } else if size > scale {
                let ratio: f64 = scale / size;
                squares = 1.0 + squares * ratio * ratio;
                (scale, max) = (size, size);
            } else if scale > 0.0 && scale.is_finite() {
                let ratio: f64 = size / scale;
                squares += ratio * ratio;
            }
        }
        // Something that is no number spoils everything, also if it came before an infinity.
        let spoilt = l1.is_nan();
        let l2 = if spoilt { l1 } else { scale * sqrt(squares) };
        Self { l1, l2, max: if spoilt { l1 } else { max } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_norms() {
        assert_eq!(Norms::of([3.0, -4.0]), Norms { l1: 7.0, l2: 5.0, max: 4.0 });
        assert_eq!(Norms::of([]), Norms::default());
        assert_eq!(Norms::of([0.0, 0.0]), Norms::default());
    }

    #[test]
    fn nothing_overflows_or_vanishes() {
        let large = Norms::of([3e200, 4e200]);
        assert!((large.l2 / 5e200 - 1.0).abs() < 1e-15);
        let small = Norms::of([3e-200, 4e-200]);
        assert!((small.l2 / 5e-200 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_number_shows() {
        assert!(Norms::of([1.0, f64::NAN, 2.0]).l2.is_nan());
        assert!(Norms::of([f64::INFINITY, f64::NAN]).max.is_nan());
        let infinite = Norms::of([1.0, f64::NEG_INFINITY, 2.0]);
        assert_eq!((infinite.l1, infinite.l2, infinite.max), (f64::INFINITY, f64::INFINITY, f64::INFINITY));
    }
}

//! Norms of vectors.

use libm::{fabs, sqrt};

/// The norms of one vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Norms {
    /// Sum of absolute values.
    pub l1: f64,
    /// Euclidean length.
    pub l2: f64,
    /// Largest absolute value.
    pub max: f64,
}

impl Norms {
    /// Returns the norms of a vector; NaN if an element is NaN.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut l1, mut max) = (0.0, 0.0);
        // Squares of values scaled to at most 1. Squares of large values would overflow, those of
        // small ones would vanish.
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
        // A NaN spoils all norms, also before an infinity.
        let spoilt = l1.is_nan();
        let l2 = if spoilt { l1 } else { scale * sqrt(squares) };
        Self { l1, l2, max: if spoilt { l1 } else { max } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_known_norms() {
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
    fn nan_and_infinity_show_in_norms() {
        assert!(Norms::of([1.0, f64::NAN, 2.0]).l2.is_nan());
        assert!(Norms::of([f64::INFINITY, f64::NAN]).max.is_nan());
        let infinite = Norms::of([1.0, f64::NEG_INFINITY, 2.0]);
        assert_eq!((infinite.l1, infinite.l2, infinite.max), (f64::INFINITY, f64::INFINITY, f64::INFINITY));
    }
}

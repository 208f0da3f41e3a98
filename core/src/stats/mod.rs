//! Statistics in one pass: count, bounds, mean, deviation and distribution.
//!
//! Each type takes one number at a time and merges with others of its type, so that threads or
//! workers can sum up chunks. Nothing needs to be known of the numbers before.
//!
//! ```
//! use unspool::stats::Summary;
//! let mut first: Summary = [1.0, 2.0].into_iter().collect();
//! let second: Summary = [3.0, f64::NAN].into_iter().collect();
//! first.merge(&second);
//! assert_eq!((first.count(), first.nans(), first.mean()), (3, 1, Some(2.0)));
//! ```

mod histogram;
mod norms;
mod summary;

pub use histogram::{BINS, Histogram, Magnitudes};
pub use norms::Norms;
pub use summary::Summary;

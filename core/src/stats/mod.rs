//! What can be said of numbers in one pass: how many, the smallest, the largest, their mean and deviation, and how they spread.
//!
//! Everything here is a small value that takes one number at a time and merges with another of its kind, so that chunks can be
//! summed up apart from each other, by threads or by workers. Nothing needs to be known of the numbers beforehand.
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

//! A trace that checks the promise of every parser: leaves tile the file.

use std::ops::Range;

use unspool::{Name, Part, Trace, Value};

/// Collects the bits of every leaf.
#[derive(Debug, Default)]
pub struct Leaves {
    /// Bits and name of each leaf.
    pub leaves: Vec<(Range<u64>, Name)>,
    depth: usize,
}

impl Trace for Leaves {
    fn enter(&mut self, _: Name, _: Value<'_>) {
        self.depth += 1;
    }

    fn leaf(&mut self, _: Part, name: Name, bits: Range<u64>, _: Value<'_>) {
        self.leaves.push((bits, name));
    }

    fn leave(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("more groups end than started");
    }
}

impl Leaves {
    /// Asserts that every bit of a file of `bytes` bytes belongs to exactly one leaf, and that
    /// every group ended.
    pub fn assert_tile(self, bytes: usize, file: &str) {
        self.assert_walk(bytes, &Ok::<_, ()>(bytes), file);
    }

    /// Asserts what holds for the leaves of any walk over a file of `len` bytes: they tile it from
    /// its first bit to another one, which is not outside of the file. Without an error, they tile
    /// the bytes that the walk read, and every group ended.
    #[track_caller]
    pub fn assert_walk<E>(mut self, len: usize, read: &Result<usize, E>, file: &str) {
        self.leaves.sort_by_key(|(bits, _)| (bits.start, bits.end));
        let mut end = 0;
        for (bits, name) in self.leaves {
            let (start, until) = (bits.start, bits.end);
            assert!(start <= until, "{file}: {name:?} ends at bit {until}, before its start {start}");
            assert!(start >= end, "{file}: {name:?} starts at bit {start}, in a leaf that ends at {end}");
            assert!(start == end, "{file}: no leaf has the bits from {end} to {name:?} at {start}");
            end = until;
        }
        assert!(end <= len as u64 * 8, "{file}: a leaf ends at bit {end}, after the {len} bytes of the file");
        if let Ok(read) = read {
            assert_eq!(end, *read as u64 * 8, "{file}: the last leaf ends before the file");
            assert_eq!(self.depth, 0, "{file}: groups that did not end");
        }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a list of leaves may have one")]
mod tests {
    use super::*;

    fn walked(leaves: &[Range<u64>], read: Result<usize, ()>) -> bool {
        let all = leaves.iter().map(|bits| (bits.clone(), Name::Magic)).collect();
        std::panic::catch_unwind(|| Leaves { leaves: all, depth: 0 }.assert_walk(2, &read, "test")).is_ok()
    }

    #[test]
    fn finds_gaps_overlaps_and_leaves_outside_of_the_file() {
        assert!(walked(&[8..16, 0..8], Ok(2)) && walked(&[0..8], Err(())) && walked(&[0..8], Ok(1)));
        assert!(walked(&[3..8, 0..3], Err(())) && walked(&[], Err(())), "an error leaves the rest");
        assert!(!walked(&[0..8], Ok(2)) && !walked(&[0..7, 8..16], Ok(2)) && !walked(&[8..9], Err(())), "a gap");
        assert!(!walked(&[0..9, 8..16], Ok(2)) && !walked(&[0..9, 8..16], Err(())), "an overlap");
        assert!(!walked(&[8..17], Err(())) && !walked(&[17..17], Err(())), "outside");
    }
}

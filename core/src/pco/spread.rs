//! How the bins of a variable are spread over its tANS table, whatever the table looks like.

/// From one entry of a bin to the next: three fifths of the size, made odd so that every entry is met once.
pub(crate) const fn stride(size: u32) -> u32 {
    // 39322 / 2^16 is 3/5 for each size there is, and no division.
    (size * 39_322) >> 16 | 1
}

/// What the entry that stands for `x` reads, and the state that this is added to. `x` is at least the weight of its bin and less than twice that.
pub(crate) const fn transition(x: u32, log: u32) -> (u32, u32) {
    let read = (x | 1).leading_zeros().saturating_sub(31 - log);
    (read, (x << (read & 15)).wrapping_sub(1 << (log & 15)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_step_is_three_fifths_made_odd() {
        for log in 0..=14 {
            let size = 1u32 << log;
            let fifths = 3 * size / 5;
            assert_eq!(super::stride(size), if fifths.is_multiple_of(2) { fifths + 1 } else { fifths }, "{size}");
        }
    }
}

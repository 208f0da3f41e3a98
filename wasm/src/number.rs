//! Passes offsets and counts as JavaScript numbers, which are exact up to 2^53 (8,192 TiB).

/// Converts a count or an offset for JavaScript.
pub const fn from_u64(n: u64) -> f64 {
    n as f64
}

/// Converts a value for JavaScript to the nearest float.
#[cfg_attr(not(feature = "at1"), allow(dead_code))]
pub const fn from_i64(n: i64) -> f64 {
    n as f64
}

/// Converts a length for JavaScript.
#[cfg_attr(not(any(feature = "at1", feature = "onpair", feature = "cvc", feature = "zstd")), allow(dead_code))]
pub fn from_len(n: usize) -> f64 {
    from_u64(u64::try_from(n).unwrap_or(u64::MAX))
}

/// Converts a count or an offset from JavaScript. The TypeScript side has checked that it is whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN becomes 0")]
pub const fn to_u64(n: f64) -> u64 {
    n as u64
}

/// Converts an offset to an index. An offset too large for a slice becomes `usize::MAX`, which
/// every `get` refuses.
pub fn index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

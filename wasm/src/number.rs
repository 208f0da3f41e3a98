//! Passes offsets and counts as JavaScript numbers, which are exact up to 2^53 (8,192 TiB), and
//! writes numbers as text. `core::fmt` would add several kilobytes to a module.

#[cfg(feature = "inspect")]
use alloc::string::String;

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

/// Passes on the digits of a number.
#[cfg(any(feature = "cvc", feature = "inspect"))]
pub fn each_digit(number: u64, push: &mut impl FnMut(u8)) {
    if number > 9 {
        each_digit(number / 10, push);
    }
    let [digit, ..] = (number % 10).to_le_bytes();
    push(b'0' + digit);
}

/// Appends the digits of a number.
#[cfg(feature = "inspect")]
pub fn push_decimal(text: &mut String, number: u64) {
    each_digit(number, &mut |digit| text.push(char::from(digit)));
}

/// Appends the hexadecimal digits of a number, at least `digits` of them.
#[cfg(feature = "inspect")]
pub fn push_hex(text: &mut String, number: u64, digits: usize) {
    if number > 15 || digits > 1 {
        push_hex(text, number / 16, digits.saturating_sub(1));
    }
    push_digit(text, number % 16);
}

#[cfg(feature = "inspect")]
fn push_digit(text: &mut String, digit: u64) {
    text.extend(u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 16)));
}

#[cfg(all(test, feature = "inspect"))]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for number in (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, 10_u64.pow(bit % 20)]).chain([u64::MAX]) {
            let (mut decimal, mut hex) = (String::new(), String::new());
            push_decimal(&mut decimal, number);
            assert_eq!(decimal, format!("{number}"));
            for digits in 0..=18 {
                hex.clear();
                push_hex(&mut hex, number, digits);
                assert_eq!(hex, format!("{number:0digits$x}"));
            }
        }
    }
}

//! Numbers of variable length: seven bits a byte, at most nine bytes, no trailing zero byte.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::Size;

/// The input ends before a field does. The error shows at its end.
pub(super) const CUT: Fault = Fault::new(ErrorKind::Truncated, usize::MAX);

/// The length of the longest number.
pub(super) const MAX_NUMBER: usize = LAST as usize / 7 + 1;

/// Bits before those of the last byte of the longest number, which has nine.
const LAST: u32 = 7 * 8;

/// Reads the number at `at`, and moves `at` after it. If the bytes end first, the fault is [`CUT`].
/// A number that is too large for a size becomes `Size::MAX`.
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn read(bytes: &[u8], at: &mut usize) -> Verdict<Size> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let &byte = bytes.get(*at).ok_or(CUT)?;
        if byte == 0 && shift > 0 || byte >= 0x80 && shift == LAST {
            return Err(Fault::new(ErrorKind::XzNumber, *at));
        }
        let bits = Size::from(byte & 0x7F);
        if bits > Size::MAX.unbounded_shr(shift) {
            value = Size::MAX;
        }
        value |= bits.unbounded_shl(shift);
        shift += 7;
        *at += 1;
        if byte < 0x80 {
            return Ok(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::saturated;

    #[test]
    fn nine_bytes_and_none_needless() {
        let at_start = |bytes: &[u8]| {
            let mut at = 0;
            read(bytes, &mut at).map(|value| (value, at))
        };
        assert_eq!(at_start(&[0x7F, 1]), Ok((0x7F, 1)));
        assert_eq!(at_start(&[0xE5, 0x8E, 0x26]), Ok((624_485, 3)));
        assert_eq!(at_start(&[0]), Ok((0, 1)));
        assert_eq!(at_start(&[0x80]), Err(CUT));
        assert_eq!(at_start(&[]), Err(CUT));
        assert_eq!(at_start(&[0x80, 0]), Err(Fault::new(ErrorKind::XzNumber, 1)));
        let mut longest = [0xFF; 10];
        assert_eq!(at_start(&longest), Err(Fault::new(ErrorKind::XzNumber, 8)));
        assert_eq!(at_start(&longest[..8]), Err(CUT));
        longest[8] = 0x7F;
        assert_eq!(at_start(&longest), Ok((saturated(u64::MAX >> 1), 9)));
    }

    #[test]
    fn a_number_beyond_a_size_is_the_largest_size() {
        for shift in 0..63 {
            let number = 1u64 << shift;
            let mut bytes = Vec::new();
            (0..shift / 7).for_each(|_| bytes.push(0x80));
            bytes.push((number >> (shift / 7 * 7)) as u8);
            assert_eq!(read(&bytes, &mut 0), Ok(saturated(number)), "{number}");
        }
    }
}

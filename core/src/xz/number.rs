//! Numbers of variable length: seven bits a byte, at most nine bytes, no trailing zero byte.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};

/// The input ends before a field does. The error shows at its end.
pub(super) const CUT: Fault = Fault::new(ErrorKind::Truncated, usize::MAX);

/// The length of the longest number.
pub(super) const MAX_NUMBER: usize = 9;

/// Reads the number at `at`, and moves `at` after it. If the bytes end first, the fault is [`CUT`].
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn read(bytes: &[u8], at: &mut usize) -> Verdict<u64> {
    let (start, mut value, mut more) = (*at, 0u64, true);
    // Each byte enters at the top. Shifts by seven bits are short on every machine.
    for _ in 0..MAX_NUMBER {
        value >>= 7;
        if more {
            let &byte = bytes.get(*at).ok_or(CUT)?;
            if byte == 0 && *at > start {
                return Err(Fault::new(ErrorKind::XzNumber, *at));
            }
            value |= u64::from(byte & 0x7F) << 56;
            more = byte >= 0x80;
            *at += 1;
        }
    }
    if more { Err(Fault::new(ErrorKind::XzNumber, *at - 1)) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(at_start(&longest), Ok((u64::MAX >> 1, 9)));
    }
}

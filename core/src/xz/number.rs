//! Numbers of variable length: seven bits a byte, at most nine bytes, no trailing zero byte.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};

/// The input ends before a field does. The error shows at its end.
pub(super) const CUT: Fault = Fault::new(ErrorKind::Truncated, usize::MAX);

/// The length of the longest number.
pub(super) const MAX_NUMBER: usize = 9;

/// Reads the number at the start of `bytes`. Returns it with its length. If the bytes end first,
/// the fault is [`CUT`].
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn read(bytes: &[u8]) -> Verdict<(u64, usize)> {
    let last = bytes.iter().take(MAX_NUMBER).take_while(|&&byte| byte >= 0x80).count();
    let wrong = Fault::new(ErrorKind::XzNumber, last.min(MAX_NUMBER - 1));
    if last >= MAX_NUMBER {
        return Err(wrong);
    }
    let (&high, before) = bytes.get(..=last).ok_or(CUT)?.split_last().ok_or(CUT)?;
    if last > 0 && high == 0 {
        return Err(wrong);
    }
    // From the last byte on, because a shift by seven bits is short on every machine.
    let value = before.iter().rev().fold(high.into(), |value, &byte| value << 7 | u64::from(byte & 0x7F));
    Ok((value, last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_bytes_and_none_needless() {
        assert_eq!(read(&[0x7F, 1]), Ok((0x7F, 1)));
        assert_eq!(read(&[0xE5, 0x8E, 0x26]), Ok((624_485, 3)));
        assert_eq!(read(&[0]), Ok((0, 1)));
        assert_eq!(read(&[0x80]), Err(CUT));
        assert_eq!(read(&[]), Err(CUT));
        assert_eq!(read(&[0x80, 0]), Err(Fault::new(ErrorKind::XzNumber, 1)));
        let mut longest = [0xFF; 10];
        assert_eq!(read(&longest), Err(Fault::new(ErrorKind::XzNumber, 8)));
        assert_eq!(read(&longest[..8]), Err(CUT));
        longest[8] = 0x7F;
        assert_eq!(read(&longest), Ok((u64::MAX >> 1, 9)));
    }
}

//! Numbers of variable length: seven bits a byte, at most nine bytes, no trailing zero byte.

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};

/// The length of the longest number.
pub(super) const MAX_NUMBER_LEN: u32 = 9;

/// A number that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number {
    value: u64,
    /// Bytes read.
    pub(super) len: u32,
}

impl Number {
    /// Adds the next byte; returns the number if it was the last. A fault counts from the first
    /// byte.
    pub(super) fn push(&mut self, byte: u8) -> Verdict<Option<u64>> {
        let wrong = Fault::new(ErrorKind::XzNumber, self.len as usize);
        self.value |= u64::from(byte & 0x7F) << ((self.len * 7) & 63);
        self.len = self.len.wrapping_add(1);
        if byte & 0x80 == 0 {
            if byte == 0 && self.len > 1 {
                return Err(wrong);
            }
            return Ok(Some(self.value));
        }
        if self.len >= MAX_NUMBER_LEN { Err(wrong) } else { Ok(None) }
    }
}

/// Reads the number at the start of `bytes`. Returns it with its length, or `None` if the bytes end
/// first.
pub(super) fn read(bytes: &[u8]) -> Verdict<Option<(u64, usize)>> {
    let mut number = Number::default();
    for &byte in bytes {
        if let Some(value) = number.push(byte)? {
            return Ok(Some((value, number.len as usize)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_bytes_and_none_needless() {
        assert_eq!(read(&[0x7F, 1]), Ok(Some((0x7F, 1))));
        assert_eq!(read(&[0xE5, 0x8E, 0x26]), Ok(Some((624_485, 3))));
        assert_eq!(read(&[0]), Ok(Some((0, 1))));
        assert_eq!(read(&[0x80]), Ok(None));
        assert_eq!(read(&[0x80, 0]), Err(Fault::new(ErrorKind::XzNumber, 1)));
        let mut longest = [0xFF; 10];
        assert_eq!(read(&longest), Err(Fault::new(ErrorKind::XzNumber, 8)));
        longest[8] = 0x7F;
        assert_eq!(read(&longest), Ok(Some((u64::MAX >> 1, 9))));
    }
}

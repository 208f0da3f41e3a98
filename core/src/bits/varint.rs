//! LEB128 varints and the zigzag code.

use crate::fault::{Fault, Verdict};
use crate::{ErrorKind, Result};

/// The length of the longest varint: ten bytes, of which the last is 0 or 1.
pub const MAX_VARINT_LEN: usize = 10;

/// Reads an unsigned LEB128 number of at most 64 bits; returns it with its length.
///
/// Needless zero groups (`80 00`) are read, because encoders of these formats write them. An
/// eleventh byte is an error, and so is a tenth above 1.
///
/// ```
/// use unspool::bits::read_varint;
/// assert_eq!(read_varint(&[0xE5, 0x8E, 0x26, 0x99]), Ok((624_485, 3)));
/// ```
pub fn read_varint(bytes: &[u8]) -> Result<(u64, usize)> {
    Ok(varint(bytes)?)
}

/// Does the same, with a fault.
pub(crate) fn varint(bytes: &[u8]) -> Verdict<(u64, usize)> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().take(MAX_VARINT_LEN).enumerate() {
        if at == MAX_VARINT_LEN - 1 && byte > 1 {
            return Err(Fault::new(ErrorKind::VarintTooLong, at));
        }
        value |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok((value, at + 1));
        }
    }
    Err(Fault::new(ErrorKind::Truncated, bytes.len()))
}

/// Decodes a zigzag code, which counts 0, -1, 1, -2, 2 …
#[inline]
pub const fn zigzag(code: u64) -> i64 {
    (code >> 1).cast_signed() ^ (code & 1).cast_signed().wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn write(mut value: u64) -> Vec<u8> {
        let mut bytes = vec![];
        loop {
            let low = (value & 0x7F) as u8;
            value >>= 7;
            if value == 0 {
                bytes.push(low);
                return bytes;
            }
            bytes.push(low | 0x80);
        }
    }

    #[test]
    fn around_every_power_of_two() {
        for shift in 0..64 {
            for value in [(1u64 << shift) - 1, 1 << shift, (1u64 << shift) + 1, u64::MAX - (1 << shift)] {
                let mut bytes = write(value);
                for cut in 0..bytes.len() {
                    assert_eq!(read_varint(&bytes[..cut]), Err(Error::new(ErrorKind::Truncated, cut as u64)));
                }
                let len = bytes.len();
                assert_eq!(read_varint(&bytes), Ok((value, len)));
                bytes.push(0xFF);
                assert_eq!(read_varint(&bytes), Ok((value, len)), "what follows does not matter");
            }
        }
    }

    /// Compares with the definition, one group after the other.
    #[test]
    fn every_string_of_three_bytes_agrees_with_the_definition() {
        for bytes in (0..1u32 << 16).flat_map(|low| [0u8, 1, 0x7F, 0x80, 0xFF].map(|high| (low, high))) {
            let bytes = [bytes.0.to_le_bytes()[0], bytes.0.to_le_bytes()[1], bytes.1];
            let len = bytes.iter().position(|&byte| byte < 0x80);
            let value =
                bytes.iter().rev().skip(2 - len.unwrap_or(2)).fold(0, |all, &byte| all << 7 | u64::from(byte & 0x7F));
            let expected = len.map_or(Err(Error::new(ErrorKind::Truncated, 3)), |last| Ok((value, last + 1)));
            assert_eq!(read_varint(&bytes), expected, "{bytes:02x?}");
        }
    }

    #[test]
    fn ten_bytes_and_the_tenth_at_most_one() {
        let mut bytes = [0xFF; 11];
        bytes[9] = 1;
        assert_eq!(read_varint(&bytes), Ok((u64::MAX, 10)));
        for last in 2..=255 {
            bytes[9] = last;
            assert_eq!(read_varint(&bytes), Err(Error::new(ErrorKind::VarintTooLong, 9)), "{last}");
        }
        assert_eq!(read_varint(&[0x80, 0x80, 0]), Ok((0, 3)));
    }

    #[test]
    fn zigzag_covers_all_of_i64() {
        let expected = [(0, 0), (1, -1), (2, 1), (3, -2), (u64::MAX - 1, i64::MAX), (u64::MAX, i64::MIN)];
        for (code, number) in expected {
            assert_eq!(zigzag(code), number);
        }
    }
}

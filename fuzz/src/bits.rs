//! Compares the bit readers and varints with readers that take one bit at a time.

use unspool::bits::{BackwardBitReader, BitReader, MAX_VARINT_LEN, read_varint, zigzag};
use unspool::{Class, ErrorKind};

/// Uses the first 32 bytes as instructions and the rest as data.
pub fn bits(bytes: &[u8]) {
    let (script, data) = bytes.split_at(bytes.len().min(32));
    forward(script, data);
    backward(script, data);
    varints(data);
}

/// Returns the bit at a position counted from the first bit, least significant first.
fn bit(data: &[u8], at: u64) -> u64 {
    usize::try_from(at / 8).ok().and_then(|byte| data.get(byte)).map_or(0, |&byte| u64::from(byte >> (at % 8) & 1))
}

fn forward(script: &[u8], data: &[u8]) {
    let total = data.len() as u64 * 8;
    let mut reader = BitReader::new(data);
    let mut at = 0;
    for &op in script {
        let n = u64::from(op & 0x7F).min(64);
        let expected = (0..n).fold(0, |all, i| all | bit(data, at + i) << i);
        assert_eq!(reader.peek(n as u32), expected, "{n} bits at {at} of {total}");
        if op & 0x80 == 0 {
            match reader.take(n as u32) {
                Ok(taken) => {
                    assert_eq!(taken, expected);
                    at += n;
                }
                Err(error) => {
                    assert!(at + n > total && error.class() == Class::Truncated && error.at == data.len() as u64);
                }
            }
        } else {
            let gap = (8 - at % 8) % 8;
            let expected = (0..gap).fold(0, |all, i| all | bit(data, at + i) << i);
            assert_eq!(reader.align(), expected);
            at += gap;
            assert_eq!(reader.rest(), &data[at as usize / 8..]);
        }
        assert_eq!((reader.position(), reader.remaining()), (at, total - at));
    }
    // A position beyond every slice is only a position after the end.
    let far = BitReader::at_bit(data, u64::MAX - u64::from(script.first().copied().unwrap_or(0)));
    assert_eq!((far.remaining(), far.peek(64), far.rest()), (0, 0, &[][..]));
    assert!(far.clone().take(1).is_err());
}

fn backward(script: &[u8], data: &[u8]) {
    let Ok(mut reader) = BackwardBitReader::new(data) else {
        assert!(data.last().is_none_or(|&last| last == 0), "refuses a stream that has a marker");
        return;
    };
    let mut left = data.len() as i64 * 8 - i64::from(data[data.len() - 1].leading_zeros()) - 1;
    assert_eq!(reader.remaining(), left);
    for &op in script {
        let n = i64::from(op).min(56);
        // Bits before the first are zeros.
        let expected = (1..=n).fold(0, |all, i| all << 1 | u64::try_from(left - i).map_or(0, |at| bit(data, at)));
        assert_eq!(reader.peek(n as u32), expected, "{n} bits below {left}");
        assert_eq!(reader.take(n as u32), expected);
        left -= n;
        assert_eq!(reader.remaining(), left);
        assert_eq!(reader.is_exhausted(), left == 0);
    }
}

fn varints(data: &[u8]) {
    let len = data.iter().position(|byte| byte & 0x80 == 0).map_or(data.len(), |at| at + 1);
    let naive = data[..len].iter().take(19).rev().fold(0u128, |all, &byte| all << 7 | u128::from(byte & 0x7F));
    match read_varint(data) {
        Ok((value, read)) => {
            assert_eq!((u128::from(value), read), (naive, len));
            let code = zigzag(value);
            assert_eq!((code << 1 ^ code >> 63).cast_unsigned(), value, "zigzag there and back");
        }
        Err(error) if error.kind == ErrorKind::Truncated => {
            assert!(len == data.len() && data.len() < MAX_VARINT_LEN && data.iter().all(|byte| byte & 0x80 != 0));
        }
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::VarintTooLong);
            assert!(naive > u128::from(u64::MAX) || len > MAX_VARINT_LEN || data[MAX_VARINT_LEN - 1] > 1);
        }
    }
}

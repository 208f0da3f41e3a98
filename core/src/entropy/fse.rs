//! Finite state entropy: the description of a table, and the order in which its cells belong to
//! symbols.

use crate::bits::{header_u32_at, width};

/// The lowest table log that a description can have.
pub(crate) const MIN_LOG: u32 = 5;

/// Calls `each` with every symbol that has cells and their number; returns the table log and the
/// length of the description. Lean builds have one copy of it, others one for each table.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(any(feature = "small", target_arch = "wasm32")), inline(always))]
pub(crate) fn describe(
    bytes: &[u8],
    max_symbol: usize,
    max_log: u32,
    each: &mut dyn FnMut(usize, i16),
) -> Option<(u32, usize)> {
    let log = u32::from(*bytes.first()? & 15) + MIN_LOG;
    if log > max_log {
        return None;
    }
    let mut at = 4;
    let mut left = 1u32 << log;
    let mut symbol = 0usize;
    while left > 0 {
        let bits = word(bytes, at);
        // One of `left + 2` values: minus one, zero, or up to all cells that are left.
        let range = left + 1;
        let width = width(range);
        // This number of values need one bit fewer than the others.
        let short = (1u32 << width) - 1 - range;
        let low = bits & ((1 << (width - 1)) - 1);
        let all = bits & ((1 << width) - 1);
        let value = match low < short {
            true => low,
            false if all == low => low,
            false => all - short,
        };
        at += if low < short { width - 1 } else { width } as usize;
        if symbol > max_symbol {
            return None;
        }
        if value == 1 {
            // After a zero comes the number of further zeros, three at a time.
            loop {
                let more = word(bytes, at) & 3;
                at += 2;
                symbol += more as usize;
                if more < 3 {
                    break;
                }
            }
        } else {
            let count = i16::try_from(value).ok()? - 1;
            left = left.checked_sub(count.unsigned_abs().into())?;
            each(symbol, count);
        }
        symbol += 1;
    }
    let len = at.div_ceil(8);
    (len <= bytes.len()).then_some((log, len))
}

/// Returns at least 25 bits from bit `at` on, with zeros after the end of the bytes.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u32 {
    header_u32_at(bytes, at / 8) >> (at % 8)
}

/// Returns the distance of the cells of one symbol, around and around the table.
pub(crate) const fn step(log: u32) -> usize {
    let size = 1usize << log;
    (size >> 1) + (size >> 3) + 3
}

/// Returns the next cell for a symbol after `at`, around and around the table. Cells from `high` on
/// are taken.
pub(crate) const fn next(at: usize, log: u32, high: usize) -> usize {
    let mask = (1usize << log) - 1;
    let mut at = (at + step(log)) & mask;
    while at >= high && high > 0 {
        at = (at + step(log)) & mask;
    }
    at
}

/// Returns the number of bits that lead to the successor of a state, and where these successors
/// start. `x` runs from the symbol's count to twice that.
#[inline]
pub(crate) const fn successor(x: u32, log: u32) -> (u32, u32) {
    let bits = log.wrapping_sub(31 - (x | 1).leading_zeros());
    (bits, (x << (bits & 31)).wrapping_sub(1 << log))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a description: the inverse of `describe`.
    fn write(counts: &[i16], log: u32) -> Vec<u8> {
        let (mut bits, mut n) = (u128::from(log - MIN_LOG), 4);
        let mut out = vec![];
        let mut put = |value: u32, width: u32| {
            bits |= u128::from(value) << n;
            n += width;
            while n >= 8 {
                out.push(bits as u8);
                bits >>= 8;
                n -= 8;
            }
        };
        let mut left = 1u32 << log;
        let mut symbol = 0;
        while left > 0 {
            let (range, count) = (left + 1, counts[symbol]);
            let width = 32 - range.leading_zeros();
            let short = (1u32 << width) - 1 - range;
            let value = (count + 1) as u32;
            if value < short {
                put(value, width - 1);
            } else if value < 1 << (width - 1) {
                put(value, width);
            } else {
                put(value + short, width);
            }
            left -= u32::from(count.unsigned_abs());
            symbol += 1;
            if count == 0 {
                let mut zeros = counts[symbol..].iter().take_while(|&&count| count == 0).count();
                symbol += zeros;
                while zeros >= 3 {
                    put(3, 2);
                    zeros -= 3;
                }
                put(zeros as u32, 2);
            }
        }
        put(0, 7);
        out
    }

    #[test]
    fn descriptions_read_back() {
        let cases: [(&[i16], u32); 5] = [
            (&[32], 5),
            (&[-1, 31], 5),
            (&[0, 0, 0, 0, 0, 0, 0, 16, 15, -1], 5),
            (&[1, 0, 30, -1], 5),
            (&[100, 0, 0, 0, 56, 50, 50], 8),
        ];
        let read = |bytes: &[u8], max_symbol, max_log| {
            let mut counts = [0; 64];
            describe(bytes, max_symbol, max_log, &mut |symbol, count| counts[symbol] = count)
                .map(|(log, len)| (counts, log, len))
        };
        for (counts, log) in cases {
            let bytes = write(counts, log);
            let (read_counts, read_log, len) = read(&bytes, 63, 9).unwrap();
            assert_eq!((&read_counts[..counts.len()], read_log), (counts, log));
            assert!(len == bytes.len() || len + 1 == bytes.len());
            assert!(read(&bytes[..len - 1], 63, 9).is_none());
            assert!(read(&bytes, 63, log - 1).is_none());
            assert!(read(&bytes, counts.len() - 1, 9).is_some());
            assert!(counts.len() == 1 || read(&bytes, counts.len() - 2, 9).is_none());
        }
    }

    #[test]
    fn successors_cover_the_table() {
        for log in 5..=12 {
            for count in [1u32, 2, 3, 5, 30, 1 << log] {
                let mut covered = vec![0; 1 << log];
                for x in count..2 * count {
                    let (bits, base) = successor(x, log);
                    (0..1usize << bits).for_each(|low| covered[base as usize + low] += 1);
                }
                assert!(count > 1 << log || covered.iter().all(|&n| n == 1), "{count} of {}", 1 << log);
            }
        }
    }
}

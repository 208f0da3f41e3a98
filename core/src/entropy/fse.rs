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
    use crate::entropy::model;

    /// Reads a description, whose counts then end with the last symbol that has cells.
    fn read(bytes: &[u8], max_symbol: usize, max_log: u32) -> Option<(Vec<i16>, u32, usize)> {
        let mut counts = vec![];
        let each = &mut |symbol, count| {
            assert!((counts.len()..=max_symbol).contains(&symbol));
            counts.resize(symbol, 0);
            counts.push(count);
        };
        let (log, len) = describe(bytes, max_symbol, max_log, each)?;
        Some((counts, log, len))
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
        for (counts, log) in cases {
            let bytes = model::write(counts, log);
            let (read_counts, read_log, len) = read(&bytes, 63, 9).unwrap();
            assert_eq!((&read_counts[..], read_log), (counts, log));
            assert!(len == bytes.len() || len + 1 == bytes.len());
            assert!(read(&bytes[..len - 1], 63, 9).is_none());
            assert!(read(&bytes, 63, log - 1).is_none());
            assert!(read(&bytes, counts.len() - 1, 9).is_some());
            assert!(counts.len() == 1 || read(&bytes, counts.len() - 2, 9).is_none());
        }
    }

    /// All strings of two bytes, complete or not. Other bytes after them end long descriptions in
    /// different ways. With the least log, strings of 20 bits, which are three counts or more.
    #[test]
    fn every_short_description_reads_as_in_the_text() {
        let compare = |bytes: &[u8], max_symbol, max_log| {
            let expected = model::read(bytes, max_symbol, max_log);
            assert_eq!(read(bytes, max_symbol, max_log), expected, "{bytes:x?}");
            usize::from(expected.is_some())
        };
        let mut accepted = 0;
        for [low, high] in (0..=u16::MAX).map(u16::to_le_bytes) {
            accepted += compare(&[low], 255, 9) + compare(&[low, high], 255, 9);
            for (tail, max_symbol, max_log) in [(0, 255, 9), (0xFF, 20, 9), (0x9C, 5, 6)] {
                accepted += compare(&[&[low, high][..], &[tail; 9]].concat(), max_symbol, max_log);
            }
        }
        for bytes in (0..1u32 << 16).map(|number| (number << 4).to_le_bytes()) {
            accepted += compare(&bytes[..3], 30, 5);
        }
        assert!(accepted > 60_000, "{accepted}");
    }

    #[test]
    fn every_list_of_counts_reads_back() {
        let mut lists = 0;
        let mut check = |log, counts: &[i16]| {
            let bytes = model::write(counts, log);
            let (last, expected) = (counts.len() - 1, model::read(&bytes, 255, 9));
            assert_eq!(expected.as_ref().map(|(read, log, _)| (&read[..], *log)), Some((counts, log)));
            assert_eq!(read(&bytes, last, log), expected);
            assert!(last == 0 || read(&bytes, last - 1, log).is_none());
            lists += 1;
        };
        model::each_list(5, 4, &mut |counts| check(5, counts));
        model::each_list(6, 3, &mut |counts| check(6, counts));
        model::each_list_of_ones(5, &mut |counts| check(5, counts));
        // Gaps, which are described three symbols at a time.
        for gap in 1..40 {
            check(5, &[&vec![0; gap][..], &[16, -1, 15]].concat());
            check(5, &[&[31][..], &vec![0; gap], &[-1]].concat());
        }
        assert!(lists > 10_000, "{lists}");
    }

    #[test]
    fn a_walk_around_the_table_meets_every_free_cell_once() {
        for log in MIN_LOG..=9 {
            for high in 1..=1usize << log {
                let (mut at, mut met) = (0, vec![false; high]);
                for _ in 0..high {
                    assert!(!core::mem::replace(&mut met[at], true), "{at} of {high} of {log}");
                    at = next(at, log, high);
                }
                assert_eq!(at, 0);
            }
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

//! Finite state entropy as RFC 8878 describes it in section 4.1.1, for tests: bit by bit, and cell
//! by cell.

/// A cell: its symbol, the number of bits to read, and the state that they are added to.
pub(crate) type Cell = (usize, u32, u32);

/// Calls `each` with every list of counts of up to `most` symbols that adds up to `1 << log`. A
/// count of -1 is one cell, and the last count is not 0.
pub(crate) fn each_list(log: u32, most: usize, each: &mut dyn FnMut(&[i16])) {
    fn extend(counts: &mut Vec<i16>, left: i16, more: usize, each: &mut dyn FnMut(&[i16])) {
        if left == 0 {
            each(counts);
        } else if more > 0 {
            for count in -1..=left {
                counts.push(count);
                extend(counts, left - count.abs(), more - 1, each);
                counts.pop();
            }
        }
    }
    extend(&mut vec![], 1 << log, most, each);
}

/// Calls `each` with every list of counts in which at most one symbol has more than one cell: the
/// counts before and after it are -1.
pub(crate) fn each_list_of_ones(log: u32, each: &mut dyn FnMut(&[i16])) {
    let size = 1usize << log;
    for before in 0..=size {
        for after in 0..=size - before {
            let rest = size - before - after;
            let middle = if rest > 0 { vec![rest as i16] } else { vec![] };
            each(&[vec![-1; before], middle, vec![-1; after]].concat());
        }
    }
}

/// Writes a description, and zeros up to the end of its last byte.
pub(crate) fn write(counts: &[i16], log: u32) -> Vec<u8> {
    let (mut bits, mut n) = (u128::from(log - 5), 4);
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

/// Reads a description. Returns the counts, the log of the table, and the length.
pub(crate) fn read(bytes: &[u8], max_symbol: usize, max_log: u32) -> Option<(Vec<i16>, u32, usize)> {
    let mut at = 0;
    let mut take = |width: u32| {
        let mut field = 0;
        for place in 0..width {
            field |= u32::from(bytes.get(at / 8)? >> (at % 8) & 1) << place;
            at += 1;
        }
        Some(field)
    };
    let log = 5 + take(4)?;
    if log > max_log {
        return None;
    }
    let (mut counts, mut remaining) = (vec![], 1 << log);
    while remaining > 0 {
        // From 0 to the remaining probability and one more.
        let values = remaining + 2u32;
        let width = values.next_power_of_two().ilog2();
        // This number of values have one bit less.
        let short = (1 << width) - values;
        let mut value = take(width - 1)?;
        if value >= short && take(1)? == 1 {
            value += (1 << (width - 1)) - short;
        }
        let count = value as i16 - 1;
        if count != 0 && counts.len() > max_symbol {
            return None;
        }
        counts.push(count);
        remaining = remaining.checked_sub(count.unsigned_abs().into())?;
        // After a zero, the number of further zeros. After three, another number.
        let mut zeros = if count == 0 { 3 } else { 0 };
        while zeros == 3 {
            zeros = take(2)?;
            counts.extend(vec![0; zeros as usize]);
        }
    }
    Some((counts, log, at.div_ceil(8)))
}

/// Returns the cells of a table.
pub(crate) fn table(counts: &[i16], log: u32) -> Vec<Cell> {
    let size = 1usize << log;
    let mut owners = vec![None; size];
    let mut end = size;
    for (symbol, _) in counts.iter().enumerate().filter(|(_, count)| **count == -1) {
        end -= 1;
        owners[end] = Some(symbol);
    }
    let mut position = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            while owners[position].is_some() {
                position = (position + size / 2 + size / 8 + 3) % size;
            }
            owners[position] = Some(symbol);
        }
    }
    let mut cells = vec![(0, 0, 0); size];
    for (symbol, &count) in counts.iter().enumerate().filter(|(_, count)| **count != 0) {
        let states: Vec<_> = (0..size).filter(|&state| owners[state] == Some(symbol)).collect();
        let count = usize::from(count.unsigned_abs());
        // The table in equal shares, as many as the next power of two. The lowest states have two
        // each; numbering starts after them.
        let shares = count.next_power_of_two();
        let (share, double) = (size / shares, shares - count);
        let mut base = 0;
        for order in (double..count).chain(0..double) {
            let width = if order < double { 2 * share } else { share };
            cells[states[order]] = (symbol, width.ilog2(), base);
            base += width as u32;
        }
    }
    cells
}

/// Checks a table: each symbol has as many cells as its count. The next states are in the table,
/// and each state follows exactly one cell of each symbol. All cells are those of the text.
#[track_caller]
pub(crate) fn check(counts: &[i16], log: u32, cell: impl Fn(usize) -> Cell) {
    let size = 1usize << log;
    let (mut owned, mut entered) = (vec![0; counts.len()], vec![0u8; counts.len() * size]);
    let cells: Vec<_> = (0..size).map(cell).collect();
    for &(symbol, bits, base) in &cells {
        owned[symbol] += 1;
        let states = base as usize..base as usize + (1 << bits);
        assert!(states.end <= size, "a state outside of the table of {counts:?}");
        entered[symbol * size..][states].iter_mut().for_each(|count| *count += 1);
    }
    for ((&count, owned), entered) in counts.iter().zip(owned).zip(entered.chunks(size)) {
        assert_eq!(owned, count.unsigned_abs(), "cells of {counts:?}");
        assert!(entered.iter().all(|&times| times == u8::from(count != 0)), "next states of {counts:?}");
    }
    assert_eq!(cells, table(counts, log), "{counts:?}");
}

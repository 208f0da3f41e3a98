//! tANS as the format describes it, for tests: slot by slot.

/// An entry of a table: its bin, the number of bits to read, and the state that they are added to.
pub(crate) type Entry = (usize, u32, u32);

/// Calls `each` with every list of up to `most` weights that adds up to `size`.
pub(crate) fn each_list(size: u32, most: usize, each: &mut dyn FnMut(&[u32])) {
    fn extend(weights: &mut Vec<u32>, left: u32, more: usize, each: &mut dyn FnMut(&[u32])) {
        if left == 0 {
            each(weights);
        } else if more > 0 {
            for weight in 1..=left {
                weights.push(weight);
                extend(weights, left - weight, more - 1, each);
                weights.pop();
            }
        }
    }
    extend(&mut vec![], size, most, each);
}

/// Calls `each` with the log of a table and its weights: all lists for small tables, and some for
/// the largest. One bin in a larger table is not allowed.
pub(crate) fn each_table(each: &mut dyn FnMut(u32, &[u32])) {
    let mut each = |log, weights: &[u32]| {
        if log == 0 || weights.len() > 1 {
            each(log, weights);
        }
    };
    for log in 0..=4 {
        each_list(1 << log, 1 << log, &mut |weights| each(log, weights));
    }
    each_list(32, 4, &mut |weights| each(5, weights));
    for weights in [&[1 << 13; 2][..], &[1, (1 << 14) - 1], &[(1 << 14) - 1, 1], &[5461, 77, 10_846], &[1; 1 << 14]] {
        each(14, weights);
    }
}

/// Writes the metadata of a chunk of `u32` whose bins have these weights. The lower bound of a bin
/// is its number, and the offset bits are that modulo 33.
pub(crate) fn metadata(log: u32, weights: &[u32]) -> Vec<u8> {
    let (mut out, mut bits, mut n) = (vec![], 0u64, 0);
    let mut put = |value: u32, width: u32| {
        bits |= u64::from(value) << n;
        n += width;
        while n >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            n -= 8;
        }
    };
    // No mode, no delta.
    put(0, 8);
    put(log, 4);
    put(weights.len() as u32, 15);
    for (bin, weight) in (0..).zip(weights) {
        put(weight - 1, log);
        put(bin, 32);
        put(bin % 33, 6);
    }
    put(0, 7);
    out
}

/// Returns the entries of a table.
pub(crate) fn table(log: u32, weights: &[u32]) -> Vec<Entry> {
    let size = 1usize << log;
    let fifths = 3 * size / 5;
    let stride = if fifths.is_multiple_of(2) { fifths + 1 } else { fifths };
    let mut slots = vec![usize::MAX; size];
    let bins = weights.iter().enumerate().flat_map(|(bin, &weight)| vec![bin; weight as usize]);
    for (step, bin) in bins.enumerate() {
        slots[stride * step % size] = bin;
    }
    let mut counters = weights.to_vec();
    let entry = |bin: usize| {
        let (mut next, mut read) = (counters[bin], 0);
        counters[bin] += 1;
        while (next as usize) < size {
            next *= 2;
            read += 1;
        }
        (bin, read, next - size as u32)
    };
    slots.into_iter().map(entry).collect()
}

/// Checks a table: each bin has as many entries as its weight, and each state follows exactly one
/// of them. All entries are those of the format.
#[track_caller]
pub(crate) fn check(log: u32, weights: &[u32], entry: impl Fn(usize) -> Entry) {
    let size = 1usize << log;
    let entries: Vec<_> = (0..size).map(entry).collect();
    let mut next = vec![vec![]; weights.len()];
    for &(bin, read, base) in &entries {
        next[bin].push((base as usize, 1 << read));
    }
    let name = &weights[..weights.len().min(40)];
    for (states, &weight) in next.iter_mut().zip(weights) {
        assert_eq!(states.len(), weight as usize, "entries of {name:?}");
        states.sort_unstable();
        let end = states.iter().fold(0, |end, &(base, len)| if base == end { end + len } else { usize::MAX });
        assert_eq!(end, size, "next states of {name:?}");
    }
    assert!(entries == table(log, weights), "{name:?}");
}

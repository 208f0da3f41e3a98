//! The coded weights of a Huffman code: an FSE table of 32 bits for each state, and two states that
//! take turns.
//!
//! # Contract of the hot loop in [`decode`], which every small frame runs
//!
//! * Eight weights come from one word, as long as the stream has bits for the widest eight. Do not
//!   refill inside such a group.
//! * Bits before the stream are readable, so that a word may begin there.
//! * The measurements are in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#short-frames).

use core::ops::Range;

use crate::bits::{bits_before, mark};
use crate::entropy::{fse, low8, low32};
use crate::num::index;
use crate::tuning::LEAN;

/// A state of the table. From the lowest byte on: the number of bits to read, the weight, and in
/// two bytes the state to which these bits are added.
pub(super) type Cell = [u8; 4];

pub(super) const EMPTY: Cell = [0; 4];

/// States of the largest table.
pub(super) const CELLS: usize = 1 << 11;

/// Decodes weights with two states in turns; returns their number. Words may reach beyond the
/// range.
pub(super) fn decode(
    src: &[u8],
    range: Range<usize>,
    max_log: u32,
    cells: &mut [Cell; CELLS],
    to: &mut [u8; 256],
) -> Option<usize> {
    // Bits are counted from nearby: 32 bits cannot count those of a file of 512 MiB.
    let base = range.start.saturating_sub(8);
    let (src, range) = (src.get(base..)?, range.start - base..range.end - base);
    // For each symbol, its cells all over the table and those at its end. Symbols that are no
    // weight count as 15.
    let mut counts = [[0u16; 2]; 16];
    let after = src.get(range.start..)?;
    let (log, len) = fse::describe(after, 255, max_log, &mut |symbol, count| {
        let [spread, last] = &mut counts[symbol.min(15)];
        *(if count < 0 { last } else { spread }) += count.unsigned_abs();
    })?;
    let size = 1usize << log;
    let mut high = size;
    for (weight, &[_, last]) in (0..).zip(&counts) {
        for _ in 0..last {
            high = high.wrapping_sub(1);
            cells[high & (CELLS - 1)][1] = weight;
        }
    }
    let mut at = 0;
    for (weight, &[spread, _]) in (0..).zip(&counts) {
        for _ in 0..spread {
            cells[at & (CELLS - 1)][1] = weight;
            at = fse::next(at, log, high);
        }
    }
    let mut next = counts.map(|[spread, last]| spread + last);
    for cell in cells.iter_mut().take(size) {
        let [_, weight, ..] = *cell;
        let next = &mut next[usize::from(weight) & 15];
        let (width, base) = fse::successor((*next).into(), log);
        *cell = (base << 16 | u32::from(weight) << 8 | width).to_le_bytes();
        *next = next.wrapping_add(1);
    }

    let start = (range.start + len) * 8;
    let mut left = range.end * 8 - mark(src.get(..range.end)?)? as usize;
    let both = 2 * log as usize;
    left = left.checked_sub(both).filter(|&left| left >= start)?;
    let mut window = bits_before(src, left + both)?;
    let mut one = index(window >> (64 - log));
    window <<= log;
    let mut other = index(window >> (64 - log));
    let mut count = 0;
    // Eight at a time, as long as the stream and one word have bits for the widest eight.
    let (groups, _) = to.as_chunks_mut::<8>();
    let most = 8 * log as usize;
    for group in groups {
        if LEAN || left - start < most || most > 57 {
            break;
        }
        window = bits_before(src, left)?;
        let mut widths = 0;
        for to in group {
            let cell = u32::from_le_bytes(cells[one & (CELLS - 1)]);
            *to = low8(cell >> 8);
            window = window.rotate_left(cell & 63);
            (one, other) = (other, follower(cell, window));
            widths += cell;
        }
        left -= widths as usize & 63;
        count += 8;
    }
    let mut room = to.get_mut(count..255)?.iter_mut();
    let mut ready = 0;
    loop {
        if ready < log {
            (window, ready) = (bits_before(src, left)?, 57);
        }
        let cell = u32::from_le_bytes(cells[one & (CELLS - 1)]);
        *room.next()? = low8(cell >> 8);
        let width = cell & 63;
        let Some(less) = left.checked_sub(width as usize).filter(|&less| less >= start) else { break };
        window = window.rotate_left(width);
        (one, other) = (other, follower(cell, window));
        (left, ready) = (less, ready - width);
    }
    *room.next()? = cells[other & (CELLS - 1)][1];
    Some(255 - room.len())
}

/// Returns the state after a cell. Its bits are now the lowest of the window.
#[inline(always)]
fn follower(cell: u32, window: u64) -> usize {
    ((cell >> 16) + (low32(window) & !(u32::MAX << (cell & 31)))) as usize
}

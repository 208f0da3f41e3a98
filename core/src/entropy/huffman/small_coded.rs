//! The coded weights of a Huffman code in small builds: read with the table and the reader that
//! sequences have.

use core::ops::Range;

use crate::bits::BackwardFields;
pub(super) use crate::entropy::cells::Cell;
use crate::entropy::{cells, low32};

pub(super) const EMPTY: Cell = Cell::EMPTY;

/// States of the largest table. No known encoder writes more than 64.
pub(super) const CELLS: usize = 128;

/// Decodes weights with two states in turns; returns their number.
#[inline(never)]
pub(super) fn decode(
    src: &[u8],
    range: Range<usize>,
    max_log: u32,
    cells: &mut [Cell; CELLS],
    to: &mut [u8; 256],
) -> Option<usize> {
    let bytes = src.get(range)?;
    let (log, len) = cells::read(cells, bytes, u8::MAX, max_log)?;
    let mut bits = BackwardFields::open(bytes.get(len..)?)?;
    let mut read = |width: u8| {
        let field = low32(bits.take(width.into()));
        (bits.remaining() >= 0).then_some(field)
    };
    let (mut one, mut other) = (read(log)?, read(log)?);
    let (mut room, mut is_last) = (to.iter_mut(), false);
    loop {
        let cell = cells.get(one as usize)?;
        // One place is for the weight that the others leave.
        *room.next()? = cell.symbol().min(15);
        if room.len() == 0 {
            return None;
        }
        if is_last {
            return Some(256 - room.len());
        }
        let (width, base) = cell.successor(log);
        one = other;
        match read(width) {
            Some(field) => other = base + field,
            None => is_last = true,
        }
    }
}

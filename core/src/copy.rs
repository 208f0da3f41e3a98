//! Copies within one slice, for LZ matches: in pieces of a fixed size, which compile to one load
//! and one store.

use core::cell::Cell;

/// The number of bytes that a copy in pieces may write past its end.
pub(crate) const SLACK: usize = 32;

/// Copies `len` bytes from `distance` bytes back. May overwrite up to [`SLACK`] bytes after them.
/// Returns `None` if the slice ends before the match does, or the match starts before the slice.
#[inline(always)]
pub(crate) fn repeat(out: &mut [u8], at: usize, distance: usize, len: usize) -> Option<()> {
    let from = at.wrapping_sub(distance);
    if distance >= 32 {
        // Most matches are short and far: a first piece of 32 would often touch a second cache
        // line.
        piece::<16>(out, from, at)?;
        let mut done = 16;
        while done < len {
            piece::<32>(out, from.wrapping_add(done), at.wrapping_add(done))?;
            done += 32;
        }
        return Some(());
    }
    overlapping(out, from, at, distance, len)
}

/// Copies a match that may overlap itself: repeats its first bytes to 16 and stores them as often
/// as needed.
#[inline(never)]
fn overlapping(out: &mut [u8], from: usize, at: usize, distance: usize, len: usize) -> Option<()> {
    let mut done = 0;
    if distance >= 16 {
        while done < len {
            piece::<16>(out, from.wrapping_add(done), at.wrapping_add(done))?;
            done += 16;
        }
        return Some(());
    }
    let distance = distance & 15;
    let bytes: [u8; 16] = *out.get(from..)?.first_chunk()?;
    let mut width = distance * 8;
    let mut pattern = u128::from_le_bytes(bytes) & (1u128 << width).wrapping_sub(1);
    // The largest multiple of the distance within one store.
    let step = 16 - 16 % distance.max(1);
    while (1..128).contains(&width) {
        pattern |= pattern << width;
        width *= 2;
    }
    let pattern = pattern.to_le_bytes();
    while done < len {
        *out.get_mut(at.wrapping_add(done)..)?.first_chunk_mut()? = pattern;
        done += step;
    }
    Some(())
}

/// Moves the bytes in `range` to the front. A loop for a few bytes, because `copy_within` can
/// panic.
pub(crate) fn to_front(bytes: &mut [u8], range: core::ops::Range<usize>) {
    for (to, from) in range.enumerate() {
        let byte = bytes.get(from).copied().unwrap_or(0);
        bytes.get_mut(to).into_iter().for_each(|place| *place = byte);
    }
}

/// Copies from front to back, so that bytes that are written may be read again. Does nothing if the
/// slice ends before the end of a stretch.
pub(crate) fn byte_by_byte(out: &mut [u8], from: usize, to: usize, len: usize) {
    // Cells, because the two stretches may share bytes.
    let cells = Cell::from_mut(out).as_slice_of_cells();
    let Some(from) = cells.get(from..from.wrapping_add(len)) else { return };
    let Some(to) = cells.get(to..to.wrapping_add(len)) else { return };
    to.iter().zip(from).for_each(|(to, from)| to.set(from.get()));
}

/// Copies `N` bytes within the slice. Reads all of them before it writes any.
#[inline(always)]
pub(crate) fn piece<const N: usize>(out: &mut [u8], from: usize, to: usize) -> Option<()> {
    let bytes: [u8; N] = *out.get(from..from.wrapping_add(N))?.first_chunk()?;
    *out.get_mut(to..to.wrapping_add(N))?.first_chunk_mut()? = bytes;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distance_and_length_as_one_byte_after_the_other() {
        for distance in 1..80 {
            for len in 1..120 {
                let mut bytes: Vec<u8> = (0..100u8).chain([0; 200]).collect();
                let mut slow = bytes.clone();
                (100..100 + len).for_each(|at| slow[at] = slow[at - distance]);
                assert_eq!(repeat(&mut bytes, 100, distance, len), Some(()));
                assert!(bytes[..100 + len] == slow[..100 + len], "{distance} {len}");
                assert!(bytes[100 + len + SLACK..] == slow[100 + len + SLACK..], "{distance} {len}");
            }
        }
        assert_eq!(repeat(&mut [0; 100], 10, 40, 5), None);
        assert_eq!(repeat(&mut [0; 100], 90, 40, 5), None);
    }
}

//! XXH64, the hash of Zstandard frames. It needs only 64-bit multiplications. The published crates
//! are this loop plus layers for other hashes.

use crate::num::{copy, u64_from};
use crate::tuning::SMALL;

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P4: u64 = 0x85EB_CA77_C2B2_AE63;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

/// A running XXH64 with seed 0.
///
/// ```
/// use unspool::checksum::Xxh64;
/// let mut hash = Xxh64::new();
/// hash.update(b"ab");
/// hash.update(b"c");
/// assert_eq!(hash.value(), 0x44BC_2CF5_AD77_0999);
/// ```
#[derive(Clone, Debug)]
pub struct Xxh64 {
    lanes: [u64; 4],
    /// Bytes that do not fill a stripe yet.
    rest: [u8; 32],
    len: u64,
}

impl Xxh64 {
    /// A hash that has not [started](Self::start). All zeros.
    pub(crate) const NONE: Self = Self { lanes: [0; 4], rest: [0; 32], len: 0 };

    /// Returns the hash of no bytes.
    pub const fn new() -> Self {
        let mut hash = Self::NONE;
        hash.start();
        hash
    }

    /// Starts anew, in place.
    pub(crate) const fn start(&mut self) {
        self.lanes = [P1.wrapping_add(P2), P2, 0, 0u64.wrapping_sub(P1)];
        self.len = 0;
    }

    /// Returns the hash of one slice.
    #[cfg_attr(feature = "small", inline(always))]
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hash = Self::new();
        hash.update(bytes);
        hash.value()
    }

    /// Adds bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let filled = self.filled();
        self.len = self.len.wrapping_add(u64_from(bytes.len()));
        if filled > 0 {
            let free = self.rest.get_mut(filled..).unwrap_or_default();
            copy(bytes, free);
            let Some((_, more)) = bytes.split_at_checked(free.len()) else { return };
            bytes = more;
            stripe(&mut self.lanes, &self.rest);
        }
        let (stripes, rest) = bytes.as_chunks::<32>();
        if SMALL {
            stripes.iter().for_each(|chunk| stripe(&mut self.lanes, chunk));
        } else {
            // A copy of the lanes stays in registers.
            let mut lanes = self.lanes;
            stripes.iter().for_each(|chunk| stripe(&mut lanes, chunk));
            self.lanes = lanes;
        }
        copy(rest, &mut self.rest);
    }

    const fn filled(&self) -> usize {
        (self.len & 31) as usize
    }

    /// Returns the hash of all bytes so far.
    pub fn value(&self) -> u64 {
        let [a, b, c, d] = self.lanes;
        let mut hash = if self.len >= 32 {
            let all = a.rotate_left(1).wrapping_add(b.rotate_left(7));
            let all = all.wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18));
            self.lanes.iter().fold(all, |all, &lane| (all ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4))
        } else {
            P5
        };
        hash = hash.wrapping_add(self.len);
        let rest = self.rest.get(..self.filled()).unwrap_or_default();
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            hash = (hash ^ round(0, u64::from_le_bytes(*word))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
        }
        let (halves, rest) = rest.as_chunks::<4>();
        for half in halves {
            hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(P1);
            hash = hash.rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
        }
        for &byte in rest {
            hash = (hash ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
        }
        hash = (hash ^ hash >> 33).wrapping_mul(P2);
        hash = (hash ^ hash >> 29).wrapping_mul(P3);
        hash ^ hash >> 32
    }
}

impl Default for Xxh64 {
    fn default() -> Self {
        Self::new()
    }
}

#[inline(always)]
const fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

#[cfg_attr(feature = "small", inline(never))]
#[cfg_attr(not(feature = "small"), inline(always))]
fn stripe(lanes: &mut [u64; 4], bytes: &[u8; 32]) {
    let (words, _) = bytes.as_chunks::<8>();
    for (lane, word) in lanes.iter_mut().zip(words) {
        *lane = round(*lane, u64::from_le_bytes(*word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_known_values() {
        assert_eq!(Xxh64::of(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(Xxh64::of(b"a"), 0xD24E_C4F1_A98C_6E5B);
        assert_eq!(Xxh64::of(b"Nobody inspects the spammish repetition"), 0xFBCE_A83C_8A37_8BF1);
    }

    #[test]
    fn any_split_returns_the_same() {
        let bytes: Vec<u8> = (0..200u32).map(|n| (n * 37) as u8).collect();
        for len in 0..bytes.len() {
            let whole = Xxh64::of(&bytes[..len]);
            for split in 0..=len {
                let mut hash = Xxh64::new();
                hash.update(&bytes[..split]);
                hash.update(&bytes[split..len]);
                assert_eq!(hash.value(), whole);
            }
        }
    }
}

//! The distinct values of a column that others are derived from, numbered in order of appearance.
//!
//! The map is a hash table in words of the scratch: two words for each value, then slots, at least
//! twice as many as values.

use crate::Limits;
use crate::at1::digits::Decimal;
use crate::at1::output::Output;
use crate::at1::scratch::Word;
use crate::bits::u64_at;
use crate::num::{index, u64_from};
use crate::steps;

/// A buffer for the text of a number.
pub(crate) struct NumberText([u8; 48]);

impl NumberText {
    pub(crate) const NONE: Self = Self([0; 48]);

    /// Returns the text of a number.
    pub(crate) fn print(&mut self, number: Decimal) -> &[u8] {
        let mut out = Output::slice(&mut self.0, false, &Limits::NONE);
        // The buffer fits the longest number.
        number.put(&mut out);
        let len = index(out.written());
        self.0.get(..len).unwrap_or_default()
    }
}

/// Slots probed before a search fails. Half of the slots are free, so that a run of 100 is
/// already rarer than a file of ten million values. Only values chosen to collide reach this.
const MAX_PROBES: usize = 256;

/// Words of an entry: start and length of its key.
const ENTRY: usize = 2;

/// A view of the words of a map.
pub(crate) struct Map<'a> {
    entries: &'a mut [Word],
    slots: &'a mut [Word],
    seen: usize,
}

impl<'a> Map<'a> {
    /// Returns the words of a map with this number of entries.
    pub(crate) fn words(entries: u64) -> u64 {
        entries.saturating_mul(u64_from(ENTRY)).saturating_add(Self::slots(entries))
    }

    /// Returns the power of two that leaves at least half of the slots vacant. By doubling, since
    /// small devices have no instruction that counts zeros.
    fn slots(entries: u64) -> u64 {
        let (wanted, mut slots) = (entries.saturating_mul(2), 2u64);
        while slots < wanted {
            slots = slots.saturating_mul(2);
        }
        slots
    }

    /// Returns the map in these words, of which `seen` entries have a key.
    pub(crate) fn new(words: &'a mut [Word], entries: usize, seen: usize) -> Self {
        let slots = index(Self::slots(u64_from(entries)));
        let at = entries.saturating_mul(ENTRY);
        let (entries, rest) = words.split_at_mut_checked(at).unwrap_or_default();
        let slots = rest.get_mut(..slots).unwrap_or_default();
        Self { entries, slots, seen }
    }

    fn entry(&mut self, at: usize) -> Option<&mut [Word; ENTRY]> {
        self.entries.get_mut(at.checked_mul(ENTRY)?..)?.first_chunk_mut()
    }

    /// Returns the number of a key and the number of keys. A new key gets the next entry; `None` if
    /// none is left.
    ///
    /// `place` is stored for a new key. `same` compares the key with the stored place of another.
    pub(crate) fn find(
        &mut self,
        key: &[u8],
        place: [u64; 2],
        mut same: impl FnMut([u64; 2]) -> bool,
    ) -> Option<(usize, usize)> {
        let hash = hash(key);
        let mask = self.slots.len().checked_sub(1)?;
        let tag = hash >> 32;
        let mut at = index(hash & u64_from(mask));
        for _ in 0..MAX_PROBES {
            steps::count(1);
            let slot = u64::from_le_bytes(*self.slots.get(at)?);
            let number = slot & 0xFFFF_FFFF;
            if number == 0 {
                let seen = self.seen;
                *self.entry(seen)? = place.map(u64::to_le_bytes);
                self.seen = seen.saturating_add(1);
                let number = u64::from(u32::try_from(self.seen).ok()?);
                *self.slots.get_mut(at)? = (tag << 32 | number).to_le_bytes();
                return Some((seen, self.seen));
            }
            if slot >> 32 == tag {
                let number = index(number - 1);
                if same(self.entry(number)?.map(u64::from_le_bytes)) {
                    return Some((number, self.seen));
                }
            }
            at = at.wrapping_add(1) & mask;
        }
        None
    }
}

/// Hashes eight bytes at a time.
fn hash(bytes: &[u8]) -> u64 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = u64_from(bytes.len()).wrapping_mul(MIX);
    for at in (0..bytes.len()).step_by(8) {
        let product = u128::from(state ^ u64_at(bytes, at)).wrapping_mul(u128::from(MIX) << 1 | 1);
        let [low, high] = halves(product);
        state = low ^ high;
    }
    let [low, high] = halves(u128::from(state).wrapping_mul(0xD6E8_FEB8_6659_FD93_A5A5_1B3F_7C4D_2E95));
    low ^ high
}

fn halves(n: u128) -> [u64; 2] {
    let bytes = n.to_le_bytes();
    [u64_at(&bytes, 0), u64_at(&bytes, 8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_as_they_come_and_found_again() {
        let count = 5000usize;
        let mut words = vec![[0u8; 8]; index(Map::words(count as u64))];
        let mut map = Map::new(&mut words, count, 0);
        let mut room = NumberText::NONE;
        for round in 0..2 {
            for key in 0..count as i64 {
                let number = Decimal { value: key * 977 - 5, scale: None };
                let place = [number.value.cast_unsigned(), u64::MAX];
                let (found, seen) = map.find(room.print(number), place, |other| other == place).unwrap();
                assert_eq!(found, key as usize);
                assert_eq!(seen, if round == 0 { key as usize + 1 } else { count });
            }
        }
        assert_eq!(room.print(Decimal { value: -977 - 5, scale: None }), b"-982");
        assert_eq!(map.find(b"one more", [0; 2], |_| false), None, "no entry is left");
        assert_eq!(Map::new(&mut [[0; 8]; 2], 0, 0).find(b"", [0; 2], |_| true), None);
    }

    #[test]
    fn hashes_spread() {
        let mut low = vec![0u32; 1 << 10];
        for n in 0..10_000u32 {
            low[(hash(format!("item-{n}").as_bytes()) & 0x3FF) as usize] += 1;
        }
        assert!(low.iter().all(|&count| count < 40), "10 on average");
    }
}

//! Values by name, in lent memory.

use super::object::Place;
use crate::json::{Node, Text};
use crate::num::index;

/// Longest run of slots that a name is looked for in. More of them end a table early, so that crafted names cost no more than a small table does.
const PROBES: usize = 64;

/// A position in the JSON of a header as a word. The JSON starts at byte 8 or later with a bracket, so that none is 0, and its
/// length has 32 bits.
pub(super) fn word(at: usize) -> u32 {
    u32::try_from(at.saturating_sub(8)).unwrap_or(0)
}

/// The position that [`word`] was made of.
pub(super) fn position(word: u32) -> usize {
    index(u64::from(word)).saturating_add(8)
}

/// A hash table of names, each with the place of a value. A slot is the position of a name and of its value; 0 for none.
pub(super) struct NameTable<'t, 'a> {
    slots: &'t mut [[u32; 2]],
    head: &'a [u8],
    vacant: usize,
}

impl<'t, 'a> NameTable<'t, 'a> {
    /// An empty table in this memory, for names of this head. A quarter stays vacant.
    pub(super) fn new(memory: &'t mut [u32], head: &'a [u8]) -> Self {
        let (slots, _) = memory.as_chunks_mut::<2>();
        slots.fill([0; 2]);
        let vacant = slots.len() / 4 * 3;
        Self { slots, head, vacant }
    }

    /// Inserts a name without a value. Returns `false` if there is no slot for it.
    pub(super) fn insert(&mut self, name: Node<'a>) -> bool {
        let vacant = self.vacant;
        match self.slot(&name.string().unwrap_or_default()) {
            Some([at @ 0, _]) if vacant > 0 => *at = word(name.start()),
            Some([known, _]) => return *known > 0,
            None => return false,
        }
        self.vacant = vacant - 1;
        true
    }

    /// Sets the value of a name; a later one replaces it. Does nothing if the table has no such name.
    pub(super) fn set(&mut self, name: &Text<'_>, value: &Node<'_>) {
        match self.slot(name) {
            Some([0, _]) | None => {}
            Some([_, place]) => *place = word(value.start()),
        }
    }

    /// Returns the place of the value of a name.
    pub(super) fn get(&mut self, name: &Text<'_>) -> Place {
        match self.slot(name) {
            Some(&mut [_, 0]) | None => Place::NONE,
            Some(&mut [_, place]) => Place::at(position(place)),
        }
    }

    /// Returns the slot of this name, or the vacant one where it belongs.
    fn slot(&mut self, name: &Text<'_>) -> Option<&mut [u32; 2]> {
        let len = self.slots.len();
        let mixed = name.hash().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let mut at = index(mixed.wrapping_mul(len as u64) >> 32);
        for _ in 0..PROBES {
            let &[known, _] = self.slots.get(at)?;
            if known == 0 || Node::at(self.head, position(known)).string().is_some_and(|known| known.same(name)) {
                return self.slots.get_mut(at);
            }
            at = if at + 1 < len { at + 1 } else { 0 };
        }
        None
    }
}

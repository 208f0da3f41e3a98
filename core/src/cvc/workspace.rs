//! Lent memory, and the two tables that walks over columns keep in it: values by name, and the
//! smallest of many items.

use super::object::Position;
use crate::json::{Node, Text};
use crate::num::index;

/// Memory for finding columns by name.
///
/// An empty one is enough for every file. If a file has thousands of columns and the workspace
/// holds [`workspace_len`](super::workspace_len) words, a walk takes linear time. Without them,
/// each chunk is walked once for every 48 columns.
#[derive(Debug, Default)]
pub struct Workspace<'w> {
    table: &'w mut [u32],
    pub(super) only: Option<&'w [bool]>,
}

/// The words of workspace that a call has on its own stack.
pub(super) const OWN: usize = 128;

impl<'w> Workspace<'w> {
    /// An empty workspace.
    pub const fn new() -> Self {
        Self { table: &mut [], only: None }
    }

    /// A workspace that uses this memory.
    pub const fn with_table(table: &'w mut [u32]) -> Self {
        Self { table, only: None }
    }

    /// Restricts [`File::outputs`](super::File::outputs), [`File::each_output`],
    /// [`File::each_piece`] and [`Pieces`](super::Pieces) to the columns that are `true`, by their
    /// position in the schema. A chunk may store the others in any form.
    ///
    /// [`File::each_output`]: super::File::each_output
    /// [`File::each_piece`]: super::File::each_piece
    pub const fn only(self, columns: &'w [bool]) -> Self {
        Self { table: self.table, only: Some(columns) }
    }

    /// Returns the larger of both memories.
    pub(super) fn table<'t>(&'t mut self, own: &'t mut [u32; OWN]) -> &'t mut [u32] {
        if self.table.len() > own.len() { self.table } else { own }
    }
}

/// The longest run of slots that a name is searched in.
///
/// A table ends early if it needs a longer one, so that crafted names cost no more than a small
/// table does.
const PROBES: usize = 64;

/// Packs a position in the JSON into a word. The JSON starts with a bracket at byte 8 or later, so
/// that no other position is 0, and its length has 32 bits.
pub(super) fn to_word(at: usize) -> u32 {
    u32::try_from(at.saturating_sub(8)).unwrap_or(0)
}

/// Unpacks a position from a word.
pub(super) fn from_word(word: u32) -> usize {
    index(u64::from(word)).saturating_add(8)
}

/// A hash table from names to positions of values. A slot holds the position of a name and of its
/// value; 0 for none.
pub(super) struct NameTable<'t, 'a> {
    slots: &'t mut [[u32; 2]],
    head: &'a [u8],
    vacant: usize,
}

impl<'t, 'a> NameTable<'t, 'a> {
    /// An empty table for names of this head. A quarter of the slots stays vacant.
    pub(super) fn new(workspace: &'t mut [u32], head: &'a [u8]) -> Self {
        let (slots, _) = workspace.as_chunks_mut::<2>();
        slots.fill([0; 2]);
        let vacant = slots.len() / 4 * 3;
        Self { slots, head, vacant }
    }

    /// Inserts a name without a value. Returns `false` if the table has no slot for it.
    pub(super) fn insert(&mut self, name: Node<'a>) -> bool {
        let vacant = self.vacant;
        match self.slot(&name.string().unwrap_or_default()) {
            Some([at @ 0, _]) if vacant > 0 => *at = to_word(name.start()),
            Some([known, _]) => return *known > 0,
            None => return false,
        }
        self.vacant = vacant - 1;
        true
    }

    /// Sets the value of a name; a later one replaces it. Does nothing if the table lacks the name.
    pub(super) fn set(&mut self, name: &Text<'_>, value: &Node<'_>) {
        if let Some([1..=u32::MAX, position]) = self.slot(name) {
            *position = to_word(value.start());
        }
    }

    /// Returns the position of the value of a name.
    pub(super) fn get(&mut self, name: &Text<'_>) -> Position {
        match self.slot(name) {
            Some(&mut [_, position @ 1..=u32::MAX]) => Position::at(from_word(position)),
            _ => Position::NONE,
        }
    }

    /// Returns the slot of this name, or the vacant one where it belongs.
    fn slot(&mut self, name: &Text<'_>) -> Option<&mut [u32; 2]> {
        let len = self.slots.len();
        let mixed = name.hash().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let mut at = index(mixed.wrapping_mul(len as u64) >> 32);
        for _ in 0..PROBES {
            let &[known, _] = self.slots.get(at)?;
            if known == 0 || Node::at(self.head, from_word(known)).string().is_some_and(|known| known.same(name)) {
                return self.slots.get_mut(at);
            }
            at = if at + 1 < len { at + 1 } else { 0 };
        }
        None
    }
}

/// The smallest items that fit in memory. Once it is full, a heap whose largest item is first.
pub(super) struct Smallest<'t> {
    items: &'t mut [Item],
    len: usize,
    /// Some items were left out.
    pub(super) more: bool,
}

/// Ordered by its first word, then by the others. All items differ.
pub(super) type Item = [u32; 3];

impl<'t> Smallest<'t> {
    /// No items yet.
    pub(super) fn new(workspace: &'t mut [u32]) -> Self {
        Self { items: workspace.as_chunks_mut::<3>().0, len: 0, more: false }
    }

    /// Inserts an item if it is among the smallest so far.
    pub(super) fn insert(&mut self, item: Item) {
        if let Some(vacant) = self.items.get_mut(self.len) {
            *vacant = item;
            self.len += 1;
            return;
        }
        if !core::mem::replace(&mut self.more, true) {
            heapify(self.items);
        }
        if self.items.first().is_some_and(|largest| item < *largest) {
            sift_down(self.items, 0, item);
        }
    }

    /// Returns the items in ascending order.
    pub(super) fn sorted(self) -> &'t [Item] {
        let items = self.items.get_mut(..self.len).unwrap_or_default();
        if !self.more {
            heapify(items);
        }
        for end in (1..items.len()).rev() {
            let Some((last, heap)) = items.get_mut(..=end).and_then(<[Item]>::split_last_mut) else { break };
            let item = core::mem::replace(last, heap.first().copied().unwrap_or_default());
            sift_down(heap, 0, item);
        }
        items
    }
}

fn heapify(items: &mut [Item]) {
    for at in (0..items.len() / 2).rev() {
        let item = items.get(at).copied().unwrap_or_default();
        sift_down(items, at, item);
    }
}

/// Puts an item at `at` or below, so that no item is smaller than one below it.
fn sift_down(items: &mut [Item], mut at: usize, item: Item) {
    loop {
        let children = items.get(2 * at + 1..).unwrap_or_default().iter().take(2).zip(2 * at + 1..);
        let Some((&largest, below)) = children.max().filter(|(largest, _)| **largest > item) else { break };
        if let Some(to) = items.get_mut(at) {
            *to = largest;
        }
        at = below;
    }
    if let Some(to) = items.get_mut(at) {
        *to = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_come_in_order_whatever_the_memory() {
        let mut seed = 1u32;
        for count in [0usize, 1, 2, 3, 7, 42, 43, 100] {
            let items: Vec<Item> = (0..count as u32)
                .map(|number| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    [seed >> 28, seed >> 20 & 3, number]
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            for room in [0usize, 1, 2, 42, 100, 200] {
                let mut memory = vec![7; room * 3 + 2];
                let mut smallest = Smallest::new(&mut memory);
                items.iter().for_each(|item| smallest.insert(*item));
                assert_eq!(smallest.more, count > room);
                assert_eq!(smallest.sorted(), &expected[..count.min(room)], "{count} items, room for {room}");
            }
        }
    }
}

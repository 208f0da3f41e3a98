//! The smallest of many items, in order, in lent memory.

/// Keeps the smallest items that fit: a heap whose largest item is first, once it is full.
pub(super) struct Smallest<'t> {
    items: &'t mut [Item],
    len: usize,
    /// Whether items were left out.
    pub(super) more: bool,
}

/// Ordered by its first word, then by the others. All items differ.
pub(super) type Item = [u32; 3];

impl<'t> Smallest<'t> {
    /// None yet.
    pub(super) fn new(memory: &'t mut [u32]) -> Self {
        Self { items: memory.as_chunks_mut::<3>().0, len: 0, more: false }
    }

    /// Takes an item if it is among the smallest so far.
    pub(super) fn put(&mut self, item: Item) {
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

/// Puts an item at `at`, or below, so that no item is smaller than one below it.
fn sift_down(items: &mut [Item], mut at: usize, item: Item) {
    loop {
        let mut below = 2 * at + 1;
        let Some(&(mut largest)) = items.get(below) else { break };
        if let Some(&other) = items.get(below + 1)
            && other > largest
        {
            (below, largest) = (below + 1, other);
        }
        if largest <= item {
            break;
        }
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
                items.iter().for_each(|item| smallest.put(*item));
                assert_eq!(smallest.more, count > room);
                assert_eq!(smallest.sorted(), &expected[..count.min(room)], "{count} items, room for {room}");
            }
        }
    }
}

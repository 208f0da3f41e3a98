//! The allocator of the module: a first-fit free list sorted by address.
//!
//! Rust's default wasm allocator is built for millions of objects and is larger than some decoders.
//! Calls in this crate allocate a few buffers and free them before they return, so the list stays
//! short. A freed block is merged with its free neighbours.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

/// The header of a free block.
struct Free {
    next: *mut Free,
    len: usize,
}

/// All addresses and lengths are multiples of this, so every remainder can hold a [`Free`].
const UNIT: usize = size_of::<Free>();

/// The free blocks in order of address. No two are adjacent.
struct List {
    first: *mut Free,
}

impl List {
    /// Takes `len` bytes from the first block that has them; returns null if none has.
    ///
    /// # Safety
    /// `len` and `align` are multiples of [`UNIT`], `align` a power of two.
    unsafe fn take(&mut self, len: usize, align: usize) -> *mut u8 {
        let mut link = &raw mut self.first;
        // SAFETY: `link` points to the field that holds `free`, and each block in the list is free
        // memory that starts with a `Free`. The parts before and after the taken bytes belong to
        // that block and are whole units, because all lengths are multiples of `UNIT`.
        unsafe {
            while !(*link).is_null() {
                let free = *link;
                let Free { next, len: room } = free.read();
                // `align_offset` would add a panic message for an alignment that is not a power of
                // two.
                let before = free.addr().wrapping_neg() & (align - 1);
                if let Some(after) = room.checked_sub(before).and_then(|room| room.checked_sub(len)) {
                    let taken = free.cast::<u8>().add(before);
                    if after > 0 {
                        let rest = taken.add(len).cast::<Free>();
                        rest.write(Free { next, len: after });
                        link.write(rest);
                    } else {
                        link.write(next);
                    }
                    if before > 0 {
                        free.write(Free { next: *link, len: before });
                        link.write(free);
                    }
                    return taken;
                }
                link = &raw mut (*free).next;
            }
        }
        null_mut()
    }

    /// Adds a block to the list: freed memory, or new memory from the system.
    ///
    /// # Safety
    /// Nobody else uses the block, and both numbers are multiples of [`UNIT`].
    unsafe fn free(&mut self, at: *mut u8, len: usize) {
        let mut link = &raw mut self.first;
        let mut before = null_mut::<Free>();
        // SAFETY: as above; writes go to the new block or to the free block right before it.
        unsafe {
            while !(*link).is_null() && (*link).cast() < at {
                before = *link;
                link = &raw mut (*before).next;
            }
            let mut free = Free { next: *link, len };
            if free.next.cast() == at.add(len) {
                let next = free.next.read();
                free = Free { next: next.next, len: len + next.len };
            }
            if !before.is_null() && before.cast::<u8>().add((*before).len) == at {
                free.len += (*before).len;
                before.write(free);
            } else {
                at.cast::<Free>().write(free);
                link.write(at.cast());
            }
        }
    }
}

/// The heap of a program with one thread.
pub(crate) struct Heap {
    list: UnsafeCell<List>,
    /// Gets at least this many bytes from the system, or null.
    more: fn(usize) -> (*mut u8, usize),
}

// SAFETY: the only instance belongs to a wasm module, which has one thread. It is borrowed only
// during a call.
unsafe impl Sync for Heap {}

impl Heap {
    const fn new(more: fn(usize) -> (*mut u8, usize)) -> Self {
        Self { list: UnsafeCell::new(List { first: null_mut() }), more }
    }
}

/// Rounds up to whole units. A layout is at most half of the address space, so this cannot
/// overflow.
const fn units(len: usize) -> usize {
    len.next_multiple_of(UNIT)
}

// SAFETY: a taken block is no longer in the list, is aligned as the layout asks and has its length.
// A freed block was taken with the same layout.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (len, align) = (units(layout.size()), layout.align().max(UNIT));
        // SAFETY: there is one thread, and nothing here calls back. Memory from `more` is unused.
        unsafe {
            let list = &mut *self.list.get();
            let taken = list.take(len, align);
            if !taken.is_null() {
                return taken;
            }
            let (at, got) = (self.more)(len + align);
            if at.is_null() {
                return at;
            }
            list.free(at, got);
            list.take(len, align)
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above; the caller took the block with this layout.
        unsafe { (*self.list.get()).free(at, units(layout.size())) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        let (old, new) = (units(layout.size()), units(len));
        // SAFETY: frees the unused tail, or the whole block after a copy.
        unsafe {
            if new <= old {
                if new < old {
                    (*self.list.get()).free(at.add(new), old - new);
                }
                return at;
            }
            let to = self.alloc(Layout::from_size_align_unchecked(len, layout.align()));
            if !to.is_null() {
                to.copy_from_nonoverlapping(at, layout.size());
                self.dealloc(at, layout);
            }
            to
        }
    }
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static HEAP: Heap = Heap::new(|len| {
    const PAGE: usize = 65536;
    let pages = len.div_ceil(PAGE);
    match core::arch::wasm32::memory_grow(0, pages) {
        usize::MAX => (null_mut(), 0),
        before => (core::ptr::without_provenance_mut(before * PAGE), pages * PAGE),
    }
});

#[cfg(test)]
mod tests {
    use std::alloc::System;
    use std::vec::Vec;

    use super::*;

    /// Allocates from the system, 64 KiB or more at a time.
    fn more(len: usize) -> (*mut u8, usize) {
        let len = len.next_multiple_of(65536);
        // SAFETY: the length is not zero. The memory is never freed; neither does the heap free
        // any.
        (unsafe { System.alloc(Layout::from_size_align(len, 4096).unwrap()) }, len)
    }

    fn blocks(heap: &Heap) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        // SAFETY: nothing else uses this heap.
        unsafe {
            let mut free = (*heap.list.get()).first;
            while !free.is_null() {
                found.push((free.addr(), (*free).len));
                free = (*free).next;
            }
        }
        found
    }

    #[test]
    fn loses_no_memory_and_never_overlaps() {
        let heap = Heap::new(more);
        let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let mut random = 1u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((random >> 33) % below).unwrap()
        };
        let check = |at: *mut u8, layout: Layout, mark: u8| {
            assert_eq!(at.align_offset(layout.align()), 0);
            // SAFETY: these bytes are allocated and were filled.
            assert!(unsafe { core::slice::from_raw_parts(at, layout.size()) }.iter().all(|&byte| byte == mark));
        };
        for round in 0..20_000 {
            let mark = u8::try_from(round % 251).unwrap();
            let size = 1 + next(if round % 50 == 0 { 100_000 } else { 300 });
            // SAFETY: each layout is the one of its block.
            unsafe {
                match next(5) {
                    0 | 1 if held.len() < 200 => {
                        let layout = Layout::from_size_align(size, 1 << next(8)).unwrap();
                        let at = heap.alloc(layout);
                        at.write_bytes(mark, size);
                        held.push((at, layout, mark));
                    }
                    2 if !held.is_empty() => {
                        let (at, layout, mark) = held.swap_remove(next(held.len() as u64));
                        let moved = heap.realloc(at, layout, size);
                        let layout_now = Layout::from_size_align(size, layout.align()).unwrap();
                        check(moved, Layout::from_size_align(size.min(layout.size()), layout.align()).unwrap(), mark);
                        moved.write_bytes(mark, size);
                        held.push((moved, layout_now, mark));
                    }
                    _ if !held.is_empty() => {
                        let (at, layout, mark) = held.swap_remove(next(held.len() as u64));
                        check(at, layout, mark);
                        heap.dealloc(at, layout);
                    }
                    _ => {}
                }
            }
            let free = blocks(&heap);
            assert!(
                free.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0),
                "in order, and none touches the next"
            );
        }
        for (at, layout, _) in held.drain(..) {
            // SAFETY: as above.
            unsafe { heap.dealloc(at, layout) };
        }
        assert!(blocks(&heap).iter().all(|&(at, len)| at % 4096 == 0 && len % 65536 == 0), "whole again");
    }
}

//! The memory of the module: a list of the stretches that are free, in the order of their addresses.
//!
//! The heap that Rust brings along for wasm is made for programs that keep millions of things, and is larger than some decoders. What
//! is called in here takes a few buffers and gives them back before it returns, so that the list stays short: the first stretch
//! with room is taken, and what comes back grows together with its neighbours.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

/// What stands at the start of a free stretch.
struct Free {
    next: *mut Free,
    len: usize,
}

/// All addresses and lengths are multiples of this, so that what is left of a stretch has room for a [`Free`].
const UNIT: usize = size_of::<Free>();

/// The free stretches. No two of them touch.
struct List {
    first: *mut Free,
}

impl List {
    /// Takes so many bytes out of the first stretch that has them; null if none has.
    ///
    /// # Safety
    /// `len` and `align` are multiples of [`UNIT`], `align` a power of two.
    unsafe fn take(&mut self, len: usize, align: usize) -> *mut u8 {
        let mut link = &raw mut self.first;
        // SAFETY: `link` points to the field that holds `free`, and whatever is in the list is free memory with a `Free` in it. The
        // pieces before and behind what is taken are parts of it and hold whole units, because all lengths are such.
        unsafe {
            while !(*link).is_null() {
                let free = *link;
                let Free { next, len: room } = free.read();
                // What the library has for this would panic over an alignment that is no power of two, in words.
                let before = free.addr().wrapping_neg() & (align - 1);
                if let Some(behind) = room.checked_sub(before).and_then(|room| room.checked_sub(len)) {
                    let taken = free.cast::<u8>().add(before);
                    if behind > 0 {
                        let rest = taken.add(len).cast::<Free>();
                        rest.write(Free { next, len: behind });
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

    /// Gives a stretch back, or a first time.
    ///
    /// # Safety
    /// Nobody else uses it, and both numbers are multiples of [`UNIT`].
    unsafe fn give(&mut self, at: *mut u8, len: usize) {
        let mut link = &raw mut self.first;
        let mut before = null_mut::<Free>();
        // SAFETY: as above; what is written to is the stretch that is given, or a free one right before it.
        unsafe {
            while !(*link).is_null() && (*link).cast() < at {
                before = *link;
                link = &raw mut (*before).next;
            }
            let mut free = Free { next: *link, len };
            if free.next.cast() == at.add(len) {
                let behind = free.next.read();
                free = Free { next: behind.next, len: len + behind.len };
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
    /// Gets so many bytes more, or null.
    more: fn(usize) -> (*mut u8, usize),
}

// SAFETY: the only one is that of a wasm module, which has one thread, and it is borrowed only for as long as it works.
unsafe impl Sync for Heap {}

impl Heap {
    const fn new(more: fn(usize) -> (*mut u8, usize)) -> Self {
        Self { list: UnsafeCell::new(List { first: null_mut() }), more }
    }
}

/// As a number of whole units. A layout is at most half of the address space.
const fn units(len: usize) -> usize {
    len.next_multiple_of(UNIT)
}

// SAFETY: what is taken is not in the list, lies where the layout wants it, and is as long; what is given was taken with this layout.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (len, align) = (units(layout.size()), layout.align().max(UNIT));
        // SAFETY: one thread, and nothing in here calls back. What `more` gives belongs to nobody yet.
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
            list.give(at, got);
            list.take(len, align)
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above; the caller has taken it with this layout.
        unsafe { (*self.list.get()).give(at, units(layout.size())) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        let (old, new) = (units(layout.size()), units(len));
        // SAFETY: the end of what the caller has, which it does without from now on; or all of it, when a copy lies elsewhere.
        unsafe {
            if new <= old {
                if new < old {
                    (*self.list.get()).give(at.add(new), old - new);
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

    /// What the system has to give, 64 KiB or more at a time.
    fn more(len: usize) -> (*mut u8, usize) {
        let len = len.next_multiple_of(65536);
        // SAFETY: the length is not zero. It is never given back: the heap would not, either.
        (unsafe { System.alloc(Layout::from_size_align(len, 4096).unwrap()) }, len)
    }

    fn stretches(heap: &Heap) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        // SAFETY: nothing else runs on this heap.
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
    fn nothing_is_lost_and_nothing_overlaps() {
        let heap = Heap::new(more);
        let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let mut random = 1u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((random >> 33) % below).unwrap()
        };
        let check = |at: *mut u8, layout: Layout, mark: u8| {
            assert_eq!(at.align_offset(layout.align()), 0);
            // SAFETY: these bytes are held, and were filled.
            assert!(unsafe { core::slice::from_raw_parts(at, layout.size()) }.iter().all(|&byte| byte == mark));
        };
        for round in 0..20_000 {
            let mark = u8::try_from(round % 251).unwrap();
            let size = 1 + next(if round % 50 == 0 { 100_000 } else { 300 });
            // SAFETY: each layout is that of the piece.
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
            let free = stretches(&heap);
            assert!(
                free.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0),
                "in order, and none touches the next"
            );
        }
        for (at, layout, _) in held.drain(..) {
            // SAFETY: as above.
            unsafe { heap.dealloc(at, layout) };
        }
        assert!(stretches(&heap).iter().all(|&(at, len)| at % 4096 == 0 && len % 65536 == 0), "whole again");
    }
}

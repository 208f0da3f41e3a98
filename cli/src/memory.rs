//! The limit on memory: an allocator that counts, and refuses large requests beyond the limit.
//!
//! Everything that grows with a file is allocated so that a refusal is an error. Small requests are
//! always granted, because nothing could handle their failure.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use unspool::{Error, ErrorKind};

/// The limit if no option names one. It is more than a window of 2 GiB takes.
pub const DEFAULT: u64 = 4 << 30;

/// The smallest limit. The command itself takes a few MiB, whatever the file.
pub const LEAST: u64 = 2 * RESERVE;

/// Requests below this are granted beyond the limit.
const SMALL: usize = 64 << 10;

/// A part of the limit that is left to requests whose failure would end the program.
const RESERVE: u64 = 8 << 20;

static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The allocator of the program. Others, such as tests, have no limit.
pub struct Counting;

/// Sets the limit in bytes.
pub fn set_limit(bytes: u64) {
    LIMIT.store(usize::try_from(bytes).unwrap_or(usize::MAX), Relaxed);
}

/// Returns the limit.
pub fn limit() -> u64 {
    LIMIT.load(Relaxed) as u64
}

/// Returns the bytes that may still be allocated for a file.
pub fn left() -> u64 {
    limit().saturating_sub(RESERVE).saturating_sub(USED.load(Relaxed) as u64)
}

/// Refuses a request that exceeds what is left.
pub fn allow(more: u64) -> Result<(), Error> {
    if more > left() { Err(Error::new(ErrorKind::NoMemory, 0).needing(more)) } else { Ok(()) }
}

/// Counts a request of `len` bytes that takes `more` bytes. Returns whether it is granted.
fn claim(len: usize, more: usize) -> bool {
    let fits = |used: usize| used.checked_add(more).filter(|&used| len < SMALL || used <= LIMIT.load(Relaxed));
    USED.fetch_update(Relaxed, Relaxed, fits).is_ok()
}

fn release(bytes: usize) {
    USED.fetch_sub(bytes, Relaxed);
}

/// Releases a claim if the system has not granted it.
fn granted(memory: *mut u8, claimed: usize) -> *mut u8 {
    if memory.is_null() {
        release(claimed);
    }
    memory
}

// SAFETY: every call is passed on to the allocator of the system with its arguments unchanged, or
// returns a null pointer, which the trait allows. Counting touches no memory but two integers.
#[expect(unsafe_code, reason = "the trait of allocators is unsafe to implement and to call")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !claim(layout.size(), layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller guarantees what `System` asks for.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !claim(layout.size(), layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller guarantees what `System` asks for.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees what `System` asks for.
        unsafe { System.dealloc(memory, layout) };
        release(layout.size());
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        let more = len.saturating_sub(layout.size());
        if more > 0 && !claim(len, more) {
            return null_mut();
        }
        // SAFETY: the caller guarantees what `System` asks for.
        let moved = granted(unsafe { System.realloc(memory, layout, len) }, more);
        if !moved.is_null() {
            release(layout.size().saturating_sub(len));
        }
        moved
    }
}

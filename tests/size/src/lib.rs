//! Shared by every program: a start, a file to decode, room for the output, and a line with the
//! bytes decoded, the instructions and the stack.
//!
//! The size of a decoder is the size of its program minus that of `empty`.
#![no_std]

#[cfg(target_os = "none")]
mod board;

#[cfg(feature = "byte-loops")]
#[path = "../../../capi/memory/byte_loops.rs"]
pub mod byte_loops;

#[cfg(feature = "from-c")]
pub mod c;

use unspool::{Done, End, Status, Step};

/// Output and workspace of a decoder.
pub struct Room {
    /// Room for decoded bytes.
    pub bytes: &'static mut [u8],
    /// Room for decoded numbers.
    pub numbers: &'static mut [i32],
    /// Words for tables, as many as a program needs.
    pub words: &'static mut [u64],
}

/// Returns a value, which the compiler does not know afterwards if the feature `opaque` is on.
#[inline(always)]
pub fn opaque<T>(value: T) -> T {
    if cfg!(feature = "opaque") { core::hint::black_box(value) } else { value }
}

/// Returns the bytes that a call decoded, or 0 after an error.
#[inline(always)]
pub fn wrote(result: unspool::Result<Done>) -> usize {
    opaque(&result);
    result.map_or(0, |done| done.wrote)
}

/// Decodes a file in pieces of 64 bytes; returns the bytes decoded, or 0 after an error.
// A function of its own, so that its stack frame is not one with the decoder.
#[inline(never)]
pub fn in_pieces<E>(
    file: &[u8],
    out: &mut [u8],
    mut step: impl FnMut(&[u8], End, &mut [u8]) -> Result<Step, E>,
) -> usize {
    let (mut rest, mut wrote) = (file, 0);
    loop {
        let piece = rest.get(..64).unwrap_or(rest);
        let end = if piece.len() == rest.len() { End::Here } else { End::NotYet };
        let output = out.get_mut(wrote..).unwrap_or_default();
        let output = output.get_mut(..64).unwrap_or_default();
        let Ok(step) = step(piece, end, output) else { return 0 };
        wrote += step.wrote;
        rest = rest.get(step.read..).unwrap_or_default();
        if step.status == Status::Done {
            return wrote;
        }
    }
}

/// Defines the program: a function that decodes a file in flash to a room and returns the bytes
/// decoded.
#[macro_export]
macro_rules! program {
    ($path:literal, $work:expr) => {
        #[cfg(all(target_os = "none", not(feature = "image")))]
        #[unsafe(link_section = ".files")]
        static FILE: [u8; include_bytes!($path).len()] = *include_bytes!($path);
        /// The same path from another folder: there the files hold a firmware image.
        #[cfg(all(target_os = "none", feature = "image"))]
        #[unsafe(link_section = ".files")]
        static FILE: [u8; include_bytes!(concat!(env!("UNSPOOL_IMAGES"), "/", $path)).len()] =
            *include_bytes!(concat!(env!("UNSPOOL_IMAGES"), "/", $path));
        /// In a browser, the file comes from JavaScript.
        #[cfg(not(target_os = "none"))]
        static FILE: [u8; 1] = [0];

        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "Rust" fn program(room: $crate::Room) -> usize {
            let work: fn(&[u8], $crate::Room) -> usize = $work;
            work(core::hint::black_box(&FILE[..]), room)
        }
    };
}

/// Refers to a symbol that nothing defines: a program that can reach a panic does not link. The C
/// interface has a panic handler that does the same.
#[macro_export]
macro_rules! no_panic {
    () => {
        #[cfg(not(feature = "from-c"))]
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            unsafe extern "C" {
                fn a_panic_is_reachable() -> !;
            }
            // SAFETY: never called, because no program that could call it exists.
            unsafe { a_panic_is_reachable() }
        }
    };
}

/// For peers: a panic ends in a loop, and memory comes from a heap that only grows.
#[macro_export]
macro_rules! peer {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            loop {
                core::hint::spin_loop();
            }
        }

        #[global_allocator]
        static HEAP: $crate::Heap = $crate::Heap::new();
    };
}

/// For peers in C: the same heap under the names of C.
#[macro_export]
macro_rules! c_peer {
    () => {
        $crate::peer!();

        #[unsafe(no_mangle)]
        extern "C" fn malloc(len: usize) -> *mut u8 {
            let layout = core::alloc::Layout::from_size_align(len, 16);
            // SAFETY: this heap accepts a layout of no bytes.
            layout.map_or(core::ptr::null_mut(), |layout| unsafe { core::alloc::GlobalAlloc::alloc(&HEAP, layout) })
        }

        /// The heap hands out each byte once, so all of them are still zero.
        #[unsafe(no_mangle)]
        extern "C" fn calloc(count: usize, len: usize) -> *mut u8 {
            malloc(count.saturating_mul(len))
        }

        #[unsafe(no_mangle)]
        extern "C" fn free(_: *mut u8) {}
    };
}

/// The simplest allocator: it never frees, so it adds almost no code.
pub struct Heap {
    used: core::cell::Cell<usize>,
    bytes: core::cell::UnsafeCell<[u8; HEAP]>,
}

const HEAP: usize = 3 << 20;

/// Bytes of the heap that a peer has taken.
static HEAP_USED: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);

// SAFETY: there is one thread.
unsafe impl Sync for Heap {}

impl Heap {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self { used: core::cell::Cell::new(0), bytes: core::cell::UnsafeCell::new([0; HEAP]) }
    }
}

// SAFETY: hands out each byte once.
unsafe impl core::alloc::GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: core::alloc::Layout) -> *mut u8 {
        let start = self.used.get().next_multiple_of(layout.align().max(16));
        let end = start.saturating_add(layout.size());
        if end > HEAP {
            return core::ptr::null_mut();
        }
        self.used.set(end);
        HEAP_USED.store(end, core::sync::atomic::Ordering::Relaxed);
        // SAFETY: within the memory of the heap.
        unsafe { self.bytes.get().cast::<u8>().add(start) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: core::alloc::Layout) {}
}

unsafe extern "Rust" {
    fn program(room: Room) -> usize;
}

static mut BYTES: [u8; 256 << 10] = [0; 256 << 10];

/// Returns a hash (FNV-1a) of decoded bytes, to compare with the image.
#[cfg(feature = "image")]
fn hash(len: usize) -> u32 {
    // SAFETY: one thread, and the decoder has returned.
    #[allow(static_mut_refs)]
    let bytes = unsafe { BYTES.get(..len).unwrap_or_default() };
    bytes.iter().fold(0x811C_9DC5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Runs the decoder on static memory.
fn work() -> usize {
    static mut NUMBERS: [i32; 16 << 10] = [0; 16 << 10];
    static mut WORDS: [u64; 4 << 10] = [0; 4 << 10];
    // SAFETY: called once, by one thread; every program defines it.
    #[allow(static_mut_refs)]
    unsafe {
        program(core::hint::black_box(Room { bytes: &mut BYTES, numbers: &mut NUMBERS, words: &mut WORDS }))
    }
}

/// The entry point for JavaScript.
#[cfg(not(target_os = "none"))]
#[unsafe(no_mangle)]
pub extern "C" fn reset() -> usize {
    work()
}

//! liblzma 5.8 in C, built to be small (xz)
//!
//! The same xz file, with memory from a heap.
#![no_std]
#![no_main]

use core::ffi::c_void;

unsafe extern "C" {
    fn lzma_stream_buffer_decode(
        memory: *mut u64,
        flags: u32,
        allocator: *const c_void,
        from: *const u8,
        read: *mut usize,
        len: usize,
        to: *mut u8,
        wrote: *mut usize,
        room: usize,
    ) -> u32;
}

size::c_peer!();
size::program!("../../data/text.xz", |file, room| {
    let (mut memory, mut read, mut wrote) = (u64::MAX, 0, 0);
    let (from, to) = (file.as_ptr(), room.bytes.as_mut_ptr());
    // SAFETY: the lengths are those of the slices.
    let status = unsafe {
        let (len, room) = (file.len(), room.bytes.len());
        lzma_stream_buffer_decode(&mut memory, 0, core::ptr::null(), from, &mut read, len, to, &mut wrote, room)
    };
    if status == 0 { wrote } else { 0 }
});

//! tamp 2.5 in C
//!
//! A window of 1 KB, which is its custom, and no functions for streams of a file system.
#![no_std]
#![no_main]

/// Bytes of `TampDecompressor`, and bits of the window.
const STATE: usize = 0x14;
const WINDOW: u8 = 10;
const INPUT_EXHAUSTED: i32 = 2;

unsafe extern "C" {
    fn tamp_decompressor_init(state: *mut u32, options: *const u8, window: *mut u8, bits: u8) -> i32;
    fn tamp_decompressor_decompress_cb(
        state: *mut u32,
        to: *mut u8,
        room: usize,
        wrote: *mut usize,
        from: *const u8,
        len: usize,
        read: *mut usize,
        callback: *const u8,
        argument: *const u8,
    ) -> i32;
}

size::c_peer!();
size::program!("../../data/text.tamp", |file, room| {
    static mut WORDS: [u32; STATE / 4] = [0; STATE / 4];
    static mut BYTES: [u8; 1 << WINDOW] = [0; 1 << WINDOW];
    let (state, none) = ((&raw mut WORDS).cast(), core::ptr::null());
    let (to, from) = (room.bytes.as_mut_ptr(), file.as_ptr());
    let (mut read, mut wrote) = (0, 0);
    // SAFETY: called once; the lengths are those of the slices.
    let status = unsafe {
        match tamp_decompressor_init(state, none, (&raw mut BYTES).cast(), WINDOW) {
            0 => tamp_decompressor_decompress_cb(
                state,
                to,
                room.bytes.len(),
                &mut wrote,
                from,
                file.len(),
                &mut read,
                none,
                none,
            ),
            error => error,
        }
    };
    if status == INPUT_EXHAUSTED { wrote } else { 0 }
});

//! heatshrink in C
//!
//! A window of 1 KB, lengths of 4 bits, and an input buffer of 64 bytes, from a heap.
#![no_std]
#![no_main]

const WINDOW: u8 = 10;
const LENGTH: u8 = 4;

unsafe extern "C" {
    fn heatshrink_decoder_alloc(input: u16, window: u8, length: u8) -> *mut u64;
    fn heatshrink_decoder_sink(decoder: *mut u64, from: *const u8, len: usize, read: *mut usize) -> i32;
    fn heatshrink_decoder_poll(decoder: *mut u64, to: *mut u8, room: usize, wrote: *mut usize) -> i32;
}

const POLL_EMPTY: i32 = 0;

size::c_peer!();
size::program!("../../data/text.heatshrink", |file, room| {
    let (mut read, mut wrote) = (0, 0);
    // SAFETY: the pointers and lengths are those of the rest of each slice.
    unsafe {
        let decoder = heatshrink_decoder_alloc(64, WINDOW, LENGTH);
        while let Some(rest @ [_, ..]) = file.get(read..) {
            let (mut took, mut made) = (0, 0);
            if heatshrink_decoder_sink(decoder, rest.as_ptr(), rest.len(), &mut took) < 0 {
                return 0;
            }
            read += took;
            // It is empty when it has not filled the output.
            let Some(to) = room.bytes.get_mut(wrote..) else { return 0 };
            if heatshrink_decoder_poll(decoder, to.as_mut_ptr(), to.len(), &mut made) != POLL_EMPTY {
                return 0;
            }
            wrote += made;
        }
    }
    wrote
});

//! uzlib in C (DEFLATE)
//!
//! The inflater of MicroPython 1.25, slice to slice.
#![no_std]
#![no_main]

use core::ffi::c_void;
use core::ptr;

/// `uzlib_uncomp_t`.
#[repr(C)]
struct State {
    source: *const u8,
    source_limit: *const u8,
    source_read: [*mut c_void; 2],
    bits: [u32; 2],
    dest_start: *mut u8,
    dest: *mut u8,
    dest_limit: *mut u8,
    checksum: [u32; 2],
    block: [i32; 4],
    dict_ring: *mut u8,
    dict: [u32; 2],
    trees: [[u16; 16 + 288]; 2],
}

const DONE: i32 = 1;

unsafe extern "C" {
    fn uzlib_uncompress_init(state: *mut State, dict: *mut c_void, len: u32);
    fn uzlib_uncompress(state: *mut State) -> i32;
}

size::c_peer!();
size::program!("../../data/text.deflate", |file, room| {
    static mut STATE: State = State {
        source: ptr::null(),
        source_limit: ptr::null(),
        source_read: [ptr::null_mut(); 2],
        bits: [0; 2],
        dest_start: ptr::null_mut(),
        dest: ptr::null_mut(),
        dest_limit: ptr::null_mut(),
        checksum: [0; 2],
        block: [0; 4],
        dict_ring: ptr::null_mut(),
        dict: [0; 2],
        trees: [[0; 16 + 288]; 2],
    };
    let (state, from, to) = (&raw mut STATE, file.as_ptr_range(), room.bytes.as_mut_ptr_range());
    // SAFETY: called once; the pointers are those of the slices.
    unsafe {
        uzlib_uncompress_init(state, ptr::null_mut(), 0);
        ((*state).source, (*state).source_limit) = (from.start, from.end);
        ((*state).dest_start, (*state).dest, (*state).dest_limit) = (to.start, to.start, to.end);
        if uzlib_uncompress(state) == DONE { (*state).dest.offset_from_unsigned(to.start) } else { 0 }
    }
});

//! miniz in C (DEFLATE)
//!
//! The core of its inflater, slice to slice.
#![no_std]
#![no_main]

/// Bytes of `tinfl_decompressor`, which zeros initialise.
const STATE: usize = 0x2AF0;
/// The output is not a ring.
const WHOLE_OUTPUT: u32 = 4;

unsafe extern "C" {
    fn tinfl_decompress(
        state: *mut u64,
        from: *const u8,
        read: *mut usize,
        start: *mut u8,
        to: *mut u8,
        wrote: *mut usize,
        flags: u32,
    ) -> i32;
}

size::c_peer!();
size::program!("../../data/text.deflate", |file, room| {
    static mut WORDS: [u64; STATE / 8] = [0; STATE / 8];
    let (mut read, mut wrote) = (file.len(), room.bytes.len());
    let to = room.bytes.as_mut_ptr();
    // SAFETY: called once; the lengths are those of the slices.
    let status = unsafe {
        tinfl_decompress((&raw mut WORDS).cast(), file.as_ptr(), &mut read, to, to, &mut wrote, WHOLE_OUTPUT)
    };
    if status == 0 { wrote } else { 0 }
});

//! XZ Embedded in C, whole files (xz)
//!
//! The same xz file, with a state from a heap and the output as the dictionary.
#![no_std]
#![no_main]

/// Input and output, each with its position.
#[repr(C)]
struct Buffers {
    from: *const u8,
    read: usize,
    len: usize,
    to: *mut u8,
    wrote: usize,
    room: usize,
}

unsafe extern "C" {
    fn xz_crc32_init();
    fn xz_crc64_init();
    fn xz_dec_init(mode: u32, dictionary: u32) -> *mut u64;
    fn xz_dec_run(decoder: *mut u64, buffers: *mut Buffers) -> u32;
}

/// Decodes the whole file in one call.
const SINGLE: u32 = 0;
const STREAM_END: u32 = 1;

size::c_peer!();
size::program!("../../data/text.xz", |file, room| {
    let (from, to) = (file.as_ptr(), room.bytes.as_mut_ptr());
    let mut buffers = Buffers { from, read: 0, len: file.len(), to, wrote: 0, room: room.bytes.len() };
    // SAFETY: the lengths are those of the slices, and a decoder exists before it runs.
    let status = unsafe {
        xz_crc32_init();
        xz_crc64_init();
        let decoder = xz_dec_init(SINGLE, 0);
        if decoder.is_null() { 0 } else { xz_dec_run(decoder, &mut buffers) }
    };
    if status == STREAM_END { buffers.wrote } else { 0 }
});

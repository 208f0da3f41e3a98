//! zstd 1.5.7 in C, built to be small
//!
//! The same Zstandard file, with a context in `static` memory.
#![no_std]
#![no_main]

unsafe extern "C" {
    fn ZSTD_initStaticDCtx(memory: *mut u64, len: usize) -> *mut u64;
    fn ZSTD_decompressDCtx(context: *mut u64, to: *mut u8, room: usize, from: *const u8, len: usize) -> usize;
}

/// The result of `ZSTD_estimateDCtxSize`.
const CONTEXT: usize = 95_840;

size::c_peer!();
size::program!("../../data/text.zst", |file, room| {
    static mut MEMORY: [u64; CONTEXT / 8] = [0; CONTEXT / 8];
    let (from, to) = (file.as_ptr(), room.bytes.as_mut_ptr());
    // SAFETY: nothing else uses the memory, and the lengths are those of the slices.
    let wrote = unsafe {
        let context = ZSTD_initStaticDCtx((&raw mut MEMORY).cast(), CONTEXT);
        ZSTD_decompressDCtx(context, to, room.bytes.len(), from, file.len())
    };
    // An error is a number that exceeds every length.
    if wrote > room.bytes.len() { 0 } else { wrote }
});

//! Zstandard from C, a patch to flash
//!
//! The same file through `unspool_zstd_decode_to_store`.
#![no_std]
#![no_main]

use size::c::{buffers, null_mut, store};
use unspool_capi::common::UnspoolDone;
use unspool_capi::zstd::{
    UNSPOOL_ZSTD_RFC8878, UNSPOOL_ZSTD_WORKSPACE_WORDS, UnspoolZstdOptions, UnspoolZstdWorkspace,
    unspool_zstd_decode_to_store,
};

size::program!("../../data/text.zst", |file, room| {
    static mut WORKSPACE: UnspoolZstdWorkspace = UnspoolZstdWorkspace { opaque: [0; UNSPOOL_ZSTD_WORKSPACE_WORDS] };
    static mut PAGE: [u8; 4096] = [0; 4096];
    let mut buffers = buffers(file, &mut [], (&raw mut WORKSPACE).cast(), size_of::<UnspoolZstdWorkspace>());
    (buffers.scratch, buffers.scratch_len) = ((&raw mut PAGE).cast(), 4096);
    let options = core::hint::black_box(UnspoolZstdOptions {
        size: size_of::<UnspoolZstdOptions>(),
        limits: core::ptr::null(),
        dictionary: core::ptr::null(),
        checks: 0,
        flavour: UNSPOOL_ZSTD_RFC8878,
        magicless: 0,
    });
    let (store, mut done) = (store(room.bytes), UnspoolDone::default());
    // SAFETY: the buffers and the store are valid, and called once.
    match unsafe {
        unspool_zstd_decode_to_store(
            &raw const buffers,
            &raw const store,
            &raw const options,
            &raw mut done,
            null_mut(),
        )
    } {
        0 => done.wrote,
        _ => 0,
    }
});

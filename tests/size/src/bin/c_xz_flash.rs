//! xz from C, an image to flash
//!
//! The same file through `unspool_xz_decode_to_store`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut, store};
use unspool_capi::common::UnspoolDone;
use unspool_capi::xz::{UNSPOOL_XZ_CONTEXT_SIZE, UNSPOOL_XZ_TABLES_SIZE, unspool_xz_decode_to_store};

/// Words for the one context of lc = lp = 0.
const WORDS: usize = (UNSPOOL_XZ_TABLES_SIZE + UNSPOOL_XZ_CONTEXT_SIZE) / 8;

size::program!("../../data/text-lc0.xz", |file, room| {
    static mut WORKSPACE: [u64; WORDS] = [0; WORDS];
    static mut PAGE: [u8; 1024] = [0; 1024];
    let mut buffers = buffers(file, &mut [], (&raw mut WORKSPACE).cast(), 8 * WORDS);
    (buffers.scratch, buffers.scratch_len) = ((&raw mut PAGE).cast(), 1024);
    let (store, mut done) = (store(room.bytes), UnspoolDone::default());
    // SAFETY: the buffers and the store are valid, and called once.
    match unsafe { unspool_xz_decode_to_store(&raw const buffers, &raw const store, null(), &raw mut done, null_mut()) }
    {
        0 => done.wrote,
        _ => 0,
    }
});

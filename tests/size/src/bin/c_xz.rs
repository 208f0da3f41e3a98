//! xz from C, a whole file
//!
//! The same file through `unspool_xz_decode`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::common::UnspoolDone;
use unspool_capi::xz::{UNSPOOL_XZ_CONTEXT_SIZE, UNSPOOL_XZ_TABLES_SIZE, unspool_xz_decode};

/// Words for the contexts of lc = 3.
const WORDS: usize = (UNSPOOL_XZ_TABLES_SIZE + 8 * UNSPOOL_XZ_CONTEXT_SIZE) / 8;

size::program!("../../data/text.xz", |file, room| {
    static mut WORKSPACE: [u64; WORDS] = [0; WORDS];
    let buffers = buffers(file, room.bytes, (&raw mut WORKSPACE).cast(), 8 * WORDS);
    let mut done = UnspoolDone::default();
    // SAFETY: the buffers are valid, and called once.
    match unsafe { unspool_xz_decode(&raw const buffers, null(), &raw mut done, null_mut()) } {
        0 => done.wrote,
        _ => 0,
    }
});

//! Zstandard from C, a whole file
//!
//! The same file through `unspool_zstd_decode`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::common::UnspoolDone;
use unspool_capi::zstd::{UNSPOOL_ZSTD_WORKSPACE_WORDS, UnspoolZstdWorkspace, unspool_zstd_decode};

size::program!("../../data/text.zst", |file, room| {
    static mut WORKSPACE: UnspoolZstdWorkspace = UnspoolZstdWorkspace { opaque: [0; UNSPOOL_ZSTD_WORKSPACE_WORDS] };
    let buffers = buffers(file, room.bytes, (&raw mut WORKSPACE).cast(), size_of::<UnspoolZstdWorkspace>());
    let mut done = UnspoolDone::default();
    // SAFETY: the buffers are valid, and called once.
    match unsafe { unspool_zstd_decode(&raw const buffers, null(), &raw mut done, null_mut()) } {
        0 => done.wrote,
        _ => 0,
    }
});

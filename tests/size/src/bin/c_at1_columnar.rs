//! AT-1 from C, columnar, streams zstd or stored
//!
//! The same table through `unspool_at1_decode`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::at1::{UNSPOOL_AT1_WORKSPACE_WORDS, UnspoolAt1Workspace, unspool_at1_decode};
use unspool_capi::common::UnspoolDone;

size::program!("../../data/table.at1", |file, room| {
    static mut WORKSPACE: UnspoolAt1Workspace = UnspoolAt1Workspace { opaque: [0; UNSPOOL_AT1_WORKSPACE_WORDS] };
    static mut SCRATCH: [u8; 65536] = [0; 65536];
    let mut buffers = buffers(file, room.bytes, (&raw mut WORKSPACE).cast(), size_of::<UnspoolAt1Workspace>());
    (buffers.scratch, buffers.scratch_len) = ((&raw mut SCRATCH).cast(), 65536);
    let mut done = UnspoolDone::default();
    // SAFETY: the buffers are valid, and called once.
    match unsafe { unspool_at1_decode(&raw const buffers, null(), &raw mut done, null_mut()) } {
        0 => done.wrote,
        _ => 0,
    }
});

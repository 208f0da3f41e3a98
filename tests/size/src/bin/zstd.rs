//! Zstandard, a whole file
//!
//! Aim: 12 KB.
#![no_std]
#![no_main]

use unspool::zstd;

size::no_panic!();
size::program!("../../data/text.zst", |file, room| {
    static mut WORKSPACE: zstd::Workspace = zstd::Workspace::new();
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let workspace = unsafe { &mut WORKSPACE };
    size::wrote(zstd::decode(file, room.bytes, workspace, size::opaque(&zstd::Options::DEFAULT), &mut ()))
});

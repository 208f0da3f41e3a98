//! Zstandard, RFC 8878 without checksums
//!
//! Aim: 12 KB.
#![no_std]
#![no_main]

use unspool::{Verify, zstd};

size::no_panic!();
size::program!("../../data/text.zst", |file, room| {
    static mut WORKSPACE: zstd::Workspace = zstd::Workspace::new();
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let workspace = unsafe { &mut WORKSPACE };
    const OPTIONS: zstd::Options<'static> = zstd::Options { verify: Verify::Skip, ..zstd::Options::DEFAULT };
    size::wrote(zstd::decode(file, room.bytes, workspace, &OPTIONS, &mut ()))
});

//! xz, a whole file
//!
//! Aim: 7 KB.
//! LZMA2, and every check; no filters.
#![no_std]
#![no_main]

use unspool::xz;

size::no_panic!();
size::program!("../../data/text.xz", |file, room| {
    static mut WORKSPACE: xz::Workspace = xz::Workspace::new();
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let workspace = unsafe { &mut WORKSPACE };
    xz::decode(file, room.bytes, workspace, &xz::Options::DEFAULT, &mut ()).map_or(0, |done| done.wrote)
});

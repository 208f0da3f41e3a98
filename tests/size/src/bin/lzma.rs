//! LZMA, a `.lzma` file
//!
//! Aim: 8 KB.
//! A whole file; no filters.
#![no_std]
#![no_main]

use unspool::lzma;

size::no_panic!();
size::program!("../../data/text.lzma", |file, room| {
    static mut WORKSPACE: lzma::Workspace = lzma::Workspace::new();
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let workspace = unsafe { &mut WORKSPACE };
    size::wrote(lzma::decode(file, room.bytes, workspace, &lzma::Options::DEFAULT, &mut ()))
});

//! AT-1, columnar, streams zstd or stored
//!
//! Aim: 20 KB.
//! A whole table of delimited text: the library with `at1-columnar` and without `at1`.
#![no_std]
#![no_main]

use unspool::at1;

size::no_panic!();
size::program!("../../data/table.at1", |file, room| {
    static mut WORKSPACE: at1::Workspace = at1::Workspace::new();
    static mut SCRATCH: [u8; 65536] = [0; 65536];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let (workspace, scratch) = unsafe { (&mut WORKSPACE, &mut SCRATCH) };
    size::wrote(at1::decode(file, room.bytes, workspace, scratch, size::opaque(&at1::Options::DEFAULT), &mut ()))
});

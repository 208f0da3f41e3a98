//! AT-1, every codec
//!
//! A whole file, with streams of any backend.
#![no_std]
#![no_main]

use unspool::at1;

size::no_panic!();
size::program!("../../../vectors/at1/c4_all_quoted.at1", |file, room| {
    static mut WORKSPACE: at1::Workspace = at1::Workspace::new();
    static mut SCRATCH: [u8; 65536] = [0; 65536];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let (workspace, scratch) = unsafe { (&mut WORKSPACE, &mut SCRATCH) };
    size::wrote(at1::decode(file, room.bytes, workspace, scratch, &at1::Options::DEFAULT, &mut ()))
});

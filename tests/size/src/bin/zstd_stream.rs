//! Zstandard, a stream
//!
//! In pieces of 64 bytes, with a window of 4 KB. RAM holds the window and the blocks that a stream
//! adds to it. The decoder is on the stack.
#![no_std]
#![no_main]

use unspool::zstd::{Decoder, Options, Workspace};

/// The window, and the blocks that a stream adds to it.
const SPACE_LEN: usize =
    if cfg!(any(feature = "small", target_arch = "riscv32", target_abi = "eabi")) { 2 << 12 } else { 4 << 12 };

size::no_panic!();
size::program!("../../data/text-w12.zst", |file, room| {
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut SPACE: [u8; SPACE_LEN] = [0; SPACE_LEN];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let (workspace, space) = unsafe { (&mut WORKSPACE, &mut SPACE) };
    let mut decoder = Decoder::new(workspace, space, &Options::DEFAULT);
    size::in_pieces(file, room.bytes, |piece, end, out| decoder.step(piece, end, out))
});

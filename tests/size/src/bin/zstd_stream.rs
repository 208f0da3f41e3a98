//! Zstandard, a stream
//!
//! In pieces of 64 bytes, with a window of 4 KB. RAM holds the window and the blocks that a stream
//! adds to it. The decoder is on the stack.
#![no_std]
#![no_main]

use unspool::zstd::{Decoder, Options, Workspace};
use unspool::{End, Status};

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
    drive(&mut Decoder::new(workspace, space, &Options::DEFAULT), file, room.bytes)
});

/// A function of its own, so that its stack frame is not one with the decoder.
#[inline(never)]
fn drive(decoder: &mut Decoder<'_>, file: &[u8], out: &mut [u8]) -> usize {
    let (mut rest, mut wrote) = (file, 0);
    loop {
        let piece = rest.get(..64).unwrap_or(rest);
        let end = if piece.len() == rest.len() { End::Here } else { End::NotYet };
        let output = out.get_mut(wrote..).unwrap_or_default();
        let output = output.get_mut(..64).unwrap_or_default();
        let Ok(step) = decoder.step(piece, end, output) else { return 0 };
        wrote += step.wrote;
        rest = rest.get(step.read..).unwrap_or_default();
        if step.status == Status::Done {
            return wrote;
        }
    }
}

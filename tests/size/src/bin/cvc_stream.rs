//! CVC, a stream
//!
//! In pieces of 64 bytes.
#![no_std]
#![no_main]

use unspool::cvc::{Decoder, Options};

size::no_panic!();
size::program!("../../../vectors/cvc/v1_fp16.cvc", |file, room| {
    static mut SPACE: [u8; 4096] = [0; 4096];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let mut decoder = Decoder::new(unsafe { &mut SPACE }, &Options::DEFAULT);
    size::in_pieces(file, room.bytes, |piece, end, out| decoder.step(piece, end, out))
});

//! CVC, a stream
//!
//! In pieces of 64 bytes.
#![no_std]
#![no_main]

use unspool::cvc::{Decoder, Options};
use unspool::{End, Status};

size::no_panic!();
size::program!("../../../vectors/cvc/v1_fp16.cvc", |file, room| {
    static mut SPACE: [u8; 4096] = [0; 4096];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let mut decoder = Decoder::new(unsafe { &mut SPACE }, &Options::DEFAULT);
    let (mut rest, mut wrote) = (file, 0);
    loop {
        let piece = rest.get(..64).unwrap_or(rest);
        let end = if piece.len() == rest.len() { End::Here } else { End::NotYet };
        let output = room.bytes.get_mut(wrote..).unwrap_or_default();
        let output = output.get_mut(..64).unwrap_or_default();
        let Ok(step) = decoder.step(piece, end, output) else { return 0 };
        wrote += step.wrote;
        rest = rest.get(step.read..).unwrap_or_default();
        if step.status == Status::Done {
            return wrote;
        }
    }
});

//! Pco, eleven number types
//!
//! Aim: 20 KB.
#![no_std]
#![no_main]

use unspool::Limits;
use unspool::pco::File;

size::no_panic!();
size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    let Ok(opened) = File::open(file, &Limits::DEFAULT) else { return 0 };
    // Used where it lies: to take it out of the answer would be a second copy on the stack.
    let Ok(Some(chunk)) = &opened.chunk(opened.first()) else { return 0 };
    match chunk.decode_bytes(room.bytes, room.words) {
        Ok(_) => chunk.len * chunk.number_type().size(),
        Err(_) => 0,
    }
});

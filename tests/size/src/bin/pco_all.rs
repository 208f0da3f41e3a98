//! Pco, eleven number types
//!
//! Aim: 20 KB.
#![no_std]
#![no_main]

use unspool::pco::{Options, decode_bytes};

size::no_panic!();
size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    size::wrote(decode_bytes(file, room.bytes, room.words, size::opaque(&Options::DEFAULT), &mut ()))
});

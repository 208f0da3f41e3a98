//! Pco, one number type
//!
//! Aim: 6 KB.
//! Every mode and delta.
#![no_std]
#![no_main]

use unspool::Limits;
use unspool::pco::File;

size::no_panic!();
size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    let mut decode = || File::open(file, &Limits::DEFAULT)?.decode(room.numbers, room.words);
    decode().map_or(0, |count| count * 4)
});

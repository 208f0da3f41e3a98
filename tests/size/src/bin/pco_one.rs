//! Pco, one type of integers
//!
//! Aim: 6 KB.
//! Every mode and delta. A type of floats takes 1.1 KB more, for its products.
#![no_std]
#![no_main]

use unspool::pco::{Options, decode};

size::no_panic!();
size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    4 * size::wrote(decode(file, room.numbers, room.words, size::opaque(&Options::DEFAULT), &mut ()))
});

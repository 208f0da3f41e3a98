//! Pco: a column of one number type, every mode and delta.
#![no_std]
#![no_main]

use unspool::Limits;
use unspool::pco::File;

size::no_panic!();
size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, _, words| {
    static mut NUMBERS: [i32; 16384] = [0; 16384];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let numbers = unsafe { &mut NUMBERS };
    let decode = || File::open(file, &Limits::DEFAULT)?.decode(numbers, words);
    decode().map_or(0, |count| count * 4)
});

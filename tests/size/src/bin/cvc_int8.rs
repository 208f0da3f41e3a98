//! CVC, rows (int8)
//!
//! Aim: 8 KB.
//! As `cvc`, for a column in int8.
#![no_std]
#![no_main]

use unspool::Limits;
use unspool::cvc::{File, Options};

size::no_panic!();
size::program!("../../../vectors/cvc/v1_int8.cvc", |file, room| {
    let mut decode = || {
        let column = File::open(file, &Limits::DEFAULT)?.only_column()?;
        column.decode_bytes(file, column.rows(), room.bytes, &Options::DEFAULT)
    };
    size::wrote(decode())
});

//! CVC, rows (fp16)
//!
//! Aim: 8 KB.
//! All rows of the only column to f32, checksums verified.
#![no_std]
#![no_main]

use unspool::Limits;
use unspool::cvc::{File, Options};

size::no_panic!();
size::program!("../../../vectors/cvc/v1_fp16.cvc", |file, room| {
    let mut decode = || {
        let column = File::open(file, size::opaque(&Limits::DEFAULT))?.only_column()?;
        column.decode_bytes(file, column.rows(), room.bytes, size::opaque(&Options::DEFAULT))
    };
    size::wrote(decode())
});

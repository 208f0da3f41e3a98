//! OnPair, single rows
//!
//! Aim: 2 KB.
//! Every row of a packed column, one at a time.
#![no_std]
#![no_main]

use unspool::Limits;
use unspool::onpair::File;

size::no_panic!();
size::program!("../../../vectors/onpair/cpp/urls_b12.onp", |file, room| {
    let Ok(file) = File::open(file, &Limits::DEFAULT) else { return 0 };
    let column = file.column();
    let mut at = 0;
    for row in column.rows() {
        let Ok(len) = column.row_into(row, room.bytes.get_mut(at..).unwrap_or_default()) else { return 0 };
        at += len;
    }
    at
});

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
    let opened = File::open(file, size::opaque(&Limits::DEFAULT));
    size::opaque(&opened);
    let Ok(file) = opened else { return 0 };
    let column = file.column();
    let mut at = 0;
    for row in column.rows() {
        let len = column.row_into(row, room.bytes.get_mut(at..).unwrap_or_default());
        size::opaque(&len);
        let Ok(len) = len else { return 0 };
        at += len;
    }
    at
});

//! Tests the panic gate: it has one unbounded index and must fail to link.
#![no_std]
#![no_main]

use core::hint::black_box;

use firmware::{Test, entry};

#[entry]
fn main() -> ! {
    let bytes = black_box([1u8, 2, 3]);
    let index = black_box(2usize);
    let mut test = Test::new("must_not_link");
    test.case("unbounded index", || bytes[index] == 3, 1);
    test.finish()
}

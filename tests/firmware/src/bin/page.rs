//! The Rust program of `docs/firmware.md`. The page shows `main` word for word:
//! `tests/tests/pages.rs` compares them.
#![no_std]
#![no_main]

use firmware::{Test, entry};
use unspool::{ErrorKind, zstd};

static FRAME: &[u8] = include_bytes!("../../../vectors/zstd/page.zst");
static CSV: &[u8] = include_bytes!("../../../vectors/xz/page.csv");

#[entry]
fn main() -> ! {
    // `cortex-m-rt` turns both into `&'static mut`. They are zeros in .bss, never on the stack.
    static mut WORKSPACE: zstd::Workspace = zstd::Workspace::new();
    static mut PAGE: [u8; 4096] = [0; 4096];

    match zstd::decode(FRAME, PAGE, WORKSPACE, &zstd::Options::DEFAULT, &mut ()) {
        Ok(done) => show(PAGE.get(..done.wrote)),
        Err(error) => report(error.kind, error.at),
    }
}

fn show(page: Option<&[u8]>) -> ! {
    let mut test = Test::new("page");
    test.case("decodes", || page == Some(CSV), CSV.len());
    test.finish()
}

fn report(_: ErrorKind, _: u64) -> ! {
    show(None)
}

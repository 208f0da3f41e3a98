//! xz as a device uses it: decodes a page of flash to a page of RAM, with its workspace in a
//! `static`.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::xz::{Decoder, File, Options, Workspace, decode, decode_to_store};
use unspool::{Class, Limits, SliceStore};

file!(PAGE, "../../../vectors/xz/page.xz");
file!(BLOCKS, "../../../vectors/xz/blocks.xz");
file!(CSV, "../../../vectors/xz/page.csv");

#[entry]
fn main() -> ! {
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut OUT: [u8; 4096] = [0; 4096];
    static mut WINDOW: [u8; 4128] = [0; 4128];
    static mut COPY: [u8; 1040] = [0; 1040];

    let mut test = Test::new("xz");
    let csv = CSV.get();
    for (name, bytes) in [("page, CRC-64", PAGE.get()), ("blocks, delta, SHA-256", BLOCKS.get())] {
        test.case(name, || decodes(bytes, csv, OUT, WORKSPACE), csv.len());
        test.case(name, || every_end(bytes, OUT, WORKSPACE), 1);
    }
    test.case("wrong bits", || wrong_bits(PAGE.get(), COPY, OUT, WORKSPACE) == [damage::XZ; 2], 1);
    test.case("one block", || one_block(BLOCKS.get(), csv, OUT, WORKSPACE), 1500);
    test.case("stream", || streams(BLOCKS.get(), csv, WINDOW, WORKSPACE), csv.len());
    test.finish()
}

fn decodes(bytes: &[u8], expected: &[u8], out: &mut [u8], ws: &mut Workspace) -> bool {
    out.fill(0);
    decode(bytes, out, ws, &Options::DEFAULT, &mut ()).is_ok_and(|done| done.wrote == expected.len()) && out == expected
}

/// A file cut at any byte is an error, and the device goes on.
fn every_end(bytes: &[u8], out: &mut [u8], ws: &mut Workspace) -> bool {
    (0..bytes.len()).step_by(31).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        decode(bytes, out, ws, &Options::DEFAULT, &mut ()).is_err_and(|error| error.class() == Class::Truncated)
    })
}

/// Returns the answers to a file with one wrong bit, decoded to memory and to a store.
fn wrong_bits(file: &[u8], copy: &mut [u8], out: &mut [u8], ws: &mut Workspace) -> [u32; 2] {
    let options = &Options::DEFAULT;
    let whole = damage::answers_in(out, file, copy, |src, dst| decode(src, dst, ws, options, &mut ()));
    let stored = damage::answers_in(out, file, copy, |src, dst| {
        decode_to_store(src, &mut SliceStore::new(dst), ws, &mut [0; 64], options)
    });
    [whole, stored]
}

/// Decodes only the second block.
fn one_block(bytes: &[u8], expected: &[u8], out: &mut [u8], ws: &mut Workspace) -> bool {
    let Ok(file) = File::open(bytes, &Limits::DEFAULT) else { return false };
    let Ok(Some(block)) = file.locate(1500) else { return false };
    let done = file.decode_block(&block, out, ws, &Options::DEFAULT);
    done.is_ok_and(|done| out.get(..done.wrote) == expected.get(1500..3000))
}

/// Decodes 64 bytes at a time, through a window as large as the dictionary.
fn streams(bytes: &[u8], expected: &[u8], window: &mut [u8], ws: &mut Workspace) -> bool {
    let mut decoder = Decoder::new(ws, window, &Options::DEFAULT);
    firmware::streams(bytes, expected, |src, end, out| decoder.step(src, end, out))
}

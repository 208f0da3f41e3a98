//! LZMA as a device uses it: decodes an update in flash to RAM, as a `.lzma` file and as a raw
//! stream with filters.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::Class;
use unspool::lzma::{Architecture, Coder, Decoder, FilterKind, Options, Raw, Workspace, decode};

file!(PAGE, "../../../vectors/lzma/properties.lzma");
file!(CHUNKS, "../../../vectors/lzma/filters.lzma2");
file!(CSV, "../../../vectors/xz/page.csv");

#[entry]
fn main() -> ! {
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut OUT: [u8; 4096] = [0; 4096];
    static mut WINDOW: [u8; 4128] = [0; 4128];
    static mut COPY: [u8; 1360] = [0; 1360];

    let mut test = Test::new("lzma");
    let csv = CSV.get();
    let filters = [Some(FilterKind::Branch(Architecture::Arm, 0)), Some(FilterKind::Delta(1)), None];
    let raw = Options { raw: Some(Raw { coder: Coder::Lzma2 { dictionary: 4096 }, filters }), ..Options::DEFAULT };
    for (name, bytes, options, answers) in [
        ("file", PAGE.get(), &Options::DEFAULT, damage::LZMA),
        ("raw LZMA2, filters", CHUNKS.get(), &raw, damage::LZMA2),
    ] {
        test.case(name, || decodes(bytes, csv, OUT, WORKSPACE, options), csv.len());
        test.case(name, || every_end(bytes, OUT, WORKSPACE, options), 1);
        test.case(name, || wrong_bits(bytes, COPY, OUT, WORKSPACE, options) == answers, 1);
        test.case(name, || streams(bytes, csv, WINDOW, WORKSPACE, options), csv.len());
    }
    test.finish()
}

fn decodes(bytes: &[u8], expected: &[u8], out: &mut [u8], ws: &mut Workspace, options: &Options) -> bool {
    out.fill(0);
    decode(bytes, out, ws, options, &mut ()).is_ok_and(|done| done.wrote == expected.len()) && out == expected
}

/// A file cut at any byte is an error, and the device goes on.
fn every_end(bytes: &[u8], out: &mut [u8], ws: &mut Workspace, options: &Options) -> bool {
    (0..bytes.len()).step_by(31).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        decode(bytes, out, ws, options, &mut ()).is_err_and(|error| error.class() == Class::Truncated)
    })
}

/// Returns the answers to a file with one wrong bit.
fn wrong_bits(file: &[u8], copy: &mut [u8], out: &mut [u8], ws: &mut Workspace, options: &Options) -> u32 {
    damage::answers_in(out, file, copy, |src, dst| decode(src, dst, ws, options, &mut ()))
}

/// Decodes 64 bytes at a time, through a window as large as the dictionary.
fn streams(bytes: &[u8], expected: &[u8], window: &mut [u8], ws: &mut Workspace, options: &Options) -> bool {
    let mut decoder = Decoder::new(ws, window, options);
    firmware::streams(bytes, expected, |src, end, out| decoder.step(src, end, out))
}

//! CVC as a device uses it: decodes rows of a file in flash, and a stream in pieces of 64 bytes.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::cvc::{Decoder, File, Options, Workspace, decode_to};
use unspool::{Class, End, Limits, Status};

file!(FP16, "../../../vectors/cvc/v1_fp16.cvc");
file!(FP16_VALUES, "../../../vectors/cvc/v1_fp16.f32.bin");
file!(INT8, "../../../vectors/cvc/v1_int8.cvc");
file!(INT8_VALUES, "../../../vectors/cvc/v1_int8.f32.bin");
file!(LOSSLESS, "../../../vectors/cvc/v1_mmap_lossless.cvc");
file!(LOSSLESS_VALUES, "../../../vectors/cvc/v1_mmap_lossless.f32.bin");
file!(MIXED, "../../../vectors/cvc/v1_mixed.cvc");
file!(MIXED_VALUES, "../../../vectors/cvc/v1_mixed.f32.bin");
file!(LARGE, "../../../vectors/cvc/v1_lossless_med.cvc");
file!(LARGE_VALUES, "../../../vectors/cvc/v1_lossless_med.f32.bin");

/// Values in the output buffer: 1 KiB.
const ROOM: usize = 256;
/// Bytes for the header of the stream, and for a chunk of the lossless file after it.
const WORKSPACE: usize = 7 << 10;

#[entry]
fn main() -> ! {
    static mut VALUES: [f32; ROOM] = [0.0; ROOM];
    static mut SPACE: [u8; WORKSPACE] = [0; WORKSPACE];

    let mut test = Test::new("cvc");
    let files: [(&str, &[u8], &[u8]); 4] = [
        ("fp16", FP16.get(), FP16_VALUES.get()),
        ("int8", INT8.get(), INT8_VALUES.get()),
        ("lossless", LOSSLESS.get(), LOSSLESS_VALUES.get()),
        ("mixed", MIXED.get(), MIXED_VALUES.get()),
    ];
    for (name, bytes, expected) in files {
        test.case(name, || by_rows(bytes, expected, VALUES), expected.len());
        test.case(name, || by_stream(bytes, expected, SPACE), expected.len());
    }
    test.case("lossless, large", || by_rows(LARGE.get(), LARGE_VALUES.get(), VALUES), LARGE_VALUES.get().len());
    test.case("a wrong byte", || wrong_byte(FP16.get(), SPACE, VALUES), 1);
    test.case("wrong bits", || wrong_bits(FP16.get(), SPACE) == damage::CVC, 1);
    test.case("every end", || every_end(FP16.get(), VALUES), 1);
    test.finish()
}

/// Decodes as many rows at a time as fit the buffer.
fn by_rows(bytes: &[u8], expected: &[u8], values: &mut [f32]) -> bool {
    let Ok(file) = File::open(bytes, &Limits::DEFAULT) else { return false };
    let Ok(column) = file.only_column() else { return false };
    let Ok(dimension) = usize::try_from(column.dimension()) else { return false };
    let Some(step) = values.len().checked_div(dimension) else { return false };
    let mut expected = expected.chunks_exact(4);
    let mut rows = column.rows();
    while !rows.is_empty() {
        let end = rows.end.min(rows.start + step as u64);
        let Ok(done) = column.decode(bytes, rows.start..end, values, &Options::DEFAULT) else { return false };
        if !values.iter().take(done.wrote).all(|value| expected.next() == Some(&value.to_le_bytes())) {
            return false;
        }
        rows.start = end;
    }
    expected.next().is_none()
}

/// Decodes the file in pieces of 64 bytes, as a serial port delivers them, to pieces of 60.
fn by_stream(bytes: &[u8], expected: &[u8], space: &mut [u8]) -> bool {
    let mut decoder = Decoder::new(space, &Options::DEFAULT);
    let mut output = [0; 60];
    let mut expected = expected.iter();
    let mut at = 0;
    loop {
        let Some(rest) = bytes.get(at..) else { return false };
        let piece = rest.get(..rest.len().min(64)).unwrap_or(rest);
        let end = if piece.len() == rest.len() { End::Here } else { End::NotYet };
        let Ok(step) = decoder.step(piece, end, &mut output) else { return false };
        at += step.read;
        if !output.iter().take(step.wrote).all(|byte| expected.next() == Some(byte)) {
            return false;
        }
        if step.status == Status::Done {
            return expected.next().is_none();
        }
    }
}

/// Flips one bit of the last chunk: the checksum must not match.
fn wrong_byte(bytes: &[u8], space: &mut [u8], values: &mut [f32]) -> bool {
    let Some(copy) = space.get_mut(..bytes.len()) else { return false };
    copy.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    copy.iter_mut().rev().take(1).for_each(|last| *last ^= 1);
    let Ok(file) = File::open(copy, &Limits::DEFAULT) else { return false };
    let Ok(column) = file.only_column() else { return false };
    let last = column.rows().end - 1..column.rows().end;
    column.decode(copy, last, values, &Options::DEFAULT).is_err_and(|error| error.class() == Class::Checksum)
}

/// Returns the answers to a file with one wrong bit.
fn wrong_bits(file: &[u8], copy: &mut [u8]) -> u32 {
    let (workspace, options) = (&mut Workspace::new(), &Options::DEFAULT);
    damage::answers(file, copy, |bytes, sink| decode_to(bytes, sink, workspace, options).map(drop))
}

/// A file cut at any byte is an error, and the device goes on.
fn every_end(bytes: &[u8], values: &mut [f32]) -> bool {
    (0..bytes.len()).step_by(7).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        let decoded = File::open(bytes, &Limits::DEFAULT).and_then(|file| {
            let column = file.only_column()?;
            column.decode(bytes, column.rows().end - 1..column.rows().end, values, &Options::DEFAULT)
        });
        decoded.is_err_and(|error| error.class() == Class::Truncated)
    })
}

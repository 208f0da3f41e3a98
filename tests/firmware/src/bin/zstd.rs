//! Zstandard as a device uses it: decodes a page of flash to a page of RAM, with its workspace in a
//! `static`.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::zstd::{File, Options, Workspace, decode, decode_in_place, decode_to_store, decoded_len};
use unspool::{Class, Limits, SliceStore};

file!(PAGE, "../../../vectors/zstd/page.zst");
file!(FRAMES, "../../../vectors/zstd/page-seekable.zst");
file!(CSV, "../../../vectors/xz/page.csv");

/// The page, with the margin that decoding in place needs.
const ROOM: usize = 4096 + 1024;

#[entry]
fn main() -> ! {
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut OUT: [u8; ROOM] = [0; ROOM];
    static mut COPY: [u8; 1000] = [0; 1000];

    let mut test = Test::new("zstd");
    let csv = CSV.get();
    for (name, bytes) in [("one frame", PAGE.get()), ("three frames and a table", FRAMES.get())] {
        test.case(name, || decodes(bytes, csv, OUT, WORKSPACE), csv.len());
        test.case(name, || counts(bytes, WORKSPACE) == csv.len() as u64, 1);
        test.case(name, || every_end(bytes, OUT, WORKSPACE), 1);
    }
    test.case("in place", || in_place(PAGE.get(), csv, OUT, WORKSPACE), csv.len());
    test.case("wrong bits", || wrong_bits(PAGE.get(), COPY, OUT, WORKSPACE) == [damage::ZSTD; 2], 1);
    test.case("one part", || one_part(FRAMES.get(), csv, OUT, WORKSPACE), 2000);
    test.finish()
}

fn decodes(bytes: &[u8], expected: &[u8], out: &mut [u8], workspace: &mut Workspace) -> bool {
    out.fill(0);
    decode(bytes, out, workspace, &Options::DEFAULT, &mut ()).is_ok_and(|done| out.get(..done.wrote) == Some(expected))
}

fn counts(bytes: &[u8], workspace: &mut Workspace) -> u64 {
    decoded_len(bytes, workspace, &Options::DEFAULT).unwrap_or(0)
}

/// A file cut at any byte is an error, and the device goes on. A cut between frames is valid.
fn every_end(bytes: &[u8], out: &mut [u8], workspace: &mut Workspace) -> bool {
    (0..bytes.len()).step_by(31).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        match decode(bytes, out, workspace, &Options::DEFAULT, &mut ()) {
            Ok(done) => done.wrote % 1500 == 0,
            Err(error) => error.class() == Class::Truncated,
        }
    })
}

/// Returns the answers to a file with one wrong bit, decoded to memory and to a store.
fn wrong_bits(file: &[u8], copy: &mut [u8], out: &mut [u8], workspace: &mut Workspace) -> [u32; 2] {
    let out = out.get_mut(..4096).unwrap_or_default();
    let options = &Options::DEFAULT;
    let whole = damage::answers_in(out, file, copy, |src, dst| decode(src, dst, workspace, options, &mut ()));
    let stored = damage::answers_in(out, file, copy, |src, dst| {
        decode_to_store(src, &mut SliceStore::new(dst), workspace, &mut [0; 64], options)
    });
    [whole, stored]
}

/// Decodes in place: the file is at the end of its own output.
fn in_place(bytes: &[u8], expected: &[u8], buffer: &mut [u8], workspace: &mut Workspace) -> bool {
    let Some(start) = buffer.len().checked_sub(bytes.len()) else { return false };
    let Some(end) = buffer.get_mut(start..) else { return false };
    end.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let done = decode_in_place(buffer, bytes.len(), workspace, &Options::DEFAULT);
    done.is_ok_and(|done| buffer.get(..done.wrote) == Some(expected))
}

/// Decodes only parts of the first two frames.
fn one_part(bytes: &[u8], expected: &[u8], out: &mut [u8], workspace: &mut Workspace) -> bool {
    let Ok(file) = File::open(bytes, &Limits::DEFAULT) else { return false };
    let Some((out, scratch)) = out.split_at_mut_checked(2000) else { return false };
    let done = file.decode(bytes, 500..2500, out, workspace, scratch, &Options::DEFAULT);
    done.is_ok_and(|done| done.wrote == 2000) && Some(&*out) == expected.get(500..2500)
}

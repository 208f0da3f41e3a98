//! Calls every public function of Zstandard that `zstd` does not, so that none can hide a panic.
#![no_std]
#![no_main]

use core::ops::Range;

use firmware::{Test, entry, file};
use unspool::zstd::{
    Decoder, Dictionary, Flavour, Header, Options, Outline, SeekTableReader, Workspace, decode, decode_to, detect,
    in_place_margin, inspect, salvage, stream_buffer,
};
use unspool::{Limits, Name, Part, Symbols, Trace, Value};

file!(PAGE, "../../../vectors/zstd/page.zst");
file!(FRAMES, "../../../vectors/zstd/page-seekable.zst");
file!(DRAFT, "../../../vectors/zstd/draft/text-1024-nocheck.zst");
file!(V07, "../../../vectors/zstd/v07/s-seq-rle-fse-fse.zst");
file!(CSV, "../../../vectors/xz/page.csv");

#[entry]
fn main() -> ! {
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut TABLES: Workspace = Workspace::new();
    static mut WINDOW: [u8; 8192] = [0; 8192];

    let mut test = Test::new("zstd_rest");
    let csv = CSV.get();
    test.case("stream", || streams(PAGE.get(), csv, WINDOW, WORKSPACE), csv.len());
    test.case("stream of frames", || streams(FRAMES.get(), csv, WINDOW, WORKSPACE), csv.len());
    for (name, bytes) in [("one frame", PAGE.get()), ("three frames", FRAMES.get())] {
        test.case(name, || observed(bytes, WORKSPACE), bytes.len());
        test.case(name, || sizes(bytes), 1);
    }
    test.case("older formats", || older(WINDOW, WORKSPACE), 1);
    test.case("dictionary", || dictionary(csv, WINDOW, WORKSPACE, TABLES), csv.len());
    test.case("outline", || outlined(FRAMES.get()), 1);
    test.case("sink, salvage", || sink_and_salvage(FRAMES.get(), csv, WINDOW, WORKSPACE), csv.len());
    test.case("by pieces", || by_pieces(FRAMES.get(), csv, WINDOW, WORKSPACE), 1500);
    test.finish()
}

/// Decodes 64 bytes at a time, through a window of the size in the file.
fn streams(bytes: &[u8], expected: &[u8], window: &mut [u8], workspace: &mut Workspace) -> bool {
    let mut decoder = Decoder::new(workspace, window, &Options::DEFAULT);
    firmware::streams(bytes, expected, |src, end, out| decoder.step(src, end, out))
}

/// Adds up the bits of all leaves.
struct Bits(u64);

impl Trace for Bits {
    fn enter(&mut self, _: Name, _: Value<'_>) {}
    fn leaf(&mut self, _: Part, _: Name, bits: Range<u64>, _: Value<'_>) {
        self.0 += bits.end.wrapping_sub(bits.start);
    }
    fn leave(&mut self) {}
}

/// Checks that parts and symbols tile the file.
fn observed(bytes: &[u8], workspace: &mut Workspace) -> bool {
    let (mut parts, mut symbols) = (Bits(0), Symbols(Bits(0)));
    let all = 8 * bytes.len() as u64;
    let coarse = inspect(bytes, workspace, &Options::DEFAULT, &mut parts);
    let fine = inspect(bytes, workspace, &Options::DEFAULT, &mut symbols);
    coarse.is_ok() && fine.is_ok() && (parts.0, symbols.0.0) == (all, all)
}

/// Reads headers.
fn sizes(bytes: &[u8]) -> bool {
    let Ok(Header::Frame(frame)) = Header::read(bytes, &Limits::DEFAULT, Flavour::Rfc8878) else { return false };
    let margin = in_place_margin(bytes, &Options::DEFAULT);
    let window = stream_buffer(bytes, &Options::DEFAULT);
    // A single-segment frame needs a window for its content and a block of input.
    frame.single_segment
        && margin.is_ok_and(|n| n <= 1024)
        && window.is_ok_and(|n| n >= frame.stream_buffer() && n <= 8192)
}

/// Decodes files in the two older formats.
fn older(out: &mut [u8], workspace: &mut Workspace) -> bool {
    [(DRAFT.get(), Flavour::Draft), (V07.get(), Flavour::V07)].iter().all(|&(bytes, flavour)| {
        let options = Options { flavour: Some(flavour), ..Options::DEFAULT };
        let done = decode(bytes, out, workspace, &options, &mut ());
        detect(bytes) == Some(flavour) && done.is_ok_and(|done| done.read == bytes.len())
    })
}

/// Decodes a frame that needs no dictionary with one.
fn dictionary(csv: &[u8], out: &mut [u8], workspace: &mut Workspace, tables: &mut Workspace) -> bool {
    let Ok(dictionary) = Dictionary::new(csv).prepared(Flavour::Rfc8878, tables) else { return false };
    let options = Options { dictionary: Some(dictionary), ..Options::DEFAULT };
    let done = decode(PAGE.get(), out, workspace, &options, &mut ());
    done.is_ok_and(|done| out.get(..done.wrote) == Some(csv))
}

/// Reads the footer and the table, and decodes the second frame.
fn by_pieces(bytes: &[u8], expected: &[u8], out: &mut [u8], workspace: &mut Workspace) -> bool {
    let fetch = |range: &Range<u64>| bytes.get(range.start as usize..range.end as usize).unwrap_or(&[]);
    let mut search = SeekTableReader::new(bytes.len() as u64, &Limits::DEFAULT);
    let mut found = None;
    while let Some(range) = search.needs() {
        let Ok(file) = search.feed(range.start, fetch(&range)) else { return false };
        found = file;
    }
    let Some(frame) = found.and_then(|file| file.frames_in(2999..3000).next()) else { return false };
    let done = frame.decode(fetch(&frame.range), out, workspace, &Options::DEFAULT);
    done.is_ok_and(|done| out.get(..done.wrote) == expected.get(1500..3000))
}

/// Reads only the headers, by the ranges that are requested.
fn outlined(bytes: &[u8]) -> bool {
    let (mut outline, mut bits) = (Outline::new(bytes.len() as u64, Flavour::Rfc8878), Bits(0));
    while let Some(range) = outline.needs() {
        let Some(piece) = bytes.get(range.start as usize..range.end as usize) else { return false };
        if outline.feed(range.start, piece, &mut bits).is_err() {
            return false;
        }
    }
    bits.0 == 8 * bytes.len() as u64
}

/// Decodes to a sink, and salvages the start of a truncated file.
fn sink_and_salvage(bytes: &[u8], expected: &[u8], out: &mut [u8], workspace: &mut Workspace) -> bool {
    let Some((window, out)) = out.split_at_mut_checked(6144) else { return false };
    let mut left = expected;
    let mut sink = |piece: &[u8]| {
        let (same, rest) = left.split_at_checked(piece.len()).unwrap_or((&[], left));
        left = if same == piece { rest } else { &[0] };
        Ok(())
    };
    let poured = decode_to(bytes, &mut sink, workspace, window, &Options::DEFAULT);
    let cut = bytes.get(..bytes.len() / 2).unwrap_or(&[]);
    let (done, error) = salvage(cut, out, workspace, &Options::DEFAULT);
    let sound = out.get(..done.wrote) == expected.get(..done.wrote) && done.wrote == 1500;
    poured.is_ok() && left.is_empty() && sound && error.is_some()
}

//! xz against the C library as encoder: every preset, filter and check, whole, in pieces and by
//! block; and hostile files.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

mod encoders;
mod hostile;
mod parts;
mod store;
mod streams;
mod symbols;

use liblzma::stream::{Action, Check, Filters, LzmaOptions, Stream};
use unspool::xz::{
    CheckKind, Decoder, File, Header, IndexReader, Literals, Options, Streams, Tables, Workspace, decode, decode_block,
    decode_block_to_vec, decode_to, decode_to_store, decode_to_vec, decoded_len, inspect, salvage,
};
use unspool::{Checksums, Class, End, Error, ErrorKind, Limits, Status, Step, Verify};
use unspool_tests::store::{CheckedStore, FailingStore};
use unspool_tests::{Leaves, Random, drive, go_on, read, vector_folders};

const CHECKS: [Check; 4] = [Check::None, Check::Crc32, Check::Crc64, Check::Sha256];

/// Runs an encoder over all of `bytes`, and flushes after each of the pieces.
fn run(mut encoder: Stream, pieces: &[&[u8]], flush: Action) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 16);
    for (number, piece) in pieces.iter().enumerate() {
        let last = number + 1 == pieces.len();
        let mut rest = *piece;
        loop {
            let before = encoder.total_in();
            out.reserve(1 << 16);
            let action = if last { Action::Finish } else { flush };
            let status = encoder.process_vec(rest, &mut out, action).unwrap();
            rest = &rest[(encoder.total_in() - before) as usize..];
            if matches!(status, liblzma::stream::Status::StreamEnd) {
                break;
            }
        }
    }
    out
}

fn preset(bytes: &[u8], preset: u32, check: Check) -> Vec<u8> {
    run(Stream::new_easy_encoder(preset, check).unwrap(), &[bytes], Action::Run)
}

fn filtered(bytes: &[u8], filters: &Filters, check: Check) -> Vec<u8> {
    run(Stream::new_stream_encoder(filters, check).unwrap(), &[bytes], Action::Run)
}

/// Several blocks, of this many bytes each.
fn blocks(bytes: &[u8], size: usize, check: Check) -> Vec<u8> {
    let pieces: Vec<_> = bytes.chunks(size).collect();
    let encoder = Stream::new_stream_encoder(Filters::new().lzma2(&options(1 << 16)), check);
    run(encoder.unwrap(), &pieces, Action::FullFlush)
}

fn options(dictionary: u32) -> LzmaOptions {
    let mut options = LzmaOptions::new_preset(6).unwrap();
    options.dict_size(dictionary);
    options
}

/// Words, numbers, runs, and noise: something for every kind of symbol.
fn mixed(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut out = Vec::with_capacity(len + 64);
    while out.len() < len {
        match random.below(8) {
            0..3 => {
                let words =
                    ["alpha ", "beta ", "gamma,", "delta\n", "0123456789", "\0\0\0\x01", "the quick brown fox "];
                out.extend(words[random.below(words.len())].bytes());
            }
            3 => out.extend(random.bits().to_string().bytes()),
            4 => out.extend(vec![random.bits() as u8; random.below(400)]),
            5 => out.extend(random.bits().to_le_bytes()),
            _ if out.len() > 10 => {
                let from = random.below(out.len());
                let len = random.below(300).min(out.len() - from);
                out.extend_from_within(from..from + len);
            }
            _ => out.push(b'x'),
        }
    }
    out.truncate(len);
    out
}

fn within(limits: Limits) -> Options {
    Options { limits, ..Options::DEFAULT }
}

fn decoded(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &Options::DEFAULT)
}

/// Decodes a file in pieces. `sizes` returns those of input and output.
fn streamed(bytes: &[u8], window: usize, sizes: impl FnMut() -> (usize, usize)) -> (Vec<u8>, Result<(), Error>) {
    streamed_with(&Options::DEFAULT, bytes, window, sizes)
}

fn streamed_with(
    options: &Options,
    bytes: &[u8],
    window: usize,
    sizes: impl FnMut() -> (usize, usize),
) -> (Vec<u8>, Result<(), Error>) {
    let (mut ws, mut window) = (Workspace::new(), vec![0xAA; window]);
    let mut decoder = Decoder::new(&mut ws, &mut window, options);
    drive(bytes, sizes, |src, end, dst| decoder.step(src, end, dst))
}

/// A window for the dictionary of preset 6.
const WINDOW: usize = 9 << 20;
/// A window for the dictionaries of small files.
const SMALL: usize = (1 << 16) + 32;

/// Checks everything that must hold for a good file.
fn holds(name: &str, file: &[u8], expected: &[u8]) {
    let mut ws = Workspace::new();
    let limits = Limits::DEFAULT;
    let out = decode_to_vec(file, &within(limits)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(out == expected, "{name}: other bytes");
    assert_eq!(decoded_len(file, &mut ws, &Options::DEFAULT), Ok(expected.len() as u64), "{name}");
    if let Some(less) = (expected.len() as u64).checked_sub(1) {
        let tight = within(Limits { max_output: less, ..limits });
        let refused = decoded_len(file, &mut ws, &tight).map_err(|error| (error.kind, error.need));
        assert_eq!(refused, Err((ErrorKind::OutputLimit, less + 1)), "{name}");
    }
    for more in [0, 1, 100] {
        let mut room = vec![0xEE; expected.len() + more];
        let done = decode(file, &mut room, &mut ws, &within(limits), &mut ());
        let done = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
        assert_eq!(
            (done.read, done.wrote, done.content),
            (file.len(), expected.len(), expected.len() as u64),
            "{name}"
        );
        assert!(room[..expected.len()] == *expected, "{name}");
        assert!(room[expected.len()..].iter().all(|&byte| byte == 0xEE), "{name}: written beyond the end");
    }
    if !expected.is_empty() {
        let mut room = vec![0; expected.len() - 1];
        let error = decode(file, &mut room, &mut ws, &within(limits), &mut ()).unwrap_err();
        assert!(matches!(error.class(), Class::OutputTooSmall { need } if need > room.len() as u64), "{name}: {error}");
        let tight = within(Limits { max_output: room.len() as u64, ..limits });
        let refused = decode(file, &mut vec![0; expected.len()], &mut ws, &tight, &mut ()).unwrap_err();
        assert_eq!(refused, Error { kind: ErrorKind::OutputLimit, ..error }, "{name} limited to one byte less");
        let sink = &mut |_: &[u8]| Ok(());
        let sunk = decode_to(file, sink, &mut ws, &mut vec![0xAA; WINDOW], &tight).unwrap_err();
        assert_eq!(sunk, refused, "{name} to a sink, limited to one byte less");
    }
    let exact = within(Limits { max_output: expected.len() as u64, ..limits });
    assert_eq!(decoded_len(file, &mut ws, &exact), Ok(expected.len() as u64), "{name}");
    let whole = decode(file, &mut vec![0; expected.len()], &mut ws, &exact, &mut ()).unwrap();
    let mut sunk = vec![];
    let mut sink = |bytes: &[u8]| {
        sunk.extend_from_slice(bytes);
        Ok(())
    };
    let done = decode_to(file, &mut sink, &mut ws, &mut vec![0xAA; WINDOW], &Options::DEFAULT).unwrap();
    assert_eq!(done, whole, "{name} to a sink");
    assert!(sunk == expected, "{name}: other bytes to a sink");
    let mut saved = vec![0; expected.len()];
    let (done, error) = salvage(file, &mut saved, &mut ws, &Options::DEFAULT);
    assert_eq!((done.read, done.wrote, error), (file.len(), expected.len(), None), "{name} salvaged");
    assert!(saved == expected, "{name}: other bytes salvaged");
    assert!(Header::read(file, &limits).is_ok(), "{name}");
    let mut leaves = Leaves::default();
    let done = inspect(file, &mut ws, &within(limits), &mut leaves).unwrap();
    assert_eq!((done.read, done.wrote, done.content), (file.len(), 0, expected.len() as u64), "{name}");
    leaves.assert_tile(file.len(), name);
    let mut random = Random(file.len() as u64);
    for (input, output) in [(1 << 20, 1 << 20), (1000, 3000), (70_000, 100)] {
        let (out, end) = streamed(file, WINDOW, || (1 + random.below(input), 1 + random.below(output)));
        assert_eq!(end, Ok(()), "{name} as a stream");
        assert!(out == expected, "{name}: other bytes as a stream");
    }
}

/// Returns streams of several kinds in a row, with padding; and their content.
fn several() -> (Vec<u8>, Vec<u8>) {
    let text = mixed(50_000, 31);
    let mut file = blocks(&text[..20_000], 3000, Check::Crc32);
    file.extend(preset(b"", 6, Check::Crc64));
    file.extend([0; 8]);
    file.extend(blocks(&text[20_000..40_000], 7000, Check::Sha256));
    file.extend(preset(&text[40_000..], 1, Check::None));
    file.extend(vec![0; 9000]);
    (file, text)
}

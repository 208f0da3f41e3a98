//! Streams under limits and over broken files: any pieces return the same bytes and the same error
//! at the same offset.

use std::path::Path;

use unspool::{Error, ErrorKind, Limits, cvc, gzip, xz, zstd};
use unspool_tests::{Random, drive, read};

type Outcome = (Vec<u8>, Result<(), Error>);
type Stream = fn(&[u8], &Limits, &mut dyn FnMut() -> (usize, usize)) -> Outcome;

/// A stream of each format, with a window that is large enough for every file here.
const STREAMS: [(&str, Stream, &[&str]); 4] = [
    (
        "zstd",
        |bytes, limits, split| {
            let (mut ws, mut window) = (zstd::Workspace::new(), vec![0; 1 << 20]);
            let options = zstd::Options { limits: *limits, ..zstd::Options::DEFAULT };
            let mut decoder = zstd::Decoder::new(&mut ws, &mut window, &options);
            drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
        },
        &["page.zst", "page-seekable.zst", "rfc8878/text-1025.zst", "rfc8878/dict-id40000-empty.zst"],
    ),
    (
        "xz",
        |bytes, limits, split| {
            let (mut ws, mut window) = (xz::Workspace::new(), vec![0; (8 << 20) + 32]);
            let mut decoder =
                xz::Decoder::new(&mut ws, &mut window, &xz::Options { limits: *limits, ..xz::Options::DEFAULT });
            drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
        },
        &["blocks.xz", "page.xz", "unspool.xz"],
    ),
    (
        "gzip",
        |bytes, limits, split| {
            let (mut ws, mut window) = (gzip::Workspace::new(), [0; gzip::WINDOW_SIZE]);
            let mut decoder =
                gzip::Decoder::new(&mut ws, &mut window, &gzip::Options { limits: *limits, ..gzip::Options::DEFAULT });
            drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
        },
        &["every_field.gz", "two_members.gz", "v1_int8.cvc.gz"],
    ),
    (
        "cvc",
        |bytes, limits, split| {
            let mut workspace = vec![0; 1 << 16];
            let mut decoder =
                cvc::Decoder::new(&mut workspace, &cvc::Options { limits: *limits, ..cvc::Options::DEFAULT });
            drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
        },
        &["v1_fp16.cvc", "v1_int8.cvc", "v1_lossless_256.cvc", "v0_sections.cvc"],
    ),
];

/// Compares pieces of several sizes with the whole input.
fn agrees(name: &str, stream: Stream, bytes: &[u8], limits: &Limits) {
    let outcome = |split: (usize, usize)| {
        let (out, mut end) = stream(bytes, limits, &mut || split);
        // The inflater reads a few bytes ahead, depending on the pieces, so its offset varies.
        if let Err(error) = &mut end
            && error.kind == ErrorKind::GzipDeflate
        {
            error.at = 0;
        }
        (out, end)
    };
    let whole = outcome((bytes.len(), 1 << 14));
    for split in [(1, 1), (1, 600), (2, 7), (5, 300), (13, 64), (100, 1), (bytes.len(), 3)] {
        let pieces = outcome(split);
        assert_eq!(pieces.1, whole.1, "{name}, {limits:?}, pieces of {split:?}");
        assert!(pieces.0 == whole.0, "{name}, {limits:?}, pieces of {split:?}: other bytes");
    }
}

fn files(mut each: impl FnMut(&str, Stream, &[u8])) {
    let mut ran = 0;
    for (format, stream, files) in STREAMS {
        for file in files {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format).join(file);
            // Cuts long files: each runs byte by byte for each limit.
            let bytes = read(&path);
            each(&format!("{format}/{file}"), stream, &bytes[..bytes.len().min(3000)]);
            ran += 1;
        }
    }
    assert_eq!(ran, 14);
}

#[test]
fn limits_apply_at_the_same_byte_in_any_pieces() {
    let sizes = [0, 1, 2, 7, 8, 12, 20, 31, 50, 64, 100, 255, 256, 300, 1000, 1024, 4000];
    files(|name, stream, bytes| {
        for size in sizes {
            for limits in [
                Limits { max_output: size, ..Limits::DEFAULT },
                Limits { max_window: size, ..Limits::DEFAULT },
                Limits { max_header: size, ..Limits::DEFAULT },
                Limits { max_elements: size, ..Limits::DEFAULT },
                Limits { max_columns: size, ..Limits::DEFAULT },
                Limits { max_depth: u16::try_from(size).unwrap(), ..Limits::DEFAULT },
            ] {
                agrees(name, stream, bytes, &limits);
            }
        }
    });
}

#[test]
fn broken_files_fail_at_the_same_byte_in_any_pieces() {
    files(|name, stream, bytes| {
        let mut random = Random(bytes.len() as u64);
        for _ in 0..300 {
            let mut broken = bytes.to_vec();
            for _ in 0..1 + random.below(3) {
                // Most fields are near both ends.
                let near = broken.len().min(60);
                let at = match random.below(3) {
                    0 => random.below(near),
                    1 => broken.len() - 1 - random.below(near),
                    _ => random.below(broken.len()),
                };
                match random.below(4) {
                    0 => broken.truncate(at.max(1)),
                    1 => broken.insert(at, 0),
                    _ => broken[at] ^= 1 << random.below(8),
                }
            }
            agrees(name, stream, &broken, &Limits { max_output: 1 << 20, ..Limits::DEFAULT });
        }
    });
}

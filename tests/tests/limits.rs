//! Streams under limits and over broken files: any pieces return the same bytes and the same error
//! at the same offset.

use std::path::Path;

use unspool::{Class, Error, Limits, at1, cvc, gzip, lzma, onpair, pco, xz, zstd};
use unspool_tests::{Random, drive, read};

type Outcome = (Vec<u8>, Result<(), Error>);
type Stream = fn(&[u8], &Limits, &mut dyn FnMut() -> (usize, usize)) -> Outcome;

/// A stream of each format, with a window that is large enough for every file here.
const STREAMS: [(&str, Stream, &[&str]); 5] = [
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
    (
        "lzma",
        |bytes, limits, split| {
            let (mut ws, mut window) = (lzma::Workspace::new(), vec![0; (8 << 20) + 32]);
            let mut decoder =
                lzma::Decoder::new(&mut ws, &mut window, &lzma::Options { limits: *limits, ..lzma::Options::DEFAULT });
            drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
        },
        &["page.lzma", "unspool.lzma"],
    ),
];

/// Compares pieces of several sizes with the whole input.
fn agrees(name: &str, stream: Stream, bytes: &[u8], limits: &Limits) {
    let outcome = |split: (usize, usize)| stream(bytes, limits, &mut || split);
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
    assert_eq!(ran, 16);
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

type Door = fn(&[u8], &Limits) -> Result<(), Error>;

/// Doors that claims of a file may be refused at, with files that have such claims.
const DOORS: [(&str, &[&str], Door); 19] = [
    ("zstd", &["page.zst", "v07/s-bigwin24.zst"], |bytes, limits| {
        zstd::decode_to_vec(bytes, &zstd::Options { limits: *limits, ..zstd::Options::DEFAULT }).map(drop)
    }),
    ("zstd", &["page.zst"], |bytes, limits| zstd::Header::read(bytes, limits, zstd::Flavour::Rfc8878).map(drop)),
    ("zstd", &["page-seekable.zst"], |bytes, limits| zstd::File::open(bytes, limits).map(drop)),
    ("zstd", &["page-seekable.zst"], |bytes, limits| {
        let file = zstd::File::open(bytes, &Limits::NONE)?;
        let (mut dst, mut scratch) = (vec![0; bytes.len() * 9], vec![0; file.scratch_len()]);
        let options = zstd::Options { limits: *limits, ..zstd::Options::DEFAULT };
        let (part, mut workspace) = (1..file.content(), zstd::Workspace::new());
        file.decode(bytes, part, &mut dst, &mut workspace, &mut scratch, &options).map(drop)
    }),
    ("xz", &["page.xz", "blocks.xz"], |bytes, limits| {
        xz::decode_to_vec(bytes, &xz::Options { limits: *limits, ..xz::Options::DEFAULT }).map(drop)
    }),
    ("xz", &["page.xz", "blocks.xz"], |bytes, limits| {
        xz::inspect(bytes, &mut xz::Workspace::new(), &xz::Options { limits: *limits, ..xz::Options::DEFAULT }, &mut ())
            .map(drop)
    }),
    ("xz", &["page.xz", "blocks.xz"], |bytes, limits| xz::Header::read(bytes, limits).map(drop)),
    ("xz", &["page.xz", "blocks.xz"], |bytes, limits| xz::File::open(bytes, limits).map(drop)),
    ("xz", &["page.xz", "blocks.xz"], |bytes, limits| {
        let mut reader = xz::IndexReader::new(bytes.len() as u64, 0, limits);
        while let Some(range) = reader.needs() {
            let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
            reader.feed(range.start, &bytes[start..end])?;
        }
        Ok(())
    }),
    ("xz", &["page.xz", "blocks.xz"], |bytes, limits| STREAMS[1].1(bytes, limits, &mut || (bytes.len(), 1 << 14)).1),
    ("zstd", &["page.zst", "rfc8878/s-wd-exp6.zst"], |bytes, limits| {
        STREAMS[0].1(bytes, limits, &mut || (bytes.len(), 1 << 14)).1
    }),
    ("pco", &["x_u8_extreme_imult127_lb.pco", "x_u8_extreme_dict_c2.pco"], |bytes, limits| {
        pco::decode_to_vec::<u8>(bytes, &pco::Options { limits: *limits, ..pco::Options::DEFAULT }).map(drop)
    }),
    ("pco", &["x_u8_extreme_imult127_lb.pco", "x_u8_extreme_dict_c2.pco"], |bytes, limits| {
        let (len, mut words) = (bytes.len() as u64, vec![0; 1 << 16]);
        pco::Outline::new(len, limits).feed(0, bytes, &mut words, &mut ())
    }),
    ("gzip", &["every_field.gz", "two_members.gz"], |bytes, limits| {
        gzip::decode_to_vec(bytes, &gzip::Options { limits: *limits, ..gzip::Options::DEFAULT }).map(drop)
    }),
    ("lzma", &["page.lzma", "unspool.lzma"], |bytes, limits| {
        lzma::decode_to_vec(bytes, &lzma::Options { limits: *limits, ..lzma::Options::DEFAULT }).map(drop)
    }),
    ("lzma", &["page.lzma", "unspool.lzma"], |bytes, limits| {
        STREAMS[4].1(bytes, limits, &mut || (bytes.len(), 1 << 14)).1
    }),
    ("onpair", &["cpp/urls_b12.onp", "cpp/utf8_b12.onp"], |bytes, limits| {
        onpair::decode_to_vec(bytes, &onpair::Options { limits: *limits }).map(drop)
    }),
    ("cvc", &["v1_fp16.cvc", "v1_lossless_256.cvc", "v0_sections.cvc"], |bytes, limits| {
        cvc::decode_to_vec::<f32>(bytes, &cvc::Options { limits: *limits, ..cvc::Options::DEFAULT }).map(drop)
    }),
    ("at1", &["c7_crlf.at1", "c5_pop.at1"], |bytes, limits| {
        at1::decode_to_vec(bytes, &at1::Options { limits: *limits, ..at1::Options::DEFAULT }).map(drop)
    }),
];

#[test]
fn a_limit_as_large_as_the_need_of_its_error_is_enough() {
    let set: [fn(u64) -> Limits; 4] = [
        |size| Limits { max_output: size, ..Limits::NONE },
        |size| Limits { max_window: size, ..Limits::NONE },
        |size| Limits { max_header: size, ..Limits::NONE },
        |size| Limits { max_elements: size, ..Limits::NONE },
    ];
    let mut exact = 0;
    for (door, (format, files, run)) in DOORS.iter().enumerate() {
        for file in *files {
            let bytes = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format).join(file));
            for (which, limits) in set.iter().enumerate() {
                let (mut size, name) = (0, format!("door {door}, {file}, limit {which}"));
                while let Err(error) = run(&bytes, &limits(size)) {
                    assert_eq!(error.class(), Class::Limit, "{name}: {error:?}");
                    assert!(error.need > size, "{name}: {size} was enough, {error:?}");
                    size = error.need;
                }
                // The need of a window of LZMA is that of its buffer, which has 32 bytes more.
                let is_buffer = which == 1 && ["xz", "lzma"].contains(format);
                if size > 0 && !is_buffer {
                    assert!(run(&bytes, &limits(size - 1)).is_err(), "{name}: needs less than {size}");
                    exact += 1;
                }
            }
        }
    }
    assert_eq!(exact, 63);
}

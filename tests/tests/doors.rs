//! Checks that every format has the same doors: the same names, order of arguments, and types.
//!
//! One macro calls all doors and compares their results. If a format lacks a door or names it
//! differently, it does not compile.

#![allow(
    clippy::cast_possible_truncation,
    clippy::needless_update,
    reason = "offsets of small files; options of some formats have no other fields"
)]

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;

use unspool::{Class, Done, Error, ErrorKind, Limits, SliceStore, at1, cvc, gzip, lzma, onpair, pco, xz, zstd};
use unspool_tests::{Leaves, drive, read};

fn vector(path: &str) -> Vec<u8> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(path))
}

/// The doors that a format has, collected while calling them for one file.
struct Opened {
    format: &'static str,
    doors: BTreeSet<&'static str>,
}

impl Opened {
    const fn new(format: &'static str) -> Self {
        Self { format, doors: BTreeSet::new() }
    }

    /// Notes that the door exists, and returns its result.
    fn door<T>(&mut self, name: &'static str, result: T) -> T {
        self.doors.insert(name);
        result
    }
}

/// Calls the doors that every format has. The bracketed lists hold further memory that a format
/// needs.
macro_rules! common {
    ($opened:ident, $format:ident, $file:expr, $element:ty, $workspace:expr, [$($inspect:expr)?], [$($decode:expr)?], [$($to:expr)?], [$($len:expr)?]) => {{
        let file: &[u8] = &$file;
        let options = $format::Options { limits: Limits::DEFAULT, ..$format::Options::DEFAULT };
        let whole: Vec<$element> = $opened.door("decode_to_vec", $format::decode_to_vec(file, &options)).unwrap();
        let bytes = (whole.len() * size_of::<$element>()) as u64;

        let mut dst = vec![<$element>::default(); whole.len()];
        let mut leaves = Leaves::default();
        let done: Done =
            $opened.door("decode", $format::decode(file, &mut dst, $workspace, $($decode,)? &options, &mut leaves)).unwrap();
        assert_eq!((done.read, done.wrote, done.content), (file.len(), whole.len(), bytes), "{}", $opened.format);
        assert!(done.parts > 0, "{}: no parts", $opened.format);
        assert!(dst == whole, "{}: decode and decode_to_vec differ", $opened.format);
        leaves.assert_tile(file.len(), $opened.format);

        let (mut threaded, threads) = (vec![<$element>::default(); whole.len()], NonZeroUsize::new(2).unwrap());
        let same: Done =
            $opened.door("decode_threaded", $format::decode_threaded(file, &mut threaded, threads, &options)).unwrap();
        assert_eq!(same, $format::decode(file, &mut dst, $workspace, $($decode,)? &options, &mut ()).unwrap());
        assert!(threaded == whole, "{}: threads decode to other values", $opened.format);

        let mut sunk: Vec<u8> = vec![];
        let mut sink = |bytes: &[u8]| {
            sunk.extend_from_slice(bytes);
            Ok::<(), Error>(())
        };
        let to: Done = $opened.door("decode_to", $format::decode_to(file, &mut sink, $workspace, $($to,)? &options)).unwrap();
        assert_eq!((to.read, to.content), (file.len(), bytes), "{}", $opened.format);
        assert_eq!(sunk.len() as u64, bytes, "{}: output of the sink", $opened.format);

        let len: u64 = $opened.door("decoded_len", $format::decoded_len(file, $workspace, $($len,)? &options)).unwrap();
        assert_eq!(len, whole.len() as u64, "{}", $opened.format);

        let mut leaves = Leaves::default();
        let seen: Done =
            $opened.door("inspect", $format::inspect(file, $workspace, $($inspect,)? &options, &mut leaves)).unwrap();
        assert_eq!((seen.read, seen.wrote), (file.len(), 0), "{}", $opened.format);
        leaves.assert_tile(file.len(), $opened.format);

        // One element short: the error contains the required length.
        if let Some(short) = whole.len().checked_sub(1) {
            let error = $format::decode(file, &mut dst[..short], $workspace, $($decode,)? &options, &mut ()).unwrap_err();
            assert!(matches!(error.class(), Class::OutputTooSmall { .. }), "{}: {error}", $opened.format);
        }
        // A limit below the content: every door returns the same error.
        let limits = Limits { max_output: bytes - 1, ..Limits::DEFAULT };
        let tight = $format::Options { limits, ..$format::Options::DEFAULT };
        let kinds = [
            $format::decode_to_vec(file, &tight).map(|_: Vec<$element>| ()),
            $format::decode(file, &mut dst, $workspace, $($decode,)? &tight, &mut ()).map(|_| ()),
            $format::decode_to(file, &mut |_: &[u8]| Ok(()), $workspace, $($to,)? &tight).map(|_| ()),
        ];
        for kind in kinds {
            assert_eq!(kind.map_err(|error| error.kind), Err(ErrorKind::OutputLimit), "{}", $opened.format);
        }
        // A cut file: every door returns the same error.
        let cut = &file[..file.len() - 1];
        let error = $format::decode(cut, &mut dst, $workspace, $($decode,)? &options, &mut ()).unwrap_err();
        let again = $format::decode_to_vec(cut, &options).map(|_: Vec<$element>| ()).unwrap_err();
        assert_eq!((error.kind, error.at), (again.kind, again.at), "{}: a cut file", $opened.format);
        (options, whole)
    }};
}

/// Runs a stream, in one piece and byte by byte. Its output must equal that of the whole file.
macro_rules! stream {
    ($opened:ident, $format:ident, $file:expr, $whole:expr, $options:expr, $workspace:expr, $window:expr) => {{
        let file: &[u8] = &$file;
        for split in [(file.len(), 1 << 16), (1, 1)] {
            let window: &mut [u8] = $window;
            let mut decoder = $opened.door("Decoder", $format::Decoder::new($workspace, window, &$options));
            let (out, end) = drive(file, &mut || split, |src, end, dst| decoder.step(src, end, dst));
            assert_eq!(end, Ok(()), "{}", $opened.format);
            assert!(out == $whole, "{}: a stream in pieces of {split:?}", $opened.format);
            let done: Done = decoder.done();
            assert_eq!((done.read, done.wrote, done.content), (file.len(), out.len(), out.len() as u64));
        }
    }};
}

/// Salvages a file that is broken near its end, and compares the error with that of `decode`.
macro_rules! salvage {
    ($opened:ident, $format:ident, $file:expr, $whole:expr, $options:expr, $workspace:expr $(, $extra:expr)?) => {{
        let cut = &$file[..$file.len() * 3 / 4];
        let mut dst = $whole.clone();
        let error = $format::decode(cut, &mut dst, $workspace, $($extra,)? &$options, &mut ()).unwrap_err();
        dst.fill(Default::default());
        let (done, why): (Done, Option<Error>) =
            $opened.door("salvage", $format::salvage(cut, &mut dst, $workspace, $($extra,)? &$options));
        assert_eq!(why.map(|why| (why.kind, why.at)), Some((error.kind, error.at)), "{}", $opened.format);
        assert!(dst[..done.wrote] == $whole[..done.wrote], "{}: the salvaged output", $opened.format);
        let (done, why) = $format::salvage(&$file, &mut dst, $workspace, $($extra,)? &$options);
        assert_eq!((done.wrote, why), ($whole.len(), None), "{}: salvage of an intact file", $opened.format);
    }};
}

/// Decodes a file to a store.
macro_rules! store {
    ($opened:ident, $format:ident, $file:expr, $whole:expr, $options:expr, $workspace:expr) => {{
        let (mut bytes, mut page) = (vec![0; $whole.len()], [0; 64]);
        let mut store = SliceStore::new(&mut bytes);
        let done: Done = $opened
            .door("decode_to_store", $format::decode_to_store(&$file, &mut store, $workspace, &mut page, &$options))
            .unwrap();
        assert_eq!(done, $format::decode(&$file, &mut vec![0; $whole.len()], $workspace, &$options, &mut ()).unwrap());
        assert!(bytes == $whole, "{}: the store holds other bytes", $opened.format);
    }};
}

/// Feeds the requested ranges until the reader needs none.
macro_rules! ranged {
    ($opened:ident, $file:expr, $reader:expr $(, $workspace:expr)?) => {{
        let mut reader = $opened.door("ranged", $reader);
        let mut rounds = 0;
        while let Some(range) = reader.needs() {
            let range: Range<u64> = range;
            reader.feed(range.start, &$file[range.start as usize..range.end as usize], $($workspace,)? &mut ()).unwrap();
            rounds += 1;
            assert!(rounds < 10_000, "{}: the reader never ends", $opened.format);
        }
    }};
}

fn zstd() -> Opened {
    let (mut opened, file) = (Opened::new("zstd"), vector("zstd/page-seekable.zst"));
    let mut workspace = zstd::Workspace::new();
    let (options, whole) = common!(opened, zstd, file, u8, &mut workspace, [], [], [&mut vec![0; 1 << 20]], []);
    stream!(opened, zstd, file, whole, options, &mut workspace, &mut vec![0; 1 << 20]);
    salvage!(opened, zstd, file, whole, options, &mut workspace);
    opened.door("Header::read", zstd::Header::read(&file, &Limits::DEFAULT, zstd::Flavour::Rfc8878)).unwrap();
    opened.door("File::open", zstd::File::open(&file, &Limits::DEFAULT)).unwrap();
    ranged!(opened, file, zstd::Outline::new(file.len() as u64, zstd::Flavour::Rfc8878));
    store!(opened, zstd, file, whole, options, &mut workspace);
    opened
}

fn at1() -> Opened {
    let (mut opened, file) = (Opened::new("at1"), vector("at1/c4_types_shuf_w8.at1"));
    let mut workspace = at1::Workspace::new();
    let options = at1::Options::DEFAULT;
    let mut scratch =
        vec![0; at1::scratch_len_to(&file, &options).unwrap().max(at1::scratch_len(&file, &options).unwrap()) as usize];
    let (options, whole) =
        common!(opened, at1, file, u8, &mut workspace, [], [&mut scratch], [&mut scratch], [&mut scratch]);
    salvage!(opened, at1, file, whole, options, &mut workspace, &mut scratch);
    opened.door("Header::read", at1::Header::read(&file, &Limits::DEFAULT)).unwrap();
    let table = vector("at1/c7_comma_space_delim.at1");
    let request = at1::Request { filters: &[], ask: at1::Ask::Count, limit: u64::MAX };
    let (mut query, mut scratch) = (at1::Query::new(request, &options), vec![0; 1 << 20]);
    query.open(&table, &mut workspace, &mut scratch).unwrap();
    while let Some(range) = opened.door("ranged", query.needs()) {
        let bytes = &table[range.start as usize..range.end as usize];
        query.feed(range.start, bytes, &mut workspace, &mut scratch, &mut |_| Ok(())).unwrap();
    }
    opened
}

fn onpair() -> Opened {
    let (mut opened, file) = (Opened::new("onpair"), vector("onpair/cpp/utf8_b12.onp"));
    let mut workspace = onpair::Workspace::new();
    let (options, whole) = common!(opened, onpair, file, u8, &mut workspace, [], [], [], []);
    salvage!(opened, onpair, file, whole, options, &mut workspace);
    opened.door("Header::read", onpair::Header::read(&file, &Limits::DEFAULT)).unwrap();
    opened.door("File::open", onpair::File::open(&file, &Limits::DEFAULT)).unwrap();
    ranged!(opened, file, onpair::Outline::new(file.len() as u64));
    opened
}

fn cvc() -> Opened {
    let (mut opened, file) = (Opened::new("cvc"), vector("cvc/v1_fp16.cvc"));
    let mut workspace = cvc::Workspace::new();
    let (options, whole) = common!(opened, cvc, file, f32, &mut workspace, [], [], [], []);
    salvage!(opened, cvc, file, whole, options, &mut workspace);
    opened.door("Header::read", cvc::Header::read(&file, &Limits::DEFAULT)).unwrap();
    let whole_file = opened.door("File::open", cvc::File::open(&file, &Limits::DEFAULT)).unwrap();
    let head = &file[..whole_file.head_len() as usize];
    let outline = cvc::Outline::open(head, file.len() as u64, &Limits::DEFAULT, &mut ()).unwrap();
    ranged!(opened, file, outline, &mut workspace);
    let mut scratch = vec![0; 1 << 16];
    let mut decoder = opened.door("Decoder", cvc::Decoder::new(&mut scratch, &options));
    let (out, end) = drive(&file, &mut || (7, 5), |src, end, dst| decoder.step(src, end, dst));
    assert_eq!(end, Ok(()));
    assert!(out == whole.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    let done: Done = decoder.done();
    assert_eq!((done.wrote, done.content), (out.len(), out.len() as u64));
    opened
}

fn xz() -> Opened {
    let (mut opened, file) = (Opened::new("xz"), vector("xz/blocks.xz"));
    let mut workspace = xz::Workspace::new();
    let (options, whole) = common!(opened, xz, file, u8, &mut workspace, [], [], [&mut vec![0; 9 << 20]], []);
    stream!(opened, xz, file, whole, options, &mut workspace, &mut vec![0; 9 << 20]);
    salvage!(opened, xz, file, whole, options, &mut workspace);
    opened.door("Header::read", xz::Header::read(&file, &Limits::DEFAULT)).unwrap();
    opened.door("File::open", xz::File::open(&file, &Limits::DEFAULT)).unwrap();
    let mut reader = opened.door("ranged", xz::IndexReader::new(file.len() as u64, 0, &Limits::DEFAULT));
    while let Some(range) = reader.needs() {
        reader.feed(range.start, &file[range.start as usize..range.end as usize]).unwrap();
    }
    // Filters need a window.
    let plain = vector("xz/page.xz");
    let whole = xz::decode_to_vec(&plain, &options).unwrap();
    store!(opened, xz, plain, whole, options, &mut workspace);
    opened
}

fn lzma() -> Opened {
    let (mut opened, file) = (Opened::new("lzma"), vector("lzma/page.lzma"));
    let (mut workspace, window) = (lzma::Workspace::new(), &mut vec![0; 9 << 20]);
    let (options, whole) = common!(opened, lzma, file, u8, &mut workspace, [window], [], [window], [window]);
    stream!(opened, lzma, file, whole, options, &mut workspace, window);
    salvage!(opened, lzma, file, whole, options, &mut workspace);
    opened.door("Header::read", lzma::Header::read(&file, &Limits::DEFAULT)).unwrap();
    opened
}

fn gzip() -> Opened {
    let (mut opened, file) = (Opened::new("gzip"), vector("gzip/two_members.gz"));
    let (mut workspace, window) = (gzip::Workspace::new(), &mut [0; gzip::WINDOW_SIZE]);
    let (options, whole) = common!(opened, gzip, file, u8, &mut workspace, [window], [], [window], [window]);
    stream!(opened, gzip, file, whole, options, &mut workspace, window);
    salvage!(opened, gzip, file, whole, options, &mut workspace);
    opened.door("Header::read", gzip::Header::read(&file, &Limits::DEFAULT)).unwrap();
    opened
}

fn pco() -> Opened {
    let (mut opened, file) = (Opened::new("pco"), vector("pco/k_u32_arange.pco"));
    let words = pco::workspace_len(&file, &pco::Options::DEFAULT).unwrap();
    let (mut workspace, scratch) = (vec![0; words as usize], &mut [0; pco::SCRATCH_LEN]);
    let (options, whole) = common!(opened, pco, file, u32, &mut workspace, [scratch], [], [scratch], []);
    salvage!(opened, pco, file, whole, options, &mut workspace);
    opened.door("Header::read", pco::Header::read(&file, &Limits::DEFAULT)).unwrap();
    opened.door("File::open", pco::File::open(&file, &Limits::DEFAULT)).unwrap();
    ranged!(opened, file, pco::Outline::new(file.len() as u64, &Limits::DEFAULT), &mut workspace);
    opened
}

/// The rows of the table on the crate's front page, by the names of the doors here.
const ROWS: [(&str, &str); 12] = [
    ("Header::read", "`Header::read("),
    ("File::open", "`File::open("),
    ("decode", "`decode("),
    ("decode_threaded", "`decode_threaded("),
    ("decode_to", "`decode_to("),
    ("decode_to_store", "`decode_to_store("),
    ("decode_to_vec", "`decode_to_vec("),
    ("decoded_len", "`decoded_len("),
    ("Decoder", "`Decoder::new("),
    ("ranged", "`needs()`"),
    ("inspect", "`inspect("),
    ("salvage", "`salvage("),
];

#[test]
fn every_format_has_the_doors_that_the_front_page_lists() {
    let opened = [zstd(), xz(), lzma(), gzip(), at1(), pco(), onpair(), cvc()];
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/lib.rs")).unwrap();
    let cells = |line: &str| -> Vec<String> { line.split(" |").skip(1).map(|cell| cell.trim().to_owned()).collect() };
    let head = page.lines().find(|line| line.starts_with("//! | door |")).expect("the front page has the table");
    let names: Vec<_> = opened.iter().map(|opened| opened.format).collect();
    assert_eq!(cells(head)[..names.len() + 1][1..], names, "the columns of the table");
    for (door, start) in ROWS {
        let row = page.lines().find(|line| line.starts_with(&format!("//! | {start}"))).expect(door);
        for (opened, cell) in opened.iter().zip(&cells(row)[1..]) {
            assert_eq!(!cell.is_empty(), opened.doors.contains(door), "{door} of {}", opened.format);
        }
    }
    let rows =
        page.lines().skip_while(|line| *line != head).skip(2).take_while(|line| line.starts_with("//! |")).count();
    assert_eq!(rows, ROWS.len(), "rows of the table");
}

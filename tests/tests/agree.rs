//! Every door of a format on one file: valid, cut at every byte, and broken.
//!
//! All doors return the same bytes or the same error, the leaves of every trace tile the file, and
//! a file that was cut is reported as truncated.

use std::io::Write as _;
use std::path::Path;

use liblzma::stream::{Check, Filters, LzmaOptions, MtStreamBuilder, Stream};
use unspool::{Class, Done, Limits, Result, at1, cvc, gzip, lzma, onpair, pco, xz, zstd};
use unspool_harness::mutate;
use unspool_tests::{
    Random, all_vectors, big_set, damage, flavour, golden, is_again, is_bad, list, manifest, read, text, vector_folders,
};

/// Limits so small that no header can request much memory or time. Vectors that decode to more are
/// left out, because every door allocates as much.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 27, max_header: 1 << 16, ..Limits::DEFAULT };

/// Calls every door of a format on these bytes.
type Agree = dyn Fn(&[u8]) -> Result<Done>;

/// A valid file.
struct Valid {
    name: String,
    bytes: Vec<u8>,
    /// Calls every door on these bytes as if they were the file.
    agree: Box<Agree>,
    /// The verdict of a cut file that is not truncated, if the format cannot tell.
    excuse: Excuse,
}

/// The reason why a prefix of a valid file need not be truncated.
#[derive(Clone, Copy)]
enum Excuse {
    /// There is none.
    None,
    /// The format has no end: a file is as many frames, members or streams as there are.
    MayEnd,
    /// The same, and formats share a magic number. The headers in a prefix may fit the other one.
    MayEndAs(zstd::Flavour),
}

impl Excuse {
    /// Returns whether a prefix may have this verdict.
    fn allows(self, prefix: &[u8], verdict: &Result<Done>) -> bool {
        match (self, verdict) {
            (Self::MayEnd | Self::MayEndAs(_), Ok(done)) => done.read == prefix.len(),
            (Self::MayEndAs(flavour), Err(_)) => zstd::detect(prefix) != Some(flavour),
            _ => false,
        }
    }
}

/// Names the input of a door that panics, and keeps it.
struct Input<'a>(&'a str, &'a [u8]);

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("found");
            let kept = std::fs::write(&path, self.1).is_ok();
            eprintln!("{} of {} bytes, in {}: {kept}", self.0, self.1.len(), path.display());
        }
    }
}

fn run(file: &Valid, bytes: &[u8]) -> Result<Done> {
    let _input = Input(&file.name, bytes);
    (file.agree)(bytes)
}

/// Runs every door on valid files, on prefixes of them, and on `mutations` of each.
fn check(files: &[Valid], least: usize, mutations: usize) {
    // The full set has thousands of files: fewer prefixes and mutations of each suffice.
    let (every, mutations) = if big_set().is_some() { (24, mutations.div_ceil(2)) } else { (240, mutations) };
    let (mut ran, mut cuts, mut excused, mut random) = (0, 0, 0, Random(1));
    for file in files {
        match run(file, &file.bytes) {
            Err(error) if error.class() == Class::Limit => continue,
            verdict => assert!(verdict.is_ok(), "{}: {verdict:?}", file.name),
        }
        ran += 1;
        let len = file.bytes.len();
        let sampled =
            |&cut: &usize| len <= every || cut < every / 2 || len - cut < every / 6 || cut % (2 * len / every) == 0;
        for cut in (0..len).filter(sampled) {
            let prefix = &file.bytes[..cut];
            let verdict = run(file, prefix);
            cuts += 1;
            if !verdict.is_err_and(|error| error.class() == Class::Truncated) {
                assert!(file.excuse.allows(prefix, &verdict), "{} cut to {cut} bytes: {verdict:?}", file.name);
                excused += 1;
            }
        }
        for _ in 0..mutations {
            let other = &files[random.below(files.len())].bytes;
            let _ = run(file, &mutate(&file.bytes, other, &mut random));
        }
    }
    println!("{ran} files of {}, {cuts} prefixes, {excused} of them excused", files.len());
    assert!(ran >= least, "only {ran} files");
    assert!(excused * 20 <= cuts, "{excused} excused prefixes of {cuts} are too many");
}

/// Returns the vectors with this extension, without the broken ones.
fn vectors(format: &str, extension: &str) -> Vec<(String, Vec<u8>)> {
    all_vectors(format, extension)
        .filter(|path| !is_bad(path))
        .map(|path| (path.display().to_string(), read(&path)))
        .collect()
}

/// Makes files of bytes whose doors need no more than the bytes.
fn files(
    named: impl IntoIterator<Item = (String, Vec<u8>)>,
    excuse: Excuse,
    agree: impl Fn(&[u8]) -> Result<Done> + Copy + 'static,
) -> Vec<Valid> {
    let file = |(name, bytes)| Valid { name, bytes, agree: Box::new(agree), excuse };
    named.into_iter().map(file).collect()
}

/// Contents for encoders: none, a byte, text, a long run, and bytes without a pattern.
fn contents() -> Vec<Vec<u8>> {
    let mut random = Random(7);
    let words = ["window", "offset", " ", "\n", "literal", "block", "0", "42"];
    let text = (0..900).flat_map(|_| words[random.below(words.len())].bytes()).collect();
    let noise = (0..300).map(|_| random.bits().to_le_bytes()[0]).collect();
    vec![vec![], b"a".to_vec(), text, vec![0; 30_000], noise]
}

fn xz_agrees(bytes: &[u8]) -> Result<Done> {
    unspool_harness::xz::agree(bytes, &xz::Options { limits: LIMITS, ..xz::Options::DEFAULT })
}

fn lzma_agrees(bytes: &[u8]) -> Result<Done> {
    unspool_harness::lzma::agree(bytes, &lzma::Options { limits: LIMITS, ..lzma::Options::DEFAULT })
}

fn gzip_agrees(bytes: &[u8]) -> Result<Done> {
    unspool_harness::gzip::agree(bytes, &gzip::Options { limits: LIMITS, ..gzip::Options::DEFAULT })
}

fn at1_agrees(bytes: &[u8]) -> Result<Done> {
    unspool_harness::at1::agree(bytes, &at1::Options { limits: LIMITS, ..at1::Options::DEFAULT })
}

fn pco_agrees(bytes: &[u8]) -> Result<Done> {
    unspool_harness::pco::agree(bytes, &pco::Options { limits: LIMITS, ..pco::Options::DEFAULT })
}

/// Runs the doors of Zstandard. If the format is `told`, nothing is detected.
fn zstd_files(told: bool) -> Vec<Valid> {
    let mut found = vec![];
    for folder in vector_folders("zstd") {
        for entry in list(&manifest(&folder.join("manifest.json")), "files") {
            let name = text(entry, "file").to_owned();
            if is_again(&folder.join(&name)) {
                continue;
            }
            let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
            let flavour = flavour(entry);
            let agree = move |bytes: &[u8]| {
                let dictionary = dictionary.as_deref().map(zstd::Dictionary::new);
                let flavour = told.then_some(flavour);
                let options = zstd::Options { limits: LIMITS, flavour, dictionary, ..zstd::Options::DEFAULT };
                unspool_harness::zstd::agree(bytes, &options)
            };
            let excuse = if told { Excuse::MayEnd } else { Excuse::MayEndAs(flavour) };
            found.push(Valid { bytes: read(&folder.join(&name)), name, agree: Box::new(agree), excuse });
        }
    }
    found
}

#[test]
fn doors_of_zstd_agree() {
    check(&zstd_files(true), 631, 15);
}

#[test]
fn doors_of_zstd_agree_if_the_format_is_detected() {
    check(&zstd_files(false), 631, 5);
}

/// Encodes with every kind of check, with filters, in blocks, and several streams in a file.
fn xz_files() -> Vec<(String, Vec<u8>)> {
    let mut found = vectors("xz", "xz");
    let encode = |stream: Stream, content: &[u8]| {
        let mut encoder = liblzma::write::XzEncoder::new_stream(vec![], stream);
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    for content in contents() {
        for check in [Check::None, Check::Crc32, Check::Crc64, Check::Sha256] {
            found.push((format!("{check:?}"), encode(Stream::new_easy_encoder(6, check).unwrap(), &content)));
        }
        let mut filters = Filters::new();
        filters.delta_properties(&[3]).unwrap().x86().lzma2(&LzmaOptions::new_preset(1).unwrap());
        found.push(("filters".into(), encode(Stream::new_stream_encoder(&filters, Check::Crc32).unwrap(), &content)));
        let blocks =
            MtStreamBuilder::new().preset(1).block_size(1000).threads(1).check(Check::Crc32).encoder().unwrap();
        let blocks = encode(blocks, &content);
        found.push(("streams".into(), [&blocks[..], &[0; 4], &blocks].concat()));
        found.push(("blocks".into(), blocks));
    }
    found
}

#[test]
fn doors_of_xz_agree() {
    check(&files(xz_files(), Excuse::MayEnd, xz_agrees), 36, 40);
}

#[test]
fn doors_of_lzma_agree() {
    let mut found = vectors("lzma", "lzma");
    for content in contents() {
        let stream = Stream::new_lzma_encoder(&LzmaOptions::new_preset(2).unwrap()).unwrap();
        let mut encoder = liblzma::write::XzEncoder::new_stream(vec![], stream);
        encoder.write_all(&content).unwrap();
        found.push(("a .lzma file".into(), encoder.finish().unwrap()));
    }
    check(&files(found, Excuse::None, lzma_agrees), 8, 200);
}

#[test]
fn doors_of_gzip_agree() {
    let mut found = vectors("gzip", "gz");
    for content in contents() {
        for level in [0, 1, 9] {
            let header = flate2::GzBuilder::new().filename("name").comment("a comment").extra("extra");
            let mut encoder = header.write(vec![], flate2::Compression::new(level));
            encoder.write_all(&content).unwrap();
            found.push((format!("level {level}"), encoder.finish().unwrap()));
        }
    }
    check(&files(found, Excuse::MayEnd, gzip_agrees), 18, 100);
}

/// A file of AT-1 may end after each frame, and before its hash. A stored payload has no length.
#[test]
fn doors_of_at1_agree() {
    let found = vectors("at1", "at1");
    assert!(found.iter().all(|(name, _)| !name.contains("/bad/")));
    check(&files(found, Excuse::MayEnd, at1_agrees), 180, 15);
}

#[test]
fn doors_of_pco_agree() {
    check(&files(vectors("pco", "pco"), Excuse::None, pco_agrees), 407, 4);
}

#[test]
fn doors_of_onpair_agree() {
    let limits = Limits { max_output: 1 << 20, ..LIMITS };
    let agree = move |bytes: &[u8]| unspool_harness::onpair::agree(bytes, &onpair::Options { limits });
    check(&files(vectors("onpair", "onp"), Excuse::None, agree), 5, 200);
}

#[test]
fn doors_of_cvc_agree() {
    let mut found = vec![];
    for (name, bytes) in vectors("cvc", "cvc") {
        let file = cvc::File::open(&bytes, &LIMITS).unwrap();
        let first = file.columns().next().and_then(Result::ok).filter(|_| file.is_columnar());
        let column: Option<String> = first.map(|column| column.name().chars().collect());
        let agree = move |bytes: &[u8]| {
            let options = cvc::Options { limits: LIMITS, column: column.as_deref(), ..cvc::Options::DEFAULT };
            unspool_harness::cvc::agree(bytes, &options)
        };
        found.push(Valid { name, bytes, agree: Box::new(agree), excuse: Excuse::None });
    }
    check(&found, 59, 20);
}

/// A format in the table of verdicts: its name, the door that decides, and files.
type Judged = (&'static str, fn(&[u8]) -> Result<Done>, &'static [&'static str]);

const JUDGED: [Judged; 8] = [
    (
        "zstd",
        |bytes| unspool_harness::zstd::agree(bytes, &zstd::Options { limits: LIMITS, ..zstd::Options::DEFAULT }),
        &["rfc8878/text-1025.zst", "page-seekable.zst"],
    ),
    ("xz", xz_agrees, &["page.xz", "blocks.xz"]),
    ("gzip", gzip_agrees, &["every_field.gz", "two_members.gz"]),
    ("lzma", lzma_agrees, &["page.lzma", "properties.lzma"]),
    ("pco", pco_agrees, &["k_u32_arange.pco", "assets/v1_0_0_conv1.pco"]),
    (
        "onpair",
        |bytes| unspool_harness::onpair::agree(bytes, &onpair::Options { limits: LIMITS }),
        &["cpp/one_row_b12.onp", "cpp/empties_b12.onp"],
    ),
    (
        "cvc",
        |bytes| unspool_harness::cvc::agree(bytes, &cvc::Options { limits: LIMITS, ..cvc::Options::DEFAULT }),
        &["v1_fp16.cvc", "v1_int8.cvc"],
    ),
    ("at1", at1_agrees, &["c1_scalars.at1", "c255_unicode_zstd.at1"]),
];

/// The table that the tests of the command, of C and of the npm package read: a file, a change to
/// it, and the verdict that all doors agree on.
#[test]
fn the_table_of_verdicts_is_up_to_date() {
    let (mut lines, mut random) = (String::new(), Random(35));
    for (format, agree, files) in JUDGED {
        for file in files {
            let path = format!("{format}/{file}");
            let bytes = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(&path));
            for turn in 0..60 {
                let at = 8 + random.below(bytes.len() - 8);
                let (change, place) = match turn % 3 {
                    0 => ("cut", at),
                    1 => ("drop", at),
                    _ => ("flip", at * 8 + random.below(8)),
                };
                let mut changed = bytes.clone();
                damage(&mut changed, change, place);
                match agree(&changed) {
                    Ok(_) => lines.push_str(&format!("{path} {change} {place} accepted 0\n")),
                    // Each place has limits of its own.
                    Err(error) if error.class() == Class::Limit => {}
                    Err(error) => lines.push_str(&format!("{path} {change} {place} {:?} {}\n", error.kind, error.at)),
                }
            }
        }
    }
    assert!(lines.lines().count() > 800, "only {} verdicts", lines.lines().count());
    golden("verdicts.txt", &lines);
}

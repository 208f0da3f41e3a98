//! Shared by the tests: folders of vectors, and writers of small files. What they share with the
//! fuzz targets is in `unspool_harness`.

pub mod at1;
pub mod pages;
pub mod store;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use unspool::zstd::Flavour;
use unspool::{Error, Status, Step};
pub use unspool_harness::{Leaves, Random, drive};

/// Returns the folder of the big set of vectors, if `UNSPOOL_VECTORS` names it.
pub fn big_set() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("UNSPOOL_VECTORS")?);
    assert!(folder.is_dir(), "UNSPOOL_VECTORS is no folder: {}", folder.display());
    Some(folder)
}

/// Returns the folders with vectors of a format: the compact set of the repository, and the big one
/// if its folder is named. The big set lacks some formats.
pub fn vector_folders(format: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format)];
    match big_set() {
        Some(root) => folders.extend(Some(root.join(format)).filter(|folder| folder.is_dir())),
        None => eprintln!("UNSPOOL_VECTORS is not set: only the compact set of {format} runs"),
    }
    folders
}

/// Returns the files of a folder and of its subfolders, in order.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

/// Returns the vectors of a format with this extension, once if both sets have them.
pub fn all_vectors(format: &str, extension: &str) -> impl Iterator<Item = PathBuf> {
    let files = vector_folders(format).into_iter().flat_map(|folder| files_in(&folder));
    files.filter(move |path| path.extension().is_some_and(|found| found == extension) && !is_again(path))
}

/// Returns `true` for a file of the big set that the compact set has, too.
pub fn is_again(path: &Path) -> bool {
    let Some(within) = big_set().and_then(|root| path.strip_prefix(root).ok()) else { return false };
    let compact = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(within);
    std::fs::read(compact).is_ok_and(|bytes| bytes == read(path))
}

/// Returns `true` for a vector that must be refused.
pub fn is_bad(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "bad")
}

/// Returns the format of a vector of Zstandard, as its entry in the manifest names it.
pub fn flavour(entry: &Json) -> Flavour {
    match text(entry, "variant") {
        "zstd" => Flavour::Rfc8878,
        "zstd-draft" => Flavour::Draft,
        "zstd-v07" => Flavour::V07,
        other => panic!("no format is called {other}"),
    }
}

/// Asserts how many vectors a loop ran: all of the compact set, and at least as many with the big
/// one.
#[track_caller]
pub fn assert_ran(ran: usize, compact: usize) {
    let big = big_set().is_some();
    assert!(if big { ran >= compact } else { ran == compact }, "{ran} vectors instead of {compact}");
}

/// Reads a file that a test needs.
pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares text with a file of the folder `golden`, which a person has reviewed.
pub fn golden(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(file);
    if std::env::var_os("UNSPOOL_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = String::from_utf8(read(&path)).unwrap();
    assert!(golden == text, "{file} changed; UNSPOOL_BLESS=1 writes what is now, and git shows the difference");
}

/// Compares the error of each bad file with a file of the folder `golden`.
pub fn golden_verdicts(file: &str, verdicts: &BTreeMap<String, Result<(), Error>>) {
    let line = |(name, verdict): (&String, &Result<(), Error>)| match verdict {
        Ok(()) => format!("{name}: accepted\n"),
        Err(error) => format!("{name}: {:?}: {error}\n", error.kind),
    };
    golden(file, &verdicts.iter().map(line).collect::<String>());
}

/// Reads a manifest.
pub fn manifest(path: &Path) -> Json {
    serde_json::from_slice(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the string of a key.
pub fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_else(|| panic!("{key} is no string in {json}"))
}

/// Returns the number of a key.
pub fn number(json: &Json, key: &str) -> u64 {
    json[key].as_u64().unwrap_or_else(|| panic!("{key} is no number in {json}"))
}

/// Returns the elements of a key, or none if the key is missing.
pub fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

/// Calls `step` with the rest of the input and of the output until it needs more of one of them, as
/// a caller that handles some errors in between does.
pub fn go_on(
    src: &[u8],
    dst: &mut [u8],
    mut step: impl FnMut(&[u8], &mut [u8]) -> Result<Step, Error>,
) -> Result<Step, Error> {
    let (mut read, mut wrote) = (0, 0);
    loop {
        let step = step(&src[read..], &mut dst[wrote..])?;
        (read, wrote) = (read + step.read, wrote + step.wrote);
        if step.status != Status::NeedOutput || wrote == dst.len() {
            return Ok(Step { read, wrote, ..step });
        }
    }
}

/// Compiles the Rust snippets of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// A damaged file in the table of verdicts.
pub struct Verdict {
    /// Its line.
    pub line: String,
    /// The file before the damage, such as `zstd/page.zst`.
    pub path: String,
    /// The damaged file.
    pub bytes: Vec<u8>,
    /// The kind of the error, or `accepted`.
    pub kind: String,
    /// The offset of the error.
    pub at: u64,
}

/// Returns the table of verdicts: damaged files, and the error that all doors agree on.
pub fn verdicts() -> Vec<Verdict> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = String::from_utf8(read(&tests.join("golden/verdicts.txt"))).expect("text");
    let parse = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        let [path, change, place, kind, at] = words[..] else { panic!("{line}") };
        let mut bytes = read(&tests.join("vectors").join(path));
        damage(&mut bytes, change, place.parse().expect("a place"));
        let at = at.parse().expect("an offset");
        Verdict { line: line.to_owned(), path: path.to_owned(), bytes, kind: kind.to_owned(), at }
    };
    let all: Vec<_> = table.lines().map(parse).collect();
    assert!(all.len() > 800, "only {} verdicts", all.len());
    all
}

/// Cuts a file at a byte, drops three bytes from there on, or flips a bit.
pub fn damage(bytes: &mut Vec<u8>, change: &str, place: usize) {
    match change {
        "cut" => bytes.truncate(place),
        "drop" => drop(bytes.drain(place..bytes.len().min(place + 3))),
        _ => bytes[place / 8] ^= 1 << (place % 8),
    }
}

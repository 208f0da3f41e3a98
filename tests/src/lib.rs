//! Shared by the tests: folders of vectors, a driver for streams, and a trace that checks that
//! leaves tile a file.

pub mod at1;
pub mod pages;
pub mod store;

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use unspool::{End, Error, Name, Part, Status, Step, Trace, Value};

/// Returns the folders with vectors of a format: the compact set of the repository, and the big one
/// if `UNSPOOL_VECTORS` names it. The big set lacks some formats.
pub fn vector_folders(format: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format)];
    match std::env::var_os("UNSPOOL_VECTORS") {
        Some(root) => {
            assert!(Path::new(&root).is_dir(), "UNSPOOL_VECTORS is no folder: {}", root.display());
            folders.extend(Some(Path::new(&root).join(format)).filter(|folder| folder.is_dir()));
        }
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

/// Asserts how many vectors a loop ran: all of the compact set, and at least as many if
/// `UNSPOOL_VECTORS` adds the big one.
pub fn assert_ran(ran: usize, compact: usize) {
    let is_compact = std::env::var_os("UNSPOOL_VECTORS").is_none();
    assert!(if is_compact { ran == compact } else { ran >= compact }, "{ran} vectors instead of {compact}");
}

/// Reads a file that a test needs.
pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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

/// Collects the bits of every leaf.
#[derive(Debug, Default)]
pub struct Leaves {
    /// Bits and name of each leaf.
    pub leaves: Vec<(Range<u64>, Name)>,
    depth: usize,
}

impl Trace for Leaves {
    fn enter(&mut self, _: Name, _: Value<'_>) {
        self.depth += 1;
    }

    fn leaf(&mut self, _: Part, name: Name, bits: Range<u64>, _: Value<'_>) {
        self.leaves.push((bits, name));
    }

    fn leave(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("more groups end than started");
    }
}

impl Leaves {
    /// Asserts that every bit of a file of `bytes` bytes belongs to exactly one leaf, and that
    /// every group ended.
    pub fn assert_tile(mut self, bytes: usize, file: &str) {
        assert_eq!(self.depth, 0, "{file}: groups that did not end");
        self.leaves.sort_by_key(|(bits, _)| (bits.start, bits.end));
        let mut end = 0;
        for (bits, name) in self.leaves {
            assert_eq!(
                bits.start, end,
                "{file}: {name:?} starts at bit {}, but what is before it ends at {end}",
                bits.start
            );
            assert!(bits.end >= bits.start, "{file}: {name:?} ends before it starts");
            end = bits.end;
        }
        assert_eq!(end, bytes as u64 * 8, "{file}: the last leaf ends before the file");
    }
}

/// A small generator for splits and mutations: the same numbers in every run, so that a failure
/// repeats.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound as u64).expect("below a usize")
    }
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

/// Drives a streaming decoder over `bytes` and checks every step: it reads and writes only the
/// bytes that it reports, its status is justified, and an error repeats. `split` returns the sizes
/// of the input and of the output of the next call. Returns the output, and the error if there was
/// one.
pub fn drive(
    bytes: &[u8],
    mut split: impl FnMut() -> (usize, usize),
    mut step: impl FnMut(&[u8], End, &mut [u8]) -> Result<Step, Error>,
) -> (Vec<u8>, Result<(), Error>) {
    let (mut out, mut at) = (vec![], 0);
    // Output before an error is returned first. In every other case, a request for output must have
    // used all of it.
    let mut error_next = false;
    loop {
        let (input, output) = split();
        let to = bytes.len().min(at + input);
        let mut room = vec![0xAA; output];
        let end = if to == bytes.len() { End::Here } else { End::NotYet };
        match step(&bytes[at..to], end, &mut room) {
            Ok(step) => {
                assert!(!error_next, "asked for room that it had not used");
                assert!(step.read <= to - at && step.wrote <= output);
                assert!(room[step.wrote..].iter().all(|&byte| byte == 0xAA), "a byte past what was reported");
                out.extend(&room[..step.wrote]);
                at += step.read;
                match step.status {
                    Status::Done => return (out, Ok(())),
                    Status::NeedInput => assert_eq!(at, to, "asks for input that it did not read"),
                    Status::NeedOutput => error_next = step.wrote < output,
                }
            }
            Err(error) => {
                assert_eq!(step(&[], End::Here, &mut []), Err(error), "errors stay");
                return (out, Err(error));
            }
        }
    }
}

/// Compiles the Rust snippets of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

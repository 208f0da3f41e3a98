//! CVC against its vectors: bit-exact at once and in any pieces; hostile files are refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

mod columns;
mod hostile;
mod linear;
mod ranges;
mod streams;
mod structure;
mod vectors;

use std::path::Path;

use serde_json::Value as Json;
use unspool::cvc::{Column, Decoder, File, Header, Options, Outline, Workspace};
use unspool::tree::Tree;
use unspool::{Checksums, Error, Limits, Verify};
use unspool_tests::{drive, list, manifest, read, text, vector_folders};

/// The numbers of valid and of corrupt files.
const VALID: usize = 61;
const BAD: usize = 117;

const OPTIONS: Options<'static> = Options::DEFAULT;
const SKIP: Options<'static> = Options { verify: Verify::Skip, ..OPTIONS };

/// Runs `test` on every valid vector: its name, its bytes, its entry in the manifest and its
/// folder.
fn valid(mut test: impl FnMut(&str, &[u8], &Json, &Path)) {
    for folder in vector_folders("cvc") {
        let manifest = manifest(&folder.join("manifest.json"));
        let entries = list(&manifest, "entries");
        for entry in entries {
            test(text(entry, "name"), &read(&folder.join(text(entry, "file"))), entry, &folder);
        }
        assert_eq!(entries.len(), VALID, "{}", folder.display());
    }
}

/// Returns the columns of an entry with the bytes that they must decode to.
fn expected(entry: &Json, folder: &Path) -> Vec<(Option<String>, Vec<u8>)> {
    let bytes = |expected: &Json| read(&folder.join(text(expected, "file")));
    match text(entry, "kind") {
        "single" => vec![(None, bytes(&entry["expected"]))],
        _ => list(entry, "columns")
            .iter()
            .map(|column| (Some(text(column, "name").to_owned()), bytes(&column["expected"])))
            .collect(),
    }
}

fn column<'a>(file: &File<'a>, name: Option<&str>) -> Result<Column<'a>, Error> {
    name.map_or_else(|| file.only_column(), |name| file.column(name))
}

/// Decodes a column through the streaming decoder. `split` returns the input and output of each
/// call.
fn stream(
    bytes: &[u8],
    name: Option<&str>,
    workspace: &mut [u8],
    limits: &Limits,
    split: impl FnMut() -> (usize, usize),
) -> (Vec<u8>, Result<Checksums, Error>) {
    let mut decoder = Decoder::new(workspace, &Options { limits: *limits, column: name, ..OPTIONS });
    let (out, outcome) = drive(bytes, split, |src, end, dst| decoder.step(src, end, dst));
    (out, outcome.map(|()| decoder.done().checksums))
}

const WORKSPACE: usize = 2 << 20;

fn range(range: std::ops::Range<u64>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

/// Follows the outline of a file. Returns its tree and the number of ranges that it needed.
fn outlined(bytes: &[u8], limits: &Limits) -> (Tree, Result<u64, Error>) {
    let mut tree = Tree::new(usize::MAX);
    let mut walk = || {
        let header = Header::read(bytes, limits);
        let head = header.map_or(bytes.len(), |header| (header.head_len() as usize).min(bytes.len()));
        let mut outline = Outline::open(&bytes[..head], bytes.len() as u64, limits, &mut tree)?;
        let (mut asked, mut workspace) = (0, Workspace::new());
        while let Some(wanted) = outline.needs() {
            assert!(wanted.end - wanted.start <= 8 && asked < outline.file().chunk_count());
            asked += 1;
            if let Err(error) = outline.feed(wanted.start, &bytes[range(wanted)], &mut workspace, &mut tree) {
                assert_eq!((outline.needs(), outline.feed(0, &[], &mut workspace, &mut ())), (None, Ok(())));
                return Err(error);
            }
        }
        Ok(asked)
    };
    let walked = walk();
    (tree, walked)
}

fn decode_all(bytes: &[u8], name: Option<&str>) -> Result<Vec<u8>, Error> {
    let file = File::open(bytes, &Limits::DEFAULT)?;
    let column = column(&file, name)?;
    column.decode_bytes_to_vec(bytes, column.rows(), &OPTIONS)
}

/// Returns a file of version 2 with these columns of one byte a row. Each object and payload is a
/// chunk of one row.
fn columnar(columns: &[String], chunks: &[(String, &[u8])]) -> Vec<u8> {
    let columns: Vec<_> = columns
        .iter()
        .map(|name| format!(r#"{{"name":"{name}","dimension":1,"dtype":"uint8","compression":"none"}}"#))
        .collect();
    let objects: Vec<_> = chunks.iter().map(|(object, _)| format!(r#"{{"rows":1,"columns":{object}}}"#)).collect();
    let (columns, objects, rows) = (columns.join(","), objects.join(","), chunks.len());
    let json =
        format!(r#"{{"format_type":"columnar","num_vectors":{rows},"columns":[{columns}],"chunks":[{objects}]}}"#);
    let mut bytes = b"CVCF\x02\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    for (_, payload) in chunks {
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(unspool::checksum::Crc32::of(payload).to_le_bytes());
        bytes.extend(*payload);
    }
    bytes
}

/// Returns the object of a chunk: members of one byte each, at these offsets.
fn entries(named: impl Iterator<Item = (String, usize)>) -> String {
    let entry = |(name, at)| format!(r#""{name}":{{"compression":"none","offset":{at},"size":1}}"#);
    format!("{{{}}}", named.map(entry).collect::<Vec<_>>().join(","))
}

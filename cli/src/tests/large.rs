//! A few rows of a file of gigabytes take a few reads. Such a file has holes, which Windows has on
//! request only.

use std::io::{Seek, SeekFrom, Write};
use std::num::NonZeroUsize;

use clap::Parser as _;
use unspool::checksum::{Crc32, Xxh64};
use unspool::{Format, Limits};

use super::LIMITS;
use crate::formats::Selection;
use crate::output::Output;
use crate::same::{ALL, Hasher, decode, outcome};
use crate::source::Source;

/// The most bytes that are read for a few rows of ten gigabytes: the head of the file, and some.
const FEW: u64 = 3 << 20;

fn le(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Creates a file of these pieces at their offsets, with holes between them.
fn sparse(name: &str, len: u64, pieces: &[(u64, Vec<u8>)]) -> Source {
    let path = std::env::temp_dir().join(format!("unspool-{}-{name}", std::process::id()));
    let mut file = std::fs::File::create(&path).unwrap();
    for (at, bytes) in pieces {
        file.seek(SeekFrom::Start(*at)).unwrap();
        file.write_all(bytes).unwrap();
    }
    file.set_len(len).unwrap();
    let source =
        Source::open(&path, None, NonZeroUsize::MIN, &Limits::DEFAULT).unwrap_or_else(|failure| panic!("{failure}"));
    std::fs::remove_file(path).unwrap();
    source
}

#[test]
fn rows_of_a_large_cvc_file_read_their_chunks() {
    // 5,000 chunks of 1,000 rows of 1,024 half floats.
    let (chunks, len) = (5000u64, 1000 * 2048u32);
    let chunk = u64::from(len);
    let entries = vec![r#"{"rows":1000}"#; 5000].join(",");
    let json =
        format!(r#"{{"chunks":[{entries}],"compression":"fp16","dimension":1024,"num_vectors":{}}}"#, chunks * 1000);
    let head = [&b"CVCF"[..], &le(&[u32::try_from(json.len()).unwrap()]), json.as_bytes()].concat();
    let start = head.len() as u64;
    let mut pieces = vec![(0, head)];
    for number in 0..chunks {
        pieces.push((start + number * (4 + chunk), le(&[len])));
    }
    let row = 4_321_765;
    let at = start + (row / 1000) * (4 + chunk) + 4 + (row % 1000) * 2048;
    pieces.push((at, 0x3C00u16.to_le_bytes().repeat(1024)));
    let mut source = sparse("rows.cvc", start + chunks * (4 + chunk), &pieces);
    let rows = Selection { rows: Some(Some(row)..Some(row + 1)), ..ALL };
    let decoded = decode(Format::Cvc, &mut source, &rows, &LIMITS);
    assert_eq!(decoded, (4096, Xxh64::of(&1f32.to_le_bytes().repeat(1024)), Ok(())));
    assert!(source.fetched() < FEW + chunk, "{}", source.fetched());
}

#[test]
fn rows_of_a_large_onpair_file_read_their_codes() {
    // Two tokens, and three rows of which the first has most of the codes.
    let (codes, words) = (5u32 << 29, 5u32 << 27);
    let codes_at = 9 + 4 + 2 + 4 + 12 + 4;
    let head = [&b"ONPAIR01\x10"[..], &le(&[2]), b"ab", &le(&[3, 0, 1, 2, words])].concat();
    assert_eq!(head.len() as u64, codes_at);
    let rows_at = codes_at + u64::from(words) * 8;
    let rows = le(&[4, 0, codes - 3, codes - 1, codes]);
    let last = [1u16, 0, 1].iter().flat_map(|code| code.to_le_bytes()).collect();
    let pieces = [(0, head), (rows_at - 6, last), (rows_at, rows)];
    let mut source = sparse("rows.onp", rows_at + 20, &pieces);
    let rows = Selection { rows: Some(Some(1)..None), text: true, ..ALL };
    let (len, hash, ended) = decode(Format::OnPair, &mut source, &rows, &Limits::DEFAULT);
    assert_eq!((len, hash, ended), (5, Xxh64::of(b"ba\nb\n"), Ok(())));
    assert!(source.fetched() < FEW, "{}", source.fetched());
}

#[test]
fn ranges_of_a_large_zstd_file_read_their_frames() {
    let frame = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".to_vec();
    let large = u32::MAX;
    let mut table = le(&[0x184D_2A5E, 3 * 8 + 9, large, 100, large, 100, 12, 3, 3]);
    table.push(0);
    table.extend(le(&[0x8F92_EAB1]));
    let at = 2 * u64::from(large);
    let end = at + frame.len() as u64;
    let pieces = [(0, frame.clone()), (at, frame), (end, table.clone())];
    let mut source = sparse("range.zst", end + table.len() as u64, &pieces);
    let range = Selection { range: Some(Some(201)..None), ..ALL };
    let (len, hash, ended) = decode(Format::Zstd, &mut source, &range, &LIMITS);
    assert_eq!((len, hash, ended), (2, Xxh64::of(b"st"), Ok(())));
    assert!(source.fetched() < FEW, "{}", source.fetched());
}

/// Builds the header of an xz file without checks, and one of its blocks with these stored bytes.
fn xz_parts(content: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut header = b"\xFD7zXZ\0\0\0".to_vec();
    header.extend(Crc32::of(&[0, 0]).to_le_bytes());
    let mut block = vec![2, 0, 0x21, 1, 16, 0, 0, 0];
    block.extend(Crc32::of(&block).to_le_bytes());
    let size = u16::try_from(content.len() - 1).unwrap();
    block.push(1);
    block.extend(size.to_be_bytes());
    block.extend(content);
    block.push(0);
    (header, block)
}

#[test]
fn ranges_of_a_large_xz_file_read_their_blocks() {
    let (header, block) = xz_parts(b"unspool");
    let large = 5u64 << 30;
    let mut index = vec![0, 3];
    for (stored, content) in [(large, 2 * large), (block.len() as u64, 7), (large, 2 * large)] {
        unspool_tests::at1::unsigned(&mut index, stored);
        unspool_tests::at1::unsigned(&mut index, content);
    }
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(Crc32::of(&index).to_le_bytes());
    let backward = u32::try_from(index.len() / 4 - 1).unwrap().to_le_bytes();
    let mut footer = Crc32::of(&[&backward[..], &[0, 0]].concat()).to_le_bytes().to_vec();
    footer.extend([&backward[..], b"\0\0YZ"].concat());
    let at = 12 + large;
    let end = at + (block.len() as u64).next_multiple_of(4) + large;
    let len = end + (index.len() + footer.len()) as u64;
    let mut source =
        sparse("range.xz", len, &[(0, header), (at, block), (end, index.clone()), (end + index.len() as u64, footer)]);
    let range = Selection { range: Some(Some(2 * large + 2)..Some(2 * large + 5)), ..ALL };
    assert_eq!(decode(Format::Xz, &mut source, &range, &LIMITS), (3, Xxh64::of(b"spo"), Ok(())));
    assert!(source.fetched() < FEW, "{}", source.fetched());
}

#[test]
fn a_query_of_a_large_table_reads_its_blocks() {
    use unspool_tests::at1::{file, row_groups, stored, unsigned};

    // Two groups of two rows. The first column of each has a block of five gigabytes.
    let large = 5u64 << 30;
    let zstd = |rows: &[u8; 3]| (1, [&b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0"[..], rows].concat());
    let groups = [[b"1\n2", b"3\n4"], [b"5\n6", b"7\n8"]].map(|group| group.map(zstd).to_vec());
    let mut streams = row_groups(2, b",", &groups);
    let blocks = streams.pop().unwrap().1;
    let index = &mut streams.last_mut().unwrap().1;
    index.clear();
    for _ in 0..2 {
        unsigned(index, large);
        unsigned(index, 13);
    }
    let mut head = file(7, &streams, stored);
    // One stream more: the blocks.
    head[5] += 1;
    head.extend(b"\x06blocks\x02");
    unsigned(&mut head, 2 * large + 26);
    let start = head.len() as u64;
    let [first, second] = [13..26, 39..52].map(|range| blocks[range].to_vec());
    let pieces = [(0, head), (start + large, first), (start + 2 * large + 13, second)];
    let mut source = sparse("query.at1", start + 2 * large + 26, &pieces);
    let arguments = crate::args::Arguments::parse_from(["unspool", "query", "-", "--select", "1"]);
    let crate::args::Command::Query(arguments) = arguments.command else { panic!("a query") };
    let hasher = Hasher::new();
    let mut output = Output::to_writer(hasher.clone());
    let answered = crate::query::answer(&arguments, &mut source, &Limits::DEFAULT, &mut output);
    output.flush_all();
    assert_eq!(answered.map_err(outcome), Ok(()));
    assert_eq!(hasher.value(), (8, Xxh64::of(b"3\n4\n7\n8\n")));
    assert!(source.fetched() < FEW, "{}", source.fetched());
}

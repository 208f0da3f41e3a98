//! Adapters between `std::io` readers and writers and streams.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use unspool::io::{Reader, Writer};
use unspool::{xz, zstd};
use unspool_tests::{read, vector_folders};

/// Decodes a Zstandard file through a buffer of `buffer` bytes. Returns the content and the input
/// after the file.
fn unzstd(file: &[u8], buffer: usize) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut ws, mut window) = (zstd::Workspace::new(), vec![0; 1 << 20]);
    let mut decoder = zstd::Decoder::new(&mut ws, &mut window, &zstd::Options::DEFAULT);
    let input = BufReader::with_capacity(buffer, file);
    let mut reader = Reader::new(input, |src, end, dst| decoder.step(src, end, dst));
    let (mut content, mut rest) = (vec![], vec![]);
    reader.read_to_end(&mut content)?;
    reader.into_inner().read_to_end(&mut rest)?;
    Ok((content, rest))
}

#[test]
fn a_reader_returns_the_content_of_a_stream() {
    let page = read(&vector_folders("xz")[0].join("page.csv"));
    let file = read(&vector_folders("zstd")[0].join("page.zst"));
    for buffer in [1, 7, 4096, 1 << 20] {
        assert_eq!(unzstd(&file, buffer).unwrap(), (page.clone(), vec![]), "a buffer of {buffer} bytes");
    }
    let xz_file = read(&vector_folders("xz")[0].join("blocks.xz"));
    let (mut ws, mut window) = (xz::Workspace::new(), vec![0; 9 << 20]);
    let options = xz::Options { streams: xz::Streams::First, ..xz::Options::DEFAULT };
    let mut decoder = xz::Decoder::new(&mut ws, &mut window, &options);
    let mut input = &[&xz_file[..], b"after"].concat()[..];
    let mut lines = BufReader::new(Reader::new(&mut input, |src, end, dst| decoder.step(src, end, dst))).lines();
    assert!(page.lines().all(|line| line.unwrap() == lines.next().unwrap().unwrap()) && lines.next().is_none());
    assert_eq!(input, b"after", "the rest stays in the input");
}

#[test]
fn an_error_keeps_its_kind_and_offset() {
    let file = read(&vector_folders("zstd")[0].join("page.zst"));
    let cut = unzstd(&file[..file.len() - 1], 64).unwrap_err();
    assert_eq!(cut.kind(), ErrorKind::UnexpectedEof);
    let mut broken = file.clone();
    *broken.last_mut().unwrap() ^= 1;
    let error = unzstd(&broken, 64).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let inside = error.get_ref().and_then(|inside| inside.downcast_ref::<unspool::Error>()).unwrap();
    assert_eq!((inside.class(), inside.at), (unspool::Class::Checksum, file.len() as u64 - 4));
}

#[test]
fn a_writer_keeps_the_reason_of_a_failure() {
    let file = read(&vector_folders("cvc")[0].join("v1_fp16.cvc"));
    let mut sink = Writer::new(vec![]);
    unspool::Sink::write(&mut sink, &file).unwrap();
    assert!(sink.failure().is_none() && *sink.get_mut() == file);
    let mut room = [0; 10];
    let mut full = Writer::new(&mut room[..]);
    assert_eq!(unspool::Sink::write(&mut full, &file).unwrap_err().kind, unspool::ErrorKind::SinkFull);
    assert_eq!(full.failure().map(|error| error.kind()), Some(ErrorKind::WriteZero));
}

//! gzip: what gzip and flate2 write comes back, and nothing else is accepted.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use unspool::gzip::{Workspace, decode, decode_to_vec, decode_traced};
use unspool::{Class, Error, ErrorKind, Limits, Probe, probe};
use unspool_tests::{Leaves, read};

fn vector(name: &str) -> Vec<u8> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name))
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &mut Workspace::new(), &Limits::DEFAULT, &mut ())
}

/// What the `gzip` program wrote, and a file with every field that a header can have.
fn vectors() -> [(Vec<u8>, Vec<u8>, u64); 3] {
    [
        (vector("gzip/v1_int8.cvc.gz"), vector("cvc/v1_int8.cvc"), 1),
        (vector("gzip/two_members.gz"), b"hello world\n".to_vec(), 2),
        (vector("gzip/every_field.gz"), b"every field of a header\n".repeat(50), 1),
    ]
}

#[test]
fn every_vector_decodes_and_tiles() {
    let mut ws = Workspace::new();
    for (file, content, members) in vectors() {
        assert!(matches!(probe(&file), Probe::Match(unspool::Format::Gzip)));
        assert_eq!(unpack(&file).unwrap(), content);
        // Into a slice that just fits, heard.
        let (mut out, mut leaves) = (vec![0; content.len()], Leaves::default());
        let done = decode_traced(&file, &mut out, &mut ws, &Limits::DEFAULT, &mut leaves).unwrap();
        assert_eq!((done.wrote, done.members, &out), (content.len(), members, &content));
        leaves.assert_tile(file.len(), "gzip");
        // One byte less is not enough.
        let less = out.len() - 1;
        let error = decode(&file, &mut out[..less], &mut ws, &Limits::DEFAULT).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutputTooSmall);
    }
}

#[test]
fn what_an_encoder_writes_comes_back() {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for len in [0, 1, 100, 32_768, 32_769, 300_000] {
        for modulus in [1u8, 4, 255] {
            let content: Vec<u8> = (0..len).map(|_| random() % modulus).collect();
            for level in [0, 1, 6, 9] {
                let mut encoder = GzBuilder::new().filename("f").write(vec![], Compression::new(level));
                encoder.write_all(&content).unwrap();
                let file = encoder.finish().unwrap();
                assert_eq!(unpack(&file).unwrap(), content, "{len} bytes below {modulus} at level {level}");
                let twice = [file.as_slice(), &file].concat();
                assert_eq!(unpack(&twice).unwrap(), [content.as_slice(), &content].concat());
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for (file, content, _) in vectors() {
        let padded = file.iter().rev().take_while(|&&byte| byte == 0).count();
        for len in 0..file.len() {
            match unpack(&file[..len]) {
                // Only the zeros behind the end, or the members behind the first, can be missed by nobody.
                Ok(found) => {
                    assert!(content.starts_with(&found) && (len + padded >= file.len() || found.len() < content.len()));
                }
                Err(error) => {
                    assert_eq!((error.class(), error.at), (Class::Truncated, len as u64), "cut at {len}");
                }
            }
        }
    }
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing_but_the_header() {
    for (file, content, _) in vectors() {
        for bit in 0..file.len() * 8 {
            let mut bad = file.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            match unpack(&bad) {
                Ok(found) => assert_eq!(found, content, "bit {bit}"),
                Err(error) => assert!(error.at <= file.len() as u64, "bit {bit}: {error}"),
            }
        }
    }
}

#[test]
fn what_is_wrong_has_a_name() {
    let file = vector("gzip/two_members.gz");
    let kind = |at: usize, flip: u8| {
        let mut bad = file.clone();
        bad[at] ^= flip;
        unpack(&bad).map_err(|error| (error.kind, error.at)).unwrap_err()
    };
    assert_eq!(kind(0, 1), (ErrorKind::GzipMagic, 0));
    assert_eq!(kind(2, 1), (ErrorKind::GzipMethod, 2));
    assert_eq!(kind(3, 0x80), (ErrorKind::GzipReservedFlag, 3));
    let first = 10 + 8;
    assert_eq!(kind(first, 1), (ErrorKind::GzipCrc, first as u64));
    assert_eq!(kind(first + 4, 1), (ErrorKind::GzipSize, first as u64 + 4));
    // Bits are read ahead, so that the place is not exact.
    let (found, at) = kind(10, 6);
    assert!(found == ErrorKind::GzipDeflate && (10..=18).contains(&at), "{found:?} at {at}");
    let every = vector("gzip/every_field.gz");
    let mut bad = every.clone();
    bad[4] ^= 1;
    assert_eq!(unpack(&bad).unwrap_err().kind, ErrorKind::GzipHeaderCrc);
    assert_eq!(unpack(&[&every[..], b"rest"].concat()).unwrap_err().kind, ErrorKind::GzipMagic);
}

#[test]
fn limits_hold() {
    // 10 MB of zeros in 10 KB.
    let mut encoder = GzBuilder::new().write(vec![], Compression::new(9));
    encoder.write_all(&vec![0; 10_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    let limits = Limits { max_output: 1_000_000, ..Limits::DEFAULT };
    let error = decode_to_vec(&bomb, &mut Workspace::new(), &limits, &mut ()).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 1_000_001));
    let mut room = vec![0; 20_000_000];
    assert_eq!(decode(&bomb, &mut room, &mut Workspace::new(), &limits).unwrap_err(), error);
    let exact = Limits { max_output: 10_000_000, ..Limits::DEFAULT };
    assert_eq!(decode(&bomb, &mut room, &mut Workspace::new(), &exact).unwrap().wrote, 10_000_000);
    let header = Limits { max_header: 12, ..Limits::DEFAULT };
    let file = vector("gzip/v1_int8.cvc.gz");
    let error = decode_to_vec(&file, &mut Workspace::new(), &header, &mut ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::HeaderLimit);
}

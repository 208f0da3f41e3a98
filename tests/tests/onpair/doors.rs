//! The doors that all formats have agree with the column of a file.

use unspool::onpair::{decode, decode_to, decode_to_vec, decoded_len, inspect, salvage};

use super::containers::{container, containers};
use super::*;

#[test]
fn every_door_agrees() {
    let workspace = &mut Workspace::new();
    containers(|name, bytes, expected, _| {
        let bytes = &[bytes, b"trailing"].concat();
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let (options, len) = (&Options::DEFAULT, expected.len());
        assert_eq!(decoded_len(bytes, workspace, options), Ok(len as u64), "{name}");
        let mut dst = vec![0; len];
        let (mut told, mut inspected) = (Leaves::default(), Leaves::default());
        let decoded = decode(bytes, &mut dst, workspace, options, &mut told).unwrap();
        assert!(dst == expected, "{name}");
        assert_eq!(decoded.read, bytes.len() - 8, "{name}");
        assert_eq!((decoded.wrote, decoded.content, decoded.parts), (len, len as u64, 1), "{name}");
        assert_eq!(decoded.checksums.unchecked, 1, "{name}");
        let seen = inspect(bytes, workspace, options, &mut inspected).unwrap();
        assert_eq!(seen, Done { wrote: 0, ..decoded }, "{name}");
        assert_eq!(told.leaves, inspected.leaves, "{name}");
        let mut sunk: Vec<u8> = vec![];
        let mut sink = |bytes: &[u8]| {
            sunk.extend(bytes);
            Ok(())
        };
        assert_eq!(decode_to(bytes, &mut sink, workspace, options), Ok(decoded), "{name}");
        assert!(sunk == expected && decode_to_vec(bytes, options).unwrap() == expected, "{name}");
        let mut salvaged = vec![0; len];
        assert_eq!(salvage(bytes, &mut salvaged, workspace, options), (decoded, None), "{name}");
        assert!(salvaged == expected, "{name}");
        assert_eq!(Header::read(bytes, &Limits::DEFAULT), Ok(Header { bits: file.column().codes().bits() }), "{name}");
        let small = Limits { max_header: 8, ..Limits::DEFAULT };
        assert_eq!(Header::read(bytes, &small).unwrap_err().kind, ErrorKind::HeaderLimit, "{name}");
        if let Some(short) = len.checked_sub(1) {
            let error = decode(bytes, &mut dst[..short], workspace, options, &mut ()).unwrap_err();
            assert_eq!(error.class(), Class::OutputTooSmall { need: len as u64 }, "{name}");
        }
    });
}

#[test]
fn salvage_keeps_the_rows_before_the_first_error() {
    // The rows a, bc, a and one whose code names no token.
    let words = [0, 1, 0, 7].into_iter().rev().fold(0, |words: u64, code| words << 9 | code);
    let file = container(9, b"abc", &[0, 1, 3], &[words], &[0, 1, 2, 3, 4]);
    let (workspace, options) = (&mut Workspace::new(), &Options::DEFAULT);
    let expected = &b"abca"[..];
    let mut dst = [0; 32];
    let (done, error) = salvage(&file, &mut dst, workspace, options);
    assert_eq!((&dst[..done.wrote], error.unwrap().kind), (expected, ErrorKind::OnPairCode));
    // The same with a row offset that falls.
    let mut broken = file.clone();
    let last = broken.len() - 4;
    broken[last..].fill(0);
    let (done, error) = salvage(&broken, &mut dst, workspace, options);
    assert_eq!((&dst[..done.wrote], error.unwrap().kind), (expected, ErrorKind::OnPairRowOrder));
    let (done, error) = salvage(&file[..20], &mut dst, workspace, options);
    assert_eq!((done, error.unwrap().kind), (Done::default(), ErrorKind::Truncated));
    // An output that is too short gets whole rows, and so does a limit.
    let (done, error) = salvage(&broken, &mut dst[..2], workspace, options);
    assert_eq!((done.wrote, error.unwrap().kind), (1, ErrorKind::OutputTooSmall));
    let limits = Limits { max_output: 2, ..Limits::DEFAULT };
    let (done, error) = salvage(&broken, &mut dst, workspace, &Options { limits });
    assert_eq!((done.wrote, error.unwrap().kind), (1, ErrorKind::OutputLimit));
}

//! Files that end early, and files with changed bytes.

use unspool::at1::{Backend, Header, Options, Set, Workspace, inspect, scratch_len};
use unspool::{Class, ErrorKind, Limits};
use unspool_tests::at1::{file, row_groups, set, stored, string, table};
use unspool_tests::{Leaves, Random};

use super::{assert_ran, decoded, unbundled, valid, xz, zstd};

#[test]
fn a_cut_file_is_refused_or_ends_early() {
    let mut count = 0;
    valid(|vector| {
        if vector.bytes.len() > 1200 || vector.original.len() > 100_000 {
            return;
        }
        count += 1;
        for cut in 0..vector.bytes.len() {
            match decoded(&vector.bytes[..cut]) {
                // A file that is cut after a frame or before the hash is a valid shorter file.
                Ok(out) => assert!(vector.original.starts_with(&out), "{} cut at {cut}", vector.name),
                Err(error) => assert_eq!(error.class(), Class::Truncated, "{} cut at {cut}: {error}", vector.name),
            }
        }
    });
    assert_ran(count, 153, 177);
}

/// Packs, and cuts off the end.
fn cut_short(pack: impl Fn(&[u8]) -> (u8, Vec<u8>)) -> impl Fn(&[u8]) -> (u8, Vec<u8>) {
    move |bytes| {
        let (backend, mut payload) = pack(bytes);
        payload.truncate(payload.len() - 3);
        (backend, payload)
    }
}

/// An error asks for more of the file only if that can help, not for a part that ends early inside
/// of it.
#[test]
fn a_part_that_ends_early_inside_of_a_file_asks_for_no_more() {
    let text: Vec<u8> = (0..2000u32).map(|n| b'a' + (n * n % 26) as u8).collect();
    let hashed = |mut file: Vec<u8>| {
        file.extend([0; 32]);
        file.extend(b"\xA1S6\x01");
        file
    };
    let whole = |payload: &[u8]| [&b"AT1\x02\xFF"[..], payload].concat();
    let frame = |payload: &[u8]| {
        let mut file = b"AT1\x03\x04\x01".to_vec();
        string(&mut file, payload);
        file
    };
    let unpacked = |(backend, payload): (u8, Vec<u8>)| [vec![backend], payload].concat();
    let columns = vec![(0, text.clone())];
    for pack in [zstd as fn(&[u8]) -> (u8, Vec<u8>), xz] {
        let raw = unpacked(cut_short(pack)(&text));
        let table = set(&table(1, b",", columns.clone()), cut_short(pack));
        // The end of the file may be missing.
        let error = decoded(&whole(&raw)).unwrap_err();
        assert_eq!((error.class(), error.at), (Class::Truncated, whole(&raw).len() as u64));
        assert!(error.need == 0 || error.need > error.at);
        // A stream, a frame and a hashed body end inside of the file.
        let frames = [&[1][..], &raw].concat();
        let in_set = [&b"AT1\x02\x04"[..], &table].concat();
        for file in [hashed(whole(&raw)), frame(&frames), in_set, frame(&[&[0][..], &table].concat())] {
            let error = decoded(&file).unwrap_err();
            assert_eq!((error.class(), error.at <= file.len() as u64), (Class::Corrupt, true), "{error}");
            let inspected = inspect(&file, &mut Workspace::new(), &Options::DEFAULT, &mut ()).unwrap_err();
            assert_eq!(inspected.class(), Class::Corrupt, "{inspected}");
        }
    }
    // Sets, frames and payloads that pass their end.
    let outside = ErrorKind::At1StreamOutside;
    for (file, kind, at) in [
        (frame(b"\0\x01\x04me"), outside, 12),
        (frame(b"\0"), outside, 8),
        (frame(b"\x01"), ErrorKind::At1ContentSize, 8),
        (hashed(frame(b"\0\x01\x04me")), outside, 9),
        (hashed(b"AT1\x02\x04\x01".to_vec()), outside, 6),
        (hashed(b"AT1\x02\xFF".to_vec()), ErrorKind::At1ContentSize, 5),
        (hashed(b"AT1\x03\x04\x01\x09abc".to_vec()), outside, 10),
        (hashed(b"AT1\x03\x04\x01\x80".to_vec()), outside, 6),
    ] {
        let error = decoded(&file).unwrap_err();
        assert_eq!((error.kind, error.at), (kind, at), "{file:?}");
        assert_eq!(scratch_len(&file, &Options::DEFAULT).unwrap_err().class(), Class::Corrupt);
    }
    // A block of a row group has an offset of its own only if the stream of blocks is stored.
    let streams = row_groups(1, b",", &[vec![zstd(&text)], vec![cut_short(zstd)(&text)]]);
    for pack in [stored as fn(&[u8]) -> (u8, Vec<u8>), zstd] {
        let file = file(7, &streams, pack);
        let blocks =
            Set::open(&file, 5, file.len() as u64, &Limits::DEFAULT).unwrap().find(b"blocks").unwrap().unwrap();
        let error = decoded(&file).unwrap_err();
        let at = if blocks.backend == Backend::Stored { file.len() as u64 } else { blocks.start };
        assert_eq!((error.kind, error.at), (ErrorKind::At1ContentSize, at));
    }
    // A file that was cut before it was bundled.
    for pack in [stored as fn(&[u8]) -> (u8, Vec<u8>), zstd] {
        let inner = whole(&unpacked(cut_short(zstd)(&text)));
        let bundle = file(12, &[("manifest", br#"[{"name":"a"}]"#.to_vec()), ("e0", inner)], pack);
        let error = unbundled(&bundle).unwrap_err();
        assert_eq!((error.kind, error.need), (ErrorKind::At1ContentSize, 0));
    }
}

#[test]
fn no_change_of_bytes_makes_the_decoder_panic_or_fools_a_hash() {
    let mut random = Random(7);
    let mut count = 0;
    valid(|vector| {
        if vector.bytes.len() > 8000 || vector.original.len() > 60_000 {
            return;
        }
        count += 1;
        for _ in 0..30 {
            let mut bytes = vector.bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = match random.below(3) {
                    0 => bytes[at] ^ 1 << random.below(8),
                    1 => 0xFF,
                    _ => random.below(256) as u8,
                };
            }
            let verdict = decoded(&bytes);
            let hashed = Header::read(&bytes, &Limits::DEFAULT).is_ok_and(|header| header.hash.is_some());
            if let Ok(out) = verdict
                && hashed
            {
                assert!(out == vector.original, "{}: a changed file passes its hash", vector.name);
            }
            let _ = inspect(&bytes, &mut Workspace::new(), &Options::DEFAULT, &mut Leaves::default());
        }
    });
    assert_ran(count, 177, 283);
}

//! Every vector, through every door.

use std::collections::BTreeSet;

use unspool::at1::{
    Container, Done, Header, Workspace, decode, decode_to, decode_to_vec, decoded_len, inspect, scratch_needed,
};
use unspool::checksum::Sha256;
use unspool::{Class, Error, ErrorKind, Limits};
use unspool_tests::{Leaves, list, manifest, number, read, text, vector_folders};

use super::{Vector, assert_ran, decoded, unbundled, valid, with_scratch};

#[test]
fn every_vector_decodes_byte_for_byte() {
    valid(|vector| {
        let Vector { name, bytes, original, entry } = vector;
        let mut ws = Workspace::new();
        let limits = Limits::DEFAULT;
        let out = decode_to_vec(bytes, &mut ws, &limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(&out == original, "{name}: {} bytes instead of {}", out.len(), original.len());
        let header = Header::read(bytes).unwrap();
        assert_eq!(header.codec as u64, number(entry, "codec"), "{name}");
        assert_eq!(header.container == Container::Frames, number(entry, "container") == 3, "{name}");
        assert_eq!(header.hash.is_some(), entry["trailer"] == true, "{name}");

        // Exactly the room that is needed, more than that, and one byte less.
        let need = scratch_needed(bytes, &limits).unwrap();
        for more in [0, 1, 1000] {
            let mut room = vec![0x55; original.len() + more];
            let done = with_scratch(need.slice, |scratch| decode(bytes, &mut room, scratch, &mut ws, &limits));
            let (done, scratch) = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
            let expected = Done { read: bytes.len(), wrote: original.len(), hashed: header.hash.is_some() };
            assert_eq!(done, expected, "{name}");
            assert!(room[..done.wrote] == *original, "{name} with {more} more");
            if let Some(less) = scratch.len().checked_sub(1)
                && scratch.len() as u64 > need.slice
            {
                let error = decode(bytes, &mut room, &mut vec![0; less], &mut ws, &limits).unwrap_err();
                assert_eq!(error.class(), Class::WorkspaceTooSmall { need: scratch.len() as u64 }, "{name}");
            }
        }
        if let Some(less) = need.slice.checked_sub(1) {
            let mut room = vec![0; original.len()];
            let error = decode(bytes, &mut room, &mut vec![0; less as usize], &mut ws, &limits);
            assert!(matches!(error, Err(error) if matches!(error.class(), Class::WorkspaceTooSmall { .. })), "{name}");
        }
        if !original.is_empty() {
            let mut room = vec![0; original.len() - 1];
            let error = with_scratch(need.slice, |scratch| decode(bytes, &mut room, scratch, &mut ws, &limits));
            assert!(matches!(error.unwrap_err().class(), Class::OutputTooSmall { .. }), "{name} in one byte less");
            let limits = Limits { max_output: original.len() as u64, ..limits };
            assert!(decode_to_vec(bytes, &mut ws, &limits).is_ok(), "{name} with a limit of its own size");
            let limits = Limits { max_output: original.len() as u64 - 1, ..limits };
            let error = decode_to_vec(bytes, &mut ws, &limits).unwrap_err();
            assert_eq!(error.class(), Class::Limit, "{name} with a limit of one byte less");
        }

        let len = with_scratch(need.slice, |scratch| decoded_len(bytes, scratch, &mut ws, &limits));
        assert_eq!(len.map(|(len, _)| len), Ok(original.len() as u64), "{name}");
        let mut collected = vec![];
        let sunk = with_scratch(need.sink, |scratch| {
            collected.clear();
            let mut sink = |bytes: &[u8]| {
                collected.extend_from_slice(bytes);
                Ok(())
            };
            decode_to(bytes, &mut sink, scratch, &mut ws, &limits)
        });
        assert_eq!(sunk.map(|(done, _)| done.wrote), Ok(original.len()), "{name}");
        assert!(collected == *original, "{name} to a sink");
        if !original.is_empty() {
            let refusal = Error::new(ErrorKind::SinkFull, 7).needing(9);
            let mut sink = |_: &[u8]| Err(refusal);
            let sunk = with_scratch(need.sink, |scratch| decode_to(bytes, &mut sink, scratch, &mut ws, &limits));
            assert_eq!(sunk.unwrap_err(), refusal, "{name} to a sink that refuses");
        }
    });
}

#[test]
fn leaves_tile_every_vector() {
    valid(|vector| {
        let mut leaves = Leaves::default();
        let header = inspect(&vector.bytes, &mut Workspace::new(), &Limits::DEFAULT, &mut leaves);
        assert_eq!(header, Header::read(&vector.bytes), "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
    });
}

#[test]
fn bad_files_end_as_their_manifest_says() {
    let mut kinds = BTreeSet::new();
    let mut count = 0;
    for folder in vector_folders("at1") {
        let folder = folder.join("bad");
        for entry in list(&manifest(&folder.join("manifest.json")), "vectors") {
            count += 1;
            let name = text(entry, "name");
            let bytes = read(&folder.join(format!("{name}.at1")));
            let verdict = if bytes.get(..5) == Some(b"AT1\x02\x0C") { unbundled(&bytes) } else { decoded(&bytes) };
            kinds.extend(verdict.as_ref().err().map(|error| error.kind as u16));
            match (text(entry, "expect"), verdict) {
                ("reject", Err(error)) => assert!(
                    !matches!(error.class(), Class::Misuse | Class::OutputTooSmall { .. }),
                    "{name} ends with {error}"
                ),
                ("limit", Err(error)) => assert_eq!(error.class(), Class::Limit, "{name} ends with {error}"),
                ("either", Err(_)) => {}
                ("either", Ok(out)) => {
                    let inspected = inspect(&bytes, &mut Workspace::new(), &Limits::DEFAULT, &mut ());
                    assert_eq!(inspected, Header::read(&bytes), "{name} decodes");
                    let hash: String = Sha256::of(&out).iter().map(|byte| format!("{byte:02x}")).collect();
                    let opinions = ["reference_out_sha256", "python_out_sha256"];
                    let agreed = opinions.iter().any(|key| entry[*key].as_str() == Some(&hash));
                    let silent = opinions.iter().all(|key| entry[*key].is_null());
                    assert!(agreed || silent, "{name} decodes to {} bytes that nobody else gets", out.len());
                }
                (expected, verdict) => panic!("{name}: {expected}, but {verdict:?}"),
            }
        }
    }
    assert_ran(count, 189, 202);
    assert!(kinds.len() > 20);
}

//! Every vector, through every door.

use std::collections::BTreeSet;

use unspool::at1::{
    Container, Header, Options, Workspace, decode, decode_to, decode_to_vec, decoded_len, inspect, salvage,
    scratch_len, scratch_len_to,
};
use unspool::checksum::Sha256;
use unspool::{Checksums, Class, Done, Error, ErrorKind, Limits, Verify};
use unspool_tests::at1::{deltas, file, stored, table};
use unspool_tests::{Leaves, list, manifest, number, read, text, vector_folders};

use super::{Vector, assert_ran, decoded, unbundled, valid, with, with_scratch};

#[test]
fn every_vector_decodes_byte_for_byte() {
    valid(|vector| {
        let Vector { name, bytes, original, entry } = vector;
        let mut workspace = Workspace::new();
        let options = Options::DEFAULT;
        let out = decode_to_vec(bytes, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(&out == original, "{name}: {} bytes instead of {}", out.len(), original.len());
        let header = Header::read(bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(header.codec as u64, number(entry, "codec"), "{name}");
        assert_eq!(header.container == Container::Frames, number(entry, "container") == 3, "{name}");
        assert_eq!(header.hash.is_some(), entry["trailer"] == true, "{name}");

        // Exactly the space that is needed, more than that, and one byte less.
        let (need, need_to) = (scratch_len(bytes, &options).unwrap(), scratch_len_to(bytes, &options).unwrap());
        for more in [0, 1, 1000] {
            let mut room = vec![0x55; original.len() + more];
            let done =
                with_scratch(need, |scratch| decode(bytes, &mut room, &mut workspace, scratch, &options, &mut ()));
            let (done, scratch) = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
            let hashed = u64::from(header.hash.is_some());
            let checksums = Checksums { matched: hashed, unchecked: 1 - hashed, ..Checksums::default() };
            let content = original.len() as u64;
            let expected = Done { read: bytes.len(), wrote: original.len(), content, checksums, ..Done::default() };
            let parts = done.parts;
            assert!(parts > 0 || header.container == Container::Frames, "{name}");
            let expected = Done { parts, ..expected };
            assert_eq!(done, expected, "{name}");
            assert!(room[..done.wrote] == *original, "{name} with {more} more");
            if let Some(less) = scratch.len().checked_sub(1)
                && scratch.len() as u64 > need
            {
                let error =
                    decode(bytes, &mut room, &mut workspace, &mut vec![0; less], &options, &mut ()).unwrap_err();
                assert_eq!(error.class(), Class::WorkspaceTooSmall { need: scratch.len() as u64 }, "{name}");
            }
        }
        if let Some(less) = need.checked_sub(1) {
            let mut room = vec![0; original.len()];
            let error = decode(bytes, &mut room, &mut workspace, &mut vec![0; less as usize], &options, &mut ());
            assert!(matches!(error, Err(error) if matches!(error.class(), Class::WorkspaceTooSmall { .. })), "{name}");
        }
        if !original.is_empty() {
            let mut room = vec![0; original.len() - 1];
            let error =
                with_scratch(need, |scratch| decode(bytes, &mut room, &mut workspace, scratch, &options, &mut ()));
            assert!(matches!(error.unwrap_err().class(), Class::OutputTooSmall { .. }), "{name} in one byte less");
            let options = with(Limits { max_output: original.len() as u64, ..Limits::DEFAULT });
            assert!(decode_to_vec(bytes, &options).is_ok(), "{name} with a limit of its own size");
            let options = with(Limits { max_output: original.len() as u64 - 1, ..Limits::DEFAULT });
            let error = decode_to_vec(bytes, &options).unwrap_err();
            assert_eq!(error.class(), Class::Limit, "{name} with a limit of one byte less");
        }

        let len = with_scratch(need, |scratch| decoded_len(bytes, &mut workspace, scratch, &options));
        assert_eq!(len.map(|(len, _)| len), Ok(original.len() as u64), "{name}");
        let mut collected = vec![];
        let sunk = with_scratch(need_to, |scratch| {
            collected.clear();
            let mut sink = |bytes: &[u8]| {
                collected.extend_from_slice(bytes);
                Ok(())
            };
            decode_to(bytes, &mut sink, &mut workspace, scratch, &options)
        });
        assert_eq!(sunk.map(|(done, _)| done.wrote), Ok(original.len()), "{name}");
        assert!(collected == *original, "{name} to a sink");
        if !original.is_empty() {
            let refusal = Error::new(ErrorKind::SinkFull, 7).needing(9);
            let mut sink = |_: &[u8]| Err(refusal);
            let sunk = with_scratch(need_to, |scratch| decode_to(bytes, &mut sink, &mut workspace, scratch, &options));
            assert_eq!(sunk.unwrap_err(), refusal, "{name} to a sink that refuses");
        }
    });
}

#[test]
fn leaves_tile_every_vector() {
    valid(|vector| {
        let mut leaves = Leaves::default();
        let (mut workspace, options) = (Workspace::new(), Options::DEFAULT);
        let done = inspect(&vector.bytes, &mut workspace, &options, &mut leaves).unwrap();
        let hashed = Header::read(&vector.bytes, &options.limits).unwrap().hash.is_some();
        assert_eq!((done.read, done.checksums.matched == 1), (vector.bytes.len(), hashed), "{}", vector.name);
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
                    let inspected = inspect(&bytes, &mut Workspace::new(), &Options::DEFAULT, &mut ());
                    assert!(inspected.is_ok(), "{name} decodes");
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

/// A trace receives the events of `inspect` and changes nothing. `Verify` decides about a wrong
/// hash.
#[test]
fn a_trace_changes_nothing_and_verify_decides_about_a_wrong_hash() {
    let mut hashed = 0;
    valid(|vector| {
        let Vector { name, bytes, original, .. } = vector;
        let (mut workspace, mut out) = (Workspace::new(), vec![0; original.len()]);
        let decode = |bytes: &[u8], out: &mut [u8], workspace: &mut Workspace, options: &Options| {
            let mut leaves = Leaves::default();
            let need = scratch_len(bytes, options)?;
            let done = with_scratch(need, |scratch| {
                leaves = Leaves::default();
                decode(bytes, out, workspace, scratch, options, &mut leaves)
            });
            done.map(|(done, _)| (done, leaves))
        };
        let (done, leaves) = decode(bytes, &mut out, &mut workspace, &Options::DEFAULT).unwrap();
        assert!(out == *original, "{name}");
        leaves.assert_tile(bytes.len(), name);
        if done.checksums.matched == 0 {
            return;
        }
        hashed += 1;
        let mut wrong = bytes.clone();
        let at = wrong.len() - 20;
        wrong[at] ^= 1;
        let mut with = |verify| {
            out.fill(0);
            let options = Options { verify, ..Options::DEFAULT };
            decode(&wrong, &mut out, &mut workspace, &options).map(|(done, _)| {
                assert!(out == *original, "{name}");
                done.checksums
            })
        };
        let error = with(Verify::Refuse).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::At1Hash, bytes.len() as u64 - 36), "{name}");
        assert_eq!(with(Verify::Report), Ok(Checksums { mismatched: 1, ..Checksums::default() }), "{name}");
        assert_eq!(with(Verify::Skip), Ok(Checksums { unchecked: 1, ..Checksums::default() }), "{name}");
        let (done, error) = salvage(&wrong, &mut out, &mut workspace, &mut vec![0; 1 << 20], &Options::DEFAULT);
        if error.is_some_and(|error| error.kind == ErrorKind::At1Hash) {
            assert!(out[..done.wrote] == *original, "{name}");
        }
    });
    assert_ran(hashed, 13, 32);
}

/// A table whose last stream has an empty name, which no codec reads.
#[test]
fn leaves_tile_a_file_with_a_stream_without_a_name() {
    let mut streams = table(2, b",", vec![(1, deltas([1, 7])), (0, b"a\nb".to_vec())]);
    streams.push(("", b"of a newer writer".to_vec()));
    let bytes = file(4, &streams, stored);
    assert_eq!(decoded(&bytes).as_deref(), Ok(&b"1,a\n7,b\n"[..]));
    let mut leaves = Leaves::default();
    inspect(&bytes, &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap();
    leaves.assert_tile(bytes.len(), "a stream without a name");
}

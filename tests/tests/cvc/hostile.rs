//! Files that are truncated, corrupt or made to cost much.

use std::cell::RefCell;
use std::collections::BTreeMap;

use unspool::checksum::Crc32;
use unspool::cvc::{File, Options, Outline, Workspace, inspect};
use unspool::tree::Tree;
use unspool::{Class, Error, ErrorKind, Limits};
use unspool_tests::{Leaves, Random, golden_verdicts, list, manifest, number, read, text, vector_folders};

use crate::{BAD, OPTIONS, SKIP, WORKSPACE, decode_all, expected, outlined, stream, valid};

#[test]
fn outline_of_a_hostile_file_ends() {
    for folder in vector_folders("cvc") {
        let folder = folder.join("bad");
        for variant in list(&manifest(&folder.join("manifest.json")), "variants") {
            let bytes = read(&folder.join(text(variant, "file")));
            let inspected = inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut Tree::new(0));
            match (outlined(&bytes, &Limits::DEFAULT).1, inspected) {
                (Err(error), inspected) => assert_eq!(inspected.unwrap_err(), error, "{}", text(variant, "name")),
                // An outline does not read payloads.
                (Ok(chunks), Ok(done)) => assert_eq!(chunks, done.parts),
                (Ok(_), Err(_)) => {}
            }
        }
    }
    // Chunks at any offset, even all at one, and beyond the end of the file.
    let at = |offsets: &[u64]| {
        let chunks: Vec<_> =
            offsets.iter().map(|at| format!(r#"{{"rows":1,"min":0.5,"scale":0.5,"file_offset":{at}}}"#)).collect();
        let (count, chunks) = (offsets.len(), chunks.join(","));
        let json = format!(r#"{{"chunks":[{chunks}],"compression":"int8","dimension":1,"num_vectors":{count}}}"#);
        let mut bytes = b"CVCF\x01\0\0\0".to_vec();
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(json.as_bytes());
        bytes.resize(1000, 0);
        bytes[900] = 1;
        outlined(&bytes, &Limits::DEFAULT).1.map_err(|error| (error.kind, error.at))
    };
    assert_eq!(at(&[900; 4]), Ok(4));
    assert_eq!(at(&[900, 1000]), Err((ErrorKind::Truncated, 1000)));
    assert_eq!(at(&[900, 995]), Err((ErrorKind::Truncated, 1000)));
    assert_eq!(at(&[u64::MAX]), Err((ErrorKind::Truncated, 1000)));
    assert_eq!(at(&[901]), Err((ErrorKind::CvcChunkLength, 901)));
    assert_eq!(at(&[900, 7]).unwrap_err().0, ErrorKind::CvcChunkOutside);
    // Other bytes than the outline needs.
    let bytes = read(&vector_folders("cvc")[0].join("v1_int8.cvc"));
    let mut outline = Outline::open(&bytes[..], bytes.len() as u64, &Limits::DEFAULT, &mut ()).unwrap();
    let at = outline.needs().unwrap().start;
    assert_eq!(
        outline.feed(at, &[0; 3], &mut Workspace::new(), &mut ()),
        Err(Error::new(ErrorKind::Truncated, at + 3).needing(at + 8))
    );
    assert_eq!(outline.needs(), None);
    assert_eq!(Outline::open(&bytes[..], at - 1, &Limits::DEFAULT, &mut ()).unwrap_err().need, at);
}

#[test]
fn refuses_a_file_cut_at_any_byte() {
    let mut workspace = vec![0; WORKSPACE];
    let workspace = RefCell::new(&mut workspace);
    valid(|name, bytes, entry, folder| {
        let end = number(entry, "end_of_last_payload") as usize;
        let step = 1 + end / 2000;
        for (column_name, expected) in expected(entry, folder) {
            for cut in (0..end).step_by(step) {
                let whole = decode_all(&bytes[..cut], column_name.as_deref());
                let mut room = workspace.borrow_mut();
                let (out, end) =
                    stream(&bytes[..cut], column_name.as_deref(), &mut room, &Limits::DEFAULT, || (50, 50));
                let (whole, streamed) = (whole.unwrap_err(), end.unwrap_err());
                assert_eq!(whole, streamed, "{name} cut at {cut}");
                assert_eq!((whole.kind, whole.at), (ErrorKind::Truncated, cut as u64), "{name} cut at {cut}");
                assert!(whole.need > cut as u64, "{name} cut at {cut}");
                assert!(expected.starts_with(&out), "{name} cut at {cut}: wrong bytes before the error");
                assert!(
                    inspect(&bytes[..cut], &mut Workspace::new(), &OPTIONS, &mut Leaves::default()).is_err(),
                    "{name} cut at {cut}"
                );
            }
        }
    });
}

/// Decodes all columns at once and as a stream, and inspects the file. All must agree.
fn verdict(bytes: &[u8], workspace: &mut [u8], random: &mut Random) -> Result<(), Error> {
    // Small limits, so that mutated headers cannot make a test slow.
    let limits = Limits { max_output: 1 << 26, ..Limits::DEFAULT };
    let inspected = inspect(bytes, &mut Workspace::new(), &Options { limits, ..OPTIONS }, &mut Leaves::default());
    let file = File::open(bytes, &limits)?;
    for column in file.columns() {
        let column = column?;
        let name = column.name().to_string();
        let name = file.is_columnar().then_some(name.as_str());
        // Of two columns with one name only the last can be named.
        let column = match name {
            Some(name) => match file.column(name) {
                Ok(column) => column,
                Err(_) => continue, // a lone surrogate in a name cannot be typed
            },
            None => column,
        };
        let mut out: Vec<u8> = vec![];
        let mut sink = |bytes: &[u8]| {
            out.extend(bytes);
            Ok(())
        };
        let whole = column.decode_to(bytes, column.rows(), &mut sink, &OPTIONS);
        let (streamed, end) = stream(bytes, name, workspace, &limits, || (1 + random.below(60), 1 + random.below(60)));
        match (whole, end) {
            (Ok(_), Ok(_)) => assert!(out == streamed),
            // Out-of-order chunks need random access, and a lossless chunk the workspace.
            (_, Err(Error { kind: ErrorKind::CvcBackwards | ErrorKind::WorkspaceTooSmall, .. })) => {}
            // Only bytes after the end of the data show it, which a stream does not read.
            (Err(Error { kind: ErrorKind::CvcHiddenCrc, .. }), Ok(_)) => {}
            (Err(whole), Err(streamed)) => assert_eq!((whole.kind, whole.at), (streamed.kind, streamed.at)),
            (whole, end) => panic!("in one piece {whole:?}, streamed {end:?}"),
        }
        if let Err(error) = whole {
            assert!(
                error.class() == Class::Limit || inspected.is_err(),
                "{error}: decoding finds it, inspecting does not"
            );
            return Err(error);
        }
    }
    inspected.map(drop)
}

#[test]
fn bad_files_end_as_the_manifest_says() {
    let mut workspace = vec![0; WORKSPACE];
    for folder in vector_folders("cvc") {
        let folder = folder.join("bad");
        let mut verdicts = BTreeMap::new();
        for variant in list(&manifest(&folder.join("manifest.json")), "variants") {
            let (name, suggested) = (text(variant, "name"), text(variant, "suggested"));
            let bytes = read(&folder.join(text(variant, "file")));
            let verdict = verdict(&bytes, &mut workspace, &mut Random(1));
            match suggested {
                "accept" => assert_eq!(verdict, Ok(()), "{name} must be accepted"),
                "reject" => assert!(verdict.is_err(), "{name} must be refused"),
                other => assert_eq!(other, "either"),
            }
            verdicts.insert(name.to_owned(), verdict);
        }
        assert_eq!(verdicts.len(), BAD);
        golden_verdicts("cvc-bad.txt", &verdicts);
    }
}

#[test]
fn mutated_files_never_panic_and_all_readers_agree() {
    let mut workspace = vec![0; WORKSPACE];
    let workspace = RefCell::new(&mut workspace);
    valid(|name, bytes, _, _| {
        if bytes.len() > 20_000 {
            return;
        }
        let mut random = Random(name.len() as u64 * 1000 + bytes.len() as u64);
        let head = File::open(bytes, &Limits::DEFAULT).unwrap().head_len() as usize;
        for _ in 0..60 {
            let mut mutated = bytes.to_vec();
            for _ in 0..=random.below(3) {
                if mutated.is_empty() {
                    break;
                }
                // Mostly in the header, where it matters.
                let bound = if random.below(4) == 0 { mutated.len() } else { head.min(mutated.len()) };
                let at = random.below(bound.max(1)).min(mutated.len().saturating_sub(1));
                match random.below(6) {
                    0 => mutated[at] = b'0' + random.below(10) as u8,
                    1 => mutated[at] ^= 1 << random.below(8),
                    2 => mutated[at] = b"{}[]\",:-eE.\\u0 nN"[random.below(17)],
                    3 => drop(mutated.remove(at)),
                    4 => mutated.insert(at, b"0123456789\"}]"[random.below(13)]),
                    _ => mutated.truncate(at.max(1)),
                }
            }
            let _ = verdict(&mutated, &mut workspace.borrow_mut(), &mut random);
        }
    });
}

#[test]
fn false_counts_neither_allocate_nor_return_stale_bytes() {
    // 2^40 rows of dimension 2^20, and no data: refused by the limit, by the slice, and by the
    // file's length.
    let json =
        r#"{"num_vectors":1099511627776,"dimension":1048576,"compression":"fp16","chunks":[{"rows":1099511627776}]}"#;
    let mut bytes = b"CVCF\x01\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    bytes.extend([0; 8]);
    let kind = |limits: &Limits| {
        let file = File::open(&bytes, limits).unwrap();
        let column = file.only_column().unwrap();
        let mut out = [7.5f32; 4];
        let options = Options { limits: *limits, ..OPTIONS };
        let error = column.decode(&bytes, column.rows(), &mut out, &options).unwrap_err();
        assert_eq!(out, [7.5; 4]);
        assert!(column.decode_to_vec::<f32>(&bytes, column.rows(), &SKIP).is_err());
        error.kind
    };
    assert_eq!(kind(&Limits::DEFAULT), ErrorKind::OutputLimit);
    assert_eq!(kind(&Limits::NONE), ErrorKind::OutputTooSmall);
}

/// Returns a file with these int8 chunks of one value a row: the offset and the rows of each.
fn laid_out(chunks: &[(usize, usize)]) -> Vec<u8> {
    let rows: usize = chunks.iter().map(|(_, rows)| rows).sum();
    let places: Vec<_> =
        chunks.iter().map(|(at, rows)| format!(r#"{{"rows":{rows},"min":0,"scale":1,"file_offset":{at}}}"#)).collect();
    let places = places.join(",");
    let json = format!(r#"{{"chunks":[{places}],"compression":"int8","dimension":1,"num_vectors":{rows}}}"#);
    let mut bytes = b"CVCF\x01\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    for &(at, rows) in chunks {
        let payload: Vec<u8> = (0..rows).map(|row| row as u8).collect();
        assert!(at >= json.len() + 12);
        bytes.resize(bytes.len().max(at + 8 + rows), 0);
        bytes[at..at + 4].copy_from_slice(&(rows as u32).to_le_bytes());
        bytes[at + 4..at + 8].copy_from_slice(&Crc32::of(&payload).to_le_bytes());
        bytes[at + 8..at + 8 + rows].copy_from_slice(&payload);
    }
    bytes
}

#[test]
fn an_offset_that_no_file_has_is_the_same_error_in_pieces() {
    for offset in [u64::MAX, u64::MAX - 8] {
        let json = format!(
            r#"{{"chunks":[{{"rows":1,"min":0,"scale":1,"file_offset":{offset}}}],"compression":"int8","dimension":1,"num_vectors":1}}"#
        );
        let mut bytes = b"CVCF\x01\0\0\0".to_vec();
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(json.as_bytes());
        let whole = decode_all(&bytes, None).unwrap_err();
        assert_eq!(whole.kind, ErrorKind::CvcChunkOutside);
        let (_, streamed) = stream(&bytes, None, &mut [0; 1000], &Limits::DEFAULT, || (7, 7));
        assert_eq!(streamed, Err(whole));
    }
}

#[test]
fn refuses_overlapping_chunks_before_they_cost_more_than_the_file() {
    let refused = |bytes: &[u8]| {
        let kinds = [
            decode_all(bytes, None).unwrap_err(),
            inspect(bytes, &mut Workspace::new(), &OPTIONS, &mut ()).unwrap_err(),
            outlined(bytes, &Limits::DEFAULT).1.unwrap_err(),
        ];
        assert!(kinds.iter().all(|error| (error.kind, error.at) == (kinds[0].kind, kinds[0].at)), "{kinds:?}");
        let (_, streamed) = stream(bytes, None, &mut [0; 10_000], &Limits::DEFAULT, || (1000, 1000));
        assert_eq!(streamed.unwrap_err().kind, ErrorKind::CvcBackwards);
        kinds[0].kind
    };
    assert_eq!(refused(&laid_out(&[(9000, 10_000); 3])), ErrorKind::CvcChunkOutside);
    assert_eq!(refused(&laid_out(&[(9000, 10_000); 90])), ErrorKind::CvcChunkOutside);
    // Chunks after the header may be in any order, and adjacent.
    for places in [[500, 1508, 2516], [2516, 1508, 500], [1508, 2516, 500]] {
        let bytes = laid_out(&places.map(|at| (at, 1000)));
        let values: Vec<u8> =
            (0..3).flat_map(|_| (0..1000u32).flat_map(|row| f32::from(row as u8).to_le_bytes())).collect();
        assert!(decode_all(&bytes, None).unwrap() == values);
        assert_eq!(inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut ()).unwrap().checksums.matched, 3);
    }
}

#[test]
fn a_hundred_thousand_chunks_open_and_decode() {
    let chunks = vec![r#"{"compression":"int8","min":-0.5,"rows":1,"scale":0.00392156862745098}"#; 100_000].join(",");
    let json = format!(r#"{{"chunks":[{chunks}],"compression":"int8","dimension":2,"num_vectors":100000}}"#);
    let mut bytes = b"CVCF\x01\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    for chunk in 0..100_000u32 {
        let payload = [chunk as u8, (chunk >> 8) as u8];
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(Crc32::of(&payload).to_le_bytes());
        bytes.extend(payload);
    }
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    assert_eq!(file.chunk_count(), 100_000);
    let column = file.only_column().unwrap();
    let values = column.decode_to_vec::<f32>(&bytes, column.rows(), &OPTIONS).unwrap();
    assert_eq!(values[2 * 70_000], (70_000u32 as u8) as f32 * 0.003_921_569_f32 - 0.5);
    let few = Limits { max_elements: 99_999, ..Limits::DEFAULT };
    assert_eq!(File::open(&bytes, &few).unwrap_err().kind, ErrorKind::ElementLimit);
    let mut workspace = vec![0; json.len() + 12];
    let (out, end) = stream(&bytes, None, &mut workspace, &Limits::DEFAULT, || (64 << 10, 64 << 10));
    assert_eq!(end.unwrap().matched, 100_000);
    assert_eq!(out, values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
    let short = workspace.len() - 1;
    let (_, end) = stream(&bytes, None, &mut workspace[..short], &Limits::DEFAULT, || (1000, 1000));
    assert_eq!(end.unwrap_err().class(), Class::WorkspaceTooSmall { need: json.len() as u64 + 12 });
}

/// The bytes of the values that the header claims overflow 64 bits.
#[test]
fn refuses_rows_of_a_chunk_whose_length_overflows() {
    for encoding in ["fp16", "int8"] {
        let head = format!(
            r#"{{"num_vectors": {rows}, "dimension": 2, "compression": "{encoding}", "chunks": [{{"rows": {rows}, "min": 0, "scale": 1}}]}}"#,
            rows = 1u64 << 62
        );
        let (payload, len) = ([0x3Cu8; 8], 8u32.to_le_bytes());
        let crc = Crc32::of(&payload).to_le_bytes();
        let head_len = (head.len() as u32).to_le_bytes();
        let bytes = [b"CVCF\x01\0\0\0", &head_len[..], head.as_bytes(), &len, &crc, &payload].concat();
        let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
        let column = file.only_column().unwrap();
        for rows in [0..1, 2..3, 5..7] {
            let mut out = [0xAA; 64];
            let error = column.decode_bytes(&bytes, rows.clone(), &mut out, &OPTIONS).expect_err(encoding);
            assert!(matches!(error.class(), Class::Corrupt | Class::Truncated), "{encoding} {rows:?}: {error:?}");
            assert!(out == [0xAA; 64], "{encoding} {rows:?}");
        }
        assert!(inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut ()).is_err(), "{encoding}");
    }
}

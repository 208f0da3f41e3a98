//! AT-1 against its vectors: byte for byte in both wrappings and all codecs, and hostile files refused.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "test inputs are small")]

use std::collections::BTreeSet;
use std::io::Write as _;

use serde_json::Value as Json;
use unspool::at1::{
    Backend, Bundle, Codec, Container, Done, Header, Set, Workspace, decode, decode_to, decode_to_vec, decoded_len,
    inspect, scratch_needed,
};
use unspool::checksum::Sha256;
use unspool::{Class, Error, ErrorKind, Limits};
use unspool_tests::at1::{deltas, file, numbers, row_groups, set, signed, stored, string, table, unsigned};
use unspool_tests::{Leaves, Random, list, manifest, number, read, text, vector_folders};

/// A vector: its name, its bytes, what it decodes to, and its entry in the manifest.
struct Vector {
    name: String,
    bytes: Vec<u8>,
    original: Vec<u8>,
    entry: Json,
}

/// Runs `test` on every valid vector; says how many there were.
fn valid(test: impl Fn(&Vector)) -> usize {
    let mut count = 0;
    for folder in vector_folders("at1") {
        for entry in list(&manifest(&folder.join("manifest.json")), "vectors") {
            let name = text(entry, "name").to_owned();
            let bytes = read(&folder.join(format!("{name}.at1")));
            let original = read(&folder.join(format!("{name}.orig")));
            test(&Vector { name, bytes, original, entry: entry.clone() });
            count += 1;
        }
    }
    count
}

/// What a file decodes to, as far as a test cares to wait.
fn decoded(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &mut Workspace::new(), &Limits { max_output: 64 << 20, ..Limits::DEFAULT })
}

/// As much scratch as `run` asks for, starting from what the headers say.
fn with_scratch<T>(start: u64, mut run: impl FnMut(&mut [u8]) -> Result<T, Error>) -> Result<(T, Vec<u8>), Error> {
    let mut scratch = vec![0xA5; start as usize];
    loop {
        match run(&mut scratch) {
            Ok(value) => return Ok((value, scratch)),
            Err(error) if matches!(error.class(), Class::WorkspaceTooSmall { .. }) => {
                assert!(error.need > scratch.len() as u64, "asks for {} and has {}", error.need, scratch.len());
                scratch = vec![0xA5; error.need as usize];
            }
            Err(error) => return Err(error),
        }
    }
}

#[test]
fn every_vector_decodes_byte_for_byte() {
    let count = valid(|vector| {
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
    println!("{count} vectors");
    assert!(count > 60);
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
    for folder in vector_folders("at1") {
        let folder = folder.join("bad");
        for entry in list(&manifest(&folder.join("manifest.json")), "vectors") {
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
    println!("{} kinds of error", kinds.len());
    assert!(kinds.len() > 20);
}

/// Decodes the files of a bundle one behind the other.
fn unbundled(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let (limits, mut ws) = (Limits::DEFAULT, Workspace::new());
    let mut out = vec![];
    let mut scratch = vec![0; scratch_needed(bytes, &limits)?.slice as usize];
    for file in Bundle::open(bytes, &mut scratch, &mut ws, &limits)? {
        let file = file?;
        let mut inner = vec![0; file.entry.decoded_size(bytes, &limits)? as usize];
        file.entry.decode(bytes, &mut inner, &mut ws, &limits)?;
        out.extend(format!("{}:", file.name).bytes());
        out.extend(decoded(&inner).map_err(|error| file.locate(error))?);
    }
    Ok(out)
}

#[test]
fn a_cut_file_is_refused_or_ends_early() {
    let count = valid(|vector| {
        if vector.bytes.len() > 1200 || vector.original.len() > 100_000 {
            return;
        }
        for cut in 0..vector.bytes.len() {
            match decoded(&vector.bytes[..cut]) {
                // What is cut behind a frame or before the hash is a shorter file.
                Ok(out) => assert!(vector.original.starts_with(&out), "{} cut at {cut}", vector.name),
                // A part of a hash belongs to nothing.
                Err(_) if Header::read(&vector.bytes).is_ok_and(|header| header.body_end < cut as u64) => {}
                Err(error) => assert_eq!(error.class(), Class::Truncated, "{} cut at {cut}: {error}", vector.name),
            }
        }
    });
    assert!(count > 0);
}

/// Packs, and leaves out the end.
fn cut_short(pack: impl Fn(&[u8]) -> (u8, Vec<u8>)) -> impl Fn(&[u8]) -> (u8, Vec<u8>) {
    move |bytes| {
        let (backend, mut payload) = pack(bytes);
        payload.truncate(payload.len() - 3);
        (backend, payload)
    }
}

/// Packs as xz does.
fn xz(bytes: &[u8]) -> (u8, Vec<u8>) {
    let mut encoder = liblzma::write::XzEncoder::new(vec![], 6);
    encoder.write_all(bytes).unwrap();
    (0, encoder.finish().unwrap())
}

/// More of the file is asked for only where that would help: not by what ends early inside of it.
#[test]
fn what_ends_early_inside_of_a_file_asks_for_no_more_of_it() {
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
        // The end of these is there: of a stream, of a frame, of what was hashed.
        let frames = [&[1][..], &raw].concat();
        let in_set = [&b"AT1\x02\x04"[..], &table].concat();
        for file in [hashed(whole(&raw)), frame(&frames), in_set, frame(&[&[0][..], &table].concat())] {
            let error = decoded(&file).unwrap_err();
            assert_eq!((error.class(), error.at <= file.len() as u64), (Class::Corrupt, true), "{error}");
            let inspected = inspect(&file, &mut Workspace::new(), &Limits::DEFAULT, &mut ()).unwrap_err();
            assert_eq!(inspected.class(), Class::Corrupt, "{inspected}");
        }
    }
    // Sets, frames and payloads that go on behind their end.
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
        assert_eq!(scratch_needed(&file, &Limits::DEFAULT).unwrap_err().class(), Class::Corrupt);
    }
    // A block of a row group lies at a place of its own only where the stream of blocks is stored.
    let streams = row_groups(1, b",", &[vec![zstd(&text)], vec![cut_short(zstd)(&text)]]);
    for pack in [stored as fn(&[u8]) -> (u8, Vec<u8>), zstd] {
        let file = file(7, &streams, pack);
        let blocks =
            Set::open(&file, 5, file.len() as u64, &Limits::DEFAULT).unwrap().find(b"blocks").unwrap().unwrap();
        let error = decoded(&file).unwrap_err();
        let at = if blocks.backend == Backend::Stored { file.len() as u64 } else { blocks.start };
        assert_eq!((error.kind, error.at), (ErrorKind::At1ContentSize, at));
    }
    // A file of a bundle that was cut before it came into it.
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
    let seeds = std::cell::RefCell::new(&mut random);
    valid(|vector| {
        if vector.bytes.len() > 8000 || vector.original.len() > 60_000 {
            return;
        }
        let mut random = seeds.borrow_mut();
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
            let hashed = Header::read(&bytes).is_ok_and(|header| header.hash.is_some());
            if let Ok(out) = verdict
                && hashed
            {
                assert!(out == vector.original, "{}: a changed file passes its hash", vector.name);
            }
            let _ = inspect(&bytes, &mut Workspace::new(), &Limits::DEFAULT, &mut Leaves::default());
        }
    });
}

/// Packs with zstd.
fn zstd(bytes: &[u8]) -> (u8, Vec<u8>) {
    (1, zstd::bulk::compress(bytes, 3).unwrap())
}

/// A file of three things, one of each kind, and lines as they are around them.
fn osm() -> (Vec<u8>, &'static str) {
    let mut verbatim = vec![];
    string(&mut verbatim, b"<osm version=\"0.6\">\n  <!-- two lines -->");
    string(&mut verbatim, b"</osm>");
    let strings = |items: &[&str]| {
        items.iter().fold(vec![], |mut out, item| {
            string(&mut out, item.as_bytes());
            out
        })
    };
    let streams = [
        ("meta", vec![1]),
        ("opcodes", vec![0, 1, 1, 2, 2, 3, 3, 0]),
        ("verbatim", verbatim),
        ("tag_keys", b"\x02name\0a b\0".to_vec()),
        ("roles", b"\x02\0outer\0".to_vec()),
        ("n_id", deltas([5, 3])),
        ("n_ts", deltas([1_704_067_199, 0])),
        ("n_lat", deltas([525_200_000, -5])),
        ("n_lon", deltas([134_050_001, 0])),
        ("n_ver", numbers([1, 300])),
        ("n_tagcnt", numbers([0, 2])),
        ("n_tagkey", numbers([1, 0])),
        ("n_tagval", strings(&["", "caf\u{e9} &amp; bar"])),
        ("w_id", deltas([-7, 1 << 40])),
        ("w_ts", deltas([-1, 951_782_400])),
        ("w_ver", numbers([2, 2])),
        ("w_ndcnt", numbers([2, 0])),
        ("w_ndref", deltas([5, 3])),
        ("w_tagcnt", numbers([0, 0])),
        ("r_id", deltas([1, 2])),
        ("r_ts", deltas([0, 0])),
        ("r_ver", numbers([0, 1])),
        ("r_memcnt", numbers([0, 3])),
        ("r_memtype", numbers([0, 1, 2])),
        ("r_memref", deltas([8, -7, 1])),
        ("r_memrole", numbers([0, 1, 0])),
        ("r_tagcnt", numbers([1, 1])),
        ("r_tagkey", numbers([0, 0])),
        ("r_tagval", strings(&["x", "y"])),
    ];
    let text = r#"<osm version="0.6">
  <!-- two lines -->
  <node id="5" version="1" timestamp="2023-12-31T23:59:59Z" lat="52.52" lon="13.4050001"/>
  <node id="3" version="300" timestamp="1970-01-01T00:00:00Z" lat="-0.0000005" lon="0">
    <tag k="a b" v=""/>
    <tag k="name" v="café &amp; bar"/>
  </node>
  <way id="-7" version="2" timestamp="1969-12-31T23:59:59Z">
    <nd ref="5"/>
    <nd ref="3"/>
  </way>
  <way id="1099511627776" version="2" timestamp="2000-02-29T00:00:00Z"/>
  <relation id="1" version="0" timestamp="1970-01-01T00:00:00Z">
    <tag k="name" v="x"/>
  </relation>
  <relation id="2" version="1" timestamp="1970-01-01T00:00:00Z">
    <member type="node" ref="8" role=""/>
    <member type="way" ref="-7" role="outer"/>
    <member type="relation" ref="1" role=""/>
    <tag k="name" v="y"/>
  </relation>
</osm>
"#;
    (file(2, &streams, stored), text)
}

#[test]
fn an_openstreetmap_extract() {
    let (bytes, text) = osm();
    assert_eq!(String::from_utf8(decoded(&bytes).unwrap()).unwrap(), text);
    for cut in 0..bytes.len() {
        assert!(decoded(&bytes[..cut]).is_err(), "{cut}");
    }
    let mut leaves = Leaves::default();
    inspect(&bytes, &mut Workspace::new(), &Limits::DEFAULT, &mut leaves).unwrap();
    leaves.assert_tile(bytes.len(), "osm");
}

/// A sink cannot take back what it was given: all that an image needs is known before, so that it is decoded once.
#[test]
fn an_image_to_a_sink_needs_what_was_said() {
    let (before, pixels) = (vec![b'p'; 100_000], vec![1; 64 * 64]);
    for transform in 0..3u8 {
        let mut meta = vec![1, transform, 0];
        meta.extend(numbers([64, 64, 1, 8, 0]));
        let streams = [("meta", meta), ("pre", before.clone()), ("pix", pixels.clone()), ("suf", b"end".to_vec())];
        for pack in [stored as fn(&[u8]) -> (u8, Vec<u8>), zstd] {
            let bytes = file(9, &streams, pack);
            let (limits, mut ws) = (Limits::DEFAULT, Workspace::new());
            let need = scratch_needed(&bytes, &limits).unwrap();
            let mut scratch = vec![0; need.sink as usize];
            let mut run = |scratch: &mut [u8]| {
                let mut collected = vec![];
                let mut sink = |bytes: &[u8]| {
                    collected.extend_from_slice(bytes);
                    Ok(())
                };
                let done = decode_to(&bytes, &mut sink, scratch, &mut ws, &limits);
                (done.map(|done| done.wrote), collected)
            };
            let (wrote, collected) = run(&mut scratch);
            assert_eq!((wrote, &collected), (Ok(before.len() + pixels.len() + 3), &decoded(&bytes).unwrap()));
            let (wrote, collected) = run(&mut scratch[1..]);
            if transform > 0 {
                assert_eq!(wrote.map_err(|error| error.class()), Err(Class::WorkspaceTooSmall { need: need.sink }));
                assert_eq!(collected.len(), 0, "nothing is written before");
            }
        }
    }
}

#[test]
fn a_bundle_gives_its_files_one_by_one() {
    let mut inner = b"AT1\x02\xFF\x02second file".to_vec();
    inner.extend(Sha256::of(b"second file"));
    inner.extend(b"\xA1S6\x01");
    let names = br#"[{"name": "a.txt", "size": 3}, {"name":"b/\u00fc.osm"}, {"name":"c"}]"#;
    let streams =
        [("manifest", names.to_vec()), ("e0", b"AT1\x02\xFF\x02one".to_vec()), ("e1", osm().0), ("e2", inner)];
    for pack in [stored as fn(&[u8]) -> (u8, Vec<u8>), zstd] {
        let bundle = file(12, &streams, pack);
        let expected = format!("a.txt:oneb/ü.osm:{}c:second file", osm().1);
        assert_eq!(unbundled(&bundle).map(|out| String::from_utf8(out).unwrap()), Ok(expected));
        assert_eq!(decoded(&bundle).map_err(|error| error.kind), Err(ErrorKind::At1BundleWhole));
        // What is wrong with a file of it is at a place in the bundle.
        let inner = b"AT1\x02\xFF\x07one";
        let broken = file(12, &[("manifest", br#"[{"name":"a"}]"#.to_vec()), ("e0", inner.to_vec())], pack);
        let (mut scratch, mut ws) = ([0; 64], Workspace::new());
        let entry = Bundle::open(&broken, &mut scratch, &mut ws, &Limits::DEFAULT).unwrap().next();
        let entry = entry.unwrap().unwrap().entry;
        let error = unbundled(&broken).unwrap_err();
        let inside = decoded(inner).unwrap_err();
        let at = entry.start + if entry.backend == Backend::Stored { inside.at } else { 0 };
        assert_eq!((error.kind, error.at), (inside.kind, at));
        let mut leaves = Leaves::default();
        let header = inspect(&bundle, &mut Workspace::new(), &Limits::DEFAULT, &mut leaves).unwrap();
        assert_eq!((header.codec, header.hash), (Codec::Bundle, None), "the hash at the end belongs to the last file");
        leaves.assert_tile(bundle.len(), "bundle");
        for cut in 0..bundle.len() {
            assert!(unbundled(&bundle[..cut]).is_err());
        }
    }
    for (names, kind) in [
        (&br#"[{"name":"../x"}]"#[..], ErrorKind::At1UnsafeName),
        (br#"[{"name":"x"},{"name":"y"}]"#, ErrorKind::At1Manifest),
        (br#"[{"title":"x"}]"#, ErrorKind::At1Manifest),
        (br#"{"name":"x"}"#, ErrorKind::At1Manifest),
        (br#"[{"name":5}]"#, ErrorKind::At1Manifest),
        (br#"[{"name":"x"}"#, ErrorKind::JsonSyntax),
    ] {
        let bundle = file(12, &[("manifest", names.to_vec()), ("e0", b"AT1\x02\xFF\x02".to_vec())], stored);
        assert_eq!(unbundled(&bundle).map_err(|error| error.kind), Err(kind));
    }
}

#[test]
fn a_derived_column_of_many_values_is_not_quadratic() {
    let count = 300_000u64;
    let source = deltas((0..count).map(|n| (n as i64).wrapping_mul(7919) % 1_000_003));
    let mut map = numbers([0, count]);
    for n in 0..count {
        string(&mut map, format!("v{n}").as_bytes());
    }
    let mut chained = numbers([1, count]);
    for n in 0..count {
        string(&mut chained, format!("w{n}").as_bytes());
    }
    let bytes = file(4, &table(count, b",", vec![(1, source), (4, map), (4, chained)]), zstd);
    let start = std::time::Instant::now();
    let out = decoded(&bytes).unwrap();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    let mut expected = String::new();
    for n in 0..count {
        expected += &format!("{},v{n},w{n}\n", (n as i64).wrapping_mul(7919) % 1_000_003);
    }
    assert!(out == expected.into_bytes());
}

#[test]
fn a_derived_column_follows_texts_and_numbers_that_read_alike() {
    // Numbers 7, 7, 8 and the exceptions "7" and "x": four texts, of which the first is a number and an exception.
    let mut source = vec![0];
    unsigned(&mut source, 5);
    source.push(0b01011);
    unsigned(&mut source, 2);
    string(&mut source, b"7");
    string(&mut source, b"x");
    [7, 0, 1].into_iter().for_each(|delta| signed(&mut source, delta));
    let mut map = numbers([0, 3]);
    ["seven", "eight", "letter"].into_iter().for_each(|text| string(&mut map, text.as_bytes()));
    let bytes = file(4, &table(5, b";", vec![(3, source), (4, map)]), stored);
    let text = decoded(&bytes).map(|out| String::from_utf8(out).unwrap());
    assert_eq!(text.as_deref(), Ok("7;seven\n7;seven\n7;seven\n8;eight\nx;letter\n"));
}

#[test]
fn a_derived_column_lags_behind_its_source_in_ragged_rows() {
    let map = |source: u64, values: [&str; 3]| {
        let mut map = numbers([source, 3]);
        values.into_iter().for_each(|text| string(&mut map, text.as_bytes()));
        (4, map)
    };
    // Value i of a derived column follows from value i of its source, whichever rows they are in.
    let sources = [(0, b"a\nb\na\nc\nb\nc".to_vec()), (1, deltas([7, -8, 7, 9, -8, 9]))];
    for (source, names) in sources.into_iter().zip([["a", "b", "c"], ["7", "-8", "9"]]) {
        let columns = vec![source, map(0, ["x", "y", "z"]), map(1, ["X", "Y", "Z"]), map(2, ["1", "2", "3"])];
        let mut streams = table(6, b",", columns);
        let counts = streams.iter_mut().find(|(name, _)| *name == "fieldcounts").unwrap();
        counts.1 = numbers([4, 1, 2, 3, 4, 4]);
        let [a, b, c] = names;
        let expected = format!("{a},x,X,1\n{b}\n{a},y\n{c},x,Y\n{b},z,X,2\n{c},y,Z,1\n");
        let text = decoded(&file(4, &streams, stored)).map(|out| String::from_utf8(out).unwrap());
        assert_eq!(text, Ok(expected));
    }
}

#[test]
fn frames_follow_each_other_and_each_is_limited() {
    let mut bytes = b"AT1\x03\x04".to_vec();
    unsigned(&mut bytes, 2);
    let mut original = vec![];
    for n in 0..5i64 {
        let mut frame = vec![0];
        frame.extend(set(&table(2, b",", vec![(1, deltas([n, -n])), (0, b"a\nb".to_vec())]), zstd));
        string(&mut bytes, &frame);
        string(&mut bytes, b"\x01\x02as it is\n");
        original.extend(format!("{n},a\n{},b\nas it is\n", -n).bytes());
    }
    assert_eq!(decoded(&bytes), Ok(original.clone()));
    let hash = Sha256::of(&original);
    bytes.extend(hash);
    bytes.extend(b"\xA1S6\x01");
    assert_eq!(decoded(&bytes), Ok(original.clone()));
    let at = bytes.len() - 20;
    bytes[at] ^= 1;
    assert_eq!(decoded(&bytes).map_err(|error| error.kind), Err(ErrorKind::At1Hash));
}

#[test]
fn gaps_that_stay_empty_do_not_keep_the_decoder_busy() {
    // A message template of 300 000 gaps and nothing else, used by 100 000 lines that fill none of them.
    let (lines, gaps) = (100_000u64, 300_000);
    let feeds = |text: &str| vec![text; lines as usize].join("\n").into_bytes();
    let mut meta = numbers([lines]);
    meta.push(1);
    let ssh = [
        ("meta", meta.clone()),
        ("flags", vec![2; lines as usize]),
        ("months", feeds("")),
        ("days", feeds("")),
        ("times", feeds("")),
        ("hosts", feeds("")),
        ("pids", vec![0; lines as usize]),
        ("template_ids", vec![0; lines as usize]),
        ("templates", "<*>".repeat(gaps).into_bytes()),
        ("vars", feeds("")),
    ];
    let mut rules = numbers([1, gaps as u64 + 1]);
    rules.extend(vec![0; gaps + 1]);
    unsigned(&mut rules, gaps as u64);
    rules.extend(vec![0; gaps]);
    let json = [
        ("meta", meta),
        ("flags", vec![1; lines as usize]),
        ("value_index", vec![1, 0]),
        ("rules", rules),
        ("tape", [3, 0].repeat(lines as usize)),
    ];
    let start = std::time::Instant::now();
    for bytes in [file(0, &ssh, zstd), file(1, &json, zstd)] {
        assert_eq!(decoded(&bytes).map(|out| out.len()).map_err(|error| error.kind), Err(ErrorKind::At1EmptyGaps));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// Streams may stand in any order, but it must not take time that grows with the square of how many there are.
#[test]
fn the_files_of_a_large_bundle_are_found_in_time() {
    const COUNT: usize = 3000;
    let names: Vec<String> = (0..COUNT).map(|number| format!(r#"{{"name":"{number}"}}"#)).collect();
    let manifest = format!("[{}]", names.join(","));
    let mut text_order: Vec<usize> = (0..COUNT).collect();
    text_order.sort_by_key(|number| number.to_string());
    let twice = (0..COUNT).chain([7]).collect();
    let unnamed = (0..=COUNT).collect();
    let (in_order, reversed) = ((0..COUNT).collect(), (0..COUNT).rev().collect());
    for (order, expected) in [
        (in_order, Ok(())),
        (text_order, Ok(())),
        (reversed, Err(ErrorKind::ElementLimit)),
        (twice, Err(ErrorKind::At1StreamTwice)),
        (unnamed, Err(ErrorKind::At1Manifest)),
    ] {
        let order: Vec<usize> = order;
        let streams: Vec<String> = order.iter().map(|number| format!("e{number}")).collect();
        let mut all = vec![("manifest", manifest.clone().into_bytes())];
        all.extend(streams.iter().map(|name| (name.as_str(), name.clone().into_bytes())));
        let bytes = file(12, &all, stored);
        let limits = Limits { max_elements: 4000, ..Limits::DEFAULT };
        let (mut scratch, mut ws) = (vec![0; manifest.len()], Workspace::new());
        let mut check = || -> Result<(), Error> {
            let mut number = 0;
            for found in Bundle::open(&bytes, &mut scratch, &mut ws, &limits)? {
                let range = found?.entry.range();
                assert_eq!(&bytes[range.start as usize..range.end as usize], format!("e{number}").as_bytes());
                number += 1;
            }
            assert_eq!(number, COUNT);
            Ok(())
        };
        assert_eq!(check().map_err(|error| error.kind), expected);
    }
}

//! Codecs that no vector covers well.

use unspool::at1::{Options, Workspace, decode, decode_to, inspect, salvage, scratch_len_to};
use unspool::checksum::Sha256;
use unspool::{Class, ErrorKind};
use unspool_tests::at1::{deltas, file, numbers, row_groups, set, signed, stored, string, table, unsigned};
use unspool_tests::{Leaves, Random};

use super::{decoded, zstd};

/// An extract with a node, a way and a relation, between verbatim lines.
pub(crate) fn osm() -> (Vec<u8>, &'static str) {
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
fn decodes_an_openstreetmap_extract() {
    let (bytes, text) = osm();
    assert_eq!(String::from_utf8(decoded(&bytes).unwrap()).unwrap(), text);
    for cut in 0..bytes.len() {
        assert!(decoded(&bytes[..cut]).is_err(), "{cut}");
    }
    let mut leaves = Leaves::default();
    inspect(&bytes, &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap();
    leaves.assert_tile(bytes.len(), "osm");
}

/// Otherwise a damaged stream that nothing reads would end the trace of a file that is read.
#[test]
fn refuses_the_streams_of_a_shape_that_a_file_does_not_have() {
    let with = |name| {
        let streams =
            [("meta", numbers([1, 1, 0])), ("line_map", vec![0]), ("verbatim", b"a".to_vec()), (name, vec![])];
        file(11, &streams, stored)
    };
    for name in ["t:meta", "t0:bloom", "t64:meta", "other"] {
        assert_eq!(decoded(&with(name)).as_deref(), Ok(b"a\n".as_slice()), "{name}");
    }
    for name in ["t0:meta", "t1:verbatim", "t63:template"] {
        let bytes = with(name);
        let at = bytes.len() - name.len() - 3;
        let error = decoded(&bytes).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::At1Shapes, at as u64), "{name}");
    }
}

/// A sink cannot take bytes back. All scratch for an image is requested before, so that it is
/// decoded once.
#[test]
fn an_image_to_a_sink_takes_the_announced_scratch() {
    let (before, pixels) = (vec![b'p'; 100_000], vec![1; 64 * 64]);
    for transform in 0..3u8 {
        let mut meta = vec![1, transform, 0];
        meta.extend(numbers([64, 64, 1, 8, 0]));
        let streams = [("meta", meta), ("pre", before.clone()), ("pix", pixels.clone()), ("suf", b"end".to_vec())];
        for pack in [stored as fn(&[u8]) -> (u8, Vec<u8>), zstd] {
            let bytes = file(9, &streams, pack);
            let (options, mut workspace) = (Options::DEFAULT, Workspace::new());
            let need = scratch_len_to(&bytes, &options).unwrap();
            let mut scratch = vec![0; need as usize];
            let mut run = |scratch: &mut [u8]| {
                let mut collected = vec![];
                let mut sink = |bytes: &[u8]| {
                    collected.extend_from_slice(bytes);
                    Ok(())
                };
                let done = decode_to(&bytes, &mut sink, &mut workspace, scratch, &options);
                (done.map(|done| done.wrote), collected)
            };
            let (wrote, collected) = run(&mut scratch);
            assert_eq!((wrote, &collected), (Ok(before.len() + pixels.len() + 3), &decoded(&bytes).unwrap()));
            let (wrote, collected) = run(&mut scratch[1..]);
            if transform > 0 {
                assert_eq!(wrote.map_err(|error| error.class()), Err(Class::WorkspaceTooSmall { need }));
                assert_eq!(collected.len(), 0, "nothing is written before");
            }
        }
    }
}

#[test]
fn a_derived_column_follows_texts_and_numbers_that_read_alike() {
    // Numbers 7, 7, 8 and the exceptions "7" and "x": four texts. The first is both a number and an
    // exception.
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
    // Value i of a derived column follows from value i of its source, in whichever rows they are.
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

/// Builds a table in row groups with some verbatim lines, and its text. A block that is `short`
/// lacks its last value.
fn groups(random: &mut Random, short: bool) -> (Vec<u8>, String) {
    let (columns, per_group) = (1 + random.below(5), 2 + random.below(39));
    let count = 1 + random.below(4);
    let texts: Vec<Vec<Vec<String>>> = (0..count)
        .map(|_| {
            let column = |random: &mut Random| {
                let text = |random: &mut Random| "0123456789abcdef".repeat(3)[..random.below(40)].to_owned();
                (0..per_group).map(|_| text(random)).collect()
            };
            (0..columns).map(|_| column(random)).collect()
        })
        .collect();
    let broken = random.below(count * columns);
    let packed: Vec<Vec<_>> = (0..count)
        .map(|group| {
            (0..columns)
                .map(|column| {
                    let texts = &texts[group][column];
                    let len = per_group - usize::from(short && group * columns + column == broken);
                    zstd(texts[..len].join("\n").as_bytes())
                })
                .collect()
        })
        .collect();
    let mut streams = row_groups(per_group as u64, b",", &packed);
    let (mut lines, mut modes, mut verbatim) = (vec![], vec![], vec![]);
    for group in &texts {
        for row in 0..per_group {
            while random.below(9) == 0 {
                lines.push("as it is".to_owned());
                verbatim.push("as it is");
                modes.push(0);
            }
            lines.push(group.iter().map(|column| &*column[row]).collect::<Vec<_>>().join(","));
            modes.push(1);
        }
    }
    let rows = (count * per_group) as u64;
    let mut meta = numbers([lines.len() as u64]);
    meta.push(0);
    string(&mut meta, b",");
    meta.extend(numbers([columns as u64, per_group as u64, rows, count as u64]));
    meta.extend(vec![0; columns]);
    (streams[0].1, streams[1].1) = (meta, modes);
    streams.push(("verbatim", verbatim.join("\n").into_bytes()));
    (file(7, &streams, stored), lines.join("\n"))
}

#[test]
fn runs_of_rows_are_the_rows_one_by_one() {
    let (mut random, mut errors) = (Random(5), 0);
    for round in 0..400 {
        let short = round % 4 == 0;
        let (bytes, text) = groups(&mut random, short);
        let (options, mut workspace) = (Options::DEFAULT, Workspace::new());
        let mut scratch = vec![0; 1 << 16];
        // A sink of 4 KiB seldom has room for a run.
        let mut sunk = vec![];
        let mut sink = |bytes: &[u8]| {
            sunk.extend_from_slice(bytes);
            Ok(())
        };
        let one_by_one = decode_to(&bytes, &mut sink, &mut workspace, &mut scratch, &options);
        for slack in [0, 1, 31, 32, 33, 5000] {
            let mut out = vec![0; text.len() + slack];
            let (done, error) = salvage(&bytes, &mut out, &mut workspace, &mut scratch, &options);
            assert_eq!(error, one_by_one.err());
            assert!(out[..done.wrote] == sunk);
            if error.is_none() {
                assert_eq!(str::from_utf8(&out[..done.wrote]), Ok(&*text));
            }
        }
        errors += usize::from(one_by_one.is_err());
        let mut out = vec![0; text.len()];
        for _ in 0..10 {
            let len = random.below(text.len() + 1);
            let error = decode(&bytes, &mut out[..len], &mut workspace, &mut scratch, &options, &mut ()).err();
            let is_full = error.is_some_and(|error| error.kind == ErrorKind::OutputTooSmall && error.need > len as u64);
            assert!(is_full || len == text.len() || one_by_one.is_err(), "{len} of {}: {error:?}", text.len());
        }
    }
    assert_eq!(errors, 100);
}

/// Without a backend, the next number is the length of a file of xz. One that is no such length is
/// the number of a backend that nobody knows.
#[test]
fn an_unknown_backend_is_no_length() {
    for backend in 3..=32u8 {
        let bytes = file(4, &[("meta", vec![0; 40])], |bytes| (backend, bytes.to_vec()));
        // The magic number, the version, the codec, a count, and a name with its length.
        let at = 4 + 1 + 1 + 1 + 4;
        let error = decoded(&bytes).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::At1Backend, at), "{backend}");
    }
}

//! Bundles: several files in one.

use unspool::at1::{Backend, Bundle, Codec, Header, Options, Workspace, inspect};
use unspool::checksum::Sha256;
use unspool::{Error, ErrorKind, Limits};
use unspool_tests::Leaves;
use unspool_tests::at1::{file, stored};

use super::codecs::osm;
use super::{decoded, unbundled, with, zstd};

#[test]
fn a_bundle_returns_its_files_one_by_one() {
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
        // An error in a file of the bundle has an offset in the bundle.
        let inner = b"AT1\x02\xFF\x07one";
        let broken = file(12, &[("manifest", br#"[{"name":"a"}]"#.to_vec()), ("e0", inner.to_vec())], pack);
        let (mut scratch, mut workspace) = ([0; 64], Workspace::new());
        let entry = Bundle::open(&broken, &mut workspace, &mut scratch, &Options::DEFAULT).unwrap().next();
        let entry = entry.unwrap().unwrap().entry;
        let error = unbundled(&broken).unwrap_err();
        let inside = decoded(inner).unwrap_err();
        let at = entry.start + if entry.backend == Backend::Stored { inside.at } else { 0 };
        assert_eq!((error.kind, error.at), (inside.kind, at));
        let mut leaves = Leaves::default();
        let done = inspect(&bundle, &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap();
        let header = Header::read(&bundle, &Limits::DEFAULT).unwrap();
        assert_eq!((header.codec, header.hash), (Codec::Bundle, None), "the hash at the end belongs to the last file");
        assert_eq!(done.checksums.unchecked, 1);
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

/// Streams may come in any order. The time must not grow with the square of their number.
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
        let (mut scratch, mut workspace) = (vec![0; manifest.len()], Workspace::new());
        let mut check = || -> Result<(), Error> {
            let mut number = 0;
            for found in Bundle::open(&bytes, &mut workspace, &mut scratch, &with(limits))? {
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

//! Every prefix of every valid vector of the compact set is truncated, except those that are valid
//! files themselves.

use unspool::{Class, Count, Done, Limits, Result, at1, cvc, gzip, lzma, onpair, pco, xz, zstd};
use unspool_tests::{files_in, list, manifest, read, text, vector_folders};

const LIMITS: Limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };

/// Decodes every prefix of a file. Returns how many are valid.
fn valid_prefixes(name: &str, bytes: &[u8], decode: impl Fn(&[u8]) -> Result<Done>) -> usize {
    let mut valid = 0;
    for cut in 0..bytes.len() {
        match decode(&bytes[..cut]) {
            Ok(done) => {
                assert_eq!(done.read, cut, "{name} cut to {cut} bytes: not all of it was read");
                valid += 1;
            }
            Err(error) => assert_eq!(error.class(), Class::Truncated, "{name} cut to {cut} bytes: {error:?}"),
        }
    }
    valid
}

/// Decodes the prefixes of all vectors up to 20,000 bytes. Asserts the number of files, of their
/// prefixes, and of those that are valid.
#[track_caller]
fn every_prefix(format: &str, extension: &str, expected: [usize; 3], decode: impl Fn(&[u8]) -> Result<Done>) {
    let folder = &vector_folders(format)[0];
    let mut found = [0; 3];
    for path in files_in(folder) {
        let is_bad = path.components().any(|part| part.as_os_str() == "bad");
        let bytes = if is_bad { vec![] } else { read(&path) };
        if path.extension().is_none_or(|found| found != extension) || bytes.is_empty() || bytes.len() > 20_000 {
            continue;
        }
        if decode(&bytes).is_err_and(|error| error.class() == Class::Limit) {
            continue;
        }
        let valid = valid_prefixes(&path.display().to_string(), &bytes, &decode);
        found = [found[0] + 1, found[1] + bytes.len(), found[2] + valid];
    }
    assert_eq!(found, expected);
}

/// A file may end after each of its frames.
#[test]
fn of_zstd() {
    let folder = &vector_folders("zstd")[0];
    let mut found = [0; 3];
    for entry in list(&manifest(&folder.join("manifest.json")), "files") {
        let (name, bytes) = (text(entry, "file"), read(&folder.join(text(entry, "file"))));
        let flavour = match text(entry, "variant") {
            "zstd" => zstd::Flavour::Rfc8878,
            "zstd-draft" => zstd::Flavour::Draft,
            _ => zstd::Flavour::V07,
        };
        let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
        let dictionary = dictionary.as_deref().map(zstd::Dictionary::new);
        let options = zstd::Options { limits: LIMITS, flavour: Some(flavour), dictionary, ..zstd::Options::DEFAULT };
        let (mut workspace, mut room) = (zstd::Workspace::new(), vec![0; 1 << 20]);
        if bytes.len() > 20_000 || zstd::decode(&bytes, &mut room, &mut workspace, &options, &mut ()).is_err() {
            continue;
        }
        let rooms = std::cell::RefCell::new((workspace, room));
        let valid = valid_prefixes(name, &bytes, |prefix| {
            let (workspace, room) = &mut *rooms.borrow_mut();
            zstd::decode(prefix, room, workspace, &options, &mut ())
        });
        found = [found[0] + 1, found[1] + bytes.len(), found[2] + valid];
    }
    assert_eq!(found, [651, 203_882, 50]);
}

/// A file may end after each of its streams.
#[test]
fn of_xz() {
    let options = xz::Options { limits: LIMITS, ..xz::Options::DEFAULT };
    every_prefix("xz", "xz", [3, 2864, 0], |bytes| {
        let (mut workspace, mut room) = (xz::Workspace::new(), vec![0; 1 << 20]);
        xz::decode(bytes, &mut room, &mut workspace, &options, &mut ())
    });
}

#[test]
fn of_lzma() {
    let options = lzma::Options { limits: LIMITS, ..lzma::Options::DEFAULT };
    every_prefix("lzma", "lzma", [3, 2088, 0], |bytes| {
        lzma::decode(bytes, &mut vec![0; 1 << 20], &mut lzma::Workspace::new(), &options, &mut ())
    });
}

/// A file may end after each of its members.
#[test]
fn of_gzip() {
    let options = gzip::Options { limits: LIMITS, ..gzip::Options::DEFAULT };
    every_prefix("gzip", "gz", [3, 2017, 13], |bytes| {
        gzip::decode(bytes, &mut vec![0; 1 << 20], &mut gzip::Workspace::new(), &options, &mut ())
    });
}

#[test]
fn of_cvc() {
    let options = cvc::Options { limits: LIMITS, ..cvc::Options::DEFAULT };
    every_prefix("cvc", "cvc", [58, 98_286, 0], |bytes| {
        let mut table = vec![0; 1 << 12];
        cvc::inspect(bytes, &mut cvc::Workspace::with_table(&mut table), &options, &mut ())
    });
}

#[test]
fn of_pco() {
    let options = pco::Options { limits: LIMITS, ..pco::Options::DEFAULT };
    let rooms = std::cell::RefCell::new((vec![0; 1 << 17], vec![0; 1 << 17]));
    every_prefix("pco", "pco", [407, 215_216, 0], |bytes| {
        let (workspace, scratch) = &mut *rooms.borrow_mut();
        pco::decode_to(bytes, &mut Count::default(), workspace, scratch, &options)
    });
}

#[test]
fn of_onpair() {
    let options = onpair::Options { limits: LIMITS };
    every_prefix("onpair", "onp", [3, 22_968, 0], |bytes| {
        onpair::decode_to(bytes, &mut Count::default(), &mut onpair::Workspace::new(), &options)
    });
}

/// A file may end after each of its frames, and before its hash. A stored payload has no length.
#[test]
fn of_at1() {
    let options = at1::Options { limits: LIMITS, ..at1::Options::DEFAULT };
    let rooms = std::cell::RefCell::new((at1::Workspace::new(), vec![0; 1 << 20]));
    every_prefix("at1", "at1", [196, 246_795, 77], |bytes| {
        let (workspace, scratch) = &mut *rooms.borrow_mut();
        at1::decode_to(bytes, &mut Count::default(), workspace, scratch, &options)
    });
}

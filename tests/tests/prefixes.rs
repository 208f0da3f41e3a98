//! Every prefix of every valid vector of the compact set is truncated, except those that are valid
//! files themselves.

use unspool::{Class, Count, Done, Error, Limits, Result, at1, cvc, gzip, lzma, onpair, pco, xz, zstd};
use unspool_tests::{files_in, flavour, is_bad, list, manifest, read, text, vector_folders};

const LIMITS: Limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };

/// The number of files, of their prefixes, and of prefixes that are valid.
type Counts = [usize; 3];

/// Decodes every prefix of a file up to 20,000 bytes, unless it decodes to more than there is room.
fn every_prefix(name: &str, bytes: &[u8], counts: &mut Counts, mut decode: impl FnMut(&[u8]) -> Result<Done>) {
    let is_large = |error: Error| matches!(error.class(), Class::Limit | Class::OutputTooSmall { .. });
    if bytes.len() > 20_000 || decode(bytes).is_err_and(is_large) {
        return;
    }
    counts[0] += 1;
    counts[1] += bytes.len();
    for cut in 0..bytes.len() {
        match decode(&bytes[..cut]) {
            Ok(done) => {
                assert_eq!(done.read, cut, "{name} cut to {cut} bytes: not all of it was read");
                counts[2] += 1;
            }
            Err(error) => assert_eq!(error.class(), Class::Truncated, "{name} cut to {cut} bytes: {error:?}"),
        }
    }
}

/// Decodes every prefix of the valid vectors of a format.
#[track_caller]
fn check(format: &str, extension: &str, expected: Counts, mut decode: impl FnMut(&[u8]) -> Result<Done>) {
    let mut counts = [0; 3];
    for path in files_in(&vector_folders(format)[0]) {
        if path.extension().is_some_and(|found| found == extension) && !is_bad(&path) {
            every_prefix(&path.display().to_string(), &read(&path), &mut counts, &mut decode);
        }
    }
    assert_eq!(counts, expected);
}

/// A file may end after each of its frames.
#[test]
fn of_zstd() {
    let (folder, mut counts) = (&vector_folders("zstd")[0], [0; 3]);
    let (mut workspace, mut room) = (zstd::Workspace::new(), vec![0; 1 << 20]);
    for entry in list(&manifest(&folder.join("manifest.json")), "files") {
        let (name, flavour) = (text(entry, "file"), Some(flavour(entry)));
        let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
        let dictionary = dictionary.as_deref().map(zstd::Dictionary::new);
        let options = zstd::Options { limits: LIMITS, flavour, dictionary, ..zstd::Options::DEFAULT };
        every_prefix(name, &read(&folder.join(name)), &mut counts, |bytes| {
            zstd::decode(bytes, &mut room, &mut workspace, &options, &mut ())
        });
    }
    assert_eq!(counts, [651, 203_882, 50]);
}

/// A file may end after each of its streams.
#[test]
fn of_xz() {
    let options = xz::Options { limits: LIMITS, ..xz::Options::DEFAULT };
    check("xz", "xz", [3, 2864, 0], |bytes| {
        xz::decode(bytes, &mut vec![0; 1 << 20], &mut xz::Workspace::new(), &options, &mut ())
    });
}

#[test]
fn of_lzma() {
    let options = lzma::Options { limits: LIMITS, ..lzma::Options::DEFAULT };
    check("lzma", "lzma", [3, 2088, 0], |bytes| {
        lzma::decode(bytes, &mut vec![0; 1 << 20], &mut lzma::Workspace::new(), &options, &mut ())
    });
}

/// A file may end after each of its members.
#[test]
fn of_gzip() {
    let options = gzip::Options { limits: LIMITS, ..gzip::Options::DEFAULT };
    check("gzip", "gz", [3, 2017, 13], |bytes| {
        gzip::decode(bytes, &mut vec![0; 1 << 20], &mut gzip::Workspace::new(), &options, &mut ())
    });
}

#[test]
fn of_cvc() {
    let options = cvc::Options { limits: LIMITS, ..cvc::Options::DEFAULT };
    check("cvc", "cvc", [58, 98_286, 0], |bytes| {
        let mut table = vec![0; 1 << 12];
        cvc::inspect(bytes, &mut cvc::Workspace::with_table(&mut table), &options, &mut ())
    });
}

#[test]
fn of_pco() {
    let options = pco::Options { limits: LIMITS, ..pco::Options::DEFAULT };
    let (mut workspace, mut scratch) = (vec![0; 1 << 17], vec![0; 1 << 17]);
    check("pco", "pco", [407, 215_216, 0], |bytes| {
        pco::decode_to(bytes, &mut Count::default(), &mut workspace, &mut scratch, &options)
    });
}

#[test]
fn of_onpair() {
    let options = onpair::Options { limits: LIMITS };
    check("onpair", "onp", [3, 22_968, 0], |bytes| {
        onpair::decode_to(bytes, &mut Count::default(), &mut onpair::Workspace::new(), &options)
    });
}

/// A file may end after each of its frames, and before its hash. A stored payload has no length.
#[test]
fn of_at1() {
    let options = at1::Options { limits: LIMITS, ..at1::Options::DEFAULT };
    let (mut workspace, mut scratch) = (at1::Workspace::new(), vec![0; 1 << 20]);
    check("at1", "at1", [196, 246_795, 77], |bytes| {
        at1::decode_to(bytes, &mut Count::default(), &mut workspace, &mut scratch, &options)
    });
}

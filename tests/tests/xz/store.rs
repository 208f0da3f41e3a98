//! Decoding to a store, which is the dictionary.

use std::collections::BTreeSet;

use super::*;
use unspool::{Done, SinkStore};

fn stored(bytes: &[u8], capacity: usize, page: usize, options: &Options) -> (Vec<u8>, Result<Done, Error>) {
    let mut store = CheckedStore { bytes: vec![], capacity, page, old: vec![] };
    let done = decode_to_store(bytes, &mut store, &mut Workspace::new(), &mut vec![0; page], options);
    (store.bytes, done)
}

/// Asserts that a store ends as a slice of the same length does, with the same bytes.
fn agree(name: &str, bytes: &[u8], len: usize, page: usize, options: &Options) {
    let mut slice = vec![0; len];
    let whole = decode(bytes, &mut slice, &mut Workspace::new(), options, &mut ());
    let (out, done) = stored(bytes, len, page, options);
    assert_eq!(done, whole, "{name}, pages of {page}");
    if let Ok(done) = done {
        assert!(out == slice[..done.wrote], "{name}, pages of {page}");
    }
}

/// Files without filters, and the lengths of their content.
fn files() -> Vec<(String, Vec<u8>, usize)> {
    let text = mixed(20_000, 7);
    let mut files = vec![];
    for check in CHECKS {
        files.push((format!("blocks, {check:?}"), blocks(&text, 3000, check), text.len()));
        files.push((format!("preset 6, {check:?}"), preset(&text, 6, check), text.len()));
    }
    for (lc, lp, pb) in [(0, 0, 0), (0, 4, 4), (4, 0, 1), (1, 3, 2)] {
        let mut properties = options(4096);
        properties.literal_context_bits(lc).literal_position_bits(lp).position_bits(pb);
        let file = filtered(&text, Filters::new().lzma2(&properties), Check::Crc32);
        files.push((format!("lc {lc}, lp {lp}, pb {pb}"), file, text.len()));
    }
    let noise: Vec<u8> = (0..5000u32).map(|n| (n.wrapping_mul(0x9E37_79B1) >> 13) as u8).collect();
    files.push(("stored".to_owned(), preset(&[&noise[..], &text[..3000], &noise].concat(), 0, Check::Crc32), 13_000));
    let (several, content) = several();
    files.push(("several".to_owned(), several, content.len()));
    files.push(("nothing".to_owned(), preset(b"", 6, Check::Crc64), 0));
    files
}

#[test]
fn a_store_holds_what_a_slice_does() {
    for (name, file, len) in files() {
        for page in [1, 2, 15, 16, 17, 1000, 1024, 4096, 1 << 20] {
            agree(&name, &file, len, page, &Options::DEFAULT);
        }
        agree(&name, &file, len + 100, 1024, &Options::DEFAULT);
        if let Some(less) = len.checked_sub(1) {
            agree(&name, &file, less, 1024, &Options::DEFAULT);
        }
        for cut in (0..file.len()).step_by(file.len() / 500 + 1) {
            agree(&name, &file[..cut], len, 256, &Options::DEFAULT);
        }
        for streams in [Streams::One, Streams::First] {
            agree(&name, &file, len, 1024, &Options { streams, ..Options::DEFAULT });
        }
    }
}

#[test]
fn a_dictionary_and_a_page_hold_enough_history() {
    let text = mixed(20_000, 9);
    let file = filtered(&text, Filters::new().lzma2(&options(4096)), Check::Crc32);
    let windowed = |window, page| {
        let (mut out, mut window) = (vec![], vec![0; window]);
        let mut store = SinkStore::new(&mut window, |bytes: &[u8]| {
            out.extend(bytes);
            Ok(())
        });
        let page = &mut vec![0; page];
        let done = decode_to_store(&file, &mut store, &mut Workspace::new(), page, &Options::DEFAULT);
        (out, done.map_err(|error| error.kind))
    };
    for page in [1, 100, 4096, 30_000] {
        let (out, done) = windowed(4096, page);
        assert!(done.is_ok() && out == text, "pages of {page}: {done:?}");
    }
    let (out, done) = windowed(1000, 64);
    assert_eq!(done, Err(ErrorKind::StoreFailed));
    assert!(text.starts_with(&out));
}

#[test]
fn mutated_files_end_alike_in_a_slice_and_in_a_store() {
    let mut random = Random(34);
    let mut decoded = 0;
    for (name, file, len) in files() {
        for _ in 0..400 {
            let mut broken = file.clone();
            for _ in 0..1 + random.below(2) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
            let verify = [Verify::Refuse, Verify::Report, Verify::Skip][random.below(3)];
            let options = Options { verify, ..Options::DEFAULT };
            agree(&name, &broken, len + 50, 1 + random.below(2000), &options);
            decoded += usize::from(stored(&broken, len + 50, 1024, &options).1.is_ok());
        }
    }
    assert!(decoded > 20, "only {decoded} decode");
}

#[test]
fn a_match_reaches_the_first_byte_and_not_further() {
    // After one byte, the code of the first match takes all values.
    let (file, mut kinds) = (preset(&[b'a'; 40], 6, Check::None), [0, 0]);
    for code in 0..=u16::MAX {
        let mut file = file.clone();
        file[32..34].copy_from_slice(&code.to_be_bytes());
        let mut room = [0; 40];
        let whole = decode(&file, &mut room, &mut Workspace::new(), &Options::DEFAULT, &mut ());
        let (_, end) = stored(&file, 40, 16, &Options::DEFAULT);
        assert_eq!(end, whole, "{code:#x}");
        kinds[usize::from(whole.is_err_and(|error| error.kind == ErrorKind::XzDistance))] += 1;
    }
    assert!(kinds.iter().all(|&count| count > 1000), "{kinds:?}");
}

#[test]
fn keeps_the_last_page_until_the_check_matches() {
    let text = mixed(3000, 8);
    let mut file = preset(&text, 6, Check::Crc32);
    // The check is before the index, which has 12 bytes, and the footer.
    let at = file.len() - 12 - 12 - 4;
    file[at] ^= 1;
    for page in [1, 1000, text.len(), text.len() + 1] {
        let (out, end) = stored(&file, text.len(), page, &Options::DEFAULT);
        assert_eq!(end.map_err(|error| error.kind), Err(ErrorKind::XzCheck));
        assert!(out.len() < text.len() && text.len() - out.len() <= page && text.starts_with(&out), "{page}");
    }
}

#[test]
fn refuses_filters() {
    let mut filters = Filters::new();
    filters.arm_thumb().lzma2(&options(4096));
    let file = filtered(&mixed(3000, 8), &filters, Check::Crc32);
    let (out, end) = stored(&file, 3000, 256, &Options::DEFAULT);
    assert_eq!((out, end.map_err(|error| (error.kind, error.at))), (vec![], Err((ErrorKind::XzFilter, 12))));
}

#[test]
fn a_store_that_failed_is_not_called_again() {
    let mut failed = BTreeSet::new();
    for (name, file, len) in files() {
        for left in 0.. {
            let store = CheckedStore { bytes: vec![], capacity: len, page: 256, old: vec![] };
            let mut store = FailingStore::after(left, store);
            let done = decode_to_store(&file, &mut store, &mut Workspace::new(), &mut [0; 256], &Options::DEFAULT);
            let Err(error) = done else { break };
            assert_eq!(error.kind, ErrorKind::StoreFailed, "{name}, call {left}");
            assert!(error.at <= file.len() as u64, "{name}, call {left}: {error}");
            failed.insert(store.failed.unwrap());
        }
    }
    assert_eq!(failed, BTreeSet::from(["read", "write"]));
}

//! Decoding to a store, which is the window.

use std::collections::BTreeSet;

use super::*;
use unspool::{SinkStore, SliceStore};

/// Decodes to a store with this capacity, through a page of this length.
pub fn stored(
    bytes: &[u8],
    capacity: usize,
    page: usize,
    old: &[u8],
    options: &Options<'_>,
) -> (Vec<u8>, Result<Done, Error>) {
    let mut store = CheckedStore { bytes: vec![], capacity, page, old: old.to_vec() };
    let done = decode_to_store(bytes, &mut store, &mut Workspace::new(), &mut vec![0; page], options);
    (store.bytes, done)
}

/// Asserts that a store ends as a slice of the same length does, with the same bytes.
fn agree(name: &str, bytes: &[u8], len: usize, page: usize, options: &Options<'_>) {
    let mut slice = vec![0; len];
    let whole = decode(bytes, &mut slice, &mut Workspace::new(), options, &mut ());
    let (out, done) = stored(bytes, len, page, &[], options);
    assert_eq!(done, whole, "{name}, pages of {page}");
    if let Ok(done) = done {
        assert!(out == slice[..done.wrote], "{name}, pages of {page}");
    }
}

#[test]
fn a_store_holds_what_a_slice_does() {
    valid(|vector| {
        let options = vector.told();
        let len = decoded(&vector.bytes, &options).unwrap().len();
        for page in [1, 7, 256, 4096, 1 << 20] {
            if len / page < 20_000 {
                agree(&vector.name, &vector.bytes, len, page, &options);
            }
        }
        if len > 0 {
            agree(&vector.name, &vector.bytes, len - 1, 256, &options);
        }
        for cut in cuts(vector, 40) {
            agree(&vector.name, &vector.bytes[..cut], len, 256, &options);
        }
        broken(vector, |bytes| agree(&vector.name, bytes, len + 1000, 256, &options));
    });
}

/// Decodes to a sink through a window and a page of these lengths.
fn windowed(bytes: &[u8], window: usize, page: usize, options: &Options<'_>) -> (Vec<u8>, Result<Done, Error>) {
    let (mut out, mut window) = (vec![], vec![0; window]);
    let mut store = SinkStore::new(&mut window, |bytes: &[u8]| {
        out.extend(bytes);
        Ok(())
    });
    let done = decode_to_store(bytes, &mut store, &mut Workspace::new(), &mut vec![0; page], options);
    (out, done)
}

#[test]
fn a_window_and_a_page_hold_enough_history() {
    valid(|vector| {
        let options = vector.told();
        let whole = decoded(&vector.bytes, &options).unwrap();
        let buffer = stream_buffer(&vector.bytes, &options).unwrap() as usize;
        for page in [1, 256, 1 << 20] {
            if whole.len() < 10_000 || page > 1 {
                let (out, done) = windowed(&vector.bytes, buffer, page, &options);
                done.unwrap_or_else(|error| panic!("{}, pages of {page}: {error}", vector.name));
                assert!(out == whole, "{}, pages of {page}", vector.name);
            }
        }
    });
    // The window of the header, without a block.
    let text: Vec<u8> = (0..20_000u32).flat_map(|n| format!("{} ", n * n % 9973).into_bytes()).collect();
    let mut encoder = zstd::bulk::Compressor::new(19).unwrap();
    encoder.set_parameter(zstd::zstd_safe::CParameter::WindowLog(10)).unwrap();
    let file = encoder.compress(&text).unwrap();
    let Ok(Header::Frame(header)) = Header::read(&file, &Limits::DEFAULT, Flavour::Rfc8878) else { panic!("a frame") };
    assert_eq!(header.window, 1024);
    assert!(header.stream_buffer() > 1024);
    for page in [1, 64, 1000, 1024, 5000] {
        let (out, done) = windowed(&file, 1024, page, &Options::DEFAULT);
        assert_eq!(done.map(|done| done.wrote), Ok(text.len()), "pages of {page}");
        assert!(out == text, "pages of {page}");
    }
    for window in [0, 100, 512] {
        let (out, done) = windowed(&file, window, 64, &Options::DEFAULT);
        assert_eq!(done.map_err(|error| error.kind), Err(ErrorKind::StoreFailed), "a window of {window}");
        assert!(text.starts_with(&out));
    }
    // A sink that refuses ends decoding.
    let mut full = SinkStore::new(&mut [], |_: &[u8]| Err(Error::new(ErrorKind::SinkFull, 0)));
    let refused = decode_to_store(&file, &mut full, &mut Workspace::new(), &mut [0; 64], &Options::DEFAULT);
    assert_eq!(refused.map_err(|error| error.kind), Err(ErrorKind::SinkFull));
}

/// A patch: an old image, the new one, and a file that turns one into the other.
struct Update {
    name: &'static str,
    old: Vec<u8>,
    new: Vec<u8>,
    file: Vec<u8>,
}

/// Returns patches between firmware images: of this project at two commits, and of OpenSBI in two
/// configurations. The C library decodes the new images.
fn updates() -> Vec<Update> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/patch");
    let files = [
        ("update.zst", "old.bin"),
        ("update-3.zst", "old.bin"),
        ("update-blocks.zst", "old.bin"),
        ("opensbi.zst", "opensbi.bin"),
    ];
    let update = |(name, old)| {
        let (old, file, mut new) = (read(&folder.join(old)), read(&folder.join(name)), vec![]);
        let mut decoder = zstd::stream::read::Decoder::with_ref_prefix(&file[..], &old).unwrap();
        std::io::Read::read_to_end(&mut decoder, &mut new).unwrap();
        drop(decoder);
        Update { name, old, new, file }
    };
    files.map(update).into()
}

#[test]
fn patches_decode_like_the_zstd_program() {
    for Update { name, old, new, file } in updates() {
        assert!(new.len() > 30_000 && file.len() < 12_000, "{name}");
        let options = Options { dictionary: Some(Dictionary::raw(&old)), ..Options::DEFAULT };
        for page in [1, 3, 255, 256, 1024, 4096, 1 << 20] {
            let in_memory = stored(&file, new.len(), page, &[], &options);
            let in_store = stored(&file, new.len(), page, &old, &Options::DEFAULT);
            for (out, done) in [in_memory, in_store] {
                let done = done.unwrap_or_else(|error| panic!("{name}, pages of {page}: {error}"));
                assert!(out == new, "{name}, pages of {page}");
                assert_eq!((done.wrote, done.checksums.matched), (new.len(), 1), "{name}");
            }
        }
        // A store that is one byte short, and an old image that is.
        let short = stored(&file, new.len() - 1, 1024, &old, &Options::DEFAULT).1;
        assert_eq!(short.map_err(|error| error.class()), Err(Class::OutputTooSmall { need: new.len() as u64 }));
        let (_, end) = stored(&file, new.len(), 1024, &old[..old.len() - 1], &Options::DEFAULT);
        assert!(end.is_err(), "{name} with another old image");
        // The same error in memory and in the store, at cuts.
        for cut in (0..file.len()).filter(|cut| cut % 9 == 0 || cut + 200 > file.len()) {
            let whole = decode(&file[..cut], &mut vec![0; new.len()], &mut Workspace::new(), &options, &mut ());
            let (out, end) = stored(&file[..cut], new.len(), 512, &old, &Options::DEFAULT);
            assert_eq!(end, whole, "{name} cut at {cut}");
            assert!(new.starts_with(&out) && out.len() < new.len(), "{name} cut at {cut}");
        }
    }
}

#[test]
fn keeps_the_last_page_until_the_checksum_matches() {
    for Update { name, old, new, file } in updates() {
        let mut broken = file.clone();
        *broken.last_mut().unwrap() ^= 1;
        for page in [1, 1024, new.len(), new.len() + 1] {
            let (out, end) = stored(&broken, new.len(), page, &old, &Options::DEFAULT);
            assert_eq!(end.map_err(|error| error.kind), Err(ErrorKind::ZstdChecksum), "{name}");
            assert!(out.len() < new.len() && new.len() - out.len() <= page, "{name}, pages of {page}");
        }
    }
}

#[test]
fn mutated_patches_end_alike_in_memory_and_in_the_store() {
    let mut random = Random(33);
    for Update { name, old, new, file } in updates() {
        let options = Options { dictionary: Some(Dictionary::raw(&old)), verify: Verify::Skip, ..Options::DEFAULT };
        let unread = Options { dictionary: None, ..options };
        for round in 0..300 {
            let mut broken = file.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
            let mut slice = vec![0; new.len() + 100];
            let whole = decode(&broken, &mut slice, &mut Workspace::new(), &options, &mut ());
            for (out, end) in [
                stored(&broken, slice.len(), 1 + random.below(5000), &[], &options),
                stored(&broken, slice.len(), 1 + random.below(5000), &old, &unread),
            ] {
                assert_eq!(end, whole, "{name}, round {round}");
                if let Ok(done) = end {
                    assert!(out == slice[..done.wrote], "{name}, round {round}");
                }
            }
        }
    }
}

#[test]
fn reports_the_failure_of_a_store_at_its_block() {
    let Update { old, new, file, .. } = updates().swap_remove(0);
    let mut failed = BTreeSet::new();
    for left in 0.. {
        let store = CheckedStore { bytes: vec![], capacity: new.len(), page: 64, old: old.clone() };
        let mut store = FailingStore::after(left, store);
        let done = decode_to_store(&file, &mut store, &mut Workspace::new(), &mut [0; 64], &Options::DEFAULT);
        let Err(end) = done else { break };
        assert_eq!(end.kind, ErrorKind::StoreFailed);
        assert!(end.at > 0 && end.at < 20, "{end}");
        failed.insert(store.failed.unwrap());
    }
    assert_eq!(failed, BTreeSet::from(["read", "read_old", "write"]));
    let none =
        decode_to_store(&file, &mut SliceStore::new(&mut [0; 9]), &mut Workspace::new(), &mut [], &Options::DEFAULT);
    assert_eq!(none.map_err(|error| error.class()), Err(Class::WorkspaceTooSmall { need: 1 }));
}

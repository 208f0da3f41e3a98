//! Decoding to a store, which is the window.

use super::*;

/// A store that checks its calls: pages adjoin, only the last is short, and reads are of what was
/// written.
struct Checked {
    bytes: Vec<u8>,
    capacity: usize,
    page: usize,
    old: Vec<u8>,
}

impl Store for Checked {
    fn capacity(&self) -> u64 {
        self.capacity as u64
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), Error> {
        assert!(!into.is_empty());
        into.copy_from_slice(&self.bytes[at as usize..at as usize + into.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<(), Error> {
        assert_eq!((at as usize, at as usize % self.page), (self.bytes.len(), 0));
        assert!((1..=self.page).contains(&page.len()));
        self.bytes.extend(page);
        assert!(self.bytes.len() <= self.capacity, "a page after the end");
        Ok(())
    }

    fn old_len(&self) -> u64 {
        self.old.len() as u64
    }

    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<(), Error> {
        into.copy_from_slice(&self.old[at as usize..at as usize + into.len()]);
        Ok(())
    }
}

/// Decodes to a store with this capacity, through a page of this length.
fn stored(
    bytes: &[u8],
    capacity: usize,
    page: usize,
    old: &[u8],
    options: &Options<'_>,
) -> (Vec<u8>, Result<Done, Error>) {
    let mut store = Checked { bytes: vec![], capacity, page, old: old.to_vec() };
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
            if len < 10_000 || page > 1 {
                agree(&vector.name, &vector.bytes, len, page, &options);
            }
        }
        if len > 0 {
            agree(&vector.name, &vector.bytes, len - 1, 256, &options);
        }
        for cut in (0..vector.bytes.len()).step_by(vector.bytes.len() / 40 + 1) {
            agree(&vector.name, &vector.bytes[..cut], len, 256, &options);
        }
        broken(vector, |bytes| agree(&vector.name, bytes, len + 1000, 256, &options));
    });
}

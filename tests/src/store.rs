//! A store for tests.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use unspool::{Error, ErrorKind, Store};

/// A store that checks its calls: pages adjoin, only the last is short, and reads are of what was
/// written.
pub struct CheckedStore {
    /// The bytes that were written.
    pub bytes: Vec<u8>,
    /// The most bytes that it holds.
    pub capacity: usize,
    /// The length of a page.
    pub page: usize,
    /// An older image.
    pub old: Vec<u8>,
}

impl Store for CheckedStore {
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

/// A store one of whose calls fails. It panics if it is called again.
pub struct FailingStore {
    /// The store that it calls.
    store: CheckedStore,
    /// Calls before the one that fails.
    left: usize,
    /// The function that failed.
    pub failed: Option<&'static str>,
}

impl FailingStore {
    /// A store that fails after this number of calls.
    pub fn after(calls: usize, store: CheckedStore) -> Self {
        Self { store, left: calls, failed: None }
    }

    fn call(&mut self, function: &'static str, at: u64) -> Result<(), Error> {
        assert_eq!(self.failed, None, "a call after one that failed");
        let Some(left) = self.left.checked_sub(1) else {
            self.failed = Some(function);
            return Err(Error::new(ErrorKind::StoreFailed, at));
        };
        self.left = left;
        Ok(())
    }
}

impl Store for FailingStore {
    fn capacity(&self) -> u64 {
        self.store.capacity()
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), Error> {
        self.call("read", at)?;
        self.store.read(at, into)
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<(), Error> {
        self.call("write", at)?;
        self.store.write(at, page)
    }

    fn old_len(&self) -> u64 {
        self.store.old_len()
    }

    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<(), Error> {
        self.call("read_old", at)?;
        self.store.read_old(at, into)
    }
}

//! Stores: flash, or other memory that is written page by page and can be read back.

use core::ffi::c_void;

use unspool::{Error, ErrorKind, Result, Store};

use crate::memory::{Checked, NULL, sized};

/// Fills `into` with `len` bytes from `at` on. Any return value but 0 ends decoding with the error
/// `UNSPOOL_ERROR_STORE_FAILED`, whose offset is that of the block that was being read.
pub type UnspoolStoreRead =
    Option<unsafe extern "C" fn(context: *mut c_void, at: u64, into: *mut c_void, len: usize) -> u8>;

/// Writes a page of `len` bytes at `at`. Pages come in order and adjoin. The last one may be
/// shorter, and comes only after all checksums were compared. Any return value but 0 ends decoding
/// with the error `UNSPOOL_ERROR_STORE_FAILED`.
pub type UnspoolStoreWrite =
    Option<unsafe extern "C" fn(context: *mut c_void, at: u64, page: *const c_void, len: usize) -> u8>;

/// A target of decoded bytes that can be read back, such as a slot of flash. Matches refer to the
/// bytes in it, so a decoder needs no window.
///
/// Pages are written before the checksum is known, except the last. After an error, or a loss of
/// power, start again: the same pages come in the same order. Until the call returns, the store
/// must not hold the only working image.
///
/// Its members must not change during a call; what `context` leads to may.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolStore {
    /// `sizeof(UnspoolStore)`.
    pub size: usize,
    /// The first argument of the functions.
    pub context: *mut c_void,
    /// Most bytes that it holds. If the content is longer, the error is
    /// `UNSPOOL_ERROR_OUTPUT_TOO_SMALL`.
    pub capacity: u64,
    /// Bytes of an older image that a patch refers to, if `read_old` reads it; else 0. One in
    /// memory or in mapped flash is a dictionary of the options.
    pub old_len: u64,
    /// Reads bytes that were written.
    pub read: UnspoolStoreRead,
    /// Writes a page.
    pub write: UnspoolStoreWrite,
    /// Reads bytes of the older image. May be null if `old_len` is 0.
    pub read_old: UnspoolStoreRead,
}

/// Returns the store of a caller; null is an error, and so is a store without its functions.
///
/// # Safety
///
/// A pointer that is not null leads to a store, which nobody writes during `'a`. Its functions may
/// be called with its context.
#[inline(never)]
pub unsafe fn store_of<'a>(store: *const UnspoolStore) -> Checked<&'a UnspoolStore> {
    // SAFETY: the same promise.
    match unsafe { sized(store)? } {
        Some(store)
            if store.read.is_some() && store.write.is_some() && (store.read_old.is_some() || store.old_len == 0) =>
        {
            Ok(store)
        }
        _ => Err(NULL),
    }
}

/// Calls a function that reads.
fn read(store: &UnspoolStore, call: UnspoolStoreRead, at: u64, into: &mut [u8]) -> Result<()> {
    // SAFETY: the caller of `store_of` promises it.
    let call = call.map(|call| unsafe { call(store.context, at, into.as_mut_ptr().cast(), into.len()) });
    done(call, at)
}

/// Turns the answer of a function into a result.
fn done(answer: Option<u8>, at: u64) -> Result<()> {
    if answer == Some(0) { Ok(()) } else { Err(Error::new(ErrorKind::StoreFailed, at)) }
}

impl Store for &UnspoolStore {
    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        read(self, self.read, at, into)
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<()> {
        // SAFETY: as in `read`.
        let call = self.write.map(|call| unsafe { call(self.context, at, page.as_ptr().cast(), page.len()) });
        done(call, at)
    }

    fn old_len(&self) -> u64 {
        self.old_len
    }

    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        read(self, self.read_old, at, into)
    }
}

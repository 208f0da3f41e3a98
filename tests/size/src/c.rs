//! For programs that call the C interface: pointers that the compiler knows nothing about, as those
//! of a caller in C.

use core::ffi::c_void;
use core::hint::black_box;
use core::ptr;

use unspool_capi::common::UnspoolBuffers;
#[cfg(any(feature = "capi-patch", feature = "capi-xz-flash"))]
use unspool_capi::store::UnspoolStore;

/// A null pointer to something that is not wanted, which the call reads.
pub fn null<T>() -> *const T {
    black_box(ptr::null())
}

/// A null pointer to something that is not wanted, which the call writes.
pub fn null_mut<T>() -> *mut T {
    black_box(ptr::null_mut())
}

/// The buffers of a call.
pub fn buffers(src: &[u8], dst: &mut [u8], workspace: *mut c_void, workspace_len: usize) -> UnspoolBuffers {
    black_box(UnspoolBuffers {
        src: src.as_ptr().cast(),
        src_len: src.len(),
        dst: dst.as_mut_ptr().cast(),
        dst_len: dst.len(),
        workspace,
        workspace_len,
        window: ptr::null_mut(),
        window_len: 0,
        scratch: ptr::null_mut(),
        scratch_len: 0,
    })
}

/// A store in memory, as a caller in C writes it.
#[cfg(any(feature = "capi-patch", feature = "capi-xz-flash"))]
pub fn store(bytes: &'static mut [u8]) -> UnspoolStore {
    unsafe extern "C" fn read(context: *mut c_void, at: u64, into: *mut c_void, len: usize) -> u8 {
        // SAFETY: the decoder reads what it has written.
        unsafe { ptr::copy_nonoverlapping(context.cast::<u8>().add(at as usize), into.cast(), len) };
        0
    }
    unsafe extern "C" fn write(context: *mut c_void, at: u64, page: *const c_void, len: usize) -> u8 {
        // SAFETY: the decoder compares the capacity.
        unsafe { ptr::copy_nonoverlapping(page.cast(), context.cast::<u8>().add(at as usize), len) };
        0
    }
    black_box(UnspoolStore {
        size: size_of::<UnspoolStore>(),
        context: bytes.as_mut_ptr().cast(),
        capacity: bytes.len() as u64,
        old_len: 0,
        read: Some(read),
        write: Some(write),
        read_old: None,
    })
}

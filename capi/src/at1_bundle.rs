//! AT-1 bundles (codec 12): several files in one.

use core::ffi::c_void;

use unspool::at1::{Bundle, BundleFile, Options, Workspace};
use unspool::{Done, Error, ErrorKind, Limits, Result};

use crate::at1::{options_of, workspace_of};
use crate::common::{UnspoolBuffers, UnspoolDone, UnspoolOptions, compared, reply, reply_done, spell};
use crate::error::{UnspoolError, UnspoolErrorKind, run};
use crate::memory::{NOTHING, Opaque, apart, clear, fits, held, held_in, lacking, lent_to, output, span};

/// Words of a bundle.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_AT1_BUNDLE_WORDS: usize = 35;
/// Words of a bundle.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_AT1_BUNDLE_WORDS: usize = 49;
/// Bytes of a bundle.
pub const UNSPOOL_AT1_BUNDLE_SIZE: usize = UNSPOOL_AT1_BUNDLE_WORDS * 8;

/// An open bundle. It borrows the bytes of the file, and the scratch that holds its manifest.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolAt1Bundle {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_AT1_BUNDLE_WORDS],
}

/// A bundle, and the file that it stopped at.
#[derive(Debug)]
pub struct Opened {
    bundle: Option<Bundle<'static>>,
    file: Option<BundleFile<'static>>,
    limits: Limits,
}

impl Opened {
    fn file(&self) -> Result<&BundleFile<'static>> {
        self.file.as_ref().ok_or(Error::new(ErrorKind::RangeOutside, 0))
    }
}

impl Opaque for UnspoolAt1Bundle {
    type Value = Opened;
    const TAG: u32 = 0x4131_0002;
}

const _: () = fits::<UnspoolAt1Bundle>();

/// Opens the bundle in `src`. The workspace is free after the call; the bundle borrows `src` and
/// the scratch, which holds the manifest. If the scratch is too small, the error says how much it
/// takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_bundle_open(
    bundle: *mut UnspoolAt1Bundle,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let memory = compared(buffers, [], [span(bundle, 1)])?;
            let src = span(memory.src.cast::<u8>(), memory.src_len);
            let empty = clear(bundle, &[memory.scratch(), NOTHING, src, NOTHING, NOTHING])?;
            let (options, lent) = (options_of(options)?, memory.slices());
            let workspace = workspace_of(lent.workspace).map_err(lacking::<Workspace>)?;
            empty.build(|place| {
                let opened = place.write(Opened { bundle: None, file: None, limits: options.limits });
                opened.bundle = Some(read(lent.src, workspace, lent.scratch, &options)?);
                Ok(opened)
            })
        })
    }
}

/// Reads the manifest in a stack frame of its own, which is gone before the struct is filled.
#[inline(never)]
fn read<'a>(src: &'a [u8], workspace: &mut Workspace, scratch: &'a mut [u8], options: &Options) -> Result<Bundle<'a>> {
    Bundle::open(src, workspace, scratch, options)
}

/// Goes on to the next file; `found` becomes 0 if there is none. An error ends the walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_bundle_next(
    bundle: *mut UnspoolAt1Bundle,
    found: *mut u8,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(found, error, || {
            let opened = held_in(bundle)?;
            opened.file = None;
            opened.file = opened.bundle.as_mut().and_then(Iterator::next).transpose()?;
            Ok(opened.file.is_some().into())
        })
    }
}

/// Writes the name of the file as UTF-8, without a zero byte, and returns its length: a relative
/// path with a slash between its parts, none of them one or two dots. If the space is too small,
/// only the length is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_bundle_name(
    bundle: *const UnspoolAt1Bundle,
    dst: *mut c_void,
    dst_len: usize,
    len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let dst = (dst.cast::<u8>(), dst_len);
            apart(span(dst.0, dst.1), &[span(bundle, 1)])?;
            let opened = held(bundle)?;
            apart(span(dst.0, dst.1), lent_to(bundle)?)?;
            let name = opened.file()?.name;
            spell(&|| name.chars(), output(dst.0, dst.1)?, len)
        })
    }
}

/// Returns the bytes of the file: an AT-1 file, for `unspool_at1_bundle_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_bundle_len(
    bundle: *const UnspoolAt1Bundle,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(len, error, || {
            let opened = held(bundle)?;
            opened.file()?.entry.decoded_size(&opened.limits)
        })
    }
}

/// Takes the file out of the bundle, to `dst`, with a workspace. It is an AT-1 file of its own:
/// decode it with `unspool_at1_decode`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_bundle_read(
    bundle: *const UnspoolAt1Bundle,
    buffers: *const UnspoolBuffers,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let memory = compared(buffers, [span(bundle, 1)], [])?;
            let opened = held(bundle)?;
            apart(span(memory.dst.cast::<u8>(), memory.dst_len), lent_to(bundle)?)?;
            apart(memory.workspace(), lent_to(bundle)?)?;
            let (entry, lent) = (opened.file()?.entry, memory.slices());
            let len = entry.decoded_size(&opened.limits)?;
            let dst = usize::try_from(len).ok().and_then(|len| lent.dst.get_mut(..len));
            let dst = dst.ok_or(Error::new(ErrorKind::OutputTooSmall, 0).needing(len))?;
            let wrote = dst.len();
            let workspace = workspace_of(lent.workspace).map_err(lacking::<Workspace>)?;
            entry.decode(dst, workspace, &opened.limits)?;
            Ok(Done { wrote, content: len, ..Done::default() })
        })
    }
}

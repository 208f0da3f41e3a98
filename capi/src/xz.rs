//! xz.

use core::ffi::c_void;

use unspool::xz::{self, Block, CheckKind, Decoder, File, IndexReader, Literals, Options, Streams, Tables, Workspace};
use unspool::{Done, Error, ErrorKind, Result};

use crate::common::{
    Buffers, Place, UnspoolBuffers, UnspoolChecks, UnspoolDone, UnspoolLimits, UnspoolRange, UnspoolStep, advance,
    bound, decoded, lend, limits_of, relend, reply, reply_done, report_step, start, verify,
};
use crate::error::{UnspoolError, UnspoolErrorKind, report, run};
use crate::memory::{
    Checked, NOTHING, Opaque, clear, disjoint, fits, held, held_in, input, large_enough, needed, sized, span, tables,
};
use crate::store::{UnspoolStore, store_of};

/// Words of a workspace.
pub const UNSPOOL_XZ_WORKSPACE_WORDS: usize = 4000;
/// Bytes of a workspace.
pub const UNSPOOL_XZ_WORKSPACE_SIZE: usize = UNSPOOL_XZ_WORKSPACE_WORDS * 8;

/// The probabilities of a decoder. Needs no initialisation, and no clearing between uses.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolXzWorkspace {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_XZ_WORKSPACE_WORDS],
}

const _: () = assert!(size_of::<Workspace>() <= UNSPOOL_XZ_WORKSPACE_SIZE, "the C struct has too few words");

/// Bytes of a workspace without contexts of literals, for the calls that take a whole file. It is
/// enough for those that decode nothing.
pub const UNSPOOL_XZ_TABLES_SIZE: usize = 5632;
/// Bytes for each context of literals, of which a file has 2 to the power of lc + lp: 8 by default,
/// at most 16.
pub const UNSPOOL_XZ_CONTEXT_SIZE: usize = 1536;

const _: () = assert!(size_of::<Tables<[Literals; 0]>>() <= UNSPOOL_XZ_TABLES_SIZE);
const _: () = assert!(size_of::<Literals>() == UNSPOOL_XZ_CONTEXT_SIZE);

/// Words of a decoder.
pub const UNSPOOL_XZ_DECODER_WORDS: usize = 67;
/// Bytes of a decoder.
pub const UNSPOOL_XZ_DECODER_SIZE: usize = UNSPOOL_XZ_DECODER_WORDS * 8;

/// A decoder of a stream.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolXzDecoder {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_XZ_DECODER_WORDS],
}

impl Opaque for UnspoolXzDecoder {
    type Value = Decoder<'static>;
    const TAG: u32 = 0x585A_0001;
}

const _: () = fits::<UnspoolXzDecoder>();

/// Words of an index.
pub const UNSPOOL_XZ_INDEX_WORDS: usize = 36;
/// Bytes of an index.
pub const UNSPOOL_XZ_INDEX_SIZE: usize = UNSPOOL_XZ_INDEX_WORDS * 8;

/// A search in the index of a file that is not in memory. It borrows nothing.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolXzIndex {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_XZ_INDEX_WORDS],
}

impl Opaque for UnspoolXzIndex {
    type Value = IndexReader;
    const TAG: u32 = 0x585A_0002;
}

const _: () = fits::<UnspoolXzIndex>();

/// The options of a caller. All members but `size` may be zero, and so may the pointer to the
/// options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolXzOptions {
    /// `sizeof(UnspoolXzOptions)`.
    pub size: usize,
    /// The bounds of what a file may cost, or null.
    pub limits: *const UnspoolLimits,
    /// The handling of checks.
    pub checks: UnspoolChecks,
    /// Not 0: exactly one stream, else any number of them.
    pub one_stream: u8,
}

/// A block, as the index lists it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolXzBlock {
    /// The bytes of the file that it takes: the input of `unspool_xz_decode_block`.
    pub file: UnspoolRange,
    /// The bytes of the content that it holds.
    pub content: UnspoolRange,
    /// The number of its check.
    pub check: u8,
}

impl UnspoolXzBlock {
    fn from_core(block: &Block) -> Self {
        let (file, content) = (UnspoolRange::from(&block.range), UnspoolRange::from(&block.content));
        Self { file, content, check: block.check.id() }
    }

    fn to_core(self) -> Block {
        let Self { file, content, check } = self;
        Block { range: file.start..file.end, content: content.start..content.end, check: CheckKind::from_id(check) }
    }
}

/// # Safety
///
/// As for [`tables`].
unsafe fn workspace_of<'a>((memory, len): Place) -> Checked<&'a mut Workspace> {
    // SAFETY: the same promise. Empty workspaces are all zeros, which a test compares. What is not
    // cleared consists of numbers.
    unsafe { tables::<Workspace>(memory, len, Workspace::CLEARED) }
}

/// Returns memory of the caller as tables with as many contexts as fit. A file needs a power of
/// two.
///
/// # Safety
///
/// As for [`tables`].
#[inline(always)]
unsafe fn tables_of<'a>((memory, len): Place) -> Checked<&'a mut Tables> {
    let fixed = large_enough::<Tables<[Literals; 0]>>(memory, len)?;
    let (mut contexts, room) = (16, len - size_of::<Tables<[Literals; 0]>>());
    while room < contexts * size_of::<Literals>() {
        contexts /= 2;
    }
    let tables = core::ptr::slice_from_raw_parts_mut(fixed.cast::<Literals>(), contexts) as *mut Tables;
    // SAFETY: aligned, and not null because the tables have a size. No larger than the memory: a
    // context has no padding. Used by nobody else. Empty tables are all zeros, which a test
    // compares. What is not cleared consists of numbers.
    unsafe {
        fixed.cast::<u8>().write_bytes(0, Tables::CLEARED);
        Ok(&mut *tables)
    }
}

/// Turns the contexts that a file needs into bytes. In place, to keep stack frames small, and by
/// 32-bit numbers, because there are few.
#[inline(never)]
fn in_bytes(result: &mut Result<Done>) {
    if let Err(error) = result
        && error.kind == ErrorKind::WorkspaceTooSmall
    {
        let contexts = usize::try_from(error.need).unwrap_or(0);
        error.need = (size_of::<Tables<[Literals; 0]>>() + contexts * size_of::<Literals>()) as u64;
    }
}

/// Sets the options that the caller has: in place, because a move takes more code.
///
/// # Safety
///
/// A pointer that is not null leads to options, and so does that to their limits.
#[inline(never)]
unsafe fn choose(options: &mut Options, with: *const UnspoolXzOptions) -> Checked<()> {
    // SAFETY: the same promise.
    let Some(asked) = (unsafe { sized(with)? }) else { return Ok(()) };
    if asked.one_stream != 0 {
        options.streams = Streams::One;
    }
    options.verify = verify(asked.checks)?;
    // SAFETY: the same promise.
    unsafe { bound(&mut options.limits, asked.limits) }
}

/// Bytes of the smallest workspace of a call that takes a whole file.
const LEAST: usize = size_of::<Tables<[Literals; 0]>>();

/// Returns the memory of a call that takes a whole file, and sets its options.
///
/// # Safety
///
/// As for [`lend`], [`choose`] and [`tables_of`].
#[inline(always)]
unsafe fn prepared<'a>(
    chosen: &mut Options,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolXzOptions,
) -> Checked<(Buffers<'a>, &'a mut Tables)> {
    // SAFETY: the same promises.
    unsafe {
        choose(chosen, options)?;
        let lent = lend(buffers, [])?;
        let tables = tables_of(lent.workspace)?;
        Ok((lent, tables))
    }
}

/// Opens a file in a stack frame of its own, which is not added to that of the call from C.
///
/// # Safety
///
/// As for [`input`] and [`limits_of`].
#[inline(never)]
unsafe fn opened<'a>((src, len): (*const c_void, usize), limits: *const UnspoolLimits) -> Result<File<'a>> {
    // SAFETY: the same promises.
    unsafe { File::open(input(src.cast(), len)?, &limits_of(limits)?) }
}

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_XZ_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_xz_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Reads the headers and the index of a whole file. Compares all sizes; decodes nothing.
/// `UNSPOOL_XZ_TABLES_SIZE` bytes of workspace are enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_inspect(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolXzOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| prepared(chosen, buffers, options);
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(lent, mut tables), chosen| {
            xz::inspect(lent.src, &mut tables, chosen, &mut ())
        })
    }
}

/// Returns the bytes that a file decodes to. Reads only the indexes. If an index is wrong, so is
/// the length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decoded_len(
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply(len, error, || opened((src, src_len), limits)?.decoded_len()) }
}

/// Decodes a whole file from `src` to `dst`. The output is the only window.
///
/// `UNSPOOL_XZ_TABLES_SIZE` bytes of workspace do, and `UNSPOOL_XZ_CONTEXT_SIZE` more for each
/// context; if a file has more contexts, the `need` of the error is the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decode(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolXzOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| prepared(chosen, buffers, options);
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(lent, tables), chosen| {
            let mut result = decode(lent.src, lent.dst, tables, chosen);
            in_bytes(&mut result);
            result
        })
    }
}

/// Not inlined: its stack frame and that of the options have less than 512 bytes each.
#[inline(never)]
fn decode(src: &[u8], dst: &mut [u8], mut tables: &mut Tables, options: &Options) -> Result<Done> {
    xz::decode(src, dst, &mut tables, options, &mut ())
}

/// Decodes a whole file from `src` to a store, page by page. The page is the scratch: any length
/// yields the same content, and one sector of flash is the natural one. `dst` is not used. The
/// workspace is that of `unspool_xz_decode`.
///
/// A file with filters is refused with `UNSPOOL_ERROR_XZ_FILTER`: matches refer to the bytes before
/// the filters, and the store has those after them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decode_to_store(
    buffers: *const UnspoolBuffers,
    store: *const UnspoolStore,
    options: *const UnspoolXzOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| Ok((store_of(store)?, prepared(chosen, buffers, options)?));
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(mut store, (lent, tables)), chosen| {
            let mut result = restore(lent.src, &mut store, tables, lent.scratch, chosen);
            in_bytes(&mut result);
            result
        })
    }
}

/// Not inlined, like [`decode`].
#[inline(never)]
fn restore(
    src: &[u8],
    store: &mut &UnspoolStore,
    mut tables: &mut Tables,
    page: &mut [u8],
    options: &Options,
) -> Result<Done> {
    xz::decode_to_store(src, store, &mut tables, page, options)
}

/// Finds the block that holds a position of the content, in a file in memory. A position after the
/// end is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_locate(
    src: *const c_void,
    src_len: usize,
    position: u64,
    limits: *const UnspoolLimits,
    block: *mut UnspoolXzBlock,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(block, error, || {
            let found = opened((src, src_len), limits)?.locate(position)?;
            found.map(|block| UnspoolXzBlock::from_core(&block)).ok_or(Error::new(ErrorKind::RangeOutside, 0))
        })
    }
}

/// Starts to search a file of `len` bytes for the block that holds a position of the content.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_index_init(
    index: *mut UnspoolXzIndex,
    len: u64,
    position: u64,
    limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            clear(index, &[NOTHING; 5])?.fill(IndexReader::new(len, position, &limits_of(limits)?));
            Ok(())
        })
    }
}

/// Returns the bytes of the file to feed next; an empty range once the search is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_index_needs(
    index: *const UnspoolXzIndex,
    range: *mut UnspoolRange,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply(range, error, || Ok(UnspoolRange::from(&held(index)?.needs().unwrap_or_default()))) }
}

/// Reads bytes of the file, the first of which is at offset `at`. They must include all that
/// `unspool_xz_index_needs` names, and may be more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_index_feed(
    index: *mut UnspoolXzIndex,
    at: u64,
    src: *const c_void,
    src_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            disjoint(&[span(src.cast::<u8>(), src_len), span(index, 1)], 1)?;
            held_in(index)?.feed(at, input(src.cast(), src_len)?)
        })
    }
}

/// Returns the block that was found. If the content ends before the position, or the search is not
/// complete, the error is `UNSPOOL_ERROR_RANGE_OUTSIDE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_index_found(
    index: *const UnspoolXzIndex,
    block: *mut UnspoolXzBlock,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(block, error, || {
            let reader = held(index)?;
            let found = reader.found().filter(|_| reader.needs().is_none());
            found.map(UnspoolXzBlock::from_core).ok_or(Error::new(ErrorKind::RangeOutside, 0))
        })
    }
}

/// Decodes one block, of which `src` is the bytes that `file` of the block names. Offsets of errors
/// count from the start of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decode_block(
    buffers: *const UnspoolBuffers,
    block: *const UnspoolXzBlock,
    options: *const UnspoolXzOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| Ok((needed(block)?, prepared(chosen, buffers, options)?));
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(block, (lent, mut tables)), chosen| {
            let mut result = xz::decode_block(lent.src, &block.to_core(), lent.dst, &mut tables, chosen);
            in_bytes(&mut result);
            result
        })
    }
}

/// Starts a stream. The decoder borrows workspace and window until it is no longer used. The size
/// of the window is `window` of the result of `unspool_xz_inspect`. If a block needs more, the
/// `need` of its error is the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_init(
    decoder: *mut UnspoolXzDecoder,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolXzOptions,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, &start(decoder, buffers, |chosen, _| choose(chosen, options), workspace_of, Decoder::new)) }
}

/// Reads `src` and writes `dst` of a step, as far as both allow. An error stays, except that of a
/// window that is too small: see `unspool_xz_lend`.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_step(
    decoder: *mut UnspoolXzDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| advance(decoder, step, Decoder::step)) }
}

/// Returns the progress of a stream: the streams that it has completed, and their checks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_done(
    decoder: *const UnspoolXzDecoder,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply_done(done, error, || Ok(held(decoder)?.done())) }
}

/// Lends another window, after the error `UNSPOOL_ERROR_XZ_WINDOW_BUFFER` of a step, whose `need`
/// is the least size. The last window is free. At any other time the window is in use: it stays,
/// and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_lend(
    decoder: *mut UnspoolXzDecoder,
    window: *mut c_void,
    window_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, &relend(decoder, (window, window_len), Decoder::lend)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "reads padding, which has no value")]
    fn an_empty_workspace_is_all_zeros() {
        static EMPTY: Workspace = Workspace::new();
        assert!(crate::memory::is_zeros(&EMPTY));
        static FEW: Tables<[Literals; 1]> = Tables::new();
        assert!(crate::memory::is_zeros(&FEW));
    }
}

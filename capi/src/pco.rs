//! Pco: columns of numbers.

use core::ffi::c_void;

use unspool::pco::{Chunk, Decoder, File, Latent, Meta, NumberType, Options, Plan, Version, decode_bytes};
use unspool::{Error, ErrorKind, Result};

use crate::common::{UnspoolEnd, UnspoolLimits, UnspoolStep, bad_argument, end, limits, report_step, u64_from};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{
    Opaque, Plain, Stretch, answer, apart, build, clear, fill, fits, held, held_in, input, output, stretch,
};

/// Words of an open file.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_PCO_FILE_WORDS: usize = 12;
/// Words of an open file.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_PCO_FILE_WORDS: usize = 12;
/// Bytes of an open file.
pub const UNSPOOL_PCO_FILE_SIZE: usize = UNSPOOL_PCO_FILE_WORDS * 8;

/// An open standalone file. It borrows the bytes.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolPcoFile {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_PCO_FILE_WORDS],
}

impl Opaque for UnspoolPcoFile {
    type Value = File<'static>;
    const TAG: u32 = 0x5043_0001;
}

const _: () = fits::<UnspoolPcoFile>();

/// Words of chunk metadata.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_PCO_META_WORDS: usize = 40;
/// Words of chunk metadata.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_PCO_META_WORDS: usize = 44;
/// Bytes of chunk metadata.
pub const UNSPOOL_PCO_META_SIZE: usize = UNSPOOL_PCO_META_WORDS * 8;

/// The modes and bins of a chunk. It borrows the bytes.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolPcoMeta {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_PCO_META_WORDS],
}

impl Opaque for UnspoolPcoMeta {
    type Value = Meta<'static>;
    const TAG: u32 = 0x5043_0002;
}

const _: () = fits::<UnspoolPcoMeta>();

/// Words of a decoder. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`.
#[cfg(all(feature = "small", target_pointer_width = "32"))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 46;
/// Words of a decoder.
#[cfg(all(feature = "small", not(target_pointer_width = "32")))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 71;
/// Words of a decoder.
#[cfg(all(not(feature = "small"), target_pointer_width = "32"))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 80;
/// Words of a decoder.
#[cfg(all(not(feature = "small"), not(target_pointer_width = "32")))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 119;
/// Bytes of a decoder.
pub const UNSPOOL_PCO_DECODER_SIZE: usize = UNSPOOL_PCO_DECODER_WORDS * 8;

/// A decoder of a page. Its functions exist for numbers of 8, 16, 32 and 64 bits; a program links
/// only those that it calls.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolPcoDecoder {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_PCO_DECODER_WORDS],
}

/// A decoder, and whether a page was started: before that, any input would look like the end of
/// one.
#[derive(Debug)]
struct Paging<L: Latent> {
    decoder: Decoder<'static, 'static, L>,
    started: bool,
}

/// A decoder as it is held for numbers of one width. Each is a view of the same C struct.
#[repr(transparent)]
#[derive(Debug)]
struct Of<L>(UnspoolPcoDecoder, core::marker::PhantomData<L>);

impl<L: Latent> Opaque for Of<L> {
    type Value = Paging<L>;
    const TAG: u32 = 0x5043_0100 + L::BITS;
}

const _: () = (fits::<Of<u8>>(), fits::<Of<u16>>(), fits::<Of<u32>>(), fits::<Of<u64>>()).0;

/// The type of numbers; the values are those in files.
pub type UnspoolPcoType = u8;

/// Unsigned, 32 bits.
pub const UNSPOOL_PCO_U32: u8 = 1;
/// Unsigned, 64 bits.
pub const UNSPOOL_PCO_U64: u8 = 2;
/// Signed, 32 bits.
pub const UNSPOOL_PCO_I32: u8 = 3;
/// Signed, 64 bits.
pub const UNSPOOL_PCO_I64: u8 = 4;
/// 32-bit float.
pub const UNSPOOL_PCO_F32: u8 = 5;
/// 64-bit float.
pub const UNSPOOL_PCO_F64: u8 = 6;
/// Unsigned, 16 bits.
pub const UNSPOOL_PCO_U16: u8 = 7;
/// Signed, 16 bits.
pub const UNSPOOL_PCO_I16: u8 = 8;
/// Half float.
pub const UNSPOOL_PCO_F16: u8 = 9;
/// Unsigned, 8 bits.
pub const UNSPOOL_PCO_U8: u8 = 10;
/// Signed, 8 bits.
pub const UNSPOOL_PCO_I8: u8 = 11;

/// The way in which pages will be read. It decides the place of the history of lookbacks, and the
/// layout of the tables.
pub type UnspoolPcoPlan = u8;

/// Each page in one call: the output is the history if the mode allows it.
pub const UNSPOOL_PCO_WHOLE: u8 = 0;
/// Each page in any number of calls: the workspace holds the history.
pub const UNSPOOL_PCO_BATCHES: u8 = 1;
/// Each page in one call, with the smallest tables.
pub const UNSPOOL_PCO_COMPACT_WHOLE: u8 = 2;
/// Each page in any number of calls, with the smallest tables.
pub const UNSPOOL_PCO_COMPACT_BATCHES: u8 = 3;

fn plan(plan: UnspoolPcoPlan) -> Result<Plan> {
    match plan {
        UNSPOOL_PCO_WHOLE => Ok(Plan::Whole),
        UNSPOOL_PCO_BATCHES => Ok(Plan::Batches),
        UNSPOOL_PCO_COMPACT_WHOLE => Ok(Plan::CompactWhole),
        UNSPOOL_PCO_COMPACT_BATCHES => Ok(Plan::CompactBatches),
        _ => Err(bad_argument()),
    }
}

/// The header of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolPcoInfo {
    /// Numbers that the writer expected in the file; 0 if unknown. May be wrong.
    pub n_hint: u64,
    /// Offset of the first chunk.
    pub first_chunk: u64,
    /// The version of the standalone framing.
    pub standalone_version: u8,
    /// The format version.
    pub major: u8,
    /// The features that may occur in it.
    pub minor: u8,
    /// The type of all chunks, if the file promises one, else 0.
    pub uniform_type: UnspoolPcoType,
}

/// A chunk.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolPcoChunk {
    /// Its numbers; 0 for the end of the file.
    pub len: usize,
    /// Offset of its page in the file.
    pub page_at: u64,
    /// 64-bit words of workspace for `unspool_pco_decode` and `unspool_pco_skip`, and for batches.
    pub workspace_len: u64,
    /// The type of the numbers.
    pub number_type: UnspoolPcoType,
    /// Bytes of each number.
    pub number_size: u8,
}

/// The result of decoding a whole file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolPcoDone {
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// Offset of the end of the file.
    pub read: u64,
    /// Chunks.
    pub chunks: u64,
}

/// Reads the header of a standalone file. The file borrows the bytes, and so does the metadata of
/// its chunks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_open(
    file: *mut UnspoolPcoFile,
    bytes: *const u8,
    bytes_len: usize,
    with_limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let open = || {
            clear(file, &[stretch(bytes, bytes_len)])?;
            fill(file, File::open(input(bytes, bytes_len)?, &limits(with_limits)?)?)
        };
        report(error, open())
    }
}

/// Returns the header of a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_info(
    file: *const UnspoolPcoFile,
    info: *mut UnspoolPcoInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let file = held(file)?;
            let told = UnspoolPcoInfo {
                n_hint: file.header.n_hint,
                first_chunk: file.first(),
                standalone_version: file.header.standalone_version,
                major: file.header.version.major,
                minor: file.header.version.minor,
                uniform_type: file.header.uniform_type.map_or(0, |ty| ty as u8),
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// Reads the chunk at this offset, and if `meta` is not null, its modes and bins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_chunk(
    file: *const UnspoolPcoFile,
    at: u64,
    chunk: *mut UnspoolPcoChunk,
    meta: *mut UnspoolPcoMeta,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            if !meta.is_null() {
                clear(meta, &[stretch(file, 1)])?;
            }
            let mut found = Chunk::new();
            if !found.open(held(file)?, at, &mut ())? {
                answer(chunk, UnspoolPcoChunk::default());
                return Ok(());
            }
            let told = UnspoolPcoChunk {
                len: found.len,
                page_at: found.page_at,
                workspace_len: found.workspace_len(Plan::Batches),
                number_type: found.number_type() as u8,
                number_size: u8::try_from(found.number_type().size()).unwrap_or(0),
            };
            answer(chunk, told);
            if meta.is_null() { Ok(()) } else { fill(meta, found.meta) }
        };
        report(error, read())
    }
}

/// Reads the chunk at this offset, which must be one.
///
/// # Safety
///
/// A pointer that is not null leads to a file whose bytes are valid.
unsafe fn read(file: *const UnspoolPcoFile, at: u64, chunk: &mut Chunk<'_>) -> Result<()> {
    // SAFETY: the same promise.
    match chunk.open(unsafe { held(file)? }, at, &mut ())? {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::RangeOutside, at)),
    }
}

/// Returns the source of a chunk at this offset: the struct of the file, and the bytes from there
/// on.
///
/// # Safety
///
/// A pointer that is not null leads to a file whose bytes are valid.
unsafe fn read_by(file: *const UnspoolPcoFile, at: u64) -> Result<[Stretch; 2]> {
    // SAFETY: the same promise.
    let bytes = unsafe { held(file)? }.trailing(at.saturating_sub(1));
    Ok([stretch(file, 1), stretch(bytes.as_ptr(), bytes.len())])
}

/// Decodes the chunk at this offset to little-endian numbers; `next` becomes the offset of the next
/// one. Faster if `dst` is aligned like the numbers. `words` has as many 64-bit words as
/// `workspace_len` of the chunk says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode(
    file: *const UnspoolPcoFile,
    at: u64,
    dst: *mut c_void,
    dst_len: usize,
    words: *mut u64,
    words_len: usize,
    next: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            apart(&read_by(file, at)?, &[stretch(dst, dst_len), stretch(words, words_len)])?;
            let (dst, words) = (output(dst.cast::<u8>(), dst_len)?, output(words, words_len)?);
            let mut chunk = Chunk::new();
            read(file, at, &mut chunk)?;
            answer(next, chunk.decode_bytes(dst, words, &mut ())?);
            Ok(())
        };
        report(error, decode())
    }
}

/// Finds the offset after the chunk at this offset, faster than its numbers could be decoded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_skip(
    file: *const UnspoolPcoFile,
    at: u64,
    words: *mut u64,
    words_len: usize,
    next: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let skip = || {
            apart(&read_by(file, at)?, &[stretch(words, words_len)])?;
            let (words, mut chunk) = (output(words, words_len)?, Chunk::new());
            read(file, at, &mut chunk)?;
            answer(next, chunk.skip(words)?);
            Ok(())
        };
        report(error, skip())
    }
}

/// Decodes all chunks of a file to little-endian numbers. If there are no words, the `need` of the
/// error is how many the first chunk needs; others may need more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_file(
    bytes: *const u8,
    bytes_len: usize,
    dst: *mut c_void,
    dst_len: usize,
    words: *mut u64,
    words_len: usize,
    with_limits: *const UnspoolLimits,
    done: *mut UnspoolPcoDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let limits = limits(with_limits)?;
            apart(&[stretch(bytes, bytes_len)], &[stretch(dst, dst_len), stretch(words, words_len)])?;
            let (bytes, dst) = (input(bytes, bytes_len)?, output(dst.cast::<u8>(), dst_len)?);
            let (words, options) = (output(words, words_len)?, Options { limits, ..Options::DEFAULT });
            let decoded = decode_bytes(bytes, dst, words, &options, &mut ())?;
            answer(done, UnspoolPcoDone { wrote: decoded.wrote, read: u64_from(decoded.read), chunks: decoded.parts });
            Ok(())
        };
        report(error, decode())
    }
}

/// Reads the header of the wrapped format: one byte, or two since version 4; `len` becomes how
/// many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_version(
    bytes: *const u8,
    bytes_len: usize,
    major: *mut u8,
    minor: *mut u8,
    len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let (version, taken) = Version::read(input(bytes, bytes_len)?, &mut ())?;
            answer(major, version.major);
            answer(minor, version.minor);
            answer(len, taken);
            Ok(())
        };
        report(error, read())
    }
}

/// Reads the chunk metadata of the wrapped format, for a type and a version that are stored
/// elsewhere; `len` becomes its length in bytes. The metadata borrows the bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_meta(
    meta: *mut UnspoolPcoMeta,
    bytes: *const u8,
    bytes_len: usize,
    number_type: UnspoolPcoType,
    major: u8,
    with_limits: *const UnspoolLimits,
    len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            clear(meta, &[stretch(bytes, bytes_len)])?;
            let number_type = NumberType::from_byte(number_type).ok_or(bad_argument())?;
            let (bytes, limits) = (input(bytes, bytes_len)?, limits(with_limits)?);
            build(meta, |place| {
                let meta = place.write(Meta::new());
                answer(len, meta.read(bytes, number_type, major, 0, &limits, &mut ())?);
                Ok(meta)
            })
        };
        report(error, read())
    }
}

/// Returns the 64-bit words of workspace for pages of at most `n` numbers; 0 for a struct that
/// holds no metadata. With `UNSPOOL_PCO_BATCHES` it is enough for either plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_workspace_len(meta: *const UnspoolPcoMeta, n: usize, with: UnspoolPcoPlan) -> u64 {
    let with = plan(with).unwrap_or(Plan::Batches);
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(meta) }.map_or(0, |meta| meta.workspace_len(n, with))
}

/// # Safety
///
/// As the header says of `unspool_pco_init_32`.
unsafe fn init<L: Latent>(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    with: UnspoolPcoPlan,
    words: *mut u64,
    words_len: usize,
) -> Result<()> {
    let decoder = decoder.cast::<Of<L>>();
    // SAFETY: the same promises.
    unsafe {
        apart(&[stretch(meta, 1)], &[stretch(decoder, 1), stretch(words, words_len)])?;
        clear(decoder, &[])?;
        let (meta, plan, words) = (held(meta)?, plan(with)?, output(words, words_len)?);
        build(decoder, |place| {
            let paging = place.write(Paging { decoder: Decoder::new(meta, n, plan), started: false });
            paging.decoder.open(words)?;
            Ok(paging)
        })
    }
}

/// # Safety
///
/// As the header says of `unspool_pco_start_32`.
unsafe fn start<L: Latent>(decoder: *mut UnspoolPcoDecoder, n: usize, at: u64) -> Result<()> {
    // SAFETY: the same promises.
    let paging = unsafe { held_in(decoder.cast::<Of<L>>())? };
    paging.decoder.start(n, at)?;
    paging.started = true;
    Ok(())
}

/// # Safety
///
/// As the header says of `unspool_pco_step_32`.
unsafe fn step<L: Latent + Plain>(
    decoder: *mut UnspoolPcoDecoder,
    (src, src_len): (*const u8, usize),
    at_end: UnspoolEnd,
    (numbers, numbers_len): (*mut L, usize),
) -> Result<UnspoolStep> {
    // SAFETY: the same promises.
    unsafe {
        apart(&[stretch(src, src_len)], &[stretch(numbers, numbers_len), stretch(decoder, 1)])?;
        let (src, numbers) = (input(src, src_len)?, output(numbers, numbers_len)?);
        let paging = held_in(decoder.cast::<Of<L>>())?;
        match paging.started {
            true => paging.decoder.step(src, end(at_end)?, numbers).map(UnspoolStep::from),
            false => Err(Error::new(ErrorKind::NotInitialised, 0)),
        }
    }
}

/// Builds the tables for pages of at most `n` numbers of 8 bits. The decoder borrows metadata and
/// words, and the struct of the metadata.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_8(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    with: UnspoolPcoPlan,
    words: *mut u64,
    words_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, init::<u8>(decoder, meta, n, with, words, words_len)) }
}

/// Starts a page of `n` numbers of 8 bits with the next input; offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_8(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, start::<u8>(decoder, n, at)) }
}

/// Decodes whole batches of 256 numbers of 8 bits, as long as input and output allow. If the output
/// is shorter than a batch and than the rest of the page, nothing is decoded:
/// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
/// than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_8(
    decoder: *mut UnspoolPcoDecoder,
    src: *const u8,
    src_len: usize,
    at_end: UnspoolEnd,
    numbers: *mut u8,
    numbers_len: usize,
    told: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(told, error, step(decoder, (src, src_len), at_end, (numbers, numbers_len))) }
}

/// Builds the tables for pages of at most `n` numbers of 16 bits. The decoder borrows metadata and
/// words, and the struct of the metadata.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_16(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    with: UnspoolPcoPlan,
    words: *mut u64,
    words_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, init::<u16>(decoder, meta, n, with, words, words_len)) }
}

/// Starts a page of `n` numbers of 16 bits with the next input; offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_16(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, start::<u16>(decoder, n, at)) }
}

/// Decodes whole batches of 256 numbers of 16 bits, as long as input and output allow. If the
/// output is shorter than a batch and than the rest of the page, nothing is decoded:
/// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
/// than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_16(
    decoder: *mut UnspoolPcoDecoder,
    src: *const u8,
    src_len: usize,
    at_end: UnspoolEnd,
    numbers: *mut u16,
    numbers_len: usize,
    told: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(told, error, step(decoder, (src, src_len), at_end, (numbers, numbers_len))) }
}

/// Builds the tables for pages of at most `n` numbers of 32 bits. The decoder borrows metadata and
/// words, and the struct of the metadata.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_32(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    with: UnspoolPcoPlan,
    words: *mut u64,
    words_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, init::<u32>(decoder, meta, n, with, words, words_len)) }
}

/// Starts a page of `n` numbers of 32 bits with the next input; offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_32(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, start::<u32>(decoder, n, at)) }
}

/// Decodes whole batches of 256 numbers of 32 bits, as long as input and output allow. If the
/// output is shorter than a batch and than the rest of the page, nothing is decoded:
/// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
/// than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_32(
    decoder: *mut UnspoolPcoDecoder,
    src: *const u8,
    src_len: usize,
    at_end: UnspoolEnd,
    numbers: *mut u32,
    numbers_len: usize,
    told: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(told, error, step(decoder, (src, src_len), at_end, (numbers, numbers_len))) }
}

/// Builds the tables for pages of at most `n` numbers of 64 bits. The decoder borrows metadata and
/// words, and the struct of the metadata.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_64(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    with: UnspoolPcoPlan,
    words: *mut u64,
    words_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, init::<u64>(decoder, meta, n, with, words, words_len)) }
}

/// Starts a page of `n` numbers of 64 bits with the next input; offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_64(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, start::<u64>(decoder, n, at)) }
}

/// Decodes whole batches of 256 numbers of 64 bits, as long as input and output allow. If the
/// output is shorter than a batch and than the rest of the page, nothing is decoded:
/// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
/// than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_64(
    decoder: *mut UnspoolPcoDecoder,
    src: *const u8,
    src_len: usize,
    at_end: UnspoolEnd,
    numbers: *mut u64,
    numbers_len: usize,
    told: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(told, error, step(decoder, (src, src_len), at_end, (numbers, numbers_len))) }
}

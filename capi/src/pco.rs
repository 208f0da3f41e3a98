//! Pco: columns of numbers.

use core::ffi::c_void;

use unspool::pco::{
    Chunk, Decoder, File, Latent, Meta, Number, NumberType, Options, Plan, Version, decode, decode_bytes,
};
use unspool::{Error, ErrorKind, Result, Step, Verify};

use crate::common::{
    Buffers, Place, UnspoolBuffers, UnspoolDone, UnspoolLimits, UnspoolOptions, UnspoolStep, bad_argument, bytes_of,
    decoded, describe, in_bytes, lend, limits_of, reply, report_step, size_of_all, step_memory, whole_file,
};
use crate::error::{UnspoolError, UnspoolErrorKind, attempt, run};
use crate::memory::{
    Checked, Misuse, NOTHING, Opaque, Plain, Span, aligned, answer, apart, clear, disjoint, filled, fits, held,
    held_in, held_with, input, lent_to, span, values,
};

/// Words of an open file.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_PCO_FILE_WORDS: usize = 16;
/// Words of an open file.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_PCO_FILE_WORDS: usize = 23;
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
pub const UNSPOOL_PCO_META_WORDS: usize = 29;
/// Words of chunk metadata.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_PCO_META_WORDS: usize = 40;
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
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 51;
/// Words of a decoder.
#[cfg(all(feature = "small", not(target_pointer_width = "32")))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 79;
/// Words of a decoder.
#[cfg(all(not(feature = "small"), target_pointer_width = "32"))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 79;
/// Words of a decoder.
#[cfg(all(not(feature = "small"), not(target_pointer_width = "32")))]
pub const UNSPOOL_PCO_DECODER_WORDS: usize = 115;
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

fn plan_of(plan: UnspoolPcoPlan) -> Checked<Plan> {
    match plan {
        UNSPOOL_PCO_WHOLE => Ok(Plan::Whole),
        UNSPOOL_PCO_BATCHES => Ok(Plan::Batches),
        UNSPOOL_PCO_COMPACT_WHOLE => Ok(Plan::CompactWhole),
        UNSPOOL_PCO_COMPACT_BATCHES => Ok(Plan::CompactBatches),
        _ => Err(Misuse(ErrorKind::BadArgument)),
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
    /// Bytes of workspace for `unspool_pco_decode` and `unspool_pco_skip`, and for batches.
    pub workspace_len: u64,
    /// The type of the numbers.
    pub number_type: UnspoolPcoType,
    /// Bytes of each number.
    pub number_size: u8,
}

/// Returns a workspace of the caller as words.
///
/// # Safety
///
/// As for [`aligned`].
unsafe fn words<'a>((memory, len): Place) -> Checked<&'a mut [u64]> {
    // SAFETY: the same promise.
    unsafe { aligned(memory.cast::<u64>(), len / size_of::<u64>()) }
}

/// Turns the words that a workspace must have into bytes.
fn words_in_bytes(error: Error) -> Error {
    in_bytes::<u64>(ErrorKind::WorkspaceTooSmall, error)
}

/// Reads the header of a standalone file. The file borrows the bytes, and so does the metadata of
/// its chunks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_open(
    file: *mut UnspoolPcoFile,
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = || {
            let empty = clear(file, &[NOTHING, NOTHING, span(src.cast::<u8>(), src_len), NOTHING, NOTHING])?;
            Ok((empty, filled(src.cast(), src_len), limits_of(limits)?))
        };
        attempt(error, ready, |(empty, src, limits)| {
            empty.build(|place| {
                let file = place.write(File::new());
                file.read(src, &limits, &mut ())?;
                Ok(file)
            })
        })
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
        describe(info, error, || {
            let file = held(file)?;
            Ok(UnspoolPcoInfo {
                n_hint: file.header.n_hint,
                first_chunk: file.first(),
                standalone_version: file.header.standalone_version,
                major: file.header.version.major,
                minor: file.header.version.minor,
                uniform_type: file.header.uniform_type.map_or(0, |ty| ty as u8),
            })
        })
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
        let ready = || {
            let (opened, [of, bytes]) = (held(file)?, source(file, at)?);
            let lent = [NOTHING, NOTHING, bytes, of, NOTHING];
            Ok((opened, if meta.is_null() { None } else { Some(clear(meta, &lent)?) }))
        };
        attempt(error, ready, |(opened, empty)| {
            let mut found = Chunk::new();
            if !found.open(opened, at, &mut ())? {
                answer(chunk, &UnspoolPcoChunk::default());
                return Ok(());
            }
            let described = UnspoolPcoChunk {
                len: found.len,
                page_at: found.page_at,
                workspace_len: size_of_all::<u64>(found.workspace_len(Plan::Batches)),
                number_type: found.number_type() as u8,
                number_size: u8::try_from(found.number_type().size()).unwrap_or(0),
            };
            answer(chunk, &described);
            if let Some(empty) = empty {
                empty.fill(found.meta);
            }
            Ok(())
        })
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
unsafe fn source(file: *const UnspoolPcoFile, at: u64) -> Checked<[Span; 2]> {
    // SAFETY: the same promise.
    let bytes = unsafe { held(file)? }.trailing(at.saturating_sub(1));
    Ok([span(file, 1), span(bytes.as_ptr(), bytes.len())])
}

/// Decodes the chunk at this offset to little-endian numbers in `dst`; `next` becomes the offset of
/// the next one. Faster if `dst` is aligned like the numbers. The workspace has as many bytes as
/// `workspace_len` of the chunk says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode(
    file: *const UnspoolPcoFile,
    at: u64,
    buffers: *const UnspoolBuffers,
    next: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(next, error, || {
            let lent = lend(buffers, source(file, at)?)?;
            let (words, mut chunk) = (words(lent.workspace)?, Chunk::new());
            read(file, at, &mut chunk)?;
            chunk.decode_bytes(lent.dst, words, &mut ()).map_err(words_in_bytes)
        })
    }
}

/// Finds the offset after the chunk at this offset, faster than its numbers could be decoded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_skip(
    file: *const UnspoolPcoFile,
    at: u64,
    workspace: *mut c_void,
    workspace_len: usize,
    next: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(next, error, || {
            let [of, bytes] = source(file, at)?;
            disjoint(&[of, bytes, span(workspace.cast::<u8>(), workspace_len)], 2)?;
            let (words, mut chunk) = (words((workspace, workspace_len))?, Chunk::new());
            read(file, at, &mut chunk)?;
            chunk.skip(words).map_err(words_in_bytes)
        })
    }
}

/// Decodes all chunks of the file in `src` to little-endian numbers in `dst`, whatever their types.
/// If there is no workspace, the `need` of the error is what the first chunk needs; others may need
/// more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_file(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| file_memory(buffers, options, chosen);
        decoded((done, error), (Options::DEFAULT, 0), ready, |(lent, words), chosen| {
            decode_bytes(lent.src, lent.dst, words, chosen, &mut ()).map_err(words_in_bytes)
        })
    }
}

/// Reads the options of a call that decodes a file. Returns its memory, and the workspace as words.
///
/// # Safety
///
/// As for [`whole_file`].
#[inline(always)]
unsafe fn file_memory<'a>(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    chosen: &mut Options,
) -> Checked<(Buffers<'a>, &'a mut [u64])> {
    // SAFETY: the same promises.
    unsafe {
        let lent = whole_file(&mut chosen.limits, &mut Verify::Refuse, buffers, options)?;
        let words = words(lent.workspace)?;
        Ok((lent, words))
    }
}

/// # Safety
///
/// As the header says of `unspool_pco_decode_u8`.
#[inline(always)]
unsafe fn decode_numbers<T: Number + Plain>(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe {
        let ready = |chosen: &mut Options| {
            let (lent, words) = file_memory(buffers, options, chosen)?;
            Ok((lent.src, values::<T>(lent.dst)?, words))
        };
        decoded((done, error), (Options::DEFAULT, 0), ready, |(src, numbers, words), chosen| {
            bytes_of::<T>(decode(src, numbers, words, chosen, &mut ()).map_err(words_in_bytes))
        })
    }
}

/// Decodes a file whose chunks all hold unsigned numbers of 8 bits. Another type is
/// `UNSPOOL_ERROR_WRONG_TYPE`. A program links only the types that it asks for. `dst` is aligned
/// like the numbers. The workspace is that of `unspool_pco_decode_file`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_u8(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<u8>(buffers, options, done, error) }
}

/// The same for signed numbers of 8 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_i8(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<i8>(buffers, options, done, error) }
}

/// The same for unsigned numbers of 16 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_u16(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<u16>(buffers, options, done, error) }
}

/// The same for signed numbers of 16 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_i16(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<i16>(buffers, options, done, error) }
}

/// The same for unsigned numbers of 32 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_u32(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<u32>(buffers, options, done, error) }
}

/// The same for signed numbers of 32 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_i32(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<i32>(buffers, options, done, error) }
}

/// The same for floats of 32 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_f32(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<f32>(buffers, options, done, error) }
}

/// The same for unsigned numbers of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_u64(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<u64>(buffers, options, done, error) }
}

/// The same for signed numbers of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_i64(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<i64>(buffers, options, done, error) }
}

/// The same for floats of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_decode_f64(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { decode_numbers::<f64>(buffers, options, done, error) }
}

/// The header of the wrapped format.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolPcoVersion {
    /// Its bytes: 1, or 2 since version 4.
    pub len: usize,
    /// The format version.
    pub major: u8,
    /// The features that may occur in it.
    pub minor: u8,
}

/// Reads the header of the wrapped format.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_version(
    src: *const c_void,
    src_len: usize,
    version: *mut UnspoolPcoVersion,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(version, error, || {
            let (version, len) = Version::read(input(src.cast(), src_len)?, &mut ())?;
            Ok(UnspoolPcoVersion { len, major: version.major, minor: version.minor })
        })
    }
}

/// Reads the chunk metadata of the wrapped format, for a type and a version that are stored
/// elsewhere; `len` becomes its length in bytes. The metadata borrows the bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_meta(
    meta: *mut UnspoolPcoMeta,
    src: *const c_void,
    src_len: usize,
    number_type: UnspoolPcoType,
    major: u8,
    limits: *const UnspoolLimits,
    len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let empty = clear(meta, &[NOTHING, NOTHING, span(src.cast::<u8>(), src_len), NOTHING, NOTHING])?;
            let number_type = NumberType::from_byte(number_type).ok_or(bad_argument())?;
            let (bytes, limits) = (input(src.cast(), src_len)?, limits_of(limits)?);
            empty.build(|place| {
                let meta = place.write(Meta::new());
                answer(len, &meta.read(bytes, number_type, major, 0, &limits, &mut ())?);
                Ok(meta)
            })
        })
    }
}

/// Returns the bytes of workspace for pages of at most `n` numbers; 0 for a struct that holds no
/// metadata. With `UNSPOOL_PCO_BATCHES` it is enough for either plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_workspace_len(meta: *const UnspoolPcoMeta, n: usize, plan: UnspoolPcoPlan) -> u64 {
    let plan = plan_of(plan).unwrap_or(Plan::Batches);
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(meta) }.map_or(0, |meta| size_of_all::<u64>(meta.workspace_len(n, plan)))
}

/// # Safety
///
/// As the header says of `unspool_pco_init_32`.
#[inline(always)]
unsafe fn init<L: Latent>(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: Place,
    make: impl FnOnce(&'static Meta<'static>, usize, Plan) -> Decoder<'static, 'static, L>,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    let decoder = decoder.cast::<Of<L>>();
    // SAFETY: the same promises.
    unsafe {
        let ready = || {
            let (described, &[_, _, bytes, ..]) = held_with(meta)?;
            let lent = [span(workspace.0.cast::<u8>(), workspace.1), NOTHING, bytes, span(meta, 1), NOTHING];
            let [new, others @ ..] = &lent;
            apart(*new, others)?;
            Ok((clear(decoder, &lent)?, described, plan_of(plan)?, words(workspace)?))
        };
        attempt(error, ready, |(empty, meta, plan, words)| {
            empty.build(|place| {
                let paging = place.write(Paging { decoder: make(meta, n, plan), started: false });
                paging.decoder.open(words).map_err(words_in_bytes)?;
                Ok(paging)
            })
        })
    }
}

/// # Safety
///
/// As the header says of `unspool_pco_start_32`.
#[inline(always)]
unsafe fn start<L: Latent>(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe {
        attempt(
            error,
            || held_in(decoder.cast::<Of<L>>()),
            |paging| {
                paging.decoder.start(n, at).map_err(words_in_bytes)?;
                paging.started = true;
                Ok(())
            },
        )
    }
}

/// # Safety
///
/// As the header says of `unspool_pco_step_32`.
unsafe fn step<L: Latent + Plain>(decoder: *mut UnspoolPcoDecoder, step: &UnspoolStep) -> Result<Step> {
    let decoder = decoder.cast::<Of<L>>();
    // SAFETY: the same promises.
    unsafe {
        let (src, end, _) = step_memory(step, span(decoder, 1), lent_to(decoder.cast_const()))?;
        let numbers = aligned(step.dst.cast::<L>(), step.dst_len / size_of::<L>())?;
        let paging = held_in(decoder)?;
        if !paging.started {
            return Err(Error::new(ErrorKind::NotInitialised, 0));
        }
        let step = paging.decoder.step(src, end, numbers)?;
        Ok(Step { wrote: step.wrote.saturating_mul(size_of::<L>()), ..step })
    }
}

/// Builds the tables for pages of at most `n` numbers of 8 bits. The decoder borrows metadata,
/// its struct, and the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_8(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u8>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::of_integers, error) }
}

/// Starts a page of `n` numbers of 8 bits with the next input. Offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_8(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { start::<u8>(decoder, n, at, error) }
}

/// Decodes whole batches of 256 numbers of 8 bits, as long as input and output allow. `dst` is
/// aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
/// is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
/// batch takes more than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_8(
    decoder: *mut UnspoolPcoDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| self::step::<u8>(decoder, step)) }
}

/// Builds the tables for pages of at most `n` numbers of 16 bits. The decoder borrows metadata,
/// its struct, and the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_16(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u16>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::new, error) }
}

/// As `unspool_pco_init_16`, for a chunk of integers: floats are refused, and their arithmetic is
/// not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_int_16(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u16>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::of_integers, error) }
}

/// Starts a page of `n` numbers of 16 bits with the next input. Offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_16(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { start::<u16>(decoder, n, at, error) }
}

/// Decodes whole batches of 256 numbers of 16 bits, as long as input and output allow. `dst` is
/// aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
/// is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
/// batch takes more than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_16(
    decoder: *mut UnspoolPcoDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| self::step::<u16>(decoder, step)) }
}

/// Builds the tables for pages of at most `n` numbers of 32 bits. The decoder borrows metadata,
/// its struct, and the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_32(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u32>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::new, error) }
}

/// As `unspool_pco_init_32`, for a chunk of integers: floats are refused, and their arithmetic is
/// not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_int_32(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u32>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::of_integers, error) }
}

/// Starts a page of `n` numbers of 32 bits with the next input. Offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_32(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { start::<u32>(decoder, n, at, error) }
}

/// Decodes whole batches of 256 numbers of 32 bits, as long as input and output allow. `dst` is
/// aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
/// is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
/// batch takes more than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_32(
    decoder: *mut UnspoolPcoDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| self::step::<u32>(decoder, step)) }
}

/// Builds the tables for pages of at most `n` numbers of 64 bits. The decoder borrows metadata,
/// its struct, and the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_64(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u64>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::new, error) }
}

/// As `unspool_pco_init_64`, for a chunk of integers: floats are refused, and their arithmetic is
/// not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_init_int_64(
    decoder: *mut UnspoolPcoDecoder,
    meta: *const UnspoolPcoMeta,
    n: usize,
    plan: UnspoolPcoPlan,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { init::<u64>(decoder, meta, n, plan, (workspace, workspace_len), Decoder::of_integers, error) }
}

/// Starts a page of `n` numbers of 64 bits with the next input. Offsets in errors count from `at`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_start_64(
    decoder: *mut UnspoolPcoDecoder,
    n: usize,
    at: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { start::<u64>(decoder, n, at, error) }
}

/// Decodes whole batches of 256 numbers of 64 bits, as long as input and output allow. `dst` is
/// aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
/// is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
/// batch takes more than 7488.
///
/// Wait for more bytes or the end: a second call in a row that has no more to work with than the
/// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_pco_step_64(
    decoder: *mut UnspoolPcoDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| self::step::<u64>(decoder, step)) }
}

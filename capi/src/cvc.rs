//! CVC: embedding vectors.

use core::ffi::c_void;
use core::str;

use unspool::cvc::{Column, Decoder, Dtype, File, Header, Options, Scalar};
use unspool::{Done, Error, ErrorKind, Limits, Result};

use crate::common::{
    Buffers, UnspoolBuffers, UnspoolChecks, UnspoolDone, UnspoolLimits, UnspoolOptions, UnspoolStep, advance,
    bad_argument, bytes_of, compared, decoded, describe, lend, limits_of, reply, reply_done, report_step, spell,
    u64_from, verify, whole_file,
};
use crate::error::{UnspoolError, UnspoolErrorKind, attempt, run};
use crate::memory::{
    Checked, NOTHING, Opaque, Span, answer, clear, disjoint, filled, fits, held, held_with, input, lent_to, maybe,
    needed, output, sized, span, values,
};

/// Words of an open file.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_CVC_FILE_WORDS: usize = 16;
/// Words of an open file.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_FILE_WORDS: usize = 24;
/// Bytes of an open file.
pub const UNSPOOL_CVC_FILE_SIZE: usize = UNSPOOL_CVC_FILE_WORDS * 8;

/// An open file, whose header was parsed and checked. It borrows the header and holds nothing else.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolCvcFile {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_CVC_FILE_WORDS],
}

impl Opaque for UnspoolCvcFile {
    type Value = File<'static>;
    const TAG: u32 = 0x4356_0001;
}

const _: () = fits::<UnspoolCvcFile>();

/// Words of a column.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_CVC_COLUMN_WORDS: usize = 20;
/// Words of a column.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_COLUMN_WORDS: usize = 30;
/// Bytes of a column.
pub const UNSPOOL_CVC_COLUMN_SIZE: usize = UNSPOOL_CVC_COLUMN_WORDS * 8;

/// A column of a file. It borrows the header, but not the struct of the file.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolCvcColumn {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_CVC_COLUMN_WORDS],
}

impl Opaque for UnspoolCvcColumn {
    type Value = Column<'static>;
    const TAG: u32 = 0x4356_0002;
}

const _: () = fits::<UnspoolCvcColumn>();

/// Words of a decoder.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_CVC_DECODER_WORDS: usize = 62;
/// Words of a decoder.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_DECODER_WORDS: usize = 72;
/// Bytes of a decoder.
pub const UNSPOOL_CVC_DECODER_SIZE: usize = UNSPOOL_CVC_DECODER_WORDS * 8;

/// A decoder of a stream.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolCvcDecoder {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_CVC_DECODER_WORDS],
}

impl Opaque for UnspoolCvcDecoder {
    type Value = Decoder<'static>;
    const TAG: u32 = 0x4356_0004;
}

const _: () = fits::<UnspoolCvcDecoder>();

/// The type of the values of a column.
pub type UnspoolCvcDtype = u8;

/// None of the known types.
pub const UNSPOOL_CVC_UNKNOWN: u8 = 0;
/// 32-bit float.
pub const UNSPOOL_CVC_F32: u8 = 1;
/// Half float.
pub const UNSPOOL_CVC_F16: u8 = 2;
/// 64-bit signed integer.
pub const UNSPOOL_CVC_I64: u8 = 3;
/// 32-bit signed integer.
pub const UNSPOOL_CVC_I32: u8 = 4;
/// 8-bit signed integer.
pub const UNSPOOL_CVC_I8: u8 = 5;
/// 8-bit unsigned integer.
pub const UNSPOOL_CVC_U8: u8 = 6;

fn dtype(dtype: Option<Dtype>) -> UnspoolCvcDtype {
    match dtype {
        None => UNSPOOL_CVC_UNKNOWN,
        Some(Dtype::F32) => UNSPOOL_CVC_F32,
        Some(Dtype::F16) => UNSPOOL_CVC_F16,
        Some(Dtype::I64) => UNSPOOL_CVC_I64,
        Some(Dtype::I32) => UNSPOOL_CVC_I32,
        Some(Dtype::I8) => UNSPOOL_CVC_I8,
        Some(Dtype::U8) => UNSPOOL_CVC_U8,
    }
}

/// The options of a stream. All members but `size` may be zero, and so may the pointer to the
/// options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolCvcOptions {
    /// `sizeof(UnspoolCvcOptions)`.
    pub size: usize,
    /// The bounds of what a file may cost, or null.
    pub limits: *const UnspoolLimits,
    /// The name of the column, or null for the only one. Borrowed as long as the decoder is used.
    pub column: *const c_void,
    /// Bytes of the name.
    pub column_len: usize,
    /// The handling of the CRC-32 of each chunk.
    pub checks: UnspoolChecks,
}

/// Returns a column, the memory of a call that decodes rows of it, and its options. The limits are
/// those that its file was opened with.
///
/// # Safety
///
/// As for [`held_with`] and [`lend`].
#[inline(always)]
unsafe fn rows_of<'a>(
    column: *const UnspoolCvcColumn,
    buffers: *const UnspoolBuffers,
    checks: UnspoolChecks,
) -> Checked<(&'a Column<'static>, Buffers<'a>, Options<'static>)> {
    // SAFETY: the same promises.
    unsafe {
        let (value, lent) = held_with(column)?;
        let memory = lend(buffers, [span(column, 1), lent[HEAD]])?;
        Ok((value, memory, Options { limits: Limits::NONE, verify: verify(checks)?, column: None }))
    }
}

/// The header of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolCvcInfo {
    /// Rows of every column.
    pub rows: u64,
    /// Chunks that the rows are divided into.
    pub chunks: u64,
    /// Columns.
    pub columns: u64,
    /// Offset of the end of the header.
    pub head_len: u64,
    /// 0 for files without version words, 1 for one column, 2 for many.
    pub major: u16,
    /// Ignored by every reader.
    pub minor: u16,
    /// 1 if the file has a schema of named columns.
    pub columnar: u8,
    /// 1 if each chunk has a CRC-32.
    pub checksums: u8,
    /// 1 if the chunks are laid out for memory mapping.
    pub mmap_optimized: u8,
}

/// A column, according to the schema.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolCvcColumnInfo {
    /// Values of each row.
    pub dimension: u64,
    /// The type of the values before they were compressed.
    pub dtype: UnspoolCvcDtype,
    /// The type that `unspool_cvc_decode` writes; unknown if a chunk stores the column in an
    /// unknown way.
    pub output: UnspoolCvcDtype,
    /// Bytes of one value of that type.
    pub output_width: u8,
}

/// A range of rows that the header names.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolCvcSection {
    /// Its first row.
    pub first_row: u64,
    /// The row after its last.
    pub end_row: u64,
    /// Its metadata, as the JSON in the header; not null-terminated.
    pub metadata: *const c_void,
    /// Bytes of the metadata.
    pub metadata_len: usize,
    /// 1 if there is such a section.
    pub found: u8,
}

/// The metadata that a section must have.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolCvcFilter {
    /// The key.
    pub key: *const c_void,
    /// Bytes of the key.
    pub key_len: usize,
    /// The value: a number, `true`, `false` or `null` if it reads like one, else text.
    pub value: *const c_void,
    /// Bytes of the value.
    pub value_len: usize,
    /// Not 0: the value is text, whatever it reads like.
    pub as_text: u8,
}

/// Text of the caller.
///
/// # Safety
///
/// As for [`input`].
unsafe fn text<'a>(text: *const c_void, len: usize) -> Result<&'a str> {
    // SAFETY: the same promise.
    str::from_utf8(unsafe { input(text.cast(), len)? }).map_err(|_| bad_argument())
}

/// Returns the bytes of the header at the start of a file, from its first 13. `unspool_cvc_open`
/// needs those bytes, and `unspool_cvc_init` a workspace of that size, plus the payload of a chunk
/// for columns that are stored lossless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_workspace_len(
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply(len, error, || Ok(Header::read(input(src.cast(), src_len)?, &limits_of(limits)?)?.head_len())) }
}

/// The place of the header in what a file, a column or a plan borrows.
const HEAD: usize = 3;

/// Returns the header that a file, a column or a plan borrows.
///
/// # Safety
///
/// As for [`lent_to`].
#[inline(always)]
pub(crate) unsafe fn head_of<O: Opaque>(of: *const O) -> Checked<Span> {
    // SAFETY: the same promise.
    unsafe { lent_to(of).map(|lent| lent[HEAD]) }
}

/// Parses the header, from the whole file or from the bytes that `unspool_cvc_workspace_len` says.
/// The file borrows the bytes, and so do columns and plans that are made from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_open(
    file: *mut UnspoolCvcFile,
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = || {
            let empty = clear(file, &[NOTHING, NOTHING, NOTHING, span(src.cast::<u8>(), src_len), NOTHING])?;
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
pub unsafe extern "C" fn unspool_cvc_info(
    file: *const UnspoolCvcFile,
    info: *mut UnspoolCvcInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        describe(info, error, || {
            let file = held(file)?;
            let version = file.version();
            Ok(UnspoolCvcInfo {
                rows: file.num_vectors(),
                chunks: file.chunk_count(),
                columns: file.column_count(),
                head_len: file.head_len(),
                major: version.major,
                minor: version.minor,
                columnar: file.is_columnar().into(),
                checksums: file.has_checksums().into(),
                mmap_optimized: file.is_mmap_optimized().into(),
            })
        })
    }
}

/// Finds the column with this number, from 0. Reads the schema up to there: in a file of very many
/// columns, finding them by name is faster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_column(
    column: *mut UnspoolCvcColumn,
    file: *const UnspoolCvcFile,
    number: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = || {
            let (opened, lent) = held_with(file)?;
            Ok((clear(column, &[NOTHING, NOTHING, span(file, 1), lent[HEAD], NOTHING])?, opened))
        };
        attempt(error, ready, |(empty, opened)| {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            let found = opened.columns().nth(number);
            empty.fill(found.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))??);
            Ok(())
        })
    }
}

/// Finds the column of this name. If two have the same name, the last counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_column_named(
    column: *mut UnspoolCvcColumn,
    file: *const UnspoolCvcFile,
    name: *const c_void,
    name_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let empty =
                clear(column, &[NOTHING, NOTHING, span(file, 1), head_of(file)?, span(name.cast::<u8>(), name_len)])?;
            empty.fill(held(file)?.column(text(name, name_len)?)?);
            Ok(())
        })
    }
}

/// Returns a column, according to the schema.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_column_info(
    column: *const UnspoolCvcColumn,
    info: *mut UnspoolCvcColumnInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        describe(info, error, || {
            let column = held(column)?;
            let output = column.output().ok();
            Ok(UnspoolCvcColumnInfo {
                dimension: column.dimension(),
                dtype: dtype(column.dtype()),
                output: dtype(output),
                output_width: output.and_then(|output| u8::try_from(output.width()).ok()).unwrap_or(0),
            })
        })
    }
}

/// Writes the name of a column as UTF-8, without a zero byte, and returns its length. If the space
/// is too small, only the length is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_column_name(
    column: *const UnspoolCvcColumn,
    dst: *mut c_void,
    dst_len: usize,
    len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let dst = (dst.cast::<u8>(), dst_len);
            disjoint(&[span(column, 1), head_of(column)?, span(dst.0, dst.1)], 2)?;
            let name = held(column)?.name();
            spell(&|| name.chars(), output(dst.0, dst.1)?, len)
        })
    }
}

/// Decodes the rows from `first_row` to before `end_row` to little-endian bytes of the type in the
/// column's info. `src` is the whole file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_decode(
    column: *const UnspoolCvcColumn,
    first_row: u64,
    end_row: u64,
    buffers: *const UnspoolBuffers,
    checks: UnspoolChecks,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |_: &mut ()| rows_of(column, buffers, checks);
        decoded((done, error), ((), 0), ready, |(column, lent, options), ()| {
            column.decode_bytes(lent.src, first_row..end_row, lent.dst, &options)
        })
    }
}

/// Decodes the rows from `first_row` to before `end_row` to `float`s in `dst`, from any stored
/// type. Integers beyond 2^24 are rounded. `src` is the whole file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_decode_f32(
    column: *const UnspoolCvcColumn,
    first_row: u64,
    end_row: u64,
    buffers: *const UnspoolBuffers,
    checks: UnspoolChecks,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |_: &mut ()| {
            let (column, lent, options) = rows_of(column, buffers, checks)?;
            Ok((column, lent.src, values::<f32>(lent.dst)?, options))
        };
        decoded((done, error), ((), 0), ready, |(column, src, values, options), ()| {
            bytes_of::<f32>(column.decode(src, first_row..end_row, values, &options))
        })
    }
}

/// Decodes all rows of a file with one column to little-endian bytes of the type in the column's
/// info. A file with several is `UNSPOOL_ERROR_CVC_PICK_COLUMN`: open it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_decode_file(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options<'_>| whole_file(&mut chosen.limits, &mut chosen.verify, buffers, options);
        let decode = |lent: Buffers<'_>, chosen: &Options<'_>| all_rows(lent.src, lent.dst, chosen);
        decoded((done, error), (Options::DEFAULT, 0), ready, decode)
    }
}

/// Decodes all rows of the only column. A file and a column are large, so they have a stack frame
/// of their own.
#[inline(never)]
fn all_rows(src: &[u8], dst: &mut [u8], options: &Options<'_>) -> Result<Done> {
    let column = File::open(src, &options.limits)?.only_column()?;
    let mut decoded = column.decode_bytes(src, column.rows(), dst, options);
    if let Ok(done) = &mut decoded {
        done.content = u64_from(done.wrote);
    }
    decoded
}

/// Starts a stream. The decoder borrows its workspace, and the name of the column in the options,
/// until it is no longer used; `unspool_cvc_workspace_len` returns the size of the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_init(
    decoder: *mut UnspoolCvcDecoder,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolCvcOptions,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let asked = sized(options);
            let name = match asked {
                Ok(Some(asked)) => span(asked.column.cast::<u8>(), asked.column_len),
                _ => NOTHING,
            };
            let memory = compared(buffers, [name], [span(decoder, 1)])?;
            let empty = clear(decoder, &[memory.workspace(), NOTHING, name, NOTHING, NOTHING])?;
            let mut options = Options::DEFAULT;
            if let Some(asked) = asked? {
                let named = text(asked.column, asked.column_len)?;
                let column = (!asked.column.is_null()).then_some(named);
                options = Options { limits: limits_of(asked.limits)?, verify: verify(asked.checks)?, column };
            }
            let workspace = output(memory.workspace.cast::<u8>(), memory.workspace_len)?;
            empty.build(|place| Ok(place.write(Decoder::new(workspace, &options))))
        })
    }
}

/// Reads `src` and writes `dst` of a step, as far as both allow: little-endian bytes of the type
/// that `unspool_cvc_output` returns. An error stays.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_step(
    decoder: *mut UnspoolCvcDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| advance(decoder, step, Decoder::step)) }
}

/// Returns the progress of a stream: the chunks whose payload it has read, and their checksums.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_done(
    decoder: *const UnspoolCvcDecoder,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply_done(done, error, || Ok(held(decoder)?.done())) }
}

/// Returns the type of the values of a stream; unknown until its header is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_output(decoder: *const UnspoolCvcDecoder) -> UnspoolCvcDtype {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(decoder) }.map_or(UNSPOOL_CVC_UNKNOWN, |decoder| dtype(decoder.output()))
}

/// Finds the next section that the header lists, from the number `*number` on, which becomes the
/// number after it. With a filter that is not null, only sections count that have its metadata.
///
/// Each call reads the list from its start: n calls for n sections take n * n / 2 steps. With a
/// filter, one call skips all sections that do not match.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_section(
    file: *const UnspoolCvcFile,
    filter: *const UnspoolCvcFilter,
    number: *mut u64,
    section: *mut UnspoolCvcSection,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(section, error, || {
            let (file, first) = (held(file)?, *needed(number.cast_const())?);
            let wanted = match maybe(filter)? {
                None => None,
                Some(filter) => {
                    let (key, value) = (text(filter.key, filter.key_len)?, text(filter.value, filter.value_len)?);
                    match Scalar::parse(value) {
                        Ok(scalar) if filter.as_text == 0 => Some((key, scalar)),
                        _ => Some((key, Scalar::from(value))),
                    }
                }
            };
            let mut next = first;
            for one in file.sections().skip(usize::try_from(first).unwrap_or(usize::MAX)) {
                let one = one?;
                next = next.saturating_add(1);
                if wanted.is_none_or(|(key, value)| one.metadata.matches(key, &value)) {
                    let raw = one.metadata.raw();
                    answer(number, &next);
                    return Ok(UnspoolCvcSection {
                        first_row: one.rows.start,
                        end_row: one.rows.end,
                        metadata: raw.as_ptr().cast(),
                        metadata_len: raw.len(),
                        found: 1,
                    });
                }
            }
            answer(number, &next);
            let (metadata, metadata_len) = (core::ptr::null(), 0);
            Ok(UnspoolCvcSection { first_row: 0, end_row: 0, metadata, metadata_len, found: 0 })
        })
    }
}

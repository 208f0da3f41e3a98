//! CVC: embedding vectors.

use core::str;

use unspool::cvc::{Column, Decoder, Dtype, File, Header, Options, Scalar, Text};
use unspool::{Checksums, Error, ErrorKind, Limits, Result, Verify};

use crate::common::{UnspoolEnd, UnspoolLimits, UnspoolStep, advance, bad_argument, limits, report_step, u64_from};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, answer, apart, build, clear, fill, fits, held, input, output, stretch};

/// Words of an open file.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_CVC_FILE_WORDS: usize = 10;
/// Words of an open file.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_FILE_WORDS: usize = 14;
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
pub const UNSPOOL_CVC_COLUMN_WORDS: usize = 14;
/// Words of a column.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_COLUMN_WORDS: usize = 20;
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
pub const UNSPOOL_CVC_DECODER_WORDS: usize = 52;
/// Words of a decoder.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_DECODER_WORDS: usize = 62;
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

/// The handling of the CRC-32 of each chunk.
pub type UnspoolCvcCrc = u8;

/// A chunk whose CRC-32 differs is an error.
pub const UNSPOOL_CVC_CRC_VERIFY: u8 = 0;
/// Differences are counted, and decoding goes on: see `UnspoolCvcDone`, for streams
/// `unspool_cvc_counts`.
pub const UNSPOOL_CVC_CRC_REPORT: u8 = 1;
/// CRCs are not computed.
pub const UNSPOOL_CVC_CRC_SKIP: u8 = 2;

pub(crate) fn verify(crc: UnspoolCvcCrc) -> Result<Verify> {
    match crc {
        UNSPOOL_CVC_CRC_VERIFY => Ok(Verify::Refuse),
        UNSPOOL_CVC_CRC_REPORT => Ok(Verify::Report),
        UNSPOOL_CVC_CRC_SKIP => Ok(Verify::Skip),
        _ => Err(bad_argument()),
    }
}

/// Options for a column of an open file, which keeps the limits that it was opened with.
fn options(check: UnspoolCvcCrc) -> Result<Options<'static>> {
    Ok(Options { limits: Limits::NONE, verify: verify(check)?, column: None })
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

/// The result of a call that decodes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolCvcDone {
    /// The filled part of the output, in the units of its length. 0 if there is no output.
    pub wrote: usize,
    /// Chunks whose CRC-32 is equal.
    pub crc_right: u64,
    /// Chunks whose CRC-32 differs.
    pub crc_wrong: u64,
    /// Chunks that were not compared, or have no CRC-32.
    pub crc_unchecked: u64,
}

impl UnspoolCvcDone {
    pub(crate) const fn new(wrote: usize, checksums: Checksums) -> Self {
        let Checksums { matched, mismatched, unchecked } = checksums;
        Self { wrote, crc_right: matched, crc_wrong: mismatched, crc_unchecked: unchecked }
    }
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
    pub metadata: *const u8,
    /// Bytes of the metadata.
    pub metadata_len: usize,
    /// 1 if there is such a section.
    pub found: u8,
}

/// Text of the caller.
///
/// # Safety
///
/// As for [`input`].
unsafe fn words<'a>(text: *const u8, len: usize) -> Result<&'a str> {
    // SAFETY: the same promise.
    str::from_utf8(unsafe { input(text, len)? }).map_err(|_| bad_argument())
}

/// Text of the caller, unless it is null.
///
/// # Safety
///
/// As for [`input`].
unsafe fn named<'a>(text: *const u8, len: usize) -> Result<Option<&'a str>> {
    // SAFETY: the same promise.
    let text_or_empty = unsafe { words(text, len)? };
    Ok((!text.is_null()).then_some(text_or_empty))
}

/// Returns the bytes of the header at the start of a file, from its first 13. `unspool_cvc_open`
/// needs those bytes, and `unspool_cvc_init` a workspace of that size, plus the payload of a chunk
/// for columns that are stored lossless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_workspace_len(
    prefix: *const u8,
    prefix_len: usize,
    with_limits: *const UnspoolLimits,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            answer(len, Header::read(input(prefix, prefix_len)?, &limits(with_limits)?)?.head_len());
            Ok(())
        };
        report(error, read())
    }
}

/// Parses the header, from the whole file or from the bytes that `unspool_cvc_workspace_len` says.
/// The file borrows the bytes, and so do columns and plans that are made from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_open(
    file: *mut UnspoolCvcFile,
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
pub unsafe extern "C" fn unspool_cvc_info(
    file: *const UnspoolCvcFile,
    info: *mut UnspoolCvcInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let file = held(file)?;
            let version = file.version();
            let told = UnspoolCvcInfo {
                rows: file.num_vectors(),
                chunks: file.chunk_count(),
                columns: file.column_count(),
                head_len: file.head_len(),
                major: version.major,
                minor: version.minor,
                columnar: file.is_columnar().into(),
                checksums: file.has_checksums().into(),
                mmap_optimized: file.is_mmap_optimized().into(),
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
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
        let find = || {
            clear(column, &[stretch(file, 1)])?;
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            let found = held(file)?.columns().nth(number);
            fill(column, found.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))??)
        };
        report(error, find())
    }
}

/// Finds the column of this name. If two have the same name, the last counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_column_named(
    column: *mut UnspoolCvcColumn,
    file: *const UnspoolCvcFile,
    name: *const u8,
    name_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let find = || {
            clear(column, &[stretch(file, 1), stretch(name, name_len)])?;
            fill(column, held(file)?.column(words(name, name_len)?)?)
        };
        report(error, find())
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
        let read = || {
            let column = held(column)?;
            let output = column.output().ok();
            let told = UnspoolCvcColumnInfo {
                dimension: column.dimension(),
                dtype: dtype(column.dtype()),
                output: dtype(output),
                output_width: output.and_then(|output| u8::try_from(output.width()).ok()).unwrap_or(0),
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// Writes the name of a column as UTF-8, without a zero byte, and returns its length. If the space
/// is too small, only the length is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_column_name(
    column: *const UnspoolCvcColumn,
    name: *mut u8,
    name_len: usize,
    len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            apart(&[stretch(column, 1)], &[stretch(name, name_len)])?;
            let (text, room) = (held(column)?.name(), output(name, name_len)?);
            let size = text.chars().map(char::len_utf8).sum::<usize>();
            answer(len, size);
            match room.get_mut(..size) {
                Some(room) => {
                    spell(text, room);
                    Ok(())
                }
                None => Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(u64_from(size))),
            }
        };
        report(error, read())
    }
}

/// Writes the characters of a text to a slice of exactly their length.
fn spell(text: Text<'_>, room: &mut [u8]) {
    let mut bytes = room.iter_mut();
    for character in text.chars() {
        for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
            if let Some(to) = bytes.next() {
                *to = byte;
            }
        }
    }
}

/// Decodes the rows from `first_row` to before `end_row` to little-endian bytes of the type in the
/// column's info. `bytes` is the whole file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_decode(
    column: *const UnspoolCvcColumn,
    bytes: *const u8,
    bytes_len: usize,
    first_row: u64,
    end_row: u64,
    check: UnspoolCvcCrc,
    dst: *mut u8,
    dst_len: usize,
    done: *mut UnspoolCvcDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            apart(&[stretch(column, 1), stretch(bytes, bytes_len)], &[stretch(dst, dst_len)])?;
            let (column, bytes, dst) = (held(column)?, input(bytes, bytes_len)?, output(dst, dst_len)?);
            let decoded = column.decode_bytes(bytes, first_row..end_row, dst, &options(check)?)?;
            answer(done, UnspoolCvcDone::new(decoded.wrote, decoded.checksums));
            Ok(())
        };
        report(error, decode())
    }
}

/// Decodes the rows from `first_row` to before `end_row` to f32, from any stored type. Integers
/// beyond 2^24 are rounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_decode_f32(
    column: *const UnspoolCvcColumn,
    bytes: *const u8,
    bytes_len: usize,
    first_row: u64,
    end_row: u64,
    check: UnspoolCvcCrc,
    values: *mut f32,
    values_len: usize,
    done: *mut UnspoolCvcDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            apart(&[stretch(column, 1), stretch(bytes, bytes_len)], &[stretch(values, values_len)])?;
            let (column, bytes, values) = (held(column)?, input(bytes, bytes_len)?, output(values, values_len)?);
            let decoded = column.decode(bytes, first_row..end_row, values, &options(check)?)?;
            answer(done, UnspoolCvcDone::new(decoded.wrote, decoded.checksums));
            Ok(())
        };
        report(error, decode())
    }
}

/// Starts a stream of the column of this name, or of the only one if the name is null. The decoder
/// borrows workspace and name until it is no longer used; `unspool_cvc_workspace_len` returns the
/// size of the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_init(
    decoder: *mut UnspoolCvcDecoder,
    space: *mut u8,
    space_len: usize,
    column: *const u8,
    column_len: usize,
    check: UnspoolCvcCrc,
    with_limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let start = || {
            apart(&[stretch(column, column_len)], &[stretch(decoder, 1), stretch(space, space_len)])?;
            clear(decoder, &[])?;
            let column = named(column, column_len)?;
            let space = output(space, space_len)?;
            let options = Options { limits: limits(with_limits)?, verify: verify(check)?, column };
            build(decoder, |place| Ok(place.write(Decoder::new(space, &options))))
        };
        report(error, start())
    }
}

/// Reads `src` and writes `dst`, as far as both allow: little-endian bytes of the type that
/// `unspool_cvc_output` returns. An error stays.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_step(
    decoder: *mut UnspoolCvcDecoder,
    src: *const u8,
    src_len: usize,
    at_end: UnspoolEnd,
    dst: *mut u8,
    dst_len: usize,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, advance(decoder, (src, src_len), at_end, (dst, dst_len), Decoder::step)) }
}

/// Returns the checksums of a stream so far. `wrote` is 0, because each step returns it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_counts(
    decoder: *const UnspoolCvcDecoder,
    so_far: *mut UnspoolCvcDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let tell = || {
            answer(so_far, UnspoolCvcDone::new(0, held(decoder)?.checksums()));
            Ok(())
        };
        report(error, tell())
    }
}

/// Returns the type of the values of a stream; unknown until its header is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_output(decoder: *const UnspoolCvcDecoder) -> UnspoolCvcDtype {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(decoder) }.map_or(UNSPOOL_CVC_UNKNOWN, |decoder| dtype(decoder.output()))
}

/// Finds the next section that the header lists, from the number `*number` on, which becomes the
/// number after it. With a key, only sections count whose metadata has this value there: a number,
/// `true`, `false` or `null` if it reads like one, else text; with `as_text` always text.
///
/// Each call reads the list from its start: n calls for n sections take n * n / 2 steps. With a
/// key, one call skips all sections that do not match.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_section(
    file: *const UnspoolCvcFile,
    key: *const u8,
    key_len: usize,
    value: *const u8,
    value_len: usize,
    as_text: u8,
    number: *mut u64,
    section: *mut UnspoolCvcSection,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let find = || {
            let (file, number) = (held(file)?, output(number.cast::<u64>(), 1)?);
            let value = words(value, value_len)?;
            let wanted = named(key, key_len)?.map(|key| match Scalar::parse(value) {
                Ok(scalar) if as_text == 0 => (key, scalar),
                _ => (key, Scalar::from(value)),
            });
            let [number] = number else { return Err(bad_argument()) };
            let none =
                UnspoolCvcSection { first_row: 0, end_row: 0, metadata: core::ptr::null(), metadata_len: 0, found: 0 };
            let mut told = none;
            for one in file.sections().skip(usize::try_from(*number).unwrap_or(usize::MAX)) {
                let one = one?;
                *number = number.saturating_add(1);
                if wanted.is_none_or(|(key, value)| one.metadata.matches(key, &value)) {
                    let raw = one.metadata.raw();
                    told = UnspoolCvcSection {
                        first_row: one.rows.start,
                        end_row: one.rows.end,
                        metadata: raw.as_ptr(),
                        metadata_len: raw.len(),
                        found: 1,
                    };
                    break;
                }
            }
            answer(section, told);
            Ok(())
        };
        report(error, find())
    }
}

//! Zstandard.

use core::ffi::c_void;

use unspool::zstd::{self, Decoder, Dictionary, File, Flavour, Header, Options, Workspace};
use unspool::{Done, Error, ErrorKind, Limits, Result, Verify};

use crate::common::{
    UnspoolEnd, UnspoolLimits, UnspoolStep, advance, bad_argument, limits, relend, report_step, start, u64_from,
};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, Stretch, answer, apart, fits, held, input, maybe, output, stretch, zeroed};

/// Words of a workspace. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`.
#[cfg(feature = "small")]
pub const UNSPOOL_ZSTD_WORKSPACE_WORDS: usize = 432;
/// Words of a workspace.
#[cfg(not(feature = "small"))]
pub const UNSPOOL_ZSTD_WORKSPACE_WORDS: usize = 2378;
/// Bytes of a workspace.
pub const UNSPOOL_ZSTD_WORKSPACE_SIZE: usize = UNSPOOL_ZSTD_WORKSPACE_WORDS * 8;

/// The tables of a decoder. Needs no initialisation, and no clearing between uses.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolZstdWorkspace {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_ZSTD_WORKSPACE_WORDS],
}

const _: () = assert!(size_of::<Workspace>() <= UNSPOOL_ZSTD_WORKSPACE_SIZE, "the C struct has too few words");

/// Words of a decoder.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_ZSTD_DECODER_WORDS: usize = 52;
/// Words of a decoder.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_ZSTD_DECODER_WORDS: usize = 64;
/// Bytes of a decoder.
pub const UNSPOOL_ZSTD_DECODER_SIZE: usize = UNSPOOL_ZSTD_DECODER_WORDS * 8;

/// A decoder of a stream.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolZstdDecoder {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_ZSTD_DECODER_WORDS],
}

impl Opaque for UnspoolZstdDecoder {
    type Value = Decoder<'static>;
    const TAG: u32 = 0x5A53_0001;
}

const _: () = fits::<UnspoolZstdDecoder>();

/// One of the formats that share their magic numbers.
pub type UnspoolZstdFlavour = u8;

/// Detect it: from the whole file; in a stream `28` means RFC 8878 and `27` means v0.7.
pub const UNSPOOL_ZSTD_ANY: u8 = 0;
/// RFC 8878.
pub const UNSPOOL_ZSTD_RFC8878: u8 = 1;
/// The format of zstd 0.7.
pub const UNSPOOL_ZSTD_V07: u8 = 2;
/// The draft 0.2.0.
pub const UNSPOOL_ZSTD_DRAFT: u8 = 3;

/// The choices of a caller, if the defaults do not fit. All zeros are the defaults, and so is a
/// null pointer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolZstdOptions {
    /// The dictionary that the frames were compressed with: a trained one or plain bytes.
    pub dictionary: *const u8,
    /// Bytes of the dictionary; 0 for none.
    pub dictionary_len: usize,
    /// The format.
    pub flavour: UnspoolZstdFlavour,
    /// Not 0: the dictionary is plain bytes, whatever its first bytes are.
    pub raw_dictionary: u8,
    /// Not 0: frames have no magic numbers.
    pub magicless: u8,
    /// Not 0: checksums are neither computed nor compared.
    pub skip_checksums: u8,
}

/// The header of the frame at the start of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdInfo {
    /// Bytes of the frame header.
    pub header_len: usize,
    /// The largest distance of a match.
    pub window: u64,
    /// Bytes that the frame decodes to, if its header says so.
    pub content_size: u64,
    /// Bytes of window that a stream of this frame needs.
    pub stream_buffer: u64,
    /// The number of the dictionary; 0 if the header has none.
    pub dictionary_id: u32,
    /// 1 if `content_size` is known.
    pub has_content_size: u8,
    /// 1 if a checksum follows the content.
    pub checksum: u8,
    /// 1 for a frame that decoders skip: `header_len` bytes, and `content_size` bytes after them.
    pub skippable: u8,
    /// The detected format; RFC 8878 if the bytes fit none.
    pub flavour: UnspoolZstdFlavour,
}

/// The result of decoding a whole file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdDone {
    /// Bytes of the input that were used: all of it.
    pub read: usize,
    /// Bytes of the output that are filled. The bytes after them may have been used as scratch.
    pub wrote: usize,
    /// Frames of data.
    pub frames: u64,
    /// Checksums that were compared and are equal.
    pub checksums: u64,
}

/// The seek table at the end of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdSeekInfo {
    /// Frames that it lists.
    pub frames: u64,
    /// Bytes that all of them decode to, according to the table.
    pub content_size: u64,
    /// Bytes that the largest of them decodes to, according to the table.
    pub room: usize,
    /// 1 if there is a table.
    pub found: u8,
}

/// # Safety
///
/// A pointer that is not null leads to limits, or to options whose dictionary is valid. Returns the
/// dictionary as a range of memory as well.
unsafe fn options<'a>(
    with_limits: *const UnspoolLimits,
    options: *const UnspoolZstdOptions,
) -> Result<(Options<'a>, Stretch)> {
    // SAFETY: the same promise.
    let (limits, options) = unsafe { (limits(with_limits)?, maybe(options)?) };
    let Some(options) = options else { return Ok((Options { limits, ..Options::DEFAULT }, (0, 0))) };
    // SAFETY: the same promise.
    let bytes = unsafe { input(options.dictionary, options.dictionary_len)? };
    let dictionary = match (bytes.is_empty(), options.raw_dictionary) {
        (true, _) => None,
        (_, 0) => Some(Dictionary::new(bytes)),
        _ => Some(Dictionary::raw(bytes)),
    };
    let flavour = match options.flavour {
        UNSPOOL_ZSTD_ANY => None,
        UNSPOOL_ZSTD_RFC8878 => Some(Flavour::Rfc8878),
        #[cfg(feature = "zstd")]
        UNSPOOL_ZSTD_V07 => Some(Flavour::V07),
        #[cfg(feature = "zstd")]
        UNSPOOL_ZSTD_DRAFT => Some(Flavour::Draft),
        _ => return Err(bad_argument()),
    };
    let verify = if options.skip_checksums == 0 { Verify::Refuse } else { Verify::Skip };
    let read = Options { limits, verify, flavour, dictionary, magicless: options.magicless != 0 };
    Ok((read, stretch(options.dictionary, options.dictionary_len)))
}

/// # Safety
///
/// As for [`zeroed`].
unsafe fn workspace<'a>(workspace: *mut c_void, len: usize) -> Result<&'a mut Workspace> {
    // SAFETY: the same promise. A workspace consists of numbers, and arrays of numbers and
    // booleans; `Workspace::new` is all zeros, which a test compares.
    unsafe { zeroed::<Workspace>(workspace, len) }
}

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_ZSTD_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_zstd_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Reads the frame header at the start of a file. The first 18 bytes are always enough. Only the
/// whole file distinguishes a draft frame from others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_info(
    src: *const u8,
    src_len: usize,
    info: *mut UnspoolZstdInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let src = input(src, src_len)?;
            let flavour = zstd::detect(src).unwrap_or(Flavour::Rfc8878);
            let number = match flavour {
                #[cfg(feature = "zstd")]
                Flavour::V07 => UNSPOOL_ZSTD_V07,
                #[cfg(feature = "zstd")]
                Flavour::Draft => UNSPOOL_ZSTD_DRAFT,
                // Everything else without the feature, and RFC 8878 in any case.
                _ => UNSPOOL_ZSTD_RFC8878,
            };
            let told = match Header::read(src, &Limits::NONE, flavour)? {
                Header::Skippable { size, .. } => UnspoolZstdInfo {
                    header_len: 8,
                    content_size: size.into(),
                    skippable: 1,
                    flavour: number,
                    ..UnspoolZstdInfo::default()
                },
                Header::Frame(frame) => UnspoolZstdInfo {
                    header_len: frame.len,
                    window: frame.window,
                    content_size: frame.content_size.unwrap_or(0),
                    stream_buffer: frame.stream_buffer(),
                    dictionary_id: frame.dictionary_id,
                    has_content_size: frame.content_size.is_some().into(),
                    checksum: frame.checksum.into(),
                    skippable: 0,
                    flavour: number,
                },
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// Counts the bytes that a file decodes to. Reads all sequences, but writes nothing and needs no
/// output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decoded_size(
    src: *const u8,
    src_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    with_options: *const UnspoolZstdOptions,
    size: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let count = || {
            let (options, dictionary) = options(with_limits, with_options)?;
            apart(&[stretch(src, src_len), dictionary], &[stretch(space, space_len)])?;
            let (src, workspace) = (input(src, src_len)?, workspace(space, space_len)?);
            let counted = zstd::decoded_len(src, workspace, &options)?;
            answer(size, counted);
            Ok(())
        };
        report(error, count())
    }
}

/// Decodes a whole file: any number of frames. The output is the only window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decode(
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    with_options: *const UnspoolZstdOptions,
    done: *mut UnspoolZstdDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let (options, dictionary) = options(with_limits, with_options)?;
            let written = [stretch(dst, dst_len), stretch(space, space_len)];
            apart(&[stretch(src, src_len), dictionary], &written)?;
            let (src, dst, workspace) = (input(src, src_len)?, output(dst, dst_len)?, workspace(space, space_len)?);
            let decoded = zstd::decode(src, dst, workspace, &options, &mut ())?;
            let Done { read, wrote, parts: frames, checksums, .. } = decoded;
            answer(done, UnspoolZstdDone { read, wrote, frames, checksums: checksums.matched });
            Ok(())
        };
        report(error, decode())
    }
}

/// Reads the seek table of a file in the seekable format. A file without one is no error: `found`
/// is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_seek_info(
    src: *const u8,
    src_len: usize,
    with_limits: *const UnspoolLimits,
    info: *mut UnspoolZstdSeekInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let told = match File::open(input(src, src_len)?, &limits(with_limits)?) {
                Err(Error { kind: ErrorKind::ZstdSeekTable, at, .. }) if at == u64_from(src_len) => {
                    UnspoolZstdSeekInfo::default()
                }
                opened => opened.map(|file| UnspoolZstdSeekInfo {
                    frames: u64_from(file.len()),
                    content_size: file.content(),
                    room: file.scratch_len(),
                    found: 1,
                })?,
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// Decodes the bytes from `first` to before `end` of the content of a file in the seekable format,
/// from the frames that hold them. A frame that is needed in part is decoded in `room`. If that is
/// smaller than the largest of these frames, the error is of the class `WORKSPACE_TOO_SMALL`;
/// `room` of `UnspoolZstdSeekInfo` is always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decode_part(
    src: *const u8,
    src_len: usize,
    first: u64,
    end: u64,
    dst: *mut u8,
    dst_len: usize,
    room: *mut u8,
    room_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    with_options: *const UnspoolZstdOptions,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let (options, dictionary) = options(with_limits, with_options)?;
            let written = [stretch(dst, dst_len), stretch(room, room_len), stretch(space, space_len)];
            apart(&[stretch(src, src_len), dictionary], &written)?;
            let (src, dst, room) = (input(src, src_len)?, output(dst, dst_len)?, output(room, room_len)?);
            let workspace = workspace(space, space_len)?;
            let file = File::open(src, &options.limits)?;
            answer(wrote, file.decode(src, first..end, dst, workspace, room, &options)?.wrote);
            Ok(())
        };
        report(error, decode())
    }
}

/// Starts a stream. The decoder borrows workspace, window and dictionary until it is no longer
/// used. The size of the window is `stream_buffer` of `UnspoolZstdInfo`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_init(
    decoder: *mut UnspoolZstdDecoder,
    space: *mut c_void,
    space_len: usize,
    window: *mut u8,
    window_len: usize,
    with_limits: *const UnspoolLimits,
    with_options: *const UnspoolZstdOptions,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let options = options(with_limits, with_options);
        let dictionary = options.map_or((0, 0), |(_, dictionary)| dictionary);
        let (space, window) = ((space, space_len), (window, window_len));
        let options = (options.map(|(options, _)| options), dictionary);
        report(error, start(decoder, space, window, options, workspace, Decoder::new))
    }
}

/// Reads `src` and writes `dst`, as far as both allow. An error stays, except that of a window that
/// is too small: see `unspool_zstd_lend`.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_step(
    decoder: *mut UnspoolZstdDecoder,
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

/// Returns the frames of data that a stream has completed, and those of their checksums that were
/// compared and are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_counts(
    decoder: *const UnspoolZstdDecoder,
    frames: *mut u64,
    checksums: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let tell = || {
            let done = held(decoder)?.done();
            answer(frames, done.parts);
            answer(checksums, done.checksums.matched);
            Ok(())
        };
        report(error, tell())
    }
}

/// Lends another window, after the error `UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER` of a step, whose `need`
/// is the least size. The last window is free. At any other time the window is in use: it stays,
/// and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_lend(
    decoder: *mut UnspoolZstdDecoder,
    window: *mut u8,
    window_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, relend(decoder, (window, window_len), Decoder::lend)) }
}

#[cfg(test)]
mod tests {
    use unspool::{Error, ErrorKind};

    use super::*;

    #[test]
    fn an_empty_workspace_is_all_zeros() {
        static EMPTY: Workspace = Workspace::new();
        assert!(crate::memory::is_zeros(&EMPTY));
    }

    #[test]
    fn a_dictionary_that_is_null_is_none() {
        let none = UnspoolZstdOptions {
            dictionary: core::ptr::null(),
            dictionary_len: 0,
            flavour: 9,
            raw_dictionary: 0,
            magicless: 0,
            skip_checksums: 0,
        };
        // SAFETY: the options are valid, and have no dictionary.
        let refused = unsafe { options(core::ptr::null(), &none) };
        assert_eq!(refused.map(drop), Err(Error::new(ErrorKind::BadArgument, 0)));
    }
}

//! Zstandard.

use core::ffi::c_void;

use unspool::zstd::{self, Decoder, Dictionary, File, Flavour, Header, Options, Workspace};
use unspool::{Done, Error, ErrorKind, Limits, Result, Verify};

use crate::common::{
    UnspoolEnd, UnspoolLimits, UnspoolStep, advance, bad_argument, limits, relend, report_step, start, u64_from,
};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, Stretch, answer, apart, fits, held, input, maybe, output, stretch, zeroed};

/// Words of a workspace. With the feature `small`, for which C defines `UNSPOOL_SMALL`, it takes fewer.
#[cfg(feature = "small")]
pub const UNSPOOL_ZSTD_WORKSPACE_WORDS: usize = 432;
/// Words of a workspace.
#[cfg(not(feature = "small"))]
pub const UNSPOOL_ZSTD_WORKSPACE_WORDS: usize = 2378;
/// Bytes of a workspace.
pub const UNSPOOL_ZSTD_WORKSPACE_SIZE: usize = UNSPOOL_ZSTD_WORKSPACE_WORDS * 8;

/// The tables of a decoder. It need not be initialised, nor cleared between uses.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolZstdWorkspace {
    /// Nobody's business.
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

/// A stream that is being decoded.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolZstdDecoder {
    /// Nobody's business.
    pub opaque: [u64; UNSPOOL_ZSTD_DECODER_WORDS],
}

impl Opaque for UnspoolZstdDecoder {
    type Value = Decoder<'static>;
    const TAG: u32 = 0x5A53_0001;
}

const _: () = fits::<UnspoolZstdDecoder>();

/// Which of the formats that share their magic numbers a file is in.
pub type UnspoolZstdFlavour = u8;

/// Find out: from the whole file; in a stream `28` means RFC 8878 and `27` means v0.7.
pub const UNSPOOL_ZSTD_ANY: u8 = 0;
/// RFC 8878.
pub const UNSPOOL_ZSTD_RFC8878: u8 = 1;
/// What zstd 0.7 wrote.
pub const UNSPOOL_ZSTD_V07: u8 = 2;
/// The draft 0.2.0.
pub const UNSPOOL_ZSTD_DRAFT: u8 = 3;

/// How to decode, where the defaults do not fit. All zeros are the defaults, and so is a null pointer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolZstdOptions {
    /// What the frames were compressed with: a trained dictionary or plain bytes.
    pub dictionary: *const u8,
    /// Bytes of the dictionary; 0 for none.
    pub dictionary_len: usize,
    /// The format.
    pub flavour: UnspoolZstdFlavour,
    /// Not 0: the dictionary is plain bytes, whatever it starts with.
    pub raw_dictionary: u8,
    /// Not 0: frames without their magic numbers.
    pub magicless: u8,
    /// Not 0: checksums are neither computed nor compared.
    pub skip_checksums: u8,
}

/// What the frame at the start of a file says.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdInfo {
    /// Bytes of the frame header.
    pub header_len: usize,
    /// How far back matches reach.
    pub window: u64,
    /// Bytes that the frame decodes to, if it says so.
    pub content_size: u64,
    /// How many bytes of window a stream of this frame needs.
    pub stream_buffer: u64,
    /// The dictionary that it was made with; 0 if it does not say.
    pub dictionary_id: u32,
    /// 1 if `content_size` is known.
    pub has_content_size: u8,
    /// 1 if a checksum follows the content.
    pub checksum: u8,
    /// 1 for a frame that decoders step over: `header_len` and `content_size` bytes behind it.
    pub skippable: u8,
    /// The format that was found; RFC 8878 if the bytes fit none.
    pub flavour: UnspoolZstdFlavour,
}

/// How far a call came that decoded a whole file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdDone {
    /// Bytes of the input: all of it.
    pub read: usize,
    /// Bytes of the output that are filled. What lies behind them may have been used as scratch.
    pub wrote: usize,
    /// Frames of data.
    pub frames: u64,
    /// Checksums that were compared and found right.
    pub checksums: u64,
}

/// What the seek table at the end of a file says.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdSeekInfo {
    /// How many frames it lists.
    pub frames: u64,
    /// Bytes that all of them decode to, if it is to be believed.
    pub content_size: u64,
    /// Bytes that the largest of them decodes to, if it is to be believed.
    pub room: usize,
    /// 1 if there is a table.
    pub found: u8,
}

/// # Safety
///
/// A pointer that is not null leads to limits, or to options whose dictionary is there. Returns as well where that lies.
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
        UNSPOOL_ZSTD_V07 => Some(Flavour::V07),
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
    // SAFETY: the same promise. A workspace is made of numbers, and of arrays of numbers and truth values; all of them are
    // zero in `Workspace::new`, which a test compares.
    unsafe { zeroed::<Workspace>(workspace, len) }
}

/// How many bytes a workspace takes in this build: at most `UNSPOOL_ZSTD_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_zstd_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Reads the frame header at the start of a file, which need not be there as a whole: 18 bytes are always enough. Only the whole
/// file tells a draft frame from others.
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
                Flavour::Rfc8878 => UNSPOOL_ZSTD_RFC8878,
                Flavour::V07 => UNSPOOL_ZSTD_V07,
                Flavour::Draft => UNSPOOL_ZSTD_DRAFT,
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

/// Counts how many bytes a file decodes to. Reads all sequences, but writes nothing and needs no room.
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

/// Decodes a whole file: any number of frames. The output is the only window there is.
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

/// Reads the seek table of a file in the seekable format. A file without one is no error: nothing is `found`.
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

/// Decodes the bytes from `first` to before `end` of what a file in the seekable format holds, out of the frames that hold them. A frame that is wanted in
/// part is decoded in `room`, which needs as many bytes as the largest of them has, or it is an error of the class
/// `WORKSPACE_TOO_SMALL`; `room` of `UnspoolZstdSeekInfo` is always enough.
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

/// Starts a stream. Workspace, window and dictionary are lent to the decoder until it is no longer used. `stream_buffer` of
/// `UnspoolZstdInfo` says how large the window must be.
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

/// Reads on and writes on, as far as both allow. An error stays, but for that of a window that is too small: see `unspool_zstd_lend`.
///
/// Wait until there are bytes, room or the end: a second call in a row that has nothing to work with ends the stream with
/// `UNSPOOL_ERROR_NO_PROGRESS`.
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

/// How many frames of data a stream has ended so far, and how many checksums of them were compared and found right.
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

/// Lends another window, after a step has said with `UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER` how large it must be. The last one is no longer used.
/// At any other time the window is in use: it stays, and the answer is `UNSPOOL_ERROR_WINDOW_IN_USE`.
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
        // SAFETY: the options are there, and have no dictionary.
        let refused = unsafe { options(core::ptr::null(), &none) };
        assert_eq!(refused.map(drop), Err(Error::new(ErrorKind::BadArgument, 0)));
    }
}

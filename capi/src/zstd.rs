//! Zstandard.

use core::ffi::c_void;

use unspool::zstd::{self, Decoder, Dictionary, File, Flavour, Header, Options, Workspace};
use unspool::{Done, Error, ErrorKind, Limits, Result};

use crate::common::{
    Buffers, Place, UnspoolBuffers, UnspoolChecks, UnspoolDone, UnspoolLimits, UnspoolStep, advance, bad_argument,
    bound, decoded, lend, limits_of, relend, reply, reply_done, report_step, start, u64_from, verify,
};
use crate::error::{UnspoolError, UnspoolErrorKind, report, run};
use crate::memory::{
    Checked, Misuse, NOTHING, Opaque, Span, apart, clear, fits, held, held_in, input, lacking, lent_to, needed, relent,
    sized, span, tables,
};
use crate::store::{UnspoolStore, store_of};

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
pub const UNSPOOL_ZSTD_DECODER_WORDS: usize = 56;
/// Words of a decoder.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_ZSTD_DECODER_WORDS: usize = 72;
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

/// Words of a dictionary.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_ZSTD_DICTIONARY_WORDS: usize = 10;
/// Words of a dictionary.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_ZSTD_DICTIONARY_WORDS: usize = 18;
/// Bytes of a dictionary.
pub const UNSPOOL_ZSTD_DICTIONARY_SIZE: usize = UNSPOOL_ZSTD_DICTIONARY_WORDS * 8;

/// A dictionary. It borrows its bytes, and the workspace that it was prepared in.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolZstdDictionary {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_ZSTD_DICTIONARY_WORDS],
}

impl Opaque for UnspoolZstdDictionary {
    type Value = Dictionary<'static>;
    const TAG: u32 = 0x5A53_0002;
}

const _: () = fits::<UnspoolZstdDictionary>();

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

/// The options of a caller. All members but `size` may be zero, and so may the pointer to the
/// options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolZstdOptions {
    /// `sizeof(UnspoolZstdOptions)`.
    pub size: usize,
    /// The bounds of what a file may cost, or null.
    pub limits: *const UnspoolLimits,
    /// The dictionary that the frames were compressed with, or null.
    pub dictionary: *const UnspoolZstdDictionary,
    /// The handling of checksums.
    pub checks: UnspoolChecks,
    /// The format.
    pub flavour: UnspoolZstdFlavour,
    /// Not 0: frames have no magic numbers.
    pub magicless: u8,
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
    pub content: u64,
    /// Bytes of window that a stream of this frame needs.
    pub stream_buffer: u64,
    /// The number of the dictionary; 0 if the header has none.
    pub dictionary_id: u32,
    /// 1 if `content` is known.
    pub has_content: u8,
    /// 1 if a checksum follows the content.
    pub checksum: u8,
    /// 1 for a frame that decoders skip: `header_len` bytes, and `content` bytes after them.
    pub skippable: u8,
    /// The detected format; RFC 8878 if the bytes fit none.
    pub flavour: UnspoolZstdFlavour,
}

/// The seek table at the end of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolZstdSeekInfo {
    /// Frames that it lists.
    pub frames: u64,
    /// Bytes that all of them decode to, according to the table.
    pub content: u64,
    /// Bytes that the largest of them decodes to, according to the table: scratch for
    /// `unspool_zstd_decode_part`.
    pub scratch_len: usize,
    /// 1 if there is a table.
    pub found: u8,
}

/// The place of the workspace in what a dictionary borrows, after its bytes.
const TABLES: usize = 3;

/// Sets the options that the caller has: in place, because a move takes more code. Notes the memory
/// that their dictionary reads: its bytes, and its tables if they are prepared.
///
/// # Safety
///
/// A pointer that is not null leads to options, and so do those to limits and dictionary.
#[inline(never)]
unsafe fn choose(options: &mut Options<'_>, reads: &mut [Span; 2], with: *const UnspoolZstdOptions) -> Checked<()> {
    // SAFETY: the same promise.
    unsafe {
        let Some(asked) = sized(with)? else { return Ok(()) };
        if !asked.dictionary.is_null() {
            options.dictionary = Some(*held(asked.dictionary)?);
            let [_, _, bytes, tables, _] = *lent_to(asked.dictionary)?;
            *reads = [bytes, tables];
        }
        if asked.flavour != UNSPOOL_ZSTD_ANY {
            options.flavour = Some(flavour_of(asked.flavour)?);
        }
        (options.verify, options.magicless) = (verify(asked.checks)?, asked.magicless != 0);
        bound(&mut options.limits, asked.limits)
    }
}

fn flavour_of(number: UnspoolZstdFlavour) -> Checked<Flavour> {
    match number {
        UNSPOOL_ZSTD_RFC8878 => Ok(Flavour::Rfc8878),
        #[cfg(feature = "zstd")]
        UNSPOOL_ZSTD_V07 => Ok(Flavour::V07),
        #[cfg(feature = "zstd")]
        UNSPOOL_ZSTD_DRAFT => Ok(Flavour::Draft),
        _ => Err(Misuse(ErrorKind::BadArgument)),
    }
}

/// # Safety
///
/// As for [`tables`].
#[inline(always)]
unsafe fn workspace_of<'a>((memory, len): Place) -> Checked<&'a mut Workspace> {
    // SAFETY: the same promise. A workspace consists of numbers, and each frame resets it.
    unsafe { tables::<Workspace>(memory, len, 0) }
}

/// Bytes of the smallest workspace.
const LEAST: usize = size_of::<Workspace>();

/// Returns the memory of a call that takes a whole file, and sets its options.
///
/// # Safety
///
/// As for [`lend`], [`choose`] and [`workspace_of`].
#[inline(always)]
unsafe fn prepared<'a>(
    chosen: &mut Options<'_>,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolZstdOptions,
) -> Checked<(Buffers<'a>, &'a mut Workspace)> {
    // SAFETY: the same promises.
    unsafe {
        let mut reads = [NOTHING; 2];
        choose(chosen, &mut reads, options)?;
        let lent = lend(buffers, reads)?;
        let workspace = workspace_of(lent.workspace)?;
        Ok((lent, workspace))
    }
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
    src: *const c_void,
    src_len: usize,
    info: *mut UnspoolZstdInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(info, error, || {
            let src = input(src.cast(), src_len)?;
            let flavour = zstd::detect(src).unwrap_or(Flavour::Rfc8878);
            let number = match flavour {
                #[cfg(feature = "zstd")]
                Flavour::V07 => UNSPOOL_ZSTD_V07,
                #[cfg(feature = "zstd")]
                Flavour::Draft => UNSPOOL_ZSTD_DRAFT,
                // Everything else without the feature, and RFC 8878 in any case.
                _ => UNSPOOL_ZSTD_RFC8878,
            };
            Ok(match Header::read(src, &Limits::NONE, flavour)? {
                Header::Skippable { size, .. } => UnspoolZstdInfo {
                    header_len: 8,
                    content: size.into(),
                    skippable: 1,
                    flavour: number,
                    ..UnspoolZstdInfo::default()
                },
                Header::Frame(frame) => UnspoolZstdInfo {
                    header_len: frame.len,
                    window: frame.window,
                    content: frame.content_size.unwrap_or(0),
                    stream_buffer: frame.stream_buffer(),
                    dictionary_id: frame.dictionary_id,
                    has_content: frame.content_size.is_some().into(),
                    checksum: frame.checksum.into(),
                    skippable: 0,
                    flavour: number,
                },
            })
        })
    }
}

/// Counts the bytes that `src` decodes to. Reads all sequences, but writes nothing and needs no
/// output, only a workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decoded_len(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolZstdOptions,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(len, error, || {
            let mut chosen = Options::DEFAULT;
            let (lent, workspace) = prepared(&mut chosen, buffers, options).map_err(lacking::<Workspace>)?;
            zstd::decoded_len(lent.src, workspace, &chosen)
        })
    }
}

/// Decodes a whole file from `src` to `dst`: any number of frames. The output is the only window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decode(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolZstdOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options<'_>| prepared(chosen, buffers, options);
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(lent, workspace), chosen| {
            zstd::decode(lent.src, lent.dst, workspace, chosen, &mut ())
        })
    }
}

/// Decodes a whole file from `src` to a store, page by page. The page is the scratch: any length
/// yields the same content, and one sector of flash is the natural one. `dst` is not used.
///
/// An older image that a patch of `zstd --patch-from` refers to is a dictionary of plain content in
/// the options, or is read with `read_old` of the store.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decode_to_store(
    buffers: *const UnspoolBuffers,
    store: *const UnspoolStore,
    options: *const UnspoolZstdOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options<'_>| Ok((store_of(store)?, prepared(chosen, buffers, options)?));
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(mut store, (lent, workspace)), chosen| {
            restore(lent.src, &mut store, workspace, lent.scratch, chosen)
        })
    }
}

/// Returns the bytes by which `dst` must exceed the content for `unspool_zstd_decode_in_place`.
/// Follows the block headers; decodes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_in_place_margin(
    src: *const c_void,
    src_len: usize,
    options: *const UnspoolZstdOptions,
    margin: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(margin, error, || {
            let mut chosen = Options::DEFAULT;
            choose(&mut chosen, &mut [NOTHING; 2], options)?;
            zstd::in_place_margin(input(src.cast(), src_len)?, &chosen)
        })
    }
}

/// Decodes a whole file that is at the end of its own output: `src` is the last `src_len` bytes of
/// `dst`, and is overwritten. If `dst` is too short, the error is
/// `UNSPOOL_ERROR_OUTPUT_TOO_SMALL`, and the file is lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decode_in_place(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolZstdOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let asked = *needed(buffers)?;
            let (file, len) = (asked.src.addr(), asked.src_len);
            let start = asked.dst_len.checked_sub(len).and_then(|gap| asked.dst.addr().checked_add(gap));
            if start != Some(file) {
                return Err(bad_argument());
            }
            let whole = UnspoolBuffers { src: core::ptr::null(), src_len: 0, ..asked };
            let mut chosen = Options::DEFAULT;
            let (lent, workspace) = prepared(&mut chosen, &raw const whole, options).map_err(lacking::<Workspace>)?;
            in_place(lent.dst, len, workspace, &chosen)
        })
    }
}

/// Not inlined, like [`in_place`].
#[inline(never)]
fn restore(
    src: &[u8],
    store: &mut &UnspoolStore,
    workspace: &mut Workspace,
    page: &mut [u8],
    options: &Options<'_>,
) -> Result<Done> {
    zstd::decode_to_store(src, store, workspace, page, options)
}

/// Decodes a file in a stack frame of its own, which is not added to that of the call from C.
#[inline(never)]
fn in_place(dst: &mut [u8], len: usize, workspace: &mut Workspace, options: &Options<'_>) -> Result<Done> {
    zstd::decode_in_place(dst, len, workspace, options)
}

/// Reads the seek table of a file in the seekable format. A file without one is no error: `found`
/// is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_seek_info(
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    info: *mut UnspoolZstdSeekInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(info, error, || match File::open(input(src.cast(), src_len)?, &limits_of(limits)?) {
            Err(Error { kind: ErrorKind::ZstdSeekTable, at, .. }) if at == u64_from(src_len) => {
                Ok(UnspoolZstdSeekInfo::default())
            }
            opened => opened.map(|file| UnspoolZstdSeekInfo {
                frames: u64_from(file.len()),
                content: file.content(),
                scratch_len: file.scratch_len(),
                found: 1,
            }),
        })
    }
}

/// Decodes the bytes from `first` to before `end` of the content of a file in the seekable format,
/// from the frames that hold them. A frame that is needed in part is decoded in the scratch. If
/// that is smaller than the largest of these frames, the error is of the class
/// `WORKSPACE_TOO_SMALL`; `scratch_len` of `UnspoolZstdSeekInfo` is always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_decode_part(
    buffers: *const UnspoolBuffers,
    first: u64,
    end: u64,
    options: *const UnspoolZstdOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let (mut chosen, mut reads) = (Options::DEFAULT, [NOTHING; 2]);
            choose(&mut chosen, &mut reads, options)?;
            let lent = lend(buffers, reads)?;
            let workspace = workspace_of(lent.workspace)?;
            let file = File::open(lent.src, &chosen.limits)?;
            file.decode(lent.src, first..end, lent.dst, workspace, lent.scratch, &chosen)
        })
    }
}

/// Fills a dictionary: the output of `zstd --train`, or any bytes. With `raw` they are plain
/// content, whatever they start with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_dictionary_init(
    dictionary: *mut UnspoolZstdDictionary,
    src: *const c_void,
    src_len: usize,
    raw: u8,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let src = (src.cast::<u8>(), src_len);
            let empty = clear(dictionary, &[NOTHING, NOTHING, span(src.0, src.1), NOTHING, NOTHING])?;
            let bytes = input(src.0, src.1)?;
            empty.fill(if raw == 0 { Dictionary::new(bytes) } else { Dictionary::raw(bytes) });
            Ok(())
        })
    }
}

/// Reads the tables of a trained dictionary into a workspace of its own, rather than for every
/// frame that needs them. Frames of another format than `flavour` read them again. If the tables
/// break the rules of the format, the dictionary is not prepared. Plain content has no tables, and
/// does not borrow the workspace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_dictionary_prepare(
    dictionary: *mut UnspoolZstdDictionary,
    flavour: UnspoolZstdFlavour,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let new = span(workspace.cast::<u8>(), workspace_len);
            apart(new, &[span(dictionary, 1)])?;
            apart(new, lent_to(dictionary.cast_const())?.get(..TABLES).unwrap_or_default())?;
            let (trained, flavour) = (held_in(dictionary)?, flavour_of(flavour)?);
            let tables = workspace_of((workspace, workspace_len)).map_err(lacking::<Workspace>)?;
            // The last tables may be in the same workspace, whose content is about to change.
            *trained = trained.unprepared();
            relent(dictionary, TABLES, NOTHING)?;
            *trained = trained.prepared(flavour, tables)?;
            relent(dictionary, TABLES, if trained.is_prepared() { new } else { NOTHING })
        })
    }
}

/// Starts a stream. The decoder borrows workspace, window and dictionary until it is no longer
/// used. The size of the window is `stream_buffer` of `UnspoolZstdInfo`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_init(
    decoder: *mut UnspoolZstdDecoder,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolZstdOptions,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let choose = |chosen: &mut Options<'_>, reads: &mut [Span; 2]| choose(chosen, reads, options);
        report(error, &start(decoder, buffers, choose, workspace_of, Decoder::new))
    }
}

/// Reads `src` and writes `dst` of a step, as far as both allow. An error stays, except that of a
/// window that is too small: see `unspool_zstd_lend`.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_step(
    decoder: *mut UnspoolZstdDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| advance(decoder, step, Decoder::step)) }
}

/// Returns the progress of a stream: the frames that it has completed, and their checksums.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_done(
    decoder: *const UnspoolZstdDecoder,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply_done(done, error, || Ok(held(decoder)?.done())) }
}

/// Lends another window, after the error `UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER` of a step, whose `need`
/// is the least size. The last window is free. At any other time the window is in use: it stays,
/// and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_zstd_lend(
    decoder: *mut UnspoolZstdDecoder,
    window: *mut c_void,
    window_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, &relend(decoder, (window, window_len), Decoder::lend)) }
}

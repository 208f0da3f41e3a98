/**
 * @file
 * unspool: Zstandard.
 */
#ifndef UNSPOOL_ZSTD_H
#define UNSPOOL_ZSTD_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(UNSPOOL_SMALL)
/** Words of a workspace. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`. */
#define UNSPOOL_ZSTD_WORKSPACE_WORDS 432u
#endif

#if !defined(UNSPOOL_SMALL)
/** Words of a workspace. */
#define UNSPOOL_ZSTD_WORKSPACE_WORDS 2378u
#endif

/** Bytes of a workspace. */
#define UNSPOOL_ZSTD_WORKSPACE_SIZE (UNSPOOL_ZSTD_WORKSPACE_WORDS * 8u)

#if defined(UNSPOOL_32_BIT)
/** Words of a decoder. */
#define UNSPOOL_ZSTD_DECODER_WORDS 56u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a decoder. */
#define UNSPOOL_ZSTD_DECODER_WORDS 72u
#endif

/** Bytes of a decoder. */
#define UNSPOOL_ZSTD_DECODER_SIZE (UNSPOOL_ZSTD_DECODER_WORDS * 8u)

#if defined(UNSPOOL_32_BIT)
/** Words of a dictionary. */
#define UNSPOOL_ZSTD_DICTIONARY_WORDS 10u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a dictionary. */
#define UNSPOOL_ZSTD_DICTIONARY_WORDS 18u
#endif

/** Bytes of a dictionary. */
#define UNSPOOL_ZSTD_DICTIONARY_SIZE (UNSPOOL_ZSTD_DICTIONARY_WORDS * 8u)

/** Detect it: from the whole file; in a stream `28` means RFC 8878 and `27` means v0.7. */
#define UNSPOOL_ZSTD_ANY 0u

/** RFC 8878. */
#define UNSPOOL_ZSTD_RFC8878 1u

/** The format of zstd 0.7. */
#define UNSPOOL_ZSTD_V07 2u

/** The draft 0.2.0. */
#define UNSPOOL_ZSTD_DRAFT 3u

/** One of the formats that share their magic numbers. */
typedef uint8_t UnspoolZstdFlavour;

/** The header of the frame at the start of a file. */
typedef struct UnspoolZstdInfo {
  /** Bytes of the frame header. */
  size_t header_len;
  /** The largest distance of a match. */
  uint64_t window;
  /** Bytes that the frame decodes to, if its header says so. */
  uint64_t content;
  /** Bytes of window that a stream of this frame needs. */
  uint64_t stream_buffer;
  /** The number of the dictionary; 0 if the header has none. */
  uint32_t dictionary_id;
  /** 1 if `content` is known. */
  uint8_t has_content;
  /** 1 if a checksum follows the content. */
  uint8_t checksum;
  /** 1 for a frame that decoders skip: `header_len` bytes, and `content` bytes after them. */
  uint8_t skippable;
  /** The detected format; RFC 8878 if the bytes fit none. */
  UnspoolZstdFlavour flavour;
} UnspoolZstdInfo;

/** A dictionary. It borrows its bytes, and the workspace that it was prepared in. */
typedef struct UnspoolZstdDictionary {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_ZSTD_DICTIONARY_WORDS];
} UnspoolZstdDictionary;

/**
 * The options of a caller. All members but `size` may be zero, and so may the pointer to the
 * options.
 */
typedef struct UnspoolZstdOptions {
  /** `sizeof(UnspoolZstdOptions)`. */
  size_t size;
  /** The bounds of what a file may cost, or null. */
  const struct UnspoolLimits *limits;
  /** The dictionary that the frames were compressed with, or null. */
  const struct UnspoolZstdDictionary *dictionary;
  /** The handling of checksums. */
  UnspoolChecks checks;
  /** The format. */
  UnspoolZstdFlavour flavour;
  /** Not 0: frames have no magic numbers. */
  uint8_t magicless;
} UnspoolZstdOptions;

/** The seek table at the end of a file. */
typedef struct UnspoolZstdSeekInfo {
  /** Frames that it lists. */
  uint64_t frames;
  /** Bytes that all of them decode to, according to the table. */
  uint64_t content;
  /**
   * Bytes that the largest of them decodes to, according to the table: scratch for
   * `unspool_zstd_decode_part`.
   */
  size_t scratch_len;
  /** 1 if there is a table. */
  uint8_t found;
} UnspoolZstdSeekInfo;

/** A decoder of a stream. */
typedef struct UnspoolZstdDecoder {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_ZSTD_DECODER_WORDS];
} UnspoolZstdDecoder;

/** The tables of a decoder. Needs no initialisation, and no clearing between uses. */
typedef struct UnspoolZstdWorkspace {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_ZSTD_WORKSPACE_WORDS];
} UnspoolZstdWorkspace;

/** Returns the bytes of a workspace in this build: at most `UNSPOOL_ZSTD_WORKSPACE_SIZE`. */
size_t unspool_zstd_workspace_len(void);

/**
 * Reads the frame header at the start of a file. The first 18 bytes are always enough. Only the
 * whole file distinguishes a draft frame from others.
 */
UnspoolErrorKind unspool_zstd_info(const void *src,
                                   size_t src_len,
                                   struct UnspoolZstdInfo *info,
                                   struct UnspoolError *error);

/**
 * Counts the bytes that `src` decodes to. Reads all sequences, but writes nothing and needs no
 * output, only a workspace.
 */
UnspoolErrorKind unspool_zstd_decoded_len(const struct UnspoolBuffers *buffers,
                                          const struct UnspoolZstdOptions *options,
                                          uint64_t *len,
                                          struct UnspoolError *error);

/** Decodes a whole file from `src` to `dst`: any number of frames. The output is the only window. */
UnspoolErrorKind unspool_zstd_decode(const struct UnspoolBuffers *buffers,
                                     const struct UnspoolZstdOptions *options,
                                     struct UnspoolDone *done,
                                     struct UnspoolError *error);

/**
 * Decodes a whole file from `src` to a store, page by page. The page is the scratch: any length
 * yields the same content, and one sector of flash is the natural one. `dst` is not used.
 *
 * An older image that a patch of `zstd --patch-from` refers to is a dictionary of plain content in
 * the options, or is read with `read_old` of the store.
 */
UnspoolErrorKind unspool_zstd_decode_to_store(const struct UnspoolBuffers *buffers,
                                              const struct UnspoolStore *store,
                                              const struct UnspoolZstdOptions *options,
                                              struct UnspoolDone *done,
                                              struct UnspoolError *error);

/**
 * Returns the bytes by which `dst` must exceed the content for `unspool_zstd_decode_in_place`.
 * Follows the block headers; decodes nothing.
 */
UnspoolErrorKind unspool_zstd_in_place_margin(const void *src,
                                              size_t src_len,
                                              const struct UnspoolZstdOptions *options,
                                              uint64_t *margin,
                                              struct UnspoolError *error);

/**
 * Decodes a whole file that is at the end of its own output: `src` is the last `src_len` bytes of
 * `dst`, and is overwritten. If `dst` is too short, the error is
 * `UNSPOOL_ERROR_OUTPUT_TOO_SMALL`, and the file is lost.
 */
UnspoolErrorKind unspool_zstd_decode_in_place(const struct UnspoolBuffers *buffers,
                                              const struct UnspoolZstdOptions *options,
                                              struct UnspoolDone *done,
                                              struct UnspoolError *error);

/**
 * Reads the seek table of a file in the seekable format. A file without one is no error: `found`
 * is 0.
 */
UnspoolErrorKind unspool_zstd_seek_info(const void *src,
                                        size_t src_len,
                                        const struct UnspoolLimits *limits,
                                        struct UnspoolZstdSeekInfo *info,
                                        struct UnspoolError *error);

/**
 * Decodes the bytes from `first` to before `end` of the content of a file in the seekable format,
 * from the frames that hold them. A frame that is needed in part is decoded in the scratch. If
 * that is smaller than the largest of these frames, the error is of the class
 * `WORKSPACE_TOO_SMALL`; `scratch_len` of `UnspoolZstdSeekInfo` is always enough.
 */
UnspoolErrorKind unspool_zstd_decode_part(const struct UnspoolBuffers *buffers,
                                          uint64_t first,
                                          uint64_t end,
                                          const struct UnspoolZstdOptions *options,
                                          struct UnspoolDone *done,
                                          struct UnspoolError *error);

/**
 * Fills a dictionary: the output of `zstd --train`, or any bytes. With `raw` they are plain
 * content, whatever they start with.
 */
UnspoolErrorKind unspool_zstd_dictionary_init(struct UnspoolZstdDictionary *dictionary,
                                              const void *src,
                                              size_t src_len,
                                              uint8_t raw,
                                              struct UnspoolError *error);

/**
 * Reads the tables of a trained dictionary into a workspace of its own, rather than for every
 * frame that needs them. Frames of another format than `flavour` read them again. If the tables
 * break the rules of the format, the dictionary is not prepared. Plain content has no tables, and
 * does not borrow the workspace.
 */
UnspoolErrorKind unspool_zstd_dictionary_prepare(struct UnspoolZstdDictionary *dictionary,
                                                 UnspoolZstdFlavour flavour,
                                                 void *workspace,
                                                 size_t workspace_len,
                                                 struct UnspoolError *error);

/**
 * Starts a stream. The decoder borrows workspace, window and dictionary until it is no longer
 * used. The size of the window is `stream_buffer` of `UnspoolZstdInfo`.
 */
UnspoolErrorKind unspool_zstd_init(struct UnspoolZstdDecoder *decoder,
                                   const struct UnspoolBuffers *buffers,
                                   const struct UnspoolZstdOptions *options,
                                   struct UnspoolError *error);

/**
 * Reads `src` and writes `dst` of a step, as far as both allow. An error stays, except that of a
 * window that is too small: see `unspool_zstd_lend`.
 *
 * Wait for input, space or the end: a second call in a row that can do nothing ends the stream
 * with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_zstd_step(struct UnspoolZstdDecoder *decoder,
                                   struct UnspoolStep *step,
                                   struct UnspoolError *error);

/** Returns the progress of a stream: the frames that it has completed, and their checksums. */
UnspoolErrorKind unspool_zstd_done(const struct UnspoolZstdDecoder *decoder,
                                   struct UnspoolDone *done,
                                   struct UnspoolError *error);

/**
 * Lends another window, after the error `UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER` of a step, whose `need`
 * is the least size. The last window is free. At any other time the window is in use: it stays,
 * and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
 */
UnspoolErrorKind unspool_zstd_lend(struct UnspoolZstdDecoder *decoder,
                                   void *window,
                                   size_t window_len,
                                   struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

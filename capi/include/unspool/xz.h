/**
 * @file
 * unspool: xz.
 */
#ifndef UNSPOOL_XZ_H
#define UNSPOOL_XZ_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Words of a workspace. */
#define UNSPOOL_XZ_WORKSPACE_WORDS 4000u

/** Bytes of a workspace. */
#define UNSPOOL_XZ_WORKSPACE_SIZE (UNSPOOL_XZ_WORKSPACE_WORDS * 8u)

/**
 * Bytes of a workspace without contexts of literals, for the calls that take a whole file. It is
 * enough for those that decode nothing.
 */
#define UNSPOOL_XZ_TABLES_SIZE 5632u

/**
 * Bytes for each context of literals, of which a file has 2 to the power of lc + lp: 8 by default,
 * at most 16.
 */
#define UNSPOOL_XZ_CONTEXT_SIZE 1536u

/** Words of a decoder. */
#define UNSPOOL_XZ_DECODER_WORDS 67u

/** Bytes of a decoder. */
#define UNSPOOL_XZ_DECODER_SIZE (UNSPOOL_XZ_DECODER_WORDS * 8u)

/** Words of an index. */
#define UNSPOOL_XZ_INDEX_WORDS 36u

/** Bytes of an index. */
#define UNSPOOL_XZ_INDEX_SIZE (UNSPOOL_XZ_INDEX_WORDS * 8u)

/**
 * The options of a caller. All members but `size` may be zero, and so may the pointer to the
 * options.
 */
typedef struct UnspoolXzOptions {
  /** `sizeof(UnspoolXzOptions)`. */
  size_t size;
  /** The bounds of what a file may cost, or null. */
  const struct UnspoolLimits *limits;
  /** The handling of checks. */
  UnspoolChecks checks;
  /** Not 0: exactly one stream, else any number of them. */
  uint8_t one_stream;
} UnspoolXzOptions;

/** A block, as the index lists it. */
typedef struct UnspoolXzBlock {
  /** The bytes of the file that it takes: the input of `unspool_xz_decode_block`. */
  struct UnspoolRange file;
  /** The bytes of the content that it holds. */
  struct UnspoolRange content;
  /** The number of its check. */
  uint8_t check;
} UnspoolXzBlock;

/** A search in the index of a file that is not in memory. It borrows nothing. */
typedef struct UnspoolXzIndex {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_XZ_INDEX_WORDS];
} UnspoolXzIndex;

/** A decoder of a stream. */
typedef struct UnspoolXzDecoder {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_XZ_DECODER_WORDS];
} UnspoolXzDecoder;

/** The probabilities of a decoder. Needs no initialisation, and no clearing between uses. */
typedef struct UnspoolXzWorkspace {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_XZ_WORKSPACE_WORDS];
} UnspoolXzWorkspace;

/** Returns the bytes of a workspace in this build: at most `UNSPOOL_XZ_WORKSPACE_SIZE`. */
size_t unspool_xz_workspace_len(void);

/**
 * Reads the headers and the index of a whole file. Compares all sizes; decodes nothing.
 * `UNSPOOL_XZ_TABLES_SIZE` bytes of workspace are enough.
 */
UnspoolErrorKind unspool_xz_inspect(const struct UnspoolBuffers *buffers,
                                    const struct UnspoolXzOptions *options,
                                    struct UnspoolDone *done,
                                    struct UnspoolError *error);

/**
 * Returns the bytes that a file decodes to. Reads only the indexes. If an index is wrong, so is
 * the length.
 */
UnspoolErrorKind unspool_xz_decoded_len(const void *src,
                                        size_t src_len,
                                        const struct UnspoolLimits *limits,
                                        uint64_t *len,
                                        struct UnspoolError *error);

/**
 * Decodes a whole file from `src` to `dst`. The output is the only window.
 *
 * `UNSPOOL_XZ_TABLES_SIZE` bytes of workspace do, and `UNSPOOL_XZ_CONTEXT_SIZE` more for each
 * context; if a file has more contexts, the `need` of the error is the size.
 */
UnspoolErrorKind unspool_xz_decode(const struct UnspoolBuffers *buffers,
                                   const struct UnspoolXzOptions *options,
                                   struct UnspoolDone *done,
                                   struct UnspoolError *error);

/**
 * Decodes a whole file from `src` to a store, page by page. The page is the scratch: any length
 * yields the same content, and one sector of flash is the natural one. `dst` is not used. The
 * workspace is that of `unspool_xz_decode`.
 *
 * A file with filters is refused with `UNSPOOL_ERROR_XZ_FILTER`: matches refer to the bytes before
 * the filters, and the store has those after them.
 */
UnspoolErrorKind unspool_xz_decode_to_store(const struct UnspoolBuffers *buffers,
                                            const struct UnspoolStore *store,
                                            const struct UnspoolXzOptions *options,
                                            struct UnspoolDone *done,
                                            struct UnspoolError *error);

/**
 * Finds the block that holds a position of the content, in a file in memory. A position after the
 * end is an error.
 */
UnspoolErrorKind unspool_xz_locate(const void *src,
                                   size_t src_len,
                                   uint64_t position,
                                   const struct UnspoolLimits *limits,
                                   struct UnspoolXzBlock *block,
                                   struct UnspoolError *error);

/** Starts to search a file of `len` bytes for the block that holds a position of the content. */
UnspoolErrorKind unspool_xz_index_init(struct UnspoolXzIndex *index,
                                       uint64_t len,
                                       uint64_t position,
                                       const struct UnspoolLimits *limits,
                                       struct UnspoolError *error);

/** Returns the bytes of the file to feed next; an empty range once the search is complete. */
UnspoolErrorKind unspool_xz_index_needs(const struct UnspoolXzIndex *index,
                                        struct UnspoolRange *range,
                                        struct UnspoolError *error);

/**
 * Reads bytes of the file, the first of which is at offset `at`. They must include all that
 * `unspool_xz_index_needs` names, and may be more.
 */
UnspoolErrorKind unspool_xz_index_feed(struct UnspoolXzIndex *index,
                                       uint64_t at,
                                       const void *src,
                                       size_t src_len,
                                       struct UnspoolError *error);

/**
 * Returns the block that was found. If the content ends before the position, or the search is not
 * complete, the error is `UNSPOOL_ERROR_RANGE_OUTSIDE`.
 */
UnspoolErrorKind unspool_xz_index_found(const struct UnspoolXzIndex *index,
                                        struct UnspoolXzBlock *block,
                                        struct UnspoolError *error);

/**
 * Decodes one block, of which `src` is the bytes that `file` of the block names. Offsets of errors
 * count from the start of the file.
 */
UnspoolErrorKind unspool_xz_decode_block(const struct UnspoolBuffers *buffers,
                                         const struct UnspoolXzBlock *block,
                                         const struct UnspoolXzOptions *options,
                                         struct UnspoolDone *done,
                                         struct UnspoolError *error);

/**
 * Starts a stream. The decoder borrows workspace and window until it is no longer used. The size
 * of the window is `window` of the result of `unspool_xz_inspect`. If a block needs more, the
 * `need` of its error is the size.
 */
UnspoolErrorKind unspool_xz_init(struct UnspoolXzDecoder *decoder,
                                 const struct UnspoolBuffers *buffers,
                                 const struct UnspoolXzOptions *options,
                                 struct UnspoolError *error);

/**
 * Reads `src` and writes `dst` of a step, as far as both allow. An error stays, except that of a
 * window that is too small: see `unspool_xz_lend`.
 *
 * Wait for input, space or the end: a second call in a row that can do nothing ends the stream
 * with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_xz_step(struct UnspoolXzDecoder *decoder,
                                 struct UnspoolStep *step,
                                 struct UnspoolError *error);

/** Returns the progress of a stream: the streams that it has completed, and their checks. */
UnspoolErrorKind unspool_xz_done(const struct UnspoolXzDecoder *decoder,
                                 struct UnspoolDone *done,
                                 struct UnspoolError *error);

/**
 * Lends another window, after the error `UNSPOOL_ERROR_XZ_WINDOW_BUFFER` of a step, whose `need`
 * is the least size. The last window is free. At any other time the window is in use: it stays,
 * and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
 */
UnspoolErrorKind unspool_xz_lend(struct UnspoolXzDecoder *decoder,
                                 void *window,
                                 size_t window_len,
                                 struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

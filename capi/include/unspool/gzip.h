/**
 * @file
 * unspool: gzip.
 */
#ifndef UNSPOOL_GZIP_H
#define UNSPOOL_GZIP_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Words of a workspace. */
#define UNSPOOL_GZIP_WORKSPACE_WORDS 1450u

/** Bytes of a workspace. */
#define UNSPOOL_GZIP_WORKSPACE_SIZE (UNSPOOL_GZIP_WORKSPACE_WORDS * 8u)

/** Bytes of a window: the largest distance of deflate. */
#define UNSPOOL_GZIP_WINDOW_SIZE 32768u

#if defined(UNSPOOL_32_BIT)
/** Words of a decoder. */
#define UNSPOOL_GZIP_DECODER_WORDS 42u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a decoder. */
#define UNSPOOL_GZIP_DECODER_WORDS 64u
#endif

/** Bytes of a decoder. */
#define UNSPOOL_GZIP_DECODER_SIZE (UNSPOOL_GZIP_DECODER_WORDS * 8u)

/** A decoder of a stream. */
typedef struct UnspoolGzipDecoder {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_GZIP_DECODER_WORDS];
} UnspoolGzipDecoder;

/** The code tables of a decoder. Needs no initialisation, and no clearing between uses. */
typedef struct UnspoolGzipWorkspace {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_GZIP_WORKSPACE_WORDS];
} UnspoolGzipWorkspace;

/** Returns the bytes of a workspace in this build: at most `UNSPOOL_GZIP_WORKSPACE_SIZE`. */
size_t unspool_gzip_workspace_len(void);

/**
 * Decodes a whole file, compares its checksums and keeps nothing of it. Needs a workspace and a
 * window of `UNSPOOL_GZIP_WINDOW_SIZE` bytes.
 */
UnspoolErrorKind unspool_gzip_inspect(const struct UnspoolBuffers *buffers,
                                      const struct UnspoolOptions *options,
                                      struct UnspoolDone *done,
                                      struct UnspoolError *error);

/** Decodes a whole file from `src` to `dst`, all of its members. The output is the only window. */
UnspoolErrorKind unspool_gzip_decode(const struct UnspoolBuffers *buffers,
                                     const struct UnspoolOptions *options,
                                     struct UnspoolDone *done,
                                     struct UnspoolError *error);

/**
 * Starts a stream. The decoder borrows workspace and window until it is no longer used. The window
 * has `UNSPOOL_GZIP_WINDOW_SIZE` bytes.
 */
UnspoolErrorKind unspool_gzip_init(struct UnspoolGzipDecoder *decoder,
                                   const struct UnspoolBuffers *buffers,
                                   const struct UnspoolOptions *options,
                                   struct UnspoolError *error);

/**
 * Reads `src` and writes `dst` of a step, as far as both allow. An error stays.
 *
 * Wait for input, space or the end: a second call in a row that can do nothing ends the stream
 * with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_gzip_step(struct UnspoolGzipDecoder *decoder,
                                   struct UnspoolStep *step,
                                   struct UnspoolError *error);

/** Returns the progress of a stream: the members that it has completed, and their checksums. */
UnspoolErrorKind unspool_gzip_done(const struct UnspoolGzipDecoder *decoder,
                                   struct UnspoolDone *done,
                                   struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

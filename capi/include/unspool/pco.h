/**
 * @file
 * unspool: Pco, columns of numbers.
 */
#ifndef UNSPOOL_PCO_H
#define UNSPOOL_PCO_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(UNSPOOL_32_BIT)
/** Words of an open file. */
#define UNSPOOL_PCO_FILE_WORDS 16u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of an open file. */
#define UNSPOOL_PCO_FILE_WORDS 23u
#endif

/** Bytes of an open file. */
#define UNSPOOL_PCO_FILE_SIZE (UNSPOOL_PCO_FILE_WORDS * 8u)

#if defined(UNSPOOL_32_BIT)
/** Words of chunk metadata. */
#define UNSPOOL_PCO_META_WORDS 29u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of chunk metadata. */
#define UNSPOOL_PCO_META_WORDS 40u
#endif

/** Bytes of chunk metadata. */
#define UNSPOOL_PCO_META_SIZE (UNSPOOL_PCO_META_WORDS * 8u)

#if (defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT))
/** Words of a decoder. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`. */
#define UNSPOOL_PCO_DECODER_WORDS 51u
#endif

#if (defined(UNSPOOL_SMALL) && !defined(UNSPOOL_32_BIT))
/** Words of a decoder. */
#define UNSPOOL_PCO_DECODER_WORDS 79u
#endif

#if (!defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT))
/** Words of a decoder. */
#define UNSPOOL_PCO_DECODER_WORDS 79u
#endif

#if (!defined(UNSPOOL_SMALL) && !defined(UNSPOOL_32_BIT))
/** Words of a decoder. */
#define UNSPOOL_PCO_DECODER_WORDS 115u
#endif

/** Bytes of a decoder. */
#define UNSPOOL_PCO_DECODER_SIZE (UNSPOOL_PCO_DECODER_WORDS * 8u)

/** Unsigned, 32 bits. */
#define UNSPOOL_PCO_U32 1u

/** Unsigned, 64 bits. */
#define UNSPOOL_PCO_U64 2u

/** Signed, 32 bits. */
#define UNSPOOL_PCO_I32 3u

/** Signed, 64 bits. */
#define UNSPOOL_PCO_I64 4u

/** 32-bit float. */
#define UNSPOOL_PCO_F32 5u

/** 64-bit float. */
#define UNSPOOL_PCO_F64 6u

/** Unsigned, 16 bits. */
#define UNSPOOL_PCO_U16 7u

/** Signed, 16 bits. */
#define UNSPOOL_PCO_I16 8u

/** Half float. */
#define UNSPOOL_PCO_F16 9u

/** Unsigned, 8 bits. */
#define UNSPOOL_PCO_U8 10u

/** Signed, 8 bits. */
#define UNSPOOL_PCO_I8 11u

/** Each page in one call: the output is the history if the mode allows it. */
#define UNSPOOL_PCO_WHOLE 0u

/** Each page in any number of calls: the workspace holds the history. */
#define UNSPOOL_PCO_BATCHES 1u

/** Each page in one call, with the smallest tables. */
#define UNSPOOL_PCO_COMPACT_WHOLE 2u

/** Each page in any number of calls, with the smallest tables. */
#define UNSPOOL_PCO_COMPACT_BATCHES 3u

/** An open standalone file. It borrows the bytes. */
typedef struct UnspoolPcoFile {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_PCO_FILE_WORDS];
} UnspoolPcoFile;

/** The type of numbers; the values are those in files. */
typedef uint8_t UnspoolPcoType;

/** The header of a file. */
typedef struct UnspoolPcoInfo {
  /** Numbers that the writer expected in the file; 0 if unknown. May be wrong. */
  uint64_t n_hint;
  /** Offset of the first chunk. */
  uint64_t first_chunk;
  /** The version of the standalone framing. */
  uint8_t standalone_version;
  /** The format version. */
  uint8_t major;
  /** The features that may occur in it. */
  uint8_t minor;
  /** The type of all chunks, if the file promises one, else 0. */
  UnspoolPcoType uniform_type;
} UnspoolPcoInfo;

/** A chunk. */
typedef struct UnspoolPcoChunk {
  /** Its numbers; 0 for the end of the file. */
  size_t len;
  /** Offset of its page in the file. */
  uint64_t page_at;
  /** Bytes of workspace for `unspool_pco_decode` and `unspool_pco_skip`, and for batches. */
  uint64_t workspace_len;
  /** The type of the numbers. */
  UnspoolPcoType number_type;
  /** Bytes of each number. */
  uint8_t number_size;
} UnspoolPcoChunk;

/** The modes and bins of a chunk. It borrows the bytes. */
typedef struct UnspoolPcoMeta {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_PCO_META_WORDS];
} UnspoolPcoMeta;

/** The header of the wrapped format. */
typedef struct UnspoolPcoVersion {
  /** Its bytes: 1, or 2 since version 4. */
  size_t len;
  /** The format version. */
  uint8_t major;
  /** The features that may occur in it. */
  uint8_t minor;
} UnspoolPcoVersion;

/**
 * The way in which pages will be read. It decides the place of the history of lookbacks, and the
 * layout of the tables.
 */
typedef uint8_t UnspoolPcoPlan;

/**
 * A decoder of a page. Its functions exist for numbers of 8, 16, 32 and 64 bits; a program links
 * only those that it calls.
 */
typedef struct UnspoolPcoDecoder {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_PCO_DECODER_WORDS];
} UnspoolPcoDecoder;

/**
 * Reads the header of a standalone file. The file borrows the bytes, and so does the metadata of
 * its chunks.
 */
UnspoolErrorKind unspool_pco_open(struct UnspoolPcoFile *file,
                                  const void *src,
                                  size_t src_len,
                                  const struct UnspoolLimits *limits,
                                  struct UnspoolError *error);

/** Returns the header of a file. */
UnspoolErrorKind unspool_pco_info(const struct UnspoolPcoFile *file,
                                  struct UnspoolPcoInfo *info,
                                  struct UnspoolError *error);

/** Reads the chunk at this offset, and if `meta` is not null, its modes and bins. */
UnspoolErrorKind unspool_pco_chunk(const struct UnspoolPcoFile *file,
                                   uint64_t at,
                                   struct UnspoolPcoChunk *chunk,
                                   struct UnspoolPcoMeta *meta,
                                   struct UnspoolError *error);

/**
 * Decodes the chunk at this offset to little-endian numbers in `dst`; `next` becomes the offset of
 * the next one. Faster if `dst` is aligned like the numbers. The workspace has as many bytes as
 * `workspace_len` of the chunk says.
 */
UnspoolErrorKind unspool_pco_decode(const struct UnspoolPcoFile *file,
                                    uint64_t at,
                                    const struct UnspoolBuffers *buffers,
                                    uint64_t *next,
                                    struct UnspoolError *error);

/** Finds the offset after the chunk at this offset, faster than its numbers could be decoded. */
UnspoolErrorKind unspool_pco_skip(const struct UnspoolPcoFile *file,
                                  uint64_t at,
                                  void *workspace,
                                  size_t workspace_len,
                                  uint64_t *next,
                                  struct UnspoolError *error);

/**
 * Decodes all chunks of the file in `src` to little-endian numbers in `dst`, whatever their types.
 * If there is no workspace, the `need` of the error is what the first chunk needs; others may need
 * more.
 */
UnspoolErrorKind unspool_pco_decode_file(const struct UnspoolBuffers *buffers,
                                         const struct UnspoolOptions *options,
                                         struct UnspoolDone *done,
                                         struct UnspoolError *error);

/**
 * Decodes a file whose chunks all hold unsigned numbers of 8 bits. Another type is
 * `UNSPOOL_ERROR_WRONG_TYPE`. A program links only the types that it asks for. `dst` is aligned
 * like the numbers. The workspace is that of `unspool_pco_decode_file`.
 */
UnspoolErrorKind unspool_pco_decode_u8(const struct UnspoolBuffers *buffers,
                                       const struct UnspoolOptions *options,
                                       struct UnspoolDone *done,
                                       struct UnspoolError *error);

/** The same for signed numbers of 8 bits. */
UnspoolErrorKind unspool_pco_decode_i8(const struct UnspoolBuffers *buffers,
                                       const struct UnspoolOptions *options,
                                       struct UnspoolDone *done,
                                       struct UnspoolError *error);

/** The same for unsigned numbers of 16 bits. */
UnspoolErrorKind unspool_pco_decode_u16(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for signed numbers of 16 bits. */
UnspoolErrorKind unspool_pco_decode_i16(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for unsigned numbers of 32 bits. */
UnspoolErrorKind unspool_pco_decode_u32(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for signed numbers of 32 bits. */
UnspoolErrorKind unspool_pco_decode_i32(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for floats of 32 bits. */
UnspoolErrorKind unspool_pco_decode_f32(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for unsigned numbers of 64 bits. */
UnspoolErrorKind unspool_pco_decode_u64(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for signed numbers of 64 bits. */
UnspoolErrorKind unspool_pco_decode_i64(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** The same for floats of 64 bits. */
UnspoolErrorKind unspool_pco_decode_f64(const struct UnspoolBuffers *buffers,
                                        const struct UnspoolOptions *options,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/** Reads the header of the wrapped format. */
UnspoolErrorKind unspool_pco_version(const void *src,
                                     size_t src_len,
                                     struct UnspoolPcoVersion *version,
                                     struct UnspoolError *error);

/**
 * Reads the chunk metadata of the wrapped format, for a type and a version that are stored
 * elsewhere; `len` becomes its length in bytes. The metadata borrows the bytes.
 */
UnspoolErrorKind unspool_pco_meta(struct UnspoolPcoMeta *meta,
                                  const void *src,
                                  size_t src_len,
                                  UnspoolPcoType number_type,
                                  uint8_t major,
                                  const struct UnspoolLimits *limits,
                                  size_t *len,
                                  struct UnspoolError *error);

/**
 * Returns the bytes of workspace for pages of at most `n` numbers; 0 for a struct that holds no
 * metadata. With `UNSPOOL_PCO_BATCHES` it is enough for either plan.
 */
uint64_t unspool_pco_workspace_len(const struct UnspoolPcoMeta *meta,
                                   size_t n,
                                   UnspoolPcoPlan plan);

/**
 * Builds the tables for pages of at most `n` numbers of 8 bits. The decoder borrows metadata,
 * its struct, and the workspace.
 */
UnspoolErrorKind unspool_pco_init_8(struct UnspoolPcoDecoder *decoder,
                                    const struct UnspoolPcoMeta *meta,
                                    size_t n,
                                    UnspoolPcoPlan plan,
                                    void *workspace,
                                    size_t workspace_len,
                                    struct UnspoolError *error);

/** Starts a page of `n` numbers of 8 bits with the next input. Offsets in errors count from `at`. */
UnspoolErrorKind unspool_pco_start_8(struct UnspoolPcoDecoder *decoder,
                                     size_t n,
                                     uint64_t at,
                                     struct UnspoolError *error);

/**
 * Decodes whole batches of 256 numbers of 8 bits, as long as input and output allow. `dst` is
 * aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
 * is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
 * batch takes more than 7488.
 *
 * Wait for more bytes or the end: a second call in a row that has no more to work with than the
 * first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_pco_step_8(struct UnspoolPcoDecoder *decoder,
                                    struct UnspoolStep *step,
                                    struct UnspoolError *error);

/**
 * Builds the tables for pages of at most `n` numbers of 16 bits. The decoder borrows metadata,
 * its struct, and the workspace.
 */
UnspoolErrorKind unspool_pco_init_16(struct UnspoolPcoDecoder *decoder,
                                     const struct UnspoolPcoMeta *meta,
                                     size_t n,
                                     UnspoolPcoPlan plan,
                                     void *workspace,
                                     size_t workspace_len,
                                     struct UnspoolError *error);

/**
 * As `unspool_pco_init_16`, for a chunk of integers: floats are refused, and their arithmetic is
 * not linked.
 */
UnspoolErrorKind unspool_pco_init_int_16(struct UnspoolPcoDecoder *decoder,
                                         const struct UnspoolPcoMeta *meta,
                                         size_t n,
                                         UnspoolPcoPlan plan,
                                         void *workspace,
                                         size_t workspace_len,
                                         struct UnspoolError *error);

/** Starts a page of `n` numbers of 16 bits with the next input. Offsets in errors count from `at`. */
UnspoolErrorKind unspool_pco_start_16(struct UnspoolPcoDecoder *decoder,
                                      size_t n,
                                      uint64_t at,
                                      struct UnspoolError *error);

/**
 * Decodes whole batches of 256 numbers of 16 bits, as long as input and output allow. `dst` is
 * aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
 * is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
 * batch takes more than 7488.
 *
 * Wait for more bytes or the end: a second call in a row that has no more to work with than the
 * first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_pco_step_16(struct UnspoolPcoDecoder *decoder,
                                     struct UnspoolStep *step,
                                     struct UnspoolError *error);

/**
 * Builds the tables for pages of at most `n` numbers of 32 bits. The decoder borrows metadata,
 * its struct, and the workspace.
 */
UnspoolErrorKind unspool_pco_init_32(struct UnspoolPcoDecoder *decoder,
                                     const struct UnspoolPcoMeta *meta,
                                     size_t n,
                                     UnspoolPcoPlan plan,
                                     void *workspace,
                                     size_t workspace_len,
                                     struct UnspoolError *error);

/**
 * As `unspool_pco_init_32`, for a chunk of integers: floats are refused, and their arithmetic is
 * not linked.
 */
UnspoolErrorKind unspool_pco_init_int_32(struct UnspoolPcoDecoder *decoder,
                                         const struct UnspoolPcoMeta *meta,
                                         size_t n,
                                         UnspoolPcoPlan plan,
                                         void *workspace,
                                         size_t workspace_len,
                                         struct UnspoolError *error);

/** Starts a page of `n` numbers of 32 bits with the next input. Offsets in errors count from `at`. */
UnspoolErrorKind unspool_pco_start_32(struct UnspoolPcoDecoder *decoder,
                                      size_t n,
                                      uint64_t at,
                                      struct UnspoolError *error);

/**
 * Decodes whole batches of 256 numbers of 32 bits, as long as input and output allow. `dst` is
 * aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
 * is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
 * batch takes more than 7488.
 *
 * Wait for more bytes or the end: a second call in a row that has no more to work with than the
 * first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_pco_step_32(struct UnspoolPcoDecoder *decoder,
                                     struct UnspoolStep *step,
                                     struct UnspoolError *error);

/**
 * Builds the tables for pages of at most `n` numbers of 64 bits. The decoder borrows metadata,
 * its struct, and the workspace.
 */
UnspoolErrorKind unspool_pco_init_64(struct UnspoolPcoDecoder *decoder,
                                     const struct UnspoolPcoMeta *meta,
                                     size_t n,
                                     UnspoolPcoPlan plan,
                                     void *workspace,
                                     size_t workspace_len,
                                     struct UnspoolError *error);

/**
 * As `unspool_pco_init_64`, for a chunk of integers: floats are refused, and their arithmetic is
 * not linked.
 */
UnspoolErrorKind unspool_pco_init_int_64(struct UnspoolPcoDecoder *decoder,
                                         const struct UnspoolPcoMeta *meta,
                                         size_t n,
                                         UnspoolPcoPlan plan,
                                         void *workspace,
                                         size_t workspace_len,
                                         struct UnspoolError *error);

/** Starts a page of `n` numbers of 64 bits with the next input. Offsets in errors count from `at`. */
UnspoolErrorKind unspool_pco_start_64(struct UnspoolPcoDecoder *decoder,
                                      size_t n,
                                      uint64_t at,
                                      struct UnspoolError *error);

/**
 * Decodes whole batches of 256 numbers of 64 bits, as long as input and output allow. `dst` is
 * aligned like the numbers. If it is shorter than a batch and than the rest of the page, nothing
 * is decoded: `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no
 * batch takes more than 7488.
 *
 * Wait for more bytes or the end: a second call in a row that has no more to work with than the
 * first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_pco_step_64(struct UnspoolPcoDecoder *decoder,
                                     struct UnspoolStep *step,
                                     struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

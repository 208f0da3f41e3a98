/**
 * @file
 * unspool: CVC, embedding vectors.
 */
#ifndef UNSPOOL_CVC_H
#define UNSPOOL_CVC_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(UNSPOOL_32_BIT)
/** Words of an open file. */
#define UNSPOOL_CVC_FILE_WORDS 16u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of an open file. */
#define UNSPOOL_CVC_FILE_WORDS 24u
#endif

/** Bytes of an open file. */
#define UNSPOOL_CVC_FILE_SIZE (UNSPOOL_CVC_FILE_WORDS * 8u)

#if defined(UNSPOOL_32_BIT)
/** Words of a column. */
#define UNSPOOL_CVC_COLUMN_WORDS 20u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a column. */
#define UNSPOOL_CVC_COLUMN_WORDS 30u
#endif

/** Bytes of a column. */
#define UNSPOOL_CVC_COLUMN_SIZE (UNSPOOL_CVC_COLUMN_WORDS * 8u)

#if defined(UNSPOOL_32_BIT)
/** Words of a decoder. */
#define UNSPOOL_CVC_DECODER_WORDS 62u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a decoder. */
#define UNSPOOL_CVC_DECODER_WORDS 72u
#endif

/** Bytes of a decoder. */
#define UNSPOOL_CVC_DECODER_SIZE (UNSPOOL_CVC_DECODER_WORDS * 8u)

/** None of the known types. */
#define UNSPOOL_CVC_UNKNOWN 0u

/** 32-bit float. */
#define UNSPOOL_CVC_F32 1u

/** Half float. */
#define UNSPOOL_CVC_F16 2u

/** 64-bit signed integer. */
#define UNSPOOL_CVC_I64 3u

/** 32-bit signed integer. */
#define UNSPOOL_CVC_I32 4u

/** 8-bit signed integer. */
#define UNSPOOL_CVC_I8 5u

/** 8-bit unsigned integer. */
#define UNSPOOL_CVC_U8 6u

#if defined(UNSPOOL_32_BIT)
/** Words of a plan. */
#define UNSPOOL_CVC_PLAN_WORDS 47u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a plan. */
#define UNSPOOL_CVC_PLAN_WORDS 60u
#endif

/** Bytes of a plan. */
#define UNSPOOL_CVC_PLAN_SIZE (UNSPOOL_CVC_PLAN_WORDS * 8u)

/** None: all rows have been named. */
#define UNSPOOL_CVC_NEED_NOTHING 0u

/** The bytes from `start` to `end`, for `unspool_cvc_plan_feed`: the length of a chunk. */
#define UNSPOOL_CVC_NEED_LENGTH 1u

/** A chunk with rows that were asked for. */
#define UNSPOOL_CVC_NEED_CHUNK 2u

/** An open file, whose header was parsed and checked. It borrows the header and holds nothing else. */
typedef struct UnspoolCvcFile {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_CVC_FILE_WORDS];
} UnspoolCvcFile;

/** The header of a file. */
typedef struct UnspoolCvcInfo {
  /** Rows of every column. */
  uint64_t rows;
  /** Chunks that the rows are divided into. */
  uint64_t chunks;
  /** Columns. */
  uint64_t columns;
  /** Offset of the end of the header. */
  uint64_t head_len;
  /** 0 for files without version words, 1 for one column, 2 for many. */
  uint16_t major;
  /** Ignored by every reader. */
  uint16_t minor;
  /** 1 if the file has a schema of named columns. */
  uint8_t columnar;
  /** 1 if each chunk has a CRC-32. */
  uint8_t checksums;
  /** 1 if the chunks are laid out for memory mapping. */
  uint8_t mmap_optimized;
} UnspoolCvcInfo;

/** A column of a file. It borrows the header, but not the struct of the file. */
typedef struct UnspoolCvcColumn {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_CVC_COLUMN_WORDS];
} UnspoolCvcColumn;

/** The type of the values of a column. */
typedef uint8_t UnspoolCvcDtype;

/** A column, according to the schema. */
typedef struct UnspoolCvcColumnInfo {
  /** Values of each row. */
  uint64_t dimension;
  /** The type of the values before they were compressed. */
  UnspoolCvcDtype dtype;
  /**
   * The type that `unspool_cvc_decode` writes; unknown if a chunk stores the column in an
   * unknown way.
   */
  UnspoolCvcDtype output;
  /** Bytes of one value of that type. */
  uint8_t output_width;
} UnspoolCvcColumnInfo;

/** A decoder of a stream. */
typedef struct UnspoolCvcDecoder {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_CVC_DECODER_WORDS];
} UnspoolCvcDecoder;

/**
 * The options of a stream. All members but `size` may be zero, and so may the pointer to the
 * options.
 */
typedef struct UnspoolCvcOptions {
  /** `sizeof(UnspoolCvcOptions)`. */
  size_t size;
  /** The bounds of what a file may cost, or null. */
  const struct UnspoolLimits *limits;
  /** The name of the column, or null for the only one. Borrowed as long as the decoder is used. */
  const void *column;
  /** Bytes of the name. */
  size_t column_len;
  /** The handling of the CRC-32 of each chunk. */
  UnspoolChecks checks;
} UnspoolCvcOptions;

/** The metadata that a section must have. */
typedef struct UnspoolCvcFilter {
  /** The key. */
  const void *key;
  /** Bytes of the key. */
  size_t key_len;
  /** The value: a number, `true`, `false` or `null` if it reads like one, else text. */
  const void *value;
  /** Bytes of the value. */
  size_t value_len;
  /** Not 0: the value is text, whatever it reads like. */
  uint8_t as_text;
} UnspoolCvcFilter;

/** A range of rows that the header names. */
typedef struct UnspoolCvcSection {
  /** Its first row. */
  uint64_t first_row;
  /** The row after its last. */
  uint64_t end_row;
  /** Its metadata, as the JSON in the header; not null-terminated. */
  const void *metadata;
  /** Bytes of the metadata. */
  size_t metadata_len;
  /** 1 if there is such a section. */
  uint8_t found;
} UnspoolCvcSection;

/**
 * A walk over the bytes that some rows need. It borrows the header, but not the struct of the
 * column.
 */
typedef struct UnspoolCvcPlan {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_CVC_PLAN_WORDS];
} UnspoolCvcPlan;

/** The kind of a request. */
typedef uint8_t UnspoolCvcNeedKind;

/** The bytes to fetch next. */
typedef struct UnspoolCvcNeed {
  /** The first byte to fetch, in the file. */
  uint64_t start;
  /** The byte after the last. */
  uint64_t end;
  /** For a chunk: only the bytes of these rows, if no checksum is to be compared. */
  uint64_t data_start;
  /** The byte after them. */
  uint64_t data_end;
  /** The rows of the chunk, counted over the whole file. */
  uint64_t first_row;
  /** The row after the last. */
  uint64_t end_row;
  /** The number of their values. */
  uint64_t values;
  /** The kind of the request. */
  UnspoolCvcNeedKind kind;
} UnspoolCvcNeed;

/**
 * Returns the bytes of the header at the start of a file, from its first 13. `unspool_cvc_open`
 * needs those bytes, and `unspool_cvc_init` a workspace of that size, plus the payload of a chunk
 * for columns that are stored lossless.
 */
UnspoolErrorKind unspool_cvc_workspace_len(const void *src,
                                           size_t src_len,
                                           const struct UnspoolLimits *limits,
                                           uint64_t *len,
                                           struct UnspoolError *error);

/**
 * Parses the header, from the whole file or from the bytes that `unspool_cvc_workspace_len` says.
 * The file borrows the bytes, and so do columns and plans that are made from it.
 */
UnspoolErrorKind unspool_cvc_open(struct UnspoolCvcFile *file,
                                  const void *src,
                                  size_t src_len,
                                  const struct UnspoolLimits *limits,
                                  struct UnspoolError *error);

/** Returns the header of a file. */
UnspoolErrorKind unspool_cvc_info(const struct UnspoolCvcFile *file,
                                  struct UnspoolCvcInfo *info,
                                  struct UnspoolError *error);

/**
 * Finds the column with this number, from 0. Reads the schema up to there: in a file of very many
 * columns, finding them by name is faster.
 */
UnspoolErrorKind unspool_cvc_column(struct UnspoolCvcColumn *column,
                                    const struct UnspoolCvcFile *file,
                                    uint64_t number,
                                    struct UnspoolError *error);

/** Finds the column of this name. If two have the same name, the last counts. */
UnspoolErrorKind unspool_cvc_column_named(struct UnspoolCvcColumn *column,
                                          const struct UnspoolCvcFile *file,
                                          const void *name,
                                          size_t name_len,
                                          struct UnspoolError *error);

/** Returns a column, according to the schema. */
UnspoolErrorKind unspool_cvc_column_info(const struct UnspoolCvcColumn *column,
                                         struct UnspoolCvcColumnInfo *info,
                                         struct UnspoolError *error);

/**
 * Writes the name of a column as UTF-8, without a zero byte, and returns its length. If the space
 * is too small, only the length is written.
 */
UnspoolErrorKind unspool_cvc_column_name(const struct UnspoolCvcColumn *column,
                                         void *dst,
                                         size_t dst_len,
                                         size_t *len,
                                         struct UnspoolError *error);

/**
 * Decodes the rows from `first_row` to before `end_row` to little-endian bytes of the type in the
 * column's info. `src` is the whole file.
 */
UnspoolErrorKind unspool_cvc_decode(const struct UnspoolCvcColumn *column,
                                    uint64_t first_row,
                                    uint64_t end_row,
                                    const struct UnspoolBuffers *buffers,
                                    UnspoolChecks checks,
                                    struct UnspoolDone *done,
                                    struct UnspoolError *error);

/**
 * Decodes the rows from `first_row` to before `end_row` to `float`s in `dst`, from any stored
 * type. Integers beyond 2^24 are rounded. `src` is the whole file.
 */
UnspoolErrorKind unspool_cvc_decode_f32(const struct UnspoolCvcColumn *column,
                                        uint64_t first_row,
                                        uint64_t end_row,
                                        const struct UnspoolBuffers *buffers,
                                        UnspoolChecks checks,
                                        struct UnspoolDone *done,
                                        struct UnspoolError *error);

/**
 * Decodes all rows of a file with one column to little-endian bytes of the type in the column's
 * info. A file with several is `UNSPOOL_ERROR_CVC_PICK_COLUMN`: open it.
 */
UnspoolErrorKind unspool_cvc_decode_file(const struct UnspoolBuffers *buffers,
                                         const struct UnspoolOptions *options,
                                         struct UnspoolDone *done,
                                         struct UnspoolError *error);

/**
 * Starts a stream. The decoder borrows its workspace, and the name of the column in the options,
 * until it is no longer used; `unspool_cvc_workspace_len` returns the size of the workspace.
 */
UnspoolErrorKind unspool_cvc_init(struct UnspoolCvcDecoder *decoder,
                                  const struct UnspoolBuffers *buffers,
                                  const struct UnspoolCvcOptions *options,
                                  struct UnspoolError *error);

/**
 * Reads `src` and writes `dst` of a step, as far as both allow: little-endian bytes of the type
 * that `unspool_cvc_output` returns. An error stays.
 *
 * Wait for input, space or the end: a second call in a row that can do nothing ends the stream
 * with `UNSPOOL_ERROR_NO_PROGRESS`.
 */
UnspoolErrorKind unspool_cvc_step(struct UnspoolCvcDecoder *decoder,
                                  struct UnspoolStep *step,
                                  struct UnspoolError *error);

/** Returns the progress of a stream: the chunks whose payload it has read, and their checksums. */
UnspoolErrorKind unspool_cvc_done(const struct UnspoolCvcDecoder *decoder,
                                  struct UnspoolDone *done,
                                  struct UnspoolError *error);

/** Returns the type of the values of a stream; unknown until its header is read. */
UnspoolCvcDtype unspool_cvc_output(const struct UnspoolCvcDecoder *decoder);

/**
 * Finds the next section that the header lists, from the number `*number` on, which becomes the
 * number after it. With a filter that is not null, only sections count that have its metadata.
 *
 * Each call reads the list from its start: n calls for n sections take n * n / 2 steps. With a
 * filter, one call skips all sections that do not match.
 */
UnspoolErrorKind unspool_cvc_section(const struct UnspoolCvcFile *file,
                                     const struct UnspoolCvcFilter *filter,
                                     uint64_t *number,
                                     struct UnspoolCvcSection *section,
                                     struct UnspoolError *error);

/**
 * Starts to name the bytes that the rows from `first_row` to before `end_row` need, for a caller
 * who fetches only those.
 */
UnspoolErrorKind unspool_cvc_plan_init(struct UnspoolCvcPlan *plan,
                                       const struct UnspoolCvcColumn *column,
                                       uint64_t first_row,
                                       uint64_t end_row,
                                       struct UnspoolError *error);

/** Returns the bytes to fetch next. If the next chunk cannot be found, every call returns why. */
UnspoolErrorKind unspool_cvc_plan_next(struct UnspoolCvcPlan *plan,
                                       struct UnspoolCvcNeed *need,
                                       struct UnspoolError *error);

/**
 * Answers `UNSPOOL_CVC_NEED_LENGTH` with the bytes that were requested. If there are too few, the
 * plan needs them still.
 */
UnspoolErrorKind unspool_cvc_plan_feed(struct UnspoolCvcPlan *plan,
                                       const void *src,
                                       size_t src_len,
                                       struct UnspoolError *error);

/**
 * Decodes the rows that `unspool_cvc_plan_next` named last to `float`s in `dst`. `src` is the
 * bytes from `start` to `end`, which are verified, or those from `data_start` to `data_end`, which
 * cannot be.
 */
UnspoolErrorKind unspool_cvc_plan_decode_f32(struct UnspoolCvcPlan *plan,
                                             const struct UnspoolBuffers *buffers,
                                             UnspoolChecks checks,
                                             struct UnspoolDone *done,
                                             struct UnspoolError *error);

/**
 * Returns the values that `unspool_cvc_plan_next` named last, as they are stored, without a copy:
 * the result points into `src`. Lossless values are not stored one after the other, so they are an
 * error.
 */
UnspoolErrorKind unspool_cvc_plan_raw(struct UnspoolCvcPlan *plan,
                                      const void *src,
                                      size_t src_len,
                                      UnspoolChecks checks,
                                      const void **values,
                                      size_t *values_len,
                                      struct UnspoolDone *done,
                                      struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

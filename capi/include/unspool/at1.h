/**
 * @file
 * unspool: AT-1, text files as typed columns.
 */
#ifndef UNSPOOL_AT1_H
#define UNSPOOL_AT1_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(UNSPOOL_SMALL)
/** Words of a workspace. */
#define UNSPOOL_AT1_WORKSPACE_WORDS 4430u
#endif

#if !defined(UNSPOOL_SMALL)
/** Words of a workspace. */
#define UNSPOOL_AT1_WORKSPACE_WORDS 6378u
#endif

/** Bytes of a workspace. */
#define UNSPOOL_AT1_WORKSPACE_SIZE (UNSPOOL_AT1_WORKSPACE_WORDS * 8u)

#if defined(UNSPOOL_32_BIT)
/** Words of a bundle. */
#define UNSPOOL_AT1_BUNDLE_WORDS 35u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a bundle. */
#define UNSPOOL_AT1_BUNDLE_WORDS 49u
#endif

/** Bytes of a bundle. */
#define UNSPOOL_AT1_BUNDLE_SIZE (UNSPOOL_AT1_BUNDLE_WORDS * 8u)

/** The rows with all columns, and their lines. The request names no columns. */
#define UNSPOOL_AT1_ROWS 0u

/** The rows with the columns that the request names, in that order. */
#define UNSPOOL_AT1_COLUMNS 1u

/** The number of rows. The request names no columns. */
#define UNSPOOL_AT1_COUNT 2u

/** The sum of the numbers in the one column that the request names. */
#define UNSPOOL_AT1_SUM 3u

/** The smallest number in the one column that the request names. */
#define UNSPOOL_AT1_MIN 4u

/** The largest number in the one column that the request names. */
#define UNSPOOL_AT1_MAX 5u

#if defined(UNSPOOL_32_BIT)
/** Words of a term. */
#define UNSPOOL_AT1_TERM_WORDS 4u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a term. */
#define UNSPOOL_AT1_TERM_WORDS 7u
#endif

#if defined(UNSPOOL_32_BIT)
/** Words of a query. */
#define UNSPOOL_AT1_QUERY_WORDS 74u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a query. */
#define UNSPOOL_AT1_QUERY_WORDS 99u
#endif

/** Bytes of a query. */
#define UNSPOOL_AT1_QUERY_SIZE (UNSPOOL_AT1_QUERY_WORDS * 8u)

/** It needs the bytes of the file from `start` to before `end`. */
#define UNSPOOL_AT1_NEXT_BYTES 0u

/**
 * A row was found, which is valid until the next step. The next step takes the same bytes again:
 * `start` and `end` name them.
 */
#define UNSPOOL_AT1_NEXT_ROW 1u

/** The query is complete. */
#define UNSPOOL_AT1_NEXT_NOTHING 2u

/** The header and trailer of a file, and the memory that it takes to decode it. */
typedef struct UnspoolAt1Info {
  /**
   * Bytes of scratch for decoding, according to the headers of the streams. Their contents may
   * need more: an error of the class `WORKSPACE_TOO_SMALL`, before any of that body is written.
   * Start over with as much, or with twice the last amount if that is more: each frame may need
   * a little more, and the output of the frames before it is repeated.
   */
  uint64_t scratch_len;
  /** The same for `unspool_at1_decode_to`. */
  uint64_t scratch_len_to;
  /** The codec that made the file, by its byte: 4 for a table, 255 for any file. */
  uint8_t codec;
  /** 1 if the file ends with a SHA-256 of the decoded bytes. */
  uint8_t hashed;
  /** 1 if the body is one set of streams, 0 if it consists of frames. */
  uint8_t whole;
} UnspoolAt1Info;

/**
 * Takes decoded bytes in order; they are borrowed for the call. Any return value but 0 ends
 * decoding with the error `SINK_FULL`.
 */
typedef uint8_t (*UnspoolAt1Write)(void *context, const void *bytes, size_t len);

/** An open bundle. It borrows the bytes of the file, and the scratch that holds its manifest. */
typedef struct UnspoolAt1Bundle {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_AT1_BUNDLE_WORDS];
} UnspoolAt1Bundle;

/** A query in progress. */
typedef struct UnspoolAt1Query {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_AT1_QUERY_WORDS];
} UnspoolAt1Query;

/**
 * Names a column: by its name, or if that is null by its number, from 0. A name is a path of JSON,
 * or a field of the header line.
 */
typedef struct UnspoolAt1Column {
  /** The name, or null. */
  const void *name;
  /** Bytes of the name. */
  size_t name_len;
  /** The number, if there is no name. */
  size_t number;
} UnspoolAt1Column;

/**
 * A condition for a row: its value in a column equals a given one, or is in a range. Numbers are
 * compared exactly, by their digits, here and in the file.
 */
typedef struct UnspoolAt1Filter {
  /** The column. */
  struct UnspoolAt1Column column;
  /**
   * The value to equal, as bytes in a column of texts and as a number in one of numbers; null
   * for a range.
   */
  const void *equal;
  /** Bytes of it. */
  size_t equal_len;
  /** The lowest number of the range, such as -12.50, as text; null if unbounded. */
  const void *low;
  /** Bytes of it. */
  size_t low_len;
  /** The highest number of the range; null if unbounded. */
  const void *high;
  /** Bytes of it. */
  size_t high_len;
} UnspoolAt1Filter;

/** The result to return for the rows that meet all conditions. */
typedef uint8_t UnspoolAt1Ask;

/** A request. It may be in read-only memory. */
typedef struct UnspoolAt1Request {
  /** The conditions; a row must meet all of them. */
  const struct UnspoolAt1Filter *filters;
  /** The number of conditions. */
  size_t filters_len;
  /** The columns. */
  const struct UnspoolAt1Column *columns;
  /** The number of columns. */
  size_t columns_len;
  /** The most rows to read that meet all conditions; 0 for all. */
  uint64_t limit;
  /** The result, one of `UNSPOOL_AT1_ROWS` and the others. */
  UnspoolAt1Ask ask;
} UnspoolAt1Request;

/** Memory for one of the conditions or columns of a request. */
typedef struct UnspoolAt1Term {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_AT1_TERM_WORDS];
} UnspoolAt1Term;

/** The reason for which a query stopped. */
typedef uint8_t UnspoolAt1NextKind;

/** The state at which a query stopped. */
typedef struct UnspoolAt1Next {
  /** The start of the bytes to pass next, also after a row. */
  uint64_t start;
  /** Their end. */
  uint64_t end;
  /** The number of the row in the table, from 0. Lines that are not rows do not count. */
  uint64_t row;
  /** The number of values in the row. */
  size_t values;
  /** The reason, one of `UNSPOOL_AT1_NEXT_BYTES` and the others. */
  UnspoolAt1NextKind kind;
} UnspoolAt1Next;

/** The results of a query other than rows. */
typedef struct UnspoolAt1Answer {
  /** Rows that met all conditions, up to the limit. */
  uint64_t rows;
  /** Those of them whose value is not a number. Sum, minimum and maximum are over the others. */
  uint64_t without_number;
  /**
   * The sum times ten to the power of `sum_scale`: its low 64 bits. If it fits in an `int64_t`,
   * these are all of it.
   */
  uint64_t sum_low;
  /** Its high 64 bits: 0 or -1 if they only repeat the sign of `sum_low`. */
  int64_t sum_high;
  /** Digits of the sum after the decimal point. */
  uint32_t sum_scale;
  /**
   * The smallest or largest number, as written in the first row that has it; valid until the
   * next step, null if there is none.
   */
  const void *best;
  /** Bytes of it. */
  size_t best_len;
} UnspoolAt1Answer;

/** The share of the file that a query read. */
typedef struct UnspoolAt1Stats {
  /** Row groups of the table. */
  uint64_t groups;
  /** Groups that the zone maps ruled out. */
  uint64_t skipped;
  /** Groups of which blocks were read. */
  uint64_t read;
  /** Bytes of the blocks that were read. */
  uint64_t block_bytes_read;
  /** Bytes of all blocks. */
  uint64_t block_bytes_total;
} UnspoolAt1Stats;

/**
 * Tables for the formats of the streams in a file. Needs no initialisation, and no clearing
 * between uses.
 */
typedef struct UnspoolAt1Workspace {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_AT1_WORKSPACE_WORDS];
} UnspoolAt1Workspace;

/** Returns the bytes of a workspace in this build: at most `UNSPOOL_AT1_WORKSPACE_SIZE`. */
size_t unspool_at1_workspace_len(void);

/** Reads the header and trailer of a whole file; decodes nothing. */
UnspoolErrorKind unspool_at1_info(const void *src,
                                  size_t src_len,
                                  const struct UnspoolLimits *limits,
                                  struct UnspoolAt1Info *info,
                                  struct UnspoolError *error);

/**
 * Counts the bytes that `src` decodes to. Reads everything as `unspool_at1_decode` does, with the
 * same workspace and scratch, but writes nothing.
 */
UnspoolErrorKind unspool_at1_decoded_len(const struct UnspoolBuffers *buffers,
                                         const struct UnspoolOptions *options,
                                         uint64_t *len,
                                         struct UnspoolError *error);

/** Decodes a whole file from `src` to `dst`. */
UnspoolErrorKind unspool_at1_decode(const struct UnspoolBuffers *buffers,
                                    const struct UnspoolOptions *options,
                                    struct UnspoolDone *done,
                                    struct UnspoolError *error);

/**
 * Decodes the whole file in `src` to a function that takes it piece by piece, if there is no
 * memory for all of it. `dst` is not used.
 *
 * The input must be complete: the parts of a line are spread over the file.
 */
UnspoolErrorKind unspool_at1_decode_to(const struct UnspoolBuffers *buffers,
                                       UnspoolAt1Write write,
                                       void *context,
                                       const struct UnspoolOptions *options,
                                       struct UnspoolDone *done,
                                       struct UnspoolError *error);

/**
 * Opens the bundle in `src`. The workspace is free after the call; the bundle borrows `src` and
 * the scratch, which holds the manifest. If the scratch is too small, the error says how much it
 * takes.
 */
UnspoolErrorKind unspool_at1_bundle_open(struct UnspoolAt1Bundle *bundle,
                                         const struct UnspoolBuffers *buffers,
                                         const struct UnspoolOptions *options,
                                         struct UnspoolError *error);

/** Goes on to the next file; `found` becomes 0 if there is none. An error ends the walk. */
UnspoolErrorKind unspool_at1_bundle_next(struct UnspoolAt1Bundle *bundle,
                                         uint8_t *found,
                                         struct UnspoolError *error);

/**
 * Writes the name of the file as UTF-8, without a zero byte, and returns its length: a relative
 * path with a slash between its parts, none of them one or two dots. If the space is too small,
 * only the length is written.
 */
UnspoolErrorKind unspool_at1_bundle_name(const struct UnspoolAt1Bundle *bundle,
                                         void *dst,
                                         size_t dst_len,
                                         size_t *len,
                                         struct UnspoolError *error);

/** Returns the bytes of the file: an AT-1 file, for `unspool_at1_bundle_read`. */
UnspoolErrorKind unspool_at1_bundle_len(const struct UnspoolAt1Bundle *bundle,
                                        uint64_t *len,
                                        struct UnspoolError *error);

/**
 * Takes the file out of the bundle, to `dst`, with a workspace. It is an AT-1 file of its own:
 * decode it with `unspool_at1_decode`.
 */
UnspoolErrorKind unspool_at1_bundle_read(const struct UnspoolAt1Bundle *bundle,
                                         const struct UnspoolBuffers *buffers,
                                         struct UnspoolDone *done,
                                         struct UnspoolError *error);

/**
 * Starts a query with the first bytes of a file in `src`, a workspace and scratch. If the bytes
 * are too few, the error is of the class `TRUNCATED`, and its `need` is how many there must be. If
 * terms or scratch are too small, it is of the class `WORKSPACE_TOO_SMALL`. Then call again with
 * more.
 *
 * The query borrows terms, scratch and workspace until it is no longer used, and also the names
 * and values that the request points to. It takes a term for each condition and each column.
 * Request, conditions, columns and the first bytes of the file are free after the call.
 */
UnspoolErrorKind unspool_at1_query_init(struct UnspoolAt1Query *query,
                                        const struct UnspoolAt1Request *request,
                                        struct UnspoolAt1Term *terms,
                                        size_t terms_len,
                                        const struct UnspoolBuffers *buffers,
                                        const struct UnspoolLimits *limits,
                                        struct UnspoolError *error);

/**
 * Lends a query a longer scratch, after a step asked for it. The state of the query is copied, and
 * the last scratch is free.
 */
UnspoolErrorKind unspool_at1_query_lend(struct UnspoolAt1Query *query,
                                        void *scratch,
                                        size_t scratch_len,
                                        struct UnspoolError *error);

/**
 * Reads bytes of the file from byte `at` on, up to the next row that meets all conditions, and
 * reports why it stopped.
 *
 * The first call needs no bytes. Pass at least the first block of the range that the last step
 * named. More bytes are allowed, up to the whole file. After a row, pass the same bytes again. An
 * error that is not about the scratch ends the query. `next` is written only if there is no error.
 *
 * Bytes without the first of the blocks are not read, and the same are requested again. Stop if
 * the file has no more of them.
 */
UnspoolErrorKind unspool_at1_query_step(struct UnspoolAt1Query *query,
                                        uint64_t at,
                                        const void *src,
                                        size_t src_len,
                                        struct UnspoolAt1Next *next,
                                        struct UnspoolError *error);

/**
 * A value of the current row, byte for byte as in the file. It is in the scratch until the next
 * step.
 */
UnspoolErrorKind unspool_at1_query_value(const struct UnspoolAt1Query *query,
                                         size_t number,
                                         const void **value,
                                         size_t *value_len,
                                         struct UnspoolError *error);

/** The line of the current row, unchanged, without a line feed. Only for `UNSPOOL_AT1_ROWS`. */
UnspoolErrorKind unspool_at1_query_line(const struct UnspoolAt1Query *query,
                                        void *dst,
                                        size_t dst_len,
                                        size_t *wrote,
                                        struct UnspoolError *error);

/** Returns the results so far, other than rows. */
UnspoolErrorKind unspool_at1_query_answer(const struct UnspoolAt1Query *query,
                                          struct UnspoolAt1Answer *answer,
                                          struct UnspoolError *error);

/** Returns the share of the file that was read so far. */
UnspoolErrorKind unspool_at1_query_stats(const struct UnspoolAt1Query *query,
                                         struct UnspoolAt1Stats *stats,
                                         struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file
 * unspool: OnPair, columns of strings.
 */
#ifndef UNSPOOL_ONPAIR_H
#define UNSPOOL_ONPAIR_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(UNSPOOL_32_BIT)
/** Words of a column. */
#define UNSPOOL_ONPAIR_COLUMN_WORDS 20u
#endif

#if !defined(UNSPOOL_32_BIT)
/** Words of a column. */
#define UNSPOOL_ONPAIR_COLUMN_WORDS 31u
#endif

/** Bytes of a column. */
#define UNSPOOL_ONPAIR_COLUMN_SIZE (UNSPOOL_ONPAIR_COLUMN_WORDS * 8u)

#if defined(UNSPOOL_SMALL)
/** Words of a search. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`. */
#define UNSPOOL_ONPAIR_SEARCH_WORDS 43u
#endif

#if (!defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT))
/** Words of a search. */
#define UNSPOOL_ONPAIR_SEARCH_WORDS 118u
#endif

#if (!defined(UNSPOOL_SMALL) && !defined(UNSPOOL_32_BIT))
/** Words of a search. */
#define UNSPOOL_ONPAIR_SEARCH_WORDS 128u
#endif

/** Bytes of a search. */
#define UNSPOOL_ONPAIR_SEARCH_SIZE (UNSPOOL_ONPAIR_SEARCH_WORDS * 8u)

/** Rows that equal the needle. */
#define UNSPOOL_ONPAIR_EQUALS 0u

/** Rows that start with the needle. */
#define UNSPOOL_ONPAIR_STARTS_WITH 1u

/** Rows that contain the needle. */
#define UNSPOOL_ONPAIR_CONTAINS 2u

/** A column of strings. It borrows the slices that hold it. */
typedef struct UnspoolOnPairColumn {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_ONPAIR_COLUMN_WORDS];
} UnspoolOnPairColumn;

/**
 * The parts of a column without a container. All integers in them are little-endian, at any
 * alignment.
 */
typedef struct UnspoolOnPairParts {
  /** The bytes of the tokens, one after the other. */
  const void *dictionary;
  /** Their length. */
  size_t dictionary_len;
  /** The start of each token: one u32 more than there are tokens. */
  const void *token_offsets;
  /** Bytes of these. */
  size_t token_offsets_len;
  /** The codes. */
  const void *codes;
  /** Bytes of the codes. */
  size_t codes_len;
  /** The index of the first code of each row: one entry more than there are rows. */
  const void *row_offsets;
  /** Bytes of these. */
  size_t row_offsets_len;
  /** 1 to 16 if the codes are packed; 0 if each has two bytes. */
  uint8_t code_bits;
  /** 4 or 8: bytes of each row offset. */
  uint8_t row_offset_width;
} UnspoolOnPairParts;

/** The contents of a column. */
typedef struct UnspoolOnPairInfo {
  /** Rows. */
  uint64_t rows;
  /** Tokens of the dictionary. */
  uint64_t tokens;
  /** Codes. */
  uint64_t codes;
  /** Bytes of a workspace for `unspool_onpair_widen`. */
  uint64_t workspace_len;
  /** Bits of a code. */
  uint32_t code_bits;
  /** 1 after `unspool_onpair_conform` has succeeded. */
  uint8_t conforming;
} UnspoolOnPairInfo;

/** A needle, prepared for one column, and the progress of its search. */
typedef struct UnspoolOnPairSearch {
  /** Private to the library. */
  uint64_t opaque[UNSPOOL_ONPAIR_SEARCH_WORDS];
} UnspoolOnPairSearch;

/** The rows that a search finds. */
typedef uint8_t UnspoolOnPairMatch;

/** The needle of a search. Only `UNSPOOL_ONPAIR_CONTAINS` needs memory. */
typedef struct UnspoolOnPairNeedle {
  /** `sizeof(UnspoolOnPairNeedle)`. */
  size_t size;
  /** The needle. */
  const void *needle;
  /** Bytes of the needle. */
  size_t needle_len;
  /** An entry for each byte of the needle. */
  uint32_t *fallback;
  /** Entries, not bytes. */
  size_t fallback_len;
  /** A byte for each token of the dictionary, for speed; or null. */
  uint8_t *tokens;
  /** The number of these bytes. */
  size_t tokens_len;
  /** The rows to find. */
  UnspoolOnPairMatch kind;
} UnspoolOnPairNeedle;

/** Reads a container. The column borrows the bytes. */
UnspoolErrorKind unspool_onpair_open(struct UnspoolOnPairColumn *column,
                                     const void *src,
                                     size_t src_len,
                                     const struct UnspoolLimits *limits,
                                     struct UnspoolError *error);

/**
 * Builds a column from its parts. The column borrows the bytes that the parts point to, not the
 * struct.
 */
UnspoolErrorKind unspool_onpair_open_parts(struct UnspoolOnPairColumn *column,
                                           const struct UnspoolOnPairParts *parts,
                                           const struct UnspoolLimits *limits,
                                           struct UnspoolError *error);

/**
 * Checks that the dictionary is conforming, that is, sorted and complete: then searches are
 * faster. Reads all tokens. An error says why it is not; the column stays as it was.
 */
UnspoolErrorKind unspool_onpair_conform(struct UnspoolOnPairColumn *column,
                                        struct UnspoolError *error);

/** Returns the contents of a column. */
UnspoolErrorKind unspool_onpair_info(const struct UnspoolOnPairColumn *column,
                                     struct UnspoolOnPairInfo *info,
                                     struct UnspoolError *error);

/** Returns the bytes that `unspool_onpair_widen` needs; 0 for a struct that holds no column. */
uint64_t unspool_onpair_workspace_len(const struct UnspoolOnPairColumn *column);

/**
 * Decodes the column through a wide copy of its dictionary from now on. The column borrows the
 * workspace. The output is the same, only faster: worth it for more than a few thousand rows. A
 * workspace at a multiple of 16 bytes is read fastest.
 */
UnspoolErrorKind unspool_onpair_widen(struct UnspoolOnPairColumn *column,
                                      void *workspace,
                                      size_t workspace_len,
                                      struct UnspoolError *error);

/** Counts the bytes that the rows from `first_row` to before `end_row` decode to. */
UnspoolErrorKind unspool_onpair_decoded_len(const struct UnspoolOnPairColumn *column,
                                            uint64_t first_row,
                                            uint64_t end_row,
                                            uint64_t *len,
                                            struct UnspoolError *error);

/**
 * Decodes the rows from `first_row` to before `end_row`, one after the other. If the output is
 * longer, up to 16 bytes after them may be overwritten.
 */
UnspoolErrorKind unspool_onpair_decode(const struct UnspoolOnPairColumn *column,
                                       uint64_t first_row,
                                       uint64_t end_row,
                                       void *dst,
                                       size_t dst_len,
                                       size_t *wrote,
                                       struct UnspoolError *error);

/** Decodes one row. If the output is longer, up to 16 bytes after it may be overwritten. */
UnspoolErrorKind unspool_onpair_row(const struct UnspoolOnPairColumn *column,
                                    uint64_t row,
                                    void *dst,
                                    size_t dst_len,
                                    size_t *wrote,
                                    struct UnspoolError *error);

/** Returns the bytes of a row. */
UnspoolErrorKind unspool_onpair_row_len(const struct UnspoolOnPairColumn *column,
                                        uint64_t row,
                                        uint64_t *len,
                                        struct UnspoolError *error);

/**
 * Decodes whole rows from `*row` on, as many as fit in the output of the step, up to before
 * `end_row`; `*row` becomes the first that did not fit. `read` of the step counts rows; its input
 * and `end` are not used. If the first row does not fit, the error has its length.
 */
UnspoolErrorKind unspool_onpair_step(const struct UnspoolOnPairColumn *column,
                                     uint64_t *row,
                                     uint64_t end_row,
                                     struct UnspoolStep *step,
                                     struct UnspoolError *error);

/** Prepares a search. It borrows the column, its struct, and the memory of the needle. */
UnspoolErrorKind unspool_onpair_search_init(struct UnspoolOnPairSearch *search,
                                            const struct UnspoolOnPairColumn *column,
                                            const struct UnspoolOnPairNeedle *needle,
                                            struct UnspoolError *error);

/** Returns 1 if a row matches, else 0. */
UnspoolErrorKind unspool_onpair_search_matches(const struct UnspoolOnPairSearch *search,
                                               uint64_t row,
                                               uint8_t *matches,
                                               struct UnspoolError *error);

/**
 * Returns the next row that matches, in ascending order, with 1 in `found`; 0 if there are no
 * more. An error ends the search.
 */
UnspoolErrorKind unspool_onpair_search_next(struct UnspoolOnPairSearch *search,
                                            uint64_t *row,
                                            uint8_t *found,
                                            struct UnspoolError *error);

#ifdef __cplusplus
}
#endif

#endif

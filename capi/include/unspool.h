/* unspool: decodes compressed columns and byte streams into buffers that the caller owns.
 *
 * Nothing is allocated, and there are no globals. The size of an opaque struct is a constant, so
 * it may be in .bss. Memory that was lent to one (input, workspace, window, other structs) must
 * stay valid while the struct is used.
 *
 * Each function that can fail returns 0 (UNSPOOL_OK) or the number of an error, and writes the
 * details to `error`. That may be null, and so may every pointer to a result. A pointer to bytes
 * may be null if its length is 0.
 *
 * Memory that a call writes to (output, workspace, window, scratch, opaque structs) must not
 * overlap any other argument: that is the error UNSPOOL_ERROR_OVERLAP, and nothing else is
 * written. It must not overlap memory that was lent to another struct, nor contain results such
 * as `done`; that is not checked.
 *
 * Archives for bare devices have no functions for gzip: its inflater needs a panic handler, as
 * hosted programs have.
 *
 * Generated from capi/src by `cargo xtask header`. Define UNSPOOL_SMALL for archives that were
 * built with the feature `small`.
 */

#ifndef UNSPOOL_H
#define UNSPOOL_H

#include <stddef.h>
#include <stdint.h>

// The version of this header; `unspool_version` returns that of the archive.
#define UNSPOOL_VERSION_MAJOR 0
#define UNSPOOL_VERSION_MINOR 1
#define UNSPOOL_VERSION_PATCH 0

#if !defined(UNSPOOL_32_BIT) && UINTPTR_MAX <= 0xFFFFFFFFu
#define UNSPOOL_32_BIT
#endif

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(void *) == sizeof(size_t), "unspool needs pointers as wide as sizes");
#endif

// Only archives with the feature `small` have these names. Others would write beyond the small
// structs.
#if defined(UNSPOOL_SMALL)
#define unspool_pco_init_8 unspool_small_pco_init_8
#define unspool_pco_init_16 unspool_small_pco_init_16
#define unspool_pco_init_32 unspool_small_pco_init_32
#define unspool_pco_init_64 unspool_small_pco_init_64
#define unspool_onpair_search_init unspool_small_onpair_search_init
#endif

// Errors, with the numbers of the Rust library. They never change; new ones are added.
enum UnspoolKind {
  // No error.
  UNSPOOL_OK = 0,
  // the input ends here, and the format goes on
  UNSPOOL_ERROR_TRUNCATED = 1,
  // no format that this build knows starts with these bytes
  UNSPOOL_ERROR_UNKNOWN_FORMAT = 2,
  // the output slice is too small
  UNSPOOL_ERROR_OUTPUT_TOO_SMALL = 3,
  // the workspace is too small
  UNSPOOL_ERROR_WORKSPACE_TOO_SMALL = 4,
  // the decoded size exceeds the limit on output
  UNSPOOL_ERROR_OUTPUT_LIMIT = 5,
  // the header exceeds the limit on headers
  UNSPOOL_ERROR_HEADER_LIMIT = 6,
  // a count in the header exceeds the limit on elements
  UNSPOOL_ERROR_ELEMENT_LIMIT = 7,
  // the window that the header asks for exceeds the limit on windows
  UNSPOOL_ERROR_WINDOW_LIMIT = 8,
  // two calls in a row gave the decoder nothing to work with
  UNSPOOL_ERROR_NO_PROGRESS = 9,
  // the column holds another type than the one asked for
  UNSPOOL_ERROR_WRONG_TYPE = 10,
  // the requested range is outside of the data
  UNSPOOL_ERROR_RANGE_OUTSIDE = 11,
  // the sink takes no more
  UNSPOOL_ERROR_SINK_FULL = 12,
  // a varint has more than 64 bits
  UNSPOOL_ERROR_VARINT_TOO_LONG = 13,
  // sizes in the header multiply to more than 64 bits
  UNSPOOL_ERROR_SIZE_OVERFLOW = 14,
  // this build leaves that format out
  UNSPOOL_ERROR_FORMAT_NOT_BUILT = 15,
  // a pointer is null, and its length is not 0
  UNSPOOL_ERROR_NULL_POINTER = 16,
  // a pointer is not aligned for what it leads to
  UNSPOOL_ERROR_MISALIGNED = 17,
  // the output overlaps the input
  UNSPOOL_ERROR_OVERLAP = 18,
  // an argument has none of the values that it may have
  UNSPOOL_ERROR_BAD_ARGUMENT = 19,
  // no function has filled this struct, or another one than this needs
  UNSPOOL_ERROR_NOT_INITIALISED = 20,
  // the decoder has not asked for another window, and goes on with the one that it has
  UNSPOOL_ERROR_WINDOW_IN_USE = 21,
  // there is not enough memory
  UNSPOOL_ERROR_NO_MEMORY = 22,
  // the store could not be read or written
  UNSPOOL_ERROR_STORE_FAILED = 23,
  // neither a Zstandard frame nor a skippable frame of the expected format starts here
  UNSPOOL_ERROR_ZSTD_MAGIC = 100,
  // a reserved bit is set
  UNSPOOL_ERROR_ZSTD_RESERVED_BIT = 101,
  // the frame was made with the dictionary of this ID; another one or none was given
  UNSPOOL_ERROR_ZSTD_DICTIONARY_WANTED = 102,
  // the dictionary starts like one but breaks the rules
  UNSPOOL_ERROR_ZSTD_DICTIONARY = 103,
  // this block type does not exist
  UNSPOOL_ERROR_ZSTD_BLOCK_TYPE = 104,
  // a block holds more than 128 KiB or more than the window, or is too short to be one
  UNSPOOL_ERROR_ZSTD_BLOCK_SIZE = 105,
  // the end block carries a checksum that the frame header does not announce
  UNSPOOL_ERROR_ZSTD_END_BLOCK = 106,
  // the literals section is larger than its block, or its sizes make no sense
  UNSPOOL_ERROR_ZSTD_LITERALS_SIZE = 107,
  // literals repeat a Huffman code, but there is none yet
  UNSPOOL_ERROR_ZSTD_LITERALS_REPEAT = 108,
  // the Huffman code is incomplete, or its description breaks the rules
  UNSPOOL_ERROR_ZSTD_TREE = 109,
  // a Huffman stream ends early or late
  UNSPOOL_ERROR_ZSTD_HUFFMAN_STREAM = 110,
  // the sequences section ends inside of its header
  UNSPOOL_ERROR_ZSTD_SEQUENCES_HEADER = 111,
  // the description of an FSE table breaks the rules
  UNSPOOL_ERROR_ZSTD_TABLE = 112,
  // sequences repeat a table, but there is none yet
  UNSPOOL_ERROR_ZSTD_TABLE_REPEAT = 113,
  // the one symbol of a table does not exist
  UNSPOOL_ERROR_ZSTD_TABLE_SYMBOL = 114,
  // the bits of the sequences end early or late
  UNSPOOL_ERROR_ZSTD_SEQUENCE_BITS = 115,
  // a match reaches back before the start, or beyond the window
  UNSPOOL_ERROR_ZSTD_OFFSET = 116,
  // a sequence takes more literals than there are
  UNSPOOL_ERROR_ZSTD_LITERALS_USED_UP = 117,
  // the frame does not hold as many bytes as its header says
  UNSPOOL_ERROR_ZSTD_CONTENT_SIZE = 118,
  // the checksum of the frame's content differs from the one in the file
  UNSPOOL_ERROR_ZSTD_CHECKSUM = 119,
  // bytes follow a sequences section that is empty
  UNSPOOL_ERROR_ZSTD_SEQUENCES_TRAILING = 120,
  // the buffer for the window is too small
  UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER = 121,
  // the seek table does not list the frames that are before it
  UNSPOOL_ERROR_ZSTD_SEEK_TABLE = 122,
  // this build does not verify the checksums of frames; skip them, or add the feature zstd-xxh64
  UNSPOOL_ERROR_ZSTD_CHECKSUM_KIND = 123,
  // an xz stream starts with FD 37 7A 58 5A 00
  UNSPOOL_ERROR_XZ_MAGIC = 200,
  // the flags of the stream use bits that mean nothing yet
  UNSPOOL_ERROR_XZ_FLAGS = 201,
  // the kind of check is reserved; none, CRC-32, CRC-64 and SHA-256 are known
  UNSPOOL_ERROR_XZ_CHECK_KIND = 202,
  // the CRC-32 of a header, an index or a footer differs from the one in the file
  UNSPOOL_ERROR_XZ_HEADER_CRC = 203,
  // the flags of the block use bits that mean nothing yet
  UNSPOOL_ERROR_XZ_BLOCK_FLAGS = 204,
  // the fields of the block header do not fit in it
  UNSPOOL_ERROR_XZ_BLOCK_HEADER = 205,
  // the block is not as long as its header says
  UNSPOOL_ERROR_XZ_BLOCK_SIZE = 206,
  // padding is not zero, or not as long as it must be
  UNSPOOL_ERROR_XZ_PADDING = 207,
  // a number has more than nine bytes, or needless ones
  UNSPOOL_ERROR_XZ_NUMBER = 208,
  // this filter does not exist, or this build leaves it out
  UNSPOOL_ERROR_XZ_FILTER = 209,
  // LZMA2 comes last in a chain of filters, and only there
  UNSPOOL_ERROR_XZ_FILTER_CHAIN = 210,
  // the properties of a filter are out of range or not as long as they must be
  UNSPOOL_ERROR_XZ_FILTER_PROPERTIES = 211,
  // no chunk has this control byte
  UNSPOOL_ERROR_XZ_CONTROL = 212,
  // the first chunk of a block must reset the dictionary
  UNSPOOL_ERROR_XZ_DICTIONARY_RESET = 213,
  // a chunk lacks lc, lp and pb, or they are out of range
  UNSPOOL_ERROR_XZ_PROPERTIES = 214,
  // a range coder starts with a zero and four bytes more
  UNSPOOL_ERROR_XZ_CHUNK_START = 215,
  // the data of a chunk ends early or late, or in the middle of a match
  UNSPOOL_ERROR_XZ_CHUNK_END = 216,
  // a match reaches back before the start of the dictionary, or beyond its size
  UNSPOOL_ERROR_XZ_DISTANCE = 217,
  // the check of a block differs from the one in the file
  UNSPOOL_ERROR_XZ_CHECK = 218,
  // the index does not list the blocks of the stream
  UNSPOOL_ERROR_XZ_INDEX = 219,
  // the footer does not end a stream, or contradicts its header or index
  UNSPOOL_ERROR_XZ_FOOTER = 220,
  // something follows the stream, where one alone is expected
  UNSPOOL_ERROR_XZ_TRAILING = 221,
  // the buffer for the window is too small
  UNSPOOL_ERROR_XZ_WINDOW_BUFFER = 222,
  // a standalone Pco file starts with the four letters pco!
  UNSPOOL_ERROR_PCO_MAGIC = 300,
  // standalone versions 0 to 3 are known
  UNSPOOL_ERROR_PCO_STANDALONE_VERSION = 301,
  // format versions 0 to 4 are known
  UNSPOOL_ERROR_PCO_VERSION = 302,
  // no number type has this byte
  UNSPOOL_ERROR_PCO_NUMBER_TYPE = 303,
  // the chunk holds another number type than the file's header promises for all
  UNSPOOL_ERROR_PCO_TYPE_DIFFERS = 304,
  // the bits up to the next byte are not zero
  UNSPOOL_ERROR_PCO_PADDING = 305,
  // this mode does not exist
  UNSPOOL_ERROR_PCO_MODE = 306,
  // this mode does not exist for this number type or format version
  UNSPOOL_ERROR_PCO_MODE_HERE = 307,
  // the base or the bit count of the mode is out of range
  UNSPOOL_ERROR_PCO_MODE_VALUE = 308,
  // this delta encoding does not exist
  UNSPOOL_ERROR_PCO_DELTA = 309,
  // a consecutive delta encoding has order 1 to 7
  UNSPOOL_ERROR_PCO_DELTA_ORDER = 310,
  // the lookback window has at most 2^24 numbers, and at least as many as the state
  UNSPOOL_ERROR_PCO_WINDOW = 311,
  // convolution does not exist for 64-bit latents, or its numbers could overflow
  UNSPOOL_ERROR_PCO_CONVOLUTION = 312,
  // a tANS table has at most 2^14 entries, and exactly one if there is only one bin
  UNSPOOL_ERROR_PCO_TABLE_SIZE = 313,
  // there are more bins than entries in the tANS table
  UNSPOOL_ERROR_PCO_BIN_COUNT = 314,
  // a bin has more offset bits than its numbers have bits
  UNSPOOL_ERROR_PCO_OFFSET_BITS = 315,
  // the weights of the bins do not add up to the size of the tANS table
  UNSPOOL_ERROR_PCO_WEIGHTS = 316,
  // a bin of lookbacks starts outside of the window
  UNSPOOL_ERROR_PCO_LOOKBACK_BIN = 317,
  // a latent variable without bins cannot make numbers
  UNSPOOL_ERROR_PCO_NO_BINS = 318,
  // a lookback is 0 or exceeds the window
  UNSPOOL_ERROR_PCO_LOOKBACK = 319,
  // an index is outside of the dictionary
  UNSPOOL_ERROR_PCO_DICT_INDEX = 320,
  // an OnPair container starts with the eight letters ONPAIR01
  UNSPOOL_ERROR_ONPAIR_MAGIC = 400,
  // a packed code has 1 to 16 bits
  UNSPOOL_ERROR_ONPAIR_BITS = 401,
  // a table of offsets holds whole numbers, and at least one
  UNSPOOL_ERROR_ONPAIR_TABLE = 402,
  // 16-bit codes can name 65536 tokens, and the dictionary has more
  UNSPOOL_ERROR_ONPAIR_TOKEN_COUNT = 403,
  // the first token starts at offset 0
  UNSPOOL_ERROR_ONPAIR_FIRST_OFFSET = 404,
  // each token ends after its start
  UNSPOOL_ERROR_ONPAIR_TOKEN_EMPTY = 405,
  // a token has at most 16 bytes
  UNSPOOL_ERROR_ONPAIR_TOKEN_LENGTH = 406,
  // the last token ends after the dictionary
  UNSPOOL_ERROR_ONPAIR_TOKEN_OUTSIDE = 407,
  // a code names a token that the dictionary does not have
  UNSPOOL_ERROR_ONPAIR_CODE = 408,
  // a row ends before it starts
  UNSPOOL_ERROR_ONPAIR_ROW_ORDER = 409,
  // the last row ends after the codes
  UNSPOOL_ERROR_ONPAIR_ROW_OUTSIDE = 410,
  // the codes end before their number is reached
  UNSPOOL_ERROR_ONPAIR_CODES_SHORT = 411,
  // codes of two bytes each end in the middle of one
  UNSPOOL_ERROR_ONPAIR_CODE_HALF = 412,
  // the tokens are not sorted, or one occurs twice
  UNSPOOL_ERROR_ONPAIR_NOT_SORTED = 413,
  // the dictionary lacks the token of a single byte
  UNSPOOL_ERROR_ONPAIR_NOT_COMPLETE = 414,
  // a CVC file starts with the four letters CVCF
  UNSPOOL_ERROR_CVC_MAGIC = 500,
  // CVC versions 0, 1 and 2 are known
  UNSPOOL_ERROR_CVC_VERSION = 501,
  // the JSON header has no bytes
  UNSPOOL_ERROR_CVC_HEADER_EMPTY = 502,
  // the header lacks a key that this file needs
  UNSPOOL_ERROR_CVC_MISSING_KEY = 503,
  // a header key holds a value of the wrong type
  UNSPOOL_ERROR_CVC_WRONG_VALUE = 504,
  // compression is one of fp16, int8, lossless and none
  UNSPOOL_ERROR_CVC_UNKNOWN_COMPRESSION = 505,
  // this compression does not exist in this kind of CVC file
  UNSPOOL_ERROR_CVC_COMPRESSION_HERE = 506,
  // dtype is one of float32, float16, int64, int32, int8 and uint8
  UNSPOOL_ERROR_CVC_UNKNOWN_DTYPE = 507,
  // the rows of all chunks do not add up to num_vectors
  UNSPOOL_ERROR_CVC_ROWS_DISAGREE = 508,
  // the chunk is not as long as its rows need
  UNSPOOL_ERROR_CVC_CHUNK_LENGTH = 509,
  // the chunk has no place of its own after the header
  UNSPOOL_ERROR_CVC_CHUNK_OUTSIDE = 510,
  // the column does not lie inside of its chunk
  UNSPOOL_ERROR_CVC_COLUMN_OUTSIDE = 511,
  // the column is not as long as its rows need
  UNSPOOL_ERROR_CVC_COLUMN_LENGTH = 512,
  // a chunk lacks a column that the file declares
  UNSPOOL_ERROR_CVC_COLUMN_MISSING = 513,
  // the CRC-32 of the chunk differs from the one in the file
  UNSPOOL_ERROR_CVC_CRC = 514,
  // the number of values in a lossless chunk is not rows times dimension
  UNSPOOL_ERROR_CVC_LOSSLESS_COUNT = 515,
  // a plane of a lossless chunk has 1 to 8 bits a value
  UNSPOOL_ERROR_CVC_LOSSLESS_BITS = 516,
  // a code of a lossless plane is outside of its dictionary
  UNSPOOL_ERROR_CVC_LOSSLESS_CODE = 517,
  // the file has no column of this name
  UNSPOOL_ERROR_CVC_NO_SUCH_COLUMN = 518,
  // a section does not lie inside of the file's rows
  UNSPOOL_ERROR_CVC_SECTION = 519,
  // format_type is columnar, single, or absent
  UNSPOOL_ERROR_CVC_FORMAT_TYPE = 520,
  // the chunks lie out of order, which a stream cannot follow
  UNSPOOL_ERROR_CVC_BACKWARDS = 521,
  // the file has several columns; name one
  UNSPOOL_ERROR_CVC_PICK_COLUMN = 522,
  // a version 0 file has no checksums, but a CRC-32 of the chunk precedes its values
  UNSPOOL_ERROR_CVC_HIDDEN_CRC = 523,
  // the payload of a lossless chunk ends before its four planes do
  UNSPOOL_ERROR_CVC_LOSSLESS_SHORT = 524,
  // an AT-1 file starts with the letters AT1 and the byte 2 or 3
  UNSPOOL_ERROR_AT1_MAGIC = 600,
  // the codecs 0 to 12 and 255 are known
  UNSPOOL_ERROR_AT1_CODEC = 601,
  // a stream does not lie inside of its set
  UNSPOOL_ERROR_AT1_STREAM_OUTSIDE = 602,
  // two streams of a set have the same name
  UNSPOOL_ERROR_AT1_STREAM_TWICE = 603,
  // something follows here that belongs to nothing
  UNSPOOL_ERROR_AT1_TRAILING = 604,
  // the backends 0 xz, 1 zstd and 2 stored are known, and this is no xz without one either
  UNSPOOL_ERROR_AT1_BACKEND = 605,
  // a zstd payload must say how many bytes it holds
  UNSPOOL_ERROR_AT1_NO_CONTENT_SIZE = 606,
  // the payload cannot hold or does not hold as many bytes as it says
  UNSPOOL_ERROR_AT1_CONTENT_SIZE = 607,
  // the SHA-256 of the decoded file differs from the one in the trailer
  UNSPOOL_ERROR_AT1_HASH = 608,
  // a frame has at least the byte that says its method
  UNSPOOL_ERROR_AT1_FRAME_EMPTY = 609,
  // the methods of a frame are 0 structured and 1 raw
  UNSPOOL_ERROR_AT1_FRAME_METHOD = 610,
  // a stream ends before all is read that the others promise
  UNSPOOL_ERROR_AT1_STREAM_SHORT = 611,
  // a list has fewer items than are taken from it
  UNSPOOL_ERROR_AT1_LIST_SHORT = 612,
  // a running sum leaves 64 bits
  UNSPOOL_ERROR_AT1_SUM_OVERFLOW = 613,
  // lines, rows, groups and rows in a group do not fit together
  UNSPOOL_ERROR_AT1_ROW_GROUPS = 614,
  // no column type has this number
  UNSPOOL_ERROR_AT1_COLUMN_TYPE = 615,
  // a block is empty, or does not lie inside of the stream of blocks
  UNSPOOL_ERROR_AT1_BLOCK_OUTSIDE = 616,
  // the tags of a block are 0 xz and 1 zstd
  UNSPOOL_ERROR_AT1_BLOCK_TAG = 617,
  // a template has one literal more than there are columns
  UNSPOOL_ERROR_AT1_TEMPLATE = 618,
  // a row has more fields than there are columns
  UNSPOOL_ERROR_AT1_FIELD_COUNT = 619,
  // a decimal has at most 18 digits after the point, and a shuffled integer 1 to 8 bytes
  UNSPOOL_ERROR_AT1_SCALE = 620,
  // a derived column follows from one that precedes it
  UNSPOOL_ERROR_AT1_DERIVED_SOURCE = 621,
  // derived columns that lag their sources would take too much work
  UNSPOOL_ERROR_AT1_DERIVED_AHEAD = 622,
  // the column that another one is derived from has more values than the map
  UNSPOOL_ERROR_AT1_DERIVED_MAP = 623,
  // an index is outside of its dictionary
  UNSPOOL_ERROR_AT1_DICTIONARY_INDEX = 624,
  // no key, template, genotype or other text has this number
  UNSPOOL_ERROR_AT1_TEXT_NUMBER = 625,
  // the JSON nests deeper than the limit
  UNSPOOL_ERROR_AT1_DEPTH = 626,
  // no token and no kind of thing has this number
  UNSPOOL_ERROR_AT1_TOKEN = 627,
  // a rule has one literal more than sources, and its sources are columns that exist
  UNSPOOL_ERROR_AT1_RULE = 628,
  // the first byte of meta says 0 raw or 1 structured
  UNSPOOL_ERROR_AT1_MODE = 629,
  // the samples of a line ascend, and are below the number of samples
  UNSPOOL_ERROR_AT1_SAMPLE = 630,
  // a time is outside of the years 0 to 9999
  UNSPOOL_ERROR_AT1_TIME = 631,
  // the transforms of an image are 0 to 3
  UNSPOOL_ERROR_AT1_TRANSFORM = 632,
  // the image was made of JPEG 2000 or JPEG-LS, which needs its own encoder
  UNSPOOL_ERROR_AT1_JPEG = 633,
  // rows, columns, samples and bits of the image do not fit its pixels
  UNSPOOL_ERROR_AT1_IMAGE_SIZE = 634,
  // elements have 1 to 32 bytes, and as many planes as that
  UNSPOOL_ERROR_AT1_ARRAY_SIZE = 635,
  // a file has at most 64 shapes of line, and each line is of one of them or of none
  UNSPOOL_ERROR_AT1_SHAPES = 636,
  // a bundle holds several files; they are decoded one by one
  UNSPOOL_ERROR_AT1_BUNDLE_WHOLE = 637,
  // a bundle cannot be a part of something
  UNSPOOL_ERROR_AT1_BUNDLE_INSIDE = 638,
  // the codec raw has no structure
  UNSPOOL_ERROR_AT1_RAW_FRAME = 639,
  // only a bundle holds several files
  UNSPOOL_ERROR_AT1_NO_BUNDLE = 640,
  // the manifest is an array of objects with a name each, and a stream for each of them
  UNSPOOL_ERROR_AT1_MANIFEST = 641,
  // the name of a file leads outside of the bundle, or is none
  UNSPOOL_ERROR_AT1_UNSAFE_NAME = 642,
  // a text has many gaps that stay empty, and is used over and over
  UNSPOOL_ERROR_AT1_EMPTY_GAPS = 643,
  // a zstd payload was made with a dictionary, and nobody can give it one
  UNSPOOL_ERROR_AT1_DICTIONARY = 644,
  // only the codecs 7 qcolumnar and 8 qjson can be queried
  UNSPOOL_ERROR_AT1_NOT_QUERYABLE = 670,
  // a file in frames cannot be queried, only one of a single piece
  UNSPOOL_ERROR_AT1_QUERY_FRAMES = 671,
  // the table has no column of this name or number
  UNSPOOL_ERROR_AT1_NO_SUCH_COLUMN = 672,
  // several columns of the table have this name; ask by number
  UNSPOOL_ERROR_AT1_COLUMN_TWICE = 673,
  // the table does not name its columns; ask by number
  UNSPOOL_ERROR_AT1_NO_NAMES = 674,
  // the end of a range must be a number
  UNSPOOL_ERROR_AT1_QUERY_NUMBER = 675,
  // the sum does not fit in 128 bits
  UNSPOOL_ERROR_AT1_QUERY_SUM = 676,
  // lines can be rebuilt only where all columns are asked for
  UNSPOOL_ERROR_AT1_QUERY_LINE = 677,
  // a gzip member starts with the bytes 1F 8B, and nothing but zeros follows the last one
  UNSPOOL_ERROR_GZIP_MAGIC = 700,
  // deflate is the one method of compression that gzip has
  UNSPOOL_ERROR_GZIP_METHOD = 701,
  // a reserved flag is set
  UNSPOOL_ERROR_GZIP_RESERVED_FLAG = 702,
  // the checksum of the header differs from the one in the file
  UNSPOOL_ERROR_GZIP_HEADER_CRC = 703,
  // the deflate stream breaks its rules here or shortly before
  UNSPOOL_ERROR_GZIP_DEFLATE = 704,
  // the checksum of the content differs from the one in the file
  UNSPOOL_ERROR_GZIP_CRC = 705,
  // the content is not as long as the file says
  UNSPOOL_ERROR_GZIP_SIZE = 706,
  // the JSON header breaks the rules of JSON here
  UNSPOOL_ERROR_JSON_SYNTAX = 900,
  // the JSON header is not UTF-8
  UNSPOOL_ERROR_JSON_UTF8 = 901,
  // a JSON number is malformed, or not an integer in range where one is needed
  UNSPOOL_ERROR_JSON_NUMBER = 902,
  // a JSON string holds an unknown escape or a raw control character
  UNSPOOL_ERROR_JSON_STRING = 903,
  // the JSON header nests deeper than the limit
  UNSPOOL_ERROR_JSON_DEPTH = 904,
  // something follows the JSON value inside of the header
  UNSPOOL_ERROR_JSON_TRAILING = 905,
  // the JSON header is UTF-16 or UTF-32; only UTF-8 is read
  UNSPOOL_ERROR_JSON_ENCODING = 906,
};

// Sizes of the opaque structs are whole words of this many bytes, and they are aligned to it.
#define UNSPOOL_WORD 8

// More input may follow.
#define UNSPOOL_END_NOT_YET 0

// This input is the last.
#define UNSPOOL_END_HERE 1

// Call again with the bytes that follow those that were read.
#define UNSPOOL_STATUS_NEED_INPUT 0

// Call again with more output space. If some was left, the next call returns the error that
// follows the bytes written.
#define UNSPOOL_STATUS_NEED_OUTPUT 1

// The data is complete; the input after it was not read.
#define UNSPOOL_STATUS_DONE 2

// No known format, or too few bytes to decide.
#define UNSPOOL_FORMAT_UNKNOWN 0

// Zstandard: RFC 8878, or the draft 0.2.0 as its encoder wrote it.
#define UNSPOOL_FORMAT_ZSTD 1

// Zstandard: v0.7, or the draft as its text says.
#define UNSPOOL_FORMAT_ZSTD_V07 2

// A skippable frame, which may precede Zstandard frames or separate them.
#define UNSPOOL_FORMAT_ZSTD_SKIPPABLE 3

// xz.
#define UNSPOOL_FORMAT_XZ 4

// Pco, standalone.
#define UNSPOOL_FORMAT_PCO 5

// An OnPair column in the container `ONPAIR01`.
#define UNSPOOL_FORMAT_ONPAIR 6

// CVC embedding vectors.
#define UNSPOOL_FORMAT_CVC 7

// AT-1.
#define UNSPOOL_FORMAT_AT1 8

// gzip, which may wrap any of the others.
#define UNSPOOL_FORMAT_GZIP 9

// No error.
#define UNSPOOL_CLASS_NONE 0

// The input ends too early. More of the same file may help.
#define UNSPOOL_CLASS_TRUNCATED 1

// The input contradicts itself or its format.
#define UNSPOOL_CLASS_CORRUPT 2

// Everything was read, but a checksum differs from the one in the file.
#define UNSPOOL_CLASS_CHECKSUM 3

// A legal file that this build or this library cannot decode.
#define UNSPOOL_CLASS_UNSUPPORTED 4

// The file asks for more than the limits allow.
#define UNSPOOL_CLASS_LIMIT 5

// The output is too small; `need` is the least size, in the units of its length. It may not be
// enough if the whole is not known yet (several frames, chunks of Pco, AT-1).
// `unspool_zstd_decoded_size`, `unspool_xz_decoded_size` and `unspool_at1_decoded_len` count all
// of it.
#define UNSPOOL_CLASS_OUTPUT_TOO_SMALL 6

// The workspace is too small; `need` is the least size, in the units of its length. For AT-1 it
// may not be enough: see `UnspoolAt1Info`.
#define UNSPOOL_CLASS_WORKSPACE_TOO_SMALL 7

// The call is wrong, whatever the file holds.
#define UNSPOOL_CLASS_MISUSE 8

#if defined(UNSPOOL_SMALL)
// Words of a workspace.
#define UNSPOOL_AT1_WORKSPACE_WORDS 4430
#endif

#if !defined(UNSPOOL_SMALL)
// Words of a workspace.
#define UNSPOOL_AT1_WORKSPACE_WORDS 6378
#endif

// Bytes of a workspace.
#define UNSPOOL_AT1_WORKSPACE_SIZE (UNSPOOL_AT1_WORKSPACE_WORDS * 8)

// The rows with all columns, and their lines. The request names no columns.
#define UNSPOOL_AT1_ROWS 0

// The rows with the columns that the request names, in that order.
#define UNSPOOL_AT1_COLUMNS 1

// The number of rows. The request names no columns.
#define UNSPOOL_AT1_COUNT 2

// The sum of the numbers in the one column that the request names.
#define UNSPOOL_AT1_SUM 3

// The smallest number in the one column that the request names.
#define UNSPOOL_AT1_MIN 4

// The largest number in the one column that the request names.
#define UNSPOOL_AT1_MAX 5

#if defined(UNSPOOL_32_BIT)
// Words of a term.
#define UNSPOOL_AT1_TERM_WORDS 4
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a term.
#define UNSPOOL_AT1_TERM_WORDS 7
#endif

#if defined(UNSPOOL_32_BIT)
// Words of a query.
#define UNSPOOL_AT1_QUERY_WORDS 74
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a query.
#define UNSPOOL_AT1_QUERY_WORDS 89
#endif

// Bytes of a query.
#define UNSPOOL_AT1_QUERY_SIZE (UNSPOOL_AT1_QUERY_WORDS * 8)

// It needs the bytes of the file from `start` to before `end`.
#define UNSPOOL_AT1_NEXT_BYTES 0

// A row was found, which is valid until the next step. The next step takes the same bytes again:
// `start` and `end` name them.
#define UNSPOOL_AT1_NEXT_ROW 1

// The query is complete.
#define UNSPOOL_AT1_NEXT_NOTHING 2

#if defined(UNSPOOL_32_BIT)
// Words of an open file.
#define UNSPOOL_CVC_FILE_WORDS 10
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of an open file.
#define UNSPOOL_CVC_FILE_WORDS 14
#endif

// Bytes of an open file.
#define UNSPOOL_CVC_FILE_SIZE (UNSPOOL_CVC_FILE_WORDS * 8)

#if defined(UNSPOOL_32_BIT)
// Words of a column.
#define UNSPOOL_CVC_COLUMN_WORDS 14
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a column.
#define UNSPOOL_CVC_COLUMN_WORDS 20
#endif

// Bytes of a column.
#define UNSPOOL_CVC_COLUMN_SIZE (UNSPOOL_CVC_COLUMN_WORDS * 8)

#if defined(UNSPOOL_32_BIT)
// Words of a decoder.
#define UNSPOOL_CVC_DECODER_WORDS 52
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a decoder.
#define UNSPOOL_CVC_DECODER_WORDS 62
#endif

// Bytes of a decoder.
#define UNSPOOL_CVC_DECODER_SIZE (UNSPOOL_CVC_DECODER_WORDS * 8)

// None of the known types.
#define UNSPOOL_CVC_UNKNOWN 0

// 32-bit float.
#define UNSPOOL_CVC_F32 1

// Half float.
#define UNSPOOL_CVC_F16 2

// 64-bit signed integer.
#define UNSPOOL_CVC_I64 3

// 32-bit signed integer.
#define UNSPOOL_CVC_I32 4

// 8-bit signed integer.
#define UNSPOOL_CVC_I8 5

// 8-bit unsigned integer.
#define UNSPOOL_CVC_U8 6

// A chunk whose CRC-32 differs is an error.
#define UNSPOOL_CVC_CRC_VERIFY 0

// Differences are counted, and decoding goes on: see `UnspoolCvcDone`, for streams
// `unspool_cvc_counts`.
#define UNSPOOL_CVC_CRC_REPORT 1

// CRCs are not computed.
#define UNSPOOL_CVC_CRC_SKIP 2

#if defined(UNSPOOL_32_BIT)
// Words of a plan.
#define UNSPOOL_CVC_PLAN_WORDS 48
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a plan.
#define UNSPOOL_CVC_PLAN_WORDS 58
#endif

// Bytes of a plan.
#define UNSPOOL_CVC_PLAN_SIZE (UNSPOOL_CVC_PLAN_WORDS * 8)

// None: all rows have been named.
#define UNSPOOL_CVC_NEED_NOTHING 0

// The bytes from `start` to `end`, for `unspool_cvc_plan_feed`: the length of a chunk.
#define UNSPOOL_CVC_NEED_LENGTH 1

// A chunk with rows that were asked for.
#define UNSPOOL_CVC_NEED_CHUNK 2

// Words of a workspace.
#define UNSPOOL_GZIP_WORKSPACE_WORDS 1450

// Bytes of a workspace.
#define UNSPOOL_GZIP_WORKSPACE_SIZE (UNSPOOL_GZIP_WORKSPACE_WORDS * 8)

// Bytes of a window: the largest distance of deflate.
#define UNSPOOL_GZIP_WINDOW_SIZE 32768

// Words of a decoder.
#define UNSPOOL_GZIP_DECODER_WORDS 52

// Bytes of a decoder.
#define UNSPOOL_GZIP_DECODER_SIZE (UNSPOOL_GZIP_DECODER_WORDS * 8)

#if defined(UNSPOOL_32_BIT)
// Words of a column.
#define UNSPOOL_ONPAIR_COLUMN_WORDS 17
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a column.
#define UNSPOOL_ONPAIR_COLUMN_WORDS 21
#endif

// Bytes of a column.
#define UNSPOOL_ONPAIR_COLUMN_SIZE (UNSPOOL_ONPAIR_COLUMN_WORDS * 8)

#if defined(UNSPOOL_SMALL)
// Words of a search. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`.
#define UNSPOOL_ONPAIR_SEARCH_WORDS 34
#endif

#if (!defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT))
// Words of a search.
#define UNSPOOL_ONPAIR_SEARCH_WORDS 112
#endif

#if (!defined(UNSPOOL_SMALL) && !defined(UNSPOOL_32_BIT))
// Words of a search.
#define UNSPOOL_ONPAIR_SEARCH_WORDS 118
#endif

// Bytes of a search.
#define UNSPOOL_ONPAIR_SEARCH_SIZE (UNSPOOL_ONPAIR_SEARCH_WORDS * 8)

// Rows that equal the needle.
#define UNSPOOL_ONPAIR_EQUALS 0

// Rows that start with the needle.
#define UNSPOOL_ONPAIR_STARTS_WITH 1

// Rows that contain the needle.
#define UNSPOOL_ONPAIR_CONTAINS 2

#if defined(UNSPOOL_32_BIT)
// Words of an open file.
#define UNSPOOL_PCO_FILE_WORDS 12
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of an open file.
#define UNSPOOL_PCO_FILE_WORDS 12
#endif

// Bytes of an open file.
#define UNSPOOL_PCO_FILE_SIZE (UNSPOOL_PCO_FILE_WORDS * 8)

#if defined(UNSPOOL_32_BIT)
// Words of chunk metadata.
#define UNSPOOL_PCO_META_WORDS 40
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of chunk metadata.
#define UNSPOOL_PCO_META_WORDS 44
#endif

// Bytes of chunk metadata.
#define UNSPOOL_PCO_META_SIZE (UNSPOOL_PCO_META_WORDS * 8)

#if (defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT))
// Words of a decoder. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`.
#define UNSPOOL_PCO_DECODER_WORDS 46
#endif

#if (defined(UNSPOOL_SMALL) && !defined(UNSPOOL_32_BIT))
// Words of a decoder.
#define UNSPOOL_PCO_DECODER_WORDS 71
#endif

#if (!defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT))
// Words of a decoder.
#define UNSPOOL_PCO_DECODER_WORDS 80
#endif

#if (!defined(UNSPOOL_SMALL) && !defined(UNSPOOL_32_BIT))
// Words of a decoder.
#define UNSPOOL_PCO_DECODER_WORDS 119
#endif

// Bytes of a decoder.
#define UNSPOOL_PCO_DECODER_SIZE (UNSPOOL_PCO_DECODER_WORDS * 8)

// Unsigned, 32 bits.
#define UNSPOOL_PCO_U32 1

// Unsigned, 64 bits.
#define UNSPOOL_PCO_U64 2

// Signed, 32 bits.
#define UNSPOOL_PCO_I32 3

// Signed, 64 bits.
#define UNSPOOL_PCO_I64 4

// 32-bit float.
#define UNSPOOL_PCO_F32 5

// 64-bit float.
#define UNSPOOL_PCO_F64 6

// Unsigned, 16 bits.
#define UNSPOOL_PCO_U16 7

// Signed, 16 bits.
#define UNSPOOL_PCO_I16 8

// Half float.
#define UNSPOOL_PCO_F16 9

// Unsigned, 8 bits.
#define UNSPOOL_PCO_U8 10

// Signed, 8 bits.
#define UNSPOOL_PCO_I8 11

// Each page in one call: the output is the history if the mode allows it.
#define UNSPOOL_PCO_WHOLE 0

// Each page in any number of calls: the workspace holds the history.
#define UNSPOOL_PCO_BATCHES 1

// Each page in one call, with the smallest tables.
#define UNSPOOL_PCO_COMPACT_WHOLE 2

// Each page in any number of calls, with the smallest tables.
#define UNSPOOL_PCO_COMPACT_BATCHES 3

// Words of a workspace.
#define UNSPOOL_XZ_WORKSPACE_WORDS 4000

// Bytes of a workspace.
#define UNSPOOL_XZ_WORKSPACE_SIZE (UNSPOOL_XZ_WORKSPACE_WORDS * 8)

// Bytes of a workspace without contexts of literals, for the calls that take a whole file. It is
// enough for those that decode nothing.
#define UNSPOOL_XZ_TABLES_SIZE 5632

// Bytes for each context of literals, of which a file has 2 to the power of lc + lp: 8 by default,
// at most 16.
#define UNSPOOL_XZ_CONTEXT_SIZE 1536

// Words of a decoder.
#define UNSPOOL_XZ_DECODER_WORDS 60

// Bytes of a decoder.
#define UNSPOOL_XZ_DECODER_SIZE (UNSPOOL_XZ_DECODER_WORDS * 8)

#if defined(UNSPOOL_SMALL)
// Words of a workspace. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`.
#define UNSPOOL_ZSTD_WORKSPACE_WORDS 432
#endif

#if !defined(UNSPOOL_SMALL)
// Words of a workspace.
#define UNSPOOL_ZSTD_WORKSPACE_WORDS 2378
#endif

// Bytes of a workspace.
#define UNSPOOL_ZSTD_WORKSPACE_SIZE (UNSPOOL_ZSTD_WORKSPACE_WORDS * 8)

#if defined(UNSPOOL_32_BIT)
// Words of a decoder.
#define UNSPOOL_ZSTD_DECODER_WORDS 52
#endif

#if !defined(UNSPOOL_32_BIT)
// Words of a decoder.
#define UNSPOOL_ZSTD_DECODER_WORDS 64
#endif

// Bytes of a decoder.
#define UNSPOOL_ZSTD_DECODER_SIZE (UNSPOOL_ZSTD_DECODER_WORDS * 8)

// Detect it: from the whole file; in a stream `28` means RFC 8878 and `27` means v0.7.
#define UNSPOOL_ZSTD_ANY 0

// RFC 8878.
#define UNSPOOL_ZSTD_RFC8878 1

// The format of zstd 0.7.
#define UNSPOOL_ZSTD_V07 2

// The draft 0.2.0.
#define UNSPOOL_ZSTD_DRAFT 3

// Bounds that are compared with what a header claims, before any work is done for that claim.
typedef struct UnspoolLimits {
  // Most bytes that a whole file may decode to.
  uint64_t max_output;
  // Most bytes of history that a streaming decoder may be asked to keep.
  uint64_t max_window;
  // Most bytes that a header, a directory or an index may take in the file.
  uint64_t max_header;
  // Most entries of anything that a header lists.
  uint64_t max_elements;
  // Most columns of a table.
  uint64_t max_columns;
  // Deepest nesting of structured headers.
  uint16_t max_depth;
} UnspoolLimits;

// A format of a file.
typedef uint8_t UnspoolFormat;

// The way to handle an error: one of `UNSPOOL_CLASS_...`.
typedef uint8_t UnspoolClass;

// The result of a function that can fail: 0, or the number of an error. The numbers are those of
// the `enum` below.
typedef uint16_t UnspoolErrorKind;

// The header and trailer of a file, and the memory that it takes to decode it.
typedef struct UnspoolAt1Info {
  // Bytes of scratch for decoding, according to the headers of the streams. Their contents may
  // need more: an error of the class `WORKSPACE_TOO_SMALL`, before any of that body is written.
  // Start over with as much, or with twice the last amount if that is more: each frame may need
  // a little more, and the output of the frames before it is repeated.
  uint64_t scratch_len;
  // The same for `unspool_at1_decode_to`.
  uint64_t scratch_len_to;
  // The codec that made the file, by its byte: 4 for a table, 255 for any file.
  uint8_t codec;
  // 1 if the file ends with a SHA-256 of the decoded bytes.
  uint8_t hashed;
  // 1 if the body is one set of streams, 0 if it consists of frames.
  uint8_t whole;
} UnspoolAt1Info;

// The reason for which a function refuses, and the place.
typedef struct UnspoolError {
  // The number of the error; 0 for none.
  UnspoolErrorKind kind;
  // The class of the error.
  UnspoolClass error_class;
  // Offset of the byte at which it shows, from the start of the input.
  uint64_t at;
  // The least amount that would be enough; 0 if unknown.
  uint64_t need;
} UnspoolError;

// The result of decoding a whole file.
typedef struct UnspoolAt1Done {
  // Bytes of the input that were used: all of it.
  size_t read;
  // Bytes of the output that are filled. The bytes after them may have been used as scratch.
  size_t wrote;
  // 1 if the hash was compared and is equal.
  uint8_t hashed;
} UnspoolAt1Done;

// Takes decoded bytes in order; they are borrowed for the call. Any return value but 0 ends
// decoding with the error `SINK_FULL`.
typedef uint8_t (*UnspoolAt1Write)(void *context, const uint8_t *bytes, size_t len);

// A query in progress.
typedef struct UnspoolAt1Query {
  // Private to the library.
  uint64_t opaque[UNSPOOL_AT1_QUERY_WORDS];
} UnspoolAt1Query;

// Names a column: by its name, or if that is null by its number, from 0. A name is a path of JSON,
// or a field of the header line.
typedef struct UnspoolAt1Column {
  // The name, or null.
  const uint8_t *name;
  // Bytes of the name.
  size_t name_len;
  // The number, if there is no name.
  size_t number;
} UnspoolAt1Column;

// A condition for a row: its value in a column equals a given one, or is in a range. Numbers are
// compared exactly, by their digits, here and in the file.
typedef struct UnspoolAt1Filter {
  // The column.
  struct UnspoolAt1Column column;
  // The value to equal, as bytes in a column of texts and as a number in one of numbers; null
  // for a range.
  const uint8_t *equal;
  // Bytes of it.
  size_t equal_len;
  // The lowest number of the range, such as `"-12.50"`; null if unbounded.
  const uint8_t *low;
  // Bytes of it.
  size_t low_len;
  // The highest number of the range; null if unbounded.
  const uint8_t *high;
  // Bytes of it.
  size_t high_len;
} UnspoolAt1Filter;

// The result to return for the rows that meet all conditions.
typedef uint8_t UnspoolAt1Ask;

// A request. It may be in read-only memory.
typedef struct UnspoolAt1Request {
  // The conditions; a row must meet all of them.
  const struct UnspoolAt1Filter *filters;
  // The number of conditions.
  size_t filters_len;
  // The columns.
  const struct UnspoolAt1Column *columns;
  // The number of columns.
  size_t columns_len;
  // The most rows to read that meet all conditions; 0 for all.
  uint64_t limit;
  // The result, one of `UNSPOOL_AT1_ROWS` and the others.
  UnspoolAt1Ask ask;
} UnspoolAt1Request;

// Memory for one of the conditions or columns of a request.
typedef struct UnspoolAt1Term {
  // Private to the library.
  uint64_t opaque[UNSPOOL_AT1_TERM_WORDS];
} UnspoolAt1Term;

// The reason for which a query stopped.
typedef uint8_t UnspoolAt1NextKind;

// The state at which a query stopped.
typedef struct UnspoolAt1Next {
  // The start of the bytes to pass next, also after a row.
  uint64_t start;
  // Their end.
  uint64_t end;
  // The number of the row in the table, from 0. Lines that are not rows do not count.
  uint64_t row;
  // The number of values in the row.
  size_t values;
  // The reason, one of `UNSPOOL_AT1_NEXT_BYTES` and the others.
  UnspoolAt1NextKind kind;
} UnspoolAt1Next;

// The results of a query other than rows.
typedef struct UnspoolAt1Answer {
  // Rows that met all conditions, up to the limit.
  uint64_t rows;
  // Those of them whose value is not a number. Sum, minimum and maximum are over the others.
  uint64_t without_number;
  // The sum times ten to the power of `sum_scale`: its low 64 bits. If it fits in an `int64_t`,
  // these are all of it.
  uint64_t sum_low;
  // Its high 64 bits: 0 or -1 if they only repeat the sign of `sum_low`.
  int64_t sum_high;
  // Digits of the sum after the decimal point.
  uint32_t sum_scale;
  // The smallest or largest number, as written in the first row that has it; valid until the
  // next step, null if there is none.
  const uint8_t *best;
  // Bytes of it.
  size_t best_len;
} UnspoolAt1Answer;

// The share of the file that a query read.
typedef struct UnspoolAt1Stats {
  // Row groups of the table.
  uint64_t groups;
  // Groups that the zone maps ruled out.
  uint64_t skipped;
  // Groups of which blocks were read.
  uint64_t read;
  // Bytes of the blocks that were read.
  uint64_t block_bytes_read;
  // Bytes of all blocks.
  uint64_t block_bytes_total;
} UnspoolAt1Stats;

// An open file, whose header was parsed and checked. It borrows the header and holds nothing else.
typedef struct UnspoolCvcFile {
  // Private to the library.
  uint64_t opaque[UNSPOOL_CVC_FILE_WORDS];
} UnspoolCvcFile;

// The header of a file.
typedef struct UnspoolCvcInfo {
  // Rows of every column.
  uint64_t rows;
  // Chunks that the rows are divided into.
  uint64_t chunks;
  // Columns.
  uint64_t columns;
  // Offset of the end of the header.
  uint64_t head_len;
  // 0 for files without version words, 1 for one column, 2 for many.
  uint16_t major;
  // Ignored by every reader.
  uint16_t minor;
  // 1 if the file has a schema of named columns.
  uint8_t columnar;
  // 1 if each chunk has a CRC-32.
  uint8_t checksums;
  // 1 if the chunks are laid out for memory mapping.
  uint8_t mmap_optimized;
} UnspoolCvcInfo;

// A column of a file. It borrows the header, but not the struct of the file.
typedef struct UnspoolCvcColumn {
  // Private to the library.
  uint64_t opaque[UNSPOOL_CVC_COLUMN_WORDS];
} UnspoolCvcColumn;

// The type of the values of a column.
typedef uint8_t UnspoolCvcDtype;

// A column, according to the schema.
typedef struct UnspoolCvcColumnInfo {
  // Values of each row.
  uint64_t dimension;
  // The type of the values before they were compressed.
  UnspoolCvcDtype dtype;
  // The type that `unspool_cvc_decode` writes; unknown if a chunk stores the column in an
  // unknown way.
  UnspoolCvcDtype output;
  // Bytes of one value of that type.
  uint8_t output_width;
} UnspoolCvcColumnInfo;

// The handling of the CRC-32 of each chunk.
typedef uint8_t UnspoolCvcCrc;

// The result of a call that decodes.
typedef struct UnspoolCvcDone {
  // The filled part of the output, in the units of its length. 0 if there is no output.
  size_t wrote;
  // Chunks whose CRC-32 is equal.
  uint64_t crc_right;
  // Chunks whose CRC-32 differs.
  uint64_t crc_wrong;
  // Chunks that were not compared, or have no CRC-32.
  uint64_t crc_unchecked;
} UnspoolCvcDone;

// A decoder of a stream.
typedef struct UnspoolCvcDecoder {
  // Private to the library.
  uint64_t opaque[UNSPOOL_CVC_DECODER_WORDS];
} UnspoolCvcDecoder;

// Says whether more input follows that of this call.
typedef uint8_t UnspoolEnd;

// The one thing that a caller must do next.
typedef uint8_t UnspoolStatus;

// The progress of one call. After an error `read` and `wrote` are 0, so that a loop may add them
// up first.
typedef struct UnspoolStep {
  // Bytes of the input that were used.
  size_t read;
  // The filled part of the output, in the units of its length.
  size_t wrote;
  // The next thing to do.
  UnspoolStatus status;
} UnspoolStep;

// A range of rows that the header names.
typedef struct UnspoolCvcSection {
  // Its first row.
  uint64_t first_row;
  // The row after its last.
  uint64_t end_row;
  // Its metadata, as the JSON in the header; not null-terminated.
  const uint8_t *metadata;
  // Bytes of the metadata.
  size_t metadata_len;
  // 1 if there is such a section.
  uint8_t found;
} UnspoolCvcSection;

// A walk over the bytes that some rows need. It borrows the header, but not the struct of the
// column.
typedef struct UnspoolCvcPlan {
  // Private to the library.
  uint64_t opaque[UNSPOOL_CVC_PLAN_WORDS];
} UnspoolCvcPlan;

// The kind of a request.
typedef uint8_t UnspoolCvcNeedKind;

// The bytes to fetch next.
typedef struct UnspoolCvcNeed {
  // The first byte to fetch, in the file.
  uint64_t start;
  // The byte after the last.
  uint64_t end;
  // For a chunk: only the bytes of these rows, if no checksum is to be compared.
  uint64_t data_start;
  // The byte after them.
  uint64_t data_end;
  // The rows of the chunk, counted over the whole file.
  uint64_t first_row;
  // The row after the last.
  uint64_t end_row;
  // The number of their values.
  uint64_t values;
  // The kind of the request.
  UnspoolCvcNeedKind kind;
} UnspoolCvcNeed;

// The contents of a file.
typedef struct UnspoolGzipInfo {
  // Bytes that it decodes to.
  uint64_t content_size;
  // Members in a row, each with an equal checksum.
  uint64_t members;
} UnspoolGzipInfo;

// The result of decoding a whole file.
typedef struct UnspoolGzipDone {
  // Bytes of the input that were used.
  size_t read;
  // Bytes of the output that are filled.
  size_t wrote;
  // Members in a row.
  uint64_t members;
  // Checksums that were compared and are equal.
  uint64_t checks;
} UnspoolGzipDone;

// A decoder of a stream.
typedef struct UnspoolGzipDecoder {
  // Private to the library.
  uint64_t opaque[UNSPOOL_GZIP_DECODER_WORDS];
} UnspoolGzipDecoder;

// A column of strings. It borrows the slices that hold it.
typedef struct UnspoolOnPairColumn {
  // Private to the library.
  uint64_t opaque[UNSPOOL_ONPAIR_COLUMN_WORDS];
} UnspoolOnPairColumn;

// The parts of a column without a container. All integers in them are little-endian, at any
// alignment.
typedef struct UnspoolOnPairParts {
  // The bytes of the tokens, one after the other.
  const uint8_t *dictionary;
  // Their length.
  size_t dictionary_len;
  // The start of each token: one u32 more than there are tokens.
  const uint8_t *token_offsets;
  // Bytes of these.
  size_t token_offsets_len;
  // The codes.
  const uint8_t *codes;
  // Bytes of the codes.
  size_t codes_len;
  // The index of the first code of each row: one entry more than there are rows.
  const uint8_t *row_offsets;
  // Bytes of these.
  size_t row_offsets_len;
  // 1 to 16 if the codes are packed; 0 if each has two bytes.
  uint8_t code_bits;
  // 4 or 8: bytes of each row offset.
  uint8_t row_offset_width;
} UnspoolOnPairParts;

// The contents of a column.
typedef struct UnspoolOnPairInfo {
  // Rows.
  uint64_t rows;
  // Tokens of the dictionary.
  uint64_t tokens;
  // Codes.
  uint64_t codes;
  // Bytes of a workspace for `unspool_onpair_widen`.
  uint64_t workspace_len;
  // Bits of a code.
  uint32_t code_bits;
  // 1 if the dictionary is sorted and complete, which makes searches fast.
  uint8_t conforming;
} UnspoolOnPairInfo;

// A needle, prepared for one column, and the progress of its search.
typedef struct UnspoolOnPairSearch {
  // Private to the library.
  uint64_t opaque[UNSPOOL_ONPAIR_SEARCH_WORDS];
} UnspoolOnPairSearch;

// The rows that a search finds.
typedef uint8_t UnspoolOnPairMatch;

// An open standalone file. It borrows the bytes.
typedef struct UnspoolPcoFile {
  // Private to the library.
  uint64_t opaque[UNSPOOL_PCO_FILE_WORDS];
} UnspoolPcoFile;

// The type of numbers; the values are those in files.
typedef uint8_t UnspoolPcoType;

// The header of a file.
typedef struct UnspoolPcoInfo {
  // Numbers that the writer expected in the file; 0 if unknown. May be wrong.
  uint64_t n_hint;
  // Offset of the first chunk.
  uint64_t first_chunk;
  // The version of the standalone framing.
  uint8_t standalone_version;
  // The format version.
  uint8_t major;
  // The features that may occur in it.
  uint8_t minor;
  // The type of all chunks, if the file promises one, else 0.
  UnspoolPcoType uniform_type;
} UnspoolPcoInfo;

// A chunk.
typedef struct UnspoolPcoChunk {
  // Its numbers; 0 for the end of the file.
  size_t len;
  // Offset of its page in the file.
  uint64_t page_at;
  // 64-bit words of workspace for `unspool_pco_decode` and `unspool_pco_skip`, and for batches.
  uint64_t workspace_len;
  // The type of the numbers.
  UnspoolPcoType number_type;
  // Bytes of each number.
  uint8_t number_size;
} UnspoolPcoChunk;

// The modes and bins of a chunk. It borrows the bytes.
typedef struct UnspoolPcoMeta {
  // Private to the library.
  uint64_t opaque[UNSPOOL_PCO_META_WORDS];
} UnspoolPcoMeta;

// The result of decoding a whole file.
typedef struct UnspoolPcoDone {
  // Bytes of the output that are filled.
  size_t wrote;
  // Offset of the end of the file.
  uint64_t read;
  // Chunks.
  uint64_t chunks;
} UnspoolPcoDone;

// The way in which pages will be read. It decides the place of the history of lookbacks, and the
// layout of the tables.
typedef uint8_t UnspoolPcoPlan;

// A decoder of a page. Its functions exist for numbers of 8, 16, 32 and 64 bits; a program links
// only those that it calls.
typedef struct UnspoolPcoDecoder {
  // Private to the library.
  uint64_t opaque[UNSPOOL_PCO_DECODER_WORDS];
} UnspoolPcoDecoder;

// The contents of a file, by its headers and its index.
typedef struct UnspoolXzInfo {
  // Bytes that it decodes to.
  uint64_t content_size;
  // Bytes of window that a stream of this file needs.
  uint64_t stream_buffer;
  // Streams in a row.
  uint64_t streams;
  // Blocks in all streams.
  uint64_t blocks;
  // Blocks that have a check.
  uint64_t checks;
} UnspoolXzInfo;

// The result of a call that decodes.
typedef struct UnspoolXzDone {
  // Bytes of the input that were used.
  size_t read;
  // Bytes of the output that are filled.
  size_t wrote;
  // Their offset in the content.
  uint64_t content_start;
  // Checks that were compared and are equal.
  uint64_t checks;
} UnspoolXzDone;

// A decoder of a stream.
typedef struct UnspoolXzDecoder {
  // Private to the library.
  uint64_t opaque[UNSPOOL_XZ_DECODER_WORDS];
} UnspoolXzDecoder;

// One of the formats that share their magic numbers.
typedef uint8_t UnspoolZstdFlavour;

// The header of the frame at the start of a file.
typedef struct UnspoolZstdInfo {
  // Bytes of the frame header.
  size_t header_len;
  // The largest distance of a match.
  uint64_t window;
  // Bytes that the frame decodes to, if its header says so.
  uint64_t content_size;
  // Bytes of window that a stream of this frame needs.
  uint64_t stream_buffer;
  // The number of the dictionary; 0 if the header has none.
  uint32_t dictionary_id;
  // 1 if `content_size` is known.
  uint8_t has_content_size;
  // 1 if a checksum follows the content.
  uint8_t checksum;
  // 1 for a frame that decoders skip: `header_len` bytes, and `content_size` bytes after them.
  uint8_t skippable;
  // The detected format; RFC 8878 if the bytes fit none.
  UnspoolZstdFlavour flavour;
} UnspoolZstdInfo;

// The choices of a caller, if the defaults do not fit. All zeros are the defaults, and so is a
// null pointer.
typedef struct UnspoolZstdOptions {
  // The dictionary that the frames were compressed with: a trained one or plain bytes.
  const uint8_t *dictionary;
  // Bytes of the dictionary; 0 for none.
  size_t dictionary_len;
  // The format.
  UnspoolZstdFlavour flavour;
  // Not 0: the dictionary is plain bytes, whatever its first bytes are.
  uint8_t raw_dictionary;
  // Not 0: frames have no magic numbers.
  uint8_t magicless;
  // Not 0: checksums are neither computed nor compared.
  uint8_t skip_checksums;
} UnspoolZstdOptions;

// The result of decoding a whole file.
typedef struct UnspoolZstdDone {
  // Bytes of the input that were used: all of it.
  size_t read;
  // Bytes of the output that are filled. The bytes after them may have been used as scratch.
  size_t wrote;
  // Frames of data.
  uint64_t frames;
  // Checksums that were compared and are equal.
  uint64_t checksums;
} UnspoolZstdDone;

// The seek table at the end of a file.
typedef struct UnspoolZstdSeekInfo {
  // Frames that it lists.
  uint64_t frames;
  // Bytes that all of them decode to, according to the table.
  uint64_t content_size;
  // Bytes that the largest of them decodes to, according to the table.
  size_t room;
  // 1 if there is a table.
  uint8_t found;
} UnspoolZstdSeekInfo;

// A decoder of a stream.
typedef struct UnspoolZstdDecoder {
  // Private to the library.
  uint64_t opaque[UNSPOOL_ZSTD_DECODER_WORDS];
} UnspoolZstdDecoder;

// Tables for the formats of the streams in a file. Needs no initialisation, and no clearing
// between uses.
typedef struct UnspoolAt1Workspace {
  // Private to the library.
  uint64_t opaque[UNSPOOL_AT1_WORKSPACE_WORDS];
} UnspoolAt1Workspace;

// The code tables of a decoder. Needs no initialisation, and no clearing between uses.
typedef struct UnspoolGzipWorkspace {
  // Private to the library.
  uint64_t opaque[UNSPOOL_GZIP_WORKSPACE_WORDS];
} UnspoolGzipWorkspace;

// The probabilities of a decoder. Needs no initialisation, and no clearing between uses.
typedef struct UnspoolXzWorkspace {
  // Private to the library.
  uint64_t opaque[UNSPOOL_XZ_WORKSPACE_WORDS];
} UnspoolXzWorkspace;

// The tables of a decoder. Needs no initialisation, and no clearing between uses.
typedef struct UnspoolZstdWorkspace {
  // Private to the library.
  uint64_t opaque[UNSPOOL_ZSTD_WORKSPACE_WORDS];
} UnspoolZstdWorkspace;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the limits that a null pointer means: those for files that a person opens.
struct UnspoolLimits unspool_limits_default(void);

// Detects the format of a file by its first bytes. Eight bytes are always enough. If there are
// fewer and more could decide, `need` is how many, else 0. `need` may be null.
UnspoolFormat unspool_probe(const uint8_t *prefix, size_t prefix_len, size_t *need);

// Returns the version of this library, such as `0.1.0`.
const char *unspool_version(void);

// Returns the class of an error by its number; 0 for an unknown number.
UnspoolClass unspool_error_class(UnspoolErrorKind kind);

// Returns the name of an error, such as `ZstdChecksum`; empty for an unknown number, and in builds
// without the feature `messages`.
const char *unspool_error_name(UnspoolErrorKind kind);

// Returns the message of an error: what was expected. Empty for an unknown number, and in builds
// without the feature `messages`.
const char *unspool_error_message(UnspoolErrorKind kind);

// Returns the name of a class, such as `output too small`; empty for an unknown number.
const char *unspool_class_name(UnspoolClass class_);

// Returns the bytes of a workspace in this build: at most `UNSPOOL_AT1_WORKSPACE_SIZE`.
size_t unspool_at1_workspace_len(void);

// Reads the header and trailer of a whole file; decodes nothing.
UnspoolErrorKind unspool_at1_info(const uint8_t *src,
                                  size_t src_len,
                                  const struct UnspoolLimits *with_limits,
                                  struct UnspoolAt1Info *info,
                                  struct UnspoolError *error);

// Counts the bytes that a file decodes to. Reads everything as `unspool_at1_decode` does, but
// writes nothing.
UnspoolErrorKind unspool_at1_decoded_len(const uint8_t *src,
                                         size_t src_len,
                                         uint8_t *scratch,
                                         size_t scratch_len,
                                         void *space,
                                         size_t space_len,
                                         const struct UnspoolLimits *with_limits,
                                         uint64_t *len,
                                         struct UnspoolError *error);

// Decodes a whole file.
UnspoolErrorKind unspool_at1_decode(const uint8_t *src,
                                    size_t src_len,
                                    uint8_t *dst,
                                    size_t dst_len,
                                    uint8_t *scratch,
                                    size_t scratch_len,
                                    void *space,
                                    size_t space_len,
                                    const struct UnspoolLimits *with_limits,
                                    struct UnspoolAt1Done *done,
                                    struct UnspoolError *error);

// Decodes a whole file to a function that takes it piece by piece, if there is no memory for all
// of it.
//
// The format cannot stream further than that: the parts of a line are all over the file.
UnspoolErrorKind unspool_at1_decode_to(const uint8_t *src,
                                       size_t src_len,
                                       UnspoolAt1Write write,
                                       void *context,
                                       uint8_t *scratch,
                                       size_t scratch_len,
                                       void *space,
                                       size_t space_len,
                                       const struct UnspoolLimits *with_limits,
                                       struct UnspoolAt1Done *done,
                                       struct UnspoolError *error);

// Starts a query with the first bytes of a file. If they are too few, the error is of the class
// `TRUNCATED`, and its `need` is how many there must be. If terms or scratch are too small, it is
// of the class `WORKSPACE_TOO_SMALL`. Then call again with more.
//
// The query borrows terms, scratch and workspace until it is no longer used, and also the names
// and values that the request points to. It takes a term for each condition and each column.
// Request, conditions, columns and the first bytes of the file are free after the call.
UnspoolErrorKind unspool_at1_query_init(struct UnspoolAt1Query *query,
                                        const struct UnspoolAt1Request *request,
                                        struct UnspoolAt1Term *terms,
                                        size_t terms_len,
                                        const uint8_t *head,
                                        size_t head_len,
                                        uint8_t *scratch,
                                        size_t scratch_len,
                                        void *space,
                                        size_t space_len,
                                        const struct UnspoolLimits *with_limits,
                                        struct UnspoolError *error);

// Lends a query a longer scratch, after a step asked for it. The state of the query is copied, and
// the last scratch is free.
UnspoolErrorKind unspool_at1_query_lend(struct UnspoolAt1Query *query,
                                        uint8_t *scratch,
                                        size_t scratch_len,
                                        struct UnspoolError *error);

// Reads bytes of the file from byte `at` on, up to the next row that meets all conditions, and
// reports why it stopped.
//
// The first call needs no bytes. Bytes must include those that the last step asked for, or the
// first of the blocks in them. They may be more, up to the whole file: any amount with room for
// one block works. After a row, pass the same bytes again. An error that is not about the scratch
// ends the query. `next` is written only if there is no error.
//
// Bytes without the first of the blocks are not read, and the same are requested again. Stop if
// the file has no more of them.
UnspoolErrorKind unspool_at1_query_step(struct UnspoolAt1Query *query,
                                        uint64_t at,
                                        const uint8_t *bytes,
                                        size_t bytes_len,
                                        struct UnspoolAt1Next *next,
                                        struct UnspoolError *error);

// A value of the current row, byte for byte as in the file. It is in the scratch until the next
// step.
UnspoolErrorKind unspool_at1_query_value(const struct UnspoolAt1Query *query,
                                         size_t i,
                                         const uint8_t **value,
                                         size_t *value_len,
                                         struct UnspoolError *error);

// The line of the current row, unchanged, without a line feed. Only for `UNSPOOL_AT1_ROWS`.
UnspoolErrorKind unspool_at1_query_line(const struct UnspoolAt1Query *query,
                                        uint8_t *dst,
                                        size_t dst_len,
                                        size_t *wrote,
                                        struct UnspoolError *error);

// Returns the results so far, other than rows.
UnspoolErrorKind unspool_at1_query_answer(const struct UnspoolAt1Query *query,
                                          struct UnspoolAt1Answer *so_far,
                                          struct UnspoolError *error);

// Returns the share of the file that was read so far.
UnspoolErrorKind unspool_at1_query_stats(const struct UnspoolAt1Query *query,
                                         struct UnspoolAt1Stats *stats,
                                         struct UnspoolError *error);

// Returns the bytes of the header at the start of a file, from its first 13. `unspool_cvc_open`
// needs those bytes, and `unspool_cvc_init` a workspace of that size, plus the payload of a chunk
// for columns that are stored lossless.
UnspoolErrorKind unspool_cvc_workspace_len(const uint8_t *prefix,
                                           size_t prefix_len,
                                           const struct UnspoolLimits *with_limits,
                                           uint64_t *len,
                                           struct UnspoolError *error);

// Parses the header, from the whole file or from the bytes that `unspool_cvc_workspace_len` says.
// The file borrows the bytes, and so do columns and plans that are made from it.
UnspoolErrorKind unspool_cvc_open(struct UnspoolCvcFile *file,
                                  const uint8_t *bytes,
                                  size_t bytes_len,
                                  const struct UnspoolLimits *with_limits,
                                  struct UnspoolError *error);

// Returns the header of a file.
UnspoolErrorKind unspool_cvc_info(const struct UnspoolCvcFile *file,
                                  struct UnspoolCvcInfo *info,
                                  struct UnspoolError *error);

// Finds the column with this number, from 0. Reads the schema up to there: in a file of very many
// columns, finding them by name is faster.
UnspoolErrorKind unspool_cvc_column(struct UnspoolCvcColumn *column,
                                    const struct UnspoolCvcFile *file,
                                    uint64_t number,
                                    struct UnspoolError *error);

// Finds the column of this name. If two have the same name, the last counts.
UnspoolErrorKind unspool_cvc_column_named(struct UnspoolCvcColumn *column,
                                          const struct UnspoolCvcFile *file,
                                          const uint8_t *name,
                                          size_t name_len,
                                          struct UnspoolError *error);

// Returns a column, according to the schema.
UnspoolErrorKind unspool_cvc_column_info(const struct UnspoolCvcColumn *column,
                                         struct UnspoolCvcColumnInfo *info,
                                         struct UnspoolError *error);

// Writes the name of a column as UTF-8, without a zero byte, and returns its length. If the space
// is too small, only the length is written.
UnspoolErrorKind unspool_cvc_column_name(const struct UnspoolCvcColumn *column,
                                         uint8_t *name,
                                         size_t name_len,
                                         size_t *len,
                                         struct UnspoolError *error);

// Decodes the rows from `first_row` to before `end_row` to little-endian bytes of the type in the
// column's info. `bytes` is the whole file.
UnspoolErrorKind unspool_cvc_decode(const struct UnspoolCvcColumn *column,
                                    const uint8_t *bytes,
                                    size_t bytes_len,
                                    uint64_t first_row,
                                    uint64_t end_row,
                                    UnspoolCvcCrc check,
                                    uint8_t *dst,
                                    size_t dst_len,
                                    struct UnspoolCvcDone *done,
                                    struct UnspoolError *error);

// Decodes the rows from `first_row` to before `end_row` to f32, from any stored type. Integers
// beyond 2^24 are rounded.
UnspoolErrorKind unspool_cvc_decode_f32(const struct UnspoolCvcColumn *column,
                                        const uint8_t *bytes,
                                        size_t bytes_len,
                                        uint64_t first_row,
                                        uint64_t end_row,
                                        UnspoolCvcCrc check,
                                        float *values,
                                        size_t values_len,
                                        struct UnspoolCvcDone *done,
                                        struct UnspoolError *error);

// Starts a stream of the column of this name, or of the only one if the name is null. The decoder
// borrows workspace and name until it is no longer used; `unspool_cvc_workspace_len` returns the
// size of the workspace.
UnspoolErrorKind unspool_cvc_init(struct UnspoolCvcDecoder *decoder,
                                  uint8_t *space,
                                  size_t space_len,
                                  const uint8_t *column,
                                  size_t column_len,
                                  UnspoolCvcCrc check,
                                  const struct UnspoolLimits *with_limits,
                                  struct UnspoolError *error);

// Reads `src` and writes `dst`, as far as both allow: little-endian bytes of the type that
// `unspool_cvc_output` returns. An error stays.
//
// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
// with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_cvc_step(struct UnspoolCvcDecoder *decoder,
                                  const uint8_t *src,
                                  size_t src_len,
                                  UnspoolEnd at_end,
                                  uint8_t *dst,
                                  size_t dst_len,
                                  struct UnspoolStep *step,
                                  struct UnspoolError *error);

// Returns the checksums of a stream so far. `wrote` is 0, because each step returns it.
UnspoolErrorKind unspool_cvc_counts(const struct UnspoolCvcDecoder *decoder,
                                    struct UnspoolCvcDone *so_far,
                                    struct UnspoolError *error);

// Returns the type of the values of a stream; unknown until its header is read.
UnspoolCvcDtype unspool_cvc_output(const struct UnspoolCvcDecoder *decoder);

// Finds the next section that the header lists, from the number `*number` on, which becomes the
// number after it. With a key, only sections count whose metadata has this value there: a number,
// `true`, `false` or `null` if it reads like one, else text; with `as_text` always text.
//
// Each call reads the list from its start: n calls for n sections take n * n / 2 steps. With a
// key, one call skips all sections that do not match.
UnspoolErrorKind unspool_cvc_section(const struct UnspoolCvcFile *file,
                                     const uint8_t *key,
                                     size_t key_len,
                                     const uint8_t *value,
                                     size_t value_len,
                                     uint8_t as_text,
                                     uint64_t *number,
                                     struct UnspoolCvcSection *section,
                                     struct UnspoolError *error);

// Starts to name the bytes that the rows from `first_row` to before `end_row` need, for a caller
// who fetches only those.
UnspoolErrorKind unspool_cvc_plan_init(struct UnspoolCvcPlan *plan,
                                       const struct UnspoolCvcColumn *column,
                                       uint64_t first_row,
                                       uint64_t end_row,
                                       struct UnspoolError *error);

// Returns the bytes to fetch next.
UnspoolErrorKind unspool_cvc_plan_next(struct UnspoolCvcPlan *plan,
                                       struct UnspoolCvcNeed *need,
                                       struct UnspoolError *error);

// Answers `UNSPOOL_CVC_NEED_LENGTH` with the bytes that were requested.
UnspoolErrorKind unspool_cvc_plan_feed(struct UnspoolCvcPlan *plan,
                                       const uint8_t *length,
                                       size_t length_len,
                                       struct UnspoolError *error);

// Decodes the rows that `unspool_cvc_plan_next` named last to f32. `bytes` are those from `start`
// to `end`, which are verified, or those from `data_start` to `data_end`, which cannot be.
UnspoolErrorKind unspool_cvc_plan_decode_f32(struct UnspoolCvcPlan *plan,
                                             const uint8_t *bytes,
                                             size_t bytes_len,
                                             UnspoolCvcCrc check,
                                             float *values,
                                             size_t values_len,
                                             struct UnspoolCvcDone *done,
                                             struct UnspoolError *error);

// Returns the values that `unspool_cvc_plan_next` named last, as they are stored, without a copy:
// the result points into `bytes`. Lossless values are not stored one after the other, so they are
// an error.
UnspoolErrorKind unspool_cvc_plan_raw(struct UnspoolCvcPlan *plan,
                                      const uint8_t *bytes,
                                      size_t bytes_len,
                                      UnspoolCvcCrc check,
                                      const uint8_t **values,
                                      size_t *values_len,
                                      struct UnspoolCvcDone *done,
                                      struct UnspoolError *error);

// Returns the bytes of a workspace in this build: at most `UNSPOOL_GZIP_WORKSPACE_SIZE`.
size_t unspool_gzip_workspace_len(void);

// Counts the contents of a whole file. A file may lie about its size, so it is decoded through a
// window of `UNSPOOL_GZIP_WINDOW_SIZE` bytes, and its checksums are compared.
UnspoolErrorKind unspool_gzip_info(const uint8_t *src,
                                   size_t src_len,
                                   void *space,
                                   size_t space_len,
                                   uint8_t *window,
                                   size_t window_len,
                                   const struct UnspoolLimits *with_limits,
                                   struct UnspoolGzipInfo *info,
                                   struct UnspoolError *error);

// Decodes a whole file, all of its members. The output is the only window.
UnspoolErrorKind unspool_gzip_decode(const uint8_t *src,
                                     size_t src_len,
                                     uint8_t *dst,
                                     size_t dst_len,
                                     void *space,
                                     size_t space_len,
                                     const struct UnspoolLimits *with_limits,
                                     uint8_t skip_checks,
                                     struct UnspoolGzipDone *done,
                                     struct UnspoolError *error);

// Starts a stream. The decoder borrows workspace and window until it is no longer used. The window
// has `UNSPOOL_GZIP_WINDOW_SIZE` bytes.
UnspoolErrorKind unspool_gzip_init(struct UnspoolGzipDecoder *decoder,
                                   void *space,
                                   size_t space_len,
                                   uint8_t *window,
                                   size_t window_len,
                                   const struct UnspoolLimits *with_limits,
                                   uint8_t skip_checks,
                                   struct UnspoolError *error);

// Reads `src` and writes `dst`, as far as both allow. An error stays.
//
// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
// with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_gzip_step(struct UnspoolGzipDecoder *decoder,
                                   const uint8_t *src,
                                   size_t src_len,
                                   UnspoolEnd at_end,
                                   uint8_t *dst,
                                   size_t dst_len,
                                   struct UnspoolStep *step,
                                   struct UnspoolError *error);

// Reads a container. The column borrows the bytes.
UnspoolErrorKind unspool_onpair_open(struct UnspoolOnPairColumn *column,
                                     const uint8_t *bytes,
                                     size_t bytes_len,
                                     const struct UnspoolLimits *with_limits,
                                     struct UnspoolError *error);

// Builds a column from its parts. The column borrows the bytes that the parts point to, not the
// struct.
UnspoolErrorKind unspool_onpair_open_parts(struct UnspoolOnPairColumn *column,
                                           const struct UnspoolOnPairParts *parts,
                                           const struct UnspoolLimits *with_limits,
                                           struct UnspoolError *error);

// Returns the contents of a column.
UnspoolErrorKind unspool_onpair_info(const struct UnspoolOnPairColumn *column,
                                     struct UnspoolOnPairInfo *info,
                                     struct UnspoolError *error);

// Returns the bytes that `unspool_onpair_widen` needs; 0 for a struct that holds no column.
uint64_t unspool_onpair_workspace_len(const struct UnspoolOnPairColumn *column);

// Decodes the column through a wide copy of its dictionary from now on. The column borrows this
// memory. The output is the same, only faster: worth it for more than a few thousand rows. Memory
// at a multiple of 16 bytes is read fastest.
UnspoolErrorKind unspool_onpair_widen(struct UnspoolOnPairColumn *column,
                                      void *memory,
                                      size_t memory_len,
                                      struct UnspoolError *error);

// Counts the bytes that the rows from `first_row` to before `end_row` decode to.
UnspoolErrorKind unspool_onpair_decoded_len(const struct UnspoolOnPairColumn *column,
                                            uint64_t first_row,
                                            uint64_t end_row,
                                            uint64_t *len,
                                            struct UnspoolError *error);

// Decodes the rows from `first_row` to before `end_row`, one after the other. If the output is
// longer, up to 16 bytes after them may be overwritten.
UnspoolErrorKind unspool_onpair_decode(const struct UnspoolOnPairColumn *column,
                                       uint64_t first_row,
                                       uint64_t end_row,
                                       uint8_t *dst,
                                       size_t dst_len,
                                       size_t *wrote,
                                       struct UnspoolError *error);

// Decodes one row. If the output is longer, up to 16 bytes after it may be overwritten.
UnspoolErrorKind unspool_onpair_row(const struct UnspoolOnPairColumn *column,
                                    uint64_t row,
                                    uint8_t *dst,
                                    size_t dst_len,
                                    size_t *wrote,
                                    struct UnspoolError *error);

// Returns the bytes of a row.
UnspoolErrorKind unspool_onpair_row_len(const struct UnspoolOnPairColumn *column,
                                        uint64_t row,
                                        uint64_t *len,
                                        struct UnspoolError *error);

// Decodes whole rows from `*row` on, as many as fit in the output, up to before `end_row`; `*row`
// becomes the first that did not fit. `read` of the step counts rows. If the first row does not
// fit, the error has its length.
UnspoolErrorKind unspool_onpair_step(const struct UnspoolOnPairColumn *column,
                                     uint64_t *row,
                                     uint64_t end_row,
                                     uint8_t *dst,
                                     size_t dst_len,
                                     struct UnspoolStep *step,
                                     struct UnspoolError *error);

// Prepares a search. It borrows the column, its struct, the needle and the memory.
//
// Only `UNSPOOL_ONPAIR_CONTAINS` needs memory: in `fallback` an entry for each byte of the needle,
// and for speed in `tokens` one for each token.
UnspoolErrorKind unspool_onpair_search_init(struct UnspoolOnPairSearch *search,
                                            const struct UnspoolOnPairColumn *column,
                                            UnspoolOnPairMatch kind,
                                            const uint8_t *needle,
                                            size_t needle_len,
                                            uint32_t *fallback,
                                            size_t fallback_len,
                                            uint8_t *tokens,
                                            size_t tokens_len,
                                            struct UnspoolError *error);

// Returns 1 if a row matches, else 0.
UnspoolErrorKind unspool_onpair_search_matches(const struct UnspoolOnPairSearch *search,
                                               uint64_t row,
                                               uint8_t *matches,
                                               struct UnspoolError *error);

// Returns the next row that matches, in ascending order, with 1 in `found`; 0 if there are no
// more. An error ends the search.
UnspoolErrorKind unspool_onpair_search_next(struct UnspoolOnPairSearch *search,
                                            uint64_t *row,
                                            uint8_t *found,
                                            struct UnspoolError *error);

// Reads the header of a standalone file. The file borrows the bytes, and so does the metadata of
// its chunks.
UnspoolErrorKind unspool_pco_open(struct UnspoolPcoFile *file,
                                  const uint8_t *bytes,
                                  size_t bytes_len,
                                  const struct UnspoolLimits *with_limits,
                                  struct UnspoolError *error);

// Returns the header of a file.
UnspoolErrorKind unspool_pco_info(const struct UnspoolPcoFile *file,
                                  struct UnspoolPcoInfo *info,
                                  struct UnspoolError *error);

// Reads the chunk at this offset, and if `meta` is not null, its modes and bins.
UnspoolErrorKind unspool_pco_chunk(const struct UnspoolPcoFile *file,
                                   uint64_t at,
                                   struct UnspoolPcoChunk *chunk,
                                   struct UnspoolPcoMeta *meta,
                                   struct UnspoolError *error);

// Decodes the chunk at this offset to little-endian numbers; `next` becomes the offset of the next
// one. Faster if `dst` is aligned like the numbers. `words` has as many 64-bit words as
// `workspace_len` of the chunk says.
UnspoolErrorKind unspool_pco_decode(const struct UnspoolPcoFile *file,
                                    uint64_t at,
                                    void *dst,
                                    size_t dst_len,
                                    uint64_t *words,
                                    size_t words_len,
                                    uint64_t *next,
                                    struct UnspoolError *error);

// Finds the offset after the chunk at this offset, faster than its numbers could be decoded.
UnspoolErrorKind unspool_pco_skip(const struct UnspoolPcoFile *file,
                                  uint64_t at,
                                  uint64_t *words,
                                  size_t words_len,
                                  uint64_t *next,
                                  struct UnspoolError *error);

// Decodes all chunks of a file to little-endian numbers. If there are no words, the `need` of the
// error is how many the first chunk needs; others may need more.
UnspoolErrorKind unspool_pco_decode_file(const uint8_t *bytes,
                                         size_t bytes_len,
                                         void *dst,
                                         size_t dst_len,
                                         uint64_t *words,
                                         size_t words_len,
                                         const struct UnspoolLimits *with_limits,
                                         struct UnspoolPcoDone *done,
                                         struct UnspoolError *error);

// Reads the header of the wrapped format: one byte, or two since version 4; `len` becomes how
// many.
UnspoolErrorKind unspool_pco_version(const uint8_t *bytes,
                                     size_t bytes_len,
                                     uint8_t *major,
                                     uint8_t *minor,
                                     size_t *len,
                                     struct UnspoolError *error);

// Reads the chunk metadata of the wrapped format, for a type and a version that are stored
// elsewhere; `len` becomes its length in bytes. The metadata borrows the bytes.
UnspoolErrorKind unspool_pco_meta(struct UnspoolPcoMeta *meta,
                                  const uint8_t *bytes,
                                  size_t bytes_len,
                                  UnspoolPcoType number_type,
                                  uint8_t major,
                                  const struct UnspoolLimits *with_limits,
                                  size_t *len,
                                  struct UnspoolError *error);

// Returns the 64-bit words of workspace for pages of at most `n` numbers; 0 for a struct that
// holds no metadata. With `UNSPOOL_PCO_BATCHES` it is enough for either plan.
uint64_t unspool_pco_workspace_len(const struct UnspoolPcoMeta *meta, size_t n, UnspoolPcoPlan with);

// Builds the tables for pages of at most `n` numbers of 8 bits. The decoder borrows metadata and
// words, and the struct of the metadata.
UnspoolErrorKind unspool_pco_init_8(struct UnspoolPcoDecoder *decoder,
                                    const struct UnspoolPcoMeta *meta,
                                    size_t n,
                                    UnspoolPcoPlan with,
                                    uint64_t *words,
                                    size_t words_len,
                                    struct UnspoolError *error);

// Starts a page of `n` numbers of 8 bits with the next input; offsets in errors count from `at`.
UnspoolErrorKind unspool_pco_start_8(struct UnspoolPcoDecoder *decoder,
                                     size_t n,
                                     uint64_t at,
                                     struct UnspoolError *error);

// Decodes whole batches of 256 numbers of 8 bits, as long as input and output allow. If the output
// is shorter than a batch and than the rest of the page, nothing is decoded:
// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
// than 7488.
//
// Wait for more bytes or the end: a second call in a row that has no more to work with than the
// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_pco_step_8(struct UnspoolPcoDecoder *decoder,
                                    const uint8_t *src,
                                    size_t src_len,
                                    UnspoolEnd at_end,
                                    uint8_t *numbers,
                                    size_t numbers_len,
                                    struct UnspoolStep *told,
                                    struct UnspoolError *error);

// Builds the tables for pages of at most `n` numbers of 16 bits. The decoder borrows metadata and
// words, and the struct of the metadata.
UnspoolErrorKind unspool_pco_init_16(struct UnspoolPcoDecoder *decoder,
                                     const struct UnspoolPcoMeta *meta,
                                     size_t n,
                                     UnspoolPcoPlan with,
                                     uint64_t *words,
                                     size_t words_len,
                                     struct UnspoolError *error);

// Starts a page of `n` numbers of 16 bits with the next input; offsets in errors count from `at`.
UnspoolErrorKind unspool_pco_start_16(struct UnspoolPcoDecoder *decoder,
                                      size_t n,
                                      uint64_t at,
                                      struct UnspoolError *error);

// Decodes whole batches of 256 numbers of 16 bits, as long as input and output allow. If the
// output is shorter than a batch and than the rest of the page, nothing is decoded:
// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
// than 7488.
//
// Wait for more bytes or the end: a second call in a row that has no more to work with than the
// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_pco_step_16(struct UnspoolPcoDecoder *decoder,
                                     const uint8_t *src,
                                     size_t src_len,
                                     UnspoolEnd at_end,
                                     uint16_t *numbers,
                                     size_t numbers_len,
                                     struct UnspoolStep *told,
                                     struct UnspoolError *error);

// Builds the tables for pages of at most `n` numbers of 32 bits. The decoder borrows metadata and
// words, and the struct of the metadata.
UnspoolErrorKind unspool_pco_init_32(struct UnspoolPcoDecoder *decoder,
                                     const struct UnspoolPcoMeta *meta,
                                     size_t n,
                                     UnspoolPcoPlan with,
                                     uint64_t *words,
                                     size_t words_len,
                                     struct UnspoolError *error);

// Starts a page of `n` numbers of 32 bits with the next input; offsets in errors count from `at`.
UnspoolErrorKind unspool_pco_start_32(struct UnspoolPcoDecoder *decoder,
                                      size_t n,
                                      uint64_t at,
                                      struct UnspoolError *error);

// Decodes whole batches of 256 numbers of 32 bits, as long as input and output allow. If the
// output is shorter than a batch and than the rest of the page, nothing is decoded:
// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
// than 7488.
//
// Wait for more bytes or the end: a second call in a row that has no more to work with than the
// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_pco_step_32(struct UnspoolPcoDecoder *decoder,
                                     const uint8_t *src,
                                     size_t src_len,
                                     UnspoolEnd at_end,
                                     uint32_t *numbers,
                                     size_t numbers_len,
                                     struct UnspoolStep *told,
                                     struct UnspoolError *error);

// Builds the tables for pages of at most `n` numbers of 64 bits. The decoder borrows metadata and
// words, and the struct of the metadata.
UnspoolErrorKind unspool_pco_init_64(struct UnspoolPcoDecoder *decoder,
                                     const struct UnspoolPcoMeta *meta,
                                     size_t n,
                                     UnspoolPcoPlan with,
                                     uint64_t *words,
                                     size_t words_len,
                                     struct UnspoolError *error);

// Starts a page of `n` numbers of 64 bits with the next input; offsets in errors count from `at`.
UnspoolErrorKind unspool_pco_start_64(struct UnspoolPcoDecoder *decoder,
                                      size_t n,
                                      uint64_t at,
                                      struct UnspoolError *error);

// Decodes whole batches of 256 numbers of 64 bits, as long as input and output allow. If the
// output is shorter than a batch and than the rest of the page, nothing is decoded:
// `UNSPOOL_STATUS_NEED_OUTPUT`. Pass unused bytes again, with more after them; no batch takes more
// than 7488.
//
// Wait for more bytes or the end: a second call in a row that has no more to work with than the
// first ends the page with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_pco_step_64(struct UnspoolPcoDecoder *decoder,
                                     const uint8_t *src,
                                     size_t src_len,
                                     UnspoolEnd at_end,
                                     uint64_t *numbers,
                                     size_t numbers_len,
                                     struct UnspoolStep *told,
                                     struct UnspoolError *error);

// Returns the bytes of a workspace in this build: at most `UNSPOOL_XZ_WORKSPACE_SIZE`.
size_t unspool_xz_workspace_len(void);

// Reads the headers and the index of a whole file. Compares all sizes; decodes nothing.
UnspoolErrorKind unspool_xz_info(const uint8_t *src,
                                 size_t src_len,
                                 void *space,
                                 size_t space_len,
                                 const struct UnspoolLimits *with_limits,
                                 struct UnspoolXzInfo *info,
                                 struct UnspoolError *error);

// Returns the bytes that a file decodes to, by its indexes. Reads nothing else, so a file may lie.
UnspoolErrorKind unspool_xz_decoded_size(const uint8_t *src,
                                         size_t src_len,
                                         const struct UnspoolLimits *with_limits,
                                         uint64_t *size,
                                         struct UnspoolError *error);

// Decodes a whole file: any number of streams, or with `one_stream` exactly one. The output is the
// only window. `UNSPOOL_XZ_TABLES_SIZE` bytes of workspace do, and `UNSPOOL_XZ_CONTEXT_SIZE` more
// for each context; if a file has more contexts, the `need` of the error is the size.
UnspoolErrorKind unspool_xz_decode(const uint8_t *src,
                                   size_t src_len,
                                   uint8_t *dst,
                                   size_t dst_len,
                                   void *space,
                                   size_t space_len,
                                   const struct UnspoolLimits *with_limits,
                                   uint8_t one_stream,
                                   uint8_t skip_checks,
                                   struct UnspoolXzDone *done,
                                   struct UnspoolError *error);

// Decodes only the block that holds this position of the content; `content_start` of the result is
// the start of the block. A position after the end is an error.
UnspoolErrorKind unspool_xz_decode_block(const uint8_t *src,
                                         size_t src_len,
                                         uint64_t position,
                                         uint8_t *dst,
                                         size_t dst_len,
                                         void *space,
                                         size_t space_len,
                                         const struct UnspoolLimits *with_limits,
                                         uint8_t skip_checks,
                                         struct UnspoolXzDone *done,
                                         struct UnspoolError *error);

// Starts a stream: any number of xz streams, or with `one_stream` exactly one. The decoder borrows
// workspace and window until it is no longer used. The size of the window is `stream_buffer` of
// `UnspoolXzInfo`. If a block needs more, the `need` of its error is the size.
UnspoolErrorKind unspool_xz_init(struct UnspoolXzDecoder *decoder,
                                 void *space,
                                 size_t space_len,
                                 uint8_t *window,
                                 size_t window_len,
                                 const struct UnspoolLimits *with_limits,
                                 uint8_t one_stream,
                                 uint8_t skip_checks,
                                 struct UnspoolError *error);

// Reads `src` and writes `dst`, as far as both allow. An error stays, except that of a window that
// is too small: see `unspool_xz_lend`.
//
// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
// with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_xz_step(struct UnspoolXzDecoder *decoder,
                                 const uint8_t *src,
                                 size_t src_len,
                                 UnspoolEnd at_end,
                                 uint8_t *dst,
                                 size_t dst_len,
                                 struct UnspoolStep *step,
                                 struct UnspoolError *error);

// Lends another window, after the error `UNSPOOL_ERROR_XZ_WINDOW_BUFFER` of a step, whose `need`
// is the least size. The last window is free. At any other time the window is in use: it stays,
// and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
UnspoolErrorKind unspool_xz_lend(struct UnspoolXzDecoder *decoder,
                                 uint8_t *window,
                                 size_t window_len,
                                 struct UnspoolError *error);

// Returns the bytes of a workspace in this build: at most `UNSPOOL_ZSTD_WORKSPACE_SIZE`.
size_t unspool_zstd_workspace_len(void);

// Reads the frame header at the start of a file. The first 18 bytes are always enough. Only the
// whole file distinguishes a draft frame from others.
UnspoolErrorKind unspool_zstd_info(const uint8_t *src,
                                   size_t src_len,
                                   struct UnspoolZstdInfo *info,
                                   struct UnspoolError *error);

// Counts the bytes that a file decodes to. Reads all sequences, but writes nothing and needs no
// output.
UnspoolErrorKind unspool_zstd_decoded_size(const uint8_t *src,
                                           size_t src_len,
                                           void *space,
                                           size_t space_len,
                                           const struct UnspoolLimits *with_limits,
                                           const struct UnspoolZstdOptions *with_options,
                                           uint64_t *size,
                                           struct UnspoolError *error);

// Decodes a whole file: any number of frames. The output is the only window.
UnspoolErrorKind unspool_zstd_decode(const uint8_t *src,
                                     size_t src_len,
                                     uint8_t *dst,
                                     size_t dst_len,
                                     void *space,
                                     size_t space_len,
                                     const struct UnspoolLimits *with_limits,
                                     const struct UnspoolZstdOptions *with_options,
                                     struct UnspoolZstdDone *done,
                                     struct UnspoolError *error);

// Reads the seek table of a file in the seekable format. A file without one is no error: `found`
// is 0.
UnspoolErrorKind unspool_zstd_seek_info(const uint8_t *src,
                                        size_t src_len,
                                        const struct UnspoolLimits *with_limits,
                                        struct UnspoolZstdSeekInfo *info,
                                        struct UnspoolError *error);

// Decodes the bytes from `first` to before `end` of the content of a file in the seekable format,
// from the frames that hold them. A frame that is needed in part is decoded in `room`. If that is
// smaller than the largest of these frames, the error is of the class `WORKSPACE_TOO_SMALL`;
// `room` of `UnspoolZstdSeekInfo` is always enough.
UnspoolErrorKind unspool_zstd_decode_part(const uint8_t *src,
                                          size_t src_len,
                                          uint64_t first,
                                          uint64_t end,
                                          uint8_t *dst,
                                          size_t dst_len,
                                          uint8_t *room,
                                          size_t room_len,
                                          void *space,
                                          size_t space_len,
                                          const struct UnspoolLimits *with_limits,
                                          const struct UnspoolZstdOptions *with_options,
                                          size_t *wrote,
                                          struct UnspoolError *error);

// Starts a stream. The decoder borrows workspace, window and dictionary until it is no longer
// used. The size of the window is `stream_buffer` of `UnspoolZstdInfo`.
UnspoolErrorKind unspool_zstd_init(struct UnspoolZstdDecoder *decoder,
                                   void *space,
                                   size_t space_len,
                                   uint8_t *window,
                                   size_t window_len,
                                   const struct UnspoolLimits *with_limits,
                                   const struct UnspoolZstdOptions *with_options,
                                   struct UnspoolError *error);

// Reads `src` and writes `dst`, as far as both allow. An error stays, except that of a window that
// is too small: see `unspool_zstd_lend`.
//
// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
// with `UNSPOOL_ERROR_NO_PROGRESS`.
UnspoolErrorKind unspool_zstd_step(struct UnspoolZstdDecoder *decoder,
                                   const uint8_t *src,
                                   size_t src_len,
                                   UnspoolEnd at_end,
                                   uint8_t *dst,
                                   size_t dst_len,
                                   struct UnspoolStep *step,
                                   struct UnspoolError *error);

// Returns the frames of data that a stream has completed, and those of their checksums that were
// compared and are equal.
UnspoolErrorKind unspool_zstd_counts(const struct UnspoolZstdDecoder *decoder,
                                     uint64_t *frames,
                                     uint64_t *checksums,
                                     struct UnspoolError *error);

// Lends another window, after the error `UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER` of a step, whose `need`
// is the least size. The last window is free. At any other time the window is in use: it stays,
// and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
UnspoolErrorKind unspool_zstd_lend(struct UnspoolZstdDecoder *decoder,
                                   uint8_t *window,
                                   size_t window_len,
                                   struct UnspoolError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UNSPOOL_H */

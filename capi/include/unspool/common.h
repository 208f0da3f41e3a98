/**
 * @file
 * unspool: decodes compressed columns and byte streams into memory of the caller.
 *
 * Nothing is allocated, and there are no globals. The size of an opaque struct is a constant, so
 * it may be in .bss. Memory that was lent to one (input, workspace, window, other structs) must
 * stay valid while the struct is used.
 *
 * Each function that can fail returns 0 (UNSPOOL_OK) or the number of an error, and writes the
 * details to `error`. That may be null, and so may every pointer to a result. A pointer to bytes
 * may be null if its length is 0. All lengths are in bytes, unless they say otherwise.
 *
 * Structs of options start with their size, `sizeof` of them. All other members may be zero.
 *
 * Memory that a call writes to (output, workspace, window, scratch, opaque structs) must not
 * overlap any other that it uses, nor what was lent to its struct: that is the error
 * UNSPOOL_ERROR_OVERLAP. Then only `error` is written, and `read`, `wrote` and `status` of a step.
 * Results such as `done`, steps, options, limits and stores must not be inside that memory. This is
 * not checked.
 *
 * Archives for bare devices have no functions for gzip: its inflater needs a panic handler, as
 * hosted programs have.
 *
 * Generated from capi/src by `cargo xtask header`. Define UNSPOOL_SMALL for archives that were
 * built with the feature `small`.
 */
#ifndef UNSPOOL_COMMON_H
#define UNSPOOL_COMMON_H

#include <stddef.h>
#include <stdint.h>

#if !defined(UNSPOOL_32_BIT) && UINTPTR_MAX <= 0xFFFFFFFFu
/** Pointers have 32 bits. */
#define UNSPOOL_32_BIT
#endif

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(void *) == sizeof(size_t), "unspool needs pointers as wide as sizes");
#endif

/** The version of this header: a million for each major one, a thousand for each minor one. */
#define UNSPOOL_VERSION 1000u

#if defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT)
/** The layout of this header: a hash of its declarations, and two bits for the build. */
#define UNSPOOL_LAYOUT 0x171E5327u
#elif defined(UNSPOOL_SMALL)
/** The layout of this header: a hash of its declarations, and two bits for the build. */
#define UNSPOOL_LAYOUT 0x171E5325u
#elif defined(UNSPOOL_32_BIT)
/** The layout of this header: a hash of its declarations, and two bits for the build. */
#define UNSPOOL_LAYOUT 0x171E5326u
#else
/** The layout of this header: a hash of its declarations, and two bits for the build. */
#define UNSPOOL_LAYOUT 0x171E5324u
#endif

/** Returns 0 if this header and the archive belong together, else UNSPOOL_ERROR_WRONG_HEADER. */
#define unspool_check() unspool_check_header(UNSPOOL_VERSION, UNSPOOL_LAYOUT)

/*
 * Only archives with the feature `small` have these names. Others would write beyond the small
 * structs.
 */
#if defined(UNSPOOL_SMALL)
#define unspool_pco_init_8 unspool_small_pco_init_8
#define unspool_pco_init_16 unspool_small_pco_init_16
#define unspool_pco_init_32 unspool_small_pco_init_32
#define unspool_pco_init_64 unspool_small_pco_init_64
#define unspool_pco_init_int_16 unspool_small_pco_init_int_16
#define unspool_pco_init_int_32 unspool_small_pco_init_int_32
#define unspool_pco_init_int_64 unspool_small_pco_init_int_64
#define unspool_onpair_search_init unspool_small_onpair_search_init
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** No error. The numbers of errors are those of the Rust library: they never change. */
#define UNSPOOL_OK 0u

/** The input ends here, and the format goes on. */
#define UNSPOOL_ERROR_TRUNCATED 1u

/** No format that this build knows starts with these bytes. */
#define UNSPOOL_ERROR_UNKNOWN_FORMAT 2u

/** The output slice is too small. */
#define UNSPOOL_ERROR_OUTPUT_TOO_SMALL 3u

/** The workspace is too small. */
#define UNSPOOL_ERROR_WORKSPACE_TOO_SMALL 4u

/** The decoded size exceeds the limit on output. */
#define UNSPOOL_ERROR_OUTPUT_LIMIT 5u

/** The header exceeds the limit on headers. */
#define UNSPOOL_ERROR_HEADER_LIMIT 6u

/** A count in the header exceeds the limit on elements. */
#define UNSPOOL_ERROR_ELEMENT_LIMIT 7u

/** The window that the header asks for exceeds the limit on windows. */
#define UNSPOOL_ERROR_WINDOW_LIMIT 8u

/** Two calls in a row gave the decoder nothing to work with. */
#define UNSPOOL_ERROR_NO_PROGRESS 9u

/** The column holds another type than the one asked for. */
#define UNSPOOL_ERROR_WRONG_TYPE 10u

/** The requested range is outside of the data. */
#define UNSPOOL_ERROR_RANGE_OUTSIDE 11u

/** The sink takes no more. */
#define UNSPOOL_ERROR_SINK_FULL 12u

/** A varint has more than 64 bits. */
#define UNSPOOL_ERROR_VARINT_TOO_LONG 13u

/** Sums or products of sizes in the header are too large. */
#define UNSPOOL_ERROR_SIZE_OVERFLOW 14u

/** This build leaves that format out. */
#define UNSPOOL_ERROR_FORMAT_NOT_BUILT 15u

/** A pointer is null, and its length is not 0. */
#define UNSPOOL_ERROR_NULL_POINTER 16u

/** A pointer is not aligned for what it leads to. */
#define UNSPOOL_ERROR_MISALIGNED 17u

/** Memory that the call writes to overlaps other memory that it uses. */
#define UNSPOOL_ERROR_OVERLAP 18u

/** An argument has none of the values that it may have. */
#define UNSPOOL_ERROR_BAD_ARGUMENT 19u

/** No function has filled this struct, or another one than this needs. */
#define UNSPOOL_ERROR_NOT_INITIALISED 20u

/** The decoder has not asked for another window, and goes on with the one that it has. */
#define UNSPOOL_ERROR_WINDOW_IN_USE 21u

/** There is not enough memory. */
#define UNSPOOL_ERROR_NO_MEMORY 22u

/** The store could not be read or written. */
#define UNSPOOL_ERROR_STORE_FAILED 23u

/** A length is larger than memory can be. */
#define UNSPOOL_ERROR_LENGTH_TOO_LARGE 24u

/** The header is of another version than the library, or a struct has another size. */
#define UNSPOOL_ERROR_WRONG_HEADER 25u

/** The table has more columns than the limit allows. */
#define UNSPOOL_ERROR_COLUMN_LIMIT 26u

/** Neither a Zstandard frame nor a skippable frame of the expected format starts here. */
#define UNSPOOL_ERROR_ZSTD_MAGIC 100u

/** A reserved bit is set. */
#define UNSPOOL_ERROR_ZSTD_RESERVED_BIT 101u

/** The frame was made with the dictionary of this ID; another one or none was given. */
#define UNSPOOL_ERROR_ZSTD_DICTIONARY_WANTED 102u

/** The dictionary starts like one but breaks the rules. */
#define UNSPOOL_ERROR_ZSTD_DICTIONARY 103u

/** This block type does not exist. */
#define UNSPOOL_ERROR_ZSTD_BLOCK_TYPE 104u

/** A block holds more than 128 KiB or more than the window, or is too short to be one. */
#define UNSPOOL_ERROR_ZSTD_BLOCK_SIZE 105u

/** The end block carries a checksum that the frame header does not announce. */
#define UNSPOOL_ERROR_ZSTD_END_BLOCK 106u

/** The literals section is larger than its block, or its sizes make no sense. */
#define UNSPOOL_ERROR_ZSTD_LITERALS_SIZE 107u

/** Literals repeat a Huffman code, but there is none yet. */
#define UNSPOOL_ERROR_ZSTD_LITERALS_REPEAT 108u

/** The Huffman code is incomplete, or its description breaks the rules. */
#define UNSPOOL_ERROR_ZSTD_TREE 109u

/** A Huffman stream ends early or late. */
#define UNSPOOL_ERROR_ZSTD_HUFFMAN_STREAM 110u

/** The sequences section ends inside of its header. */
#define UNSPOOL_ERROR_ZSTD_SEQUENCES_HEADER 111u

/** The description of an FSE table breaks the rules. */
#define UNSPOOL_ERROR_ZSTD_TABLE 112u

/** Sequences repeat a table, but there is none yet. */
#define UNSPOOL_ERROR_ZSTD_TABLE_REPEAT 113u

/** The one symbol of a table does not exist. */
#define UNSPOOL_ERROR_ZSTD_TABLE_SYMBOL 114u

/** The bits of the sequences end early or late. */
#define UNSPOOL_ERROR_ZSTD_SEQUENCE_BITS 115u

/** A match reaches back before the start, or beyond the window. */
#define UNSPOOL_ERROR_ZSTD_OFFSET 116u

/** A sequence takes more literals than there are. */
#define UNSPOOL_ERROR_ZSTD_LITERALS_USED_UP 117u

/** The frame does not hold as many bytes as its header says. */
#define UNSPOOL_ERROR_ZSTD_CONTENT_SIZE 118u

/** The checksum of the frame's content differs from the one in the file. */
#define UNSPOOL_ERROR_ZSTD_CHECKSUM 119u

/** Bytes follow a sequences section that is empty. */
#define UNSPOOL_ERROR_ZSTD_SEQUENCES_TRAILING 120u

/** The buffer for the window is too small. */
#define UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER 121u

/** The seek table does not list the frames that are before it. */
#define UNSPOOL_ERROR_ZSTD_SEEK_TABLE 122u

/** This build does not verify the checksums of frames; skip them, or add the feature zstd-xxh64. */
#define UNSPOOL_ERROR_ZSTD_CHECKSUM_KIND 123u

/** An xz stream starts with FD 37 7A 58 5A 00. */
#define UNSPOOL_ERROR_XZ_MAGIC 200u

/** The flags of the stream use bits that mean nothing yet. */
#define UNSPOOL_ERROR_XZ_FLAGS 201u

/** The kind of check is reserved; none, CRC-32, CRC-64 and SHA-256 are known. */
#define UNSPOOL_ERROR_XZ_CHECK_KIND 202u

/** The CRC-32 of a header, an index or a footer differs from the one in the file. */
#define UNSPOOL_ERROR_XZ_HEADER_CRC 203u

/** The flags of the block use bits that mean nothing yet. */
#define UNSPOOL_ERROR_XZ_BLOCK_FLAGS 204u

/** The fields of the block header do not fit in it. */
#define UNSPOOL_ERROR_XZ_BLOCK_HEADER 205u

/** The block is not as long as its header says. */
#define UNSPOOL_ERROR_XZ_BLOCK_SIZE 206u

/** Padding is not zero, or not as long as it must be. */
#define UNSPOOL_ERROR_XZ_PADDING 207u

/** A number has more than nine bytes, or needless ones. */
#define UNSPOOL_ERROR_XZ_NUMBER 208u

/** This filter does not exist, this build leaves it out, or a store cannot undo it. */
#define UNSPOOL_ERROR_XZ_FILTER 209u

/** LZMA2 comes last in a chain of filters, and only there. */
#define UNSPOOL_ERROR_XZ_FILTER_CHAIN 210u

/** The properties of a filter are out of range or not as long as they must be. */
#define UNSPOOL_ERROR_XZ_FILTER_PROPERTIES 211u

/** No chunk has this control byte. */
#define UNSPOOL_ERROR_XZ_CONTROL 212u

/** The first chunk of a block must reset the dictionary. */
#define UNSPOOL_ERROR_XZ_DICTIONARY_RESET 213u

/** A chunk lacks lc, lp and pb, or they are out of range. */
#define UNSPOOL_ERROR_XZ_PROPERTIES 214u

/** A range coder starts with a zero and four bytes more. */
#define UNSPOOL_ERROR_XZ_CHUNK_START 215u

/** The data of a chunk ends early or late, or in the middle of a match. */
#define UNSPOOL_ERROR_XZ_CHUNK_END 216u

/** A match reaches back before the start of the dictionary, or beyond its size. */
#define UNSPOOL_ERROR_XZ_DISTANCE 217u

/** The check of a block differs from the one in the file. */
#define UNSPOOL_ERROR_XZ_CHECK 218u

/** The index does not list the blocks of the stream. */
#define UNSPOOL_ERROR_XZ_INDEX 219u

/** The footer does not end a stream, or contradicts its header or index. */
#define UNSPOOL_ERROR_XZ_FOOTER 220u

/** Something follows the stream, where one alone is expected. */
#define UNSPOOL_ERROR_XZ_TRAILING 221u

/** The buffer for the window is too small. */
#define UNSPOOL_ERROR_XZ_WINDOW_BUFFER 222u

/** A standalone Pco file starts with the four letters pco!. */
#define UNSPOOL_ERROR_PCO_MAGIC 300u

/** Standalone versions 0 to 3 are known. */
#define UNSPOOL_ERROR_PCO_STANDALONE_VERSION 301u

/** Format versions 0 to 4 are known. */
#define UNSPOOL_ERROR_PCO_VERSION 302u

/** No number type has this byte. */
#define UNSPOOL_ERROR_PCO_NUMBER_TYPE 303u

/** The chunk holds another number type than the file's header promises for all. */
#define UNSPOOL_ERROR_PCO_TYPE_DIFFERS 304u

/** The bits up to the next byte are not zero. */
#define UNSPOOL_ERROR_PCO_PADDING 305u

/** This mode does not exist. */
#define UNSPOOL_ERROR_PCO_MODE 306u

/** This mode does not exist for this number type or format version. */
#define UNSPOOL_ERROR_PCO_MODE_HERE 307u

/** The base or the bit count of the mode is out of range. */
#define UNSPOOL_ERROR_PCO_MODE_VALUE 308u

/** This delta encoding does not exist. */
#define UNSPOOL_ERROR_PCO_DELTA 309u

/** A consecutive delta encoding has order 1 to 7. */
#define UNSPOOL_ERROR_PCO_DELTA_ORDER 310u

/** The lookback window has at most 2^24 numbers, and at least as many as the state. */
#define UNSPOOL_ERROR_PCO_WINDOW 311u

/** Convolution does not exist for 64-bit latents, or its numbers could overflow. */
#define UNSPOOL_ERROR_PCO_CONVOLUTION 312u

/** A tANS table has at most 2^14 entries, and exactly one if there is only one bin. */
#define UNSPOOL_ERROR_PCO_TABLE_SIZE 313u

/** There are more bins than entries in the tANS table. */
#define UNSPOOL_ERROR_PCO_BIN_COUNT 314u

/** A bin has more offset bits than its numbers have bits. */
#define UNSPOOL_ERROR_PCO_OFFSET_BITS 315u

/** The weights of the bins do not add up to the size of the tANS table. */
#define UNSPOOL_ERROR_PCO_WEIGHTS 316u

/** A bin of lookbacks starts outside of the window. */
#define UNSPOOL_ERROR_PCO_LOOKBACK_BIN 317u

/** A latent variable without bins cannot make numbers. */
#define UNSPOOL_ERROR_PCO_NO_BINS 318u

/** A lookback is 0 or exceeds the window. */
#define UNSPOOL_ERROR_PCO_LOOKBACK 319u

/** An index is outside of the dictionary. */
#define UNSPOOL_ERROR_PCO_DICT_INDEX 320u

/** An OnPair container starts with the eight letters ONPAIR01. */
#define UNSPOOL_ERROR_ONPAIR_MAGIC 400u

/** A packed code has 1 to 16 bits. */
#define UNSPOOL_ERROR_ONPAIR_BITS 401u

/** A table of offsets holds whole numbers, and at least one. */
#define UNSPOOL_ERROR_ONPAIR_TABLE 402u

/** 16-bit codes can name 65536 tokens, and the dictionary has more. */
#define UNSPOOL_ERROR_ONPAIR_TOKEN_COUNT 403u

/** The first token starts at offset 0. */
#define UNSPOOL_ERROR_ONPAIR_FIRST_OFFSET 404u

/** Each token ends after its start. */
#define UNSPOOL_ERROR_ONPAIR_TOKEN_EMPTY 405u

/** A token has at most 16 bytes. */
#define UNSPOOL_ERROR_ONPAIR_TOKEN_LENGTH 406u

/** The last token ends after the dictionary. */
#define UNSPOOL_ERROR_ONPAIR_TOKEN_OUTSIDE 407u

/** A code names a token that the dictionary does not have. */
#define UNSPOOL_ERROR_ONPAIR_CODE 408u

/** A row ends before it starts. */
#define UNSPOOL_ERROR_ONPAIR_ROW_ORDER 409u

/** The last row ends after the codes. */
#define UNSPOOL_ERROR_ONPAIR_ROW_OUTSIDE 410u

/** The codes end before their number is reached. */
#define UNSPOOL_ERROR_ONPAIR_CODES_SHORT 411u

/** Codes of two bytes each end in the middle of one. */
#define UNSPOOL_ERROR_ONPAIR_CODE_HALF 412u

/** The tokens are not sorted, or one occurs twice. */
#define UNSPOOL_ERROR_ONPAIR_NOT_SORTED 413u

/** The dictionary lacks the token of a single byte. */
#define UNSPOOL_ERROR_ONPAIR_NOT_COMPLETE 414u

/** A CVC file starts with the four letters CVCF. */
#define UNSPOOL_ERROR_CVC_MAGIC 500u

/** CVC versions 0, 1 and 2 are known. */
#define UNSPOOL_ERROR_CVC_VERSION 501u

/** The JSON header has no bytes. */
#define UNSPOOL_ERROR_CVC_HEADER_EMPTY 502u

/** The header lacks a key that this file needs. */
#define UNSPOOL_ERROR_CVC_MISSING_KEY 503u

/** A header key holds a value of the wrong type. */
#define UNSPOOL_ERROR_CVC_WRONG_VALUE 504u

/** Compression is one of fp16, int8, lossless and none. */
#define UNSPOOL_ERROR_CVC_UNKNOWN_COMPRESSION 505u

/** This compression does not exist in this kind of CVC file. */
#define UNSPOOL_ERROR_CVC_COMPRESSION_HERE 506u

/** Dtype is one of float32, float16, int64, int32, int8 and uint8. */
#define UNSPOOL_ERROR_CVC_UNKNOWN_DTYPE 507u

/** The rows of all chunks do not add up to num_vectors. */
#define UNSPOOL_ERROR_CVC_ROWS_DISAGREE 508u

/** The chunk is not as long as its rows need. */
#define UNSPOOL_ERROR_CVC_CHUNK_LENGTH 509u

/** The chunk has no place of its own after the header. */
#define UNSPOOL_ERROR_CVC_CHUNK_OUTSIDE 510u

/** The column does not lie inside of its chunk. */
#define UNSPOOL_ERROR_CVC_COLUMN_OUTSIDE 511u

/** The column is not as long as its rows need. */
#define UNSPOOL_ERROR_CVC_COLUMN_LENGTH 512u

/** A chunk lacks a column that the file declares. */
#define UNSPOOL_ERROR_CVC_COLUMN_MISSING 513u

/** The CRC-32 of the chunk differs from the one in the file. */
#define UNSPOOL_ERROR_CVC_CRC 514u

/** The number of values in a lossless chunk is not rows times dimension. */
#define UNSPOOL_ERROR_CVC_LOSSLESS_COUNT 515u

/** A plane of a lossless chunk has 1 to 8 bits a value. */
#define UNSPOOL_ERROR_CVC_LOSSLESS_BITS 516u

/** A code of a lossless plane is outside of its dictionary. */
#define UNSPOOL_ERROR_CVC_LOSSLESS_CODE 517u

/** The file has no column of this name. */
#define UNSPOOL_ERROR_CVC_NO_SUCH_COLUMN 518u

/** A section does not lie inside of the file's rows. */
#define UNSPOOL_ERROR_CVC_SECTION 519u

/** Format_type is columnar, single, or absent. */
#define UNSPOOL_ERROR_CVC_FORMAT_TYPE 520u

/** The chunks lie out of order, which a stream cannot follow. */
#define UNSPOOL_ERROR_CVC_BACKWARDS 521u

/** The file has several columns; name one. */
#define UNSPOOL_ERROR_CVC_PICK_COLUMN 522u

/** A version 0 file has no checksums, but a CRC-32 of the chunk precedes its values. */
#define UNSPOOL_ERROR_CVC_HIDDEN_CRC 523u

/** The payload of a lossless chunk ends before its four planes do. */
#define UNSPOOL_ERROR_CVC_LOSSLESS_SHORT 524u

/** An AT-1 file starts with the letters AT1 and the byte 2 or 3. */
#define UNSPOOL_ERROR_AT1_MAGIC 600u

/** The codecs 0 to 12 and 255 are known. */
#define UNSPOOL_ERROR_AT1_CODEC 601u

/** A stream does not lie inside of its set. */
#define UNSPOOL_ERROR_AT1_STREAM_OUTSIDE 602u

/** Two streams of a set have the same name. */
#define UNSPOOL_ERROR_AT1_STREAM_TWICE 603u

/** Something follows here that belongs to nothing. */
#define UNSPOOL_ERROR_AT1_TRAILING 604u

/** The backends 0 xz, 1 zstd and 2 stored are known, and this is no xz without one either. */
#define UNSPOOL_ERROR_AT1_BACKEND 605u

/** A zstd payload must say how many bytes it holds. */
#define UNSPOOL_ERROR_AT1_NO_CONTENT_SIZE 606u

/** The payload cannot hold or does not hold as many bytes as it says. */
#define UNSPOOL_ERROR_AT1_CONTENT_SIZE 607u

/** The SHA-256 of the decoded file differs from the one in the trailer. */
#define UNSPOOL_ERROR_AT1_HASH 608u

/** A frame has at least the byte that says its method. */
#define UNSPOOL_ERROR_AT1_FRAME_EMPTY 609u

/** The methods of a frame are 0 structured and 1 raw. */
#define UNSPOOL_ERROR_AT1_FRAME_METHOD 610u

/** A stream ends before all is read that the others promise. */
#define UNSPOOL_ERROR_AT1_STREAM_SHORT 611u

/** A list has fewer items than are taken from it. */
#define UNSPOOL_ERROR_AT1_LIST_SHORT 612u

/** A running sum leaves 64 bits. */
#define UNSPOOL_ERROR_AT1_SUM_OVERFLOW 613u

/** Lines, rows, groups and rows in a group do not fit together. */
#define UNSPOOL_ERROR_AT1_ROW_GROUPS 614u

/** No column type has this number. */
#define UNSPOOL_ERROR_AT1_COLUMN_TYPE 615u

/** A block is empty, or does not lie inside of the stream of blocks. */
#define UNSPOOL_ERROR_AT1_BLOCK_OUTSIDE 616u

/** The tags of a block are 0 xz and 1 zstd. */
#define UNSPOOL_ERROR_AT1_BLOCK_TAG 617u

/** A template has one literal more than there are columns. */
#define UNSPOOL_ERROR_AT1_TEMPLATE 618u

/** A row has more fields than there are columns. */
#define UNSPOOL_ERROR_AT1_FIELD_COUNT 619u

/** A decimal has at most 18 digits after the point, and a shuffled integer 1 to 8 bytes. */
#define UNSPOOL_ERROR_AT1_SCALE 620u

/** A derived column follows from one that precedes it. */
#define UNSPOOL_ERROR_AT1_DERIVED_SOURCE 621u

/** Derived columns that lag their sources would take too much work. */
#define UNSPOOL_ERROR_AT1_DERIVED_AHEAD 622u

/** The column that another one is derived from has more values than the map. */
#define UNSPOOL_ERROR_AT1_DERIVED_MAP 623u

/** An index is outside of its dictionary. */
#define UNSPOOL_ERROR_AT1_DICTIONARY_INDEX 624u

/** No key, template, genotype or other text has this number. */
#define UNSPOOL_ERROR_AT1_TEXT_NUMBER 625u

/** The JSON nests deeper than the limit. */
#define UNSPOOL_ERROR_AT1_DEPTH 626u

/** No token and no kind of thing has this number. */
#define UNSPOOL_ERROR_AT1_TOKEN 627u

/** A rule has one literal more than sources, and its sources are columns that exist. */
#define UNSPOOL_ERROR_AT1_RULE 628u

/** The first byte of meta says 0 raw or 1 structured. */
#define UNSPOOL_ERROR_AT1_MODE 629u

/** The samples of a line ascend, and are below the number of samples. */
#define UNSPOOL_ERROR_AT1_SAMPLE 630u

/** A time is outside of the years 0 to 9999. */
#define UNSPOOL_ERROR_AT1_TIME 631u

/** The transforms of an image are 0 to 3. */
#define UNSPOOL_ERROR_AT1_TRANSFORM 632u

/** The image was made of JPEG 2000 or JPEG-LS, which needs its own encoder. */
#define UNSPOOL_ERROR_AT1_JPEG 633u

/** Rows, columns, samples and bits of the image do not fit its pixels. */
#define UNSPOOL_ERROR_AT1_IMAGE_SIZE 634u

/** Elements have 1 to 32 bytes, and as many planes as that. */
#define UNSPOOL_ERROR_AT1_ARRAY_SIZE 635u

/** A file has at most 64 shapes of line, and no line and no stream is of another. */
#define UNSPOOL_ERROR_AT1_SHAPES 636u

/** A bundle holds several files; they are decoded one by one. */
#define UNSPOOL_ERROR_AT1_BUNDLE_WHOLE 637u

/** A bundle cannot be a part of something. */
#define UNSPOOL_ERROR_AT1_BUNDLE_INSIDE 638u

/** The codec raw has no structure. */
#define UNSPOOL_ERROR_AT1_RAW_FRAME 639u

/** Only a bundle holds several files. */
#define UNSPOOL_ERROR_AT1_NO_BUNDLE 640u

/** The manifest is an array of objects with a name each, and a stream for each of them. */
#define UNSPOOL_ERROR_AT1_MANIFEST 641u

/** The name of a file leads outside of the bundle, or is none. */
#define UNSPOOL_ERROR_AT1_UNSAFE_NAME 642u

/** Many gaps or fields stay empty, over and over. */
#define UNSPOOL_ERROR_AT1_EMPTY_GAPS 643u

/** A zstd payload was made with a dictionary, and nobody can give it one. */
#define UNSPOOL_ERROR_AT1_DICTIONARY 644u

/** Only the codecs 7 qcolumnar and 8 qjson can be queried. */
#define UNSPOOL_ERROR_AT1_NOT_QUERYABLE 670u

/** A file in frames cannot be queried, only one of a single piece. */
#define UNSPOOL_ERROR_AT1_QUERY_FRAMES 671u

/** The table has no column of this name or number. */
#define UNSPOOL_ERROR_AT1_NO_SUCH_COLUMN 672u

/** Several columns of the table have this name; ask by number. */
#define UNSPOOL_ERROR_AT1_COLUMN_TWICE 673u

/** The table does not name its columns; ask by number. */
#define UNSPOOL_ERROR_AT1_NO_NAMES 674u

/** The end of a range must be a number. */
#define UNSPOOL_ERROR_AT1_QUERY_NUMBER 675u

/** The sum does not fit in 128 bits. */
#define UNSPOOL_ERROR_AT1_QUERY_SUM 676u

/** Lines can be rebuilt only where all columns are asked for. */
#define UNSPOOL_ERROR_AT1_QUERY_LINE 677u

/** A gzip member starts with the bytes 1F 8B, and nothing but zeros follows the last one. */
#define UNSPOOL_ERROR_GZIP_MAGIC 700u

/** Deflate is the one method of compression that gzip has. */
#define UNSPOOL_ERROR_GZIP_METHOD 701u

/** A reserved flag is set. */
#define UNSPOOL_ERROR_GZIP_RESERVED_FLAG 702u

/** The checksum of the header differs from the one in the file. */
#define UNSPOOL_ERROR_GZIP_HEADER_CRC 703u

/** The deflate stream breaks its rules here or shortly before. */
#define UNSPOOL_ERROR_GZIP_DEFLATE 704u

/** The checksum of the content differs from the one in the file. */
#define UNSPOOL_ERROR_GZIP_CRC 705u

/** The content is not as long as the file says. */
#define UNSPOOL_ERROR_GZIP_SIZE 706u

/** LZMA ends before the size in the header, goes on after it, or ends in the middle of a match. */
#define UNSPOOL_ERROR_LZMA_END 800u

/** The JSON header breaks the rules of JSON here. */
#define UNSPOOL_ERROR_JSON_SYNTAX 900u

/** The JSON header is not UTF-8. */
#define UNSPOOL_ERROR_JSON_UTF8 901u

/** A JSON number is malformed, or not an integer in range where one is needed. */
#define UNSPOOL_ERROR_JSON_NUMBER 902u

/** A JSON string holds an unknown escape or a raw control character. */
#define UNSPOOL_ERROR_JSON_STRING 903u

/** The JSON header nests deeper than the limit. */
#define UNSPOOL_ERROR_JSON_DEPTH 904u

/** Something follows the JSON value inside of the header. */
#define UNSPOOL_ERROR_JSON_TRAILING 905u

/** The JSON header is UTF-16 or UTF-32; only UTF-8 is read. */
#define UNSPOOL_ERROR_JSON_ENCODING 906u

/** Sizes of the opaque structs are whole words of this many bytes, and they are aligned to it. */
#define UNSPOOL_WORD 8u

/** Compare them; a difference is an error. */
#define UNSPOOL_CHECKS_VERIFY 0u

/** Compare them, count the differences, and go on: see `UnspoolDone`. */
#define UNSPOOL_CHECKS_REPORT 1u

/** Neither compute nor compare them. */
#define UNSPOOL_CHECKS_SKIP 2u

/** More input may follow. */
#define UNSPOOL_END_NOT_YET 0u

/** This input is the last. */
#define UNSPOOL_END_HERE 1u

/** Call again with the bytes that follow those that were read. */
#define UNSPOOL_STATUS_NEED_INPUT 0u

/**
 * Call again with more output space. If some was left, the next call returns the error that
 * follows the bytes written.
 */
#define UNSPOOL_STATUS_NEED_OUTPUT 1u

/** The data is complete; the input after it was not read. */
#define UNSPOOL_STATUS_DONE 2u

/** No known format, or too few bytes to decide. */
#define UNSPOOL_FORMAT_UNKNOWN 0u

/** Zstandard: RFC 8878, or the draft 0.2.0 as its encoder wrote it. */
#define UNSPOOL_FORMAT_ZSTD 1u

/** Zstandard: v0.7, or the draft as its text says. */
#define UNSPOOL_FORMAT_ZSTD_V07 2u

/** A skippable frame, which may precede Zstandard frames or separate them. */
#define UNSPOOL_FORMAT_ZSTD_SKIPPABLE 3u

/** xz. */
#define UNSPOOL_FORMAT_XZ 4u

/** Pco, standalone. */
#define UNSPOOL_FORMAT_PCO 5u

/** An OnPair column in the container `ONPAIR01`. */
#define UNSPOOL_FORMAT_ONPAIR 6u

/** CVC embedding vectors. */
#define UNSPOOL_FORMAT_CVC 7u

/** AT-1. */
#define UNSPOOL_FORMAT_AT1 8u

/** gzip, which may wrap any of the others. */
#define UNSPOOL_FORMAT_GZIP 9u

/** No error. */
#define UNSPOOL_CLASS_NONE 0u

/** The input ends too early. More of the same file may help. */
#define UNSPOOL_CLASS_TRUNCATED 1u

/** The input contradicts itself or its format. */
#define UNSPOOL_CLASS_CORRUPT 2u

/** Everything was read, but a checksum differs from the one in the file. */
#define UNSPOOL_CLASS_CHECKSUM 3u

/** A legal file that this build or this library cannot decode. */
#define UNSPOOL_CLASS_UNSUPPORTED 4u

/** The file asks for more than the limits allow. */
#define UNSPOOL_CLASS_LIMIT 5u

/**
 * The output is too small; `need` is the least size, in the units of its length. It may not be
 * enough if the whole is not known yet (several frames, chunks of Pco, AT-1).
 * `unspool_zstd_decoded_len`, `unspool_xz_decoded_len` and `unspool_at1_decoded_len` count all of
 * it.
 */
#define UNSPOOL_CLASS_OUTPUT_TOO_SMALL 6u

/**
 * The workspace is too small; `need` is the least size, in the units of its length. For AT-1 it
 * may not be enough: see `UnspoolAt1Info`.
 */
#define UNSPOOL_CLASS_WORKSPACE_TOO_SMALL 7u

/** The call is wrong or does not fit the file, or its store failed. */
#define UNSPOOL_CLASS_MISUSE 8u

/** A format of a file. */
typedef uint8_t UnspoolFormat;

/**
 * The result of a function that can fail: 0, or the number of an error. The numbers are those of
 * the constants `UNSPOOL_ERROR_…`.
 */
typedef uint32_t UnspoolErrorKind;

/** The way to handle an error: one of `UNSPOOL_CLASS_...`. */
typedef uint8_t UnspoolClass;

/**
 * Bounds that are compared with what a header claims, before any work is done for that claim. A
 * bound of 0 means the default, which suits files that a person opens.
 */
typedef struct UnspoolLimits {
  /** `sizeof(UnspoolLimits)`. */
  size_t size;
  /** Most bytes that a whole file may decode to. */
  uint64_t max_output;
  /** Most bytes of history that a decoder may be asked to keep, as of a Zstandard frame. */
  uint64_t max_window;
  /** Most bytes that a header, a directory or an index may take in the file. */
  uint64_t max_header;
  /** Most entries of anything that a header lists. */
  uint64_t max_elements;
  /** Most columns of a table. */
  uint64_t max_columns;
  /** Deepest nesting of structured headers. */
  uint16_t max_depth;
} UnspoolLimits;

/** The reason for which a function refuses, and the place. */
typedef struct UnspoolError {
  /** Offset of the byte at which it shows, from the start of the input. */
  uint64_t at;
  /** The least amount that would be enough; 0 if unknown. */
  uint64_t need;
  /** The number of the error; 0 for none. `unspool_error_class` returns its class. */
  UnspoolErrorKind kind;
} UnspoolError;

/**
 * The memory of a call. Unused members are zero. All lengths are in bytes.
 *
 * Names that all formats share: a workspace holds tables, a window holds history, scratch holds
 * bytes on their way.
 */
typedef struct UnspoolBuffers {
  /** The input. */
  const void *src;
  /** Bytes of the input. */
  size_t src_len;
  /** The output. */
  void *dst;
  /** Bytes of the output. */
  size_t dst_len;
  /** Memory for tables, aligned to `UNSPOOL_WORD`. Its contents do not matter. */
  void *workspace;
  /** Bytes of the workspace. */
  size_t workspace_len;
  /** Memory for the history of a stream. */
  void *window;
  /** Bytes of the window. */
  size_t window_len;
  /** Memory for bytes between input and output. */
  void *scratch;
  /** Bytes of scratch. */
  size_t scratch_len;
} UnspoolBuffers;

/** The handling of the checksums in a file. */
typedef uint8_t UnspoolChecks;

/**
 * The options of gzip, Pco and AT-1. All members but `size` may be zero, and so may the pointer to
 * the options.
 */
typedef struct UnspoolOptions {
  /** `sizeof(UnspoolOptions)`. */
  size_t size;
  /** The bounds of what a file may cost, or null. */
  const struct UnspoolLimits *limits;
  /** The handling of checksums. */
  UnspoolChecks checks;
} UnspoolOptions;

/** The result of a call that decodes or inspects. Members that a format does not count are 0. */
typedef struct UnspoolDone {
  /** Bytes that the file decodes to, as far as they were counted. */
  uint64_t content;
  /**
   * Top-level parts: frames of Zstandard and AT-1, streams of xz, members of gzip, chunks of Pco
   * and CVC.
   */
  uint64_t parts;
  /** Blocks within the parts, for Zstandard and xz. */
  uint64_t blocks;
  /** Bytes of window that a stream of this file needs. */
  uint64_t window;
  /** Checksums that were compared and are equal. If nothing was decoded, those that the file has. */
  uint64_t checks_matched;
  /** Checksums that were compared and differ; only with `UNSPOOL_CHECKS_REPORT`. */
  uint64_t checks_mismatched;
  /** Parts without a checksum, and checksums that were skipped. */
  uint64_t checks_unchecked;
  /** Bytes of the input that were used. */
  size_t read;
  /** Bytes of the output that are filled. Those after them may have been used as scratch. */
  size_t wrote;
} UnspoolDone;

/** Says whether more input follows that of this call. */
typedef uint8_t UnspoolEnd;

/** The one thing that a caller must do next. */
typedef uint8_t UnspoolStatus;

/**
 * Input and output of one call of a stream, and its progress. After an error `read` and `wrote`
 * are 0, so that a loop may add them up first.
 */
typedef struct UnspoolStep {
  /** In: the input. */
  const void *src;
  /** In: bytes of the input. */
  size_t src_len;
  /** In: the output. */
  void *dst;
  /** In: bytes of the output. */
  size_t dst_len;
  /** Out: bytes of the input that were used. */
  size_t read;
  /** Out: bytes of the output that are filled. */
  size_t wrote;
  /** In: `UNSPOOL_END_HERE` if no input follows this. */
  UnspoolEnd end;
  /** Out: the next thing to do. */
  UnspoolStatus status;
} UnspoolStep;

/**
 * Fills `into` with `len` bytes from `at` on. Any return value but 0 ends decoding with the error
 * `UNSPOOL_ERROR_STORE_FAILED`, whose offset is that of the block that was being read.
 */
typedef uint8_t (*UnspoolStoreRead)(void *context, uint64_t at, void *into, size_t len);

/**
 * Writes a page of `len` bytes at `at`. Pages come in order and adjoin. The last one may be
 * shorter, and comes only after all checksums were compared. Any return value but 0 ends decoding
 * with the error `UNSPOOL_ERROR_STORE_FAILED`.
 */
typedef uint8_t (*UnspoolStoreWrite)(void *context, uint64_t at, const void *page, size_t len);

/**
 * A target of decoded bytes that can be read back, such as a slot of flash. Matches refer to the
 * bytes in it, so a decoder needs no window.
 *
 * Pages are written before the checksum is known, except the last. After an error, or a loss of
 * power, start again: the same pages come in the same order. Until the call returns, the store
 * must not hold the only working image.
 *
 * Its members must not change during a call; what `context` leads to may.
 */
typedef struct UnspoolStore {
  /** `sizeof(UnspoolStore)`. */
  size_t size;
  /** The first argument of the functions. */
  void *context;
  /**
   * Most bytes that it holds. If the content is longer, the error is
   * `UNSPOOL_ERROR_OUTPUT_TOO_SMALL`.
   */
  uint64_t capacity;
  /**
   * Bytes of an older image that a patch refers to, if `read_old` reads it; else 0. One in
   * memory or in mapped flash is a dictionary of the options.
   */
  uint64_t old_len;
  /** Reads bytes that were written. */
  UnspoolStoreRead read;
  /** Writes a page. */
  UnspoolStoreWrite write;
  /** Reads bytes of the older image. May be null if `old_len` is 0. */
  UnspoolStoreRead read_old;
} UnspoolStore;

/** A range of bytes, rows or positions. */
typedef struct UnspoolRange {
  /** The first. */
  uint64_t start;
  /** The one after the last. */
  uint64_t end;
} UnspoolRange;

/**
 * Detects the format of a file by its first bytes. Eight bytes are always enough. If there are
 * fewer and more could decide, `need` is how many, else 0. `need` may be null.
 */
UnspoolFormat unspool_probe(const void *src, size_t src_len, size_t *need);

/** Returns the version of this library, such as `0.1.0`. */
const char *unspool_version(void);

/**
 * Returns 0 if the library is of the version and the layout that a header declares, else
 * `UNSPOOL_ERROR_WRONG_HEADER`. Call it as `unspool_check()`, once, before anything else.
 */
UnspoolErrorKind unspool_check_header(uint32_t version, uint32_t layout);

/** Returns the class of an error by its number; 0 for an unknown number. */
UnspoolClass unspool_error_class(UnspoolErrorKind kind);

/**
 * Returns the name of an error, such as `ZstdChecksum`; empty for an unknown number, and in builds
 * without the feature `messages`.
 */
const char *unspool_error_name(UnspoolErrorKind kind);

/**
 * Returns the message of an error: what was expected. Empty for an unknown number, and in builds
 * without the feature `messages`.
 */
const char *unspool_error_message(UnspoolErrorKind kind);

/** Returns the name of a class, such as `output too small`; empty for an unknown number. */
const char *unspool_class_name(UnspoolClass class_);

#ifdef __cplusplus
}
#endif

#endif

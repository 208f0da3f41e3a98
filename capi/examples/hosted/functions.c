/* Calls every function of the header, with valid and with invalid arguments.
 *
 *   functions VECTORS
 *
 * VECTORS is the folder that holds a folder of files for each format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unspool.h"

static int checks;

#define CHECK(what)                                                                                        \
  do {                                                                                                     \
    checks++;                                                                                              \
    if (!(what)) {                                                                                         \
      fprintf(stderr, "%s:%d: not so: %s (%s at %llu)\n", __FILE__, __LINE__, #what,                       \
              unspool_error_name(error.kind), (unsigned long long)error.at);                               \
      exit(1);                                                                                             \
    }                                                                                                      \
  } while (0)

static UnspoolError error;
static const char *folder;

static uint8_t *read_file(const char *name, size_t *len) {
  char path[4096];
  FILE *file;
  uint8_t *bytes;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  *len = (size_t)ftell(file);
  rewind(file);
  bytes = malloc(*len ? *len : 1);
  if (!bytes || fread(bytes, 1, *len, file) != *len) exit(2);
  fclose(file);
  return bytes;
}

static void common(void) {
  UnspoolLimits limits = unspool_limits_default();
  size_t need = 99;
  char version[32];
  CHECK(limits.max_output == (uint64_t)16 << 30 && limits.max_depth == 1000);
  sprintf(version, "%d.%d.%d", UNSPOOL_VERSION_MAJOR, UNSPOOL_VERSION_MINOR, UNSPOOL_VERSION_PATCH);
  CHECK(!strcmp(unspool_version(), version));
  CHECK(unspool_probe((const uint8_t *)"CVCF....", 8, &need) == UNSPOOL_FORMAT_CVC && need == 0);
  CHECK(unspool_probe((const uint8_t *)"ONPA", 4, &need) == UNSPOOL_FORMAT_UNKNOWN && need == 8);
  CHECK(unspool_probe((const uint8_t *)"GIF89a..", 8, &need) == UNSPOOL_FORMAT_UNKNOWN && need == 0);
  CHECK(unspool_probe(NULL, 0, NULL) == UNSPOOL_FORMAT_UNKNOWN);
  CHECK(unspool_probe(NULL, 7, NULL) == UNSPOOL_FORMAT_UNKNOWN);

  CHECK(!strcmp(unspool_error_name(UNSPOOL_ERROR_TRUNCATED), "Truncated"));
  CHECK(!strcmp(unspool_error_name(UNSPOOL_ERROR_ZSTD_CHECKSUM), "ZstdChecksum"));
  CHECK(!strcmp(unspool_error_name(UNSPOOL_ERROR_JSON_ENCODING), "JsonEncoding"));
  CHECK(!strcmp(unspool_error_name(UNSPOOL_OK), "") && !strcmp(unspool_error_name(65535), ""));
  CHECK(strstr(unspool_error_message(UNSPOOL_ERROR_CVC_CRC), "CRC-32") && !*unspool_error_message(99));
  CHECK(unspool_error_class(UNSPOOL_ERROR_CVC_CRC) == UNSPOOL_CLASS_CHECKSUM);
  CHECK(unspool_error_class(UNSPOOL_OK) == UNSPOOL_CLASS_NONE && unspool_error_class(99) == UNSPOOL_CLASS_NONE);
  CHECK(!strcmp(unspool_class_name(UNSPOOL_CLASS_OUTPUT_TOO_SMALL), "output too small"));
  CHECK(!strcmp(unspool_class_name(UNSPOOL_CLASS_NONE), "") && !strcmp(unspool_class_name(200), ""));
}

/* Compares decoded with expected bytes, and refuses output that is too long. */
static uint8_t same_bytes(void *expected, const uint8_t *bytes, size_t len) {
  const uint8_t **rest = (const uint8_t **)expected;
  if (memcmp(rest[0], bytes, len < (size_t)(rest[1] - rest[0]) ? len : (size_t)(rest[1] - rest[0]))) exit(1);
  if (len > (size_t)(rest[1] - rest[0])) return 1;
  rest[0] += len;
  return 0;
}

/* Output must not overlap any other argument. Nothing is written before that is checked. */
static void overlaps(void) {
  static UnspoolZstdWorkspace zstd_space, before;
  static UnspoolXzWorkspace xz_space;
  static UnspoolAt1Workspace at1_space;
  static UnspoolZstdDecoder zstd_decoder;
  static UnspoolXzDecoder xz_decoder;
  static UnspoolCvcDecoder cvc_decoder;
  static UnspoolCvcColumn cvc_column;
  static UnspoolCvcFile cvc_file;
  static UnspoolPcoDecoder pco_decoder;
  static UnspoolPcoMeta pco_meta;
  static UnspoolPcoFile pco_file;
  static UnspoolPcoInfo pco_info;
  static UnspoolOnPairColumn onpair_column;
  static UnspoolOnPairSearch onpair_search;
  static UnspoolAt1Query query;
  static uint64_t words[64];
  static uint8_t scratch[64], dst[64];
  static const UnspoolAt1Request request = {NULL, 0, NULL, 0, 0, UNSPOOL_AT1_COUNT};
  UnspoolAt1Term terms[1];
  UnspoolZstdOptions options = {0};
  UnspoolStep step;
  size_t len, wrote;
  uint64_t at = 0;
  uint8_t *bytes = read_file("pco/k_u32_arange.pco", &len), *in_zstd = (uint8_t *)&zstd_space + 100, *in_xz = (uint8_t *)&xz_space + 100;
#define OVERLAPS(call) CHECK((call) == UNSPOOL_ERROR_OVERLAP)

  memset(&zstd_space, 0xA5, sizeof zstd_space);
  before = zstd_space;
  options.dictionary = in_zstd;
  options.dictionary_len = 1;
  OVERLAPS(unspool_zstd_decoded_size(in_zstd, 9, &zstd_space, sizeof zstd_space, NULL, NULL, &at, &error));
  OVERLAPS(unspool_zstd_decoded_size(dst, 9, &zstd_space, sizeof zstd_space, NULL, &options, &at, &error));
  OVERLAPS(unspool_zstd_decode(dst, 9, in_zstd, 9, &zstd_space, sizeof zstd_space, NULL, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_decode(in_zstd, 9, dst, 9, &zstd_space, sizeof zstd_space, NULL, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_decode(scratch, 9, dst, 9, &zstd_space, sizeof zstd_space, NULL, &options, NULL, &error));
  OVERLAPS(unspool_zstd_decode_part(scratch, 9, 0, 1, dst, 9, in_zstd, 9, &zstd_space, sizeof zstd_space, NULL, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_decode_part(scratch, 9, 0, 1, in_zstd, 9, dst, 9, &zstd_space, sizeof zstd_space, NULL, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_init(&zstd_decoder, &zstd_space, sizeof zstd_space, in_zstd, 9, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_init(&zstd_decoder, &zstd_space, sizeof zstd_space, dst, 9, NULL, &options, &error));
  OVERLAPS(unspool_zstd_init((UnspoolZstdDecoder *)(void *)&zstd_space, &zstd_space, sizeof zstd_space, dst, 9, NULL, NULL, &error));
  CHECK(!memcmp(&zstd_space, &before, sizeof before));
  CHECK(unspool_zstd_init(&zstd_decoder, &zstd_space, sizeof zstd_space, dst, 9, NULL, NULL, &error) == 0);
  OVERLAPS(unspool_zstd_step(&zstd_decoder, dst, 9, UNSPOOL_END_HERE, (uint8_t *)&zstd_decoder + 9, 9, &step, &error));
  OVERLAPS(unspool_zstd_lend(&zstd_decoder, (uint8_t *)&zstd_decoder, 9, &error));

  OVERLAPS(unspool_xz_info(in_xz, 9, &xz_space, sizeof xz_space, NULL, NULL, &error));
  OVERLAPS(unspool_xz_decode(dst, 9, in_xz, 9, &xz_space, sizeof xz_space, NULL, 0, 0, NULL, &error));
  OVERLAPS(unspool_xz_decode(dst, 9, (uint8_t *)&xz_space, sizeof xz_space, &xz_space, sizeof xz_space, NULL, 0, 0, NULL, &error));
  OVERLAPS(unspool_xz_decode_block(dst, 9, 0, in_xz, 9, &xz_space, sizeof xz_space, NULL, 0, NULL, &error));
  OVERLAPS(unspool_xz_init(&xz_decoder, &xz_space, sizeof xz_space, in_xz, 9, NULL, 0, 0, &error));
  CHECK(unspool_xz_init(&xz_decoder, &xz_space, sizeof xz_space, dst, 9, NULL, 0, 0, &error) == 0);
  OVERLAPS(unspool_xz_step(&xz_decoder, dst, 9, UNSPOOL_END_HERE, dst + 8, 9, &step, &error));
  OVERLAPS(unspool_xz_lend(&xz_decoder, (uint8_t *)&xz_decoder, 9, &error));

  OVERLAPS(unspool_at1_decoded_len(dst, 9, (uint8_t *)&at1_space, 64, &at1_space, sizeof at1_space, NULL, &at, &error));
  OVERLAPS(unspool_at1_decode(dst, 9, (uint8_t *)&at1_space, 64, scratch, 64, &at1_space, sizeof at1_space, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode(dst, 9, scratch, 64, (uint8_t *)&at1_space, 64, &at1_space, sizeof at1_space, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode(dst, 9, scratch, 64, scratch, 64, &at1_space, sizeof at1_space, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode((uint8_t *)&at1_space, 9, dst, 64, scratch, 64, &at1_space, sizeof at1_space, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode_to(dst, 9, same_bytes, NULL, (uint8_t *)&at1_space, 64, &at1_space, sizeof at1_space, NULL, NULL, &error));
  OVERLAPS(unspool_at1_query_init(&query, &request, NULL, 0, dst, 9, (uint8_t *)&at1_space, 64, &at1_space, sizeof at1_space, NULL, &error));
  OVERLAPS(unspool_at1_query_init(&query, &request, terms, 1, dst, 9, (uint8_t *)terms, 8, &at1_space, sizeof at1_space, NULL, &error));
  OVERLAPS(unspool_at1_query_init(&query, &request, NULL, 0, dst, 9, (uint8_t *)&query, 64, &at1_space, sizeof at1_space, NULL, &error));

  CHECK(unspool_pco_open(&pco_file, bytes, len, NULL, &error) == 0 && unspool_pco_info(&pco_file, &pco_info, &error) == 0);
  at = pco_info.first_chunk;
  OVERLAPS(unspool_pco_open((UnspoolPcoFile *)(void *)words, (uint8_t *)words, 9, NULL, &error));
  OVERLAPS(unspool_pco_decode(&pco_file, at, words, 64, words, 64, NULL, &error));
  OVERLAPS(unspool_pco_decode(&pco_file, at, bytes + at, 9, words, 64, NULL, &error));
  OVERLAPS(unspool_pco_decode(&pco_file, at, &pco_file, 9, words, 64, NULL, &error));
  OVERLAPS(unspool_pco_skip(&pco_file, at, (uint64_t *)(void *)&pco_file, 1, NULL, &error));
  OVERLAPS(unspool_pco_decode_file(bytes, len, words, 64, words, 64, NULL, NULL, &error));
  OVERLAPS(unspool_pco_decode_file((uint8_t *)words, 9, dst, 64, words, 64, NULL, NULL, &error));
  CHECK(unspool_pco_chunk(&pco_file, at, NULL, &pco_meta, &error) == 0);
  OVERLAPS(unspool_pco_init_32(&pco_decoder, &pco_meta, 9, UNSPOOL_PCO_WHOLE, (uint64_t *)(void *)&pco_meta, 9, &error));
  OVERLAPS(unspool_pco_init_32(&pco_decoder, &pco_meta, 9, UNSPOOL_PCO_WHOLE, (uint64_t *)(void *)&pco_decoder, 9, &error));
  OVERLAPS(unspool_pco_step_8(&pco_decoder, dst, 9, UNSPOOL_END_HERE, dst, 9, &step, &error));
  free(bytes);

  bytes = read_file("onpair/cpp/utf8_b12.onp", &len);
  CHECK(unspool_onpair_open(&onpair_column, bytes, len, NULL, &error) == 0);
  OVERLAPS(unspool_onpair_widen(&onpair_column, &onpair_column, 9, &error));
  OVERLAPS(unspool_onpair_decode(&onpair_column, 0, 1, (uint8_t *)&onpair_column, 9, &wrote, &error));
  OVERLAPS(unspool_onpair_row(&onpair_column, 0, (uint8_t *)&onpair_column, 9, &wrote, &error));
  OVERLAPS(unspool_onpair_step(&onpair_column, &at, 1, (uint8_t *)&at, 8, &step, &error));
  OVERLAPS(unspool_onpair_search_init(&onpair_search, &onpair_column, UNSPOOL_ONPAIR_CONTAINS, dst, 9, (uint32_t *)(void *)words, 9, (uint8_t *)words, 9, &error));
  OVERLAPS(unspool_onpair_search_init(&onpair_search, &onpair_column, UNSPOOL_ONPAIR_CONTAINS, dst, 9, (uint32_t *)(void *)words, 9, dst, 9, &error));
  free(bytes);

  bytes = read_file("cvc/v1_fp16.cvc", &len);
  CHECK(unspool_cvc_open(&cvc_file, bytes, len, NULL, &error) == 0 && unspool_cvc_column(&cvc_column, &cvc_file, 0, &error) == 0);
  OVERLAPS(unspool_cvc_column((UnspoolCvcColumn *)(void *)&cvc_file, &cvc_file, 0, &error));
  OVERLAPS(unspool_cvc_decode(&cvc_column, bytes, len, 0, 1, UNSPOOL_CVC_CRC_SKIP, bytes + 9, 9, NULL, &error));
  OVERLAPS(unspool_cvc_init(&cvc_decoder, dst, 9, dst + 8, 1, UNSPOOL_CVC_CRC_SKIP, NULL, &error));
  OVERLAPS(unspool_cvc_init(&cvc_decoder, (uint8_t *)&cvc_decoder, 9, NULL, 0, UNSPOOL_CVC_CRC_SKIP, NULL, &error));
  CHECK(unspool_cvc_init(&cvc_decoder, dst, 9, NULL, 5, UNSPOOL_CVC_CRC_SKIP, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_cvc_decode(&cvc_column, bytes, SIZE_MAX, 0, 1, UNSPOOL_CVC_CRC_SKIP, NULL, 0, NULL, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  free(bytes);
}

static void zstd(void) {
  /* A raw block of three bytes, and one that repeats a byte six times. */
  static const uint8_t frame[] = "\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
  const size_t len = sizeof frame - 1;
  static UnspoolZstdWorkspace workspace, two[2];
  static UnspoolZstdDecoder decoder;
  UnspoolZstdOptions options = {0};
  UnspoolZstdInfo info;
  UnspoolZstdSeekInfo seek = {0};
  UnspoolZstdDone done;
  UnspoolLimits limits = unspool_limits_default();
  UnspoolStep step;
  size_t at;
  uint64_t size = 0;
  uint8_t out[16], window[64], both[32], *bytes;

  CHECK(unspool_zstd_workspace_len() <= sizeof workspace && sizeof workspace == UNSPOOL_ZSTD_WORKSPACE_SIZE);
  CHECK(sizeof decoder == UNSPOOL_ZSTD_DECODER_SIZE);
  /* A workspace may hold anything. */
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_zstd_info(frame, len, &info, &error) == UNSPOOL_OK);
  CHECK(info.content_size == 9 && info.has_content_size == 1 && info.flavour == UNSPOOL_ZSTD_RFC8878 && !info.skippable);
  CHECK(unspool_zstd_info((const uint8_t *)"\x51\x2A\x4D\x18\5\0\0\0hello", 13, &info, &error) == 0 && info.skippable && info.content_size == 5);
  CHECK(unspool_zstd_info(frame, 3, NULL, &error) == UNSPOOL_ERROR_TRUNCATED && error.at == 3);
  CHECK(unspool_zstd_decoded_size(frame, len, &workspace, sizeof workspace, NULL, NULL, &size, &error) == 0 && size == 9);
  CHECK(unspool_zstd_decode(frame, len, out, sizeof out, &workspace, sizeof workspace, NULL, NULL, &done, &error) == 0);
  CHECK(done.wrote == 9 && done.read == len && done.frames == 1 && !memcmp(out, "zstdddddd", 9));
  CHECK(unspool_zstd_decode(frame, len, out, 8, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(error.error_class == UNSPOOL_CLASS_OUTPUT_TOO_SMALL && error.need == 9);
  limits.max_output = 8;
  CHECK(unspool_zstd_decode(frame, len, out, 9, &workspace, sizeof workspace, &limits, NULL, NULL, &error) == UNSPOOL_ERROR_OUTPUT_LIMIT);

  /* Misuse of every kind. */
  CHECK(unspool_zstd_decode(NULL, 5, out, 9, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_decode(frame, len, NULL, 9, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_decode(frame, len, out, 9, NULL, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_decode(frame, len, out, 9, NULL, 0, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(error.need == unspool_zstd_workspace_len());
  CHECK(unspool_zstd_decode(frame, len, out, 9, (uint8_t *)two + 1, sizeof two - 1, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_MISALIGNED);
  memcpy(both, frame, len);
  CHECK(unspool_zstd_decode(both, len, both + len - 1, 9, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_zstd_decode(both, len, both + len, 9, &workspace, sizeof workspace, NULL, NULL, NULL, NULL) == UNSPOOL_OK);
  CHECK(unspool_zstd_decode(NULL, 0, NULL, 0, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_TRUNCATED);
  /* Output and room must not overlap. */
  CHECK(unspool_zstd_decode_part(frame, len, 0, 1, out, 9, out + 8, 8, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_zstd_decode_part(both, len, 0, 1, out, 9, both, 1, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_zstd_decode_part(frame, len, 0, 1, out, 9, both, 9, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_ZSTD_SEEK_TABLE);
  CHECK(unspool_zstd_seek_info(frame, len, NULL, &seek, &error) == UNSPOOL_OK && !seek.found && !seek.frames);
  options.flavour = 77;
  CHECK(unspool_zstd_decode(frame, len, out, 9, &workspace, sizeof workspace, NULL, &options, NULL, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(error.error_class == UNSPOOL_CLASS_MISUSE);

  /* A struct that was not filled, in memory of zeros, and one whose filling failed. */
  CHECK(unspool_zstd_step(&decoder, frame, len, UNSPOOL_END_HERE, out, 9, &step, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_zstd_step(NULL, frame, len, UNSPOOL_END_HERE, out, 9, &step, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_init(&decoder, &workspace, 8, window, sizeof window, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_zstd_step(&decoder, frame, len, UNSPOOL_END_HERE, out, 9, &step, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  options.flavour = UNSPOOL_ZSTD_ANY;
  CHECK(unspool_zstd_init(&decoder, &workspace, sizeof workspace, window, sizeof window, NULL, &options, &error) == 0);
  CHECK(unspool_zstd_step(&decoder, frame, 8, UNSPOOL_END_NOT_YET, out, 16, &step, &error) == 0);
  CHECK(step.status == UNSPOOL_STATUS_NEED_INPUT && step.wrote == 0 && step.read == 8);
  CHECK(unspool_zstd_step(&decoder, frame + 8, len - 8, 9, out, 16, &step, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_zstd_step(&decoder, frame + 8, len - 8, UNSPOOL_END_HERE, out, 2, &step, &error) == 0);
  CHECK(step.status == UNSPOOL_STATUS_NEED_OUTPUT && step.wrote == 2);
  CHECK(unspool_zstd_step(&decoder, frame + 8 + step.read, len - 8 - step.read, UNSPOOL_END_HERE, out + 2, 14, &step, &error) == 0);
  CHECK(step.status == UNSPOOL_STATUS_DONE && step.wrote == 7 && !memcmp(out, "zstdddddd", 9));
  CHECK(unspool_zstd_counts(&decoder, &size, NULL, &error) == 0 && size == 1);
  CHECK(unspool_zstd_counts(&decoder, NULL, &size, &error) == 0 && size == 0);
  CHECK(unspool_zstd_counts(NULL, NULL, &size, &error) == UNSPOOL_ERROR_NULL_POINTER);

  /* Two calls in a row that can do nothing; and an error clears the step. */
  CHECK(unspool_zstd_init(&decoder, &workspace, sizeof workspace, window, sizeof window, NULL, NULL, &error) == 0);
  CHECK(unspool_zstd_step(&decoder, NULL, 0, UNSPOOL_END_NOT_YET, out, 16, &step, &error) == 0 && step.status == UNSPOOL_STATUS_NEED_INPUT);
  step.read = step.wrote = 99;
  CHECK(unspool_zstd_step(&decoder, NULL, 0, UNSPOOL_END_NOT_YET, out, 16, &step, &error) == UNSPOOL_ERROR_NO_PROGRESS && !step.read && !step.wrote);

  /* A part of a frame, without memory for all of it. */
  bytes = read_file("zstd/page-seekable.zst", &at);
  CHECK(unspool_zstd_seek_info(bytes, at, NULL, &seek, &error) == UNSPOOL_OK && seek.found && seek.room > sizeof both);
  CHECK(unspool_zstd_decode_part(bytes, at, 1, 2, out, 1, both, sizeof both, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(error.error_class == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > sizeof both && error.need <= seek.room);
  CHECK(unspool_zstd_decode_part(bytes, at, 1, 3, out, 1, both, sizeof both, &workspace, sizeof workspace, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  free(bytes);

  /* A window that is too small, and another. */
  CHECK(unspool_zstd_lend(NULL, window, sizeof window, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_init(&decoder, &workspace, sizeof workspace, window, 1, NULL, NULL, &error) == 0);
  at = 0;
  while (!unspool_zstd_step(&decoder, frame + at, len - at, UNSPOOL_END_HERE, out, 9, &step, &error)) at += step.read;
  CHECK(error.kind == UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER && error.need > 1 && error.need <= sizeof window);
  CHECK(unspool_zstd_lend(&decoder, window, (size_t)error.need, &error) == 0);
  CHECK(unspool_zstd_step(&decoder, frame + at, len - at, UNSPOOL_END_HERE, out, 16, &step, &error) == 0);
  CHECK(step.wrote == 9 && !memcmp(out, "zstdddddd", 9));
  CHECK(unspool_zstd_lend(&decoder, window, sizeof window, &error) == UNSPOOL_ERROR_WINDOW_IN_USE);
}

static void cvc(void) {
  static UnspoolCvcFile file;
  static UnspoolCvcColumn column;
  static UnspoolCvcPlan plan;
  static UnspoolCvcDecoder decoder;
  UnspoolCvcInfo info;
  UnspoolCvcColumnInfo about;
  UnspoolCvcDone done;
  UnspoolCvcNeed need;
  UnspoolCvcSection section;
  UnspoolStep step = {0};
  size_t len, expected_len, name_len = 0, raw_len = 0, at, wrote;
  uint64_t head = 0, number;
  uint8_t *bytes = read_file("cvc/v1_fp16.cvc", &len), *expected = read_file("cvc/v1_fp16.f32.bin", &expected_len);
  uint8_t *out = malloc(expected_len), *space, name[64];
  float *values = malloc(expected_len);
  const uint8_t *raw = NULL;
  if (!out || !values) exit(2);

  CHECK(sizeof file == UNSPOOL_CVC_FILE_SIZE && sizeof column == UNSPOOL_CVC_COLUMN_SIZE);
  CHECK(sizeof plan == UNSPOOL_CVC_PLAN_SIZE && sizeof decoder == UNSPOOL_CVC_DECODER_SIZE);
  CHECK(unspool_cvc_workspace_len(bytes, 13, NULL, &head, &error) == 0 && head < len);
  CHECK(unspool_cvc_open(&file, bytes, (size_t)head, NULL, &error) == 0);
  CHECK(unspool_cvc_info(&file, &info, &error) == 0 && info.head_len == head && info.columns == 1 && info.checksums && !info.columnar);
  CHECK(unspool_cvc_column(&column, &file, 1, &error) == UNSPOOL_ERROR_CVC_NO_SUCH_COLUMN);
  CHECK(unspool_cvc_column_info(&column, &about, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_cvc_column(&column, &file, 0, &error) == 0);
  CHECK(unspool_cvc_column_info(&column, &about, &error) == 0 && about.output == UNSPOOL_CVC_F32 && about.output_width == 4);
  CHECK(about.dimension * info.rows * 4 == expected_len);
  CHECK(unspool_cvc_column_name(&column, NULL, 0, &name_len, &error) == 0 && name_len == 0);
  CHECK(unspool_cvc_decode(&column, bytes, len, 0, info.rows, UNSPOOL_CVC_CRC_VERIFY, out, expected_len, &done, &error) == 0);
  CHECK(done.wrote == expected_len && done.crc_right == info.chunks && !memcmp(out, expected, expected_len));
  CHECK(unspool_cvc_decode_f32(&column, bytes, len, 0, info.rows, UNSPOOL_CVC_CRC_SKIP, values, expected_len / 4, &done, &error) == 0);
  CHECK(done.crc_unchecked == info.chunks && !memcmp(values, expected, expected_len));
  CHECK(unspool_cvc_decode_f32(&column, bytes, len, 0, info.rows + 1, UNSPOOL_CVC_CRC_SKIP, values, 1, &done, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_cvc_decode_f32(&column, bytes, len, 0, 1, 9, values, expected_len / 4, &done, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_cvc_decode_f32(&column, bytes, len, 0, 1, 0, (float *)(void *)(out + 1), 1, &done, &error) == UNSPOOL_ERROR_MISALIGNED);

  /* Only the bytes that a few rows need, as whole chunks and as bare rows. */
  for (number = 0; number < 2; number++) {
    wrote = 0;
    CHECK(unspool_cvc_plan_init(&plan, &column, 5, 40, &error) == 0);
    CHECK(unspool_cvc_plan_decode_f32(&plan, bytes, len, 0, values, 1, &done, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
    for (;;) {
      uint64_t start, end;
      CHECK(unspool_cvc_plan_next(&plan, &need, &error) == 0);
      if (need.kind == UNSPOOL_CVC_NEED_NOTHING) break;
      CHECK(need.kind == UNSPOOL_CVC_NEED_CHUNK && need.end <= len && need.data_start >= need.start);
      start = number ? need.data_start : need.start;
      end = number ? need.data_end : need.end;
      CHECK(unspool_cvc_plan_decode_f32(&plan, bytes + start, (size_t)(end - start), 0, values, expected_len / 4, &done, &error) == 0);
      CHECK(done.wrote == need.values && !memcmp(values, expected + 5 * about.dimension * 4 + wrote, done.wrote * 4));
      CHECK(unspool_cvc_plan_raw(&plan, bytes + start, (size_t)(end - start), 0, &raw, &raw_len, &done, &error) == 0);
      CHECK(raw == bytes + need.data_start && raw_len == need.values * 2);
      CHECK(done.wrote == 0 && done.crc_right == !number && done.crc_unchecked == number);
      wrote += (size_t)need.values * 4;
    }
    CHECK(wrote == 35 * about.dimension * 4);
  }

  /* A stream, in pieces of 7 bytes to pieces of 5. */
  space = malloc((size_t)head);
  if (!space) exit(2);
  CHECK(unspool_cvc_init(&decoder, space, (size_t)head, NULL, 0, UNSPOOL_CVC_CRC_VERIFY, NULL, &error) == 0);
  CHECK(unspool_cvc_output(&decoder) == UNSPOOL_CVC_UNKNOWN && unspool_cvc_output(NULL) == UNSPOOL_CVC_UNKNOWN);
  for (at = wrote = 0; step.status != UNSPOOL_STATUS_DONE;) {
    size_t piece = len - at < 7 ? len - at : 7;
    CHECK(unspool_cvc_step(&decoder, bytes + at, piece, at + piece == len, out, 5, &step, &error) == 0);
    CHECK(!memcmp(out, expected + wrote, step.wrote));
    at += step.read;
    wrote += step.wrote;
  }
  CHECK(wrote == expected_len && unspool_cvc_output(&decoder) == UNSPOOL_CVC_F32);
  CHECK(unspool_cvc_counts(&decoder, &done, &error) == 0 && done.crc_right == info.chunks && !done.wrote);

  /* A byte of the last chunk is wrong: it is counted unless it is an error, and the stream goes
   * on. */
  bytes[len - 1] ^= 1;
  CHECK(unspool_cvc_init(&decoder, space, (size_t)head, NULL, 0, UNSPOOL_CVC_CRC_REPORT, NULL, &error) == 0);
  for (at = 0, step.status = UNSPOOL_STATUS_NEED_INPUT; step.status != UNSPOOL_STATUS_DONE; at += step.read)
    CHECK(unspool_cvc_step(&decoder, bytes + at, len - at, UNSPOOL_END_HERE, out, expected_len, &step, &error) == 0);
  CHECK(unspool_cvc_counts(&decoder, &done, &error) == 0 && done.crc_wrong == 1 && done.crc_right == info.chunks - 1);
  CHECK(unspool_cvc_counts(NULL, &done, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_cvc_plan_init(&plan, &column, info.rows - 1, info.rows, &error) == 0 && unspool_cvc_plan_next(&plan, &need, &error) == 0);
  CHECK(unspool_cvc_plan_raw(&plan, bytes + need.start, (size_t)(need.end - need.start), UNSPOOL_CVC_CRC_REPORT, &raw, &raw_len, &done, &error) == 0);
  CHECK(done.crc_wrong == 1 && !done.crc_right);
  free(space);
  free(expected);
  free(out);
  free(values);
  free(bytes);

  /* Columns by name, whose chunks are found by requesting their lengths. */
  bytes = read_file("cvc/v2_ints_default.cvc", &len);
  expected = read_file("cvc/v2_ints_default.col1.raw.bin", &expected_len);
  CHECK(unspool_cvc_open(&file, bytes, len, NULL, &error) == 0 && unspool_cvc_info(&file, &info, &error) == 0 && info.columnar);
  CHECK(unspool_cvc_column(&column, &file, 1, &error) == 0);
  CHECK(unspool_cvc_column_name(&column, name, 1, &name_len, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && name_len == error.need);
  CHECK(unspool_cvc_column_name(&column, name, sizeof name, &name_len, &error) == 0);
  CHECK(unspool_cvc_column_named(&column, &file, name, name_len, &error) == 0);
  CHECK(unspool_cvc_column_info(&column, &about, &error) == 0 && about.output == about.dtype);
  for (wrote = 0, unspool_cvc_plan_init(&plan, &column, 0, info.rows, &error);;) {
    CHECK(unspool_cvc_plan_next(&plan, &need, &error) == 0);
    if (need.kind == UNSPOOL_CVC_NEED_NOTHING) break;
    if (need.kind == UNSPOOL_CVC_NEED_LENGTH) {
      CHECK(unspool_cvc_plan_feed(&plan, bytes + need.start, (size_t)(need.end - need.start), &error) == 0);
      continue;
    }
    CHECK(unspool_cvc_plan_raw(&plan, bytes + need.start, (size_t)(need.end - need.start), 0, &raw, &raw_len, &done, &error) == 0);
    CHECK(!memcmp(raw, expected + wrote, raw_len));
    wrote += raw_len;
  }
  CHECK(wrote == expected_len);
  CHECK(unspool_cvc_column_named(&column, &file, (const uint8_t *)"nobody", 6, &error) == UNSPOOL_ERROR_CVC_NO_SUCH_COLUMN);
  CHECK(unspool_cvc_column_named(&column, &file, (const uint8_t *)"\xFF", 1, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  free(expected);
  free(bytes);

  /* Sections: all, and by their metadata. */
  bytes = read_file("cvc/v1_sections.cvc", &len);
  CHECK(unspool_cvc_open(&file, bytes, len, NULL, &error) == 0);
  number = 0;
  CHECK(unspool_cvc_section(&file, NULL, 0, NULL, 0, 0, &number, &section, &error) == 0 && section.found && number == 1);
  CHECK(section.metadata_len > 2 && section.metadata[0] == '{');
  number = 0;
  CHECK(unspool_cvc_section(&file, (const uint8_t *)"source", 6, (const uint8_t *)"tiny", 4, 1, &number, &section, &error) == 0);
  CHECK(section.found && section.first_row == 57 && section.end_row == 60);
  CHECK(unspool_cvc_section(&file, (const uint8_t *)"source", 6, (const uint8_t *)"tiny", 4, 0, &number, &section, &error) == 0 && !section.found);
  number = 0;
  CHECK(unspool_cvc_section(&file, (const uint8_t *)"part", 4, (const uint8_t *)"2.0", 3, 0, &number, &section, &error) == 0 && section.found);
  CHECK(unspool_cvc_section(&file, NULL, 0, NULL, 0, 0, NULL, &section, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_cvc_section(&file, NULL, 5, NULL, 0, 0, &number, &section, &error) == UNSPOOL_ERROR_NULL_POINTER);
  free(bytes);
}

static void onpair(void) {
  static UnspoolOnPairColumn column;
  static UnspoolOnPairSearch search;
  UnspoolOnPairInfo info;
  UnspoolOnPairParts parts = {0};
  UnspoolStep step = {0};
  size_t len, expected_len, wrote = 0, at;
  uint64_t size = 0, row = 0, row_len = 0;
  uint8_t *bytes = read_file("onpair/cpp/utf8_b12.onp", &len), *expected = read_file("onpair/data/utf8.expected.bin", &expected_len);
  uint8_t *out = malloc(expected_len), *space, *tokens, line[256], found = 0, seen = 0;
  uint32_t fallback[256];
  /* https:// | unspool | .example/ | docs */
  static const uint8_t offsets[] = {0, 0, 0, 0, 8, 0, 0, 0, 15, 0, 0, 0, 24, 0, 0, 0, 28, 0, 0, 0};
  static const uint8_t rows[] = {0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0};
  static const uint8_t packed[] = {0x24, 0x39};
  if (!out) exit(2);

  CHECK(sizeof column == UNSPOOL_ONPAIR_COLUMN_SIZE && sizeof search == UNSPOOL_ONPAIR_SEARCH_SIZE);
  CHECK(unspool_onpair_workspace_len(&column) == 0);
  CHECK(unspool_onpair_open(&column, bytes, len - 1, NULL, &error) == UNSPOOL_ERROR_TRUNCATED && error.need == len);
  CHECK(unspool_onpair_info(&column, &info, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_onpair_open(&column, bytes, len, NULL, &error) == 0 && unspool_onpair_info(&column, &info, &error) == 0);
  CHECK(info.conforming && info.code_bits == 12 && info.workspace_len == info.tokens * 17 && info.codes >= info.rows);
  CHECK(unspool_onpair_decoded_len(&column, 0, info.rows, &size, &error) == 0 && size == expected_len);
  CHECK(unspool_onpair_decode(&column, 0, info.rows, out, expected_len, &wrote, &error) == 0);
  CHECK(wrote == expected_len && !memcmp(out, expected, wrote));
  CHECK(unspool_onpair_decode(&column, 1, 0, out, expected_len, &wrote, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_onpair_row_len(&column, 2, &row_len, &error) == 0);
  CHECK(unspool_onpair_row(&column, 2, line, sizeof line, &wrote, &error) == 0 && wrote == row_len);
  CHECK(unspool_onpair_row(&column, 2, line, (size_t)row_len - 1, &wrote, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == row_len);
  for (at = 0; step.status != UNSPOOL_STATUS_DONE; at += step.wrote) {
    CHECK(unspool_onpair_step(&column, &row, info.rows, line, sizeof line, &step, &error) == 0 && step.read > 0);
    CHECK(!memcmp(line, expected + at, step.wrote));
  }
  CHECK(at == expected_len && row == info.rows);

  /* Rows that equal, start with, and hold the third one; the same with less memory. */
  CHECK(unspool_onpair_row(&column, 2, line, sizeof line, &wrote, &error) == 0);
  tokens = malloc((size_t)info.tokens);
  if (!tokens) exit(2);
  for (at = 0; at < 4; at++) {
    uint8_t kind = (uint8_t)(at < 3 ? at : 2);
    CHECK(unspool_onpair_search_init(&search, &column, kind, line, wrote, fallback, 256, at < 3 ? tokens : NULL, at < 3 ? (size_t)info.tokens : 0, &error) == 0);
    for (seen = 0;;) {
      CHECK(unspool_onpair_search_next(&search, &row, &found, &error) == 0);
      if (!found) break;
      seen |= row == 2;
      CHECK(unspool_onpair_search_matches(&search, row, &found, &error) == 0 && found == 1);
    }
    CHECK(seen);
  }
  CHECK(unspool_onpair_search_init(&search, &column, UNSPOOL_ONPAIR_CONTAINS, line, wrote, fallback, wrote - 1, NULL, 0, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_onpair_search_next(&search, &row, &found, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_onpair_search_init(&search, &column, 3, line, wrote, NULL, 0, NULL, 0, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);

  /* The wide dictionary. */
  space = malloc((size_t)info.workspace_len);
  if (!space) exit(2);
  CHECK(unspool_onpair_widen(&column, space, (size_t)info.workspace_len - 1, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == info.workspace_len);
  CHECK(unspool_onpair_workspace_len(&column) == info.workspace_len);
  CHECK(unspool_onpair_widen(&column, space, (size_t)info.workspace_len, &error) == 0);
  memset(out, 0, expected_len);
  CHECK(unspool_onpair_decode(&column, 0, info.rows, out, expected_len, &wrote, &error) == 0 && !memcmp(out, expected, wrote));
  free(space);
  free(tokens);
  free(out);
  free(expected);
  free(bytes);

  parts.dictionary = (const uint8_t *)"https://unspool.example/docs";
  parts.dictionary_len = 28;
  parts.token_offsets = offsets;
  parts.token_offsets_len = sizeof offsets;
  parts.codes = packed;
  parts.codes_len = sizeof packed;
  parts.row_offsets = rows;
  parts.row_offsets_len = sizeof rows;
  parts.code_bits = 2;
  parts.row_offset_width = 5;
  CHECK(unspool_onpair_open_parts(&column, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_onpair_open_parts(&column, &parts, NULL, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  parts.row_offset_width = 4;
  CHECK(unspool_onpair_open_parts(&column, &parts, NULL, &error) == 0);
  CHECK(unspool_onpair_row(&column, 2, line, sizeof line, &wrote, &error) == 0 && wrote == 28 && !memcmp(line, parts.dictionary, 28));
}

static void pco(void) {
  static UnspoolPcoFile file;
  static UnspoolPcoMeta meta;
  static UnspoolPcoDecoder decoder;
  UnspoolPcoInfo info;
  UnspoolPcoChunk chunk;
  UnspoolPcoDone done;
  UnspoolStep step = {0};
  size_t len, expected_len, taken = 0;
  uint64_t next = 0, skipped = 0, words[512], small[4];
  uint8_t *bytes = read_file("pco/k_u32_arange.pco", &len), *expected = read_file("pco/k_u32_arange.bin", &expected_len);
  uint8_t *out = malloc(expected_len), major = 0, minor = 0;
  uint64_t numbers[4];
  /* Classic, no delta, a table of one entry, one bin, lower 7, no offset: a page of sevens takes no
   * bytes. */
  static const uint8_t sevens[13] = {0, 0x10, 0, 0x38};
  if (!out) exit(2);

  CHECK(sizeof file == UNSPOOL_PCO_FILE_SIZE && sizeof meta == UNSPOOL_PCO_META_SIZE && sizeof decoder == UNSPOOL_PCO_DECODER_SIZE);
  CHECK(unspool_pco_open(&file, (const uint8_t *)"pcx!", 4, NULL, &error) == UNSPOOL_ERROR_PCO_MAGIC);
  CHECK(unspool_pco_info(&file, &info, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_pco_open(&file, bytes, len, NULL, &error) == 0 && unspool_pco_info(&file, &info, &error) == 0);
  CHECK(info.standalone_version <= 3 && info.major <= 4);
  CHECK(unspool_pco_chunk(&file, info.first_chunk, &chunk, &meta, &error) == 0);
  CHECK(chunk.len * 4 == expected_len && chunk.number_type == UNSPOOL_PCO_U32 && chunk.number_size == 4);
  CHECK(chunk.workspace_len == unspool_pco_workspace_len(&meta, chunk.len, UNSPOOL_PCO_BATCHES) && chunk.workspace_len <= 512);
  CHECK(unspool_pco_workspace_len(&meta, chunk.len, UNSPOOL_PCO_WHOLE) <= chunk.workspace_len && unspool_pco_workspace_len(NULL, 5, 0) == 0);
  CHECK(unspool_pco_decode(&file, info.first_chunk, out, expected_len, words, 512, &next, &error) == 0 && !memcmp(out, expected, expected_len));
  CHECK(unspool_pco_skip(&file, info.first_chunk, words, 512, &skipped, &error) == 0 && skipped == next);
  CHECK(unspool_pco_skip(&file, info.first_chunk, small, 1, &skipped, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_pco_decode(&file, info.first_chunk, out, expected_len - 1, words, 512, &next, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_pco_chunk(&file, skipped, &chunk, &meta, &error) == 0 && chunk.len == 0 && unspool_pco_workspace_len(&meta, 5, UNSPOOL_PCO_BATCHES) == 0);
  CHECK(unspool_pco_chunk(&file, skipped, &chunk, NULL, &error) == 0 && chunk.len == 0);
  CHECK(unspool_pco_decode(&file, skipped, out, 4, words, 512, &next, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  memset(out, 0, expected_len);
  CHECK(unspool_pco_decode_file(bytes, len, out, expected_len, words, 512, NULL, &done, &error) == 0);
  CHECK(done.read == len && done.chunks == 1 && done.wrote == expected_len && !memcmp(out, expected, expected_len));
  CHECK(unspool_pco_decode_file(bytes, len, out, expected_len, NULL, 0, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > 0);
  CHECK(unspool_pco_decode_file(bytes, len, out, expected_len, (uint64_t *)(void *)((uint8_t *)words + 4), 500, NULL, &done, &error) == UNSPOOL_ERROR_MISALIGNED);
  free(out);
  free(expected);
  free(bytes);

  CHECK(unspool_pco_version((const uint8_t *)"\4\1", 2, &major, &minor, &taken, &error) == 0 && major == 4 && minor == 1 && taken == 2);
  CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, 99, major, NULL, &taken, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
#define SEVENS(bits, type)                                                                                                 \
  do {                                                                                                                     \
    uint##bits##_t *page = (uint##bits##_t *)numbers;                                                                      \
    CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, type, major, NULL, &taken, &error) == 0 && taken > 3);            \
    CHECK(unspool_pco_init_##bits(&decoder, &meta, 3, 9, words, 512, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);                 \
    CHECK(unspool_pco_start_##bits(&decoder, 3, 0, &error) == UNSPOOL_ERROR_NOT_INITIALISED);                               \
    CHECK(unspool_pco_init_##bits(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, 512, &error) == 0);                          \
    CHECK(unspool_pco_step_##bits(&decoder, NULL, 0, UNSPOOL_END_HERE, page, 3, &step, &error) == UNSPOOL_ERROR_NOT_INITIALISED); \
    CHECK(unspool_pco_start_##bits(&decoder, 4, 0, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL || error.kind == 0);        \
    CHECK(unspool_pco_start_##bits(&decoder, 3, 0, &error) == 0);                                                          \
    CHECK(unspool_pco_step_##bits(&decoder, NULL, 0, UNSPOOL_END_HERE, page, 3, &step, &error) == 0);                      \
    CHECK(step.status == UNSPOOL_STATUS_DONE && step.wrote == 3 && page[0] == 7 && page[1] == 7 && page[2] == 7);          \
  } while (0)
  SEVENS(8, UNSPOOL_PCO_U8);
  SEVENS(16, UNSPOOL_PCO_U16);
  SEVENS(32, UNSPOOL_PCO_U32);
  SEVENS(64, UNSPOOL_PCO_U64);
  /* A decoder for one width does not decode another. */
  CHECK(unspool_pco_start_32(&decoder, 3, 0, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_pco_init_32(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, 512, &error) == UNSPOOL_ERROR_WRONG_TYPE);
}

static void gzip(void) {
  /* `hello`, in one stored block. */
  static const uint8_t file[] = "\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0";
  const size_t len = sizeof file;
  uint8_t broken[sizeof file], out[8];
  static UnspoolGzipWorkspace workspace;
  static UnspoolGzipDecoder decoder;
  static uint8_t window[UNSPOOL_GZIP_WINDOW_SIZE];
  UnspoolGzipInfo info;
  UnspoolGzipDone done;
  UnspoolStep step = {0};
  CHECK(unspool_gzip_workspace_len() <= sizeof workspace && sizeof workspace == UNSPOOL_GZIP_WORKSPACE_SIZE);
  CHECK(sizeof decoder == UNSPOOL_GZIP_DECODER_SIZE);
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_gzip_info(file, len, &workspace, sizeof workspace, window, sizeof window, NULL, &info, &error) == 0);
  CHECK(info.content_size == 5 && info.members == 1);
  CHECK(unspool_gzip_info(file, len, &workspace, sizeof workspace, window, 9, NULL, &info, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == sizeof window);
  CHECK(unspool_gzip_decode(file, len, out, 8, &workspace, sizeof workspace, NULL, 0, &done, &error) == 0);
  CHECK(done.wrote == 5 && done.read == len && done.members == 1 && done.checks == 1 && !memcmp(out, "hello", 5));
  CHECK(unspool_gzip_decode(file, len, out, 4, &workspace, sizeof workspace, NULL, 0, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_gzip_decode(file, len - 1, out, 8, &workspace, sizeof workspace, NULL, 0, &done, &error) == UNSPOOL_ERROR_TRUNCATED);
  CHECK(unspool_gzip_decode(file, len, out, 8, &workspace, 100, NULL, 0, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  OVERLAPS(unspool_gzip_decode(file, len, (uint8_t *)&workspace, 8, &workspace, sizeof workspace, NULL, 0, &done, &error));
  CHECK(unspool_gzip_step(&decoder, file, len, UNSPOOL_END_HERE, out, 8, &step, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  /* A wrong checksum, which is compared unless checks are skipped. */
  memcpy(broken, file, len);
  broken[len - 8] ^= 1;
  CHECK(unspool_gzip_decode(broken, len, out, 8, &workspace, sizeof workspace, NULL, 0, &done, &error) == UNSPOOL_ERROR_GZIP_CRC && error.at == len - 8);
  CHECK(unspool_gzip_decode(broken, len, out, 8, &workspace, sizeof workspace, NULL, 1, &done, &error) == 0 && done.wrote == 5 && done.checks == 0);
  CHECK(unspool_gzip_init(&decoder, &workspace, sizeof workspace, window, sizeof window, NULL, 0, &error) == 0);
  OVERLAPS(unspool_gzip_step(&decoder, out, 4, UNSPOOL_END_HERE, out, 8, &step, &error));
  CHECK(unspool_gzip_step(&decoder, file, 12, UNSPOOL_END_NOT_YET, out, 8, &step, &error) == 0 && step.status == UNSPOOL_STATUS_NEED_INPUT && step.read == 12);
  CHECK(unspool_gzip_step(&decoder, file + 12, len - 12, UNSPOOL_END_HERE, out, 8, &step, &error) == 0);
  CHECK(step.wrote == 5 && step.status == UNSPOOL_STATUS_DONE && !memcmp(out, "hello", 5));
}

static void xz(void) {
  /* `unspool unspool unspool`, in one stream of one block. */
  static const uint8_t file[] =
      "\xFD" "7zXZ\0\0\x01i\"\xDE" "6\x02\0!\x01\0\0\0\x00" "7'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0"
      "c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90" "B\x99\r\x01\0\0\0\0\x01YZ";
  const size_t len = sizeof file - 1;
  uint8_t broken[sizeof file];
  static UnspoolXzWorkspace workspace;
  static UnspoolXzDecoder decoder;
  static uint8_t window[1 << 20];
  UnspoolXzInfo info;
  UnspoolXzDone done;
  UnspoolStep step = {0};
  uint64_t size = 0;
  uint8_t out[32];
  CHECK(unspool_xz_workspace_len() <= sizeof workspace && sizeof workspace == UNSPOOL_XZ_WORKSPACE_SIZE);
  CHECK(sizeof decoder == UNSPOOL_XZ_DECODER_SIZE);
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_xz_info(file, len, &workspace, sizeof workspace, NULL, &info, &error) == 0);
  CHECK(info.content_size == 23 && info.streams == 1 && info.blocks == 1 && info.stream_buffer <= sizeof window);
  CHECK(unspool_xz_decoded_size(file, len, NULL, &size, &error) == 0 && size == 23);
  CHECK(unspool_xz_decode(file, len, out, 32, &workspace, sizeof workspace, NULL, 0, 0, &done, &error) == 0);
  CHECK(done.wrote == 23 && done.read == len && !memcmp(out, "unspool unspool unspool", 23));
  CHECK(unspool_xz_decode(file, len, out, 32, &workspace, sizeof workspace, NULL, 1, 1, &done, &error) == 0 && done.wrote == 23);
  CHECK(unspool_xz_decode(file, len, out, 22, &workspace, sizeof workspace, NULL, 0, 0, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == 23);
  CHECK(unspool_xz_decode(file, len - 1, out, 32, &workspace, sizeof workspace, NULL, 0, 0, &done, &error) != 0);
  CHECK(unspool_xz_decode(file, len, out, 32, &workspace, 100, NULL, 0, 0, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  /* A whole file takes as many contexts as its lc + lp ask for: eight. */
  CHECK(unspool_xz_info(file, len, &workspace, UNSPOOL_XZ_TABLES_SIZE, NULL, &info, &error) == 0 && info.content_size == 23);
  CHECK(unspool_xz_decode(file, len, out, 32, &workspace, UNSPOOL_XZ_TABLES_SIZE, NULL, 0, 0, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  size = error.need;
  CHECK(size > 7 * UNSPOOL_XZ_CONTEXT_SIZE && size <= UNSPOOL_XZ_TABLES_SIZE + 8 * UNSPOOL_XZ_CONTEXT_SIZE);
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_xz_decode(file, len, out, 32, &workspace, size - 1, NULL, 0, 0, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == size);
  CHECK(unspool_xz_decode(file, len, out, 32, &workspace, size, NULL, 0, 0, &done, &error) == 0 && done.wrote == 23);
  CHECK(((uint8_t *)&workspace)[size] == 0xA5);
  CHECK(unspool_xz_decode_block(file, len, 10, out, 32, &workspace, size, NULL, 0, &done, &error) == 0 && done.wrote == 23);
  CHECK(unspool_xz_decode_block(file, len, 10, out, 32, &workspace, sizeof workspace, NULL, 0, &done, &error) == 0 && done.wrote == 23 && done.content_start == 0);
  CHECK(unspool_xz_decode_block(file, len, 23, out, 32, &workspace, sizeof workspace, NULL, 0, &done, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_xz_step(&decoder, file, len, UNSPOOL_END_HERE, out, 32, &step, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  /* A wrong check, which is compared unless checks are skipped. */
  memcpy(broken, file, len);
  broken[len - 24] ^= 1;
  CHECK(unspool_xz_decode_block(broken, len, 0, out, 32, &workspace, sizeof workspace, NULL, 0, &done, &error) == UNSPOOL_ERROR_XZ_CHECK);
  CHECK(unspool_xz_decode_block(broken, len, 0, out, 32, &workspace, sizeof workspace, NULL, 1, &done, &error) == 0 && done.wrote == 23 && done.checks == 0);
  CHECK(unspool_xz_init(&decoder, &workspace, sizeof workspace, window, sizeof window, NULL, 1, 1, &error) == 0);
  CHECK(unspool_xz_step(&decoder, broken, len, UNSPOOL_END_HERE, out, 32, &step, &error) == 0 && step.wrote == 23 && step.status == UNSPOOL_STATUS_DONE);
  CHECK(unspool_xz_init(&decoder, &workspace, sizeof workspace, window, 1, NULL, 0, 0, &error) == 0);
  CHECK(unspool_xz_step(&decoder, file, 20, UNSPOOL_END_NOT_YET, out, 32, &step, &error) == 0 && step.status == UNSPOOL_STATUS_NEED_INPUT);
  size = step.read;
  while (!unspool_xz_step(&decoder, file + size, len - (size_t)size, UNSPOOL_END_HERE, out, 32, &step, &error)) size += step.read;
  CHECK(error.kind == UNSPOOL_ERROR_XZ_WINDOW_BUFFER && error.need == info.stream_buffer);
  CHECK(unspool_xz_lend(&decoder, window, (size_t)error.need, &error) == 0);
  CHECK(unspool_xz_step(&decoder, file + size, len - (size_t)size, UNSPOOL_END_HERE, out, 32, &step, &error) == 0);
  CHECK(step.wrote == 23 && !memcmp(out, "unspool unspool unspool", 23));
  CHECK(unspool_xz_lend(&decoder, window, sizeof window, &error) == UNSPOOL_ERROR_WINDOW_IN_USE);
}

static void at1(void) {
  size_t len, expected_len;
  uint8_t *bytes = read_file("at1/c4_all_quoted.at1", &len), *expected = read_file("at1/c4_all_quoted.orig", &expected_len);
  UnspoolAt1Workspace *workspace = malloc(sizeof *workspace);
  UnspoolAt1Info info;
  UnspoolAt1Done done;
  uint64_t size = 0;
  size_t room;
  const uint8_t *rest[2];
  uint8_t *scratch, *out = malloc(expected_len);
  if (!workspace || !out) exit(2);
  CHECK(unspool_at1_workspace_len() <= sizeof *workspace && sizeof *workspace == UNSPOOL_AT1_WORKSPACE_SIZE);
  CHECK(unspool_at1_info(bytes, 4, NULL, &info, &error) == UNSPOOL_ERROR_TRUNCATED);
  CHECK(unspool_at1_info(bytes, len, NULL, &info, &error) == 0 && info.codec == 4 && info.whole);
  for (room = (size_t)info.scratch_len;;) {
    scratch = malloc(room ? room : 1);
    if (!scratch) exit(2);
    if (!unspool_at1_decoded_len(bytes, len, scratch, room, workspace, sizeof *workspace, NULL, &size, &error)) break;
    CHECK(error.error_class == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > room);
    free(scratch);
    room = (size_t)error.need;
  }
  CHECK(size == expected_len);
  CHECK(unspool_at1_decode(bytes, len, out, expected_len, scratch, room, workspace, sizeof *workspace, NULL, &done, &error) == 0);
  CHECK(done.wrote == expected_len && done.hashed == info.hashed && !memcmp(out, expected, expected_len));
  CHECK(unspool_at1_decode(bytes, len, out, expected_len - 1, scratch, room, workspace, sizeof *workspace, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_at1_decode(bytes, len, out, expected_len, out, 1, workspace, sizeof *workspace, NULL, &done, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_at1_decode(bytes, len, out, expected_len, NULL, 0, workspace, sizeof *workspace, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  free(scratch);

  /* The same with a function as output. */
  room = (size_t)info.scratch_len_to;
  scratch = malloc(room);
  if (!scratch) exit(2);
  rest[0] = expected, rest[1] = expected + expected_len;
  CHECK(unspool_at1_decode_to(bytes, len, same_bytes, rest, scratch, room, workspace, sizeof *workspace, NULL, &done, &error) == 0);
  CHECK(done.wrote == expected_len && rest[0] == rest[1]);
  rest[0] = expected, rest[1] = expected + expected_len - 1;
  CHECK(unspool_at1_decode_to(bytes, len, same_bytes, rest, scratch, room, workspace, sizeof *workspace, NULL, NULL, &error) == UNSPOOL_ERROR_SINK_FULL);
  CHECK(unspool_at1_decode_to(bytes, len, NULL, rest, scratch, room, workspace, sizeof *workspace, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_at1_decode_to(bytes, len, same_bytes, rest, scratch, room - 1, workspace, sizeof *workspace, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(error.need == room);
  free(scratch);
  free(out);
  free(workspace);
  free(expected);
  free(bytes);
}

/* A query, every part of which can be wrong. */
static void at1_query(void) {
  static UnspoolAt1Query query;
  static UnspoolAt1Workspace workspace;
  static uint8_t scratch[4096], longer[65536];
  UnspoolAt1Term terms[3];
  UnspoolAt1Filter filters[] = {{{(const uint8_t *)"ts", 2, 0}, NULL, 0, NULL, 0, (const uint8_t *)"1700000010", 10},
                                {{(const uint8_t *)"type", 4, 0}, (const uint8_t *)"\"buy\"", 5, NULL, 0, NULL, 0}};
  const UnspoolAt1Column columns[] = {{(const uint8_t *)"val", 3, 0}, {NULL, 0, 1}};
  UnspoolAt1Request request = {filters, 2, columns, 1, 0, UNSPOOL_AT1_COLUMNS};
  UnspoolAt1Next next;
  UnspoolAt1Answer answer;
  UnspoolAt1Stats stats;
  const uint8_t *value = NULL;
  size_t len, value_len = 0, wrote = 0, head, room;
  uint8_t *bytes = read_file("at1/c8_events.at1", &len), line[80];
  static const char row_0[] = "{\"type\":\"click\",\"ts\":1700000000,\"val\":5.183}";
#define INIT(n, head_len, room) \
  unspool_at1_query_init(&query, &request, terms, n, bytes, head_len, scratch, room, &workspace, sizeof workspace, NULL, &error)
#define STEP(at, from, to) unspool_at1_query_step(&query, at, from, to, &next, &error)

  CHECK(sizeof query == UNSPOOL_AT1_QUERY_SIZE && sizeof(UnspoolAt1Term) == UNSPOOL_AT1_TERM_WORDS * 8);
  CHECK(STEP(0, NULL, 0) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(INIT(2, len, sizeof scratch) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == 3);
  CHECK(INIT(3, 12, sizeof scratch) == UNSPOOL_ERROR_TRUNCATED && error.need > 12);
  CHECK(INIT(3, len, 0) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > 0);
  CHECK(unspool_at1_query_init(&query, NULL, terms, 3, bytes, len, scratch, sizeof scratch, &workspace, sizeof workspace, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_at1_query_init(&query, &request, NULL, 3, bytes, len, scratch, sizeof scratch, &workspace, sizeof workspace, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_at1_query_init(&query, &request, terms, 3, scratch, 9, scratch, sizeof scratch, &workspace, sizeof workspace, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  filters[1].low = (const uint8_t *)"";
  CHECK(INIT(3, len, sizeof scratch) == UNSPOOL_ERROR_BAD_ARGUMENT);
  filters[1].low = NULL;
  request.ask = 77;
  CHECK(INIT(3, len, sizeof scratch) == UNSPOOL_ERROR_BAD_ARGUMENT);
  request.ask = UNSPOOL_AT1_COUNT;
  CHECK(INIT(3, len, sizeof scratch) == UNSPOOL_ERROR_BAD_ARGUMENT);
  request.columns_len = 2;
  request.ask = UNSPOOL_AT1_SUM;
  CHECK(INIT(4, len, sizeof scratch) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(STEP(0, NULL, 0) == UNSPOOL_ERROR_NOT_INITIALISED);

  /* With the requested head and scratch; the block of the first condition does not fit yet. */
  request.columns_len = 1;
  request.ask = UNSPOOL_AT1_COLUMNS;
  for (head = 0, room = 0;;) {
    if (!INIT(3, head, room)) break;
    if (error.error_class == UNSPOOL_CLASS_TRUNCATED) head = (size_t)error.need;
    else room = (size_t)error.need;
    CHECK(head <= len && room <= sizeof scratch);
  }
  CHECK(STEP(0, NULL, 0) == 0 && next.kind == UNSPOOL_AT1_NEXT_BYTES && next.end <= len && next.start < next.end);
  CHECK(STEP(next.start + 1, bytes + next.start + 1, 1) == 0 && next.kind == UNSPOOL_AT1_NEXT_BYTES);
  CHECK(unspool_at1_query_value(&query, 0, &value, &value_len, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(STEP(next.start, bytes + next.start, (size_t)(next.end - next.start)) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > room);
  CHECK(unspool_at1_query_lend(&query, longer, room - 1, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == room);
  CHECK(unspool_at1_query_lend(&query, scratch + 1, sizeof scratch - 1, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_at1_query_lend(&query, longer, sizeof longer, &error) == 0);
  memset(scratch, 0xA5, sizeof scratch);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_ROW && next.row == 1 && next.values == 1);
  CHECK(next.start == 0 && next.end == len);
  CHECK(unspool_at1_query_value(&query, 0, &value, &value_len, &error) == 0 && value_len == 5 && !memcmp(value, "3.402", 5));
  CHECK(unspool_at1_query_value(&query, 1, &value, &value_len, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_at1_query_line(&query, line, sizeof line, &wrote, &error) == UNSPOOL_ERROR_AT1_QUERY_LINE);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_ROW && next.row == 2);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_NOTHING);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_NOTHING);
  CHECK(unspool_at1_query_stats(&query, &stats, &error) == 0 && stats.groups == 25 && stats.skipped == 24 && stats.read == 1);
  CHECK(stats.block_bytes_read < stats.block_bytes_total && stats.block_bytes_total < len);
  CHECK(unspool_at1_query_answer(&query, &answer, &error) == 0 && answer.rows == 2 && !answer.best);

  /* The first line, without conditions. */
  request.filters_len = request.columns_len = 0;
  request.ask = UNSPOOL_AT1_ROWS;
  request.limit = 1;
  CHECK(unspool_at1_query_init(&query, &request, NULL, 0, bytes, len, longer, sizeof longer, &workspace, sizeof workspace, NULL, &error) == 0);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_ROW && next.row == 0 && next.values == 3);
  CHECK(unspool_at1_query_line(&query, line, sizeof row_0 - 2, &wrote, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == sizeof row_0 - 1);
  CHECK(unspool_at1_query_line(&query, line, sizeof line, &wrote, &error) == 0 && wrote == sizeof row_0 - 1 && !memcmp(line, row_0, wrote));
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_NOTHING);

  /* A sum of two numbers, and the larger one of them. */
  request.filters_len = 2;
  request.columns_len = 1;
  request.limit = 0;
  for (request.ask = UNSPOOL_AT1_SUM; request.ask <= UNSPOOL_AT1_MAX; request.ask++) {
    CHECK(unspool_at1_query_init(&query, &request, terms, 3, bytes, len, longer, sizeof longer, &workspace, sizeof workspace, NULL, &error) == 0);
    CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_NOTHING);
    CHECK(unspool_at1_query_answer(&query, &answer, &error) == 0 && answer.rows == 2 && !answer.without_number);
    if (request.ask == UNSPOOL_AT1_SUM) CHECK(answer.sum_low == 3402 + 7992 && answer.sum_high == 0 && answer.sum_scale == 3);
    else CHECK(answer.best_len == 5 && !memcmp(answer.best, request.ask == UNSPOOL_AT1_MIN ? "3.402" : "7.992", 5));
  }
  free(bytes);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  common();
  overlaps();
  zstd();
  cvc();
  onpair();
  pco();
  xz();
  gzip();
  at1();
  at1_query();
  printf("%d checks\n", checks);
  return 0;
}

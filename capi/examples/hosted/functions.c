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

/* A step with this input and output. */
static UnspoolStep *with(UnspoolStep *step, const void *src, size_t src_len, UnspoolEnd end, void *dst, size_t dst_len) {
  step->src = src;
  step->src_len = src_len;
  step->end = end;
  step->dst = dst;
  step->dst_len = dst_len;
  return step;
}

static void common(void) {
  size_t need = 99;
  char version[32];
  sprintf(version, "%u.%u.%u", UNSPOOL_VERSION / 1000000u, UNSPOOL_VERSION / 1000u % 1000u, UNSPOOL_VERSION % 1000u);
  CHECK(!strcmp(unspool_version(), version));
  CHECK(unspool_check() == UNSPOOL_OK);
  CHECK(unspool_check_header(UNSPOOL_VERSION + 1u, UNSPOOL_LAYOUT) == UNSPOOL_ERROR_WRONG_HEADER);
  CHECK(unspool_check_header(UNSPOOL_VERSION, UNSPOOL_LAYOUT ^ 1u) == UNSPOOL_ERROR_WRONG_HEADER);
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
static uint8_t same_bytes(void *expected, const void *bytes, size_t len) {
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
  static UnspoolGzipWorkspace gzip_space;
  static UnspoolGzipDecoder gzip_decoder;
  static uint8_t gzip_window[UNSPOOL_GZIP_WINDOW_SIZE];
  static uint64_t words[64], pco_words[512];
  static uint8_t scratch[64], dst[64];
  static const UnspoolAt1Request request = {NULL, 0, NULL, 0, 0, UNSPOOL_AT1_COUNT};
  UnspoolAt1Term terms[1];
  UnspoolZstdDictionary dictionary;
  UnspoolZstdOptions options = {.size = sizeof options, .dictionary = &dictionary};
  UnspoolXzBlock block = {{0, 0}, {0, 0}, 0};
  UnspoolStep step;
  size_t len, wrote;
  uint64_t at = 0;
  uint8_t *bytes = read_file("pco/k_u32_arange.pco", &len), *in_zstd = (uint8_t *)&zstd_space + 100, *in_xz = (uint8_t *)&xz_space + 100;
#define OVERLAPS(call) CHECK((call) == UNSPOOL_ERROR_OVERLAP)

  memset(&zstd_space, 0xA5, sizeof zstd_space);
  before = zstd_space;
  CHECK(unspool_zstd_dictionary_init(&dictionary, in_zstd, 1, 1, &error) == 0);
  OVERLAPS(unspool_zstd_decoded_len(&(UnspoolBuffers){.src = in_zstd, .src_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, NULL, &at, &error));
  OVERLAPS(unspool_zstd_decoded_len(&(UnspoolBuffers){.src = dst, .src_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, &options, &at, &error));
  OVERLAPS(unspool_zstd_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = in_zstd, .dst_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_decode(&(UnspoolBuffers){.src = in_zstd, .src_len = 9, .dst = dst, .dst_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_decode(&(UnspoolBuffers){.src = scratch, .src_len = 9, .dst = dst, .dst_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, &options, NULL, &error));
  OVERLAPS(unspool_zstd_decode_part(&(UnspoolBuffers){.src = scratch, .src_len = 9, .dst = dst, .dst_len = 9, .scratch = in_zstd, .scratch_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, 0, 1, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_decode_part(&(UnspoolBuffers){.src = scratch, .src_len = 9, .dst = in_zstd, .dst_len = 9, .scratch = dst, .scratch_len = 9, .workspace = &zstd_space, .workspace_len = sizeof zstd_space}, 0, 1, NULL, NULL, &error));
  OVERLAPS(unspool_zstd_init(&zstd_decoder, &(UnspoolBuffers){.workspace = &zstd_space, .workspace_len = sizeof zstd_space, .window = in_zstd, .window_len = 9}, NULL, &error));
  OVERLAPS(unspool_zstd_init(&zstd_decoder, &(UnspoolBuffers){.workspace = &zstd_space, .workspace_len = sizeof zstd_space, .window = dst, .window_len = 9}, &options, &error));
  OVERLAPS(unspool_zstd_init((UnspoolZstdDecoder *)(void *)&zstd_space, &(UnspoolBuffers){.workspace = &zstd_space, .workspace_len = sizeof zstd_space, .window = dst, .window_len = 9}, NULL, &error));
  CHECK(!memcmp(&zstd_space, &before, sizeof before));
  CHECK(unspool_zstd_init(&zstd_decoder, &(UnspoolBuffers){.workspace = &zstd_space, .workspace_len = sizeof zstd_space, .window = dst, .window_len = 9}, NULL, &error) == 0);
  OVERLAPS(unspool_zstd_step(&zstd_decoder, with(&step, dst, 9, UNSPOOL_END_HERE, (uint8_t *)&zstd_decoder + 9, 9), &error));
  OVERLAPS(unspool_zstd_lend(&zstd_decoder, (uint8_t *)&zstd_decoder, 9, &error));
  OVERLAPS(unspool_zstd_lend(&zstd_decoder, in_zstd, 9, &error));
  /* Nor may a step overlap what was lent before: workspace, window and dictionary. */
  OVERLAPS(unspool_zstd_step(&zstd_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, in_zstd, 9), &error));
  OVERLAPS(unspool_zstd_step(&zstd_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, dst + 8, 9), &error));
  OVERLAPS(unspool_zstd_step(&zstd_decoder, with(&step, dst, 1, UNSPOOL_END_HERE, scratch, 9), &error));
  CHECK(step.read == 0 && step.wrote == 0);
  CHECK(unspool_zstd_dictionary_init(&dictionary, scratch, 9, 1, &error) == 0);
  CHECK(unspool_zstd_init(&zstd_decoder, &(UnspoolBuffers){.workspace = &zstd_space, .workspace_len = sizeof zstd_space, .window = dst, .window_len = 9}, &options, &error) == 0);
  OVERLAPS(unspool_zstd_step(&zstd_decoder, with(&step, NULL, 0, UNSPOOL_END_HERE, scratch + 8, 9), &error));
  OVERLAPS(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_RFC8878, scratch, 16, &error));
  OVERLAPS(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_RFC8878, &dictionary, 16, &error));
  OVERLAPS(unspool_zstd_dictionary_init(&dictionary, &dictionary, 9, 1, &error));

  OVERLAPS(unspool_xz_inspect(&(UnspoolBuffers){.src = in_xz, .src_len = 9, .workspace = &xz_space, .workspace_len = sizeof xz_space}, NULL, NULL, &error));
  OVERLAPS(unspool_xz_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = in_xz, .dst_len = 9, .workspace = &xz_space, .workspace_len = sizeof xz_space}, NULL, NULL, &error));
  OVERLAPS(unspool_xz_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = (uint8_t *)&xz_space, .dst_len = sizeof xz_space, .workspace = &xz_space, .workspace_len = sizeof xz_space}, NULL, NULL, &error));
  OVERLAPS(unspool_xz_decode_block(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = in_xz, .dst_len = 9, .workspace = &xz_space, .workspace_len = sizeof xz_space}, &block, NULL, NULL, &error));
  OVERLAPS(unspool_xz_init(&xz_decoder, &(UnspoolBuffers){.workspace = &xz_space, .workspace_len = sizeof xz_space, .window = in_xz, .window_len = 9}, NULL, &error));
  CHECK(unspool_xz_init(&xz_decoder, &(UnspoolBuffers){.workspace = &xz_space, .workspace_len = sizeof xz_space, .window = dst, .window_len = 9}, NULL, &error) == 0);
  OVERLAPS(unspool_xz_step(&xz_decoder, with(&step, dst, 9, UNSPOOL_END_HERE, dst + 8, 9), &error));
  OVERLAPS(unspool_xz_lend(&xz_decoder, (uint8_t *)&xz_decoder, 9, &error));
  OVERLAPS(unspool_xz_step(&xz_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, in_xz, 9), &error));
  OVERLAPS(unspool_xz_step(&xz_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, dst, 9), &error));
  /* A range that is larger than memory, or goes beyond its end, has a name of its own. */
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = dst, .src_len = SIZE_MAX, .workspace = &xz_space, .workspace_len = sizeof xz_space}, NULL, NULL, &error) == UNSPOOL_ERROR_LENGTH_TOO_LARGE);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = (void *)(UINTPTR_MAX - 7), .src_len = 9, .workspace = &xz_space, .workspace_len = sizeof xz_space}, NULL, NULL, &error) == UNSPOOL_ERROR_LENGTH_TOO_LARGE);
  CHECK(unspool_error_class(error.kind) == UNSPOOL_CLASS_MISUSE);

  OVERLAPS(unspool_gzip_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = (uint8_t *)&gzip_space, .dst_len = 9, .workspace = &gzip_space, .workspace_len = sizeof gzip_space}, NULL, NULL, &error));
  OVERLAPS(unspool_gzip_init(&gzip_decoder, &(UnspoolBuffers){.workspace = &gzip_space, .workspace_len = sizeof gzip_space, .window = (uint8_t *)&gzip_space, .window_len = 9}, NULL, &error));
  CHECK(unspool_gzip_init(&gzip_decoder, &(UnspoolBuffers){.workspace = &gzip_space, .workspace_len = sizeof gzip_space, .window = gzip_window, .window_len = sizeof gzip_window}, NULL, &error) == 0);
  OVERLAPS(unspool_gzip_step(&gzip_decoder, with(&step, dst, 9, UNSPOOL_END_HERE, dst + 8, 9), &error));
  OVERLAPS(unspool_gzip_step(&gzip_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, (uint8_t *)&gzip_space + 100, 9), &error));
  OVERLAPS(unspool_gzip_step(&gzip_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, gzip_window + sizeof gzip_window - 1, 9), &error));
  OVERLAPS(unspool_gzip_step(&gzip_decoder, with(&step, gzip_window, 1, UNSPOOL_END_HERE, dst, 9), &error));
  OVERLAPS(unspool_gzip_step(&gzip_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, (uint8_t *)&gzip_decoder + 9, 9), &error));

  OVERLAPS(unspool_at1_decoded_len(&(UnspoolBuffers){.src = dst, .src_len = 9, .scratch = (uint8_t *)&at1_space, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, &at, &error));
  OVERLAPS(unspool_at1_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = (uint8_t *)&at1_space, .dst_len = 64, .scratch = scratch, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = scratch, .dst_len = 64, .scratch = (uint8_t *)&at1_space, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode(&(UnspoolBuffers){.src = dst, .src_len = 9, .dst = scratch, .dst_len = 64, .scratch = scratch, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode(&(UnspoolBuffers){.src = (uint8_t *)&at1_space, .src_len = 9, .dst = dst, .dst_len = 64, .scratch = scratch, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, NULL, &error));
  OVERLAPS(unspool_at1_decode_to(&(UnspoolBuffers){.src = dst, .src_len = 9, .scratch = (uint8_t *)&at1_space, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, same_bytes, NULL, NULL, NULL, &error));
  OVERLAPS(unspool_at1_query_init(&query, &request, NULL, 0, &(UnspoolBuffers){.src = dst, .src_len = 9, .scratch = (uint8_t *)&at1_space, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, &error));
  OVERLAPS(unspool_at1_query_init(&query, &request, terms, 1, &(UnspoolBuffers){.src = dst, .src_len = 9, .scratch = (uint8_t *)terms, .scratch_len = 8, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, &error));
  OVERLAPS(unspool_at1_query_init(&query, &request, NULL, 0, &(UnspoolBuffers){.src = dst, .src_len = 9, .scratch = (uint8_t *)&query, .scratch_len = 64, .workspace = &at1_space, .workspace_len = sizeof at1_space}, NULL, &error));

  CHECK(unspool_pco_open(&pco_file, bytes, len, NULL, &error) == 0 && unspool_pco_info(&pco_file, &pco_info, &error) == 0);
  at = pco_info.first_chunk;
  OVERLAPS(unspool_pco_open((UnspoolPcoFile *)(void *)words, (uint8_t *)words, 9, NULL, &error));
  OVERLAPS(unspool_pco_decode(&pco_file, at, &(UnspoolBuffers){.dst = words, .dst_len = 64, .workspace = words, .workspace_len = 64 * 8}, NULL, &error));
  OVERLAPS(unspool_pco_decode(&pco_file, at, &(UnspoolBuffers){.dst = bytes + at, .dst_len = 9, .workspace = words, .workspace_len = 64 * 8}, NULL, &error));
  OVERLAPS(unspool_pco_decode(&pco_file, at, &(UnspoolBuffers){.dst = &pco_file, .dst_len = 9, .workspace = words, .workspace_len = 64 * 8}, NULL, &error));
  OVERLAPS(unspool_pco_skip(&pco_file, at, (uint64_t *)(void *)&pco_file, 1 * 8, NULL, &error));
  OVERLAPS(unspool_pco_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = words, .dst_len = 64, .workspace = words, .workspace_len = 64 * 8}, NULL, NULL, &error));
  OVERLAPS(unspool_pco_decode_file(&(UnspoolBuffers){.src = (uint8_t *)words, .src_len = 9, .dst = dst, .dst_len = 64, .workspace = words, .workspace_len = 64 * 8}, NULL, NULL, &error));
  CHECK(unspool_pco_chunk(&pco_file, at, NULL, &pco_meta, &error) == 0);
  CHECK(unspool_pco_init_32(&pco_decoder, &pco_meta, 9, UNSPOOL_PCO_WHOLE, pco_words, sizeof pco_words, &error) == 0);
  OVERLAPS(unspool_pco_step_32(&pco_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, pco_words, 64), &error));
  OVERLAPS(unspool_pco_step_32(&pco_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, &pco_meta, 64), &error));
  OVERLAPS(unspool_pco_step_32(&pco_decoder, with(&step, scratch, 9, UNSPOOL_END_HERE, bytes + len - 4, 4), &error));
  OVERLAPS(unspool_pco_init_32(&pco_decoder, &pco_meta, 9, UNSPOOL_PCO_WHOLE, (uint64_t *)(void *)&pco_meta, 9 * 8, &error));
  OVERLAPS(unspool_pco_init_32(&pco_decoder, &pco_meta, 9, UNSPOOL_PCO_WHOLE, (uint64_t *)(void *)&pco_decoder, 9 * 8, &error));
  OVERLAPS(unspool_pco_step_8(&pco_decoder, with(&step, dst, 9, UNSPOOL_END_HERE, dst, 9), &error));
  free(bytes);

  bytes = read_file("onpair/cpp/utf8_b12.onp", &len);
  CHECK(unspool_onpair_open(&onpair_column, bytes, len, NULL, &error) == 0);
  OVERLAPS(unspool_onpair_widen(&onpair_column, &onpair_column, 9, &error));
  OVERLAPS(unspool_onpair_decode(&onpair_column, 0, 1, (uint8_t *)&onpair_column, 9, &wrote, &error));
  OVERLAPS(unspool_onpair_row(&onpair_column, 0, (uint8_t *)&onpair_column, 9, &wrote, &error));
  OVERLAPS(unspool_onpair_step(&onpair_column, &at, 1, with(&step, NULL, 0, 0, (uint8_t *)&at, 8), &error));
  OVERLAPS(unspool_onpair_step(&onpair_column, &at, 1, with(&step, NULL, 0, 0, bytes + 8, 8), &error));
  OVERLAPS(unspool_onpair_step(&onpair_column, (uint64_t *)(void *)(bytes + 8), 1, with(&step, NULL, 0, 0, dst, 8), &error));
  OVERLAPS(unspool_onpair_row(&onpair_column, 0, bytes + 8, 8, &wrote, &error));
  OVERLAPS(unspool_onpair_search_init(&onpair_search, &onpair_column, &(UnspoolOnPairNeedle){.size = sizeof(UnspoolOnPairNeedle), .needle = dst, .needle_len = 9, .fallback = (uint32_t *)(void *)words, .fallback_len = 9, .tokens = (uint8_t *)words, .tokens_len = 9, .kind = UNSPOOL_ONPAIR_CONTAINS}, &error));
  OVERLAPS(unspool_onpair_search_init(&onpair_search, &onpair_column, &(UnspoolOnPairNeedle){.size = sizeof(UnspoolOnPairNeedle), .needle = dst, .needle_len = 9, .fallback = (uint32_t *)(void *)words, .fallback_len = 9, .tokens = dst, .tokens_len = 9, .kind = UNSPOOL_ONPAIR_CONTAINS}, &error));
  free(bytes);

  bytes = read_file("cvc/v1_fp16.cvc", &len);
  CHECK(unspool_cvc_open(&cvc_file, bytes, len, NULL, &error) == 0 && unspool_cvc_column(&cvc_column, &cvc_file, 0, &error) == 0);
  OVERLAPS(unspool_cvc_column((UnspoolCvcColumn *)(void *)&cvc_file, &cvc_file, 0, &error));
  OVERLAPS(unspool_cvc_column((UnspoolCvcColumn *)(void *)(bytes + 16), &cvc_file, 0, &error));
  OVERLAPS(unspool_cvc_column_name(&cvc_column, bytes + 16, 4, NULL, &error));
  OVERLAPS(unspool_cvc_decode(&cvc_column, 0, 1, &(UnspoolBuffers){.src = dst, .src_len = 9, .dst = bytes + 16, .dst_len = 9}, UNSPOOL_CHECKS_SKIP, NULL, &error));
  OVERLAPS(unspool_cvc_decode_f32(&cvc_column, 0, 1, &(UnspoolBuffers){.src = dst, .src_len = 9, .dst = bytes + 16, .dst_len = 8}, UNSPOOL_CHECKS_SKIP, NULL, &error));
  OVERLAPS(unspool_cvc_decode(&cvc_column, 0, 1, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = bytes + 9, .dst_len = 9}, UNSPOOL_CHECKS_SKIP, NULL, &error));
  OVERLAPS(unspool_cvc_init(&cvc_decoder, &(UnspoolBuffers){.workspace = dst, .workspace_len = 9}, &(UnspoolCvcOptions){.size = sizeof(UnspoolCvcOptions), .checks = UNSPOOL_CHECKS_SKIP, .column = dst + 8, .column_len = 1}, &error));
  OVERLAPS(unspool_cvc_init(&cvc_decoder, &(UnspoolBuffers){.workspace = (uint8_t *)&cvc_decoder, .workspace_len = 9}, &(UnspoolCvcOptions){.size = sizeof(UnspoolCvcOptions), .checks = UNSPOOL_CHECKS_SKIP}, &error));
  CHECK(unspool_cvc_init(&cvc_decoder, &(UnspoolBuffers){.workspace = dst, .workspace_len = 9}, &(UnspoolCvcOptions){.size = sizeof(UnspoolCvcOptions), .checks = UNSPOOL_CHECKS_SKIP, .column = NULL, .column_len = 5}, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_cvc_decode(&cvc_column, 0, 1, &(UnspoolBuffers){.src = bytes, .src_len = SIZE_MAX}, UNSPOOL_CHECKS_SKIP, NULL, &error) == UNSPOOL_ERROR_LENGTH_TOO_LARGE);
  CHECK(unspool_cvc_init(&cvc_decoder, &(UnspoolBuffers){.workspace = dst, .workspace_len = 9}, NULL, &error) == 0);
  OVERLAPS(unspool_cvc_step(&cvc_decoder, with(&step, bytes, 9, UNSPOOL_END_HERE, dst + 8, 9), &error));
  free(bytes);
}

static void zstd(void) {
  /* A raw block of three bytes, and one that repeats a byte six times. */
  static const uint8_t frame[] = "\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
  const size_t len = sizeof frame - 1;
  static UnspoolZstdWorkspace workspace, two[2];
  static UnspoolZstdDecoder decoder;
  UnspoolZstdOptions options = {.size = sizeof options};
  UnspoolZstdInfo info;
  UnspoolZstdSeekInfo seek = {0};
  UnspoolDone done;
  UnspoolLimits limits = {.size = sizeof limits};
  UnspoolStep step;
  size_t at;
  uint64_t size = 0;
  uint8_t out[16], window[64], both[32], *bytes;

  CHECK(unspool_zstd_workspace_len() <= sizeof workspace && sizeof workspace == UNSPOOL_ZSTD_WORKSPACE_SIZE);
  CHECK(sizeof decoder == UNSPOOL_ZSTD_DECODER_SIZE);
  /* A workspace may hold anything. */
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_zstd_info(frame, len, &info, &error) == UNSPOOL_OK);
  CHECK(info.content == 9 && info.has_content == 1 && info.flavour == UNSPOOL_ZSTD_RFC8878 && !info.skippable);
  CHECK(unspool_zstd_info((const uint8_t *)"\x51\x2A\x4D\x18\5\0\0\0hello", 13, &info, &error) == 0 && info.skippable && info.content == 5);
  CHECK(unspool_zstd_info(frame, 3, NULL, &error) == UNSPOOL_ERROR_TRUNCATED && error.at == 3);
  CHECK(unspool_zstd_decoded_len(&(UnspoolBuffers){.src = frame, .src_len = len, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &size, &error) == 0 && size == 9);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = sizeof out, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == 0);
  CHECK(done.wrote == 9 && done.read == len && done.parts == 1 && !memcmp(out, "zstdddddd", 9));
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, NULL, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_error_class(error.kind) == UNSPOOL_CLASS_OUTPUT_TOO_SMALL && error.need == 9);
  limits.max_output = 8;
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, &(UnspoolZstdOptions){.size = sizeof(UnspoolZstdOptions), .limits = &limits}, NULL, &error) == UNSPOOL_ERROR_OUTPUT_LIMIT);

  /* Misuse of every kind. */
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = NULL, .src_len = 5, .dst = out, .dst_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = NULL, .dst_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9, .workspace = NULL, .workspace_len = sizeof workspace}, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9}, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(error.need == unspool_zstd_workspace_len());
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9, .workspace = (uint8_t *)two + 1, .workspace_len = sizeof two - 1}, NULL, NULL, &error) == UNSPOOL_ERROR_MISALIGNED);
  memcpy(both, frame, len);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = both, .src_len = len, .dst = both + len - 1, .dst_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = both, .src_len = len, .dst = both + len, .dst_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, NULL, NULL) == UNSPOOL_OK);
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace}, NULL, NULL, &error) == UNSPOOL_ERROR_TRUNCATED);
  /* Output and room must not overlap. */
  CHECK(unspool_zstd_decode_part(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9, .scratch = out + 8, .scratch_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, 0, 1, NULL, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_zstd_decode_part(&(UnspoolBuffers){.src = both, .src_len = len, .dst = out, .dst_len = 9, .scratch = both, .scratch_len = 1, .workspace = &workspace, .workspace_len = sizeof workspace}, 0, 1, NULL, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_zstd_decode_part(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9, .scratch = both, .scratch_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, 0, 1, NULL, NULL, &error) == UNSPOOL_ERROR_ZSTD_SEEK_TABLE);
  CHECK(unspool_zstd_seek_info(frame, len, NULL, &seek, &error) == UNSPOOL_OK && !seek.found && !seek.frames);
  options.flavour = 77;
  CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = frame, .src_len = len, .dst = out, .dst_len = 9, .workspace = &workspace, .workspace_len = sizeof workspace}, &options, NULL, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_error_class(error.kind) == UNSPOOL_CLASS_MISUSE);

  /* A struct that was not filled, in memory of zeros, and one whose filling failed. */
  CHECK(unspool_zstd_step(&decoder, with(&step, frame, len, UNSPOOL_END_HERE, out, 9), &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_zstd_step(NULL, with(&step, frame, len, UNSPOOL_END_HERE, out, 9), &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = 8, .window = window, .window_len = sizeof window}, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_zstd_step(&decoder, with(&step, frame, len, UNSPOOL_END_HERE, out, 9), &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  options.flavour = UNSPOOL_ZSTD_ANY;
  CHECK(unspool_zstd_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window}, &options, &error) == 0);
  CHECK(unspool_zstd_step(&decoder, with(&step, frame, 8, UNSPOOL_END_NOT_YET, out, 16), &error) == 0);
  CHECK(step.status == UNSPOOL_STATUS_NEED_INPUT && step.wrote == 0 && step.read == 8);
  CHECK(unspool_zstd_step(&decoder, with(&step, frame + 8, len - 8, 9, out, 16), &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_zstd_step(&decoder, with(&step, frame + 8, len - 8, UNSPOOL_END_HERE, out, 2), &error) == 0);
  CHECK(step.status == UNSPOOL_STATUS_NEED_OUTPUT && step.wrote == 2);
  CHECK(unspool_zstd_step(&decoder, with(&step, frame + 8 + step.read, len - 8 - step.read, UNSPOOL_END_HERE, out + 2, 14), &error) == 0);
  CHECK(step.status == UNSPOOL_STATUS_DONE && step.wrote == 7 && !memcmp(out, "zstdddddd", 9));
  CHECK(unspool_zstd_done(&decoder, &done, &error) == 0 && done.parts == 1 && done.checks_matched == 0 && done.read == len);
  CHECK(unspool_zstd_done(NULL, &done, &error) == UNSPOOL_ERROR_NULL_POINTER);

  /* Two calls in a row that can do nothing; and an error clears the step. */
  CHECK(unspool_zstd_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window}, NULL, &error) == 0);
  CHECK(unspool_zstd_step(&decoder, with(&step, NULL, 0, UNSPOOL_END_NOT_YET, out, 16), &error) == 0 && step.status == UNSPOOL_STATUS_NEED_INPUT);
  step.read = step.wrote = 99;
  CHECK(unspool_zstd_step(&decoder, with(&step, NULL, 0, UNSPOOL_END_NOT_YET, out, 16), &error) == UNSPOOL_ERROR_NO_PROGRESS && !step.read && !step.wrote);

  /* A part of a frame, without memory for all of it. */
  bytes = read_file("zstd/page-seekable.zst", &at);
  CHECK(unspool_zstd_seek_info(bytes, at, NULL, &seek, &error) == UNSPOOL_OK && seek.found && seek.scratch_len > sizeof both);
  CHECK(unspool_zstd_decode_part(&(UnspoolBuffers){.src = bytes, .src_len = at, .dst = out, .dst_len = 1, .scratch = both, .scratch_len = sizeof both, .workspace = &workspace, .workspace_len = sizeof workspace}, 1, 2, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_error_class(error.kind) == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > sizeof both && error.need <= seek.scratch_len);
  CHECK(unspool_zstd_decode_part(&(UnspoolBuffers){.src = bytes, .src_len = at, .dst = out, .dst_len = 1, .scratch = both, .scratch_len = sizeof both, .workspace = &workspace, .workspace_len = sizeof workspace}, 1, 3, NULL, NULL, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  free(bytes);

  /* A window that is too small, and another. */
  CHECK(unspool_zstd_lend(NULL, window, sizeof window, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_zstd_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = 1}, NULL, &error) == 0);
  at = 0;
  while (!unspool_zstd_step(&decoder, with(&step, frame + at, len - at, UNSPOOL_END_HERE, out, 9), &error)) at += step.read;
  CHECK(error.kind == UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER && error.need > 1 && error.need <= sizeof window);
  CHECK(unspool_zstd_lend(&decoder, window, (size_t)error.need, &error) == 0);
  CHECK(unspool_zstd_step(&decoder, with(&step, frame + at, len - at, UNSPOOL_END_HERE, out, 16), &error) == 0);
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
  UnspoolDone done;
  UnspoolCvcNeed need;
  UnspoolCvcSection section;
  UnspoolStep step = {0};
  size_t len, expected_len, name_len = 0, raw_len = 0, at, wrote;
  uint64_t head = 0, number;
  uint8_t *bytes = read_file("cvc/v1_fp16.cvc", &len), *expected = read_file("cvc/v1_fp16.f32.bin", &expected_len);
  uint8_t *out = malloc(expected_len), *space, name[64];
  float *values = malloc(expected_len);
  const void *raw = NULL;
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
  CHECK(unspool_cvc_decode(&column, 0, info.rows, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len}, UNSPOOL_CHECKS_VERIFY, &done, &error) == 0);
  CHECK(done.wrote == expected_len && done.checks_matched == info.chunks && !memcmp(out, expected, expected_len));
  memset(out, 0, expected_len);
  CHECK(unspool_cvc_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len}, NULL, &done, &error) == 0);
  CHECK(done.wrote == expected_len && done.content == expected_len && done.read == len && done.checks_matched == info.chunks && !memcmp(out, expected, expected_len));
  CHECK(unspool_cvc_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len}, &(UnspoolOptions){.size = sizeof(UnspoolOptions), .checks = UNSPOOL_CHECKS_SKIP}, &done, &error) == 0 && done.checks_unchecked == info.chunks);
  CHECK(unspool_cvc_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len - 1}, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == expected_len);
  CHECK(unspool_cvc_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len - 1, .dst = out, .dst_len = expected_len}, NULL, &done, &error) == UNSPOOL_ERROR_TRUNCATED);
  OVERLAPS(unspool_cvc_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = bytes + len - 1, .dst_len = 9}, NULL, &done, &error));
  CHECK(unspool_cvc_decode_f32(&column, 0, info.rows, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = values, .dst_len = expected_len}, UNSPOOL_CHECKS_SKIP, &done, &error) == 0);
  CHECK(done.checks_unchecked == info.chunks && !memcmp(values, expected, expected_len));
  CHECK(unspool_cvc_decode_f32(&column, 0, info.rows + 1, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = values, .dst_len = 1 * 4}, UNSPOOL_CHECKS_SKIP, &done, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_cvc_decode_f32(&column, 0, 1, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = values, .dst_len = expected_len}, 9, &done, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_cvc_decode_f32(&column, 0, 1, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = (float *)(void *)(out + 1), .dst_len = 4}, 0, &done, &error) == UNSPOOL_ERROR_MISALIGNED);

  /* Only the bytes that a few rows need, as whole chunks and as bare rows. */
  for (number = 0; number < 2; number++) {
    wrote = 0;
    CHECK(unspool_cvc_plan_init(&plan, &column, 5, 40, &error) == 0);
    CHECK(unspool_cvc_plan_decode_f32(&plan, &(UnspoolBuffers){.src = bytes, .src_len = len, .dst = values, .dst_len = 4}, 0, &done, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
    for (;;) {
      uint64_t start, end;
      CHECK(unspool_cvc_plan_next(&plan, &need, &error) == 0);
      if (need.kind == UNSPOOL_CVC_NEED_NOTHING) break;
      CHECK(need.kind == UNSPOOL_CVC_NEED_CHUNK && need.end <= len && need.data_start >= need.start);
      start = number ? need.data_start : need.start;
      end = number ? need.data_end : need.end;
      CHECK(unspool_cvc_plan_decode_f32(&plan, &(UnspoolBuffers){.src = bytes + start, .src_len = (size_t)(end - start), .dst = values, .dst_len = expected_len}, 0, &done, &error) == 0);
      CHECK(done.wrote == need.values * 4 && !memcmp(values, expected + 5 * about.dimension * 4 + wrote, done.wrote));
      CHECK(unspool_cvc_plan_raw(&plan, bytes + start, (size_t)(end - start), 0, &raw, &raw_len, &done, &error) == 0);
      CHECK(raw == bytes + need.data_start && raw_len == need.values * 2);
      CHECK(done.wrote == 0 && done.checks_matched == !number && done.checks_unchecked == number);
      wrote += (size_t)need.values * 4;
    }
    CHECK(wrote == 35 * about.dimension * 4);
  }

  /* A stream, in pieces of 7 bytes to pieces of 5. */
  space = malloc((size_t)head);
  if (!space) exit(2);
  CHECK(unspool_cvc_init(&decoder, &(UnspoolBuffers){.workspace = space, .workspace_len = (size_t)head}, NULL, &error) == 0);
  CHECK(unspool_cvc_output(&decoder) == UNSPOOL_CVC_UNKNOWN && unspool_cvc_output(NULL) == UNSPOOL_CVC_UNKNOWN);
  for (at = wrote = 0; step.status != UNSPOOL_STATUS_DONE;) {
    size_t piece = len - at < 7 ? len - at : 7;
    CHECK(unspool_cvc_step(&decoder, with(&step, bytes + at, piece, at + piece == len, out, 5), &error) == 0);
    CHECK(!memcmp(out, expected + wrote, step.wrote));
    at += step.read;
    wrote += step.wrote;
  }
  CHECK(wrote == expected_len && unspool_cvc_output(&decoder) == UNSPOOL_CVC_F32);
  CHECK(unspool_cvc_done(&decoder, &done, &error) == 0 && done.checks_matched == info.chunks && done.parts == info.chunks && done.wrote == expected_len && done.read == len);

  /* A byte of the last chunk is wrong: it is counted unless it is an error, and the stream goes
   * on. */
  bytes[len - 1] ^= 1;
  CHECK(unspool_cvc_init(&decoder, &(UnspoolBuffers){.workspace = space, .workspace_len = (size_t)head}, &(UnspoolCvcOptions){.size = sizeof(UnspoolCvcOptions), .checks = UNSPOOL_CHECKS_REPORT}, &error) == 0);
  for (at = 0, step.status = UNSPOOL_STATUS_NEED_INPUT; step.status != UNSPOOL_STATUS_DONE; at += step.read)
    CHECK(unspool_cvc_step(&decoder, with(&step, bytes + at, len - at, UNSPOOL_END_HERE, out, expected_len), &error) == 0);
  CHECK(unspool_cvc_done(&decoder, &done, &error) == 0 && done.checks_mismatched == 1 && done.checks_matched == info.chunks - 1);
  CHECK(unspool_cvc_done(NULL, &done, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_cvc_plan_init(&plan, &column, info.rows - 1, info.rows, &error) == 0 && unspool_cvc_plan_next(&plan, &need, &error) == 0);
  CHECK(unspool_cvc_plan_raw(&plan, bytes + need.start, (size_t)(need.end - need.start), UNSPOOL_CHECKS_REPORT, &raw, &raw_len, &done, &error) == 0);
  CHECK(done.checks_mismatched == 1 && !done.checks_matched);
  free(space);
  free(expected);
  free(out);
  free(values);
  free(bytes);

  /* Columns by name, whose chunks are found by requesting their lengths. */
  bytes = read_file("cvc/v2_ints_default.cvc", &len);
  CHECK(unspool_cvc_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len}, NULL, &done, &error) == UNSPOOL_ERROR_CVC_PICK_COLUMN);
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
      /* Too few bytes are an error, after which the same are needed. */
      UnspoolCvcNeed again;
      CHECK(unspool_cvc_plan_feed(&plan, bytes + need.start, 2, &error) == UNSPOOL_ERROR_TRUNCATED && error.need == need.end);
      CHECK(unspool_cvc_plan_next(&plan, &again, &error) == 0 && again.kind == need.kind && again.start == need.start && again.end == need.end);
      CHECK(unspool_cvc_plan_feed(&plan, bytes + need.start, (size_t)(need.end - need.start), &error) == 0);
      continue;
    }
    CHECK(unspool_cvc_plan_raw(&plan, bytes + need.start, (size_t)(need.end - need.start), 0, &raw, &raw_len, &done, &error) == 0);
    CHECK(!memcmp(raw, expected + wrote, raw_len));
    wrote += raw_len;
  }
  CHECK(wrote == expected_len);
  /* The length of a chunk is wrong, which stays an error. */
  CHECK(unspool_cvc_plan_init(&plan, &column, 0, info.rows, &error) == 0 && unspool_cvc_plan_next(&plan, &need, &error) == 0);
  CHECK(need.kind == UNSPOOL_CVC_NEED_LENGTH && need.end - need.start == 4);
  CHECK(unspool_cvc_plan_feed(&plan, "\0\0\0", 4, &error) == 0);
  for (number = 0; number < 2; number++) CHECK(unspool_cvc_plan_next(&plan, &need, &error) == UNSPOOL_ERROR_CVC_COLUMN_OUTSIDE);
  CHECK(unspool_cvc_column_named(&column, &file, (const uint8_t *)"nobody", 6, &error) == UNSPOOL_ERROR_CVC_NO_SUCH_COLUMN);
  CHECK(unspool_cvc_column_named(&column, &file, (const uint8_t *)"\xFF", 1, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  free(expected);
  free(bytes);

  /* A chunk without the column is an error, however often it is asked for. */
  bytes = read_file("cvc/bad/col_missing_in_chunk.cvc", &len);
  CHECK(unspool_cvc_open(&file, bytes, len, NULL, &error) == 0 && unspool_cvc_info(&file, &info, &error) == 0);
  for (at = wrote = 0; at < info.columns; at++) {
    CHECK(unspool_cvc_column(&column, &file, at, &error) == 0 && unspool_cvc_plan_init(&plan, &column, 0, info.rows, &error) == 0);
    need.kind = UNSPOOL_CVC_NEED_LENGTH;
    while (need.kind != UNSPOOL_CVC_NEED_NOTHING && unspool_cvc_plan_next(&plan, &need, &error) == 0)
      if (need.kind == UNSPOOL_CVC_NEED_LENGTH) CHECK(unspool_cvc_plan_feed(&plan, bytes + need.start, 4, &error) == 0);
    if (need.kind == UNSPOOL_CVC_NEED_NOTHING) continue;
    CHECK(unspool_cvc_plan_next(&plan, &need, &error) == UNSPOOL_ERROR_CVC_COLUMN_MISSING);
    wrote++;
  }
  CHECK(wrote == 1);
  free(bytes);

  /* Sections: all, and by their metadata. */
  bytes = read_file("cvc/v1_sections.cvc", &len);
  CHECK(unspool_cvc_open(&file, bytes, len, NULL, &error) == 0);
  number = 0;
  CHECK(unspool_cvc_section(&file, NULL, &number, &section, &error) == 0 && section.found && number == 1);
  CHECK(section.metadata_len > 2 && *(const char *)section.metadata == '{');
  number = 0;
  CHECK(unspool_cvc_section(&file, &(UnspoolCvcFilter){.key = (const uint8_t *)"source", .key_len = 6, .value = (const uint8_t *)"tiny", .value_len = 4, .as_text = 1}, &number, &section, &error) == 0);
  CHECK(section.found && section.first_row == 57 && section.end_row == 60);
  CHECK(unspool_cvc_section(&file, &(UnspoolCvcFilter){.key = (const uint8_t *)"source", .key_len = 6, .value = (const uint8_t *)"tiny", .value_len = 4}, &number, &section, &error) == 0 && !section.found);
  number = 0;
  CHECK(unspool_cvc_section(&file, &(UnspoolCvcFilter){.key = (const uint8_t *)"part", .key_len = 4, .value = (const uint8_t *)"2.0", .value_len = 3}, &number, &section, &error) == 0 && section.found);
  CHECK(unspool_cvc_section(&file, NULL, NULL, &section, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_cvc_section(&file, &(UnspoolCvcFilter){.key = NULL, .key_len = 5, .value = NULL, .value_len = 0}, &number, &section, &error) == UNSPOOL_ERROR_NULL_POINTER);
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
  CHECK(unspool_onpair_conform(&column, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_onpair_open(&column, bytes, len, NULL, &error) == 0 && unspool_onpair_info(&column, &info, &error) == 0);
  CHECK(!info.conforming && unspool_onpair_conform(&column, &error) == 0 && unspool_onpair_info(&column, &info, &error) == 0);
  CHECK(info.conforming && info.code_bits == 12 && info.workspace_len == info.tokens * 17 && info.codes >= info.rows);
  CHECK(unspool_onpair_decoded_len(&column, 0, info.rows, &size, &error) == 0 && size == expected_len);
  CHECK(unspool_onpair_decode(&column, 0, info.rows, out, expected_len, &wrote, &error) == 0);
  CHECK(wrote == expected_len && !memcmp(out, expected, wrote));
  CHECK(unspool_onpair_decode(&column, 1, 0, out, expected_len, &wrote, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_onpair_row_len(&column, 2, &row_len, &error) == 0);
  CHECK(unspool_onpair_row(&column, 2, line, sizeof line, &wrote, &error) == 0 && wrote == row_len);
  CHECK(unspool_onpair_row(&column, 2, line, (size_t)row_len - 1, &wrote, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == row_len);
  for (at = 0; step.status != UNSPOOL_STATUS_DONE; at += step.wrote) {
    CHECK(unspool_onpair_step(&column, &row, info.rows, with(&step, NULL, 0, 0, line, sizeof line), &error) == 0 && step.read > 0);
    CHECK(!memcmp(line, expected + at, step.wrote));
  }
  CHECK(at == expected_len && row == info.rows);

  /* Rows that equal, start with, and hold the third one; the same with less memory. */
  CHECK(unspool_onpair_row(&column, 2, line, sizeof line, &wrote, &error) == 0);
  tokens = malloc((size_t)info.tokens);
  if (!tokens) exit(2);
  for (at = 0; at < 4; at++) {
    uint8_t kind = (uint8_t)(at < 3 ? at : 2);
    CHECK(unspool_onpair_search_init(&search, &column, &(UnspoolOnPairNeedle){.size = sizeof(UnspoolOnPairNeedle), .needle = line, .needle_len = wrote, .fallback = fallback, .fallback_len = 256, .tokens = at < 3 ? tokens : NULL, .tokens_len = at < 3 ? (size_t)info.tokens : 0, .kind = kind}, &error) == 0);
    for (seen = 0;;) {
      CHECK(unspool_onpair_search_next(&search, &row, &found, &error) == 0);
      if (!found) break;
      seen |= row == 2;
      CHECK(unspool_onpair_search_matches(&search, row, &found, &error) == 0 && found == 1);
    }
    CHECK(seen);
  }
  CHECK(unspool_onpair_search_init(&search, &column, &(UnspoolOnPairNeedle){.size = sizeof(UnspoolOnPairNeedle), .needle = line, .needle_len = wrote, .fallback = fallback, .fallback_len = wrote - 1, .kind = UNSPOOL_ONPAIR_CONTAINS}, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_onpair_search_next(&search, &row, &found, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_onpair_search_init(&search, &column, &(UnspoolOnPairNeedle){.size = sizeof(UnspoolOnPairNeedle), .needle = line, .needle_len = wrote, .kind = 3}, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);

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

/* Files of one type: each function decodes its own, and refuses those of all others. */
static void pco_types(void) {
  static const struct {
    UnspoolErrorKind (*decode)(const UnspoolBuffers *, const UnspoolOptions *, UnspoolDone *, UnspoolError *);
    const char *name;
    size_t size;
  } types[] = {
      {unspool_pco_decode_u8, "k_u8_arange", 1},        {unspool_pco_decode_i8, "k_i8_arange", 1},
      {unspool_pco_decode_u16, "m_u16_dict_conv4", 2},  {unspool_pco_decode_i16, "m_i16_dict_c2", 2},
      {unspool_pco_decode_u32, "k_u32_arange", 4},      {unspool_pco_decode_i32, "m_i32_classic_auto", 4},
      {unspool_pco_decode_f32, "m_f32_fmult_conv4", 4}, {unspool_pco_decode_u64, "m_u64_dict_lookback", 8},
      {unspool_pco_decode_i64, "m_i64_dict_auto", 8},   {unspool_pco_decode_f64, "x_f64_extreme_fmulthuge_lb", 8},
  };
  enum { COUNT = sizeof types / sizeof *types, WORDS = 1 << 16 };
  uint64_t *words = malloc(WORDS * sizeof *words);
  const UnspoolLimits tight = {.size = sizeof tight, .max_output = 1};
  const UnspoolOptions limited = {.size = sizeof limited, .limits = &tight};
  if (!words) exit(2);
  for (size_t i = 0; i < COUNT; i++) {
    char name[64];
    size_t len, expected_len;
    uint8_t *bytes, *expected, *out;
    UnspoolBuffers call;
    UnspoolDone done;
    snprintf(name, sizeof name, "pco/%s.pco", types[i].name);
    bytes = read_file(name, &len);
    snprintf(name, sizeof name, "pco/%s.bin", types[i].name);
    expected = read_file(name, &expected_len);
    out = calloc(expected_len + 8, 1);
    if (!out) exit(2);
    call = (UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len, .workspace = words, .workspace_len = WORDS * sizeof *words};
    CHECK(types[i].decode(&call, NULL, &done, &error) == 0 && done.read == len && done.wrote == expected_len && done.content == expected_len);
    CHECK(!memcmp(out, expected, expected_len));
    CHECK(types[i].decode(&call, &limited, &done, &error) == UNSPOOL_ERROR_OUTPUT_LIMIT && error.need == expected_len);
    for (size_t j = 0; j < COUNT; j++) {
      CHECK(types[j].decode(&call, NULL, &done, &error) == (i == j ? 0 : UNSPOOL_ERROR_WRONG_TYPE));
    }
    call.dst_len = expected_len - 1;
    CHECK(types[i].decode(&call, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == expected_len);
    call.dst_len = expected_len;
    call.dst = out + types[i].size / 2;
    CHECK(types[i].decode(&call, NULL, &done, &error) == (types[i].size == 1 ? 0 : UNSPOOL_ERROR_MISALIGNED));
    call.dst = out;
    call.workspace = NULL, call.workspace_len = 0;
    CHECK(types[i].decode(&call, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need % sizeof *words == 0);
    call.workspace = words, call.workspace_len = (size_t)error.need - sizeof *words;
    CHECK(types[i].decode(&call, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == call.workspace_len + sizeof *words);
    call.workspace_len = (size_t)error.need;
    CHECK(types[i].decode(&call, NULL, &done, &error) == 0);
    call.dst = bytes;
    CHECK(types[i].decode(&call, NULL, &done, &error) == UNSPOOL_ERROR_OVERLAP);
    free(out);
    free(expected);
    free(bytes);
  }
  free(words);
}

static void pco(void) {
  static UnspoolPcoFile file;
  static UnspoolPcoMeta meta;
  static UnspoolPcoDecoder decoder;
  UnspoolPcoInfo info;
  UnspoolPcoChunk chunk;
  UnspoolDone done;
  UnspoolStep step = {0};
  size_t len, expected_len, taken = 0;
  uint64_t next = 0, skipped = 0, words[512], small[4];
  uint8_t *bytes = read_file("pco/k_u32_arange.pco", &len), *expected = read_file("pco/k_u32_arange.bin", &expected_len);
  uint8_t *out = malloc(expected_len);
  UnspoolPcoVersion version = {0, 0, 0};
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
  CHECK(chunk.workspace_len == unspool_pco_workspace_len(&meta, chunk.len, UNSPOOL_PCO_BATCHES) && chunk.workspace_len <= sizeof words);
  CHECK(unspool_pco_workspace_len(&meta, chunk.len, UNSPOOL_PCO_WHOLE) <= chunk.workspace_len && unspool_pco_workspace_len(NULL, 5, 0) == 0);
  CHECK(unspool_pco_decode(&file, info.first_chunk, &(UnspoolBuffers){.dst = out, .dst_len = expected_len, .workspace = words, .workspace_len = sizeof words}, &next, &error) == 0 && !memcmp(out, expected, expected_len));
  CHECK(unspool_pco_skip(&file, info.first_chunk, words, sizeof words, &skipped, &error) == 0 && skipped == next);
  CHECK(unspool_pco_skip(&file, info.first_chunk, small, 8, &skipped, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  CHECK(unspool_pco_decode(&file, info.first_chunk, &(UnspoolBuffers){.dst = out, .dst_len = expected_len - 1, .workspace = words, .workspace_len = sizeof words}, &next, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_pco_chunk(&file, skipped, &chunk, &meta, &error) == 0 && chunk.len == 0 && unspool_pco_workspace_len(&meta, 5, UNSPOOL_PCO_BATCHES) == 0);
  CHECK(unspool_pco_chunk(&file, skipped, &chunk, NULL, &error) == 0 && chunk.len == 0);
  CHECK(unspool_pco_decode(&file, skipped, &(UnspoolBuffers){.dst = out, .dst_len = 4, .workspace = words, .workspace_len = sizeof words}, &next, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  memset(out, 0, expected_len);
  CHECK(unspool_pco_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len, .workspace = words, .workspace_len = sizeof words}, NULL, &done, &error) == 0);
  CHECK(done.read == len && done.parts == 1 && done.wrote == expected_len && !memcmp(out, expected, expected_len));
  CHECK(unspool_pco_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len}, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > 0);
  CHECK(unspool_pco_decode_file(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len, .workspace = (uint64_t *)(void *)((uint8_t *)words + 4), .workspace_len = sizeof words - 8}, NULL, &done, &error) == UNSPOOL_ERROR_MISALIGNED);
  free(out);
  free(expected);
  free(bytes);

  CHECK(unspool_pco_version((const uint8_t *)"\4\1", 2, &version, &error) == 0 && version.major == 4 && version.minor == 1 && version.len == 2);
  CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, 99, version.major, NULL, &taken, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
#define SEVENS(bits, type)                                                                                                 \
  do {                                                                                                                     \
    uint##bits##_t *page = (uint##bits##_t *)numbers;                                                                      \
    CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, type, version.major, NULL, &taken, &error) == 0 && taken > 3);            \
    CHECK(unspool_pco_init_##bits(&decoder, &meta, 3, 9, words, sizeof words, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);                 \
    CHECK(unspool_pco_start_##bits(&decoder, 3, 0, &error) == UNSPOOL_ERROR_NOT_INITIALISED);                               \
    CHECK(unspool_pco_init_##bits(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, sizeof words, &error) == 0);                          \
    CHECK(unspool_pco_step_##bits(&decoder, with(&step, NULL, 0, UNSPOOL_END_HERE, page, 3 * bits / 8), &error) == UNSPOOL_ERROR_NOT_INITIALISED); \
    CHECK(unspool_pco_start_##bits(&decoder, 4, 0, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL || error.kind == 0);        \
    CHECK(unspool_pco_start_##bits(&decoder, 3, 0, &error) == 0);                                                          \
    CHECK(unspool_pco_step_##bits(&decoder, with(&step, NULL, 0, UNSPOOL_END_HERE, page, 3 * bits / 8), &error) == 0);                      \
    CHECK(step.status == UNSPOOL_STATUS_DONE && step.wrote == 3 * bits / 8 && page[0] == 7 && page[1] == 7 && page[2] == 7);          \
  } while (0)
  SEVENS(8, UNSPOOL_PCO_U8);
  SEVENS(16, UNSPOOL_PCO_U16);
  SEVENS(32, UNSPOOL_PCO_U32);
  SEVENS(64, UNSPOOL_PCO_U64);
  /* The same without the arithmetic of floats, which are refused. */
#define INTEGERS(bits, type, floats)                                                                                       \
  do {                                                                                                                     \
    uint##bits##_t *page = (uint##bits##_t *)numbers;                                                                      \
    CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, type, version.major, NULL, &taken, &error) == 0);                 \
    CHECK(unspool_pco_init_int_##bits(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, sizeof words, &error) == 0);           \
    CHECK(unspool_pco_start_##bits(&decoder, 3, 0, &error) == 0);                                                          \
    CHECK(unspool_pco_step_##bits(&decoder, with(&step, NULL, 0, UNSPOOL_END_HERE, page, 3 * bits / 8), &error) == 0);     \
    CHECK(step.wrote == 3 * bits / 8 && page[0] == 7 && page[1] == 7 && page[2] == 7);                                     \
    CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, floats, version.major, NULL, &taken, &error) == 0);               \
    CHECK(unspool_pco_init_int_##bits(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, sizeof words, &error) == UNSPOOL_ERROR_WRONG_TYPE); \
    CHECK(unspool_pco_start_##bits(&decoder, 3, 0, &error) == UNSPOOL_ERROR_NOT_INITIALISED);                              \
  } while (0)
  INTEGERS(16, UNSPOOL_PCO_U16, UNSPOOL_PCO_F16);
  INTEGERS(32, UNSPOOL_PCO_U32, UNSPOOL_PCO_F32);
  INTEGERS(64, UNSPOOL_PCO_U64, UNSPOOL_PCO_F64);
  CHECK(unspool_pco_meta(&meta, sevens, sizeof sevens, UNSPOOL_PCO_U64, version.major, NULL, &taken, &error) == 0);
  CHECK(unspool_pco_init_64(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, sizeof words, &error) == 0);
  /* A decoder for one width does not decode another. */
  CHECK(unspool_pco_start_32(&decoder, 3, 0, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_pco_init_32(&decoder, &meta, 3, UNSPOOL_PCO_WHOLE, words, sizeof words, &error) == UNSPOOL_ERROR_WRONG_TYPE);
}

static void gzip(void) {
  /* `hello`, in one stored block. */
  static const uint8_t file[] = "\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0";
  const size_t len = sizeof file;
  uint8_t broken[sizeof file], out[8];
  static UnspoolGzipWorkspace workspace;
  static UnspoolGzipDecoder decoder;
  static uint8_t window[UNSPOOL_GZIP_WINDOW_SIZE];
  UnspoolDone info;
  UnspoolDone done;
  UnspoolStep step = {0};
  CHECK(unspool_gzip_workspace_len() <= sizeof workspace && sizeof workspace == UNSPOOL_GZIP_WORKSPACE_SIZE);
  CHECK(sizeof decoder == UNSPOOL_GZIP_DECODER_SIZE);
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_gzip_inspect(&(UnspoolBuffers){.src = file, .src_len = len, .workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window}, NULL, &info, &error) == 0);
  CHECK(info.content == 5 && info.parts == 1);
  CHECK(unspool_gzip_inspect(&(UnspoolBuffers){.src = file, .src_len = len, .workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = 9}, NULL, &info, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == sizeof window);
  CHECK(unspool_gzip_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == 0);
  CHECK(done.wrote == 5 && done.read == len && done.parts == 1 && done.checks_matched == 1 && !memcmp(out, "hello", 5));
  CHECK(unspool_gzip_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 4, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_gzip_decode(&(UnspoolBuffers){.src = file, .src_len = len - 1, .dst = out, .dst_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == UNSPOOL_ERROR_TRUNCATED);
  CHECK(unspool_gzip_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 8, .workspace = &workspace, .workspace_len = 100}, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  OVERLAPS(unspool_gzip_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = (uint8_t *)&workspace, .dst_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error));
  CHECK(unspool_gzip_step(&decoder, with(&step, file, len, UNSPOOL_END_HERE, out, 8), &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  /* A wrong checksum, which is compared unless checks are skipped. */
  memcpy(broken, file, len);
  broken[len - 8] ^= 1;
  CHECK(unspool_gzip_decode(&(UnspoolBuffers){.src = broken, .src_len = len, .dst = out, .dst_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == UNSPOOL_ERROR_GZIP_CRC && error.at == len - 8);
  CHECK(unspool_gzip_decode(&(UnspoolBuffers){.src = broken, .src_len = len, .dst = out, .dst_len = 8, .workspace = &workspace, .workspace_len = sizeof workspace}, &(UnspoolOptions){.size = sizeof(UnspoolOptions), .checks = UNSPOOL_CHECKS_SKIP}, &done, &error) == 0 && done.wrote == 5 && done.checks_matched == 0);
  CHECK(unspool_gzip_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window}, NULL, &error) == 0);
  OVERLAPS(unspool_gzip_step(&decoder, with(&step, out, 4, UNSPOOL_END_HERE, out, 8), &error));
  CHECK(unspool_gzip_step(&decoder, with(&step, file, 12, UNSPOOL_END_NOT_YET, out, 8), &error) == 0 && step.status == UNSPOOL_STATUS_NEED_INPUT && step.read == 12);
  CHECK(unspool_gzip_step(&decoder, with(&step, file + 12, len - 12, UNSPOOL_END_HERE, out, 8), &error) == 0);
  CHECK(step.wrote == 5 && step.status == UNSPOOL_STATUS_DONE && !memcmp(out, "hello", 5));
  CHECK(unspool_gzip_done(&decoder, &done, &error) == 0 && done.parts == 1 && done.checks_matched == 1);
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
  static UnspoolXzIndex index;
  static UnspoolXzBlock block, found;
  UnspoolXzOptions options = {.size = sizeof options};
  static uint8_t window[1 << 20];
  UnspoolRange range;
  UnspoolDone info;
  UnspoolDone done;
  UnspoolStep step = {0};
  uint64_t size = 0;
  uint8_t out[32];
  CHECK(unspool_xz_workspace_len() <= sizeof workspace && sizeof workspace == UNSPOOL_XZ_WORKSPACE_SIZE);
  CHECK(sizeof decoder == UNSPOOL_XZ_DECODER_SIZE);
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_xz_inspect(&(UnspoolBuffers){.src = file, .src_len = len, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &info, &error) == 0);
  CHECK(info.content == 23 && info.parts == 1 && info.blocks == 1 && info.window <= sizeof window);
  CHECK(unspool_xz_decoded_len(file, len, NULL, &size, &error) == 0 && size == 23);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == 0);
  CHECK(done.wrote == 23 && done.read == len && !memcmp(out, "unspool unspool unspool", 23));
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = sizeof workspace}, &(UnspoolXzOptions){.size = sizeof(UnspoolXzOptions), .checks = UNSPOOL_CHECKS_SKIP, .one_stream = 1}, &done, &error) == 0 && done.wrote == 23);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 22, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == 23);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len - 1, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &done, &error) != 0);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = 100}, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  /* A whole file takes as many contexts as its lc + lp ask for: eight. */
  CHECK(unspool_xz_inspect(&(UnspoolBuffers){.src = file, .src_len = len, .workspace = &workspace, .workspace_len = UNSPOOL_XZ_TABLES_SIZE}, NULL, &info, &error) == 0 && info.content == 23);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = UNSPOOL_XZ_TABLES_SIZE}, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  size = error.need;
  CHECK(size > 7 * UNSPOOL_XZ_CONTEXT_SIZE && size <= UNSPOOL_XZ_TABLES_SIZE + 8 * UNSPOOL_XZ_CONTEXT_SIZE);
  memset(&workspace, 0xA5, sizeof workspace);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = size - 1}, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == size);
  CHECK(unspool_xz_decode(&(UnspoolBuffers){.src = file, .src_len = len, .dst = out, .dst_len = 32, .workspace = &workspace, .workspace_len = size}, NULL, &done, &error) == 0 && done.wrote == 23);
  CHECK(((uint8_t *)&workspace)[size] == 0xA5);
  /* The block that holds byte 10, found in memory and by ranges of the file. */
#define BLOCK(bytes, block, options) \
  unspool_xz_decode_block(&(UnspoolBuffers){.src = (bytes) + (block).file.start, .src_len = (size_t)((block).file.end - (block).file.start), .dst = out, .dst_len = 32, \
                                            .workspace = &workspace, .workspace_len = (size_t)size}, &(block), options, &done, &error)
  CHECK(unspool_xz_locate(file, len, 10, NULL, &block, &error) == 0 && block.content.start == 0 && block.content.end == 23 && block.check == 1);
  CHECK(BLOCK(file, block, NULL) == 0 && done.wrote == 23 && done.checks_matched == 1);
  CHECK(unspool_xz_locate(file, len, 23, NULL, &block, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_xz_index_needs(&index, &range, &error) == UNSPOOL_ERROR_NOT_INITIALISED && sizeof index == UNSPOOL_XZ_INDEX_SIZE);
  CHECK(unspool_xz_index_init(&index, len, 10, NULL, &error) == 0);
  CHECK(unspool_xz_index_found(&index, &found, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  OVERLAPS(unspool_xz_index_feed(&index, 0, &index, 9, &error));
  for (;;) {
    CHECK(unspool_xz_index_needs(&index, &range, &error) == 0);
    if (range.start == range.end) break;
    CHECK(unspool_xz_index_feed(&index, range.start, file + range.start, (size_t)(range.end - range.start) - 1, &error) == UNSPOOL_ERROR_TRUNCATED);
    CHECK(unspool_xz_index_feed(&index, range.start, file + range.start, (size_t)(range.end - range.start), &error) == 0);
  }
  CHECK(unspool_xz_index_found(&index, &found, &error) == 0 && found.check == block.check);
  CHECK(!memcmp(&found.file, &block.file, sizeof found.file) && !memcmp(&found.content, &block.content, sizeof found.content));
  CHECK(BLOCK(file, found, NULL) == 0 && done.wrote == 23 && !memcmp(out, "unspool unspool unspool", 23));
  CHECK(unspool_xz_step(&decoder, with(&step, file, len, UNSPOOL_END_HERE, out, 32), &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  /* A wrong check, which is compared unless checks are skipped. */
  memcpy(broken, file, len);
  broken[len - 24] ^= 1;
  CHECK(BLOCK(broken, found, NULL) == UNSPOOL_ERROR_XZ_CHECK);
  options.checks = UNSPOOL_CHECKS_SKIP;
  CHECK(BLOCK(broken, found, &options) == 0 && done.wrote == 23 && done.checks_matched == 0);
  options.checks = UNSPOOL_CHECKS_REPORT;
  CHECK(BLOCK(broken, found, &options) == 0 && done.checks_mismatched == 1);
  options.checks = 3;
  CHECK(BLOCK(broken, found, &options) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_xz_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window}, &(UnspoolXzOptions){.size = sizeof(UnspoolXzOptions), .checks = UNSPOOL_CHECKS_SKIP, .one_stream = 1}, &error) == 0);
  CHECK(unspool_xz_step(&decoder, with(&step, broken, len, UNSPOOL_END_HERE, out, 32), &error) == 0 && step.wrote == 23 && step.status == UNSPOOL_STATUS_DONE);
  CHECK(unspool_xz_init(&decoder, &(UnspoolBuffers){.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = 1}, NULL, &error) == 0);
  CHECK(unspool_xz_step(&decoder, with(&step, file, 20, UNSPOOL_END_NOT_YET, out, 32), &error) == 0 && step.status == UNSPOOL_STATUS_NEED_INPUT);
  size = step.read;
  while (!unspool_xz_step(&decoder, with(&step, file + size, len - (size_t)size, UNSPOOL_END_HERE, out, 32), &error)) size += step.read;
  CHECK(error.kind == UNSPOOL_ERROR_XZ_WINDOW_BUFFER && error.need == info.window);
  CHECK(unspool_xz_lend(&decoder, window, (size_t)error.need, &error) == 0);
  CHECK(unspool_xz_step(&decoder, with(&step, file + size, len - (size_t)size, UNSPOOL_END_HERE, out, 32), &error) == 0);
  CHECK(step.wrote == 23 && !memcmp(out, "unspool unspool unspool", 23));
  CHECK(unspool_xz_lend(&decoder, window, sizeof window, &error) == UNSPOOL_ERROR_WINDOW_IN_USE);
  CHECK(unspool_xz_done(&decoder, &done, &error) == 0 && done.read <= len);
}

/* Options and limits of another size are those of another header. */
static void sizes(void) {
  static const uint8_t frame[] = "\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
  static UnspoolZstdWorkspace workspace;
  uint8_t out[16];
  UnspoolLimits limits = {.size = sizeof limits - 1};
  UnspoolZstdOptions options = {.size = sizeof options, .limits = &limits};
  const UnspoolBuffers buffers = {.src = frame, .src_len = sizeof frame - 1, .dst = out, .dst_len = sizeof out,
                                  .workspace = &workspace, .workspace_len = sizeof workspace};
  CHECK(unspool_zstd_decode(&buffers, &options, NULL, &error) == UNSPOOL_ERROR_WRONG_HEADER && unspool_error_class(error.kind) == UNSPOOL_CLASS_MISUSE);
  limits.size = sizeof limits;
  CHECK(unspool_zstd_decode(&buffers, &options, NULL, &error) == 0);
  options.size = sizeof options + 1;
  CHECK(unspool_zstd_decode(&buffers, &options, NULL, &error) == UNSPOOL_ERROR_WRONG_HEADER);
  CHECK(unspool_zstd_decode(NULL, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  /* A limit of 0 is the default, not nothing. */
  options.size = sizeof options;
  limits.max_output = 8;
  CHECK(unspool_zstd_decode(&buffers, &options, NULL, &error) == UNSPOOL_ERROR_OUTPUT_LIMIT);
  limits.max_output = 9;
  CHECK(unspool_zstd_decode(&buffers, &options, NULL, &error) == 0);
}

/* A file at the end of its own output, with the margin that it needs and with one byte less. */
static void in_place(void) {
  static UnspoolZstdWorkspace workspace;
  size_t len, expected_len, cut;
  uint8_t *file = read_file("zstd/page.zst", &len), *expected = read_file("xz/page.csv", &expected_len);
  uint64_t margin = 0;
  UnspoolDone done;
  CHECK(unspool_zstd_in_place_margin(file, len, NULL, &margin, &error) == 0 && margin > 0 && margin < len);
  for (cut = 0; cut < 2; cut++) {
    UnspoolBuffers buffers = {.dst_len = expected_len + (size_t)margin - cut, .src_len = len,
                              .workspace = &workspace, .workspace_len = sizeof workspace};
    uint8_t *dst = malloc(buffers.dst_len);
    if (!dst) exit(2);
    memcpy(dst + buffers.dst_len - len, file, len);
    buffers.dst = dst;
    buffers.src = dst;
    CHECK(unspool_zstd_decode_in_place(&buffers, NULL, &done, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
    buffers.src = dst + buffers.dst_len - len;
    if (cut) {
      CHECK(unspool_zstd_decode_in_place(&buffers, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
    } else {
      CHECK(unspool_zstd_decode_in_place(&buffers, NULL, &done, &error) == 0);
      CHECK(done.wrote == expected_len && !memcmp(dst, expected, expected_len));
    }
    free(dst);
  }
  free(expected);
  free(file);
}

/* A dictionary with its tables prepared decodes the same, and one that is broken is refused. */
static void dictionaries(void) {
  static UnspoolZstdWorkspace workspace, tables;
  static UnspoolZstdDictionary dictionary;
  size_t len, file_len, i;
  uint8_t *bytes = read_file("zstd/draft/dict-id13", &len), *file = read_file("zstd/draft/dict-json-s56.zst", &file_len);
  UnspoolZstdOptions options = {.size = sizeof options, .dictionary = &dictionary, .flavour = UNSPOOL_ZSTD_DRAFT};
  UnspoolBuffers buffers = {.src = file, .src_len = file_len, .workspace = &workspace, .workspace_len = sizeof workspace};
  UnspoolDone done;
  uint8_t *out[3];
  uint64_t size = 0;
  CHECK(unspool_zstd_decoded_len(&buffers, &options, &size, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  options.dictionary = NULL;
  CHECK(unspool_zstd_decoded_len(&buffers, &options, &size, &error) == UNSPOOL_ERROR_ZSTD_DICTIONARY_WANTED);
  options.dictionary = &dictionary;
  CHECK(sizeof dictionary == UNSPOOL_ZSTD_DICTIONARY_SIZE);
  CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_DRAFT, &tables, sizeof tables, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_zstd_dictionary_init(&dictionary, bytes, 12, 0, &error) == 0);
  CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_DRAFT, &tables, sizeof tables, &error) == UNSPOOL_ERROR_ZSTD_DICTIONARY);
  CHECK(unspool_zstd_dictionary_init(&dictionary, bytes, len, 0, &error) == 0);
  CHECK(unspool_zstd_decoded_len(&buffers, &options, &size, &error) == 0 && size > 0);
  /* Not prepared; prepared for the format of the file; prepared for another one. */
  memset(&tables, 0xA5, sizeof tables);
  for (i = 0; i < 3; i++) {
    buffers.dst = out[i] = malloc((size_t)size);
    buffers.dst_len = (size_t)size;
    if (!out[i]) exit(2);
    if (i) CHECK(unspool_zstd_dictionary_prepare(&dictionary, i == 1 ? UNSPOOL_ZSTD_DRAFT : UNSPOOL_ZSTD_RFC8878, &tables, sizeof tables, &error) == 0);
    CHECK(unspool_zstd_decode(&buffers, &options, &done, &error) == 0 && done.wrote == size && !memcmp(out[0], out[i], done.wrote));
  }
  CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_ANY, &tables, sizeof tables, &error) == UNSPOOL_ERROR_BAD_ARGUMENT);
  CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_DRAFT, &tables, 9, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  /* The tables are lent: nothing may write to them, nor to the bytes. */
  buffers.dst = &tables;
  OVERLAPS(unspool_zstd_decode(&buffers, &options, &done, &error));
  buffers.dst = bytes;
  buffers.dst_len = len;
  OVERLAPS(unspool_zstd_decode(&buffers, &options, &done, &error));
  /* If preparing fails, the last tables are gone: frames read them from the bytes again. */
  buffers.dst = out[1];
  buffers.dst_len = (size_t)size;
  CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_DRAFT, &tables, sizeof tables, &error) == 0);
  for (i = 0; i < 2; i++) {
    bytes[8] ^= 0xFF;
    if (!i) CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_DRAFT, &tables, sizeof tables, &error) == UNSPOOL_ERROR_ZSTD_DICTIONARY);
  }
  memset(&tables, 0xA5, sizeof tables);
  CHECK(unspool_zstd_decode(&buffers, &options, &done, &error) == 0 && !memcmp(out[0], out[1], done.wrote));
  /* The same bytes as plain content: the frame wants the dictionary of its number. There is nothing
   * to prepare, so the workspace is free. */
  CHECK(unspool_zstd_dictionary_init(&dictionary, bytes, len, 1, &error) == 0);
  CHECK(unspool_zstd_dictionary_prepare(&dictionary, UNSPOOL_ZSTD_DRAFT, &workspace, sizeof workspace, &error) == 0);
  CHECK(unspool_zstd_decode(&buffers, &options, &done, &error) == UNSPOOL_ERROR_ZSTD_DICTIONARY_WANTED);
  for (i = 0; i < 3; i++) free(out[i]);
  free(file);
  free(bytes);
}

/* A store in memory, beside an older image. */
typedef struct {
  uint8_t *bytes;
  const uint8_t *old;
  uint64_t wrote;
  unsigned pages;
  /* Calls until one fails, and whether it did. */
  unsigned calls, failed;
} Flash;

/* Counts a call. Returns 77 for the one that fails. */
static uint8_t counted(Flash *flash) {
  if (--flash->calls) return 0;
  flash->failed = 1;
  return 77;
}

static uint8_t read_flash(void *context, uint64_t at, void *into, size_t len) {
  Flash *flash = context;
  if (at + len > flash->wrote) exit(1);
  memcpy(into, flash->bytes + at, len);
  return counted(flash);
}

static uint8_t write_flash(void *context, uint64_t at, const void *page, size_t len) {
  Flash *flash = context;
  /* In order, and never after a failure. */
  if (at != flash->wrote || flash->failed) exit(1);
  memcpy(flash->bytes + at, page, len);
  flash->wrote += len;
  flash->pages++;
  return counted(flash);
}

static uint8_t read_old(void *context, uint64_t at, void *into, size_t len) {
  Flash *flash = context;
  memcpy(into, flash->old + at, len);
  return counted(flash);
}

static void stores(void) {
  static UnspoolZstdWorkspace workspace;
  static UnspoolZstdDictionary dictionary;
  static uint64_t tables[(UNSPOOL_XZ_TABLES_SIZE + UNSPOOL_XZ_CONTEXT_SIZE) / 8];
  static const size_t lens[] = {1, 1000, 4096, 40000};
  size_t old_len, len, xz_len, size, i;
  uint8_t *old = read_file("patch/old.bin", &old_len), *patch = read_file("patch/update.zst", &len), *xz = read_file("patch/restore.xz", &xz_len);
  uint8_t *expected = malloc(40000), *page = malloc(40000);
  Flash flash = {malloc(40000), old, 0, 0, 0, 0}, fresh = flash;
  UnspoolStore store = {.size = sizeof store, .context = &flash, .capacity = 40000, .read = read_flash, .write = write_flash}, bad;
  UnspoolZstdOptions options = {.size = sizeof options, .dictionary = &dictionary};
  const UnspoolZstdOptions plain = {.size = sizeof plain};
  UnspoolBuffers buffers = {.src = patch, .src_len = len, .workspace = &workspace, .workspace_len = sizeof workspace, .dst = expected, .dst_len = 40000};
  UnspoolBuffers restore = {.src = xz, .src_len = xz_len, .workspace = tables, .workspace_len = sizeof tables};
  UnspoolDone done, stored;
  if (!expected || !page || !flash.bytes) exit(2);

  CHECK(unspool_zstd_dictionary_init(&dictionary, old, old_len, 1, &error) == 0);
  CHECK(unspool_zstd_decode(&buffers, &options, &done, &error) == 0 && done.checks_matched == 1);
  size = done.wrote;
  buffers.dst = NULL;
  buffers.dst_len = 0;
  /* Pages of any length: with the old image in memory, with one that is read, and without one. */
  for (i = 0; i < 3 * sizeof lens / sizeof *lens; i++) {
    const size_t page_len = lens[i / 3];
    buffers.scratch = restore.scratch = page;
    buffers.scratch_len = restore.scratch_len = page_len;
    flash = fresh;
    memset(flash.bytes, 0, 40000);
    memset(&workspace, (int)(0xA5 + i), sizeof workspace);
    memset(tables, (int)(0xA5 + i), sizeof tables);
    store.old_len = i % 3 == 1 ? old_len : 0;
    store.read_old = i % 3 == 1 ? read_old : NULL;
    if (i % 3 < 2) {
      CHECK(unspool_zstd_decode_to_store(&buffers, &store, i % 3 == 1 ? &plain : &options, &stored, &error) == 0);
      CHECK(stored.wrote == size && stored.read == len && stored.checks_matched == 1);
    } else {
      CHECK(unspool_xz_decode_to_store(&restore, &store, NULL, &stored, &error) == 0);
      CHECK(stored.wrote == size && stored.read == xz_len && stored.checks_matched > 0);
    }
    CHECK(flash.wrote == size && flash.pages == (size + page_len - 1) / page_len && !memcmp(flash.bytes, expected, size));
  }

  /* A function that fails, at once or later: of each kind. */
  buffers.scratch_len = restore.scratch_len = 1000;
  for (i = 1; i < 2000; i = i * 3 + 1) {
    flash = fresh;
    flash.calls = (unsigned)i;
    store.old_len = old_len;
    store.read_old = read_old;
    if (unspool_zstd_decode_to_store(&buffers, &store, &plain, NULL, &error)) CHECK(error.kind == UNSPOOL_ERROR_STORE_FAILED && error.at < len && flash.failed);
    else CHECK(i > 100 && !flash.failed);
    flash = fresh;
    flash.calls = (unsigned)i;
    if (unspool_xz_decode_to_store(&restore, &store, NULL, NULL, &error)) CHECK(error.kind == UNSPOOL_ERROR_STORE_FAILED && error.at <= xz_len && flash.failed);
    else CHECK(i > 30 && !flash.failed);
  }

  /* Cut files: the error of a slice, and the last page is never written. */
  for (i = 0; i < len; i += 1 + i / 8) {
    UnspoolErrorKind kind;
    buffers.src_len = i;
    flash = fresh;
    kind = unspool_zstd_decode_to_store(&buffers, &store, &plain, NULL, &error);
    CHECK(kind != 0 && flash.wrote < size);
    CHECK(unspool_zstd_decode(&(UnspoolBuffers){.src = patch, .src_len = i, .dst = expected, .dst_len = 40000, .workspace = &workspace, .workspace_len = sizeof workspace}, &options, NULL, &error) == kind);
  }
  buffers.src_len = len;

  /* A store that is too small, and misuse. */
  flash = fresh;
  bad = store;
  bad.capacity = size - 1;
  CHECK(unspool_zstd_decode_to_store(&buffers, &bad, &plain, NULL, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && flash.pages == 0);
  CHECK(unspool_xz_decode_to_store(&restore, &bad, NULL, NULL, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  flash = fresh;
  CHECK(unspool_zstd_decode_to_store(&buffers, NULL, &plain, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_xz_decode_to_store(&restore, NULL, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  for (i = 0; i < 4; i++) {
    bad = store;
    if (i == 0) bad.size--;
    if (i == 1) bad.read = NULL;
    if (i == 2) bad.write = NULL;
    if (i == 3) bad.read_old = NULL;
    CHECK(unspool_zstd_decode_to_store(&buffers, &bad, &plain, NULL, &error) == (i ? UNSPOOL_ERROR_NULL_POINTER : UNSPOOL_ERROR_WRONG_HEADER));
    CHECK(unspool_xz_decode_to_store(&restore, &bad, NULL, NULL, &error) == (i ? UNSPOOL_ERROR_NULL_POINTER : UNSPOOL_ERROR_WRONG_HEADER));
  }
  buffers.scratch_len = restore.scratch_len = 0;
  CHECK(unspool_zstd_decode_to_store(&buffers, &store, &plain, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == 1);
  CHECK(unspool_xz_decode_to_store(&restore, &store, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  buffers.scratch_len = 1000;
  buffers.workspace_len = restore.workspace_len = 9;
  CHECK(unspool_zstd_decode_to_store(&buffers, &store, &plain, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == unspool_zstd_workspace_len());
  CHECK(unspool_xz_decode_to_store(&restore, &store, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > 9);
  buffers.workspace_len = sizeof workspace;
  /* The page is written: it must not be the file, the tables, or the old image. */
  buffers.scratch = patch + 5;
  CHECK(unspool_zstd_decode_to_store(&buffers, &store, &plain, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  buffers.scratch = &workspace;
  CHECK(unspool_zstd_decode_to_store(&buffers, &store, &plain, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  buffers.scratch = old;
  CHECK(unspool_zstd_decode_to_store(&buffers, &store, &options, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(flash.pages == 0);
  free(flash.bytes);
  free(page);
  free(expected);
  free(xz);
  free(patch);
  free(old);
}

/* A bundle of two files: `hi`, stored as it is, and an empty one. */
static void bundles(void) {
  static const uint8_t file[] =
      "AT1\x02\x0C\x03" "\x08manifest\x02\x22[{\"name\":\"a/\\u00e9\"},{\"name\":\"b\"}]"
      "\x02" "e0\x02\x08" "AT1\x02\xFF\x02hi" "\x02" "e1\x02\x06" "AT1\x02\xFF\x02";
  static UnspoolAt1Workspace workspace;
  static UnspoolAt1Bundle bundle;
  uint8_t name[8], inner[16], out[16], scratch[64], found = 9;
  UnspoolBuffers buffers = {.src = file, .src_len = sizeof file - 1, .workspace = &workspace, .workspace_len = sizeof workspace,
                            .scratch = scratch, .scratch_len = sizeof scratch};
  UnspoolBuffers taken = {.dst = inner, .dst_len = sizeof inner, .workspace = &workspace, .workspace_len = sizeof workspace};
  UnspoolBuffers decoded = {.src = inner, .dst = out, .dst_len = sizeof out, .workspace = &workspace, .workspace_len = sizeof workspace};
  UnspoolDone done;
  uint64_t size = 0;
  size_t len = 0;
  CHECK(sizeof bundle == UNSPOOL_AT1_BUNDLE_SIZE);
  CHECK(unspool_at1_bundle_next(&bundle, &found, &error) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(unspool_at1_bundle_open(&bundle, &buffers, NULL, &error) == 0);
  CHECK(unspool_at1_bundle_len(&bundle, &size, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_at1_bundle_next(&bundle, &found, &error) == 0 && found == 1);
  CHECK(unspool_at1_bundle_name(&bundle, name, 3, &len, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && len == 4 && error.need == 4);
  CHECK(unspool_at1_bundle_name(&bundle, name, sizeof name, &len, &error) == 0 && len == 4 && !memcmp(name, "a/\xC3\xA9", 4));
  CHECK(unspool_at1_bundle_len(&bundle, &size, &error) == 0 && size == 8);
  taken.dst_len = 7;
  CHECK(unspool_at1_bundle_read(&bundle, &taken, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == 8);
  taken.dst_len = sizeof inner;
  CHECK(unspool_at1_bundle_read(&bundle, &taken, &done, &error) == 0 && done.wrote == 8);
  decoded.src_len = done.wrote;
  CHECK(unspool_at1_decode(&decoded, NULL, &done, &error) == 0 && done.wrote == 2 && !memcmp(out, "hi", 2));
  taken.dst = scratch;
  OVERLAPS(unspool_at1_bundle_read(&bundle, &taken, &done, &error));
  OVERLAPS(unspool_at1_bundle_name(&bundle, scratch, 9, &len, &error));
  taken.dst = inner;
  CHECK(unspool_at1_bundle_next(&bundle, &found, &error) == 0 && found == 1);
  CHECK(unspool_at1_bundle_read(&bundle, &taken, &done, &error) == 0 && done.wrote == 6);
  decoded.src_len = done.wrote;
  CHECK(unspool_at1_decode(&decoded, NULL, &done, &error) == 0 && done.wrote == 0);
  CHECK(unspool_at1_bundle_next(&bundle, &found, &error) == 0 && found == 0);
  CHECK(unspool_at1_bundle_next(&bundle, &found, &error) == 0 && found == 0);
  /* Cut everywhere: an error, or a walk that ends. */
  for (len = 0; len < sizeof file - 1; len++) {
    buffers.src_len = len;
    if (unspool_at1_bundle_open(&bundle, &buffers, NULL, &error)) continue;
    while (!unspool_at1_bundle_next(&bundle, &found, &error) && found) continue;
    CHECK(error.kind != 0);
  }
}

static void at1(void) {
  size_t len, expected_len;
  uint8_t *bytes = read_file("at1/c4_all_quoted.at1", &len), *expected = read_file("at1/c4_all_quoted.orig", &expected_len);
  UnspoolAt1Workspace *workspace = malloc(sizeof *workspace);
  UnspoolAt1Info info;
  UnspoolDone done;
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
    if (!unspool_at1_decoded_len(&(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = room, .workspace = workspace, .workspace_len = sizeof *workspace}, NULL, &size, &error)) break;
    CHECK(unspool_error_class(error.kind) == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > room);
    free(scratch);
    room = (size_t)error.need;
  }
  CHECK(size == expected_len);
  CHECK(unspool_at1_decode(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len, .scratch = scratch, .scratch_len = room, .workspace = workspace, .workspace_len = sizeof *workspace}, NULL, &done, &error) == 0);
  CHECK(done.wrote == expected_len && done.checks_matched == info.hashed && !memcmp(out, expected, expected_len));
  CHECK(unspool_at1_decode(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len - 1, .scratch = scratch, .scratch_len = room, .workspace = workspace, .workspace_len = sizeof *workspace}, NULL, &done, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL);
  CHECK(unspool_at1_decode(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len, .scratch = out, .scratch_len = 1, .workspace = workspace, .workspace_len = sizeof *workspace}, NULL, &done, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_at1_decode(&(UnspoolBuffers){.src = bytes, .src_len = len, .dst = out, .dst_len = expected_len, .workspace = workspace, .workspace_len = sizeof *workspace}, NULL, &done, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
  free(scratch);

  /* The same with a function as output. */
  room = (size_t)info.scratch_len_to;
  scratch = malloc(room);
  if (!scratch) exit(2);
  rest[0] = expected, rest[1] = expected + expected_len;
  CHECK(unspool_at1_decode_to(&(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = room, .workspace = workspace, .workspace_len = sizeof *workspace}, same_bytes, rest, NULL, &done, &error) == 0);
  CHECK(done.wrote == expected_len && rest[0] == rest[1]);
  rest[0] = expected, rest[1] = expected + expected_len - 1;
  CHECK(unspool_at1_decode_to(&(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = room, .workspace = workspace, .workspace_len = sizeof *workspace}, same_bytes, rest, NULL, NULL, &error) == UNSPOOL_ERROR_SINK_FULL);
  CHECK(unspool_at1_decode_to(&(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = room, .workspace = workspace, .workspace_len = sizeof *workspace}, NULL, rest, NULL, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_at1_decode_to(&(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = room - 1, .workspace = workspace, .workspace_len = sizeof *workspace}, same_bytes, rest, NULL, NULL, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL);
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
  static char texts[4][16] = {"ts", "1700000010", "\"buy\"", "val"};
  UnspoolAt1Filter filters[] = {{{texts[0], 2, 0}, NULL, 0, NULL, 0, texts[1], 10},
                                {{(const uint8_t *)"type", 4, 0}, texts[2], 5, NULL, 0, NULL, 0}};
  UnspoolAt1Column columns[] = {{texts[3], 3, 0}, {NULL, 0, 1}};
  UnspoolAt1Request request = {filters, 2, columns, 1, 0, UNSPOOL_AT1_COLUMNS};
  UnspoolAt1Next next;
  UnspoolAt1Answer answer;
  UnspoolAt1Stats stats;
  const void *value = NULL;
  size_t len, value_len = 0, wrote = 0, head, room, i, at;
  uint8_t *bytes = read_file("at1/c8_events.at1", &len), line[80];
  static const char row_0[] = "{\"type\":\"click\",\"ts\":1700000000,\"val\":5.183}";
#define INIT(n, head_len, room) \
  unspool_at1_query_init(&query, &request, terms, n, &(UnspoolBuffers){.src = bytes, .src_len = head_len, .scratch = scratch, .scratch_len = room, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &error)
#define STEP(at, from, to) unspool_at1_query_step(&query, at, from, to, &next, &error)

  CHECK(sizeof query == UNSPOOL_AT1_QUERY_SIZE && sizeof(UnspoolAt1Term) == UNSPOOL_AT1_TERM_WORDS * 8);
  CHECK(STEP(0, NULL, 0) == UNSPOOL_ERROR_NOT_INITIALISED);
  CHECK(INIT(2, len, sizeof scratch) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == 3);
  CHECK(INIT(3, 12, sizeof scratch) == UNSPOOL_ERROR_TRUNCATED && error.need > 12);
  CHECK(INIT(3, len, 0) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > 0);
  CHECK(unspool_at1_query_init(&query, NULL, terms, 3, &(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = sizeof scratch, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_at1_query_init(&query, &request, NULL, 3, &(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = scratch, .scratch_len = sizeof scratch, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &error) == UNSPOOL_ERROR_NULL_POINTER);
  CHECK(unspool_at1_query_init(&query, &request, terms, 3, &(UnspoolBuffers){.src = scratch, .src_len = 9, .scratch = scratch, .scratch_len = sizeof scratch, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &error) == UNSPOOL_ERROR_OVERLAP);
  /* No name and no value may be in memory that the query writes. */
  for (i = 0; i < 5; i++) {
    const void **members[] = {&filters[0].column.name, &filters[0].low, &filters[0].high, &filters[1].equal, &columns[0].name};
    const void *const places[] = {&query, terms, scratch, &workspace, scratch + sizeof scratch - 2};
    const void *text = *members[i];
    filters[0].low_len = i == 1 ? 2 : 0;
    for (at = 0; at < 5; at++) {
      *members[i] = places[at];
      OVERLAPS(INIT(3, len, sizeof scratch));
    }
    *members[i] = text;
    filters[0].low_len = 0;
  }
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
    if (unspool_error_class(error.kind) == UNSPOOL_CLASS_TRUNCATED) head = (size_t)error.need;
    else room = (size_t)error.need;
    CHECK(head <= len && room <= sizeof scratch);
  }
  CHECK(STEP(0, NULL, 0) == 0 && next.kind == UNSPOOL_AT1_NEXT_BYTES && next.end <= len && next.start < next.end);
  CHECK(STEP(next.start + 1, bytes + next.start + 1, 1) == 0 && next.kind == UNSPOOL_AT1_NEXT_BYTES);
  CHECK(unspool_at1_query_value(&query, 0, &value, &value_len, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(STEP(next.start, bytes + next.start, (size_t)(next.end - next.start)) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need > room);
  CHECK(unspool_at1_query_lend(&query, longer, room - 1, &error) == UNSPOOL_ERROR_WORKSPACE_TOO_SMALL && error.need == room);
  CHECK(unspool_at1_query_lend(&query, scratch + 1, sizeof scratch - 1, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_at1_query_lend(&query, terms, sizeof terms, &error) == UNSPOOL_ERROR_OVERLAP);
  for (i = 0; i < 4; i++) OVERLAPS(unspool_at1_query_lend(&query, texts[i], sizeof texts[i], &error));
  CHECK(unspool_at1_query_lend(&query, longer, sizeof longer, &error) == 0);
  memset(scratch, 0xA5, sizeof scratch);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_ROW && next.row == 1 && next.values == 1);
  CHECK(next.start == 0 && next.end == len);
  CHECK(unspool_at1_query_value(&query, 0, &value, &value_len, &error) == 0 && value_len == 5 && !memcmp(value, "3.402", 5));
  CHECK(unspool_at1_query_value(&query, 1, &value, &value_len, &error) == UNSPOOL_ERROR_RANGE_OUTSIDE);
  CHECK(unspool_at1_query_line(&query, line, sizeof line, &wrote, &error) == UNSPOOL_ERROR_AT1_QUERY_LINE);
  for (i = 0; i < 4; i++) OVERLAPS(unspool_at1_query_line(&query, texts[i], sizeof texts[i], &wrote, &error));
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
  CHECK(unspool_at1_query_init(&query, &request, NULL, 0, &(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = longer, .scratch_len = sizeof longer, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &error) == 0);
  /* A step reads no memory that was lent. */
  CHECK(STEP(0, longer + 9, 9) == UNSPOOL_ERROR_OVERLAP && STEP(0, (uint8_t *)&workspace + 9, 9) == UNSPOOL_ERROR_OVERLAP);
  CHECK(STEP(0, (uint8_t *)&query + 9, 9) == UNSPOOL_ERROR_OVERLAP);
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_ROW && next.row == 0 && next.values == 3);
  CHECK(unspool_at1_query_line(&query, &workspace, 99, &wrote, &error) == UNSPOOL_ERROR_OVERLAP);
  CHECK(unspool_at1_query_line(&query, line, sizeof row_0 - 2, &wrote, &error) == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need == sizeof row_0 - 1);
  CHECK(unspool_at1_query_line(&query, line, sizeof line, &wrote, &error) == 0 && wrote == sizeof row_0 - 1 && !memcmp(line, row_0, wrote));
  CHECK(STEP(0, bytes, len) == 0 && next.kind == UNSPOOL_AT1_NEXT_NOTHING);

  /* A sum of two numbers, and the larger one of them. */
  request.filters_len = 2;
  request.columns_len = 1;
  request.limit = 0;
  for (request.ask = UNSPOOL_AT1_SUM; request.ask <= UNSPOOL_AT1_MAX; request.ask++) {
    CHECK(unspool_at1_query_init(&query, &request, terms, 3, &(UnspoolBuffers){.src = bytes, .src_len = len, .scratch = longer, .scratch_len = sizeof longer, .workspace = &workspace, .workspace_len = sizeof workspace}, NULL, &error) == 0);
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
  sizes();
  in_place();
  dictionaries();
  stores();
  bundles();
  cvc();
  onpair();
  pco();
  pco_types();
  xz();
  gzip();
  at1();
  at1_query();
  printf("%d checks\n", checks);
  return 0;
}

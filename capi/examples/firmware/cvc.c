/* Embedding vectors: rows from a file in flash, and a file that arrives in pieces of 64 bytes. */
#include "board.h"
#include "unspool/cvc.h"

STACK(2048);

FILE_IN_FLASH(file, "cvc/v1_fp16.cvc");
FILE_IN_FLASH(expected, "cvc/v1_fp16.f32.bin");

static UnspoolCvcFile opened;
static UnspoolCvcColumn column;
static UnspoolCvcDecoder decoder;
static float values[64];
static uint8_t workspace[2048], out[60];

static int by_rows(void) {
  UnspoolCvcInfo info;
  UnspoolCvcColumnInfo about;
  UnspoolDone done;
  const UnspoolBuffers buffers = {.src = file, .src_len = LEN(file), .dst = values, .dst_len = sizeof values};
  uint64_t row;
  size_t at = 0;
  if (unspool_cvc_open(&opened, file, LEN(file), NULL, NULL)) return 1;
  if (unspool_cvc_info(&opened, &info, NULL) || unspool_cvc_column(&column, &opened, 0, NULL)) return 2;
  if (unspool_cvc_column_info(&column, &about, NULL) || about.dimension > 64) return 3;
  for (row = 0; row < info.rows; row++) {
    if (unspool_cvc_decode_f32(&column, row, row + 1, &buffers, UNSPOOL_CHECKS_VERIFY, &done, NULL)) return 4;
    if (at + done.wrote > LEN(expected) || !same((const uint8_t *)values, expected + at, done.wrote)) return 5;
    at += done.wrote;
  }
  return at != LEN(expected);
}

static int by_stream(void) {
  const UnspoolBuffers buffers = {.workspace = workspace, .workspace_len = sizeof workspace};
  UnspoolStep step = {.dst = out, .dst_len = sizeof out};
  size_t at = 0, wrote = 0;
  if (unspool_cvc_init(&decoder, &buffers, NULL, NULL)) return 1;
  while (step.status != UNSPOOL_STATUS_DONE) {
    step.src = file + at;
    step.src_len = LEN(file) - at < 64 ? LEN(file) - at : 64;
    step.end = at + step.src_len == LEN(file);
    if (unspool_cvc_step(&decoder, &step, NULL)) return 2;
    if (wrote + step.wrote > LEN(expected) || !same(out, expected + wrote, step.wrote)) return 3;
    at += step.read;
    wrote += step.wrote;
  }
  return wrote != LEN(expected);
}

/* A truncated file is refused, and the device goes on. */
static int cut(void) {
  UnspoolError error;
  return unspool_cvc_open(&opened, file, 40, NULL, &error) == 0 || error.kind != UNSPOOL_ERROR_TRUNCATED;
}

int main(void) {
  say("cvc");
  return by_rows() || by_stream() || cut();
}

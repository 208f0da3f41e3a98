/* Zstandard: a frame in flash in one call, and the same in pieces of 64 bytes. */
#include "board.h"
#include "unspool.h"

STACK(3072);

/* The frame has a checksum, so a call that succeeds has decoded the original bytes. */
FILE_IN_FLASH(file, "zstd/rfc8878/s-rand33.zst");

static UnspoolZstdWorkspace workspace;
static UnspoolZstdDecoder decoder;
static uint8_t out[1536], piece[64], window[6144];

static int whole(size_t *len) {
  UnspoolZstdDone done;
  if (unspool_zstd_decode(file, LEN(file), out, sizeof out, &workspace, sizeof workspace, NULL, NULL, &done, NULL)) return 1;
  *len = done.wrote;
  return done.checksums != 1;
}

static int by_stream(size_t expected) {
  UnspoolZstdInfo info;
  UnspoolStep step = {0, 0, UNSPOOL_STATUS_NEED_INPUT};
  size_t at = 0, wrote = 0;
  if (unspool_zstd_info(file, LEN(file), &info, NULL) || info.stream_buffer > sizeof window) return 1;
  if (unspool_zstd_init(&decoder, &workspace, sizeof workspace, window, sizeof window, NULL, NULL, NULL)) return 2;
  while (step.status != UNSPOOL_STATUS_DONE) {
    size_t len = LEN(file) - at < 64 ? LEN(file) - at : 64;
    if (unspool_zstd_step(&decoder, file + at, len, at + len == LEN(file), piece, sizeof piece, &step, NULL)) return 3;
    if (wrote + step.wrote > expected || !same(piece, out + wrote, step.wrote)) return 4;
    at += step.read;
    wrote += step.wrote;
  }
  return wrote != expected;
}

int main(void) {
  size_t len;
  say("zstd");
  return whole(&len) || by_stream(len);
}

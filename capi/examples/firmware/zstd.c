/* Zstandard: a frame in flash in one call, and the same in pieces of 64 bytes. */
#include "board.h"
#include "unspool/zstd.h"

STACK(3072);

/* The frame has a checksum, so a call that succeeds has decoded the original bytes. */
FILE_IN_FLASH(file, "zstd/rfc8878/s-rand33.zst");

static UnspoolZstdWorkspace workspace;
static UnspoolZstdDecoder decoder;
static uint8_t out[1536], piece[64], window[6144];

static int whole(size_t *len) {
  UnspoolDone done;
  const UnspoolBuffers buffers = {.src = file, .src_len = LEN(file), .dst = out, .dst_len = sizeof out,
                                  .workspace = &workspace, .workspace_len = sizeof workspace};
  if (unspool_zstd_decode(&buffers, NULL, &done, NULL)) return 1;
  *len = done.wrote;
  return done.checks_matched != 1;
}

static int by_stream(size_t expected) {
  UnspoolZstdInfo info;
  const UnspoolBuffers buffers = {.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window};
  UnspoolStep step = {.dst = piece, .dst_len = sizeof piece};
  size_t at = 0, wrote = 0;
  if (unspool_zstd_info(file, LEN(file), &info, NULL) || info.stream_buffer > sizeof window) return 1;
  if (unspool_zstd_init(&decoder, &buffers, NULL, NULL)) return 2;
  while (step.status != UNSPOOL_STATUS_DONE) {
    step.src = file + at;
    step.src_len = LEN(file) - at < 64 ? LEN(file) - at : 64;
    step.end = at + step.src_len == LEN(file);
    if (unspool_zstd_step(&decoder, &step, NULL)) return 3;
    if (wrote + step.wrote > expected || !same(piece, out + wrote, step.wrote)) return 4;
    at += step.read;
    wrote += step.wrote;
  }
  return wrote != expected;
}

int main(void) {
  size_t len;
  say("zstd");
  if (unspool_check()) return 1; /* the headers of another version than the archive */
  return whole(&len) || by_stream(len);
}

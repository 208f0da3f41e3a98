/* xz: a page of flash in one call, a file in pieces of 8 bytes, and a truncated file. */
#include "board.h"
#include "unspool.h"

STACK(2560);

/* The first holds the second. The last has a dictionary of 4 KiB: its window fits in a device. */
FILE_IN_FLASH(page, "xz/page.xz");
FILE_IN_FLASH(csv, "xz/page.csv");
FILE_IN_FLASH(words, "xz/unspool.xz");

static UnspoolXzWorkspace workspace;
static UnspoolXzDecoder decoder;
static uint8_t out[4096], piece[8], window[4128];

static int whole(void) {
  UnspoolXzDone done;
  if (unspool_xz_decode(page, LEN(page), out, sizeof out, &workspace, sizeof workspace, NULL, 0, 0, &done, NULL)) return 1;
  return done.checks != 1 || done.wrote != LEN(csv) || !same(out, csv, LEN(csv));
}

static int by_stream(void) {
  static const char expected[] = "unspool unspool unspool";
  UnspoolXzInfo info;
  UnspoolStep step = {0, 0, UNSPOOL_STATUS_NEED_INPUT};
  size_t at = 0, wrote = 0;
  if (unspool_xz_info(words, LEN(words), &workspace, sizeof workspace, NULL, &info, NULL)) return 1;
  if (info.stream_buffer > sizeof window || info.content_size != sizeof expected - 1) return 2;
  if (unspool_xz_init(&decoder, &workspace, sizeof workspace, window, sizeof window, NULL, 0, 0, NULL)) return 3;
  while (step.status != UNSPOOL_STATUS_DONE) {
    size_t len = LEN(words) - at < 8 ? LEN(words) - at : 8;
    if (unspool_xz_step(&decoder, words + at, len, at + len == LEN(words), piece, sizeof piece, &step, NULL)) return 4;
    if (wrote + step.wrote >= sizeof expected || !same(piece, (const uint8_t *)expected + wrote, step.wrote)) return 5;
    at += step.read;
    wrote += step.wrote;
  }
  return wrote != sizeof expected - 1;
}

/* A truncated file is refused. */
static int refuses(void) {
  UnspoolXzDone done;
  return unspool_xz_decode(page, LEN(page) / 2, out, sizeof out, &workspace, sizeof workspace, NULL, 0, 0, &done, NULL)
         != UNSPOOL_ERROR_TRUNCATED;
}

int main(void) {
  say("xz");
  return whole() || by_stream() || refuses();
}

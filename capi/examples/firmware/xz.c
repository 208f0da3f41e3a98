/* xz: a page of flash in one call, a file in pieces of 8 bytes, a block found by
 * ranges of the file, and a truncated file. */
#include "board.h"
#include "unspool/xz.h"

STACK(2560);

/* The first holds the second. The last has a dictionary of 4 KiB: its window fits in a device. */
FILE_IN_FLASH(page, "xz/page.xz");
FILE_IN_FLASH(csv, "xz/page.csv");
FILE_IN_FLASH(words, "xz/unspool.xz");

static UnspoolXzWorkspace workspace;
static UnspoolXzDecoder decoder;
static UnspoolXzIndex index;
static uint8_t out[4096], piece[8], window[4128];

/* Reads a range of the file as from memory outside of the address space. */
static int read_page(uint8_t *to, size_t len, UnspoolRange range) {
  uint64_t at;
  if (range.end - range.start > len) return 1;
  for (at = range.start; at < range.end; at++) *to++ = page[at];
  return 0;
}

static int whole(void) {
  UnspoolDone done;
  const UnspoolBuffers buffers = {.src = page, .src_len = LEN(page), .dst = out, .dst_len = sizeof out,
                                  .workspace = &workspace, .workspace_len = sizeof workspace};
  if (unspool_xz_decode(&buffers, NULL, &done, NULL)) return 1;
  return done.checks_matched != 1 || done.wrote != LEN(csv) || !same(out, csv, LEN(csv));
}

static int by_stream(void) {
  static const char expected[] = "unspool unspool unspool";
  UnspoolDone info;
  const UnspoolBuffers file = {.src = words, .src_len = LEN(words), .workspace = &workspace, .workspace_len = sizeof workspace};
  const UnspoolBuffers memory = {.workspace = &workspace, .workspace_len = sizeof workspace, .window = window, .window_len = sizeof window};
  UnspoolStep step = {.dst = piece, .dst_len = sizeof piece};
  size_t at = 0, wrote = 0;
  if (unspool_xz_inspect(&file, NULL, &info, NULL)) return 1;
  if (info.window > sizeof window || info.content != sizeof expected - 1) return 2;
  if (unspool_xz_init(&decoder, &memory, NULL, NULL)) return 3;
  while (step.status != UNSPOOL_STATUS_DONE) {
    step.src = words + at;
    step.src_len = LEN(words) - at < 8 ? LEN(words) - at : 8;
    step.end = at + step.src_len == LEN(words);
    if (unspool_xz_step(&decoder, &step, NULL)) return 4;
    if (wrote + step.wrote >= sizeof expected || !same(piece, (const uint8_t *)expected + wrote, step.wrote)) return 5;
    at += step.read;
    wrote += step.wrote;
  }
  return wrote != sizeof expected - 1;
}

/* A truncated file is refused. */
static int refuses(void) {
  const UnspoolBuffers half = {.src = page, .src_len = LEN(page) / 2, .dst = out, .dst_len = sizeof out,
                               .workspace = &workspace, .workspace_len = sizeof workspace};
  return unspool_xz_decode(&half, NULL, NULL, NULL) != UNSPOOL_ERROR_TRUNCATED;
}

/* The block with byte 100 of the content, of a file that is outside of the address space: a copy of
 * the bytes that the index asks for, then of those of the block. */
static int by_block(void) {
  static uint8_t copy[2048];
  UnspoolRange range;
  UnspoolXzBlock block;
  UnspoolDone done;
  UnspoolBuffers buffers = {.src = copy, .dst = out, .dst_len = sizeof out, .workspace = &workspace, .workspace_len = sizeof workspace};
  if (unspool_xz_index_init(&index, LEN(page), 100, NULL, NULL)) return 1;
  for (;;) {
    if (unspool_xz_index_needs(&index, &range, NULL)) return 2;
    if (range.start == range.end) break;
    if (read_page(copy, sizeof copy, range)) return 3;
    if (unspool_xz_index_feed(&index, range.start, copy, (size_t)(range.end - range.start), NULL)) return 4;
  }
  if (unspool_xz_index_found(&index, &block, NULL) || read_page(copy, sizeof copy, block.file)) return 5;
  buffers.src_len = (size_t)(block.file.end - block.file.start);
  if (unspool_xz_decode_block(&buffers, &block, NULL, &done, NULL)) return 6;
  return done.wrote != block.content.end - block.content.start || !same(out, csv + block.content.start, done.wrote);
}

int main(void) {
  say("xz");
  return whole() || by_stream() || by_block() || refuses();
}

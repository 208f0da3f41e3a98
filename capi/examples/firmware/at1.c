/* AT-1: a query on a table, of which a device reads only the parts that it needs, through a page of
 * RAM; and the whole table, line by line. */
#include "board.h"
#include "unspool/at1.h"

STACK(5120);

/* 129 lines of a number, a decimal and a word, in groups of 64. */
FILE_IN_FLASH(file, "at1/c7_rgbound_129_of_64.at1");
FILE_IN_FLASH(expected, "at1/c7_rgbound_129_of_64.orig");

static const UnspoolAt1Filter filters[] = {{.column = {.number = 0}, .low = "100", .low_len = 3},
                                           {.column = {.number = 2}, .equal = "beta", .equal_len = 4}};
static const UnspoolAt1Column columns[] = {{.number = 1}};

static UnspoolAt1Workspace workspace;
static UnspoolAt1Query query;
static UnspoolAt1Term terms[3];
static uint8_t scratch[6144], page[512], line[32];

/* Reads as from memory outside the address space: as much as exists, and as fits in the page. */
static size_t fetch(uint64_t start, uint64_t end) {
  size_t len, i;
  if (end > LEN(file)) end = LEN(file);
  if (start >= end) return 0;
  len = end - start < sizeof page ? (size_t)(end - start) : sizeof page;
  for (i = 0; i < len; i++) page[i] = file[start + i];
  return len;
}

/* Goes on to the next row or to the end. After a row the page stays, and `next` names its bytes. */
static int go_on(UnspoolAt1Next *next, size_t *len) {
  for (;;) {
    const uint64_t asked = next->start;
    if (unspool_at1_query_step(&query, next->start, page, *len, next, NULL)) return 1;
    if (next->kind != UNSPOOL_AT1_NEXT_BYTES) return 0;
    /* Requested again: not even the first of the blocks fits in the page. It would loop forever. */
    if (*len && next->start == asked) return 1;
    *len = fetch(next->start, next->end);
    if (!*len) return 1;
  }
}

static int ask(const UnspoolAt1Request *request) {
  UnspoolBuffers buffers = {.src = page, .scratch = scratch, .scratch_len = sizeof scratch, .workspace = &workspace, .workspace_len = sizeof workspace};
  buffers.src_len = fetch(0, sizeof page);
  return unspool_at1_query_init(&query, request, terms, 3, &buffers, NULL, NULL);
}

/* Lines from the third column's "beta" on, each compared with the line of its number. */
static int by_rows(void) {
  static const UnspoolAt1Request request = {.filters = filters, .filters_len = 2, .ask = UNSPOOL_AT1_ROWS};
  UnspoolAt1Next next = {.kind = UNSPOOL_AT1_NEXT_BYTES};
  UnspoolAt1Stats stats;
  const void *value;
  size_t len = 0, wrote, rows = 0;
  if (ask(&request)) return 1;
  for (;;) {
    const uint8_t *at = expected;
    uint64_t row;
    if (go_on(&next, &len)) return 2;
    if (next.kind == UNSPOOL_AT1_NEXT_NOTHING) break;
    for (row = 0; row < next.row; row++) {
      while (*at++ != '\n') {
      }
    }
    if (unspool_at1_query_line(&query, line, sizeof line, &wrote, NULL) || !same(line, at, wrote) || at[wrote] != '\n') return 4;
    if (unspool_at1_query_value(&query, 2, &value, &wrote, NULL) || wrote != 4 || !same(value, (const uint8_t *)"beta", 4)) return 5;
    rows++;
  }
  /* Lines 105, 113 and 121, from the second of three groups. */
  return unspool_at1_query_stats(&query, &stats, NULL) || rows != 3 || stats.skipped != 1 || stats.block_bytes_read >= stats.block_bytes_total;
}

/* 105.5 + 113.3 + 121.1 */
static int by_sum(void) {
  static const UnspoolAt1Request request = {.filters = filters, .filters_len = 2, .columns = columns, .columns_len = 1, .ask = UNSPOOL_AT1_SUM};
  UnspoolAt1Next next = {.kind = UNSPOOL_AT1_NEXT_BYTES};
  UnspoolAt1Answer answer;
  size_t len = 0;
  if (ask(&request) || go_on(&next, &len) || next.kind != UNSPOOL_AT1_NEXT_NOTHING) return 1;
  if (unspool_at1_query_answer(&query, &answer, NULL)) return 3;
  return answer.rows != 3 || answer.sum_low != 3399 || answer.sum_high || answer.sum_scale != 1;
}

static uint8_t compare(void *context, const void *bytes, size_t len) {
  size_t *at = context;
  if (*at + len > LEN(expected) || !same(bytes, expected + *at, len)) return 1;
  *at += len;
  return 0;
}

/* The first bytes of the file, as many as these. */
static int decode(size_t len, size_t *at) {
  const UnspoolBuffers buffers = {.src = file, .src_len = len, .scratch = scratch, .scratch_len = sizeof scratch,
                                  .workspace = &workspace, .workspace_len = sizeof workspace};
  return unspool_at1_decode_to(&buffers, compare, at, NULL, NULL, NULL);
}

static int whole(void) {
  size_t at = 0;
  return decode(LEN(file), &at) || at != LEN(expected);
}

/* A truncated file is refused. */
static int refuses(void) {
  size_t at = 0;
  return decode(LEN(file) / 2, &at) == 0;
}

int main(void) {
  say("at1");
  return by_rows() || by_sum() || whole() || refuses();
}

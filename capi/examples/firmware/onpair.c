/* Strings: single rows from a column in flash, and a search that decodes none. */
#include "board.h"
#include "unspool/onpair.h"

STACK(4608);

FILE_IN_FLASH(file, "onpair/cpp/utf8_b12.onp");
FILE_IN_FLASH(expected, "onpair/data/utf8.expected.bin");

static UnspoolOnPairColumn column;
static UnspoolOnPairSearch search;
static uint8_t line[256];

static int by_rows(const UnspoolOnPairInfo *info) {
  uint64_t row;
  size_t at = 0, len;
  for (row = 0; row < info->rows; row++) {
    if (unspool_onpair_row(&column, row, line, sizeof line, &len, NULL)) return 1;
    if (at + len > LEN(expected) || !same(line, expected + at, len)) return 2;
    at += len;
  }
  return at != LEN(expected);
}

/* The search finds the third row, and only rows that equal it. */
static int by_search(void) {
  UnspoolOnPairNeedle needle = {.size = sizeof needle, .needle = line, .kind = UNSPOOL_ONPAIR_EQUALS};
  size_t len;
  uint64_t row;
  uint8_t found, seen = 0;
  if (unspool_onpair_row(&column, 2, line, sizeof line, &len, NULL)) return 1;
  needle.needle_len = len;
  if (unspool_onpair_search_init(&search, &column, &needle, NULL)) return 2;
  for (;;) {
    if (unspool_onpair_search_next(&search, &row, &found, NULL)) return 3;
    if (!found) return !seen;
    seen |= row == 2;
  }
}

int main(void) {
  UnspoolOnPairInfo info;
  UnspoolError error;
  say("onpair");
  if (unspool_onpair_open(&column, file, LEN(file), NULL, NULL) || unspool_onpair_info(&column, &info, NULL)) return 1;
  if (by_rows(&info) || by_search()) return 1;
  return unspool_onpair_row(&column, info.rows, line, sizeof line, NULL, &error) != UNSPOOL_ERROR_RANGE_OUTSIDE;
}

/* Queries a table of AT-1 (codecs 7 and 8), and reads only the parts of the file that it needs.
 *
 *   query [--range COLUMN LOW HIGH] [--equal COLUMN VALUE] [--limit N] [--stats] [WANTED] FILE
 *
 * WANTED is --select COLUMN, once for each column, or --count, or one of --sum, --min, --max with
 * a COLUMN; without it, whole lines. A COLUMN is a number from 0 or a name. LOW and HIGH may be
 * empty. --range and --equal may be repeated: a row must meet them all.
 *
 * Exits with 0, with 1 for a file or a query that it refuses, with 2 for wrong usage or no memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unspool.h"

enum { MOST = 64 };

static UnspoolAt1Filter filters[MOST];
static UnspoolAt1Column columns[MOST];
static UnspoolAt1Term terms[2 * MOST];
static UnspoolAt1Request request = {filters, 0, columns, 0, 0, UNSPOOL_AT1_ROWS};
static UnspoolAt1Workspace workspace;
static UnspoolAt1Query query;
static UnspoolError error;
static uint8_t *scratch;
static size_t scratch_len;

static void *memory(size_t len) {
  /* Exactly as long as requested, so that a sanitizer finds one byte too many. */
  void *found = malloc(len ? len : 1);
  if (!found) exit(2);
  return found;
}

static int usage(void) {
  fputs("Usage: query [--range COLUMN LOW HIGH] [--equal COLUMN VALUE] [--limit N] [--stats]\n"
        "             [--select COLUMN ...|--count|--sum COLUMN|--min COLUMN|--max COLUMN] FILE\n", stderr);
  return 2;
}

static UnspoolAt1Column column(const char *text) {
  UnspoolAt1Column column = {NULL, 0, 0};
  if (*text && strspn(text, "0123456789") == strlen(text)) {
    column.number = (size_t)strtoul(text, NULL, 10);
  } else {
    column.name = text;
    column.name_len = strlen(text);
  }
  return column;
}

/* Reads the arguments before the name of the file; 0 if they make no sense. */
static int understand(int argc, char **argv, int *stats) {
  int i;
  for (i = 1; i < argc - 1; i++) {
    UnspoolAt1Filter *filter = &filters[request.filters_len];
    int left = argc - 2 - i;
    if (request.filters_len == MOST || request.columns_len == MOST) return 0;
    if (!strcmp(argv[i], "--range") && left > 2) {
      filter->column = column(argv[++i]);
      filter->low_len = strlen(argv[++i]);
      filter->low = filter->low_len ? argv[i] : NULL;
      filter->high_len = strlen(argv[++i]);
      filter->high = filter->high_len ? argv[i] : NULL;
      request.filters_len++;
    } else if (!strcmp(argv[i], "--equal") && left > 1) {
      filter->column = column(argv[++i]);
      filter->equal = argv[++i];
      filter->equal_len = strlen(argv[i]);
      request.filters_len++;
    } else if (!strcmp(argv[i], "--limit") && left > 0) {
      request.limit = strtoul(argv[++i], NULL, 10);
    } else if (!strcmp(argv[i], "--stats")) {
      *stats = 1;
    } else if (!strcmp(argv[i], "--count")) {
      request.ask = UNSPOOL_AT1_COUNT;
    } else if (left > 0) {
      if (!strcmp(argv[i], "--select")) request.ask = UNSPOOL_AT1_COLUMNS;
      else if (!strcmp(argv[i], "--sum")) request.ask = UNSPOOL_AT1_SUM;
      else if (!strcmp(argv[i], "--min")) request.ask = UNSPOOL_AT1_MIN;
      else if (!strcmp(argv[i], "--max")) request.ask = UNSPOOL_AT1_MAX;
      else return 0;
      columns[request.columns_len++] = column(argv[++i]);
    } else {
      return 0;
    }
  }
  return i == argc - 1;
}

/* Bytes of the file, as many as exist. */
static uint8_t *fetch(FILE *file, uint64_t start, uint64_t end, size_t *len) {
  uint8_t *bytes;
  long size;
  if (fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) exit(2);
  if (end > (uint64_t)size) end = (uint64_t)size;
  if (start > end) start = end;
  *len = (size_t)(end - start);
  bytes = memory(*len);
  if (fseek(file, (long)start, SEEK_SET) || fread(bytes, 1, *len, file) != *len) exit(2);
  return bytes;
}

/* The head of the file, longer with each try, and as much scratch. */
static int start(FILE *file) {
  size_t len, room = 256;
  int failed;
  for (;;) {
    uint8_t *head = fetch(file, 0, room, &len);
    UnspoolBuffers buffers = {.src = head, .src_len = len, .scratch = scratch, .scratch_len = scratch_len,
                              .workspace = &workspace, .workspace_len = sizeof workspace};
    failed = unspool_at1_query_init(&query, &request, terms, request.filters_len + request.columns_len, &buffers, NULL, &error);
    free(head);
    if (failed == UNSPOOL_ERROR_TRUNCATED && error.need > room && len == room) {
      room = (size_t)error.need;
    } else if (unspool_error_class(error.kind) == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > scratch_len) {
      free(scratch);
      scratch_len = (size_t)error.need;
      scratch = memory(scratch_len);
    } else {
      return failed;
    }
  }
}

/* More scratch, which continues the last one. */
static int grow(void) {
  uint8_t *longer = memory((size_t)error.need);
  size_t len = (size_t)error.need;
  int failed = unspool_at1_query_lend(&query, longer, len, &error);
  free(scratch);
  scratch = longer;
  scratch_len = len;
  return failed;
}

static int print(const UnspoolAt1Next *row) {
  const void *value;
  size_t i, len;
  int failed = 0;
  if (request.ask == UNSPOOL_AT1_ROWS) {
    /* The first call returns the length of the line. */
    failed = unspool_at1_query_line(&query, NULL, 0, &len, &error);
    if (failed == UNSPOOL_ERROR_OUTPUT_TOO_SMALL) {
      uint8_t *line = memory((size_t)error.need);
      failed = unspool_at1_query_line(&query, line, (size_t)error.need, &len, &error);
      if (!failed) fwrite(line, 1, len, stdout);
      free(line);
    }
  }
  for (i = 0; request.ask != UNSPOOL_AT1_ROWS && i < row->values && !failed; i++) {
    if (i) putchar('\t');
    failed = unspool_at1_query_value(&query, i, &value, &len, &error);
    if (!failed) fwrite(value, 1, len, stdout);
  }
  if (!failed) putchar('\n');
  return failed;
}

static int run(FILE *file) {
  UnspoolAt1Next next = {0, 0, 0, 0, UNSPOOL_AT1_NEXT_BYTES};
  uint64_t at = 0;
  uint8_t *bytes = memory(0);
  size_t len = 0;
  int failed = start(file);
  while (!failed) {
    failed = unspool_at1_query_step(&query, at, bytes, len, &next, &error);
    if (failed && unspool_error_class(error.kind) == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > scratch_len) {
      failed = grow();
      continue;
    }
    if (failed || next.kind == UNSPOOL_AT1_NEXT_NOTHING) break;
    if (next.kind == UNSPOOL_AT1_NEXT_ROW) {
      failed = print(&next);
      continue;
    }
    free(bytes);
    at = next.start;
    bytes = fetch(file, next.start, next.end, &len);
    if (len != next.end - next.start) {
      error.kind = UNSPOOL_ERROR_TRUNCATED;
      error.at = at + len;
      failed = 1;
    }
  }
  free(bytes);
  return failed;
}

/* An integer of up to 64 bits with a decimal point. */
static void print_sum(const UnspoolAt1Answer *answer) {
  char digits[24];
  int64_t sum = (int64_t)answer->sum_low;
  uint64_t size = sum < 0 ? 0 - answer->sum_low : answer->sum_low;
  if (answer->sum_high != (sum < 0 ? -1 : 0) || answer->sum_scale > 18) {
    printf("(%" PRId64 " * 2^64 + %" PRIu64 ") / 10^%" PRIu32 "\n", answer->sum_high, answer->sum_low, answer->sum_scale);
    return;
  }
  snprintf(digits, sizeof digits, "%0*" PRIu64, (int)answer->sum_scale + 1, size);
  printf("%s%.*s%s%s\n", sum < 0 ? "-" : "", (int)(strlen(digits) - answer->sum_scale), digits, answer->sum_scale ? "." : "",
         digits + strlen(digits) - answer->sum_scale);
}

int main(int argc, char **argv) {
  UnspoolAt1Answer answer;
  UnspoolAt1Stats told;
  FILE *file;
  int failed, stats = 0;
  if (argc < 2 || !understand(argc, argv, &stats)) return usage();
  file = fopen(argv[argc - 1], "rb");
  if (!file) {
    fprintf(stderr, "error: cannot read %s\n", argv[argc - 1]);
    return 2;
  }
  scratch = memory(0);
  failed = run(file);
  if (!failed) failed = unspool_at1_query_answer(&query, &answer, &error);
  if (!failed) failed = unspool_at1_query_stats(&query, &told, &error);
  if (!failed) {
    if (request.ask == UNSPOOL_AT1_COUNT) printf("%" PRIu64 "\n", answer.rows);
    if (request.ask == UNSPOOL_AT1_SUM) print_sum(&answer);
    if (answer.best) printf("%.*s\n", (int)answer.best_len, (const char *)answer.best);
    if (stats) {
      fprintf(stderr, "%" PRIu64 " rows, %" PRIu64 " groups, %" PRIu64 " skipped, %" PRIu64 " read, %" PRIu64 " of %" PRIu64 " block bytes\n",
              answer.rows, told.groups, told.skipped, told.read, told.block_bytes_read, told.block_bytes_total);
    }
  } else {
    fprintf(stderr, "error: %s at byte %" PRIu64 ": %s (%s)\n", unspool_class_name(unspool_error_class(error.kind)), error.at,
            unspool_error_message(error.kind), unspool_error_name(error.kind));
  }
  fclose(file);
  free(scratch);
  return failed ? 1 : fflush(stdout) ? 2 : 0;
}

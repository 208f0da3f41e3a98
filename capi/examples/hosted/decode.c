/* Decodes a file of any format to standard output: the whole file in one call, or in pieces.
 *
 *   decode [--pieces N] [--column NUMBER] [--dictionary FILE] [--draft] [--part FIRST END] FILE
 *   decode --parts DICTIONARY TOKEN_OFFSETS CODES CODE_BITS ROW_OFFSETS ROW_OFFSET_WIDTH
 *
 * Exits with 0, with 1 for a file that it refuses, with 2 for wrong usage or no memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unspool.h"

typedef struct {
  uint8_t *data;
  size_t len;
} Bytes;

/* The limits of a file. The default of 16 GB is more than this program could allocate. */
static UnspoolLimits limits;
static size_t pieces;
static uint64_t column_number;
static UnspoolZstdOptions zstd_options;
static int part_asked;
static uint64_t part_first, part_end;
static UnspoolError error;

static void *memory(size_t len) {
  /* Exactly as long as requested, so that a sanitizer finds one byte too many. */
  void *found = malloc(len ? len : 1);
  if (!found) exit(2);
  return found;
}

static Bytes read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  Bytes bytes = {NULL, 0};
  long len;
  if (!file || fseek(file, 0, SEEK_END) || (len = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
    fprintf(stderr, "error: cannot read %s\n", path);
    exit(2);
  }
  bytes.len = (size_t)len;
  bytes.data = memory(bytes.len);
  if (fread(bytes.data, 1, bytes.len, file) != bytes.len) exit(2);
  fclose(file);
  return bytes;
}

static void emit(const void *data, size_t len) {
  if (fwrite(data, 1, len, stdout) != len) exit(2);
}

/* Appends bytes. They are kept until the end, because a stream may have to start over with more
 * memory. */
static void add(Bytes *all, const uint8_t *data, size_t len) {
  size_t room = 1;
  while (room < all->len) room *= 2;
  if (!all->data || all->len + len > room) {
    while (room < all->len + len) room *= 2;
    all->data = realloc(all->data, room);
    if (!all->data) exit(2);
  }
  if (len) memcpy(all->data + all->len, data, len);
  all->len += len;
}

/* The piece of the input for a call, from `at` on. A copy, so that reading beyond it is found. */
static Bytes piece(Bytes file, size_t at, size_t len) {
  Bytes part;
  part.len = file.len - at < len ? file.len - at : len;
  part.data = memory(part.len);
  if (part.len) memcpy(part.data, file.data + at, part.len);
  return part;
}

static int zstd_whole(Bytes file) {
  UnspoolZstdWorkspace *workspace = memory(sizeof *workspace);
  uint64_t size;
  UnspoolZstdDone done = {0};
  int failed = unspool_zstd_decoded_size(file.data, file.len, workspace, sizeof *workspace, &limits, &zstd_options, &size, &error);
  if (!failed) {
    uint8_t *out = memory((size_t)size);
    failed = unspool_zstd_decode(file.data, file.len, out, (size_t)size, workspace, sizeof *workspace, &limits, &zstd_options, &done, &error);
    if (!failed) emit(out, done.wrote);
    free(out);
  }
  free(workspace);
  return failed;
}

static int zstd_pieces(Bytes file, size_t window_len) {
  UnspoolZstdWorkspace *workspace = memory(sizeof *workspace);
  UnspoolZstdDecoder *decoder = memory(sizeof *decoder);
  uint8_t *window = memory(window_len), *out = memory(pieces);
  Bytes all = {NULL, 0};
  size_t at = 0;
  UnspoolStep step = {0};
  int failed = unspool_zstd_init(decoder, workspace, sizeof *workspace, window, window_len, &limits, &zstd_options, &error);
  while (!failed && step.status != UNSPOOL_STATUS_DONE) {
    Bytes part = piece(file, at, pieces);
    failed = unspool_zstd_step(decoder, part.data, part.len, at + part.len == file.len, out, pieces, &step, &error);
    free(part.data);
    if (!failed) {
      at += step.read;
      add(&all, out, step.wrote);
    }
  }
  if (!failed) emit(all.data, all.len);
  free(all.data);
  free(out);
  free(window);
  free(decoder);
  free(workspace);
  return failed;
}

/* The requested bytes, from the frames that hold them. */
static int zstd_part(Bytes file) {
  UnspoolZstdWorkspace *workspace = memory(sizeof *workspace);
  UnspoolZstdSeekInfo info;
  size_t wrote, len = part_end > part_first ? (size_t)(part_end - part_first) : 0;
  uint8_t *out = memory(len), *room = NULL;
  int failed = unspool_zstd_seek_info(file.data, file.len, &limits, &info, &error);
  if (!failed) {
    room = memory(info.room);
    failed = unspool_zstd_decode_part(file.data, file.len, part_first, part_end, out, len, room, info.room, workspace, sizeof *workspace,
                                      &limits, &zstd_options, &wrote, &error);
  }
  if (!failed) emit(out, wrote);
  free(room);
  free(out);
  free(workspace);
  return failed;
}

static int zstd(Bytes file) {
  UnspoolZstdInfo info;
  size_t window = 0;
  int failed;
  if (part_asked) return zstd_part(file);
  if (!pieces) return zstd_whole(file);
  /* The whole file is in memory, so the one of three formats can be detected. */
  if (!zstd_options.flavour && !unspool_zstd_info(file.data, file.len, &info, &error)) zstd_options.flavour = info.flavour;
  do {
    /* A later frame may need a larger window than the first. */
    failed = zstd_pieces(file, window);
  } while (failed == UNSPOOL_ERROR_ZSTD_WINDOW_BUFFER && error.need > window && (window = (size_t)error.need));
  return failed;
}

static int xz(Bytes file) {
  UnspoolXzWorkspace *workspace = memory(sizeof *workspace);
  UnspoolXzDecoder *decoder = memory(sizeof *decoder);
  UnspoolXzInfo info;
  UnspoolXzDone done;
  uint8_t *out, *window;
  int failed = unspool_xz_info(file.data, file.len, workspace, sizeof *workspace, &limits, &info, &error);
  if (!failed && !pieces) {
    out = memory((size_t)info.content_size);
    failed = unspool_xz_decode(file.data, file.len, out, (size_t)info.content_size, workspace, sizeof *workspace, &limits, 0, 0, &done, &error);
    if (!failed) emit(out, done.wrote);
    free(out);
  } else if (!failed) {
    UnspoolStep step = {0};
    size_t at = 0;
    window = memory((size_t)info.stream_buffer);
    out = memory(pieces);
    failed = unspool_xz_init(decoder, workspace, sizeof *workspace, window, (size_t)info.stream_buffer, &limits, 0, 0, &error);
    while (!failed && step.status != UNSPOOL_STATUS_DONE) {
      Bytes part = piece(file, at, pieces);
      failed = unspool_xz_step(decoder, part.data, part.len, at + part.len == file.len, out, pieces, &step, &error);
      free(part.data);
      if (!failed) {
        at += step.read;
        emit(out, step.wrote);
      }
    }
    free(out);
    free(window);
  }
  free(decoder);
  free(workspace);
  return failed;
}

static int gzip(Bytes file) {
  UnspoolGzipWorkspace *workspace = memory(sizeof *workspace);
  UnspoolGzipDecoder *decoder = memory(sizeof *decoder);
  uint8_t *window = memory(UNSPOOL_GZIP_WINDOW_SIZE), *out;
  UnspoolGzipInfo info;
  UnspoolGzipDone done;
  int failed = unspool_gzip_info(file.data, file.len, workspace, sizeof *workspace, window, UNSPOOL_GZIP_WINDOW_SIZE, &limits, &info, &error);
  if (!failed && !pieces) {
    out = memory((size_t)info.content_size);
    failed = unspool_gzip_decode(file.data, file.len, out, (size_t)info.content_size, workspace, sizeof *workspace, &limits, 0, &done, &error);
    if (!failed) emit(out, done.wrote);
    free(out);
  } else if (!failed) {
    UnspoolStep step = {0};
    size_t at = 0;
    out = memory(pieces);
    failed = unspool_gzip_init(decoder, workspace, sizeof *workspace, window, UNSPOOL_GZIP_WINDOW_SIZE, &limits, 0, &error);
    while (!failed && step.status != UNSPOOL_STATUS_DONE) {
      Bytes part = piece(file, at, pieces);
      failed = unspool_gzip_step(decoder, part.data, part.len, at + part.len == file.len, out, pieces, &step, &error);
      free(part.data);
      if (!failed) {
        at += step.read;
        emit(out, step.wrote);
      }
    }
    free(out);
  }
  free(window);
  free(decoder);
  free(workspace);
  return failed;
}

/* Columns are complete only with the whole file: it is decoded in one call, with or without
 * pieces. */
/* Bytes of a file that were decoded this time, and bytes that are written. */
typedef struct {
  size_t seen, written;
} Progress;

/* Takes the decoded bytes, without memory for all of them. */
static uint8_t emit_part(void *context, const uint8_t *bytes, size_t len) {
  Progress *progress = context;
  size_t old = progress->written - progress->seen;
  if (old < len) {
    emit(bytes + old, len - old);
    progress->written += len - old;
  }
  progress->seen += len;
  return 0;
}

static int at1(Bytes file) {
  UnspoolAt1Workspace *workspace = memory(sizeof *workspace);
  UnspoolAt1Info info;
  UnspoolAt1Done done;
  uint64_t len = 0;
  Progress progress = {0, 0};
  int failed = unspool_at1_info(file.data, file.len, &limits, &info, &error);
  if (!failed) {
    size_t room = (size_t)(pieces ? info.scratch_len_to : info.scratch_len);
    uint8_t *scratch = memory(room), *out;
    for (;;) {
      if (pieces) failed = unspool_at1_decode_to(file.data, file.len, emit_part, &progress, scratch, room, workspace, sizeof *workspace, &limits, &done, &error);
      else failed = unspool_at1_decoded_len(file.data, file.len, scratch, room, workspace, sizeof *workspace, &limits, &len, &error);
      /* A stream may need more scratch than its header says; written bytes are not repeated. */
      if (!failed || error.error_class != UNSPOOL_CLASS_WORKSPACE_TOO_SMALL || error.need <= room) break;
      progress.seen = 0;
      free(scratch);
      room = (size_t)error.need;
      scratch = memory(room);
    }
    if (!failed && pieces && progress.written != done.wrote) exit(2);
    if (!failed && !pieces) {
      out = memory((size_t)len);
      failed = unspool_at1_decode(file.data, file.len, out, (size_t)len, scratch, room, workspace, sizeof *workspace, &limits, &done, &error);
      if (!failed) emit(out, done.wrote);
      free(out);
    }
    free(scratch);
  }
  free(workspace);
  return failed;
}

static int cvc_whole(const UnspoolCvcFile *opened, Bytes file) {
  UnspoolCvcColumn column;
  UnspoolCvcColumnInfo info;
  UnspoolCvcInfo about;
  UnspoolCvcDone done;
  uint8_t *out;
  size_t size;
  int failed = unspool_cvc_info(opened, &about, &error);
  if (!failed) failed = unspool_cvc_column(&column, opened, column_number, &error);
  if (!failed) failed = unspool_cvc_column_info(&column, &info, &error);
  if (failed) return failed;
  /* From a call without output, which has compared the header with the limits. */
  unspool_cvc_decode(&column, file.data, file.len, 0, about.rows, UNSPOOL_CVC_CRC_VERIFY, NULL, 0, &done, &error);
  if (error.error_class && error.error_class != UNSPOOL_CLASS_OUTPUT_TOO_SMALL) return error.kind;
  size = (size_t)error.need;
  out = memory(size);
  failed = unspool_cvc_decode(&column, file.data, file.len, 0, about.rows, UNSPOOL_CVC_CRC_VERIFY, out, size, &done, &error);
  if (!failed) emit(out, done.wrote);
  free(out);
  return failed;
}

static int cvc_pieces(const UnspoolCvcFile *opened, Bytes file, size_t space_len) {
  UnspoolCvcDecoder *decoder = memory(sizeof *decoder);
  UnspoolCvcColumn column;
  uint8_t *space = memory(space_len), *out = memory(pieces), *name = NULL;
  size_t at = 0, name_len = 0;
  Bytes all = {NULL, 0};
  UnspoolStep step = {0};
  int failed = unspool_cvc_column(&column, opened, column_number, &error);
  if (!failed) {
    unspool_cvc_column_name(&column, NULL, 0, &name_len, NULL);
    name = memory(name_len);
    failed = unspool_cvc_column_name(&column, name, name_len, &name_len, &error);
  }
  if (!failed) {
    failed = unspool_cvc_init(decoder, space, space_len, name_len ? name : NULL, name_len, UNSPOOL_CVC_CRC_VERIFY, &limits, &error);
  }
  while (!failed && step.status != UNSPOOL_STATUS_DONE) {
    Bytes part = piece(file, at, pieces);
    failed = unspool_cvc_step(decoder, part.data, part.len, at + part.len == file.len, out, pieces, &step, &error);
    free(part.data);
    if (!failed) {
      at += step.read;
      add(&all, out, step.wrote);
    }
  }
  if (!failed) emit(all.data, all.len);
  free(all.data);
  free(name);
  free(out);
  free(space);
  free(decoder);
  return failed;
}

static int cvc(Bytes file) {
  UnspoolCvcFile opened;
  uint64_t space = 0;
  int failed = unspool_cvc_open(&opened, file.data, file.len, &limits, &error);
  if (failed) return failed;
  if (!pieces) return cvc_whole(&opened, file);
  failed = unspool_cvc_workspace_len(file.data, file.len, &limits, &space, &error);
  if (failed) return failed;
  do {
    /* Lossless chunks need more than the header; the error says how much. */
    failed = cvc_pieces(&opened, file, (size_t)space);
  } while (error.error_class == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > space && (space = error.need));
  return failed;
}

/* One page, in pieces that grow until they hold a batch. */
static int pco_page(const UnspoolPcoMeta *meta, const UnspoolPcoChunk *chunk, Bytes file, uint64_t *words, size_t words_len, uint64_t *end) {
  UnspoolPcoDecoder *decoder = memory(sizeof *decoder);
  size_t at = (size_t)chunk->page_at, want = pieces;
  void *numbers = memory((size_t)256 * chunk->number_size);
  UnspoolStep step = {0};
  int failed = 0;
  switch (chunk->number_size) {
    case 1: failed = unspool_pco_init_8(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, words, words_len, &error); break;
    case 2: failed = unspool_pco_init_16(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, words, words_len, &error); break;
    case 4: failed = unspool_pco_init_32(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, words, words_len, &error); break;
    default: failed = unspool_pco_init_64(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, words, words_len, &error); break;
  }
  if (!failed) {
    switch (chunk->number_size) {
      case 1: failed = unspool_pco_start_8(decoder, chunk->len, chunk->page_at, &error); break;
      case 2: failed = unspool_pco_start_16(decoder, chunk->len, chunk->page_at, &error); break;
      case 4: failed = unspool_pco_start_32(decoder, chunk->len, chunk->page_at, &error); break;
      default: failed = unspool_pco_start_64(decoder, chunk->len, chunk->page_at, &error); break;
    }
  }
  while (!failed && step.status != UNSPOOL_STATUS_DONE) {
    Bytes part = piece(file, at, want);
    int last = at + part.len == file.len;
    switch (chunk->number_size) {
      case 1: failed = unspool_pco_step_8(decoder, part.data, part.len, last, numbers, 256, &step, &error); break;
      case 2: failed = unspool_pco_step_16(decoder, part.data, part.len, last, numbers, 256, &step, &error); break;
      case 4: failed = unspool_pco_step_32(decoder, part.data, part.len, last, numbers, 256, &step, &error); break;
      default: failed = unspool_pco_step_64(decoder, part.data, part.len, last, numbers, 256, &step, &error); break;
    }
    free(part.data);
    if (!failed) {
      emit(numbers, step.wrote * chunk->number_size);
      at += step.read;
      want = step.status == UNSPOOL_STATUS_NEED_INPUT ? want + pieces : pieces;
    }
  }
  free(numbers);
  free(decoder);
  *end = at;
  return failed;
}

static int pco(Bytes file) {
  UnspoolPcoFile opened;
  UnspoolPcoInfo info;
  UnspoolPcoMeta meta;
  UnspoolPcoChunk chunk;
  uint64_t at;
  int failed = unspool_pco_open(&opened, file.data, file.len, &limits, &error);
  if (!failed) failed = unspool_pco_info(&opened, &info, &error);
  for (at = info.first_chunk; !failed;) {
    uint64_t *words;
    failed = unspool_pco_chunk(&opened, at, &chunk, &meta, &error);
    if (failed || !chunk.len) break;
    words = memory((size_t)chunk.workspace_len * 8);
    if (pieces) {
      failed = pco_page(&meta, &chunk, file, words, (size_t)chunk.workspace_len, &at);
    } else {
      size_t size = chunk.len * chunk.number_size;
      void *out = memory(size);
      failed = unspool_pco_decode(&opened, at, out, size, words, (size_t)chunk.workspace_len, &at, &error);
      if (!failed) emit(out, size);
      free(out);
    }
    free(words);
  }
  return failed;
}

static int onpair_rows(const UnspoolOnPairColumn *column) {
  UnspoolOnPairInfo info;
  uint64_t size, row = 0;
  uint8_t *out;
  size_t wrote = 0;
  int failed = unspool_onpair_info(column, &info, &error);
  if (!failed) failed = unspool_onpair_decoded_len(column, 0, info.rows, &size, &error);
  if (failed) return failed;
  if (!pieces) {
    out = memory((size_t)size);
    failed = unspool_onpair_decode(column, 0, info.rows, out, (size_t)size, &wrote, &error);
    if (!failed) emit(out, wrote);
  } else {
    /* As many whole rows at a time as fit; the error of a longer row says how much it needs. */
    size_t room = pieces;
    UnspoolStep step = {0};
    out = memory(room);
    while (step.status != UNSPOOL_STATUS_DONE) {
      failed = unspool_onpair_step(column, &row, info.rows, out, room, &step, &error);
      if (failed == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need > room) {
        room = (size_t)error.need;
        free(out);
        out = memory(room);
        continue;
      }
      if (failed) break;
      emit(out, step.wrote);
    }
  }
  free(out);
  return failed;
}

static int onpair(Bytes file) {
  UnspoolOnPairColumn column;
  int failed = unspool_onpair_open(&column, file.data, file.len, &limits, &error);
  return failed ? failed : onpair_rows(&column);
}

static int onpair_parts(char **paths) {
  UnspoolOnPairColumn column;
  Bytes dictionary = read_file(paths[0]), offsets = read_file(paths[1]), codes = read_file(paths[2]), rows = read_file(paths[4]);
  UnspoolOnPairParts parts = {dictionary.data, dictionary.len, offsets.data, offsets.len, codes.data, codes.len, rows.data, rows.len,
                              (uint8_t)atoi(paths[3]), (uint8_t)atoi(paths[5])};
  int failed = unspool_onpair_open_parts(&column, &parts, &limits, &error);
  if (!failed) failed = onpair_rows(&column);
  if (!failed) {
    /* The same again through the wide dictionary. */
    size_t len = (size_t)unspool_onpair_workspace_len(&column);
    void *space = memory(len);
    failed = unspool_onpair_widen(&column, space, len, &error);
    if (!failed) failed = onpair_rows(&column);
    free(space);
  }
  free(rows.data);
  free(codes.data);
  free(offsets.data);
  free(dictionary.data);
  return failed;
}

static int usage(void) {
  fputs("Usage: decode [--pieces N] [--column NUMBER] [--dictionary FILE] [--draft] [--part FIRST END] FILE\n"
        "       decode --parts DICTIONARY TOKEN_OFFSETS CODES CODE_BITS ROW_OFFSETS ROW_OFFSET_WIDTH\n", stderr);
  return 2;
}

int main(int argc, char **argv) {
  Bytes dictionary = {NULL, 0}, file;
  int i, failed;
  limits = unspool_limits_default();
  limits.max_output = 256 << 20;
  for (i = 1; i < argc - 1; i++) {
    if (!strcmp(argv[i], "--parts") && argc == i + 7) break;
    if (!strcmp(argv[i], "--pieces")) pieces = (size_t)strtoul(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--column")) column_number = strtoul(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--dictionary")) dictionary = read_file(argv[++i]);
    else if (!strcmp(argv[i], "--draft")) zstd_options.flavour = UNSPOOL_ZSTD_DRAFT;
    else if (!strcmp(argv[i], "--part") && i + 2 < argc - 1) {
      part_first = strtoull(argv[++i], NULL, 10);
      part_end = strtoull(argv[++i], NULL, 10);
      part_asked = 1;
    } else return usage();
  }
  if (i >= argc) return usage();
  if (!strcmp(argv[i], "--parts")) {
    failed = onpair_parts(argv + i + 1);
  } else {
    zstd_options.dictionary = dictionary.data;
    zstd_options.dictionary_len = dictionary.len;
    file = read_file(argv[i]);
    switch (unspool_probe(file.data, file.len, NULL)) {
      case UNSPOOL_FORMAT_PCO: failed = pco(file); break;
      case UNSPOOL_FORMAT_ONPAIR: failed = onpair(file); break;
      case UNSPOOL_FORMAT_CVC: failed = cvc(file); break;
      case UNSPOOL_FORMAT_XZ: failed = xz(file); break;
      case UNSPOOL_FORMAT_GZIP: failed = gzip(file); break;
      case UNSPOOL_FORMAT_AT1: failed = at1(file); break;
      case UNSPOOL_FORMAT_ZSTD:
      case UNSPOOL_FORMAT_ZSTD_V07:
      case UNSPOOL_FORMAT_ZSTD_SKIPPABLE: failed = zstd(file); break;
      default:
        error.kind = UNSPOOL_ERROR_UNKNOWN_FORMAT;
        error.error_class = unspool_error_class(error.kind);
        failed = 1;
    }
    free(file.data);
  }
  free(dictionary.data);
  if (failed) {
    fprintf(stderr, "error: %s at byte %llu: %s (%s)\n", unspool_class_name(error.error_class), (unsigned long long)error.at,
            unspool_error_message(error.kind), unspool_error_name(error.kind));
    return 1;
  }
  return fflush(stdout) ? 2 : 0;
}

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
static const UnspoolLimits limits = {.size = sizeof limits, .max_output = 256 << 20};
static const UnspoolOptions options = {.size = sizeof options, .limits = &limits};
static const UnspoolXzOptions xz_options = {.size = sizeof xz_options, .limits = &limits};
static UnspoolZstdOptions zstd_options = {.size = sizeof zstd_options, .limits = &limits};
static size_t pieces;
static uint64_t column_number;
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

/* The piece of the input for a step, from `at` on. A copy, so that reading beyond it is found. */
static Bytes piece(UnspoolStep *step, Bytes file, size_t at, size_t len) {
  Bytes part;
  part.len = file.len - at < len ? file.len - at : len;
  part.data = memory(part.len);
  if (part.len) memcpy(part.data, file.data + at, part.len);
  step->src = part.data;
  step->src_len = part.len;
  step->end = at + part.len == file.len;
  return part;
}

static int zstd_whole(Bytes file) {
  UnspoolZstdWorkspace *workspace = memory(sizeof *workspace);
  uint64_t size;
  UnspoolDone done = {0};
  UnspoolBuffers buffers = {.src = file.data, .src_len = file.len, .workspace = workspace, .workspace_len = sizeof *workspace};
  int failed = unspool_zstd_decoded_len(&buffers, &zstd_options, &size, &error);
  if (!failed) {
    buffers.dst = memory((size_t)size);
    buffers.dst_len = (size_t)size;
    failed = unspool_zstd_decode(&buffers, &zstd_options, &done, &error);
    if (!failed) emit(buffers.dst, done.wrote);
    free(buffers.dst);
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
  UnspoolStep step = {.dst = out, .dst_len = pieces};
  const UnspoolBuffers buffers = {.workspace = workspace, .workspace_len = sizeof *workspace, .window = window, .window_len = window_len};
  int failed = unspool_zstd_init(decoder, &buffers, &zstd_options, &error);
  while (!failed && step.status != UNSPOOL_STATUS_DONE) {
    Bytes part = piece(&step, file, at, pieces);
    failed = unspool_zstd_step(decoder, &step, &error);
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
  UnspoolDone done;
  size_t len = part_end > part_first ? (size_t)(part_end - part_first) : 0;
  UnspoolBuffers buffers = {.src = file.data, .src_len = file.len, .dst = memory(len), .dst_len = len, .workspace = workspace, .workspace_len = sizeof *workspace};
  int failed = unspool_zstd_seek_info(file.data, file.len, &limits, &info, &error);
  if (!failed) {
    buffers.scratch = memory(info.scratch_len);
    buffers.scratch_len = info.scratch_len;
    failed = unspool_zstd_decode_part(&buffers, part_first, part_end, &zstd_options, &done, &error);
  }
  if (!failed) emit(buffers.dst, done.wrote);
  free(buffers.scratch);
  free(buffers.dst);
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
  UnspoolBuffers buffers = {.src = file.data, .src_len = file.len, .workspace = workspace, .workspace_len = sizeof *workspace};
  UnspoolDone info, done;
  int failed = unspool_xz_inspect(&buffers, &xz_options, &info, &error);
  if (!failed && !pieces) {
    buffers.dst = memory((size_t)info.content);
    buffers.dst_len = (size_t)info.content;
    failed = unspool_xz_decode(&buffers, &xz_options, &done, &error);
    if (!failed) emit(buffers.dst, done.wrote);
    free(buffers.dst);
  } else if (!failed) {
    UnspoolStep step = {.dst = memory(pieces), .dst_len = pieces};
    size_t at = 0;
    buffers.src_len = 0;
    buffers.window = memory((size_t)info.window);
    buffers.window_len = (size_t)info.window;
    failed = unspool_xz_init(decoder, &buffers, &xz_options, &error);
    while (!failed && step.status != UNSPOOL_STATUS_DONE) {
      Bytes part = piece(&step, file, at, pieces);
      failed = unspool_xz_step(decoder, &step, &error);
      free(part.data);
      at += step.read;
      emit(step.dst, step.wrote);
    }
    free(step.dst);
    free(buffers.window);
  }
  free(decoder);
  free(workspace);
  return failed;
}

static int gzip(Bytes file) {
  UnspoolGzipWorkspace *workspace = memory(sizeof *workspace);
  UnspoolGzipDecoder *decoder = memory(sizeof *decoder);
  UnspoolBuffers buffers = {.src = file.data, .src_len = file.len, .workspace = workspace, .workspace_len = sizeof *workspace,
                            .window = memory(UNSPOOL_GZIP_WINDOW_SIZE), .window_len = UNSPOOL_GZIP_WINDOW_SIZE};
  UnspoolDone info, done;
  int failed = unspool_gzip_inspect(&buffers, &options, &info, &error);
  if (!failed && !pieces) {
    buffers.dst = memory((size_t)info.content);
    buffers.dst_len = (size_t)info.content;
    failed = unspool_gzip_decode(&buffers, &options, &done, &error);
    if (!failed) emit(buffers.dst, done.wrote);
    free(buffers.dst);
  } else if (!failed) {
    UnspoolStep step = {.dst = memory(pieces), .dst_len = pieces};
    size_t at = 0;
    failed = unspool_gzip_init(decoder, &buffers, &options, &error);
    while (!failed && step.status != UNSPOOL_STATUS_DONE) {
      Bytes part = piece(&step, file, at, pieces);
      failed = unspool_gzip_step(decoder, &step, &error);
      free(part.data);
      at += step.read;
      emit(step.dst, step.wrote);
    }
    free(step.dst);
  }
  free(buffers.window);
  free(decoder);
  free(workspace);
  return failed;
}

/* Bytes of a file that were decoded this time, and bytes that are written. */
typedef struct {
  size_t seen, written;
} Progress;

/* Takes the decoded bytes, without memory for all of them. */
static uint8_t emit_part(void *context, const void *bytes, size_t len) {
  Progress *progress = context;
  size_t old = progress->written - progress->seen;
  if (old < len) {
    emit((const uint8_t *)bytes + old, len - old);
    progress->written += len - old;
  }
  progress->seen += len;
  return 0;
}

/* Columns are complete only with the whole file: it is decoded in one call, with or without
 * pieces. */
static int at1(Bytes file) {
  UnspoolAt1Workspace *workspace = memory(sizeof *workspace);
  UnspoolBuffers buffers = {.src = file.data, .src_len = file.len, .workspace = workspace, .workspace_len = sizeof *workspace};
  UnspoolAt1Info info;
  UnspoolDone done;
  uint64_t len = 0;
  Progress progress = {0, 0};
  int failed = unspool_at1_info(file.data, file.len, &limits, &info, &error);
  /* Decoding finds the first error. */
  if (failed && unspool_error_class(error.kind) != UNSPOOL_CLASS_LIMIT) failed = 0, info = (UnspoolAt1Info){0};
  if (!failed) {
    buffers.scratch_len = (size_t)(pieces ? info.scratch_len_to : info.scratch_len);
    buffers.scratch = memory(buffers.scratch_len);
    for (;;) {
      if (pieces) failed = unspool_at1_decode_to(&buffers, emit_part, &progress, &options, &done, &error);
      else failed = unspool_at1_decoded_len(&buffers, &options, &len, &error);
      /* A stream may need more scratch than its header says; written bytes are not repeated. */
      if (!failed || unspool_error_class(error.kind) != UNSPOOL_CLASS_WORKSPACE_TOO_SMALL || error.need <= buffers.scratch_len) break;
      progress.seen = 0;
      free(buffers.scratch);
      buffers.scratch_len = (size_t)error.need;
      buffers.scratch = memory(buffers.scratch_len);
    }
    if (!failed && pieces && progress.written != done.wrote) exit(2);
    if (!failed && !pieces) {
      buffers.dst = memory((size_t)len);
      buffers.dst_len = (size_t)len;
      failed = unspool_at1_decode(&buffers, &options, &done, &error);
      if (!failed) emit(buffers.dst, done.wrote);
      free(buffers.dst);
    }
    free(buffers.scratch);
  }
  free(workspace);
  return failed;
}

static int cvc_whole(const UnspoolCvcFile *opened, Bytes file) {
  UnspoolCvcColumn column;
  UnspoolCvcColumnInfo info;
  UnspoolCvcInfo about;
  UnspoolDone done;
  UnspoolBuffers buffers = {.src = file.data, .src_len = file.len};
  int failed = unspool_cvc_info(opened, &about, &error);
  if (!failed) failed = unspool_cvc_column(&column, opened, column_number, &error);
  if (!failed) failed = unspool_cvc_column_info(&column, &info, &error);
  if (failed) return failed;
  /* From a call without output, which has compared the header with the limits. */
  unspool_cvc_decode(&column, 0, about.rows, &buffers, UNSPOOL_CHECKS_VERIFY, &done, &error);
  if (error.kind && unspool_error_class(error.kind) != UNSPOOL_CLASS_OUTPUT_TOO_SMALL) return error.kind;
  buffers.dst_len = (size_t)error.need;
  buffers.dst = memory(buffers.dst_len);
  failed = about.columns == 1
               ? unspool_cvc_decode_file(&buffers, &options, &done, &error)
               : unspool_cvc_decode(&column, 0, about.rows, &buffers, UNSPOOL_CHECKS_VERIFY, &done, &error);
  if (!failed) emit(buffers.dst, done.wrote);
  free(buffers.dst);
  return failed;
}

static int cvc_pieces(const UnspoolCvcFile *opened, Bytes file, size_t workspace_len) {
  UnspoolCvcDecoder *decoder = memory(sizeof *decoder);
  UnspoolCvcColumn column;
  const UnspoolBuffers buffers = {.workspace = memory(workspace_len), .workspace_len = workspace_len};
  UnspoolCvcOptions with = {.size = sizeof with, .limits = &limits};
  uint8_t *out = memory(pieces), *name = NULL;
  size_t at = 0, name_len = 0;
  Bytes all = {NULL, 0};
  UnspoolStep step = {.dst = out, .dst_len = pieces};
  int failed = unspool_cvc_column(&column, opened, column_number, &error);
  if (!failed) {
    unspool_cvc_column_name(&column, NULL, 0, &name_len, NULL);
    name = memory(name_len);
    failed = unspool_cvc_column_name(&column, name, name_len, &name_len, &error);
  }
  if (!failed) {
    with.column = name_len ? name : NULL;
    with.column_len = name_len;
    failed = unspool_cvc_init(decoder, &buffers, &with, &error);
  }
  while (!failed && step.status != UNSPOOL_STATUS_DONE) {
    Bytes part = piece(&step, file, at, pieces);
    failed = unspool_cvc_step(decoder, &step, &error);
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
  free(buffers.workspace);
  free(decoder);
  return failed;
}

static int cvc(Bytes file) {
  UnspoolCvcFile opened;
  uint64_t workspace = 0;
  int failed = unspool_cvc_open(&opened, file.data, file.len, &limits, &error);
  if (failed) return failed;
  if (!pieces) return cvc_whole(&opened, file);
  failed = unspool_cvc_workspace_len(file.data, file.len, &limits, &workspace, &error);
  if (failed) return failed;
  do {
    /* Lossless chunks need more than the header; the error says how much. */
    failed = cvc_pieces(&opened, file, (size_t)workspace);
  } while (unspool_error_class(error.kind) == UNSPOOL_CLASS_WORKSPACE_TOO_SMALL && error.need > workspace && (workspace = error.need));
  return failed;
}

/* One page, in pieces that grow until they hold a batch. */
static int pco_page(const UnspoolPcoMeta *meta, const UnspoolPcoChunk *chunk, Bytes file, void *workspace, uint64_t *end) {
  UnspoolPcoDecoder *decoder = memory(sizeof *decoder);
  size_t at = (size_t)chunk->page_at, want = pieces;
  void *numbers = memory((size_t)256 * chunk->number_size);
  UnspoolStep step = {.dst = numbers, .dst_len = (size_t)256 * chunk->number_size};
  int failed = 0;
  switch (chunk->number_size) {
    case 1: failed = unspool_pco_init_8(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, workspace, (size_t)chunk->workspace_len, &error); break;
    case 2: failed = unspool_pco_init_16(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, workspace, (size_t)chunk->workspace_len, &error); break;
    case 4: failed = unspool_pco_init_32(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, workspace, (size_t)chunk->workspace_len, &error); break;
    default: failed = unspool_pco_init_64(decoder, meta, chunk->len, UNSPOOL_PCO_BATCHES, workspace, (size_t)chunk->workspace_len, &error); break;
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
    Bytes part = piece(&step, file, at, want);
    switch (chunk->number_size) {
      case 1: failed = unspool_pco_step_8(decoder, &step, &error); break;
      case 2: failed = unspool_pco_step_16(decoder, &step, &error); break;
      case 4: failed = unspool_pco_step_32(decoder, &step, &error); break;
      default: failed = unspool_pco_step_64(decoder, &step, &error); break;
    }
    free(part.data);
    if (!failed) {
      emit(numbers, step.wrote);
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
    UnspoolBuffers buffers = {0};
    failed = unspool_pco_chunk(&opened, at, &chunk, &meta, &error);
    if (failed || !chunk.len) break;
    buffers.workspace_len = (size_t)chunk.workspace_len;
    buffers.workspace = memory(buffers.workspace_len);
    if (pieces) {
      failed = pco_page(&meta, &chunk, file, buffers.workspace, &at);
    } else {
      buffers.dst_len = chunk.len * chunk.number_size;
      buffers.dst = memory(buffers.dst_len);
      failed = unspool_pco_decode(&opened, at, &buffers, &at, &error);
      if (!failed) emit(buffers.dst, buffers.dst_len);
      free(buffers.dst);
    }
    free(buffers.workspace);
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
    UnspoolStep step = {.dst_len = room};
    out = memory(room);
    step.dst = out;
    while (step.status != UNSPOOL_STATUS_DONE) {
      failed = unspool_onpair_step(column, &row, info.rows, &step, &error);
      if (failed == UNSPOOL_ERROR_OUTPUT_TOO_SMALL && error.need > room) {
        room = (size_t)error.need;
        free(out);
        out = memory(room);
        step.dst = out;
        step.dst_len = room;
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
    void *workspace = memory(len);
    failed = unspool_onpair_widen(&column, workspace, len, &error);
    if (!failed) failed = onpair_rows(&column);
    free(workspace);
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
  UnspoolZstdDictionary trained;
  int i, failed;
  if (unspool_check()) {
    fputs("error: the library is of another version than its header\n", stderr);
    return 2;
  }
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
    if (dictionary.len) {
      unspool_zstd_dictionary_init(&trained, dictionary.data, dictionary.len, 0, &error);
      zstd_options.dictionary = &trained;
    }
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
        failed = 1;
    }
    free(file.data);
  }
  free(dictionary.data);
  if (failed) {
    fprintf(stderr, "error: %s at byte %llu: %s (%s)\n", unspool_class_name(unspool_error_class(error.kind)), (unsigned long long)error.at,
            unspool_error_message(error.kind), unspool_error_name(error.kind));
    return 1;
  }
  return fflush(stdout) ? 2 : 0;
}

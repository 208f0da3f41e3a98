/* Numbers: 256 at a time from a column in flash, whose input grows by 64 bytes until it holds a
 * batch. */
#include "board.h"
#include "unspool/pco.h"

STACK(4096);

FILE_IN_FLASH(file, "pco/m_i32_classic_auto.pco");
FILE_IN_FLASH(expected, "pco/m_i32_classic_auto.bin");

static UnspoolPcoFile opened;
static UnspoolPcoMeta meta;
static UnspoolPcoDecoder decoder;
static uint64_t words[256];
static uint32_t numbers[256];

int main(void) {
  UnspoolPcoInfo info;
  UnspoolPcoChunk chunk;
  UnspoolError error;
  UnspoolStep step = {.dst = numbers, .dst_len = sizeof numbers};
  size_t at, wrote = 0, want = 64;
  say("pco");
  if (unspool_pco_open(&opened, file, LEN(file), NULL, NULL) || unspool_pco_info(&opened, &info, NULL)) return 1;
  if (unspool_pco_chunk(&opened, info.first_chunk, &chunk, &meta, NULL) || chunk.number_type != UNSPOOL_PCO_I32) return 1;
  if (unspool_pco_workspace_len(&meta, chunk.len, UNSPOOL_PCO_BATCHES) > sizeof words) return 1;
  /* Too little: the error says how much is enough. */
  if (unspool_pco_init_int_32(&decoder, &meta, chunk.len, UNSPOOL_PCO_BATCHES, words, 8, &error) == 0 || error.need != chunk.workspace_len) return 1;
  if (unspool_pco_init_int_32(&decoder, &meta, chunk.len, UNSPOOL_PCO_BATCHES, words, sizeof words, NULL)) return 1;
  if (unspool_pco_start_32(&decoder, chunk.len, chunk.page_at, NULL)) return 1;
  for (at = (size_t)chunk.page_at; step.status != UNSPOOL_STATUS_DONE;) {
    step.src = file + at;
    step.src_len = LEN(file) - at < want ? LEN(file) - at : want;
    step.end = at + step.src_len == LEN(file);
    if (unspool_pco_step_32(&decoder, &step, NULL)) return 1;
    if (wrote + step.wrote > LEN(expected) || !same((const uint8_t *)numbers, expected + wrote, step.wrote)) return 1;
    at += step.read;
    wrote += step.wrote;
    want = step.status == UNSPOOL_STATUS_NEED_INPUT ? want + 64 : 64;
  }
  return wrote != LEN(expected);
}

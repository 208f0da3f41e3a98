/* An update from a patch, and an image restored from xz, both page by page in flash. */
#include "board.h"
#include "unspool/xz.h"
#include "unspool/zstd.h"

STACK(5120);

/* The image that runs, a patch by `zstd -19 --patch-from`, and the new image by xz with lc=0. */
FILE_IN_FLASH(old, "patch/old.bin");
FILE_IN_FLASH(patch, "patch/update.zst");
FILE_IN_FLASH(restore, "patch/restore.xz");

#define SLOT_LEN 0x8000u
#define SECTOR 1024u

#ifdef __ARM_ARCH_6M__
/* The last 32 KiB of the flash of an nRF51822, and its controller: state, mode, sector to erase. */
static volatile uint32_t *const slot = (volatile uint32_t *)0x38000;
#define READY (*(volatile const uint32_t *)0x4001E400)
#define MODE (*(volatile uint32_t *)0x4001E504)
#define ERASE (*(volatile uint32_t *)0x4001E508)
#else
/* The other board has no flash that a program can write. */
static volatile uint32_t slot[SLOT_LEN / 4];
static uint32_t READY = 1, MODE, ERASE;
#endif

static uint8_t read_slot(void *context, uint64_t at, void *into, size_t len) {
  const volatile uint8_t *from = (const volatile uint8_t *)slot + at;
  uint8_t *to = into;
  (void)context;
  if (at + len > SLOT_LEN) return 1;
  while (len--) *to++ = *from++;
  return 0;
}

/* Erases the sector that begins here, and writes words. A page is a sector, or the last part. */
static uint8_t write_slot(void *context, uint64_t at, const void *page, size_t len) {
  const uint8_t *from = page;
  volatile uint32_t *to = slot + at / 4;
  size_t byte;
  unsigned *pages = context;
  if (at % SECTOR || len > SECTOR || at + len > SLOT_LEN) return 1;
  ++*pages;
  MODE = 2;
  ERASE = (uint32_t)(uintptr_t)to;
  while (!READY) {
  }
  MODE = 1;
  for (byte = 0; byte < len; byte += 4) {
    uint32_t word = ~0u;
    size_t i;
    for (i = 0; i < 4 && byte + i < len; i++) word = (word & ~(0xFFu << 8 * i)) | (uint32_t)from[byte + i] << 8 * i;
    *to++ = word;
    while (!READY) {
    }
  }
  MODE = 0;
  return 0;
}

static union {
  UnspoolZstdWorkspace zstd;
  uint8_t xz[UNSPOOL_XZ_TABLES_SIZE + UNSPOOL_XZ_CONTEXT_SIZE];
} workspace;
static UnspoolZstdDictionary dictionary;
static uint8_t page[SECTOR];
static unsigned pages;

static const UnspoolStore store = {.size = sizeof store, .context = &pages, .capacity = SLOT_LEN, .read = read_slot, .write = write_slot};

/* Installs a patch. The old image is mapped. The checksum is compared before the last page. */
static int install(size_t *len) {
  UnspoolDone done;
  const UnspoolZstdOptions options = {.size = sizeof options, .dictionary = &dictionary, .flavour = UNSPOOL_ZSTD_RFC8878};
  const UnspoolBuffers buffers = {.src = patch, .src_len = LEN(patch), .workspace = &workspace, .workspace_len = sizeof workspace,
                                  .scratch = page, .scratch_len = sizeof page};
  if (unspool_zstd_dictionary_init(&dictionary, old, LEN(old), 1, NULL)) return 1;
  if (unspool_zstd_decode_to_store(&buffers, &store, &options, &done, NULL)) return 2;
  *len = done.wrote;
  return done.checks_matched != 1 || pages != (done.wrote + SECTOR - 1) / SECTOR;
}

/* Restores the same image without an old one. */
static int restored(size_t expected) {
  UnspoolDone done;
  const UnspoolBuffers buffers = {.src = restore, .src_len = LEN(restore), .workspace = &workspace, .workspace_len = sizeof workspace,
                                  .scratch = page, .scratch_len = sizeof page};
  if (unspool_xz_decode_to_store(&buffers, &store, NULL, &done, NULL)) return 3;
  return done.wrote != expected || done.checks_matched < 1;
}

static uint32_t hash_of_slot(size_t len) {
  const volatile uint8_t *at = (const volatile uint8_t *)slot;
  uint32_t hash = 0x811C9DC5;
  while (len--) hash = (hash ^ *at++) * 0x01000193;
  return hash;
}

int main(void) {
  size_t len;
  uint32_t hash;
  say("update");
  if (install(&len)) return 1;
  hash = hash_of_slot(len);
  return restored(len) || hash_of_slot(len) != hash;
}

/* A board under QEMU: text, an exit, and files in flash. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

void say(const char *text);
void say_number(uint32_t n);

/* Ends the emulator, with 0 if nothing failed. */
void finish(int failed);

/* The most bytes of stack that a program uses: the linker reserves them, and `finish` fails if more
 * were used. */
#define STACK(bytes) __asm__(".global stack_len\n.set stack_len, " #bytes)

/* A file in flash: `extern const uint8_t NAME[], NAME_end[]`. */
#define FILE_IN_FLASH(name, path)                                                                                  \
  __asm__(".pushsection .files, \"a\"\n.balign 4\n.global " #name "\n" #name ":\n.incbin \"" path "\"\n.global " #name \
          "_end\n" #name "_end:\n.popsection");                                                                    \
  extern const uint8_t name[], name##_end[]

#define LEN(name) ((size_t)(name##_end - name))

static inline int same(const uint8_t *a, const uint8_t *b, size_t len) {
  while (len--) {
    if (*a++ != *b++) return 0;
  }
  return 1;
}

#endif

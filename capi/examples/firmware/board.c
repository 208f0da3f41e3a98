/* Start-up code of a bare board: a vector table, memory, and text from the emulator by
 * semihosting. */
#include "board.h"

extern uint32_t stack_top[], data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_limit[], stack_len[];
extern int main(void);

static int semihost(int operation, const void *argument) {
#ifdef __riscv
  register int a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = argument;
  /* The emulator looks for these three instructions, uncompressed and within one page. */
  __asm__ volatile(".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                   : "+r"(a0) : "r"(a1) : "memory");
  return a0;
#else
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
#endif
}

void say(const char *text) { semihost(0x04, text); }

void say_number(uint32_t n) {
  char digits[11];
  char *at = digits + 10;
  *at = 0;
  do {
    *--at = (char)('0' + n % 10);
    n /= 10;
  } while (n);
  say(at);
}

void finish(int failed) {
  /* The stack was filled with a pattern before main: bytes that still hold it were never used. */
  const uint32_t *word = stack_limit;
  uint32_t used;
  while (word < stack_top && *word == 0xA5C35A3C) word++;
  used = (uint32_t)((uintptr_t)stack_top - (uintptr_t)word);
  /* It may have exceeded the stack, or the size that the program declares. */
  if (word == stack_limit || used > (uintptr_t)stack_len) {
    say(": stack overrun");
    failed = 1;
  }
  say(failed ? ": FAILED, stack high-water " : ": ok, stack high-water ");
  say_number(used);
  say(" bytes\n");
  /* ADP_Stopped_ApplicationExit ends the emulator with 0, another reason with 1. */
  semihost(0x18, (const void *)(failed ? 0x20023 : 0x20026));
  for (;;) {
  }
}

void reset(void) {
  uint32_t *from = data_load, *to;
  for (to = data_start; to < data_end;) *to++ = *from++;
  for (to = bss_start; to < bss_end;) *to++ = 0;
  for (to = stack_limit; to < (uint32_t *)__builtin_frame_address(0) - 16;) *(volatile uint32_t *)to++ = 0xA5C35A3C;
#ifdef __ARM_FP
  /* The floating-point unit of the Cortex-M4F is off until it is enabled. */
  *(volatile uint32_t *)0xE000ED88 |= 0xF << 20;
  __asm__ volatile("dsb\nisb");
#endif
#ifdef __riscv_flen
  /* So is that of RISC-V. */
  __asm__ volatile(".option push\n.option arch, +zicsr\ncsrs mstatus, %0\n.option pop" : : "r"(1 << 13));
#endif
  finish(main());
}

/* An exception of the processor, at an address that RISC-V wants to be a multiple of four. */
__attribute__((aligned(4))) void fault(void) {
  say(": hard fault");
  finish(1);
}

/* The start of flash. */
#ifdef __riscv
__asm__(".pushsection .vectors, \"ax\"\n.global vectors\nvectors:\nla sp, stack_top\n"
        "la t0, fault\n.option arch, +zicsr\ncsrw mtvec, t0\ncall reset\n.popsection");
#else
__attribute__((section(".vectors"), used)) const void *const vectors[16] = {stack_top, (const void *)reset, (const void *)fault, (const void *)fault};
#endif

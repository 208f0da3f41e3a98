/* What peers in C want of a C library, which a bare machine does not have. The compiler's library for Rust defines it. */
#pragma once
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *one, const void *other, size_t len);

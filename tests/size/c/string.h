/* Functions of a C library that peers in C need. Rust's compiler library defines them. */
#pragma once
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *one, const void *other, size_t len);

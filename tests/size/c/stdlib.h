/* The heap of the program: it only grows. */
#pragma once
#include <stddef.h>
void *malloc(size_t len);
void *calloc(size_t count, size_t len);
void free(void *memory);

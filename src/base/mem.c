// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*at_exhaustion)(void *context);
static void *exhaustion_context;

void mem_at_exhaustion(void (*end)(void *context), void *context)
{
    at_exhaustion = end;
    exhaustion_context = context;
}

static void *check(void *memory)
{
    if (!memory) {
        fputs("scalene: out of memory\n", stderr);
        if (at_exhaustion) {
            at_exhaustion(exhaustion_context);
        }
        exit(EXIT_FAILURE);
    }
    return memory;
}

void *mem_alloc(size_t size)
{
    return check(calloc(1, size ? size : 1));
}

void *mem_resize(void *old, size_t size)
{
    return check(realloc(old, size ? size : 1));
}

char *mem_copy_text(const char *text)
{
    return check(strdup(text));
}

char *mem_copy_bytes(const char *bytes, size_t len)
{
    char *copy = mem_alloc(len + 1);
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

void *mem_grow(void *array, size_t count, size_t *capacity, size_t element_size)
{
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity ? *capacity * 2 : 8;
    return mem_resize(array, *capacity * element_size);
}

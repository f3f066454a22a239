// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tool's heap. Memory is zeroed and never NULL: running out of it ends the tool with a message.
// Who has more to do then than to leave (a program that still runs) says so beforehand.

#include <stddef.h>

// `end` is called once there is no more, and allocates nothing; NULL: nothing is to be done.
void mem_at_exhaustion(void (*end)(void *context), void *context);

void *mem_alloc(size_t size);
void *mem_resize(void *old, size_t size); // what is added is not zeroed
char *mem_copy_text(const char *text);
char *mem_copy_bytes(const char *bytes, size_t len); // adds a NUL

// Makes room for one element more in an array that grows by doubling.
void *mem_grow(void *array, size_t count, size_t *capacity, size_t element_size);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the agent's own code calls where it says memcpy, memmove, mmap or munmap: never its hooks.
// The linker puts these names in place of those (--wrap), also for calls that the compiler makes.
// Context: any thread, signal handler, vfork child

#include <stddef.h>
#include <sys/types.h>

void *__wrap_memcpy(void *to, const void *from, size_t len);
void *__wrap_memmove(void *to, const void *from, size_t len);
void *__wrap_mmap(void *address, size_t len, int protection, int flags, int fd, off_t at);
int __wrap_munmap(void *address, size_t len);

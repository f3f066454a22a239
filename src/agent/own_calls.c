// SPDX-License-Identifier: Apache-2.0
#include "agent/own_calls.h"

#include <errno.h>
#include <stdbool.h>

#include "agent/plain_copy.h"
#include "agent/real.h"
#include "agent/syscall.h"

void *__wrap_memcpy(void *to, const void *from, size_t len)
{
    return real.memcpy ? real.memcpy(to, from, len) : plain_copy(to, from, len);
}

void *__wrap_memmove(void *to, const void *from, size_t len)
{
    return real.memmove ? real.memmove(to, from, len) : plain_copy(to, from, len);
}

static bool has_failed(long result)
{
    bool is_error = result < 0 && result > -4096;
    if (is_error) {
        errno = (int)-result;
    }
    return is_error;
}

void *__wrap_mmap(void *address, size_t len, int protection, int flags, int fd, off_t at)
{
    long result = raw_mmap(address, len, protection, flags, fd, at);
    return has_failed(result) ? MAP_FAILED : (void *)result;
}

int __wrap_munmap(void *address, size_t len)
{
    return has_failed(raw_munmap(address, len)) ? -1 : 0;
}

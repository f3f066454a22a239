// SPDX-License-Identifier: Apache-2.0

// Hooks of what maps memory and gives it back.

#include <errno.h>
#include <stdarg.h>

#include "agent/footprint.h"
#include "agent/hook.h"
#include "agent/mapping.h"

#define CALLER() __builtin_extract_return_addr(__builtin_return_address(0))

#define MMAP_HOOK(name, offset_type)                                                             \
    void *name(void *address, size_t len, int protection, int flags, int fd, offset_type offset) \
    {                                                                                            \
        void *result = REAL(name)(address, len, protection, flags, fd, offset);                  \
        if (result != MAP_FAILED && mapping_is_followed(CALLER())) {                             \
            int saved_errno = errno;                                                             \
            mapping_made(result, len, protection, flags);                                        \
            errno = saved_errno;                                                                 \
        }                                                                                        \
        return result;                                                                           \
    }

MMAP_HOOK(mmap, off_t)
MMAP_HOOK(mmap64, off64_t)

// Such a call fails, and means nothing.
static bool is_nonsense(const void *address, size_t len)
{
    uintptr_t start = (uintptr_t)address;
    return start % REGION_PAGE != 0 || len == 0 || len > UINTPTR_MAX / 2 - start;
}

int munmap(void *address, size_t len)
{
    if (!mapping_is_followed(CALLER()) || is_nonsense(address, len)) {
        return REAL(munmap)(address, len);
    }
    struct mapping_taken taken;
    int saved_errno = errno;
    mapping_unmap_begin(&taken, address, len);
    errno = saved_errno;
    int result = REAL(munmap)(address, len);
    saved_errno = errno;
    mapping_unmap_end(&taken, result == 0);
    errno = saved_errno;
    return result;
}

// The new address is there only with MREMAP_FIXED; else whatever lies in its place is passed on.
// Of a mapping that is doubled (no length, MREMAP_DONTUNMAP) the first stays what it was.
void *mremap(void *address, size_t len, size_t new_len, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    void *new_address = va_arg(more, void *);
    va_end(more);
    bool is_doubled = len == 0 || (flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED));
    if (!mapping_is_followed(CALLER()) || is_nonsense(address, len) || is_doubled) {
        return REAL(mremap)(address, len, new_len, flags, new_address);
    }
    struct mapping_taken taken;
    mapping_move_begin(&taken, address, len);
    void *result = REAL(mremap)(address, len, new_len, flags, new_address);
    int saved_errno = errno;
    mapping_move_end(&taken, result, new_len);
    errno = saved_errno;
    return result;
}

int mprotect(void *address, size_t len, int protection)
{
    int result = REAL(mprotect)(address, len, protection);
    if (result == 0 && len > 0 && mapping_is_followed(CALLER())) {
        int saved_errno = errno;
        mapping_protected(address, len, protection);
        errno = saved_errno;
    }
    return result;
}

static void heap_moved(intptr_t bytes)
{
    int saved_errno = errno;
    footprint_add(bytes);
    errno = saved_errno;
}

void *sbrk(intptr_t bytes)
{
    void *result = REAL(sbrk)(bytes);
    if (bytes != 0 && result != (void *)-1 && mapping_is_followed(CALLER())) {
        heap_moved(bytes);
    }
    return result;
}

// A result of 0 does not say that the end was moved.
int brk(void *end)
{
    if (!mapping_is_followed(CALLER())) {
        return REAL(brk)(end);
    }
    const char *before = REAL(sbrk)(0);
    int result = REAL(brk)(end);
    const char *after = REAL(sbrk)(0);
    if (after != before) {
        heap_moved(after - before);
    }
    return result;
}

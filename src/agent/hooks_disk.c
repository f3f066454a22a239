// SPDX-License-Identifier: Apache-2.0

// Hooks of files: opening, removing, forcing to disk, locking.

#include <fcntl.h>
#include <stdarg.h>

#include "agent/hook.h"

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, true, wait_end(&scope, WAIT_DISK))

HOOKS_DISK(X)

#undef X

// A FIFO is opened when its other end is: the new descriptor tells.
static void end_open(const struct wait_scope *scope, int fd)
{
    if (fd >= 0) {
        wait_end_fd(scope, fd);
    } else {
        wait_end(scope, WAIT_DISK);
    }
}

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, end_open(&scope, result))

HOOKS_OPEN(X)

#undef X

void (*hook_on_open)(const char *path);

static void tell(const char *path)
{
    if (__builtin_expect(hook_on_open != NULL, 0)) {
        hook_on_open(path);
    }
}

// The mode is there only if a file may be made; else whatever lies in its place is passed on. The
// kernel works long only where there is something to cut off.
#define OPEN_HOOK(name)                             \
    int name(const char *path, int flags, ...)      \
    {                                               \
        va_list more;                               \
        va_start(more, flags);                      \
        mode_t mode = va_arg(more, mode_t);         \
        va_end(more);                               \
        struct wait_scope scope;                    \
        tell(path);                                 \
        wait_begin(&scope, (flags & O_TRUNC) != 0); \
        int fd = REAL(name)(path, flags, mode);     \
        end_open(&scope, fd);                       \
        return fd;                                  \
    }

OPEN_HOOK(open)
OPEN_HOOK(open64)

#define OPENAT_HOOK(name)                                     \
    int name(int directory, const char *path, int flags, ...) \
    {                                                         \
        va_list more;                                         \
        va_start(more, flags);                                \
        mode_t mode = va_arg(more, mode_t);                   \
        va_end(more);                                         \
        struct wait_scope scope;                              \
        wait_begin(&scope, (flags & O_TRUNC) != 0);           \
        int fd = REAL(name)(directory, path, flags, mode);    \
        end_open(&scope, fd);                                 \
        return fd;                                            \
    }

OPENAT_HOOK(openat)
OPENAT_HOOK(openat64)

// The third argument is an int, a pointer or absent; a pointer's worth of it is passed on, which
// is what the original takes.
#define FCNTL_HOOK(name)                                      \
    int name(int fd, int command, ...)                        \
    {                                                         \
        va_list more;                                         \
        va_start(more, command);                              \
        void *argument = va_arg(more, void *);                \
        va_end(more);                                         \
        if (command != F_SETLKW && command != F_OFD_SETLKW) { \
            return REAL(name)(fd, command, argument);         \
        }                                                     \
        struct wait_scope scope;                              \
        wait_begin(&scope, false);                            \
        int result = REAL(name)(fd, command, argument);       \
        wait_end(&scope, WAIT_LOCK);                          \
        return result;                                        \
    }

FCNTL_HOOK(fcntl)
FCNTL_HOOK(fcntl64)

void sync(void)
{
    struct wait_scope scope;
    wait_begin(&scope, true);
    REAL(sync)();
    wait_end(&scope, WAIT_DISK);
}

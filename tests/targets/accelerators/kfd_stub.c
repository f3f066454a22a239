// SPDX-License-Identifier: Apache-2.0

// AMD's compute driver, to be preloaded: in the place of the kernel it answers its ioctls, the one
// that waits for an event after a while.

#include <dlfcn.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#define GROUP(request) ((request) >> 8 & 0xff)
#define WAIT_EVENTS    0xc0184b0cul
#define WAIT_MS        200

int ioctl(int fd, unsigned long request, ...);

// The C library's own, not the profiler's hook: a kernel has none.
static void sleep_in_the_kernel(void)
{
    int (*wait)(struct pollfd *, nfds_t, int);
    void *symbol = dlsym(RTLD_NEXT, "poll");
    memcpy(&wait, &symbol, sizeof wait);
    wait(NULL, 0, WAIT_MS);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (request == WAIT_EVENTS) {
        sleep_in_the_kernel();
    }
    if (GROUP(request) == 'K') {
        return 0;
    }
    int (*real)(int, unsigned long, ...);
    void *symbol = dlsym(RTLD_NEXT, "ioctl");
    memcpy(&real, &symbol, sizeof real);
    return real(fd, request, argument);
}

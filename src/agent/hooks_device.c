// SPDX-License-Identifier: Apache-2.0

// Hooks of waits for a device: what a driver has done is waited for by ioctl.

#include <stdarg.h>

#include "agent/hook.h"

// A request's group and its number there, as the kernel's headers build them.
#define REQUEST_GROUP(request)  ((request) >> 8 & 0xff)
#define REQUEST_NUMBER(request) ((request)&0xff)

// AMD's compute driver has one that waits; the DRM and its drivers have some: for a synchronisation
// object (two of its own), and those of i915, xe and amdgpu.
static bool waits(unsigned long request)
{
    unsigned long number = REQUEST_NUMBER(request);
    switch (REQUEST_GROUP(request)) {
    case 'K':
        return number == 0x0c;
    case 'd':
        return number == 0xc3 || number == 0xca || number == 0x6c || number == 0x4a ||
               number == 0x49 || number == 0x52 || number == 0x47;
    default:
        return false;
    }
}

// The argument is an int, a pointer or absent; a pointer's worth of it is passed on, which is what
// the original takes.
int ioctl(int fd, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (!waits(request)) {
        return REAL(ioctl)(fd, request, argument);
    }
    struct wait_scope scope;
    wait_begin(&scope, false);
    int result = REAL(ioctl)(fd, request, argument);
    wait_end(&scope, WAIT_OTHER);
    return result;
}

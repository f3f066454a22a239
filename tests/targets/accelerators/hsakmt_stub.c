// SPDX-License-Identifier: Apache-2.0

// A libhsakmt.so.1 that waits for AMD's compute driver as the real one does: by ioctl.

#include <stdint.h>
#include <sys/ioctl.h>

#define WAIT_EVENTS 0xc0184b0cul
#define GET_VERSION 0x80084b01ul

int hsaKmtWaitOnEvent(void);
int hsaKmtGetVersion(void);

int hsaKmtWaitOnEvent(void)
{
    uint64_t argument[3] = {0};
    return ioctl(0, WAIT_EVENTS, argument);
}

// What waits for nothing.
int hsaKmtGetVersion(void)
{
    uint64_t argument = 0;
    return ioctl(0, GET_VERSION, &argument);
}

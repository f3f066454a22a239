// SPDX-License-Identifier: Apache-2.0
#include "map_probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#define SUM_COUNT (SUM_UNTRACKED + 1)

static long before[SUM_COUNT];
static long (*sum)(unsigned);

void map_expect_begin(void)
{
    int error = errno;
    sum = (long (*)(unsigned))dlsym(RTLD_DEFAULT, "map_agent_sum");
    for (unsigned i = 0; sum && i < SUM_COUNT; i++) {
        before[i] = sum(i);
    }
    errno = error;
}

void map_expect(const char *what, enum map_sum which, long bytes)
{
    int error = errno;
    long seen = sum ? sum(which) - before[which] : bytes;
    if (seen != bytes) {
        printf("%s: %ld bytes seen, not %ld\n", what, seen, bytes);
    }
    errno = error;
}

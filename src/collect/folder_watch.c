// SPDX-License-Identifier: Apache-2.0
#include "collect/folder_watch.h"

#include <sys/stat.h>

// File times move on by the kernel's tick: a change right after a look may leave them as they were.
#define TICK_NS 20000000

void folder_watch_open(struct folder_watch *watch, const char *path)
{
    *watch = (struct folder_watch){.path = path};
}

static double seconds_between(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

bool folder_watch_has_news(struct folder_watch *watch)
{
    struct stat status;
    if (stat(watch->path, &status) != 0) {
        return false;
    }
    bool is_same = status.st_mtim.tv_sec == watch->changed.tv_sec &&
                   status.st_mtim.tv_nsec == watch->changed.tv_nsec;
    bool is_old = seconds_between(status.st_mtim, watch->asked) > TICK_NS / 1e9;
    watch->changed = status.st_mtim;
    clock_gettime(CLOCK_REALTIME, &watch->asked);
    return !is_same || !is_old;
}

// SPDX-License-Identifier: Apache-2.0
#include "collect/folder_watch.h"

#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>

void folder_watch_open(struct folder_watch *watch, const char *path)
{
    watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->fd >= 0 && inotify_add_watch(watch->fd, path, IN_CREATE | IN_MOVED_TO) < 0) {
        folder_watch_close(watch);
    }
}

// Which files they are does not matter, nor whether the kernel lost count of them.
bool folder_watch_has_news(const struct folder_watch *watch)
{
    _Alignas(struct inotify_event) uint8_t events[4096];
    bool has_news = watch->fd < 0;
    while (watch->fd >= 0 && read(watch->fd, events, sizeof events) > 0) {
        has_news = true;
    }
    return has_news;
}

void folder_watch_close(struct folder_watch *watch)
{
    if (watch->fd >= 0) {
        close(watch->fd);
    }
    watch->fd = -1;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether files have come to a folder since one last asked, by the folder's own time: one call,
// where reading it would be several. (inotify would do it too, but closing it took 9 ms of every
// run: the kernel waits until nobody can be looking at the watch any more.)

#include <stdbool.h>
#include <time.h>

struct folder_watch {
    const char *path;
    struct timespec changed; // the folder's time when its files were last asked for
    struct timespec asked;
};

// Keeps `path`.
void folder_watch_open(struct folder_watch *watch, const char *path);
bool folder_watch_has_news(struct folder_watch *watch);

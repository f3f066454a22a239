// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether files have come to a folder since one last asked, without reading it each time. Where the
// kernel gives no such help the answer is always yes.

#include <stdbool.h>

struct folder_watch {
    int fd; // -1: always yes
};

void folder_watch_open(struct folder_watch *watch, const char *path);
bool folder_watch_has_news(const struct folder_watch *watch);
void folder_watch_close(struct folder_watch *watch);

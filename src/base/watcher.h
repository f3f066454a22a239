// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whoever wants to know how far a long work is.

#include <stddef.h>

struct watcher {
    void *context;
    void (*step)(void *context, size_t done, size_t total);
};

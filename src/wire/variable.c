// SPDX-License-Identifier: Apache-2.0
#include "wire/variable.h"

#include <stddef.h>
#include <string.h>

#define SEPARATORS ": " // of LD_PRELOAD

const char *variable_value(const char *entry, const char *name)
{
    size_t len = strlen(name);
    return strncmp(entry, name, len) == 0 && entry[len] == '=' ? entry + len + 1 : NULL;
}

static bool is_next(const char *list, size_t len, const char *path)
{
    return len == strlen(path) && memcmp(list, path, len) == 0;
}

bool variable_lists(const char *preloaded, const char *path)
{
    while (*preloaded) {
        size_t len = strcspn(preloaded, SEPARATORS);
        if (is_next(preloaded, len, path)) {
            return true;
        }
        preloaded += len + (preloaded[len] != '\0');
    }
    return false;
}

bool variable_without(const char *preloaded, const char *path, char *out, unsigned long size)
{
    if (strlen(preloaded) >= size) {
        return false;
    }
    size_t used = 0;
    while (*preloaded) {
        size_t len = strcspn(preloaded, SEPARATORS);
        size_t step = len + (preloaded[len] != '\0');
        if (!is_next(preloaded, len, path)) {
            memcpy(out + used, preloaded, step);
            used += step;
        }
        preloaded += step;
    }
    if (used > 0 && strchr(SEPARATORS, out[used - 1])) {
        used--;
    }
    out[used] = '\0';
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "suggest/place.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *end, size_t len)
{
    size_t path_len = strlen(path);
    return path_len >= len && memcmp(path + path_len - len, end, len) == 0 &&
           (path_len == len || end[0] == '/' || path[path_len - len - 1] == '/');
}

static bool find_file(struct place *place, const struct profile *profile, const char *name,
                      size_t len, struct error *err)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        if (strlen(file->path) == len && memcmp(file->path, name, len) == 0) {
            place->file = file; // whatever else ends so
            return true;
        }
    }
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        if (!ends_with(file->path, name, len)) {
            continue;
        }
        if (place->file) {
            return error_set(err, "--line: '%.*s' could be %s or %s; write more of its path",
                             (int)len, name, place->file->path, file->path);
        }
        place->file = file;
    }
    return place->file ? true
                       : error_set(err, "--line: the profile has no file '%.*s'", (int)len, name);
}

bool place_read(struct place *place, const struct profile *profile, const char *words,
                struct error *err)
{
    const char *colon = strrchr(words, ':');
    char *end = NULL;
    long number = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || colon == words || end == colon + 1 || *end || number < 1 ||
        number > PROFILE_LINE_MAX) {
        return error_set(err, "--line: '%s' is no place; write it as train.py:88", words);
    }
    *place = (struct place){.line = (int)number};
    return find_file(place, profile, words, (size_t)(colon - words), err);
}

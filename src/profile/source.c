// SPDX-License-Identifier: Apache-2.0
#include "profile/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/zip.h"

#define SIZE_MAX_BYTES 67108864 // 64 MB

// Python ends a line at "\n", "\r\n" and a lone "\r".
static size_t line_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && text[at] != '\n' && text[at] != '\r') {
        at++;
    }
    if (at + 1 < len && text[at] == '\r' && text[at + 1] == '\n') {
        return at + 2;
    }
    return at < len ? at + 1 : at;
}

static void take(struct source *source, char *text, size_t len)
{
    *source = (struct source){.text = text, .len = len};
    size_t capacity = 0;
    size_t at = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < len) {
        size_t line = line_len(text + at, len - at);
        source->lines =
            mem_grow(source->lines, source->line_count, &capacity, sizeof *source->lines);
        source->lines[source->line_count++] = (struct source_line){.text = text + at, .len = line};
        at += line;
    }
}

void source_from_text(struct source *source, const char *text, size_t len)
{
    take(source, mem_copy_bytes(text, len), len);
}

static char *read_whole(int fd, size_t *len)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > SIZE_MAX_BYTES) {
        return NULL;
    }
    size_t size = (size_t)status.st_size;
    char *text = mem_alloc(size + 1);
    *len = 0;
    while (*len < size) {
        ssize_t got = read(fd, text + *len, size - *len);
        if (got > 0) {
            *len += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    return text;
}

// The archive is the first part of the path that is a file.
static char *read_member(const char *path, size_t *len)
{
    char archive[PATH_MAX];
    size_t path_len = strlen(path);
    if (path_len >= sizeof archive) {
        return NULL;
    }
    memcpy(archive, path, path_len + 1);
    for (char *slash = strrchr(archive, '/'); slash && slash > archive;
         slash = strrchr(archive, '/')) {
        *slash = '\0';
        struct stat status;
        if (stat(archive, &status) == 0) {
            const char *member = path + (slash - archive) + 1;
            return S_ISREG(status.st_mode) ? zip_read_member(archive, member, SIZE_MAX_BYTES, len)
                                           : NULL;
        }
    }
    return NULL;
}

bool source_from_path(struct source *source, const char *path)
{
    *source = (struct source){0};
    if (path[0] != '/') {
        return false;
    }
    size_t len = 0;
    char *text;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        text = read_whole(fd, &len);
        close(fd);
    } else {
        text = errno == ENOTDIR ? read_member(path, &len) : NULL;
    }
    if (text) {
        take(source, text, len);
    }
    return text != NULL;
}

void source_clear(struct source *source)
{
    free(source->text);
    free(source->lines);
    *source = (struct source){0};
}

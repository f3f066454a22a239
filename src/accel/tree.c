// SPDX-License-Identifier: Apache-2.0
#include "accel/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *tree_root(void)
{
    const char *root = getenv(TREE_ROOT_VARIABLE);
    return root ? root : "";
}

bool tree_path(char path[TREE_PATH_MAX], const char *format, ...)
{
    int start = snprintf(path, TREE_PATH_MAX, "%s", tree_root());
    if (start < 0 || start >= TREE_PATH_MAX) {
        return false;
    }
    va_list args;
    va_start(args, format);
    int len = vsnprintf(path + start, (size_t)(TREE_PATH_MAX - start), format, args);
    va_end(args);
    return len >= 0 && len < TREE_PATH_MAX - start;
}

size_t tree_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    size_t len = 0;
    ssize_t part = 0;
    while (len + 1 < size && (part = read(fd, text + len, size - 1 - len)) > 0) {
        len += (size_t)part;
    }
    int reason = part < 0 ? errno : ENODATA;
    close(fd);
    errno = reason;
    text[len] = '\0';
    return len;
}

bool tree_read_number(const char *path, unsigned long long *number)
{
    char text[64];
    if (tree_read(path, text, sizeof text) == 0) {
        return false;
    }
    char *end;
    *number = strtoull(text, &end, 0);
    errno = ENODATA; // to whoever finds no number, or cannot use it
    return end != text;
}

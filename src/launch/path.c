// SPDX-License-Identifier: Apache-2.0
#include "launch/path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

static void drop_last_component(struct text *path)
{
    while (path->len > 0 && path->data[path->len - 1] != '/') {
        path->len--;
    }
    if (path->len > 0) {
        path->len--;
    }
    path->data[path->len] = '\0';
}

static void add_components(struct text *path, const char *from)
{
    while (*from) {
        from += strspn(from, "/");
        size_t len = strcspn(from, "/");
        if (len == 2 && from[0] == '.' && from[1] == '.') {
            drop_last_component(path);
        } else if (len > 0 && !(len == 1 && from[0] == '.')) {
            text_add_char(path, '/');
            text_add_bytes(path, from, len);
        }
        from += len;
    }
}

char *path_absolute(const char *path)
{
    struct text absolute = {0};
    text_add(&absolute, "");
    if (path[0] != '/') {
        char *here = getcwd(NULL, 0);
        add_components(&absolute, here ? here : "/");
        free(here);
    }
    add_components(&absolute, path);
    if (absolute.len == 0) {
        text_add_char(&absolute, '/');
    }
    return absolute.data;
}

char *path_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return mem_copy_text(".");
    }
    return slash == path ? mem_copy_text("/") : mem_copy_bytes(path, (size_t)(slash - path));
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_join(const char *directory, const char *name)
{
    struct text path = {0};
    text_add(&path, directory);
    if (path.len > 0 && path.data[path.len - 1] != '/') {
        text_add_char(&path, '/');
    }
    text_add(&path, name);
    return path.data;
}

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *path_find_program(const char *name, const char *search)
{
    if (strchr(name, '/')) {
        return is_program(name) ? mem_copy_text(name) : NULL;
    }
    for (const char *entry = search; entry && *name;) {
        size_t len = strcspn(entry, ":");
        char *directory = len > 0 ? mem_copy_bytes(entry, len) : mem_copy_text(".");
        char *path = path_join(directory, name);
        free(directory);
        if (is_program(path)) {
            return path;
        }
        free(path);
        entry = entry[len] ? entry + len + 1 : NULL;
    }
    return NULL;
}

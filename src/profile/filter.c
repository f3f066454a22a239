// SPDX-License-Identifier: Apache-2.0
#include "profile/filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define DIGITS "0123456789"

// The last directory asked about, for a program's library files lie in one or two of them.
static struct {
    char dir[PATH_MAX];
    bool has_landmark;
} landmark;

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The part of `path` behind the directory, or NULL if it does not lie below it.
static const char *below(const char *path, const char *dir)
{
    size_t len = dir ? strlen(dir) : 0;
    while (len > 0 && dir[len - 1] == '/') {
        len--;
    }
    if (!dir || strncmp(path, dir, len) != 0 || path[len] != '/') {
        return NULL;
    }
    return path + len + 1;
}

static bool has_component(const char *path, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = path; (at = strstr(at, name)); at++) {
        if (at > path && at[-1] == '/' && (at[len] == '/' || at[len] == '\0')) {
            return true;
        }
    }
    return false;
}

// "python3.12", "python3.13t"
static bool is_versioned_name(const char *name, size_t len)
{
    static const char prefix[] = "python";
    size_t at = sizeof prefix - 1;
    if (len <= at || memcmp(name, prefix, at) != 0) {
        return false;
    }
    bool has_dot = false;
    for (; at < len && (isdigit((unsigned char)name[at]) || name[at] == '.'); at++) {
        has_dot |= name[at] == '.';
    }
    return has_dot && (at == len || (at == len - 1 && name[at] == 't'));
}

// "python312.zip", where embedded distributions keep their library
static bool is_archive_name(const char *name, size_t len)
{
    return len > 10 && memcmp(name, "python", 6) == 0 && isdigit((unsigned char)name[6]) &&
           memcmp(name + len - 4, ".zip", 4) == 0;
}

static bool has_landmark(const char *dir, size_t len)
{
    if (len + sizeof "/os.py" > PATH_MAX) {
        return false;
    }
    if (strlen(landmark.dir) != len || memcmp(landmark.dir, dir, len) != 0) {
        static const char name[] = "/os.py";
        char file[PATH_MAX];
        memcpy(file, dir, len);
        memcpy(file + len, name, sizeof name);
        landmark.has_landmark = access(file, F_OK) == 0;
        memcpy(landmark.dir, dir, len);
        landmark.dir[len] = '\0';
    }
    return landmark.has_landmark;
}

static bool is_standard_library(const char *path, bool may_look)
{
    const char *parent = "";
    size_t parent_len = 0;
    for (const char *at = path; *at;) {
        const char *name = at + strspn(at, "/");
        size_t len = strcspn(name, "/");
        const char *end = name + len;
        bool is_dir = *end == '/';
        if (is_dir && is_archive_name(name, len)) {
            return true;
        }
        bool is_below_lib = parent_len >= 3 && memcmp(parent, "lib", 3) == 0;
        if (is_below_lib && is_versioned_name(name, len) &&
            (!may_look || has_landmark(path, (size_t)(end - path)))) {
            return true;
        }
        parent = name;
        parent_len = len;
        at = end;
    }
    return false;
}

static bool is_library(const char *path, bool may_look)
{
    return has_component(path, "site-packages") || has_component(path, "dist-packages") ||
           has_component(path, "lib-dynload") || is_standard_library(path, may_look);
}

bool filter_is_library(const char *path)
{
    return is_library(path, true);
}

bool filter_sounds_like_library(const char *path)
{
    return is_library(path, false);
}

// Whether a directory holds libraries side by side, so that lying in it means nothing.
static bool is_library_root(const char *dir)
{
    const char *name = base_of(dir);
    return strcmp(name, "site-packages") == 0 || strcmp(name, "dist-packages") == 0 ||
           is_versioned_name(name, strlen(name));
}

static bool is_run_at(const char *at, const char *entry, size_t len)
{
    if (strncmp(at, entry, len) != 0) {
        return false;
    }
    const char *rest = at + len;
    return *rest == '\0' || *rest == '/' || strcmp(rest, ".py") == 0;
}

static bool has_run(const char *shown, const char *entry, size_t len)
{
    for (const char *at = shown; at; at = strchr(at, '/')) {
        at += strspn(at, "/");
        if (is_run_at(at, entry, len)) {
            return true;
        }
    }
    return false;
}

// The path from the program's directory's own name on.
static const char *shown_part(const struct filter *filter, const char *path)
{
    const char *part = below(path, filter->program_dir);
    if (!part) {
        return NULL;
    }
    for (part--; part > path && part[-1] != '/'; part--) {
    }
    return part;
}

bool filter_entry_matches(const struct filter *filter, const char *entry, const char *path)
{
    size_t len = strlen(entry);
    while (len > 1 && entry[len - 1] == '/') {
        len--;
    }
    if (len == 0) {
        return false;
    }
    if (entry[0] == '/') {
        return is_run_at(path, entry, len) || fnmatch(entry, path, 0) == 0;
    }
    const char *own = shown_part(filter, path);
    const char *shown = own ? own : path;
    const char *base = base_of(path);
    if (strpbrk(entry, "*?[")) {
        return fnmatch(entry, base, 0) == 0 || fnmatch(entry, shown, 0) == 0;
    }
    return has_run(shown, entry, len) || strstr(own ? own : base, entry) != NULL;
}

static bool is_named(const struct filter *filter, char *const *entries, size_t count,
                     const char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (filter_entry_matches(filter, entries[i], path)) {
            return true;
        }
    }
    return false;
}

static bool is_directly_in_parent(const char *path, const char *dir)
{
    size_t len = strlen(dir);
    while (len > 0 && dir[len - 1] == '/') {
        len--;
    }
    while (len > 0 && dir[len - 1] != '/') {
        len--;
    }
    return len > 0 && strncmp(path, dir, len) == 0 && !strchr(path + len, '/');
}

static bool accepts_library(const struct filter *filter, const char *path)
{
    if (filter->has_system_libraries) {
        return true;
    }
    const char *dir = filter->program_dir;
    return dir && filter_is_library(dir) && !is_library_root(dir) && below(path, dir);
}

bool filter_is_notebook_cell(const char *path)
{
    static const char folder[] = "/ipykernel_";
    if (strncmp(path, "<ipython-input-", 15) == 0) {
        return true;
    }
    const char *at = strstr(path, folder);
    at = at ? at + sizeof folder - 1 : "";
    size_t process_len = strspn(at, DIGITS);
    const char *name = at + process_len;
    size_t name_len = name[0] == '/' ? strspn(name + 1, DIGITS) : 0;
    return process_len > 0 && name_len > 0 && strcmp(name + 1 + name_len, ".py") == 0;
}

bool filter_accepts(const struct filter *filter, const char *path)
{
    bool is_program = (filter->program_name && strcmp(path, filter->program_name) == 0) ||
                      filter_is_notebook_cell(path);
    if (path[0] == '\0' || (path[0] == '<' && !is_program && !filter->has_all)) {
        return false;
    }
    if (is_named(filter, filter->exclude, filter->exclude_count, path)) {
        return false;
    }
    if (filter->only_count > 0 && !is_named(filter, filter->only, filter->only_count, path)) {
        return false;
    }
    if (filter->has_all || is_program) {
        return true;
    }
    if (filter_is_library(path)) {
        return accepts_library(filter, path);
    }
    return below(path, filter->program_dir) ||
           (filter->program_dir && is_directly_in_parent(path, filter->program_dir));
}

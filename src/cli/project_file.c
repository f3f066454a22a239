// SPDX-License-Identifier: Apache-2.0
#include "cli/project_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/config.h"
#include "cli/config_toml.h"
#include "launch/path.h"

#define MAX_FOLDERS 64

static bool exists(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    bool is_there = access(path, F_OK) == 0;
    free(path);
    return is_there;
}

static bool is_trusted(const struct stat *status)
{
    struct stat here;
    return status->st_uid == geteuid() || status->st_uid == 0 ||
           (stat(".", &here) == 0 && here.st_uid == status->st_uid);
}

static bool has_table(const char *path)
{
    struct text content = {0};
    struct error ignored;
    bool has_one = config_read_text(path, &content, &ignored) && config_toml_has_table(&content);
    text_clear(&content);
    return has_one;
}

// Takes `path` over.
static bool take(struct project_file *file, const char *folder, char *path, bool needs_table,
                 struct text *notices)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || (needs_table && !has_table(path))) {
        free(path);
        return false;
    }
    if (!is_trusted(&status)) {
        text_format(notices, "%s is not yours and is not read; -c %s reads it\n", path, path);
        free(path);
        return false;
    }
    *file = (struct project_file){.path = path, .folder = mem_copy_text(folder)};
    return true;
}

static char *name_in(const char *folder, bool is_here, const char *name)
{
    return is_here ? mem_copy_text(name) : path_join(folder, name);
}

static bool is_last(const char *folder)
{
    const char *home = getenv("HOME");
    return strcmp(folder, "/") == 0 || (home && strcmp(folder, home) == 0) ||
           exists(folder, "pyproject.toml") || exists(folder, ".git");
}

bool project_file_find(struct project_file *file, struct text *notices)
{
    char *folder = path_absolute(".");
    bool is_found = false;
    for (int i = 0; i < MAX_FOLDERS && !is_found; i++) {
        is_found = take(file, folder, name_in(folder, i == 0, "scalene.yaml"), false, notices) ||
                   take(file, folder, name_in(folder, i == 0, "pyproject.toml"), true, notices);
        if (is_last(folder)) {
            break;
        }
        char *parent = path_parent(folder);
        free(folder);
        folder = parent;
    }
    free(folder);
    return is_found;
}

void project_file_clear(struct project_file *file)
{
    free(file->path);
    free(file->folder);
    *file = (struct project_file){0};
}

// SPDX-License-Identifier: Apache-2.0
#include "launch/folder.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void folder_open(struct folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "/tmp/scalene-test-XXXXXX");
    if (!mkdtemp(folder->path)) {
        perror("mkdtemp");
        abort();
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

void folder_close(struct folder *folder)
{
    nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *folder_path(const struct folder *folder, const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH_MAX, "%s/%s", folder->path, name);
    return path;
}

static void make_parents(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0700);
    }
}

const char *folder_write(const struct folder *folder, const char *name, mode_t mode,
                         const char *content)
{
    const char *path = folder_path(folder, name);
    make_parents(path);
    FILE *file = fopen(path, "we");
    if (!file || fputs(content, file) < 0 || fclose(file) != 0 || chmod(path, mode) != 0) {
        perror(path);
        abort();
    }
    return path;
}

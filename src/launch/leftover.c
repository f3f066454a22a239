// SPDX-License-Identifier: Apache-2.0
#include "launch/leftover.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "launch/run_dir.h"

#define LOOKED_AT   1000 // of those that have the name of a run
#define EMPTY_AGE_S 86400

static bool is_older(const struct stat *status, time_t age_s)
{
    return time(NULL) - status->st_mtime > age_s;
}

static bool is_recoverable(const struct run_dir *dir)
{
    struct stat status;
    return fstatat(dir->fd, RUN_DIR_CHECKPOINT, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && !is_older(&status, LEFTOVER_KEEP_S);
}

// A run that was killed before it had made its control page; what is not empty stays.
static void remove_empty(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == getuid() &&
        is_older(&status, EMPTY_AGE_S)) {
        rmdir(path);
    }
}

static void look_at(struct leftover_list *list, const char *path)
{
    struct run_dir dir;
    switch (run_dir_reopen(&dir, path)) {
    case RUN_DIR_NONE:
        remove_empty(path);
        return;
    case RUN_DIR_LIVES:
        run_dir_leave(&dir);
        return;
    case RUN_DIR_OVER:
        break;
    }
    if (!is_recoverable(&dir)) {
        run_dir_close(&dir);
        return;
    }
    if (list->count < LEFTOVER_MAX) {
        list->paths[list->count] = mem_copy_text(path);
    }
    list->count++;
    run_dir_leave(&dir);
}

void leftover_sweep_in(struct leftover_list *list, const char *place)
{
    DIR *stream = opendir(place);
    struct dirent *entry;
    for (int count = 0; stream && count < LOOKED_AT && (entry = readdir(stream));) {
        char path[PATH_MAX];
        if (run_dir_is_name(entry->d_name)) {
            int len = snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
            if (len > 0 && len < (int)sizeof path) {
                look_at(list, path);
            }
            count++;
        }
    }
    if (stream) {
        closedir(stream);
    }
}

void leftover_sweep(struct leftover_list *list)
{
    const char *places[RUN_DIR_PLACE_COUNT + 1];
    run_dir_places(places);
    for (const char *const *place = places; *place; place++) {
        leftover_sweep_in(list, *place);
    }
}

void leftover_clear(struct leftover_list *list)
{
    for (size_t i = 0; i < list->count && i < LEFTOVER_MAX; i++) {
        free(list->paths[i]);
    }
    *list = (struct leftover_list){0};
}

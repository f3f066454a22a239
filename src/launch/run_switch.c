// SPDX-License-Identifier: Apache-2.0
#include "launch/run_switch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "launch/run_dir.h"
#include "wire/control.h"

#define MAX_ANCESTORS   256
#define ENVIRONMENT_MAX (4u * 1024 * 1024)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The control page of a run that goes on, of `owner`'s: its directory is locked. NULL else.
static struct control *open_live(const char *path, uid_t owner)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    bool is_live = fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == owner &&
                   flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) {
        close(fd);
    }
    return is_live ? control_open(path) : NULL;
}

static bool has_ring(const char *run_dir, pid_t pid)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%d.0", run_dir, (int)pid);
    return access(path, F_OK) == 0;
}

static struct control *find_in_place(const char *place, pid_t pid, uid_t owner)
{
    DIR *stream = opendir(place);
    struct control *found = NULL;
    for (struct dirent *entry; stream && !found && (entry = readdir(stream));) {
        char path[PATH_MAX];
        int len = snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
        if (!run_dir_is_name(entry->d_name) || len >= (int)sizeof path) {
            continue;
        }
        struct control *control = open_live(path, owner);
        if (control && (control->owner_pid == pid || has_ring(path, pid))) {
            found = control;
        } else {
            control_close(control);
        }
    }
    if (stream) {
        closedir(stream);
    }
    return found;
}

static struct control *find_in_places(pid_t pid, uid_t owner)
{
    const char *places[RUN_DIR_PLACE_COUNT + 1];
    run_dir_places(places);
    struct control *found = NULL;
    for (const char **place = places; *place && !found; place++) {
        found = find_in_place(*place, pid, owner);
    }
    return found;
}

// Reads a file of /proc whole; NUL-terminated, NULL when it cannot be read.
static char *read_proc(pid_t pid, const char *name, size_t *len)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "re");
    char *content = file ? mem_alloc(ENVIRONMENT_MAX + 1) : NULL;
    if (content) {
        *len = fread(content, 1, ENVIRONMENT_MAX, file);
        content[*len] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return content;
}

// Whoever was started in the run has its directory among its variables.
static struct control *find_in_environment(pid_t pid, uid_t owner)
{
    static const char variable[] = CONTROL_DIR_VARIABLE "=";
    size_t len = 0;
    char *environment = read_proc(pid, "environ", &len);
    struct control *found = NULL;
    for (size_t i = 0; environment && i < len; i += strlen(environment + i) + 1) {
        if (strncmp(environment + i, variable, sizeof variable - 1) == 0) {
            found = open_live(environment + i + sizeof variable - 1, owner);
            break;
        }
    }
    free(environment);
    return found;
}

static pid_t parent_of(pid_t pid)
{
    size_t len = 0;
    char *line = read_proc(pid, "stat", &len);
    const char *after_name = line ? strrchr(line, ')') : NULL;
    int parent = 0;
    if (!after_name || sscanf(after_name, ") %*c %d", &parent) != 1) {
        parent = 0;
    }
    free(line);
    return parent;
}

static uid_t owner_of(pid_t pid)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return stat(path, &status) == 0 ? status.st_uid : getuid();
}

// Its own run first, then those of the processes that started it: one whose variables were taken
// away is known by them.
static struct control *find_run(pid_t pid)
{
    struct control *found = NULL;
    for (int i = 0; i < MAX_ANCESTORS && pid > 0 && !found; i++) {
        uid_t owner = owner_of(pid);
        found = find_in_places(pid, owner);
        if (!found) {
            found = find_in_environment(pid, owner);
        }
        pid = parent_of(pid);
    }
    return found;
}

enum run_switch_result run_switch(pid_t pid, bool is_on, struct error *err)
{
    if (kill(pid, 0) != 0 && errno == ESRCH) {
        error_set(err, "process %d not found", (int)pid);
        return RUN_NOT_FOUND;
    }
    struct control *control = find_run(pid);
    if (!control) {
        error_set(err,
                  "process %d is not being profiled; give the process id of scalene run, or of a "
                  "process that it profiles",
                  (int)pid);
        return RUN_NOT_FOUND;
    }
    bool has_changed = control_switch(control, is_on, now_ns());
    control_close(control);
    return has_changed ? RUN_SWITCHED : RUN_WAS_SO_ALREADY;
}

bool run_switch_is_on(const struct run_dir *dir)
{
    return atomic_load(&dir->control->is_on);
}

double run_switch_off_s(const struct run_dir *dir)
{
    return (double)control_off_ns(dir->control, now_ns()) / 1e9;
}

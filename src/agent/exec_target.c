// SPDX-License-Identifier: Apache-2.0
#include "agent/exec_target.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/session.h"
#include "agent/syscall.h"
#include "wire/program_file.h"

#define SCRIPT_DEPTH 5 // scripts run by scripts: no kernel follows more
#define DEFAULT_PATH "/bin:/usr/bin"

static long read_at(const void *context, void *buf, size_t len, uint64_t offset)
{
    return raw_pread(*(const int *)context, buf, len, (off_t)offset);
}

// The loader preloads nothing in a program that runs with other rights than its caller's.
static bool has_other_rights(int fd, const struct stat *status)
{
    bool gains = raw_prctl(PR_GET_NO_NEW_PRIVS) != 1;
    unsigned uid = raw_identity(SYS_getuid);
    bool sets_uid = gains && (status->st_mode & S_ISUID);
    bool sets_gid = gains && (status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP);
    return (sets_uid ? status->st_uid : raw_identity(SYS_geteuid)) != uid ||
           (sets_gid ? status->st_gid : raw_identity(SYS_getegid)) != raw_identity(SYS_getgid) ||
           (gains && uid != 0 && raw_fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

// Another root directory, other rights, or a folder that was unmounted.
static bool is_in_reach(const char *path)
{
    int fd = raw_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd >= 0) {
        raw_close(fd);
    }
    return fd >= 0 || fd == -EMFILE || fd == -ENFILE;
}

static enum roll_state judge_program(int fd, enum program_kind kind)
{
    struct stat status;
    switch (kind) {
    case PROGRAM_OTHER_MACHINE:
        return ROLL_OTHER_MACHINE;
    case PROGRAM_OTHER_LIBC:
        return ROLL_OTHER_LIBC;
    case PROGRAM_STATIC:
        return ROLL_STATIC;
    default:
        if (raw_fstat(fd, &status) == 0 && has_other_rights(fd, &status)) {
            return ROLL_MORE_RIGHTS;
        }
        return is_in_reach(session.agent) && is_in_reach(session.run_dir) ? ROLL_STARTED
                                                                          : ROLL_OUT_OF_REACH;
    }
}

// Not a pipe that would be waited for, nor a device that would notice.
static int open_file(int directory, const char *path)
{
    struct stat status;
    int fd = raw_openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    if (fd >= 0 && (raw_fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        raw_close(fd);
        return -1;
    }
    return fd;
}

enum roll_state exec_target_judge(int directory, const char *path, int flags)
{
    bool is_given = (flags & AT_EMPTY_PATH) && *path == '\0';
    int fd = is_given ? directory : open_file(directory, path);
    enum roll_state state = ROLL_STARTED;
    for (int depth = 0; fd >= 0 && depth < SCRIPT_DEPTH; depth++) {
        struct program_file file = program_file_look(read_at, &fd);
        if (file.kind != PROGRAM_SCRIPT) {
            state = judge_program(fd, file.kind);
        }
        if (!is_given) {
            raw_close(fd);
        }
        is_given = false;
        fd = file.kind == PROGRAM_SCRIPT ? open_file(AT_FDCWD, file.interpreter) : -1;
    }
    if (fd >= 0) {
        raw_close(fd);
    }
    return state;
}

static bool join_path(const char *folder, size_t len, const char *name, char buf[EXEC_PATH_MAX])
{
    size_t name_len = strlen(name);
    if (len + 1 + name_len >= EXEC_PATH_MAX) {
        return false;
    }
    memcpy(buf, folder, len);
    buf[len] = '/';
    memcpy(buf + len + (len > 0), name, name_len + 1);
    return true;
}

const char *exec_target_search(const char *name, char buf[EXEC_PATH_MAX])
{
    if (strchr(name, '/')) {
        return name;
    }
    const char *folder = getenv("PATH");
    folder = folder ? folder : DEFAULT_PATH;
    for (;;) {
        size_t len = strcspn(folder, ":");
        if (join_path(folder, len, name, buf) && raw_access(buf, X_OK) == 0) {
            return buf;
        }
        if (folder[len] == '\0') {
            return NULL;
        }
        folder += len + 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "profile/save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/document.h"

// Writes the document and makes sure that it has reached the disk. Returns 0 or an errno.
static int write_to(int fd, const struct profile *profile, bool is_synced)
{
    struct writer writer;
    writer_init(&writer, fd);
    document_write(&writer, profile);
    int error_number = writer_finish(&writer) ? 0 : writer.error_number;
    writer_clear(&writer);
    if (error_number == 0 && is_synced && fsync(fd) != 0) {
        error_number = errno;
    }
    return error_number;
}

static mode_t file_mode(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0) {
        return status.st_mode & 0777;
    }
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int replace(const char *path, const struct profile *profile)
{
    struct text temporary = {0};
    text_format(&temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary.data, O_CLOEXEC);
    int error_number = errno;
    if (fd >= 0) {
        (void)fchmod(fd, file_mode(path));
        error_number = write_to(fd, profile, true);
        if (close(fd) != 0 && error_number == 0) {
            error_number = errno;
        }
        if (error_number == 0 && rename(temporary.data, path) != 0) {
            error_number = errno;
        }
        if (error_number != 0) {
            unlink(temporary.data);
        }
    }
    text_clear(&temporary);
    return error_number;
}

// For what cannot be replaced: a terminal, a pipe, a file in a folder that is not ours to change.
static int overwrite(const char *path, const struct profile *profile)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    int error_number = write_to(fd, profile, false);
    if (close(fd) != 0 && error_number == 0) {
        error_number = errno;
    }
    return error_number;
}

static int save_at(const char *path, const struct profile *profile)
{
    char target[PATH_MAX];
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode)) {
        return EISDIR;
    }
    if (is_there && !S_ISREG(status.st_mode)) {
        return overwrite(path, profile);
    }
    // A symbolic link stays one: its target is replaced.
    int error_number = replace(is_there && realpath(path, target) ? target : path, profile);
    bool is_refused = error_number == EACCES || error_number == EPERM;
    return is_there && is_refused ? overwrite(path, profile) : error_number;
}

static char *save_elsewhere(const struct profile *profile)
{
    const char *folder = getenv("TMPDIR");
    struct text path = {0};
    text_format(&path, "%s/scalene-profile-XXXXXX.json", folder && folder[0] ? folder : "/tmp");
    int fd = mkostemps(path.data, 5, O_CLOEXEC);
    if (fd < 0) {
        text_clear(&path);
        return NULL;
    }
    int error_number = write_to(fd, profile, true);
    if (close(fd) != 0 || error_number != 0) {
        unlink(path.data);
        text_clear(&path);
    }
    return path.data;
}

bool profile_save(const struct profile *profile, const char *path, char **elsewhere,
                  struct error *err)
{
    *elsewhere = NULL;
    int error_number = save_at(path, profile);
    if (error_number == 0) {
        return true;
    }
    error_set(err, "cannot write %s: %s", path, strerror(error_number));
    *elsewhere = save_elsewhere(profile);
    return *elsewhere != NULL;
}

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

#define CANNOT_HIDE (-1) // no errno: the file system has no files without a name

// A profile, or the text of one.
struct content {
    const struct profile *profile;
    bool is_packed;
    const struct watcher *watcher; // NULL: nobody
    const char *text;
    size_t len;
};

static int write_document(int fd, const struct content *content)
{
    struct writer writer;
    writer_init(&writer, fd);
    if (content->is_packed) {
        writer_pack(&writer);
    }
    writer.watcher = content->watcher;
    document_write(&writer, content->profile);
    int error_number = writer_finish(&writer) ? 0 : writer.error_number;
    writer_clear(&writer);
    return error_number;
}

static int write_text(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, text, len);
        if (written >= 0) {
            text += written;
            len -= (size_t)written;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

// Writes the document and makes sure that it has reached the disk. Returns 0 or an errno.
static int write_to(int fd, const struct content *content, bool is_synced)
{
    int error_number = content->profile ? write_document(fd, content)
                                        : write_text(fd, content->text, content->len);
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

static int write_whole(int fd, const char *path, const struct content *content)
{
    (void)fchmod(fd, file_mode(path));
    return write_to(fd, content, true);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_copy_bytes(path, (size_t)(slash - path) + 1) : mem_copy_text(".");
}

// Gives a file without a name one that nobody has, and then the place of the old one.
static int put_in_place(int fd, const char *path)
{
    struct text temporary = {0};
    char open_file[32];
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fd);
    text_format(&temporary, "%s.%d.tmp", path, (int)getpid());
    int error_number = 0;
    if (linkat(AT_FDCWD, open_file, AT_FDCWD, temporary.data, AT_SYMLINK_FOLLOW) != 0) {
        error_number = CANNOT_HIDE;
    } else if (rename(temporary.data, path) != 0) {
        error_number = errno;
        unlink(temporary.data);
    }
    text_clear(&temporary);
    return error_number;
}

// Through a file that has no name until it is complete: nothing is left of it should we be killed.
static int replace_hidden(const char *path, const struct content *content)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    free(folder);
    if (fd < 0) {
        return CANNOT_HIDE;
    }
    int error_number = write_whole(fd, path, content);
    if (error_number == 0) {
        error_number = put_in_place(fd, path);
    }
    if (close(fd) != 0 && error_number == 0) {
        error_number = errno;
    }
    return error_number;
}

static int replace_named(const char *path, const struct content *content)
{
    struct text temporary = {0};
    text_format(&temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary.data, O_CLOEXEC);
    int error_number = errno;
    if (fd >= 0) {
        error_number = write_whole(fd, path, content);
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

static int replace(const char *path, const struct content *content)
{
    int error_number = replace_hidden(path, content);
    return error_number == CANNOT_HIDE ? replace_named(path, content) : error_number;
}

// For what cannot be replaced: a terminal, a pipe, a file in a folder that is not ours to change.
static int overwrite(const char *path, const struct content *content)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    int error_number = write_to(fd, content, false);
    if (close(fd) != 0 && error_number == 0) {
        error_number = errno;
    }
    return error_number;
}

static int save_at(const char *path, const struct content *content)
{
    char target[PATH_MAX];
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode)) {
        return EISDIR;
    }
    if (is_there && !S_ISREG(status.st_mode)) {
        return overwrite(path, content);
    }
    // A symbolic link stays one: its target is replaced.
    int error_number = replace(is_there && realpath(path, target) ? target : path, content);
    bool is_refused = error_number == EACCES || error_number == EPERM;
    return is_there && is_refused ? overwrite(path, content) : error_number;
}

static char *save_in(const char *folder, const struct content *content)
{
    struct text path = {0};
    text_format(&path, "%s/scalene-profile-XXXXXX.json", folder);
    int fd = mkostemps(path.data, 5, O_CLOEXEC);
    if (fd < 0) {
        text_clear(&path);
        return NULL;
    }
    int error_number = write_to(fd, content, true);
    if (close(fd) != 0 || error_number != 0) {
        unlink(path.data);
        text_clear(&path);
    }
    return path.data;
}

// The user's own temporary folder may be as full, or as much out of reach, as the place asked for.
static char *save_elsewhere(const struct content *content)
{
    const char *const folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
    char *path = NULL;
    for (size_t i = 0; !path && i < sizeof folders / sizeof *folders; i++) {
        if (folders[i] && folders[i][0]) {
            path = save_in(folders[i], content);
        }
    }
    return path;
}

static bool save_here(const struct content *content, const char *path, struct error *err)
{
    int error_number = save_at(path, content);
    return error_number == 0 ? true
                             : error_set(err, "cannot write %s: %s", path, strerror(error_number));
}

static bool save(const struct content *content, const char *path, char **elsewhere,
                 struct error *err)
{
    *elsewhere = NULL;
    if (save_here(content, path, err)) {
        return true;
    }
    *elsewhere = save_elsewhere(content);
    return *elsewhere != NULL;
}

bool profile_save(const struct profile *profile, const char *path, const struct watcher *watcher,
                  char **elsewhere, struct error *err)
{
    return save(&(struct content){.profile = profile, .watcher = watcher}, path, elsewhere, err);
}

bool profile_save_text(const char *text, size_t len, const char *path, char **elsewhere,
                       struct error *err)
{
    return save(&(struct content){.text = text, .len = len}, path, elsewhere, err);
}

bool profile_save_here(const struct profile *profile, const char *path, struct error *err)
{
    return save_here(&(struct content){.profile = profile}, path, err);
}

bool profile_save_packed(const struct profile *profile, const char *path, struct error *err)
{
    return save_here(&(struct content){.profile = profile, .is_packed = true}, path, err);
}

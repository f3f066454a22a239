// SPDX-License-Identifier: Apache-2.0
#include "launch/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "wire/control.h"
#include "wire/ring.h"

#define RING_BYTES    (UINT64_C(1024) * 1024)
#define SHARE_OF_FREE 16
#define REMOVE_DEPTH  4

static void remove_entries(int dir_fd, int depth);

static void remove_entry(int dir_fd, const char *name, int depth)
{
    if (unlinkat(dir_fd, name, 0) == 0 || depth == 0) {
        return;
    }
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        remove_entries(fd, depth - 1);
        unlinkat(dir_fd, name, AT_REMOVEDIR);
    }
}

// Takes over `dir_fd`.
static void remove_entries(int dir_fd, int depth)
{
    DIR *stream = fdopendir(dir_fd);
    if (!stream) {
        close(dir_fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            remove_entry(dirfd(stream), entry->d_name, depth);
        }
    }
    closedir(stream);
}

static uint64_t free_bytes(const char *place)
{
    struct statvfs fs;
    return statvfs(place, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Growing a file past the limit raises SIGXFSZ, of which the program was not to hear, nor we.
static bool is_allowed_size(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size;
}

static bool make_control(struct run_dir *dir, const struct run_dir_options *options,
                         struct error *err)
{
    int fd = openat(dir->fd, CONTROL_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return error_set(err, "%s: %s", dir->path, strerror(errno));
    }
    int problem = fchmod(fd, 0600) == 0 ? posix_fallocate(fd, 0, CONTROL_SIZE) : errno;
    void *map = MAP_FAILED;
    if (problem == 0) {
        map = mmap(NULL, CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        problem = errno;
    }
    close(fd);
    if (map == MAP_FAILED) {
        return error_set(err, "%s: %s", dir->path, strerror(problem));
    }
    dir->control = map;
    *dir->control = (struct control){
        .magic = CONTROL_MAGIC,
        .version = CONTROL_VERSION,
        .flags = (options->has_stacks ? CONTROL_STACKS : 0u) |
                 (options->has_waits ? CONTROL_WAITS : 0u) |
                 (options->has_memory ? CONTROL_MEMORY : 0u) |
                 (options->has_async ? CONTROL_ASYNC : 0u) |
                 (options->is_alone ? CONTROL_ALONE : 0u),
        .is_on = options->is_on,
        .off_since_ns = options->is_on ? 0 : now_ns(),
        .owner_pid = getpid(),
        .period_ns = options->period_ns,
        .ring_bytes = RING_BYTES,
        .allocation_mean = options->allocation_mean,
    };
    char *name = dir->control->pid_namespace;
    ssize_t len = readlink(CONTROL_NAMESPACE, name, NAMESPACE_NAME_MAX - 1);
    name[len > 0 ? len : 0] = '\0';
    return true;
}

// The mode is set apart from the making: the caller's umask is the program's and stays as it is.
static bool make_directory(struct run_dir *dir, const char *place, struct error *err)
{
    int len = snprintf(dir->path, sizeof dir->path, "%s/" RUN_DIR_TEMPLATE, place);
    if (len < 0 || (size_t)len + NAME_MAX >= sizeof dir->path) {
        return error_set(err, "%s: the name is too long", place);
    }
    if (!mkdtemp(dir->path)) {
        return error_set(err, "%s: %s", place, strerror(errno));
    }
    if (chmod(dir->path, 0700) == 0) {
        dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (dir->fd < 0 || flock(dir->fd, LOCK_EX | LOCK_NB) != 0) {
        error_set(err, "%s: %s", dir->path, strerror(errno));
        run_dir_close(dir);
        return false;
    }
    return true;
}

static bool open_at(struct run_dir *dir, const char *place, uint64_t ring_bytes,
                    const struct run_dir_options *options, struct error *err)
{
    if (!is_allowed_size(CONTROL_SIZE)) {
        return error_set(err, "%s: files are not allowed to be large enough (ulimit -f)", place);
    }
    uint64_t room = free_bytes(place) / SHARE_OF_FREE;
    if (room < ring_bytes + RING_HEADER_SIZE) {
        return error_set(err, "%s: %s", place,
                         access(place, F_OK) == 0 ? "not enough free space" : strerror(errno));
    }
    if (!make_directory(dir, place, err)) {
        return false;
    }
    if (!make_control(dir, options, err)) {
        run_dir_close(dir);
        return false;
    }
    return true;
}

bool run_dir_open_in(struct run_dir *dir, const char *const *places,
                     const struct run_dir_options *options, struct error *err)
{
    static const uint64_t ring_sizes[] = {RING_BYTES, (uint64_t)RING_MIN_BYTES};
    *dir = (struct run_dir){.fd = -1};
    error_set(err, "there is no place for temporary files");
    for (size_t i = 0; i < sizeof ring_sizes / sizeof *ring_sizes; i++) {
        for (const char *const *place = places; *place; place++) {
            char resolved[PATH_MAX];
            if (!realpath(*place, resolved)) {
                error_set(err, "%s: %s", *place, strerror(errno));
            } else if (open_at(dir, resolved, ring_sizes[i], options, err)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_same_folder(const char *one, const char *other)
{
    struct stat of_one;
    struct stat of_other;
    return stat(one, &of_one) == 0 && stat(other, &of_other) == 0 &&
           of_one.st_dev == of_other.st_dev && of_one.st_ino == of_other.st_ino;
}

void run_dir_places(const char *places[RUN_DIR_PLACE_COUNT + 1])
{
    const char *wanted[RUN_DIR_PLACE_COUNT] = {"/dev/shm", getenv("TMPDIR"), "/tmp"};
    size_t count = 0;
    for (size_t i = 0; i < RUN_DIR_PLACE_COUNT; i++) {
        bool is_new = wanted[i] && wanted[i][0];
        for (size_t j = 0; is_new && j < count; j++) {
            is_new = !is_same_folder(wanted[i], places[j]);
        }
        if (is_new) {
            places[count++] = wanted[i];
        }
    }
    places[count] = NULL;
}

bool run_dir_open(struct run_dir *dir, const struct run_dir_options *options, struct error *err)
{
    const char *places[RUN_DIR_PLACE_COUNT + 1];
    run_dir_places(places);
    return run_dir_open_in(dir, places, options, err);
}

static bool has_control(int dir_fd)
{
    uint64_t magic = 0;
    int fd = openat(dir_fd, CONTROL_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_read = fd >= 0 && read(fd, &magic, sizeof magic) == (ssize_t)sizeof magic;
    if (fd >= 0) {
        close(fd);
    }
    return is_read && magic == CONTROL_MAGIC;
}

// The control page is made under the lock: a directory that has one and is not locked belongs to a
// run that is over, in whatever container it was.
enum run_dir_state run_dir_reopen(struct run_dir *dir, const char *path)
{
    *dir = (struct run_dir){.fd = -1};
    struct stat status;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || strlen(path) + NAME_MAX >= sizeof dir->path || fstat(fd, &status) != 0 ||
        status.st_uid != getuid() || !has_control(fd)) {
        if (fd >= 0) {
            close(fd);
        }
        return RUN_DIR_NONE;
    }
    snprintf(dir->path, sizeof dir->path, "%s", path);
    dir->fd = fd;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return RUN_DIR_LIVES;
    }
    dir->control = control_open(path);
    return RUN_DIR_OVER;
}

bool run_dir_link(const struct run_dir *dir, const char *name, const char *target,
                  char path[PATH_MAX])
{
    int len = snprintf(path, PATH_MAX, "%s/%s", dir->path, name);
    return len > 0 && len < PATH_MAX && symlinkat(target, dir->fd, name) == 0;
}

void run_dir_leave(struct run_dir *dir)
{
    control_close(dir->control);
    if (dir->fd >= 0) {
        close(dir->fd);
    }
    *dir = (struct run_dir){.fd = -1};
}

void run_dir_close(struct run_dir *dir)
{
    if (dir->control) {
        dir->control->is_on = false; // nobody will read what a process that goes on records
    }
    int fd = dir->fd >= 0 ? fcntl(dir->fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd >= 0) {
        remove_entries(fd, REMOVE_DEPTH);
    }
    if (dir->path[0]) {
        rmdir(dir->path);
    }
    run_dir_leave(dir);
}

bool run_dir_is_name(const char *name)
{
    return strlen(name) == strlen(RUN_DIR_TEMPLATE) &&
           strncmp(name, RUN_DIR_PREFIX, strlen(RUN_DIR_PREFIX)) == 0;
}

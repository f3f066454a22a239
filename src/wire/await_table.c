// SPDX-License-Identifier: Apache-2.0
#include "wire/await_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FREE_PART 16u // of what is free in the file system, at most
#define READINGS  4

struct await_moment await_table_now(bool has_cycles)
{
    struct await_moment best = {0};
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        struct timespec now;
        uint64_t before = await_table_tick(has_cycles);
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t taken = await_table_tick(has_cycles) - before;
        if (taken < shortest) {
            shortest = taken;
            best.tick = before + taken / 2;
            best.ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        }
    }
    return best;
}

bool await_table_path(char *path, size_t size, const char *run_dir, int pid, unsigned number)
{
    int len = snprintf(path, size, "%s/await.%d.%u", run_dir, pid, number);
    return len > 0 && (size_t)len < size;
}

// The file system is the program's too, and growing past its limit on file sizes raises SIGXFSZ.
static bool is_affordable(int fd)
{
    struct statvfs fs;
    struct rlimit limit;
    bool has_space = fstatvfs(fd, &fs) != 0 || fs.f_blocks == 0 ||
                     (uint64_t)fs.f_bavail * fs.f_frsize / FREE_PART >= AWAIT_TABLE_BYTES;
    bool is_allowed = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= AWAIT_TABLE_BYTES;
    return has_space && is_allowed;
}

static bool reserve_pages(int fd)
{
    int failure = EINTR;
    for (int attempt = 0; failure == EINTR && attempt < 32; attempt++) {
        failure = posix_fallocate(fd, 0, (off_t)AWAIT_TABLE_BYTES);
    }
    return failure == 0;
}

static struct await_table *attach(int fd, int protection)
{
    void *table = mmap(NULL, AWAIT_TABLE_BYTES, protection, MAP_SHARED, fd, 0);
    return table == MAP_FAILED ? NULL : table;
}

struct await_table *await_table_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return NULL;
    }
    struct await_table *table = NULL;
    if (fchmod(fd, 0600) == 0 && is_affordable(fd) && reserve_pages(fd)) {
        table = attach(fd, PROT_READ | PROT_WRITE);
    }
    close(fd);
    if (!table) {
        unlink(path);
    }
    return table;
}

struct await_table *await_table_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    bool is_whole = lseek(fd, 0, SEEK_END) == (off_t)AWAIT_TABLE_BYTES;
    struct await_table *table = is_whole ? attach(fd, PROT_READ) : NULL;
    close(fd);
    if (table && atomic_load_explicit(&table->magic, memory_order_acquire) != AWAIT_MAGIC) {
        await_table_close(table);
        table = NULL;
    }
    return table;
}

void await_table_close(struct await_table *table)
{
    if (table) {
        munmap(table, AWAIT_TABLE_BYTES);
    }
}

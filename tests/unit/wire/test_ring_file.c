// SPDX-License-Identifier: Apache-2.0
// The ring as a file: how it is made, found, refused, and what happens where there is no room.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "unit.h"
#include "wire/ring.h"

enum child_answer {
    CHILD_AGREES = 0,
    CHILD_DISAGREES = 1,
    CHILD_CANNOT_TRY = 77,
};

static bool file_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static void overwrite(const char *path, off_t offset, const void *bytes, size_t len)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, offset), len);
    close(fd);
}

static enum ring_open_result open_once(const char *path)
{
    struct ring ring = {0};
    enum ring_open_result result = ring_open(&ring, path);
    ring_close(&ring);
    return result;
}

static void a_new_ring_is_private_whole_and_owned(void **state)
{
    struct scratch *scratch = *state;
    struct ring ring = {0};
    assert_true(ring_create(&ring, scratch->path, RING_MIN_BYTES));
    struct stat status;
    assert_int_equal(stat(scratch->path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(status.st_size, RING_HEADER_SIZE + RING_MIN_BYTES);
    assert_true(status.st_blocks * 512 >= status.st_size);
    assert_int_equal(ring.header->pid, getpid());
    assert_int_equal(open_once(scratch->path), RING_OPENED);
    ring_close(&ring);
    assert_int_equal(open_once(scratch->path), RING_OPENED);
}

static void a_file_that_is_there_is_not_taken_over(void **state)
{
    struct scratch *scratch = *state;
    struct ring ring = {0};
    int fd = open(scratch->path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "mine", 4), 4);
    close(fd);
    assert_false(ring_create(&ring, scratch->path, RING_MIN_BYTES));
    assert_true(file_exists(scratch->path));
    struct stat status;
    assert_int_equal(stat(scratch->path, &status), 0);
    assert_int_equal(status.st_size, 4);
}

static void an_unfinished_ring_is_not_ready(void **state)
{
    struct scratch *scratch = *state;
    assert_int_equal(open_once(scratch->path), RING_NOT_READY);
    struct ring ring = {0};
    assert_true(ring_create(&ring, scratch->path, RING_MIN_BYTES));
    ring_close(&ring);
    overwrite(scratch->path, 0, "\0\0\0\0\0\0\0", 8);
    assert_int_equal(open_once(scratch->path), RING_NOT_READY);
    assert_int_equal(truncate(scratch->path, 0), 0);
    assert_int_equal(open_once(scratch->path), RING_NOT_READY);
}

static void another_version_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct ring ring = {0};
    assert_true(ring_create(&ring, scratch->path, RING_MIN_BYTES));
    ring_close(&ring);
    uint32_t version = RING_VERSION + 1;
    overwrite(scratch->path, offsetof(struct ring_header, version), &version, sizeof version);
    assert_int_equal(open_once(scratch->path), RING_REFUSED);
}

static void a_header_that_lies_about_the_size_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct ring ring = {0};
    assert_true(ring_create(&ring, scratch->path, RING_MIN_BYTES));
    ring_close(&ring);
    const uint64_t lies[] = {0,
                             4096,
                             RING_MIN_BYTES / 2,
                             RING_MIN_BYTES + 4096,
                             2 * RING_MIN_BYTES,
                             RING_MAX_BYTES * 2,
                             1ull << 63,
                             UINT64_MAX};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        overwrite(scratch->path, offsetof(struct ring_header, size), &lies[i], sizeof lies[i]);
        assert_int_equal(open_once(scratch->path), RING_REFUSED);
    }
}

static void what_is_no_ring_is_refused(void **state)
{
    struct scratch *scratch = *state;
    char garbage[8192];
    memset(garbage, 0x5a, sizeof garbage);
    int fd = open(scratch->path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, garbage, sizeof garbage), sizeof garbage);
    close(fd);
    assert_int_equal(open_once(scratch->path), RING_REFUSED);
    assert_int_equal(open_once(scratch->folder), RING_REFUSED);
    assert_int_equal(unlink(scratch->path), 0);
    assert_int_equal(mkfifo(scratch->path, 0600), 0);
    assert_int_equal(open_once(scratch->path), RING_REFUSED);
    assert_int_equal(unlink(scratch->path), 0);
    assert_int_equal(symlink("/dev/null", scratch->path), 0);
    assert_int_equal(open_once(scratch->path), RING_REFUSED);
}

static enum child_answer ring_shrinks_below_the_limit(const char *path)
{
    struct rlimit limit = {200 * 1024, 200 * 1024};
    struct ring ring = {0};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return CHILD_CANNOT_TRY;
    }
    return ring_create(&ring, path, 1 << 20) && ring.size == 128 * 1024 ? CHILD_AGREES
                                                                        : CHILD_DISAGREES;
}

static enum child_answer ring_fails_quietly_at_the_limit(const char *path)
{
    struct rlimit limit = {10 * 1024, 10 * 1024};
    struct ring ring = {0};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return CHILD_CANNOT_TRY;
    }
    bool made = ring_create(&ring, path, 1 << 20);
    return !made && !ring.header && !file_exists(path) ? CHILD_AGREES : CHILD_DISAGREES;
}

static bool mount_small_folder(const char *folder, const char *size)
{
    int flags = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    return unshare(flags) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", folder, "tmpfs", 0, size) == 0;
}

static enum child_answer ring_takes_a_sixteenth_of_a_small_folder(const char *path)
{
    char folder[128];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    struct ring ring = {0};
    if (!mount_small_folder(folder, "size=8m")) {
        return CHILD_CANNOT_TRY;
    }
    bool made = ring_create(&ring, path, 1 << 20);
    return made && ring.size == 256 * 1024 ? CHILD_AGREES : CHILD_DISAGREES;
}

static enum child_answer ring_is_not_made_in_a_full_folder(const char *path)
{
    char folder[128];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    struct ring ring = {0};
    if (!mount_small_folder(folder, "size=512k")) {
        return CHILD_CANNOT_TRY;
    }
    bool made = ring_create(&ring, path, 1 << 20);
    return !made && !ring.header && !file_exists(path) ? CHILD_AGREES : CHILD_DISAGREES;
}

// In a process of its own, since limits and mounts cannot be taken back.
static void ask_child(const char *path, enum child_answer (*try_it)(const char *))
{
    pid_t child = fork();
    if (child == 0) {
        _exit(try_it(path));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFSIGNALED(status)); // SIGXFSZ, if the limit were run into
    if (WEXITSTATUS(status) == CHILD_CANNOT_TRY) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), CHILD_AGREES);
}

static void a_limit_on_file_sizes_gives_a_smaller_ring(void **state)
{
    ask_child(((struct scratch *)*state)->path, ring_shrinks_below_the_limit);
}

static void a_limit_below_the_smallest_ring_gives_none_and_no_signal(void **state)
{
    ask_child(((struct scratch *)*state)->path, ring_fails_quietly_at_the_limit);
}

static void a_small_folder_gives_a_sixteenth(void **state)
{
    ask_child(((struct scratch *)*state)->path, ring_takes_a_sixteenth_of_a_small_folder);
}

static void a_full_folder_gives_no_ring_and_keeps_no_file(void **state)
{
    ask_child(((struct scratch *)*state)->path, ring_is_not_made_in_a_full_folder);
}

static int open_scratch(void **state)
{
    static struct scratch scratch;
    scratch_open(&scratch);
    *state = &scratch;
    return 0;
}

static int close_scratch(void **state)
{
    scratch_close(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scratch, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_ring_is_private_whole_and_owned),
        TEST(a_file_that_is_there_is_not_taken_over),
        TEST(an_unfinished_ring_is_not_ready),
        TEST(another_version_is_refused),
        TEST(a_header_that_lies_about_the_size_is_refused),
        TEST(what_is_no_ring_is_refused),
        TEST(a_limit_on_file_sizes_gives_a_smaller_ring),
        TEST(a_limit_below_the_smallest_ring_gives_none_and_no_signal),
        TEST(a_small_folder_gives_a_sixteenth),
        TEST(a_full_folder_gives_no_ring_and_keeps_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

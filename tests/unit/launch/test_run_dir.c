// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "launch/folder.h"
#include "launch/run_dir.h"
#include "unit.h"
#include "wire/control.h"

static const struct run_dir_options options = {
    .is_on = true, .has_stacks = true, .period_ns = 10000000};

static int count_entries(const char *path)
{
    DIR *stream = opendir(path);
    assert_non_null(stream);
    int count = -2; // . and ..
    while (readdir(stream)) {
        count++;
    }
    closedir(stream);
    return count;
}

static void assert_opens(struct run_dir *dir, const char *const *places)
{
    struct error err = {0};
    if (!run_dir_open_in(dir, places, &options, &err)) {
        fail_msg("%s", err.text);
    }
}

static void a_run_directory_is_private_whatever_the_umask(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    mode_t before = umask(0777);
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){folder.path, NULL});
    assert_int_equal(umask(before), 0777);
    struct stat status;
    assert_int_equal(stat(dir.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    run_dir_close(&dir);
    folder_close(&folder);
}

static void the_control_page_says_what_was_asked_for(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){folder.path, NULL});
    struct control *control = control_open(dir.path);
    assert_non_null(control);
    assert_int_equal(control->is_on, 1);
    assert_int_equal(control->flags, CONTROL_STACKS);
    assert_int_equal(control->period_ns, 10000000);
    assert_int_equal(control->ring_bytes, 1024 * 1024);
    control_close(control);
    run_dir_close(&dir);
    folder_close(&folder);
}

static void closing_removes_everything_and_follows_no_link(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "kept/file", 0600, "mine");
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){folder.path, NULL});
    char path[PATH_MAX];
    assert_true(run_dir_link(&dir, "link", folder_path(&folder, "kept"), path));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(mkdirat(dir.fd, "sub", 0700), 0);
    close(openat(dir.fd, "sub/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    run_dir_close(&dir);
    assert_int_equal(access(folder_path(&folder, "kept/file"), F_OK), 0);
    assert_int_equal(count_entries(folder.path), 1);
    run_dir_close(&dir); // twice is allowed
    folder_close(&folder);
}

static void the_next_place_serves_when_one_does_not(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){"/nowhere", "/proc", folder.path, NULL});
    assert_int_equal(strncmp(dir.path, folder.path, strlen(folder.path)), 0);
    run_dir_close(&dir);
    folder_close(&folder);
}

static void without_any_place_there_is_a_reason(void **state)
{
    (void)state;
    struct run_dir dir;
    struct error err = {0};
    assert_false(run_dir_open_in(&dir, (const char *const[]){"/nowhere", NULL}, &options, &err));
    assert_non_null(strstr(err.text, "/nowhere: No such file"));
    assert_false(run_dir_open_in(&dir, (const char *const[]){NULL}, &options, &err));
    run_dir_close(&dir);
}

// A tmpfs of its own, as a container has it. Skipped where mounting is not allowed.
static void a_small_memory_file_system_is_left_to_the_program(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    mkdir(folder_path(&folder, "small"), 0700);
    mkdir(folder_path(&folder, "large"), 0700);
    const char *small = folder_path(&folder, "small");
    const char *large = folder_path(&folder, "large");
    if (mount("none", small, "tmpfs", 0, "size=8m") != 0) {
        folder_close(&folder);
        skip();
    }
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){small, large, NULL});
    assert_int_equal(strncmp(dir.path, large, strlen(large)), 0);
    run_dir_close(&dir);
    // With nowhere else to go, smaller rings are better than none.
    assert_opens(&dir, (const char *const[]){small, NULL});
    run_dir_close(&dir);
    umount(small);
    mount("none", small, "tmpfs", 0, "size=64k");
    struct error err = {0};
    assert_false(run_dir_open_in(&dir, (const char *const[]){small, NULL}, &options, &err));
    assert_non_null(strstr(err.text, "not enough free space"));
    assert_int_equal(count_entries(small), 0);
    umount(small);
    folder_close(&folder);
}

static void make_old(const char *path)
{
    struct timespec long_ago[2] = {{.tv_sec = time(NULL) - 2L * 86400},
                                   {.tv_sec = time(NULL) - 2L * 86400}};
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

static void what_a_killed_run_left_is_swept_a_day_later(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "scalene-killed/control", 0600, "");
    folder_write(&folder, "scalene-recent/control", 0600, "");
    folder_write(&folder, "scalene-profiles/mine", 0600, "");
    make_old(folder_path(&folder, "scalene-killed"));
    make_old(folder_path(&folder, "scalene-profiles"));
    run_dir_sweep(folder.path);
    assert_int_not_equal(access(folder_path(&folder, "scalene-killed"), F_OK), 0);
    assert_int_equal(access(folder_path(&folder, "scalene-recent"), F_OK), 0);
    assert_int_equal(access(folder_path(&folder, "scalene-profiles"), F_OK), 0);
    folder_close(&folder);
}

static void a_run_that_lasts_for_days_is_not_swept(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){folder.path, NULL});
    make_old(dir.path);
    run_dir_sweep(folder.path);
    assert_int_equal(access(dir.path, F_OK), 0);
    run_dir_close(&dir);
    assert_int_equal(count_entries(folder.path), 0);
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_directory_is_private_whatever_the_umask),
        cmocka_unit_test(the_control_page_says_what_was_asked_for),
        cmocka_unit_test(closing_removes_everything_and_follows_no_link),
        cmocka_unit_test(the_next_place_serves_when_one_does_not),
        cmocka_unit_test(without_any_place_there_is_a_reason),
        cmocka_unit_test(a_small_memory_file_system_is_left_to_the_program),
        cmocka_unit_test(what_a_killed_run_left_is_swept_a_day_later),
        cmocka_unit_test(a_run_that_lasts_for_days_is_not_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

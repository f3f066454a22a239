// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

static void a_directory_can_be_found_again_and_says_whether_its_run_lives(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    struct run_dir again;
    assert_opens(&dir, (const char *const[]){folder.path, NULL});
    assert_int_equal(run_dir_reopen(&again, dir.path), RUN_DIR_LIVES);
    run_dir_leave(&again);
    run_dir_leave(&dir); // as if it had been killed
    assert_int_equal(count_entries(folder.path), 1);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/none", folder.path);
    assert_int_equal(run_dir_reopen(&again, path), RUN_DIR_NONE);
    assert_int_equal(run_dir_reopen(&again, folder.path), RUN_DIR_NONE);
    folder_close(&folder);
}

static void a_program_that_goes_on_records_no_more(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    assert_opens(&dir, (const char *const[]){folder.path, NULL});
    struct control *control = control_open(dir.path);
    assert_non_null(control);
    run_dir_close(&dir);
    assert_int_equal(control->is_on, 0);
    control_close(control);
    folder_close(&folder);
}

static size_t count_places(const char *temporary)
{
    const char *places[RUN_DIR_PLACE_COUNT + 1];
    assert_int_equal(temporary ? setenv("TMPDIR", temporary, 1) : unsetenv("TMPDIR"), 0);
    run_dir_places(places);
    size_t count = 0;
    while (places[count]) {
        count++;
    }
    return count;
}

static void a_place_is_visited_once_whatever_it_is_called(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    const char *link = folder_path(&folder, "link");
    assert_int_equal(symlink("/tmp", link), 0);
    size_t count = count_places(NULL);
    assert_int_equal(count_places("/tmp"), count);
    assert_int_equal(count_places("/tmp/"), count);
    assert_int_equal(count_places(link), count);
    assert_int_equal(count_places("/dev/shm"), count);
    assert_int_equal(count_places(folder.path), count + 1);
    count_places(kept);
    free(kept);
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
        cmocka_unit_test(a_directory_can_be_found_again_and_says_whether_its_run_lives),
        cmocka_unit_test(a_program_that_goes_on_records_no_more),
        cmocka_unit_test(a_place_is_visited_once_whatever_it_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

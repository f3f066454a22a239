// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "launch/folder.h"
#include "launch/leftover.h"
#include "launch/run_dir.h"
#include "unit.h"
#include "wire/control.h"

#define DAY_S 86400L

static void make_old(const char *path, long age_s)
{
    struct timespec then[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, AT_SYMLINK_NOFOLLOW), 0);
}

// A run that was killed: its directory, with nobody's lock on it. A negative age is no checkpoint.
static void leave_run(struct run_dir *dir, const struct folder *folder, long checkpoint_age_s)
{
    struct run_dir_options options = {.period_ns = 10000000};
    struct error err = {0};
    assert_true(run_dir_open_in(dir, (const char *const[]){folder->path, NULL}, &options, &err));
    if (checkpoint_age_s >= 0) {
        close(openat(dir->fd, RUN_DIR_CHECKPOINT, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        struct timespec then[2] = {{.tv_sec = time(NULL) - checkpoint_age_s},
                                   {.tv_sec = time(NULL) - checkpoint_age_s}};
        assert_int_equal(utimensat(dir->fd, RUN_DIR_CHECKPOINT, then, 0), 0);
    }
    char path[PATH_MAX];
    strcpy(path, dir->path);
    run_dir_leave(dir);
    strcpy(dir->path, path);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void what_a_killed_run_left_is_removed_unless_it_has_a_profile(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir empty;
    struct run_dir fresh;
    struct run_dir old;
    leave_run(&empty, &folder, -1);
    leave_run(&fresh, &folder, LEFTOVER_KEEP_S - DAY_S);
    leave_run(&old, &folder, LEFTOVER_KEEP_S + DAY_S);
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_false(is_there(empty.path));
    assert_false(is_there(old.path));
    assert_true(is_there(fresh.path));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.paths[0], fresh.path);
    leftover_clear(&list);
    folder_close(&folder);
}

static void a_run_that_lasts_for_days_is_not_swept(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir_options options = {.period_ns = 10000000};
    struct run_dir dir;
    struct error err = {0};
    assert_true(run_dir_open_in(&dir, (const char *const[]){folder.path, NULL}, &options, &err));
    make_old(dir.path, 30 * DAY_S);
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_true(is_there(dir.path));
    assert_int_equal(list.count, 0);
    run_dir_close(&dir);
    folder_close(&folder);
}

static void what_only_looks_like_ours_is_not_touched(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    const char *backup = folder_write(&folder, "scalene-backup/control", 0600, "mine");
    const char *other = folder_write(&folder, "scalene-profiles/mine", 0600, "");
    struct run_dir linked;
    leave_run(&linked, &folder, -1);
    assert_int_equal(rename(linked.path, folder_path(&folder, "elsewhere")), 0);
    assert_int_equal(
        symlink(folder_path(&folder, "elsewhere"), folder_path(&folder, "scalene-linked")), 0);
    make_old(folder_path(&folder, "scalene-backup"), 30 * DAY_S);
    make_old(folder_path(&folder, "scalene-profiles"), 30 * DAY_S);
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_true(is_there(backup));
    assert_true(is_there(other));
    assert_true(is_there(folder_path(&folder, "elsewhere/control")));
    assert_int_equal(list.count, 0);
    folder_close(&folder);
}

static void an_empty_directory_goes_after_a_day(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    mkdir(folder_path(&folder, "scalene-aaaaaa"), 0700);
    mkdir(folder_path(&folder, "scalene-bbbbbb"), 0700);
    make_old(folder_path(&folder, "scalene-aaaaaa"), 2 * DAY_S);
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_false(is_there(folder_path(&folder, "scalene-aaaaaa")));
    assert_true(is_there(folder_path(&folder, "scalene-bbbbbb")));
    folder_close(&folder);
}

static void a_crowded_folder_hides_nothing(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    leave_run(&dir, &folder, 0);
    for (int i = 0; i < 3000; i++) { // most file systems list the newest first, or in no order
        char name[32];
        snprintf(name, sizeof name, "file%d", i);
        folder_write(&folder, name, 0600, "");
    }
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_int_equal(list.count, 1);
    leftover_clear(&list);
    folder_close(&folder);
}

// As root of a test one can give a directory away.
static void what_is_of_another_user_is_not_touched(void **state)
{
    (void)state;
    if (getuid() != 0) {
        skip();
    }
    struct folder folder;
    folder_open(&folder);
    struct run_dir dir;
    leave_run(&dir, &folder, -1);
    assert_int_equal(chown(dir.path, 12345, 12345), 0);
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_true(is_there(dir.path));
    folder_close(&folder);
}

static void more_than_can_be_listed_are_counted(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    for (unsigned i = 0; i < LEFTOVER_MAX + 3; i++) {
        struct run_dir dir;
        leave_run(&dir, &folder, 0);
    }
    struct leftover_list list = {0};
    leftover_sweep_in(&list, folder.path);
    assert_int_equal(list.count, LEFTOVER_MAX + 3);
    leftover_clear(&list);
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_killed_run_left_is_removed_unless_it_has_a_profile),
        cmocka_unit_test(a_run_that_lasts_for_days_is_not_swept),
        cmocka_unit_test(what_only_looks_like_ours_is_not_touched),
        cmocka_unit_test(an_empty_directory_goes_after_a_day),
        cmocka_unit_test(a_crowded_folder_hides_nothing),
        cmocka_unit_test(what_is_of_another_user_is_not_touched),
        cmocka_unit_test(more_than_can_be_listed_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "profile/load.h"
#include "profile/packed.h"
#include "profile/save.h"
#include "sample.h"
#include "unit.h"

static char folder[64];
static char target[128];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/scalene-save-XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(target, sizeof target, "%s/profile.json", folder);
    return setenv("TMPDIR", folder, 1);
}

static int count_files(bool removes)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            count++;
            if (removes) {
                unlinkat(dirfd(dir), entry->d_name, 0);
            }
        }
    }
    closedir(dir);
    return count;
}

static int remove_folder(void **state)
{
    (void)state;
    chmod(folder, 0700);
    count_files(true);
    return rmdir(folder);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool save(char **elsewhere, struct error *err)
{
    struct profile *profile = sample_profile("/nowhere/large.py");
    bool is_saved = profile_save(profile, target, NULL, elsewhere, err);
    profile_free(profile);
    return is_saved;
}

static void saving_replaces_the_old_file_and_leaves_nothing_else(void **state)
{
    (void)state;
    char *elsewhere;
    struct error err;
    put(target, "old");
    chmod(target, 0640);
    assert_true(save(&elsewhere, &err));
    assert_null(elsewhere);
    assert_int_equal(count_files(false), 1);
    struct stat status;
    stat(target, &status);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_true(status.st_size > 1000);
}

struct progress {
    size_t steps;
    size_t done;
    size_t total;
};

static void note_step(void *context, size_t done, size_t total)
{
    struct progress *progress = context;
    assert_int_equal(done, progress->done + 1);
    *progress = (struct progress){progress->steps + 1, done, total};
}

static void whoever_waits_is_told_how_much_is_written(void **state)
{
    (void)state;
    struct progress progress = {0};
    struct watcher watcher = {.context = &progress, .step = note_step};
    struct profile *profile = sample_profile("/nowhere/large.py");
    char *elsewhere;
    struct error err;
    assert_true(profile_save(profile, target, &watcher, &elsewhere, &err));
    assert_true(progress.steps >= profile->file_count && progress.steps > 1);
    assert_int_equal(progress.done, progress.total);
    profile_free(profile);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    char real[128];
    snprintf(real, sizeof real, "%s/real.json", folder);
    put(real, "old");
    assert_int_equal(symlink("real.json", target), 0);
    char *elsewhere;
    struct error err;
    assert_true(save(&elsewhere, &err));
    struct stat status;
    lstat(target, &status);
    assert_true(S_ISLNK(status.st_mode));
    stat(real, &status);
    assert_true(status.st_size > 1000);
}

static void a_profile_that_fits_nowhere_leaves_the_old_one(void **state)
{
    (void)state;
    put(target, "old");
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    char *elsewhere;
    struct error err;
    bool is_saved = save(&elsewhere, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_false(is_saved);
    assert_null(elsewhere);
    assert_non_null(strstr(err.text, "File too large"));
    assert_int_equal(count_files(false), 1);
    char text[8] = {0};
    FILE *file = fopen(target, "r");
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "old");
}

static void a_profile_without_a_place_goes_to_the_temporary_folder(void **state)
{
    (void)state;
    snprintf(target, sizeof target, "%s/gone/profile.json", folder);
    char *elsewhere;
    struct error err;
    assert_true(save(&elsewhere, &err));
    assert_non_null(elsewhere);
    assert_non_null(strstr(err.text, "No such file"));
    struct profile *profile;
    assert_true(profile_load(&profile, elsewhere, &err));
    profile_free(profile);
    free(elsewhere);
}

static void a_temporary_folder_that_is_gone_is_not_the_last_place(void **state)
{
    (void)state;
    snprintf(target, sizeof target, "%s/gone/profile.json", folder);
    char absent[sizeof target];
    snprintf(absent, sizeof absent, "%s/no-temporary-folder", folder);
    setenv("TMPDIR", absent, 1);
    char *elsewhere;
    struct error err;
    bool is_saved = save(&elsewhere, &err);
    setenv("TMPDIR", folder, 1);
    assert_true(is_saved);
    struct profile *profile;
    assert_true(profile_load(&profile, elsewhere, &err));
    profile_free(profile);
    unlink(elsewhere);
    free(elsewhere);
}

static void text_is_saved_as_it_is(void **state)
{
    (void)state;
    char *elsewhere;
    struct error err;
    assert_true(profile_save_text("{\n}\n", 4, target, &elsewhere, &err));
    assert_null(elsewhere);
    assert_int_equal(count_files(false), 1);
    struct stat status;
    stat(target, &status);
    assert_int_equal(status.st_size, 4);
}

static void a_passing_profile_goes_to_its_place_or_nowhere(void **state)
{
    (void)state;
    snprintf(target, sizeof target, "%s/gone/profile.json", folder);
    struct profile *profile = sample_profile("/nowhere/large.py");
    struct error err;
    assert_false(profile_save_here(profile, target, &err));
    assert_int_equal(count_files(false), 0);
    profile_free(profile);
}

static void a_packed_profile_is_the_same_and_a_broken_one_is_refused(void **state)
{
    (void)state;
    struct profile *profile = sample_profile("/nowhere/large.py");
    char packed_path[160];
    snprintf(packed_path, sizeof packed_path, "%s.gz", target);
    struct error err;
    assert_true(profile_save_here(profile, target, &err));
    assert_true(profile_save_packed(profile, packed_path, &err));
    profile_free(profile);
    struct stat plain;
    struct stat packed;
    stat(target, &plain);
    stat(packed_path, &packed);
    assert_true(packed.st_size < plain.st_size / 2);
    int fd = open(packed_path, O_RDWR | O_CLOEXEC);
    struct text text = {0};
    assert_true(packed_read(fd, 1 << 20, &text));
    assert_int_equal(text.len, plain.st_size);
    text_clear(&text);
    lseek(fd, 0, SEEK_SET);
    assert_false(packed_read(fd, 10, &text));
    text_clear(&text);
    assert_int_equal(ftruncate(fd, packed.st_size / 2), 0);
    lseek(fd, 0, SEEK_SET);
    assert_false(packed_read(fd, 1 << 20, &text));
    text_clear(&text);
    close(fd);
}

static void a_device_is_written_in_place(void **state)
{
    (void)state;
    strcpy(target, "/dev/null");
    char *elsewhere;
    struct error err;
    assert_true(save(&elsewhere, &err));
    assert_null(elsewhere);
    struct stat status;
    stat("/dev/null", &status);
    assert_true(S_ISCHR(status.st_mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(saving_replaces_the_old_file_and_leaves_nothing_else,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(whoever_waits_is_told_how_much_is_written, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_profile_that_fits_nowhere_leaves_the_old_one, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_profile_without_a_place_goes_to_the_temporary_folder,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_temporary_folder_that_is_gone_is_not_the_last_place,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(text_is_saved_as_it_is, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_passing_profile_goes_to_its_place_or_nowhere, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_packed_profile_is_the_same_and_a_broken_one_is_refused,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_device_is_written_in_place, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

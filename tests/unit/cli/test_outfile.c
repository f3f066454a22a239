// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/outfile.h"
#include "launch/folder.h"
#include "unit.h"

static void the_ending_becomes_json(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "a.b/x", 0600, "");
    assert_int_equal(chdir(folder.path), 0);
    const char *const rows[][2] = {
        {"prof.txt", "prof.json"},     {"prof", "prof.json"},      {"prof.json", "prof.json"},
        {"a.b/prof", "a.b/prof.json"}, {"x.tar.gz", "x.tar.json"}, {".hidden", ".hidden.json"},
        {"./p.html", "./p.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path;
        struct error err = {0};
        assert_true(outfile_choose(&path, rows[i][0], &err));
        assert_string_equal(path, rows[i][1]);
        free(path);
    }
    char *path;
    struct error err = {0};
    assert_true(outfile_choose(&path, NULL, &err));
    assert_string_equal(path, "scalene-profile.json");
    free(path);
    assert_int_equal(chdir("/"), 0);
    folder_close(&folder);
}

static void assert_refused(const char *asked, const char *why)
{
    char *path = NULL;
    struct error err = {0};
    assert_false(outfile_choose(&path, asked, &err));
    assert_null(path);
    if (!strstr(err.text, why)) {
        fail_msg("'%s' is not in '%s'", why, err.text);
    }
}

static void what_cannot_be_written_is_said_beforehand(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "d.json/x", 0600, "");
    assert_refused(folder.path, "is a directory");
    assert_refused("", "is a directory");
    assert_refused("new/", "is a directory");
    assert_refused(folder_path(&folder, "d.txt"), "is a directory");
    assert_refused("/nowhere/p.json", "No such file or directory; choose another place with -o");
    assert_refused("/proc/p.json", "/proc/p.json");
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ending_becomes_json),
        cmocka_unit_test(what_cannot_be_written_is_said_beforehand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

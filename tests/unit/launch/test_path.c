// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "launch/folder.h"
#include "launch/path.h"
#include "unit.h"

static void assert_absolute(const char *path, const char *expected)
{
    char *absolute = path_absolute(path);
    assert_string_equal(absolute, expected);
    free(absolute);
}

static void an_absolute_path_is_cleaned_as_abspath_does(void **state)
{
    (void)state;
    assert_absolute("/a//b/./c/../d/", "/a/b/d");
    assert_absolute("/..", "/");
    assert_absolute("/", "/");
    assert_absolute("/a/...", "/a/...");
}

static void a_relative_path_begins_at_the_current_directory(void **state)
{
    (void)state;
    assert_int_equal(chdir("/usr/lib"), 0);
    assert_absolute("x.py", "/usr/lib/x.py");
    assert_absolute("../bin/./x.py", "/usr/bin/x.py");
    assert_absolute(".", "/usr/lib");
    assert_absolute("../../../..", "/");
}

static void a_path_is_taken_apart_at_its_last_slash(void **state)
{
    (void)state;
    const char *const rows[][3] = {
        {"a/b.py", "a", "b.py"}, {"b.py", ".", "b.py"}, {"/b.py", "/", "b.py"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *parent = path_parent(rows[i][0]);
        assert_string_equal(parent, rows[i][1]);
        assert_string_equal(path_name(rows[i][0]), rows[i][2]);
        free(parent);
    }
}

static void a_program_is_found_where_path_has_it_first(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "one/tool", 0644, ""); // not executable
    folder_write(&folder, "two/tool", 0755, "");
    folder_write(&folder, "three/tool", 0755, "");
    char search[256];
    snprintf(search, sizeof search, "%s:%s:%s", folder_path(&folder, "one"),
             folder_path(&folder, "two"), folder_path(&folder, "three"));
    char *found = path_find_program("tool", search);
    assert_string_equal(found, folder_path(&folder, "two/tool"));
    free(found);
    assert_null(path_find_program("other", search));
    assert_null(path_find_program("tool", NULL));
    assert_null(path_find_program("", search));
    assert_null(path_find_program(folder_path(&folder, "one/tool"), search));
    assert_null(path_find_program(folder_path(&folder, "two"), search)); // a directory
    folder_close(&folder);
}

static void an_empty_entry_of_path_is_the_current_directory(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "tool", 0755, "");
    assert_int_equal(chdir(folder.path), 0);
    char *found = path_find_program("tool", "/nowhere::/nowhere");
    assert_string_equal(found, "./tool");
    free(found);
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_absolute_path_is_cleaned_as_abspath_does),
        cmocka_unit_test(a_relative_path_begins_at_the_current_directory),
        cmocka_unit_test(a_path_is_taken_apart_at_its_last_slash),
        cmocka_unit_test(a_program_is_found_where_path_has_it_first),
        cmocka_unit_test(an_empty_entry_of_path_is_the_current_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

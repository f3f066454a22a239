// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/folder.h"
#include "launch/interpreter.h"
#include "unit.h"

// A folder with scripts that stand for interpreters.
struct fixture {
    struct folder folder;
    char search[64 + 8];
};

static int open_fixture(void **state)
{
    static struct fixture fixture;
    folder_open(&fixture.folder);
    folder_write(&fixture.folder, "bin/python3", 0755, "#!/bin/sh\n");
    folder_write(&fixture.folder, "bin/python", 0755, "#!/bin/sh\n");
    folder_write(&fixture.folder, "bin/python3.9", 0755, "#!/bin/sh\n");
    folder_write(&fixture.folder, "venv/bin/python", 0755, "#!/bin/sh\n");
    snprintf(fixture.search, sizeof fixture.search, "%s/bin", fixture.folder.path);
    *state = &fixture;
    return 0;
}

static int close_fixture(void **state)
{
    folder_close(&((struct fixture *)*state)->folder);
    return 0;
}

static void assert_found(const struct interpreter_request *request, const char *path,
                         const char *name)
{
    struct interpreter interpreter;
    struct error err = {0};
    if (!interpreter_find(&interpreter, request, &err)) {
        fail_msg("%s", err.text);
    }
    assert_string_equal(interpreter.path, path);
    assert_string_equal(interpreter.name, name);
    interpreter_clear(&interpreter);
}

static void assert_refused(const struct interpreter_request *request, const char *why)
{
    struct interpreter interpreter;
    struct error err = {0};
    assert_false(interpreter_find(&interpreter, request, &err));
    if (!strstr(err.text, why)) {
        fail_msg("'%s' is not in '%s'", why, err.text);
    }
}

static void python3_of_path_is_the_default_under_the_name_a_user_types(void **state)
{
    struct fixture *fixture = *state;
    struct interpreter_request request = {.search = fixture->search};
    assert_found(&request, folder_path(&fixture->folder, "bin/python3"), "python3");
}

static void python_serves_when_there_is_no_python3(void **state)
{
    struct fixture *fixture = *state;
    unlink(folder_path(&fixture->folder, "bin/python3"));
    struct interpreter_request request = {.search = fixture->search};
    assert_found(&request, folder_path(&fixture->folder, "bin/python"), "python");
}

static void a_command_called_in_a_virtual_environment_takes_the_python_beside_it(void **state)
{
    struct fixture *fixture = *state;
    folder_write(&fixture->folder, "own/bin/python", 0755, "#!/bin/sh\n");
    folder_write(&fixture->folder, "own/bin/scalene", 0755, "#!/bin/sh\n");
    folder_write(&fixture->folder, "own/pyvenv.cfg", 0644, "home = /\n");
    struct interpreter_request request = {
        .search = fixture->search,
        .command = folder_path(&fixture->folder, "own/bin/scalene"),
        .virtual_env = folder_path(&fixture->folder, "venv"),
    };
    const char *python = folder_path(&fixture->folder, "own/bin/python");
    assert_found(&request, python, python);
}

static void a_command_beside_a_python_of_no_environment_takes_that_of_path(void **state)
{
    struct fixture *fixture = *state;
    struct interpreter_request request = {
        .search = fixture->search,
        .command = folder_path(&fixture->folder, "venv/bin/scalene"),
    };
    assert_found(&request, folder_path(&fixture->folder, "bin/python3"), "python3");
}

static void an_active_virtual_environment_wins_over_the_first_line(void **state)
{
    struct fixture *fixture = *state;
    struct interpreter_request request = {
        .search = fixture->search,
        .virtual_env = folder_path(&fixture->folder, "venv"),
        .script =
            folder_write(&fixture->folder, "s.py", 0644, "#!/usr/bin/env python3.9\nprint(1)\n"),
    };
    const char *path = folder_path(&fixture->folder, "venv/bin/python");
    assert_found(&request, path, path);
}

static void a_virtual_environment_without_python_is_passed_over(void **state)
{
    struct fixture *fixture = *state;
    struct interpreter_request request = {.search = fixture->search,
                                          .virtual_env = folder_path(&fixture->folder, "gone")};
    assert_found(&request, folder_path(&fixture->folder, "bin/python3"), "python3");
    request.virtual_env = "";
    assert_found(&request, folder_path(&fixture->folder, "bin/python3"), "python3");
}

static void the_first_line_chooses_by_name_or_by_path(void **state)
{
    struct fixture *fixture = *state;
    const char *wanted = folder_path(&fixture->folder, "bin/python3.9");
    struct interpreter_request request = {
        .search = fixture->search,
        .script = folder_write(&fixture->folder, "a.py", 0644, "#!/usr/bin/env python3.9\n"),
    };
    assert_found(&request, wanted, "python3.9");
    char line[128];
    snprintf(line, sizeof line, "#! %s -u\n", wanted);
    request.script = folder_write(&fixture->folder, "b.py", 0644, line);
    assert_found(&request, wanted, wanted);
}

static void a_first_line_that_names_a_missing_python_is_passed_over(void **state)
{
    struct fixture *fixture = *state;
    struct interpreter_request request = {
        .search = fixture->search,
        .script = folder_write(&fixture->folder, "a.py", 0644, "#!/nowhere/python3\n"),
    };
    assert_found(&request, folder_path(&fixture->folder, "bin/python3"), "python3");
}

static void what_is_asked_for_wins_and_must_be_there(void **state)
{
    struct fixture *fixture = *state;
    const char *path = folder_path(&fixture->folder, "bin/python3.9");
    struct interpreter_request request = {
        .asked = path,
        .search = fixture->search,
        .virtual_env = folder_path(&fixture->folder, "venv"),
    };
    assert_found(&request, path, path);
    request.asked = "python3.9";
    assert_found(&request, path, "python3.9");
    request.asked = "python3.77";
    assert_refused(&request, "not found in PATH");
    request.asked = "/nowhere/python3";
    assert_refused(&request, "No such file");
    request.asked = fixture->folder.path;
    assert_refused(&request, "is a directory");
    request.asked = folder_write(&fixture->folder, "plain", 0644, "#!/bin/sh\n");
    assert_refused(&request, "not executable");
}

static void without_any_python_the_user_is_told_of_the_option(void **state)
{
    (void)state;
    struct interpreter_request request = {.search = "/nowhere"};
    assert_refused(&request, "--python PATH");
    request.search = NULL;
    assert_refused(&request, "--python PATH");
}

static void only_a_python_is_read_from_the_first_line(void **state)
{
    struct fixture *fixture = *state;
    const char *const rows[][2] = {
        {"#!/usr/bin/python3\n", "/usr/bin/python3"},
        {"#!/usr/bin/python3\r\n", "/usr/bin/python3"},
        {"#! /usr/bin/python3 -I -u\n", "/usr/bin/python3"},
        {"#!/usr/bin/env python\n", "python"},
        {"#!/usr/bin/env -S python3.12 -u\n", "python3.12"},
        {"#!/usr/bin/env -S A=1 python3.13t -u\n", "python3.13t"},
        {"#!/usr/bin/env -Spython3 -u\n", "python3"},
        {"#!/usr/bin/env -i python3", "python3"},
        {"#!/usr/bin/python3-dbg\n", "/usr/bin/python3-dbg"},
        {"#!/usr/bin/env python2\n", NULL},
        {"#!/usr/bin/env pythonw\n", NULL},
        {"#!/bin/sh\n", NULL},
        {"#!/usr/bin/env\n", NULL},
        {"#!\n", NULL},
        {"print('#!/usr/bin/python3')\n", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *named =
            interpreter_from_shebang(folder_write(&fixture->folder, "s.py", 0644, rows[i][0]));
        if (rows[i][1]) {
            assert_non_null(named);
            assert_string_equal(named, rows[i][1]);
        } else {
            assert_null(named);
        }
        free(named);
    }
}

static void a_pipe_is_not_read_for_its_first_line(void **state)
{
    struct fixture *fixture = *state;
    const char *pipe = folder_path(&fixture->folder, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_null(interpreter_from_shebang(pipe)); // would wait for ever
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(python3_of_path_is_the_default_under_the_name_a_user_types),
        TEST(python_serves_when_there_is_no_python3),
        TEST(a_command_called_in_a_virtual_environment_takes_the_python_beside_it),
        TEST(a_command_beside_a_python_of_no_environment_takes_that_of_path),
        TEST(an_active_virtual_environment_wins_over_the_first_line),
        TEST(a_virtual_environment_without_python_is_passed_over),
        TEST(the_first_line_chooses_by_name_or_by_path),
        TEST(a_first_line_that_names_a_missing_python_is_passed_over),
        TEST(what_is_asked_for_wins_and_must_be_there),
        TEST(without_any_python_the_user_is_told_of_the_option),
        TEST(only_a_python_is_read_from_the_first_line),
        TEST(a_pipe_is_not_read_for_its_first_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

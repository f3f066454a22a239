// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/target.h"
#include "launch/folder.h"
#include "unit.h"

struct fixture {
    struct folder folder;
};

static int open_fixture(void **state)
{
    static struct fixture fixture;
    folder_open(&fixture.folder);
    folder_write(&fixture.folder, "prog.py", 0644, "");
    folder_write(&fixture.folder, "app/__main__.py", 0644, "");
    folder_write(&fixture.folder, "plain/readme", 0644, "");
    *state = &fixture;
    return chdir(fixture.folder.path);
}

static int close_fixture(void **state)
{
    folder_close(&((struct fixture *)*state)->folder);
    return chdir("/");
}

#define WORDS(...) ((char **)(const char *[16]){__VA_ARGS__})

static int count_words(char **words)
{
    int count = 0;
    while (words[count]) {
        count++;
    }
    return count;
}

static struct target read_target(char **words)
{
    struct target target;
    struct error err = {0};
    if (!target_read(&target, count_words(words), words, &err)) {
        fail_msg("%s", err.text);
    }
    return target;
}

static void assert_refused(char **words, const char *why)
{
    struct target target;
    struct error err = {0};
    assert_false(target_read(&target, count_words(words), words, &err));
    if (!strstr(err.text, why)) {
        fail_msg("'%s' is not in '%s'", why, err.text);
    }
    target_clear(&target);
}

static void a_script_is_known_by_its_absolute_path(void **state)
{
    struct fixture *fixture = *state;
    struct target target = read_target(WORDS("./prog.py", "-o", "x"));
    assert_string_equal(target.words[0], "./prog.py"); // as typed
    assert_int_equal(target.word_count, 3);
    assert_int_equal(target.first_arg, 0);
    assert_string_equal(target.script, "./prog.py");
    assert_string_equal(target.program, folder_path(&fixture->folder, "prog.py"));
    assert_string_equal(target.code_name, target.program);
    assert_string_equal(target.directory, fixture->folder.path);
    assert_string_equal(target.entry_dir, fixture->folder.path);
    target_clear(&target);
}

static void a_linked_script_belongs_to_the_directory_python_looks_in(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(symlink("../prog.py", folder_path(&fixture->folder, "plain/tool")), 0);
    struct target target = read_target(WORDS("plain/tool"));
    assert_string_equal(target.program, folder_path(&fixture->folder, "plain/tool"));
    assert_string_equal(target.directory, fixture->folder.path);
    target_clear(&target);
    assert_int_equal(symlink("loop", folder_path(&fixture->folder, "loop")), 0);
    assert_refused(WORDS("loop"), "cannot read");
}

static void a_directory_with_main_is_a_program(void **state)
{
    struct fixture *fixture = *state;
    struct target target = read_target(WORDS("app", "x"));
    assert_string_equal(target.directory, folder_path(&fixture->folder, "app"));
    target_clear(&target);
    assert_refused(WORDS("plain"), "a directory without __main__.py");
}

static void a_module_has_no_file_and_the_current_directory(void **state)
{
    struct fixture *fixture = *state;
    char **forms[] = {WORDS("-m", "mod", "x"), WORDS("-mmod", "x"), WORDS("---", "-um", "mod", "x"),
                      WORDS("--", "-m", "mod", "x")};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct target target = read_target(forms[i]);
        assert_string_equal(target.program, "-m mod");
        assert_string_equal(target.directory, fixture->folder.path);
        assert_string_equal(target.entry_dir, "");
        assert_null(target.script);
        assert_null(target.code_name);
        assert_string_equal(target.words[target.word_count - 1], "x");
        assert_int_equal(target.first_arg, target.word_count - 2);
        target_clear(&target);
    }
}

static void code_and_stdin_have_names_of_their_own(void **state)
{
    (void)state;
    struct target target = read_target(WORDS("---", "-W", "error", "-c", "print(1)", "x"));
    assert_string_equal(target.program, "-c");
    assert_string_equal(target.code_name, "<string>");
    assert_string_equal(target.words[0], "-W");
    target_clear(&target);
    char **forms[] = {WORDS("-", "x"), WORDS("---", "-X", "dev"), WORDS("---", "-V")};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        target = read_target(forms[i]);
        assert_string_equal(target.program, "-");
        assert_string_equal(target.code_name, "<stdin>");
        target_clear(&target);
    }
}

static void options_of_python_are_stepped_over(void **state)
{
    (void)state;
    char **forms[] = {
        WORDS("---", "-u", "prog.py", "x"),
        WORDS("---", "-uB", "-Wignore", "-X", "dev", "-Xutf8", "prog.py", "x"),
        WORDS("---", "-BW", "error", "prog.py", "x"),
        WORDS("---", "--check-hash-based-pycs", "always", "prog.py", "x"),
        WORDS("---", "--", "prog.py", "x"),
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct target target = read_target(forms[i]);
        assert_string_equal(target.script, "prog.py");
        assert_int_equal(target.first_arg, target.word_count - 2);
        assert_ptr_equal(target.words, forms[i] + 1);
        target_clear(&target);
    }
}

static void the_first_separator_behind_the_program_is_taken_out(void **state)
{
    (void)state;
    char **forms[] = {WORDS("prog.py", "---", "-a", "---", "b"),
                      WORDS("-m", "mod", "---", "-a", "---", "b"),
                      WORDS("prog.py", "-a", "---", "---", "b")};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct target target = read_target(forms[i]);
        int first = target.first_arg + 1;
        assert_int_equal(target.word_count, first + 3);
        assert_string_equal(target.words[first], "-a");
        assert_string_equal(target.words[first + 1], "---");
        assert_string_equal(target.words[first + 2], "b");
        target_clear(&target);
    }
    struct target target = read_target(WORDS("---", "prog.py", "---", "-a"));
    assert_int_equal(target.word_count, 3); // as it is
    target_clear(&target);
}

static void what_cannot_be_run_is_refused(void **state)
{
    (void)state;
    assert_refused(WORDS(NULL), "no input file specified");
    assert_refused(WORDS("---"), "no input file specified");
    assert_refused(WORDS("gone.py"), "could not find input file gone.py");
    assert_refused(WORDS("prog.py/x"), "cannot read input file prog.py/x");
    assert_refused(WORDS("-m"), "nothing follows -m");
    assert_refused(WORDS("---", "-c"), "nothing follows -c");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_script_is_known_by_its_absolute_path),
        TEST(a_linked_script_belongs_to_the_directory_python_looks_in),
        TEST(a_directory_with_main_is_a_program),
        TEST(a_module_has_no_file_and_the_current_directory),
        TEST(code_and_stdin_have_names_of_their_own),
        TEST(options_of_python_are_stepped_over),
        TEST(the_first_separator_behind_the_program_is_taken_out),
        TEST(what_cannot_be_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

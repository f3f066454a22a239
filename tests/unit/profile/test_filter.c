// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/filter.h"
#include "unit.h"

static bool accepts(const struct filter *filter, const char *path)
{
    return filter_accepts(filter, path);
}

static void files_of_the_program_and_beside_its_folder_are_ours(void **state)
{
    (void)state;
    struct filter filter = {.program_dir = "/home/user/app"};
    assert_true(accepts(&filter, "/home/user/app/main.py"));
    assert_true(accepts(&filter, "/home/user/app/deep/er/mod.py"));
    assert_true(accepts(&filter, "/home/user/shared.py"));
    assert_false(accepts(&filter, "/home/user/other/mod.py"));
    assert_false(accepts(&filter, "/home/user/application/mod.py"));
    assert_false(accepts(&filter, ""));
}

static void a_project_named_like_a_prefix_is_ours(void **state)
{
    (void)state;
    struct filter filter = {.program_dir = "/usr/src/app"};
    assert_true(accepts(&filter, "/usr/src/app/main.py"));
    filter.program_dir = "/home/me/site-packages-demo";
    assert_true(accepts(&filter, "/home/me/site-packages-demo/main.py"));
    filter.program_dir = "/home/me/my-site-packages";
    assert_true(accepts(&filter, "/home/me/my-site-packages/main.py"));
    filter.program_dir = "/home/me/lib/python3.12-course";
    assert_true(accepts(&filter, "/home/me/lib/python3.12-course/main.py"));
}

static void installed_packages_are_not_ours_even_inside_the_project(void **state)
{
    (void)state;
    struct filter filter = {.program_dir = "/home/user/app"};
    assert_false(accepts(&filter, "/home/user/app/.venv/lib/python3.12/site-packages/x/y.py"));
    assert_false(accepts(&filter, "/home/user/app/vendor/dist-packages/y.py"));
    filter.has_system_libraries = true;
    assert_true(accepts(&filter, "/home/user/app/.venv/lib/python3.12/site-packages/x/y.py"));
    assert_true(accepts(&filter, "/opt/site-packages/x.py"));
    assert_false(accepts(&filter, "/opt/elsewhere/x.py"));
}

static void a_library_is_known_by_its_landmark(void **state)
{
    (void)state;
    char root[] = "/tmp/scalene-filter-XXXXXX";
    assert_non_null(mkdtemp(root));
    char lib[64], version[80], os[96], path[112];
    snprintf(lib, sizeof lib, "%s/lib64", root);
    snprintf(version, sizeof version, "%s/python3.9", lib);
    snprintf(os, sizeof os, "%s/os.py", version);
    snprintf(path, sizeof path, "%s/json/decoder.py", version);
    assert_int_equal(mkdir(lib, 0700), 0);
    assert_int_equal(mkdir(version, 0700), 0);
    struct filter filter = {.program_dir = root};
    assert_true(accepts(&filter, path));
    // Asked about another folder in between, for the last answer is kept.
    assert_false(filter_is_library("/nowhere/lib/python3.9/x.py"));
    FILE *landmark = fopen(os, "w");
    assert_non_null(landmark);
    fclose(landmark);
    assert_false(accepts(&filter, path));
    unlink(os);
    rmdir(version);
    rmdir(lib);
    rmdir(root);
}

static void a_program_inside_a_library_shows_its_own_package(void **state)
{
    (void)state;
    struct filter filter = {.program_dir = "/opt/lib/python3/dist-packages/tool",
                            .program_name = "/opt/lib/python3/dist-packages/tool/run.py"};
    assert_true(accepts(&filter, "/opt/lib/python3/dist-packages/tool/run.py"));
    assert_true(accepts(&filter, "/opt/lib/python3/dist-packages/tool/sub/part.py"));
    assert_false(accepts(&filter, "/opt/lib/python3/dist-packages/other.py"));
    filter.program_dir = "/opt/lib/python3/dist-packages";
    filter.program_name = "/opt/lib/python3/dist-packages/run.py";
    assert_true(accepts(&filter, "/opt/lib/python3/dist-packages/run.py"));
    assert_false(accepts(&filter, "/opt/lib/python3/dist-packages/numpy/core.py"));
}

static void names_in_angle_brackets_need_a_reason(void **state)
{
    (void)state;
    struct filter filter = {.program_dir = "/home/user", .program_name = "<string>"};
    assert_true(accepts(&filter, "<string>"));
    assert_false(accepts(&filter, "<stdin>"));
    assert_false(accepts(&filter, "<frozen importlib._bootstrap>"));
    filter.has_all = true;
    assert_true(accepts(&filter, "<frozen importlib._bootstrap>"));
    assert_true(accepts(&filter, "/anywhere/at/all.py"));
}

static void only_and_exclude_narrow_the_choice(void **state)
{
    (void)state;
    char *only[] = {(char *)"utils", (char *)"pkg/mod"};
    char *exclude[] = {(char *)"generated"};
    struct filter filter = {.program_dir = "/home/test/app",
                            .only = only,
                            .only_count = 2,
                            .exclude = exclude,
                            .exclude_count = 1};
    assert_true(accepts(&filter, "/home/test/app/utils.py"));
    assert_true(accepts(&filter, "/home/test/app/my_utils_2.py"));
    assert_true(accepts(&filter, "/home/test/app/utils/deep.py"));
    assert_true(accepts(&filter, "/home/test/app/pkg/mod.py"));
    assert_false(accepts(&filter, "/home/test/app/main.py"));
    assert_false(accepts(&filter, "/home/test/app/generated/utils.py"));
    assert_false(accepts(&filter, "/elsewhere/utils.py"));
}

static bool matches(const char *entry, const char *path)
{
    struct filter filter = {.program_dir = "/home/test/app"};
    return filter_entry_matches(&filter, entry, path);
}

static void an_entry_does_not_match_folders_above_the_program(void **state)
{
    (void)state;
    assert_false(matches("test", "/home/test/app/main.py"));
    assert_true(matches("test", "/home/test/app/test_main.py"));
    assert_true(matches("app", "/home/test/app/main.py"));
    assert_true(matches("home", "/home/other/main.py"));
    assert_false(matches("oth", "/home/other/main.py"));
}

static void an_entry_may_be_a_path_or_a_pattern(void **state)
{
    (void)state;
    assert_true(matches("main.py", "/home/test/app/main.py"));
    assert_true(matches("main", "/home/test/app/main.py"));
    assert_true(matches("numpy", "/v/site-packages/numpy/core.py"));
    assert_false(matches("numpy", "/v/site-packages/numpydoc/core.py"));
    assert_true(matches("torch/nn", "/v/site-packages/torch/nn/layer.py"));
    assert_true(matches("/home/test/app", "/home/test/app/main.py"));
    assert_true(matches("/home/test/app/", "/home/test/app/main.py"));
    assert_false(matches("/test/app", "/home/test/app/main.py"));
    assert_true(matches("test_*.py", "/home/test/app/test_a.py"));
    assert_true(matches("app/*/x.py", "/home/test/app/a/b/x.py"));
    assert_false(matches("test_?.py", "/home/test/app/test_ab.py"));
    assert_false(matches("", "/home/test/app/main.py"));
}

static void cells_of_a_notebook_are_ours_wherever_their_names_lie(void **state)
{
    (void)state;
    struct filter filter = {.program_dir = "/home/user/app"};
    assert_true(accepts(&filter, "/tmp/ipykernel_4711/123456789.py"));
    assert_true(accepts(&filter, "<ipython-input-3-0123456789ab>"));
    assert_false(accepts(&filter, "/tmp/ipykernel_4711/module.py"));
    assert_false(accepts(&filter, "/tmp/ipykernel_/1.py"));
    assert_false(accepts(&filter, "/tmp/my_ipykernel_1/1.py"));
    assert_false(accepts(&filter, "<string>"));
}

static void a_library_is_known_by_its_name(void **state)
{
    (void)state;
    assert_true(filter_sounds_like_library("/nowhere/lib/python3.12/json/decoder.py"));
    assert_true(filter_sounds_like_library("/nowhere/lib/python3.13t/os.py"));
    assert_true(filter_sounds_like_library("/nowhere/site-packages/numpy/core.py"));
    assert_false(filter_sounds_like_library("/home/user/project/lib/python/tool.py"));
    assert_false(filter_sounds_like_library("/home/user/python3.12/tool.py"));
    assert_false(filter_is_library("/nowhere/lib/python3.12/json/decoder.py"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_program_and_beside_its_folder_are_ours),
        cmocka_unit_test(a_project_named_like_a_prefix_is_ours),
        cmocka_unit_test(installed_packages_are_not_ours_even_inside_the_project),
        cmocka_unit_test(a_library_is_known_by_its_landmark),
        cmocka_unit_test(a_program_inside_a_library_shows_its_own_package),
        cmocka_unit_test(names_in_angle_brackets_need_a_reason),
        cmocka_unit_test(cells_of_a_notebook_are_ours_wherever_their_names_lie),
        cmocka_unit_test(only_and_exclude_narrow_the_choice),
        cmocka_unit_test(an_entry_does_not_match_folders_above_the_program),
        cmocka_unit_test(an_entry_may_be_a_path_or_a_pattern),
        cmocka_unit_test(a_library_is_known_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

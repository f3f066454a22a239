// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/config.h"
#include "cli/settings.h"
#include "launch/folder.h"
#include "unit.h"

// Loads `content` into settings that are all zero; the error, if any, into `err`.
static bool load_named(const char *name, const char *content, struct settings *settings,
                       struct text *notices, struct error *err)
{
    struct folder folder;
    folder_open(&folder);
    *settings = (struct settings){0};
    *err = (struct error){0};
    struct config config = {
        .path = folder_write(&folder, name, 0600, content),
        .table = &settings_options,
        .settings = settings,
        .notices = notices,
    };
    bool is_loaded = config_load(&config, err);
    folder_close(&folder);
    return is_loaded;
}

static bool load(const char *yaml, struct settings *settings, struct text *notices,
                 struct error *err)
{
    return load_named("c.yaml", yaml, settings, notices, err);
}

static void every_key_takes_effect(void **state)
{
    (void)state;
    struct settings settings;
    struct text warnings = {0};
    struct error err;
    assert_true(load("outfile: a.json\n"
                     "cpu-only: true\n"
                     "profile-all: yes\n"
                     "profile_only: [one, two/three]\n"
                     "profile-exclude: four\n"
                     "gpu: true\n"
                     "memory: true\n"
                     "stacks: on\n"
                     "profile-interval: 2.5\n"
                     "use-virtual-time: true\n"
                     "cpu-percent-threshold: 5\n"
                     "cpu-sampling-rate: 0.02\n"
                     "allocation-sampling-window: 4096\n"
                     "malloc-threshold: 7\n"
                     "program-path: /x\n"
                     "memory-leak-detector: true\n"
                     "profile-system-libraries: true\n"
                     "disable-jit: true\n"
                     "python: python3.9\n"
                     "on: true\n",
                     &settings, &warnings, &err));
    assert_null(warnings.data);
    assert_string_equal(settings.outfile, "a.json");
    assert_string_equal(settings.profile_only, "one,two/three");
    assert_string_equal(settings.profile_exclude, "four");
    assert_string_equal(settings.program_path, "/x");
    assert_string_equal(settings.python, "python3.9");
    assert_true(settings.is_cpu_only && settings.profiles_all && settings.has_gpu);
    assert_true(settings.has_memory && settings.has_stacks && settings.has_virtual_time);
    assert_true(settings.has_leak_detector && settings.profiles_system_libraries);
    assert_true(settings.is_jit_disabled && settings.is_on);
    assert_true(settings.profile_interval_s == 2.5 && settings.cpu_percent_threshold == 5);
    assert_true(settings.cpu_sampling_s == 0.02);
    assert_int_equal(settings.allocation_window_bytes, 4096);
    assert_int_equal(settings.malloc_threshold, 7);
    settings_clear(&settings);
}

static void flags_can_be_turned_off_and_empty_keys_change_nothing(void **state)
{
    (void)state;
    struct settings settings;
    struct text warnings = {0};
    struct error err;
    assert_true(load("output: b\noff: true\nstacks: false\noutfile:\nprofile-only: ~\n", &settings,
                     &warnings, &err));
    assert_string_equal(settings.outfile, "b");
    assert_null(settings.profile_only);
    assert_false(settings.is_on || settings.has_stacks);
    settings_clear(&settings);
}

static void an_unknown_key_is_ignored_with_one_warning(void **state)
{
    (void)state;
    struct settings settings;
    struct text warnings = {0};
    struct error err;
    assert_true(load("colour: red\ncpu-only: true\n", &settings, &warnings, &err));
    assert_string_equal(warnings.data, "unknown config option 'colour' (ignored)\n");
    assert_true(settings.is_cpu_only);
    text_clear(&warnings);
}

static void an_empty_file_changes_nothing(void **state)
{
    (void)state;
    const char *const files[] = {"", "# only a comment\n", "---\n", "null\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct settings settings;
        struct text warnings = {0};
        struct error err;
        assert_true(load(files[i], &settings, &warnings, &err));
        assert_null(warnings.data);
    }
}

static void what_is_wrong_with_a_file_is_said(void **state)
{
    (void)state;
    const char *const rows[][2] = {
        {"a: [", "invalid YAML in config file"},
        {"\tx: 1\n", "invalid YAML in config file"},
        {"- a\n- b\n", "must contain a YAML mapping (got a list)"},
        {"words\n", "must contain a YAML mapping (got a single value)"},
        {"cpu-sampling-rate: fast\n", "cpu-sampling-rate: 'fast' is not a number"},
        {"cpu-only: maybe\n", "cpu-only: 'maybe' is neither true nor false"},
        {"outfile: {a: b}\n", "outfile: its value is not of a kind"},
        {"cpu-only: [true]\n", "cpu-only: its value is not of a kind"},
        {"? [a]\n: b\n", "is not a text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settings settings;
        struct text warnings = {0};
        struct error err;
        assert_false(load(rows[i][0], &settings, &warnings, &err));
        if (!strstr(err.text, rows[i][1])) {
            fail_msg("'%s' is not in '%s'", rows[i][1], err.text);
        }
        settings_clear(&settings);
    }
}

static void a_file_that_is_not_there_brings_the_way_to_run_code(void **state)
{
    (void)state;
    struct settings settings = {0};
    struct error err = {0};
    struct config config = {.path = "print(1)", .table = &settings_options, .settings = &settings};
    assert_false(config_load(&config, &err));
    assert_non_null(strstr(err.text, "config file 'print(1)' not found"));
    assert_non_null(strstr(err.text, "scalene run --- -c CODE"));
    config.path = "/";
    assert_false(config_load(&config, &err));
    assert_non_null(strstr(err.text, "directory"));
}

static void a_toml_file_has_the_same_keys_in_its_table(void **state)
{
    (void)state;
    struct settings settings;
    struct text notices = {0};
    struct error err;
    assert_true(load_named("pyproject.toml",
                           "[project]\nname = \"x\"\n"
                           "[tool.scalene]\n"
                           "outfile = 'a.json'\n"
                           "profile_only = [\"one\", # comment\n  'two/three',\n]\n"
                           "cpu-sampling-rate = 0.02\n"
                           "allocation-sampling-window = 4_096\n"
                           "cpu-only = true\n"
                           "colour = 'red'\n"
                           "[tool.other]\noutfile = 'not.this'\n",
                           &settings, &notices, &err));
    assert_string_equal(settings.outfile, "a.json");
    assert_string_equal(settings.profile_only, "one,two/three");
    assert_true(settings.cpu_sampling_s == 0.02 && settings.is_cpu_only);
    assert_int_equal(settings.allocation_window_bytes, 4096);
    assert_string_equal(notices.data, "unknown config option 'colour' (ignored)\n");
    settings_clear(&settings);
    text_clear(&notices);
}

static void what_is_wrong_with_a_toml_file_is_said(void **state)
{
    (void)state;
    const char *const rows[][2] = {
        {"[tool.scalene]\ncpu-only = maybe\n", "cpu-only: 'maybe' is neither true nor false"},
        {"[tool.scalene]\ncpu-only = [1]\n", "cpu-only: its value is not of a kind"},
        {"[tool.scalene]\noutfile = [[1]]\n", "outfile: its value is not of a kind"},
        {"[tool.scalene]\noutfile = \"a\n", "line 2: a string does not end"},
        {"[tool.scalene\n", "line 1: ']' was expected"},
        {"x\n", "line 1: '=' was expected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settings settings;
        struct text notices = {0};
        struct error err;
        assert_false(load_named("c.toml", rows[i][0], &settings, &notices, &err));
        if (!strstr(err.text, rows[i][1]) || !strstr(err.text, "config file")) {
            fail_msg("'%s' is not in '%s'", rows[i][1], err.text);
        }
        settings_clear(&settings);
    }
}

static void a_mistyped_key_brings_the_nearest_one(void **state)
{
    (void)state;
    struct settings settings;
    struct text notices = {0};
    struct error err;
    assert_true(load("cpu-onyl: true\n", &settings, &notices, &err));
    assert_non_null(strstr(notices.data, "'cpu-onyl' (ignored); did you mean cpu-only?\n"));
    text_clear(&notices);
}

static void every_option_but_those_of_the_line_itself_is_a_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < settings_options.count; i++) {
        const struct option *option = &settings_options.options[i];
        bool is_question = strncmp(option->name, "help", 4) == 0 ||
                           strcmp(option->name, "config") == 0 ||
                           strcmp(option->name, "no-config") == 0;
        bool is_key = option_by_key(&settings_options, option->name) != NULL;
        assert_true(is_key == (!is_question && option->group != OPTION_LEGACY));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_takes_effect),
        cmocka_unit_test(flags_can_be_turned_off_and_empty_keys_change_nothing),
        cmocka_unit_test(an_unknown_key_is_ignored_with_one_warning),
        cmocka_unit_test(an_empty_file_changes_nothing),
        cmocka_unit_test(what_is_wrong_with_a_file_is_said),
        cmocka_unit_test(a_file_that_is_not_there_brings_the_way_to_run_code),
        cmocka_unit_test(a_toml_file_has_the_same_keys_in_its_table),
        cmocka_unit_test(what_is_wrong_with_a_toml_file_is_said),
        cmocka_unit_test(a_mistyped_key_brings_the_nearest_one),
        cmocka_unit_test(every_option_but_those_of_the_line_itself_is_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/config.h"
#include "cli/settings.h"
#include "launch/folder.h"
#include "unit.h"

// Loads `yaml` into settings that are all zero; the error, if any, into `err`.
static bool load(const char *yaml, struct settings *settings, struct text *warnings,
                 struct error *err)
{
    struct folder folder;
    folder_open(&folder);
    *settings = (struct settings){0};
    *err = (struct error){0};
    const char *path = folder_write(&folder, "c.yaml", 0600, yaml);
    bool is_loaded = config_load(path, &settings_options, settings, warnings, err);
    folder_close(&folder);
    return is_loaded;
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
    struct text warnings = {0};
    struct error err = {0};
    assert_false(config_load("print(1)", &settings_options, &settings, &warnings, &err));
    assert_non_null(strstr(err.text, "config file 'print(1)' not found"));
    assert_non_null(strstr(err.text, "scalene run --- -c CODE"));
    assert_false(config_load("/", &settings_options, &settings, &warnings, &err));
    assert_non_null(strstr(err.text, "directory"));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

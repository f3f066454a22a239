// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/settings.h"
#include "launch/folder.h"
#include "unit.h"

static enum settings_result read_words(struct settings *settings, int count, char **words,
                                       struct error *err)
{
    struct text warnings = {0};
    int used;
    enum settings_result result = settings_read(settings, count, words, &used, &warnings, err);
    text_clear(&warnings);
    return result;
}

static void defaults_are_the_originals(void **state)
{
    (void)state;
    struct settings settings;
    struct error err;
    assert_int_equal(read_words(&settings, 0, NULL, &err), SETTINGS_OK);
    assert_true(settings.has_stacks && settings.has_async && settings.is_on);
    assert_false(settings.is_cpu_only || settings.profiles_all || settings.has_virtual_time);
    assert_true(settings.cpu_sampling_s == 0.01 && settings.cpu_percent_threshold == 1);
    assert_true(isinf(settings.profile_interval_s));
    settings_clear(&settings);
}

static void the_command_line_wins_over_the_file(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    const char *path = folder_write(&folder, "c.yaml", 0600,
                                    "outfile: file\nstacks: false\noff: true\nmemory: true\n"
                                    "cpu-sampling-rate: 0.5\nprofile-all: true\n");
    const char *words[] = {"-c",   path,   "--outfile", "line", "--stacks", "--cpu-sampling-rate",
                           "0.25", "--on", "--cpu-only"};
    struct settings settings;
    struct error err;
    assert_int_equal(read_words(&settings, 9, (char **)words, &err), SETTINGS_OK);
    assert_string_equal(settings.outfile, "line");
    assert_true(settings.has_stacks && settings.is_on && settings.is_cpu_only);
    assert_false(settings.has_memory);  // the line's choice of what to measure replaces the file's
    assert_true(settings.profiles_all); // of which the line says nothing
    assert_true(settings.cpu_sampling_s == 0.25);
    settings_clear(&settings);
    folder_close(&folder);
}

static bool has_memory_with(int count, const char **words)
{
    struct settings settings;
    struct error err;
    assert_int_equal(read_words(&settings, count, (char **)words, &err), SETTINGS_OK);
    bool has_memory = settings_has_memory(&settings);
    settings_clear(&settings);
    return has_memory;
}

static bool has_async_with(int count, const char **words)
{
    struct settings settings;
    struct error err;
    assert_int_equal(read_words(&settings, count, (char **)words, &err), SETTINGS_OK);
    bool has_async = settings_has_async(&settings);
    settings_clear(&settings);
    return has_async;
}

static void awaits_are_profiled_unless_cpu_time_only_is_asked_for(void **state)
{
    (void)state;
    assert_true(has_async_with(0, NULL));
    assert_false(has_async_with(1, (const char *[]){"--no-async"}));
    assert_false(has_async_with(1, (const char *[]){"--cpu-only"}));
    assert_true(has_async_with(2, (const char *[]){"--cpu-only", "--async"}));
    assert_true(has_async_with(2, (const char *[]){"--async", "--cpu-only"}));
    assert_false(has_async_with(2, (const char *[]){"--async", "--no-async"}));
}

static void memory_is_profiled_unless_something_else_is_asked_for(void **state)
{
    (void)state;
    assert_true(has_memory_with(0, NULL));
    assert_true(has_memory_with(1, (const char *[]){"--memory"}));
    assert_true(has_memory_with(2, (const char *[]){"--memory", "--cpu-only"}));
    assert_true(has_memory_with(2, (const char *[]){"--gpu", "--memory"}));
    assert_false(has_memory_with(1, (const char *[]){"--cpu-only"}));
    assert_false(has_memory_with(1, (const char *[]){"--gpu"}));
}

static void a_sampling_window_that_makes_no_sense_gets_a_sentence(void **state)
{
    (void)state;
    const char *bad[] = {"0", "1023", "1073741825", "-1", "1e6", "much", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *words[] = {"--allocation-sampling-window", bad[i]};
        struct settings settings;
        struct error err;
        assert_int_equal(read_words(&settings, 2, (char **)words, &err), SETTINGS_MISUSED);
        assert_non_null(strstr(err.text, "--allocation-sampling-window"));
        settings_clear(&settings);
    }
    const char *words[] = {"--allocation-sampling-window=65536", "--no-memory-leak-detector"};
    struct settings settings;
    struct error err;
    assert_int_equal(read_words(&settings, 2, (char **)words, &err), SETTINGS_OK);
    assert_int_equal(settings.allocation_window_bytes, 65536);
    assert_false(settings.has_leak_detector);
    settings_clear(&settings);
}

static void faults_of_the_line_and_of_the_file_are_told_apart(void **state)
{
    (void)state;
    struct settings settings;
    struct error err;
    const char *missing[] = {"-c", "/nowhere.yaml"};
    assert_int_equal(read_words(&settings, 2, (char **)missing, &err), SETTINGS_BAD_CONFIG);
    settings_clear(&settings);
    const char *unknown[] = {"--nothing"};
    assert_int_equal(read_words(&settings, 1, (char **)unknown, &err), SETTINGS_MISUSED);
    settings_clear(&settings);
    const char *cpu[] = {"--cpu"}; // as the original
    assert_int_equal(read_words(&settings, 1, (char **)cpu, &err), SETTINGS_MISUSED);
    assert_non_null(strstr(err.text, "ambiguous"));
    settings_clear(&settings);
}

static void the_table_is_well_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < settings_options.count; i++) {
        const struct option *option = &settings_options.options[i];
        assert_true(option->group == OPTION_LEGACY || option->help);
        assert_true((option->kind >= OPTION_TEXT && option->kind <= OPTION_COUNT) ==
                        (option->argument != NULL) ||
                    option->kind == OPTION_NOTHING);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(option->name, settings_options.options[j].name);
            assert_true(!option->letter || option->letter != settings_options.options[j].letter);
        }
    }
    assert_true(settings_options.count <= 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_originals),
        cmocka_unit_test(the_command_line_wins_over_the_file),
        cmocka_unit_test(awaits_are_profiled_unless_cpu_time_only_is_asked_for),
        cmocka_unit_test(memory_is_profiled_unless_something_else_is_asked_for),
        cmocka_unit_test(a_sampling_window_that_makes_no_sense_gets_a_sentence),
        cmocka_unit_test(faults_of_the_line_and_of_the_file_are_told_apart),
        cmocka_unit_test(the_table_is_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

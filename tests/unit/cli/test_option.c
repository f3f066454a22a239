// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cli/option.h"
#include "unit.h"

struct sample {
    bool has_color;
    char *file;
    double rate;
    uint64_t window;
    bool is_on;
};

#define TARGET(field) offsetof(struct sample, field)

// clang-format off
static const struct option options[] = {
    {.name = "color", .kind = OPTION_TRUE, .target = TARGET(has_color)},
    {.name = "no-color", .kind = OPTION_FALSE, .target = TARGET(has_color), .is_line_only = true},
    {.name = "column", .kind = OPTION_NOTHING},
    {.name = "outfile", .letter = 'o', .kind = OPTION_TEXT, .target = TARGET(file),
     .argument = "FILE", .key_alias = "output"},
    {.name = "sampling-rate", .kind = OPTION_NUMBER, .target = TARGET(rate), .argument = "SEC",
     .least = 0.001, .most = INFINITY},
    {.name = "window", .kind = OPTION_COUNT, .target = TARGET(window), .argument = "BYTES"},
    {.name = "on", .kind = OPTION_TRUE, .target = TARGET(is_on), .excludes = "off"},
    {.name = "off", .kind = OPTION_FALSE, .target = TARGET(is_on)},
    {.name = "web", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "window-title", .kind = OPTION_NOTHING, .is_whole_only = true},
    {.name = "width", .kind = OPTION_NOTHING, .group = OPTION_LEGACY, .argument = "N"},
};
// clang-format on

static const struct option_table table = {options, sizeof options / sizeof *options, "m"};

#define MAX_WORDS 16

static int count_words(char **words)
{
    int count = 0;
    while (words[count]) {
        count++;
    }
    return count;
}

// Parses the words and returns how many were options.
static int parse(struct sample *sample, char **words)
{
    struct error err = {0};
    int used = -1;
    *sample = (struct sample){0};
    if (!option_parse(&table, count_words(words), words, sample, &used, &err)) {
        fail_msg("%s", err.text);
    }
    return used;
}

static void assert_misuse(char **words, const char *why)
{
    struct sample sample = {0};
    struct error err = {0};
    int used;
    assert_false(option_parse(&table, count_words(words), words, &sample, &used, &err));
    if (!strstr(err.text, why)) {
        fail_msg("'%s' is not in '%s'", why, err.text);
    }
    option_clear(&table, &sample);
}

#define WORDS(...) ((char **)(const char *[MAX_WORDS]){__VA_ARGS__})

static void options_end_where_the_program_begins(void **state)
{
    (void)state;
    struct sample sample;
    assert_int_equal(parse(&sample, WORDS("--color", "prog.py", "--off")), 1);
    assert_true(sample.has_color);
    assert_int_equal(parse(&sample, WORDS("--color", "-m", "mod")), 1);
    assert_int_equal(parse(&sample, WORDS("-mmod", "--color")), 0);
    assert_int_equal(parse(&sample, WORDS("--color", "-", "--off")), 1);
    assert_int_equal(parse(&sample, WORDS("--color", "---", "-c", "x")), 1);
    assert_int_equal(parse(&sample, WORDS("--color", "--", "prog.py")), 1);
    assert_int_equal(parse(&sample, WORDS(NULL)), 0);
}

static void a_value_is_the_next_word_or_attached(void **state)
{
    (void)state;
    char **forms[] = {WORDS("--outfile", "a.json", "p"), WORDS("--outfile=a.json", "p"),
                      WORDS("-o", "a.json", "p"), WORDS("-oa.json", "p")};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct sample sample;
        int used = parse(&sample, forms[i]);
        assert_string_equal(sample.file, "a.json");
        assert_string_equal(forms[i][used], "p");
        option_clear(&table, &sample);
        assert_null(sample.file);
    }
}

static void the_last_of_several_values_counts(void **state)
{
    (void)state;
    struct sample sample;
    parse(&sample, WORDS("-o", "a", "--color", "-o", "b", "--no-color"));
    assert_string_equal(sample.file, "b");
    assert_false(sample.has_color);
    option_clear(&table, &sample);
}

static void a_beginning_that_no_other_option_has_is_enough(void **state)
{
    (void)state;
    struct sample sample;
    parse(&sample, WORDS("--out=x", "--samp", "0.5", "--no"));
    assert_string_equal(sample.file, "x");
    assert_true(sample.rate == 0.5);
    option_clear(&table, &sample);
    parse(&sample, WORDS("--on")); // exact, though --on... might begin others
    assert_true(sample.is_on);
    assert_misuse(WORDS("--col"), "ambiguous option '--col'; it could be --color or --column");
    parse(&sample, WORDS("--wi", "5")); // --window: what is obsolete counts only in full
    assert_int_equal(sample.window, 5);
}

static void obsolete_options_are_read_over(void **state)
{
    (void)state;
    struct sample sample;
    assert_int_equal(parse(&sample, WORDS("--web", "--width", "80", "p.py")), 3);
    assert_int_equal(parse(&sample, WORDS("--width=80", "p.py")), 1);
}

static void an_unknown_option_brings_the_nearest_one(void **state)
{
    (void)state;
    assert_misuse(WORDS("--colour"), "unknown option '--colour'; did you mean --color?");
    assert_misuse(WORDS("--otufile=x"), "did you mean --outfile?");
    assert_misuse(WORDS("--entirely-else"), "see --help");
    assert_misuse(WORDS("-x"), "unknown option '-x'");
}

static void wrong_values_are_named(void **state)
{
    (void)state;
    assert_misuse(WORDS("--outfile"), "option --outfile needs a value: FILE");
    assert_misuse(WORDS("-o", "--color"), "needs a value");
    assert_misuse(WORDS("--color=1"), "takes no value");
    assert_misuse(WORDS("--sampling-rate", "fast"),
                  "option --sampling-rate: 'fast' is not a number");
    assert_misuse(WORDS("--sampling-rate", "0"), "out of range");
    assert_misuse(WORDS("--sampling-rate", "nan"), "not a number");
    assert_misuse(WORDS("--sampling-rate=-1"), "out of range");
    assert_misuse(WORDS("--sampling-rate="), "not a number");
    assert_misuse(WORDS("--window", "1e6"), "not a whole number");
    assert_misuse(WORDS("--window=-5"), "not a whole number");
    assert_misuse(WORDS("--window", "99999999999999999999999"), "not a whole number");
}

static void options_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    assert_misuse(WORDS("--on", "--off"), "exclude each other");
    assert_misuse(WORDS("--off", "--on"), "exclude each other");
}

static void keys_are_written_with_dashes_or_underscores(void **state)
{
    (void)state;
    assert_ptr_equal(option_by_key(&table, "output"), option_by_key(&table, "outfile"));
    assert_non_null(option_by_key(&table, "color"));
    assert_null(option_by_key(&table, "no-color"));
    assert_null(option_by_key(&table, "outfiles"));
    assert_null(option_by_key(&table, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_end_where_the_program_begins),
        cmocka_unit_test(a_value_is_the_next_word_or_attached),
        cmocka_unit_test(the_last_of_several_values_counts),
        cmocka_unit_test(a_beginning_that_no_other_option_has_is_enough),
        cmocka_unit_test(obsolete_options_are_read_over),
        cmocka_unit_test(an_unknown_option_brings_the_nearest_one),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(options_that_exclude_each_other_are_refused),
        cmocka_unit_test(keys_are_written_with_dashes_or_underscores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

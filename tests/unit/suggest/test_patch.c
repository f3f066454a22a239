// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "suggest/patch.h"
#include "unit.h"

static struct profile_file file = {.path = (char *)"/p/q/a.py"};
static struct profile_file other_file = {.path = (char *)"/p/b.py"};

static struct region region_of(const char *text, int first, int last)
{
    struct region region = {.file = &file, .line = first, .first = first, .last = last};
    source_from_text(&region.source, text, strlen(text));
    return region;
}

static void check_patch(const char *source, int first, int last, const char *code,
                        const char *expected)
{
    struct region region = region_of(source, first, last);
    struct diff diff;
    struct text patch = {0};
    diff_make(&diff, &region, code, strlen(code));
    patch_add(&patch, &diff, 1, "/p");
    assert_string_equal(patch.data ? patch.data : "", expected);
    text_clear(&patch);
    diff_clear(&diff);
    source_clear(&region.source);
}

static void a_patch_has_context_and_only_what_changes(void **state)
{
    (void)state;
    check_patch("1\n2\n3\n4\n5\n6\n7\n8\n9\n", 5, 6, "5\nsix\nmore\n",
                "--- a/q/a.py\n+++ b/q/a.py\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n 5\n-6\n+six\n+more\n "
                "7\n 8\n 9\n");
    check_patch("1\n2\n", 1, 2, "1\n2\n", "");
    check_patch("1", 1, 1, "2\n",
                "--- a/q/a.py\n+++ b/q/a.py\n@@ -1,1 +1,1 @@\n-1\n\\ No newline at end of "
                "file\n+2\n");
}

static void a_name_cannot_forge_a_patch(void **state)
{
    (void)state;
    file.path = (char *)"/p/a\n+++ b/evil\".py";
    check_patch("1\n", 1, 1, "2\n",
                "--- \"a/a\\012+++ b/evil\\\".py\"\n+++ \"b/a\\012+++ b/evil\\\".py\"\n@@ -1,1 "
                "+1,1 @@\n-1\n+2\n");
    file.path = (char *)"/p/q/a.py";
}

static const char twenty[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n"
                             "18\n19\n20\n";

// Two changes of one text, given in this order.
static void check_two(struct region regions[2], const char *const codes[2], const char *expected)
{
    struct diff diffs[2];
    struct text patch = {0};
    for (int i = 0; i < 2; i++) {
        diff_make(&diffs[i], &regions[i], codes[i], strlen(codes[i]));
    }
    patch_add(&patch, diffs, 2, "/p");
    assert_string_equal(patch.data, expected);
    text_clear(&patch);
    for (int i = 0; i < 2; i++) {
        diff_clear(&diffs[i]);
        source_clear(&regions[i].source);
    }
}

static void changes_of_one_file_stand_in_its_order(void **state)
{
    (void)state;
    struct region regions[2] = {region_of(twenty, 15, 15), region_of(twenty, 5, 5)};
    check_two(regions, (const char *const[]){"fifteen\n", "five\nmore\n"},
              "--- a/q/a.py\n+++ b/q/a.py\n"
              "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+more\n 6\n 7\n 8\n"
              "@@ -12,7 +13,7 @@\n 12\n 13\n 14\n-15\n+fifteen\n 16\n 17\n 18\n");
}

static void neighbours_share_their_context(void **state)
{
    (void)state;
    struct region near[2] = {region_of(twenty, 5, 5), region_of(twenty, 12, 12)};
    check_two(near, (const char *const[]){"five\n", "twelve\n"},
              "--- a/q/a.py\n+++ b/q/a.py\n"
              "@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n+twelve\n "
              "13\n 14\n 15\n");
    struct region touching[2] = {region_of(twenty, 1, 2), region_of(twenty, 3, 3)};
    check_two(touching, (const char *const[]){"one\n", "three\nmore\n"},
              "--- a/q/a.py\n+++ b/q/a.py\n"
              "@@ -1,6 +1,6 @@\n-1\n-2\n+one\n-3\n+three\n+more\n 4\n 5\n 6\n");
}

static void each_file_has_a_head(void **state)
{
    (void)state;
    struct region regions[2] = {region_of("1\n", 1, 1), region_of("1\n", 1, 1)};
    regions[1].file = &other_file;
    check_two(regions, (const char *const[]){"2\n", "3\n"},
              "--- a/b.py\n+++ b/b.py\n@@ -1,1 +1,1 @@\n-1\n+3\n"
              "--- a/q/a.py\n+++ b/q/a.py\n@@ -1,1 +1,1 @@\n-1\n+2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_patch_has_context_and_only_what_changes),
        cmocka_unit_test(a_name_cannot_forge_a_patch),
        cmocka_unit_test(changes_of_one_file_stand_in_its_order),
        cmocka_unit_test(neighbours_share_their_context),
        cmocka_unit_test(each_file_has_a_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

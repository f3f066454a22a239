// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/mem.h"
#include "profile/finding.h"
#include "scenery.h"
#include "unit.h"

static const char source[] = "def work(rows):\n"          // 1
                             "    for row in rows:\n"     // 2
                             "        total += row * 2\n" // 3
                             "    return sorted(rows)\n"; // 4

static void leaks_and_who_holds_the_peak(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    struct profile_line *line = line_at(profile, 9);
    profile->has_memory = true;
    profile->footprint.max_mb = 100;
    line->memory = (struct profile_memory){
        .at_peak_mb = 60, .at_end_mb = 60, .peak_mb = 60, .live_error_mb = 40};
    assert_null(find(profile, "peak-holder"));
    line->memory.live_error_mb = 2;
    assert_says(find(profile, "peak-holder"), "prog.py:9 held 60M ± 2.0M (60%) of the 100M");
    assert_null(find(profile, "leak"));
    line->leak = (struct profile_leak){0.99, 4};
    const struct finding *finding = find(profile, "leak");
    // 26.7 of the 60 MB leaked in two thirds of the run: 2 MB * sqrt(26.7 / 60) / 6.67 s
    assert_says(finding, "prog.py:9 seems to leak: what it allocates is kept, 60M ± 2.0M at last, "
                         "growing by 4.0M ± 205K a second.");
    assert_true(fabs(finding->evidence[1].error - 0.2) < 1e-9);
    assert_string_equal(profile->findings.items[0].id, "leak");
    profile_free(profile);
}

static void add_way(struct profile *profile, int caller, const char *module, double allocated_mb)
{
    profile->memory_stacks =
        mem_grow(profile->memory_stacks, profile->memory_stack_count,
                 &profile->memory_stack_capacity, sizeof *profile->memory_stacks);
    struct profile_memory_stack *way = &profile->memory_stacks[profile->memory_stack_count++];
    *way = (struct profile_memory_stack){.frames = mem_alloc(4 * sizeof(uint32_t)),
                                         .allocated_mb = allocated_mb};
    way->frames[way->frame_count++] = add_frame(profile, 10, NULL);
    way->frames[way->frame_count++] = add_frame(profile, caller, NULL);
    way->frames[way->frame_count++] = add_frame(profile, 9, NULL);
    way->frames[way->frame_count++] = add_frame(profile, 0, module);
}

static void a_leak_is_told_with_its_callers(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    profile->has_memory = true;
    line_at(profile, 9)->leak = (struct profile_leak){0.99, 4};
    add_way(profile, 4, "libc.so.6", 40);
    add_way(profile, 5, "libc.so.6", 30);
    add_way(profile, 5, "libm.so.6", 30);
    const struct finding *finding = find(profile, "leak");
    assert_says(finding, "growing by 4.0M a second. It is called from prog.py:5, from prog.py:10.");
    assert_int_equal(finding->place_count, 3);
    assert_int_equal(finding->places[1].line, 5);
    add_way(profile, 3, "libc.so.6", 30); // none stands for half of it now
    assert_int_equal(find(profile, "leak")->place_count, 1);
    profile_free(profile);
}

static void of_many_leaks_the_fastest_are_told(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    profile->has_memory = true;
    for (int number = 1; number <= 5; number++) {
        line_at(profile, number)->leak = (struct profile_leak){0.99, number == 1 ? 9 : number};
    }
    finding_search(profile);
    assert_int_equal(profile->findings.count, 3);
    for (size_t i = 0; i < 3; i++) {
        int line = profile->findings.items[i].places[0].line;
        assert_true(line == 1 || line == 4 || line == 5);
    }
    profile_free(profile);
}

static void churn_is_about_large_blocks_that_are_not_kept(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    struct profile_memory *memory = &line_at(profile, 5)->memory;
    profile->has_memory = true;
    *memory = (struct profile_memory){.allocated_mb = 8000, .peak_mb = 4, .alloc_count = 4e8};
    assert_null(find(profile, "churn"));
    memory->alloc_count = 2000;
    assert_says(find(profile, "churn"),
                "prog.py:5 allocated 7.81G, 800M a second, but never held more "
                "than 4.0M");
    memory->copied_mb = 4096;
    assert_says(find(profile, "copies"), "prog.py:5 copied 4.00G, 410M a second");
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaks_and_who_holds_the_peak),
        cmocka_unit_test(a_leak_is_told_with_its_callers),
        cmocka_unit_test(of_many_leaks_the_fastest_are_told),
        cmocka_unit_test(churn_is_about_large_blocks_that_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

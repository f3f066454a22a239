// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "base/mem.h"
#include "collect/async_stacks.h"
#include "collect/async_tasks.h"
#include "collect/async_watch.h"
#include "collect/thread_table.h"
#include "unit.h"

static void who_still_waits_has_waited_until_now(void **state)
{
    (void)state;
    struct async_clock clock = {.tick = 1000, .seconds_per_tick = 0.001};
    struct await_sum sum = {.waited = 500, .occupied = 200, .last = 900, .now = 3, .peak = 4};
    struct async_amount amount = async_watch_amount(&sum, &clock);
    assert_true(amount.waited_s > 0.7999 && amount.waited_s < 0.8001);
    assert_true(amount.occupied_s > 0.2999 && amount.occupied_s < 0.3001);
    assert_true(amount.peak == 4);
}

static void who_waits_no_more_waits_no_longer(void **state)
{
    (void)state;
    struct async_clock clock = {.tick = 1000, .seconds_per_tick = 0.001};
    struct await_sum sum = {.waited = 500, .occupied = 200, .last = 900, .now = 0, .peak = 4};
    struct async_amount amount = async_watch_amount(&sum, &clock);
    assert_true(amount.waited_s > 0.4999 && amount.waited_s < 0.5001);
}

// The table is the program's to write: a change after our own clock's reading takes nothing away.
static void a_change_in_the_future_is_no_negative_time(void **state)
{
    (void)state;
    struct async_clock clock = {.tick = 1000, .seconds_per_tick = 0.001};
    struct await_sum sum = {.waited = 500, .last = 5000, .now = 3};
    assert_true(async_watch_amount(&sum, &clock).waited_s > 0.4999);
}

static void the_heaviest_tasks_are_listed_first_and_the_rest_counted(void **state)
{
    (void)state;
    struct async_tasks tasks = {0};
    for (unsigned i = 0; i < 10 * PROFILE_TASKS_MAX; i++) {
        struct profile_task task = {.name = mem_copy_text("x"), .await_s = i % 4001};
        async_tasks_add(&tasks, &task);
    }
    struct profile *profile = profile_new();
    async_tasks_fill(&tasks, profile);
    assert_int_equal(profile->task_count, PROFILE_TASKS_MAX);
    assert_int_equal(profile->tasks_unlisted, 9 * PROFILE_TASKS_MAX);
    assert_true(profile->tasks[0].await_s == 4000);
    assert_true(profile->tasks[0].await_s >= profile->tasks[PROFILE_TASKS_MAX - 1].await_s);
    profile_free(profile);
    async_tasks_clear(&tasks);
}

static void a_task_that_held_its_loop_is_kept_before_those_that_waited(void **state)
{
    (void)state;
    struct async_tasks tasks = {0};
    for (unsigned i = 0; i <= PROFILE_TASKS_MAX; i++) {
        bool is_holder = i == 7;
        struct profile_task task = {.name = mem_copy_text("x"),
                                    .await_s = is_holder ? 0 : 1,
                                    .longest_s = is_holder ? 0.07 : 0};
        async_tasks_add(&tasks, &task);
    }
    struct profile *profile = profile_new();
    async_tasks_fill(&tasks, profile);
    assert_int_equal(profile->task_count, PROFILE_TASKS_MAX);
    assert_true(profile->tasks[PROFILE_TASKS_MAX - 1].longest_s > 0);
    profile_free(profile);
    async_tasks_clear(&tasks);
}

static void a_waiting_task_is_a_stack_with_its_part_of_the_idle_time(void **state)
{
    (void)state;
    struct async_frame frames[] = {{1, (char *)"/lib/tasks.py", (char *)"sleep", 5},
                                   {2, (char *)"/a.py", (char *)"main", 9}};
    struct async_chain chain = {.frames = frames, .frame_count = 2, .name = (char *)"Task-1"};
    struct async_stacks stacks = {0};
    struct async_stacks none = {0};
    struct profile *profile = profile_new();
    profile->totals.idle_s = 2;
    async_stacks_add(&stacks, &chain, 30);
    async_stacks_add(&stacks, &chain, 10);
    async_stacks_fill(&stacks, &none, profile, 0.01);
    assert_int_equal(profile->combined_count, 1);
    assert_int_equal(profile->combined[0].hits, 200);
    assert_int_equal(profile->combined[0].frame_count, 2);
    assert_string_equal(profile->frames[profile->combined[0].frames[0]].name, "main");
    assert_string_equal(profile->frames[profile->combined[0].frames[1]].name,
                        "[await] sleep (Task-1)");
    profile_free(profile);
    async_stacks_clear(&stacks);
}

static void the_hits_of_a_waiting_task_are_spread_over_time_as_its_waiting_was(void **state)
{
    (void)state;
    struct async_frame frames[] = {{1, (char *)"/a.py", (char *)"main", 9}};
    struct async_chain chain = {.frames = frames, .frame_count = 1};
    struct async_stacks stacks = {0};
    struct async_stacks none = {0};
    struct profile *profile = profile_new();
    profile->totals.idle_s = 2;
    profile->timeline_start_s = 1;
    uint32_t number = async_stacks_add(&stacks, &chain, 40);
    async_stacks_add_moment(&stacks, &(struct async_moment){3, 30, number - 1});
    async_stacks_add_moment(&stacks, &(struct async_moment){2, 10, number - 1});
    async_stacks_fill(&stacks, &none, profile, 0.01);
    assert_int_equal(profile->timeline_count, 2);
    assert_true(profile->timeline[0].t_s == 1 && profile->timeline[0].count == 50);
    assert_true(profile->timeline[1].t_s == 2 && profile->timeline[1].count == 150);
    profile_free(profile);
    async_stacks_clear(&stacks);
}

static void spans_of_waiting_grow_longer_when_they_are_too_many(void **state)
{
    (void)state;
    struct await_spans spans = {0};
    double waited_s = 0;
    for (unsigned i = 1; i <= 100000; i++) {
        if (await_spans_is_due(&spans, 0.11 * i)) {
            waited_s = 0.5 * i;
            await_spans_add(&spans, 3, waited_s);
            await_spans_end_look(&spans, 0.11 * i);
        }
    }
    double sum_s = 0;
    for (size_t i = 0; i < spans.count; i++) {
        sum_s += spans.list[i].waited_s;
        assert_true(i == 0 || spans.list[i].step >= spans.list[i - 1].step);
    }
    assert_true(spans.count <= 16384 && spans.count > 4096);
    assert_true(sum_s > waited_s - 1e-6 && sum_s < waited_s + 1e-6);
    assert_true(await_spans_step_s(&spans) > 0.79 && await_spans_step_s(&spans) < 0.81);
    assert_false(await_spans_is_due(&spans, spans.last_s + 0.5));
    assert_true(await_spans_is_due(&spans, spans.last_s + 1));
    await_spans_clear(&spans);
}

static void samples_in_a_row_on_one_line_are_one_run(void **state)
{
    (void)state;
    struct thread thread = {0};
    thread_note_recent(&thread, 5, 1.00, 1.01);
    thread_note_recent(&thread, 5, 1.01, 1.02);
    thread_note_recent(&thread, 6, 1.02, 1.03);
    thread_note_recent(&thread, 6, 9.00, 9.01);
    assert_int_equal(thread.recent_at, 3);
    assert_true(thread.recent[1].begin_s == 1.00 && thread.recent[1].end_s == 1.02);
    assert_int_equal(thread.recent[2].spot, 6);
    assert_true(thread.recent[3].begin_s == 9.00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_still_waits_has_waited_until_now),
        cmocka_unit_test(who_waits_no_more_waits_no_longer),
        cmocka_unit_test(a_change_in_the_future_is_no_negative_time),
        cmocka_unit_test(the_heaviest_tasks_are_listed_first_and_the_rest_counted),
        cmocka_unit_test(a_task_that_held_its_loop_is_kept_before_those_that_waited),
        cmocka_unit_test(a_waiting_task_is_a_stack_with_its_part_of_the_idle_time),
        cmocka_unit_test(the_hits_of_a_waiting_task_are_spread_over_time_as_its_waiting_was),
        cmocka_unit_test(spans_of_waiting_grow_longer_when_they_are_too_many),
        cmocka_unit_test(samples_in_a_row_on_one_line_are_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/mem.h"
#include "profile/finding.h"
#include "profile/finding_list.h"
#include "profile/profile.h"
#include "scenery.h"
#include "unit.h"

static const char source[] = "import heavy\n"             // 1
                             "def work(rows):\n"          // 2
                             "    for row in rows:\n"     // 3
                             "        total += row * 2\n" // 4
                             "    return sorted(rows)\n"  // 5
                             "with lock:\n"               // 6
                             "    update()\n"             // 7
                             "thread.join()\n"            // 8
                             "kept.append(b'x')\n"        // 9
                             "asyncio.run(main())\n";     // 10

static struct profile *quiet_profile(void)
{
    return scenery_new(source);
}

static void nothing_significant_brings_no_finding(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    for (int number = 2; number <= 5; number++) {
        line_at(profile, number)->times.python_s = 0.4;
    }
    profile->totals.wait_s[PROFILE_WAIT_gil] = 0.9;
    finding_search(profile);
    assert_int_equal(profile->findings.count, 0);
    assert_int_equal(profile->findings.left_out, 0);
    profile_free(profile);
}

static void a_hot_line_is_named_when_its_lower_bound_is_high_enough(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    struct profile_line *line = line_at(profile, 5);
    line->times.native_s = 1.2;
    line->times.variance_s2 = 0.0225; // half-width 0.29 s: 9 % or more
    assert_null(find(profile, "hot-line"));
    line->times.variance_s2 = 0.0025; // half-width 0.1 s: 11 % or more
    const struct finding *finding = find(profile, "hot-line");
    assert_says(finding, "prog.py:5 took 12% ± 1");
    assert_says(finding, "100% native");
    assert_string_equal(finding->places[0].file, "/x/prog.py");
    assert_int_equal(finding->places[0].line, 5);
    assert_string_equal(finding->places[0].function, "work");
    profile_free(profile);
}

static void a_loop_in_the_interpreter_is_told_after_its_hot_line(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    line_at(profile, 3)->times.python_s = 2;
    line_at(profile, 4)->times.python_s = 5;
    assert_says(find(profile, "interpreter-loop"),
                "prog.py:3-4 kept the interpreter busy for 7.00s");
    assert_string_equal(profile->findings.items[0].id, "hot-line");
    line_at(profile, 4)->times.native_s = 5;
    assert_null(find(profile, "interpreter-loop"));
    profile_free(profile);
}

static void a_function_is_named_when_no_line_of_it_says_it_all(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    struct profile_function *function = profile_function(&profile->files[0], "work", 2);
    function->times.python_s = 4;
    line_at(profile, 3)->times.python_s = 2;
    line_at(profile, 4)->times.python_s = 2;
    assert_says(find(profile, "hot-function"), "work, at prog.py:2, took 40%");
    line_at(profile, 4)->times.python_s = 3;
    function->times.python_s = 4.2;
    assert_null(find(profile, "hot-function"));
    profile_free(profile);
}

static void a_native_function_is_told_with_the_line_that_calls_it(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    line_at(profile, 5)->times.native_s = 0.4;
    struct profile_stack *stack = add_samples(profile, 1, 5, "/usr/lib/libz.so.1");
    stack->native_s = 1.1; // 11 % ± 2
    assert_null(find(profile, "native-hot-spot"));
    stack->native_s = 4;
    const struct finding *finding = find(profile, "native-hot-spot");
    assert_says(finding, "The native function crunch (libz.so.1) took 40% ± 4 of the CPU time, "
                         "most of it called from prog.py:5.");
    assert_int_equal(finding->places[0].line, 5);
    assert_true(finding->evidence[0].value == 4 && finding->evidence[0].error > 0);
    profile_free(profile);
}

static void time_in_the_kernel_is_told_with_its_line(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    line_at(profile, 7)->times.system_s = 0.4;
    profile->totals = (struct profile_times){.python_s = 8.9, .system_s = 1.1}; // 11 % ± 2
    assert_null(find(profile, "system-time"));
    profile->totals = (struct profile_times){.python_s = 6, .system_s = 4};
    const struct finding *finding = find(profile, "system-time");
    assert_says(finding, "The kernel took 40% ± 3 of the CPU time on the program's behalf, most of "
                         "it at prog.py:7.");
    assert_int_equal(finding->places[0].line, 7);
    profile_free(profile);
}

static void add_worker(struct profile *profile, double cpu_s)
{
    profile->processes = mem_grow(profile->processes, profile->process_count,
                                  &profile->process_capacity, sizeof *profile->processes);
    profile->processes[profile->process_count] =
        (struct profile_process){.pid = 100 + (int)profile->process_count,
                                 .parent_pid = profile->process_count > 0 ? 100 : 1,
                                 .python_version = mem_copy_text("3.12.1"),
                                 .cpu_s = cpu_s};
    profile->process_count++;
}

static void workers_that_share_work_unevenly_are_told(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    add_worker(profile, 9); // their parent
    add_worker(profile, 1);
    add_worker(profile, 4);
    assert_null(find(profile, "uneven-workers")); // two are too few
    add_worker(profile, 1);
    const struct finding *finding = find(profile, "uneven-workers");
    assert_says(finding, "Of 3 worker processes, 102 used 4.00s of CPU time, 2.0 times the mean");
    assert_true(finding->evidence[1].value == 2);
    add_worker(profile, 4);
    assert_says(find(profile, "uneven-workers"), "Of 4 worker processes, 102 used 4.00s");
    add_worker(profile, 4); // 4 of 2.8 on the average
    assert_null(find(profile, "uneven-workers"));
    profile_free(profile);
}

static void imports_that_cost_time_are_told(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    line_at(profile, 1)->times.native_s = 1.5;
    assert_says(find(profile, "imports"),
                "Imports took 1.50s, 15% of the time; the one at prog.py:1");
    profile_free(profile);
}

static void the_gpu_and_the_program_wait_for_each_other(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    struct profile_gpu_device *device = profile_gpus_add(&profile->gpus, "NVIDIA", "A100", "");
    *device = (struct profile_gpu_device){.vendor = device->vendor,
                                          .name = device->name,
                                          .id = device->id,
                                          .scope = "device",
                                          .memory_scope = "none",
                                          .seen_s = 9,
                                          .busy_s = 6,
                                          .reading_count = 90};
    profile->totals.wait_s[PROFILE_WAIT_gpu] = 0.9;
    line_at(profile, 5)->times.wait_s[PROFILE_WAIT_gpu] = 0.9;
    line_at(profile, 4)->gpu = (struct profile_gpu){.seen_s = 8, .busy_s = 1};
    assert_null(find(profile, "gpu-wait"));
    assert_null(find(profile, "gpu-starved"));
    profile->totals.wait_s[PROFILE_WAIT_gpu] = 1.2;
    device->busy_s = 1;
    assert_says(find(profile, "gpu-wait"),
                "Threads waited 1.20s for the GPU, most of it at prog.py:5.");
    const struct finding *starved = find(profile, "gpu-starved");
    assert_says(starved, "The GPU A100 was busy for only 11% of the time that it was in use, with "
                         "the work of all processes; meanwhile most time went by at prog.py:4.");
    assert_true(starved->evidence[2].value == 7);
    device->scope = "none"; // not measurable is not idle
    assert_null(find(profile, "gpu-starved"));
    profile_free(profile);
}

static void add_task(struct profile *profile, double await_s, uint64_t step_count)
{
    profile->tasks = mem_grow(profile->tasks, profile->task_count, &profile->task_capacity,
                              sizeof *profile->tasks);
    profile->tasks[profile->task_count++] =
        (struct profile_task){.await_s = await_s, .step_count = step_count};
}

static void a_step_that_does_not_give_way_keeps_the_loop_from_others(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    struct profile_async *async = &line_at(profile, 5)->async;
    *async = (struct profile_async){.block_count = 3, .block_s = 0.41, .block_longest_s = 0.25};
    add_task(profile, 1, 9);
    assert_null(find(profile, "loop-blocked")); // it is alone
    add_task(profile, 2, 9);
    const struct finding *finding = find(profile, "loop-blocked");
    assert_says(finding, "prog.py:5 kept the event loop from everything else 3 times, for 0.25s at "
                         "the longest, 0.41s in all.");
    assert_int_equal(finding->places[0].line, 5);
    async->block_longest_s = 0.09;
    assert_null(find(profile, "loop-blocked"));
    profile_free(profile);
}

static void awaits_one_after_another_are_told_from_awaits_at_once(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    line_at(profile, 4)->async.await_s = 6;
    line_at(profile, 5)->async.await_s = 2;
    profile->await_s = 8;
    add_task(profile, 8, 2); // one await
    assert_null(find(profile, "serial-awaits"));
    add_task(profile, 8, 40);
    assert_says(find(profile, "serial-awaits"),
                "Tasks waited one after another for 80% of the run (8.00s), most of it at "
                "prog.py:4.");
    profile->await_s = 12.1;
    assert_null(find(profile, "serial-awaits"));
    profile->await_s = 8;
    profile->elapsed_s = 17;
    assert_null(find(profile, "serial-awaits"));
    profile_free(profile);
}

static void an_idle_loop_is_its_tasks_waiting_and_not_the_threads(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    profile->main_thread_id = 7;
    add_thread(profile, 7)->times.wait_s[PROFILE_WAIT_network] = 6;
    line_at(profile, 10)->times.wait_s[PROFILE_WAIT_network] = 6;
    assert_null(find(profile, "loop-idle")); // nobody awaits
    line_at(profile, 4)->async.await_s = 30;
    profile->await_s = 40;
    add_task(profile, 8, 40);
    const struct finding *finding = find(profile, "loop-idle");
    assert_says(finding, "For 60% of the run (6.00s) the event loop had nothing to do: its tasks "
                         "waited, most of all at prog.py:4.");
    assert_int_equal(finding->places[0].line, 4);
    assert_null(find(profile, "io-wait"));
    profile->await_s = 9; // one after another
    assert_null(find(profile, "loop-idle"));
    profile_free(profile);
}

static void the_profile_tells_how_far_to_trust_it(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    profile->quality.cpu_samples = 100;
    assert_says(find(profile, "few-samples"),
                "only 100 samples of CPU time: a share may be off by up to "
                "10 points");
    profile->quality.cpu_samples = 1000;
    profile->quality.cpu_samples_lost = 50;
    assert_says(find(profile, "samples-lost"), "5% of the samples");
    profile->quality.cpu_unattributed_s = 4;
    assert_says(find(profile, "outside-files"), "40% of the CPU time (4.00s) was spent outside");
    profile_free(profile);
}

static void no_more_than_eight_are_kept_and_the_rest_is_counted(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    profile->has_memory = true;
    profile->footprint.max_mb = 100;
    profile->quality.cpu_samples = 100;
    profile->quality.cpu_unattributed_s = 4;
    profile->totals.system_s = 5;
    profile->totals.python_s = 5;
    profile->totals.wait_s[PROFILE_WAIT_gil] = 20;
    for (int number = 3; number <= 7; number++) {
        struct profile_line *line = line_at(profile, number);
        line->times.python_s = 1.5 + number / 100.0;
        line->leak = (struct profile_leak){0.9, number};
        line->memory.at_peak_mb = 30;
    }
    line_at(profile, 6)->times.wait_s[PROFILE_WAIT_lock] = 4;
    finding_search(profile);
    assert_int_equal(profile->findings.count, FINDING_MAX);
    assert_true(profile->findings.left_out > 0);
    for (size_t i = 1; i < profile->findings.count; i++) {
        assert_true(profile->findings.items[i - 1].weight >= profile->findings.items[i].weight);
    }
    profile_free(profile);
}

static void findings_survive_json_word_for_word(void **state)
{
    (void)state;
    struct profile *profile = quiet_profile();
    line_at(profile, 5)->times.native_s = 5;
    finding_search(profile);
    struct writer writer;
    writer_init(&writer, -1);
    writer_begin_object(&writer);
    writer_key(&writer, "findings");
    finding_list_write(&writer, &profile->findings);
    writer_key(&writer, "findings_left_out");
    writer_integer(&writer, 3);
    writer_end_object(&writer);
    json_t *root = json_loads(writer.text.data, 0, NULL);
    struct finding_list loaded = {0};
    finding_list_load(root, &loaded);
    assert_int_equal(loaded.count, profile->findings.count);
    assert_int_equal(loaded.left_out, 3);
    for (size_t i = 0; i < loaded.count; i++) {
        assert_string_equal(loaded.items[i].sentence, profile->findings.items[i].sentence);
        assert_int_equal(loaded.items[i].severity, profile->findings.items[i].severity);
        assert_int_equal(loaded.items[i].place_count, profile->findings.items[i].place_count);
    }
    json_decref(root);
    writer_clear(&writer);
    finding_list_clear(&loaded);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_significant_brings_no_finding),
        cmocka_unit_test(a_hot_line_is_named_when_its_lower_bound_is_high_enough),
        cmocka_unit_test(a_loop_in_the_interpreter_is_told_after_its_hot_line),
        cmocka_unit_test(a_function_is_named_when_no_line_of_it_says_it_all),
        cmocka_unit_test(a_native_function_is_told_with_the_line_that_calls_it),
        cmocka_unit_test(time_in_the_kernel_is_told_with_its_line),
        cmocka_unit_test(workers_that_share_work_unevenly_are_told),
        cmocka_unit_test(imports_that_cost_time_are_told),
        cmocka_unit_test(the_gpu_and_the_program_wait_for_each_other),
        cmocka_unit_test(a_step_that_does_not_give_way_keeps_the_loop_from_others),
        cmocka_unit_test(awaits_one_after_another_are_told_from_awaits_at_once),
        cmocka_unit_test(an_idle_loop_is_its_tasks_waiting_and_not_the_threads),
        cmocka_unit_test(the_profile_tells_how_far_to_trust_it),
        cmocka_unit_test(no_more_than_eight_are_kept_and_the_rest_is_counted),
        cmocka_unit_test(findings_survive_json_word_for_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

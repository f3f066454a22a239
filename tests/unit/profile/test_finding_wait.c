// SPDX-License-Identifier: Apache-2.0
#include "profile/finding.h"
#include "scenery.h"
#include "unit.h"

static const char source[] = "def work(rows):\n"          // 1
                             "    for row in rows:\n"     // 2
                             "        total += row * 2\n" // 3
                             "    return sorted(rows)\n"  // 4
                             "time.sleep(0.1)\n";         // 5

// Threads wait for the GIL at line 3, and thread 1 has been seen there.
static struct profile *contended_profile(void)
{
    struct profile *profile = scenery_new(source);
    profile->totals.wait_s[PROFILE_WAIT_gil] = 5.8;
    line_at(profile, 3)->times.wait_s[PROFILE_WAIT_gil] = 5;
    line_at(profile, 3)->times.python_s = 9;
    line_at(profile, 4)->times.native_s = 1;
    line_at(profile, 2)->times.python_s = 1;
    add_thread(profile, 1)->times.wait_s[PROFILE_WAIT_gil] = 5;
    add_thread(profile, 2);
    add_samples(profile, 1, 3, NULL)->python_s = 9;
    return profile;
}

static void the_gil_is_held_by_other_threads_than_the_waiter(void **state)
{
    (void)state;
    struct profile *profile = contended_profile();
    assert_says(find(profile, "gil-contention"),
                "Threads waited 5.80s for the GIL, most of it at prog.py:3.");
    add_samples(profile, 2, 2, NULL);
    const struct finding *finding = find(profile, "gil-contention");
    assert_says(finding, "for the GIL, most of it at prog.py:3; other threads held it most at "
                         "prog.py:2.");
    assert_int_equal(finding->place_count, 2);
    assert_true(finding->evidence[0].error < 0);
    add_samples(profile, 2, 3, NULL)->python_s = 2;
    assert_says(find(profile, "gil-contention"),
                "most of it at prog.py:3, where other threads held it most, too.");
    profile_free(profile);
}

static void native_code_of_the_interpreter_holds_the_gil(void **state)
{
    (void)state;
    struct profile *profile = contended_profile();
    add_samples(profile, 2, 2, NULL);
    add_samples(profile, 2, 4, "/usr/lib/libz.so.1")->native_s = 8; // may have released it
    assert_says(find(profile, "gil-contention"), "held it most at prog.py:2.");
    add_samples(profile, 2, 4, "/usr/lib/libpython3.11.so.1.0")->native_s = 2;
    assert_says(find(profile, "gil-contention"), "held it most at prog.py:4.");
    profile_free(profile);
}

static void another_process_has_a_gil_of_its_own(void **state)
{
    (void)state;
    struct profile *profile = contended_profile();
    add_thread(profile, 3)->pid = 2;
    add_samples(profile, 3, 2, NULL);
    assert_says(find(profile, "gil-contention"), "most of it at prog.py:3.");
    profile_free(profile);
}

static void few_samples_name_no_holder(void **state)
{
    (void)state;
    struct profile *profile = contended_profile();
    add_samples(profile, 2, 2, NULL);
    profile->timeline[profile->timeline_count - 1].count = 4;
    assert_says(find(profile, "gil-contention"), "most of it at prog.py:3.");
    profile_free(profile);
}

static void waiting_of_the_main_thread_is_told_by_kind(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    profile->main_thread_id = 7;
    struct profile_thread *thread = add_thread(profile, 7);
    thread->times.wait_s[PROFILE_WAIT_network] = 6;
    line_at(profile, 4)->times.wait_s[PROFILE_WAIT_network] = 6;
    assert_says(find(profile, "io-wait"),
                "spent 60% of its time (6.00s) waiting for the network, most of it at prog.py:4.");
    thread->times.wait_s[PROFILE_WAIT_network] = 2;
    assert_null(find(profile, "io-wait"));
    profile_free(profile);
}

static void waits_of_workers_are_not_the_main_threads(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    profile->main_thread_id = 7;
    add_thread(profile, 7)->times.wait_s[PROFILE_WAIT_sleep] = 6;
    add_thread(profile, 8)->times.wait_s[PROFILE_WAIT_sleep] = 50;
    line_at(profile, 3)->times.wait_s[PROFILE_WAIT_sleep] = 50;
    line_at(profile, 5)->times.wait_s[PROFILE_WAIT_sleep] = 6;
    line_at(profile, 5)->times.idle_s = 4;
    const struct finding *finding = find(profile, "io-wait");
    assert_says(finding, "(6.00s) asleep, most of it at prog.py:5.");
    assert_int_equal(finding->place_count, 1);
    line_at(profile, 5)->times.idle_s = 2; // others ran, so that nothing tells whose line it is
    assert_says(find(profile, "io-wait"), "(6.00s) asleep; of all threads, most at prog.py:3.");
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gil_is_held_by_other_threads_than_the_waiter),
        cmocka_unit_test(native_code_of_the_interpreter_holds_the_gil),
        cmocka_unit_test(another_process_has_a_gil_of_its_own),
        cmocka_unit_test(few_samples_name_no_holder),
        cmocka_unit_test(waiting_of_the_main_thread_is_told_by_kind),
        cmocka_unit_test(waits_of_workers_are_not_the_main_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

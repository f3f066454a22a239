// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/mem.h"
#include "profile/finding.h"
#include "scenery.h"
#include "unit.h"

static const char source[] = "def slow():\n"                  // 1
                             "    with lock:\n"               // 2
                             "        time.sleep(1)\n"        // 3
                             "def fast():\n"                  // 4
                             "    with lock:\n"               // 5
                             "        time.sleep(0)\n"        // 6
                             "def other():\n"                 // 7
                             "    with table: d.get(1)\n"     // 8
                             "    gate.acquire()\n"           // 9
                             "    compute()\n"                // 10
                             "    gate.release()\n"           // 11
                             "    with ready: ready.wait()\n" // 12
                             "thread.join()\n"                // 13
                             "with Pool() as pool:\n"         // 14
                             "    pool.apply(f)\n"            // 15
                             "    counter.increment()\n";     // 16

static void wait_for_lock(struct profile *profile, int line, double waited_s)
{
    line_at(profile, line)->times.wait_s[PROFILE_WAIT_lock] = waited_s;
}

static size_t lock_findings(struct profile *profile)
{
    size_t count = 0;
    finding_search(profile);
    for (size_t i = 0; i < profile->findings.count; i++) {
        count += strcmp(profile->findings.items[i].id, "lock-wait") == 0;
    }
    return count;
}

static void a_lock_is_held_where_it_is_taken_elsewhere(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    wait_for_lock(profile, 5, 3);
    line_at(profile, 3)->times.wait_s[PROFILE_WAIT_sleep] = 3;
    line_at(profile, 6)->times.wait_s[PROFILE_WAIT_sleep] = 0.1;
    const struct finding *finding = find(profile, "lock-wait");
    assert_says(
        finding,
        "Threads waited 3.00s for the lock at prog.py:5, which is held longest by prog.py:3.");
    assert_int_equal(finding->places[0].line, 5);
    assert_int_equal(finding->places[1].line, 3);
    assert_string_equal(finding->places[1].function, "slow");
    profile_free(profile);
}

static void what_does_not_explain_the_waiting_is_no_holder(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    wait_for_lock(profile, 5, 3);
    line_at(profile, 6)->times.wait_s[PROFILE_WAIT_sleep] = 0.1;
    const struct finding *finding = find(profile, "lock-wait");
    assert_says(finding, "for the lock at prog.py:5; who holds it is not known.");
    assert_int_equal(finding->place_count, 1);
    profile_free(profile);
}

static void what_is_called_meanwhile_holds_the_lock_too(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    wait_for_lock(profile, 9, 2);
    struct profile_stack stack = *add_samples(profile, 1, 10, NULL);
    stack.frames = memcpy(mem_alloc(sizeof(uint32_t)), stack.frames, sizeof(uint32_t));
    stack.python_s = 2;
    profile->stacks = mem_alloc(sizeof stack);
    profile->stacks[profile->stack_count++] = stack;
    assert_says(find(profile, "lock-wait"), "at prog.py:9, which is held longest by prog.py:10.");
    profile_free(profile);
}

static void a_body_beside_its_lock_does_not_hide_it(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    wait_for_lock(profile, 8, 3);
    line_at(profile, 8)->times.python_s = 2;
    assert_says(find(profile, "lock-wait"),
                "at prog.py:8, which is held longest by the same line.");
    profile_free(profile);
}

static void waiting_for_work_or_for_an_end_is_no_contention(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    wait_for_lock(profile, 12, 9);
    wait_for_lock(profile, 13, 9);
    wait_for_lock(profile, 14, 9);
    assert_null(find(profile, "lock-wait"));
    wait_for_lock(profile, 16, 0.4); // too little
    assert_null(find(profile, "lock-wait"));
    wait_for_lock(profile, 16, 0.6);
    assert_says(find(profile, "lock-wait"), "at prog.py:16; who holds it is not known.");
    profile_free(profile);
}

static void each_lock_is_told_once_and_three_at_most(void **state)
{
    (void)state;
    struct profile *profile = scenery_new(source);
    wait_for_lock(profile, 2, 1);
    wait_for_lock(profile, 5, 2);
    assert_int_equal(lock_findings(profile), 1);
    wait_for_lock(profile, 8, 3);
    wait_for_lock(profile, 9, 4);
    wait_for_lock(profile, 16, 5);
    assert_int_equal(lock_findings(profile), 3);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_held_where_it_is_taken_elsewhere),
        cmocka_unit_test(what_does_not_explain_the_waiting_is_no_holder),
        cmocka_unit_test(what_is_called_meanwhile_holds_the_lock_too),
        cmocka_unit_test(a_body_beside_its_lock_does_not_hide_it),
        cmocka_unit_test(waiting_for_work_or_for_an_end_is_no_contention),
        cmocka_unit_test(each_lock_is_told_once_and_three_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

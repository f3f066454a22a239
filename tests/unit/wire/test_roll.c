// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <string.h>

#include "unit.h"
#include "wire/roll.h"

static struct roll roll;

static struct roll_entry entry_of(int32_t pid, enum roll_state state)
{
    return (struct roll_entry){.pid = pid, .parent_pid = 1, .state = state, .time_ns = 7};
}

static void enter(int32_t pid, enum roll_state state, const char *path)
{
    struct roll_entry entry = entry_of(pid, state);
    roll_enter(&roll, &entry, path);
}

// How many are there; `found` is the last of that number.
static unsigned count(int32_t pid, struct roll_entry *found)
{
    unsigned number = 0;
    for (unsigned i = 0; i < ROLL_COUNT; i++) {
        struct roll_entry entry;
        if (roll_read(&roll, i, &entry) && (pid == 0 || entry.pid == pid)) {
            *found = entry;
            number++;
        }
    }
    return number;
}

static int empty_roll(void **state)
{
    (void)state;
    memset(&roll, 0, sizeof roll);
    return 0;
}

static void a_process_has_one_entry_whatever_it_becomes(void **state)
{
    (void)state;
    struct roll_entry found;
    enter(10, ROLL_FORKED, NULL);
    enter(11, ROLL_FORKED, NULL);
    enter(10, ROLL_STATIC, "/bin/static");
    assert_int_equal(count(10, &found), 1);
    assert_int_equal(found.state, ROLL_STATIC);
    assert_int_equal(found.parent_pid, 1);
    assert_int_equal(found.time_ns, 7);
    assert_memory_equal(found.path, "/bin/static", found.path_len);
    roll_leave(&roll, 10);
    roll_leave(&roll, 12);
    assert_int_equal(count(0, &found), 1);
    assert_int_equal(found.pid, 11);
}

static void a_process_is_told_which_program_it_is(void **state)
{
    (void)state;
    struct roll_entry entry = entry_of(10, ROLL_STARTED);
    entry.program_number = 7;
    roll_enter(&roll, &entry, "/usr/bin/python3");
    assert_int_equal(roll_program_number(&roll, 10), 7);
    assert_int_equal(roll_program_number(&roll, 11), 0);
    roll_leave(&roll, 10);
    assert_int_equal(roll_program_number(&roll, 10), 0);
}

static void of_a_long_path_the_end_is_kept(void **state)
{
    (void)state;
    char path[4096];
    struct roll_entry found;
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 8, "/python", 8);
    enter(10, ROLL_STATIC, path);
    assert_int_equal(count(10, &found), 1);
    assert_int_equal(found.path_len, ROLL_PATH_MAX);
    assert_memory_equal(found.path + ROLL_PATH_MAX - 7, "/python", 7);
}

static void who_finds_no_place_is_counted(void **state)
{
    (void)state;
    struct roll_entry found;
    for (int32_t pid = 1; pid <= (int32_t)ROLL_COUNT + 3; pid++) {
        enter(pid, ROLL_FORKED, NULL);
    }
    assert_int_equal(count(0, &found), ROLL_COUNT);
    assert_int_equal(atomic_load(&roll.left_out), 3);
}

static void an_entry_that_has_changed_is_not_taken_out(void **state)
{
    (void)state;
    struct roll_entry found;
    enter(10, ROLL_FORKED, NULL);
    assert_true(roll_read(&roll, 0, &found));
    enter(10, ROLL_STATIC, "x");
    assert_false(roll_take(&roll, 0, &found));
    assert_true(roll_read(&roll, 0, &found));
    assert_true(roll_take(&roll, 0, &found));
    assert_false(roll_take(&roll, 0, &found));
    assert_int_equal(count(0, &found), 0);
}

// The page is the program's to scribble on.
static void nonsense_is_not_read(void **state)
{
    (void)state;
    struct roll_entry found;
    enter(10, ROLL_FORKED, "x");
    roll.entries[0].path_len = ROLL_PATH_MAX + 1;
    assert_false(roll_read(&roll, 0, &found));
    roll.entries[0].path_len = 1;
    roll.entries[0].state = ROLL_STATE_COUNT;
    assert_false(roll_read(&roll, 0, &found));
    assert_string_equal(roll_sentence(ROLL_STATE_COUNT), "");
    roll.entries[0].state = ROLL_FORKED;
    roll.entries[0].pid = 11;
    assert_false(roll_read(&roll, 0, &found));
}

static void every_reason_has_its_sentence(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ROLL_STATE_COUNT; i++) {
        assert_int_equal(roll_sentence(i)[0] == '\0', roll_may_join((enum roll_state)i));
    }
}

static void a_fork_is_seen_until_it_is_over_or_too_old(void **state)
{
    (void)state;
    assert_false(roll_has_fork(&roll, 0));
    struct roll_fork first = roll_begin_fork(&roll, 100);
    struct roll_fork second = roll_begin_fork(&roll, 100);
    roll_end_fork(&roll, &first);
    roll_end_fork(&roll, &first); // by both sides
    assert_true(roll_has_fork(&roll, 100));
    assert_false(roll_has_fork(&roll, 101));
    assert_false(roll_has_fork(&roll, 0)); // given up
    struct roll_fork third = roll_begin_fork(&roll, 200);
    roll_end_fork(&roll, &second); // too late: the place is another's
    assert_true(roll_has_fork(&roll, 0));
    roll_end_fork(&roll, &third);
    assert_false(roll_has_fork(&roll, 0));
    assert_int_equal(atomic_load(&roll.fork_count), 3);
}

static void a_fork_without_a_place_is_counted(void **state)
{
    (void)state;
    struct roll_fork fork;
    for (unsigned i = 0; i <= ROLL_FORKS; i++) {
        fork = roll_begin_fork(&roll, 1);
    }
    assert_int_equal(fork.time_ns, 0);
    roll_end_fork(&roll, &fork);
    assert_int_equal(atomic_load(&roll.forks[0]), 1);
    assert_int_equal(atomic_load(&roll.left_out), 1);
}

#define TURNS 20000

static void *come_and_go(void *argument)
{
    int32_t pid = *(const int32_t *)argument;
    for (int i = 0; i < TURNS; i++) {
        enter(pid, ROLL_FORKED, NULL);
        enter(pid, ROLL_STARTED, "/bin/true");
        roll_leave(&roll, pid);
    }
    return NULL;
}

static void many_at_once_leave_nothing_behind(void **state)
{
    (void)state;
    static int32_t pids[] = {101, 102, 103, 104};
    pthread_t threads[4];
    struct roll_entry found;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &pids[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(count(0, &found), 0);
    assert_int_equal(atomic_load(&roll.left_out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_process_has_one_entry_whatever_it_becomes, empty_roll),
        cmocka_unit_test_setup(a_process_is_told_which_program_it_is, empty_roll),
        cmocka_unit_test_setup(of_a_long_path_the_end_is_kept, empty_roll),
        cmocka_unit_test_setup(who_finds_no_place_is_counted, empty_roll),
        cmocka_unit_test_setup(an_entry_that_has_changed_is_not_taken_out, empty_roll),
        cmocka_unit_test_setup(nonsense_is_not_read, empty_roll),
        cmocka_unit_test_setup(every_reason_has_its_sentence, empty_roll),
        cmocka_unit_test_setup(a_fork_is_seen_until_it_is_over_or_too_old, empty_roll),
        cmocka_unit_test_setup(a_fork_without_a_place_is_counted, empty_roll),
        cmocka_unit_test_setup(many_at_once_leave_nothing_behind, empty_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

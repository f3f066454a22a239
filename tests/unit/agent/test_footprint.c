// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <string.h>

#include "agent/footprint.h"
#include "agent/session.h"
#include "agent/vfork_child.h"
#include "unit.h"

// A session whose ring is the last few records.
struct session session;
_Thread_local bool vfork_child_runs;
static struct record_footprint records[256];
static unsigned record_count;
static bool is_full;

struct ring *session_ring(void)
{
    static struct ring ring;
    return &ring;
}

bool session_has_ring(void)
{
    return true;
}

void session_count(enum ring_counter counter, uint64_t amount)
{
    (void)counter;
    (void)amount;
}

void *ring_reserve(struct ring *ring, enum record_type type, size_t len)
{
    (void)ring;
    assert_int_equal(type, RECORD_FOOTPRINT);
    assert_int_equal(len, sizeof *records);
    assert_true(record_count < sizeof records / sizeof *records);
    return is_full ? NULL : &records[record_count];
}

void ring_commit(void *record)
{
    assert_ptr_equal(record, &records[record_count]);
    record_count++;
}

static int begin(void **state)
{
    (void)state;
    atomic_store(&session.is_active, true);
    session.has_memory = true;
    is_full = false;
    vfork_child_runs = false;
    footprint_forked();
    record_count = 0;
    return 0;
}

static const struct record_footprint *last(void)
{
    assert_true(record_count > 0);
    return &records[record_count - 1];
}

static void the_end_tells_the_sum_and_the_peak(void **state)
{
    (void)state;
    footprint_add(100000);
    footprint_add(-30000);
    footprint_add(7);
    footprint_report();
    assert_int_equal(last()->bytes, 70007);
    assert_int_equal(last()->peak_bytes, 100000);
}

static void small_changes_are_not_told_one_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        footprint_add(64);
        footprint_add(-64);
    }
    assert_int_equal(record_count, 0);
}

static void a_new_peak_is_told_before_the_fall(void **state)
{
    (void)state;
    footprint_add(10 << 20);
    footprint_add(10 << 20); // too soon after the one before to be told by itself
    unsigned before = record_count;
    footprint_add(-(20 << 20));
    assert_true(record_count > before);
    assert_int_equal(records[before].bytes, 20 << 20);
    assert_int_equal(records[before].peak_bytes, 20 << 20);
}

static void what_is_owed_is_in_the_peak_before_a_followed_block_falls(void **state)
{
    (void)state;
    footprint_add(1 << 20);
    for (int i = 0; i < 80; i++) {
        footprint_add(1000);
    }
    footprint_before_fall();
    assert_int_equal(last()->bytes, (1 << 20) + 80000);
    unsigned before = record_count;
    footprint_before_fall(); // no news
    assert_int_equal(record_count, before);
}

// A saw whose teeth grow by a little: the peaks that are told are 0.4 % apart or more.
static void small_peaks_are_not_told_one_by_one(void **state)
{
    (void)state;
    footprint_add(100 << 20);
    footprint_settle();
    record_count = 0;
    for (int i = 0; i < 1000; i++) {
        footprint_add(101000);
        footprint_add(-100000);
    }
    assert_in_range(record_count, 0, 5);
    footprint_report();
    assert_int_equal(last()->peak_bytes, (100 << 20) + 999 * 1000 + 101000);
}

static void *allocate_in_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++) {
        footprint_add(48);
    }
    footprint_thread_ends();
    footprint_add(-16); // what destructors do afterwards
    return NULL;
}

static void a_thread_that_ends_owes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, allocate_in_thread, NULL), 0);
        pthread_join(thread, NULL);
    }
    footprint_report();
    assert_int_equal(last()->bytes, 100 * (48000 - 16));
}

static void a_fork_is_told_of_what_there_is_before(void **state)
{
    (void)state;
    footprint_add(10 << 20);
    footprint_report();
    footprint_add(5 << 20);
    unsigned told = record_count;
    footprint_before_fork();
    footprint_before_fork();
    assert_int_equal(record_count, told + 1);
    assert_int_equal(last()->bytes, 15 << 20);
}

static void a_forked_child_starts_at_nothing(void **state)
{
    (void)state;
    footprint_add(5 << 20);
    footprint_add(100);
    footprint_forked();
    footprint_add(-4096);
    footprint_report();
    assert_int_equal(last()->bytes, -4096);
    assert_int_equal(last()->peak_bytes, 0);
}

static void a_vfork_child_adds_and_tells_nothing(void **state)
{
    (void)state;
    vfork_child_runs = true;
    footprint_add(5 << 20);
    footprint_add(-(4 << 20));
    assert_int_equal(record_count, 0);
    vfork_child_runs = false;
    footprint_report();
    assert_int_equal(last()->bytes, 1 << 20);
}

static void mapped_files_are_told_beside(void **state)
{
    (void)state;
    footprint_add_file(4096);
    footprint_add_shared(8192);
    footprint_report();
    assert_int_equal(last()->bytes, 0);
    assert_int_equal(last()->file_bytes, 4096);
    assert_int_equal(last()->shared_bytes, 8192);
}

static void what_is_mapped_apart_is_told_before_it_is_gone(void **state)
{
    (void)state;
    footprint_add_shared(10 << 20);
    assert_int_equal(last()->shared_bytes, 10 << 20);
    footprint_add_file(5 << 20);
    assert_int_equal(last()->file_bytes, 5 << 20);
    unsigned told = record_count;
    for (int i = 0; i < 100; i++) {
        footprint_add_file(-(5 << 20));
        footprint_add_file(5 << 20);
    }
    assert_int_equal(record_count, told);
}

static void a_full_ring_loses_a_record_and_no_byte(void **state)
{
    (void)state;
    is_full = true;
    footprint_add(3 << 20);
    footprint_add(-(1 << 20));
    assert_int_equal(record_count, 0);
    is_full = false;
    footprint_report();
    assert_int_equal(last()->bytes, 2 << 20);
    assert_int_equal(last()->peak_bytes, 3 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_end_tells_the_sum_and_the_peak, begin),
        cmocka_unit_test_setup(small_changes_are_not_told_one_by_one, begin),
        cmocka_unit_test_setup(a_new_peak_is_told_before_the_fall, begin),
        cmocka_unit_test_setup(what_is_owed_is_in_the_peak_before_a_followed_block_falls, begin),
        cmocka_unit_test_setup(small_peaks_are_not_told_one_by_one, begin),
        cmocka_unit_test_setup(a_thread_that_ends_owes_nothing, begin),
        cmocka_unit_test_setup(a_fork_is_told_of_what_there_is_before, begin),
        cmocka_unit_test_setup(a_forked_child_starts_at_nothing, begin),
        cmocka_unit_test_setup(a_vfork_child_adds_and_tells_nothing, begin),
        cmocka_unit_test_setup(mapped_files_are_told_beside, begin),
        cmocka_unit_test_setup(what_is_mapped_apart_is_told_before_it_is_gone, begin),
        cmocka_unit_test_setup(a_full_ring_loses_a_record_and_no_byte, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

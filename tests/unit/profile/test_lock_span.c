// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "profile/lock_span.h"
#include "unit.h"

struct reading {
    struct source source;
    struct block_list blocks;
    struct lock_span_list locks;
};

static struct reading read_text(const char *text)
{
    struct reading reading = {0};
    source_from_text(&reading.source, text, strlen(text));
    block_list_read(&reading.blocks, &reading.source);
    lock_span_list_read(&reading.locks, &reading.source, &reading.blocks);
    return reading;
}

static void clear(struct reading *reading)
{
    lock_span_list_clear(&reading->locks);
    block_list_clear(&reading->blocks);
    source_clear(&reading->source);
}

static void assert_span(const struct lock_span *span, const char *lock, int taken, int held_first,
                        int held_last)
{
    assert_string_equal(span->lock, lock);
    assert_int_equal(span->taken_first, taken);
    assert_int_equal(span->held_first, held_first);
    assert_int_equal(span->held_last, held_last);
}

static void a_with_block_holds_its_lock_to_its_end(void **state)
{
    (void)state;
    struct reading reading = read_text("with lock:\n"
                                       "    a()\n"
                                       "    b()\n"
                                       "c()\n"
                                       "with locks[ 'x' ]: d()\n");
    assert_int_equal(reading.locks.count, 2);
    assert_span(&reading.locks.spans[0], "lock", 1, 2, 3);
    assert_span(&reading.locks.spans[1], "locks['x']", 5, 5, 5);
    clear(&reading);
}

static void of_several_items_those_without_a_name_are_locks(void **state)
{
    (void)state;
    struct reading reading = read_text("with (first, open(name, 'w') as file,\n"
                                       "      second):\n"
                                       "    a()\n"
                                       "with Pool(4) as pool:\n"
                                       "    b()\n"
                                       "async with third:\n"
                                       "    c()\n"
                                       "with (fourth):\n"
                                       "    d()\n"
                                       "with (a or b), (c):\n"
                                       "    e()\n");
    assert_int_equal(reading.locks.count, 5);
    assert_span(&reading.locks.spans[0], "first", 1, 3, 3);
    assert_int_equal(reading.locks.spans[0].taken_last, 2);
    assert_span(&reading.locks.spans[1], "second", 1, 3, 3);
    assert_span(&reading.locks.spans[2], "fourth", 8, 9, 9);
    assert_span(&reading.locks.spans[3], "(aorb)", 10, 11, 11);
    assert_span(&reading.locks.spans[4], "(c)", 10, 11, 11);
    clear(&reading);
}

static void an_acquired_lock_is_held_up_to_its_last_release(void **state)
{
    (void)state;
    struct reading reading = read_text("def f():\n"
                                       "    lock.acquire()\n"
                                       "    if a():\n"
                                       "        lock.release()\n"
                                       "        return\n"
                                       "    lock.release()\n"
                                       "    lock.acquire(timeout=1)\n"
                                       "def g():\n"
                                       "    lock.release()\n"
                                       "    if not lock.acquire(False): return\n");
    assert_int_equal(reading.locks.count, 3);
    assert_span(&reading.locks.spans[0], "lock", 2, 3, 6);
    assert_span(&reading.locks.spans[1], "lock", 7, 8, 7);
    assert_span(&reading.locks.spans[2], "lock", 10, 11, 10);
    clear(&reading);
}

static void locks_of_two_classes_are_two(void **state)
{
    (void)state;
    struct reading reading = read_text("class A:\n"
                                       "    def f(self):\n"
                                       "        with self.lock:\n"
                                       "            a()\n"
                                       "    def g(self):\n"
                                       "        self.lock.acquire()\n"
                                       "class B:\n"
                                       "    def f(self):\n"
                                       "        with self.lock: a()\n");
    const struct lock_span *spans = reading.locks.spans;
    assert_int_equal(reading.locks.count, 3);
    assert_true(lock_span_is_same_lock(&spans[0], &spans[1]));
    assert_false(lock_span_is_same_lock(&spans[0], &spans[2]));
    clear(&reading);
}

static void what_is_no_python_has_no_locks(void **state)
{
    (void)state;
    static const char *const texts[] = {"",       "with",   "with :",      ".acquire(",
                                        "with x", "with (", "with (:\n a", "with ,,:\n a\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading reading = read_text(texts[i]);
        assert_int_equal(reading.locks.count, 0);
        clear(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_with_block_holds_its_lock_to_its_end),
        cmocka_unit_test(of_several_items_those_without_a_name_are_locks),
        cmocka_unit_test(an_acquired_lock_is_held_up_to_its_last_release),
        cmocka_unit_test(locks_of_two_classes_are_two),
        cmocka_unit_test(what_is_no_python_has_no_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

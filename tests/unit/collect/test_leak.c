// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "leak_program.h"
#include "unit.h"

#define KB     1024.0
#define MB     (1024 * KB)
#define RUN_S  14.0
#define STEP_S 0.01
#define SEEDS  15u

static const struct leak_span at_start = {0, 0};

static struct leak_span at(double time_s)
{
    return (struct leak_span){time_s, time_s};
}

// Blocks that another line makes and frees at once: a program that does something.
static void work(struct leak_book *book, double time_s, double bytes)
{
    leak_born(book, NULL, at(time_s), bytes);
    leak_footprint(book, time_s, book->whole.live);
    leak_died(book, NULL, at(time_s), time_s + STEP_S / 2, bytes);
    leak_footprint(book, time_s, book->whole.live);
}

static void what_was_born_and_what_ended_add_up_in_windows_of_any_width(void **state)
{
    (void)state;
    struct leak_book book;
    struct life_table line = {0};
    leak_open(&book, 100);
    double alive = 0;
    for (double time_s = 0; time_s < 1000; time_s += 1) {
        leak_born(&book, &line, at(100 + time_s), 3 * KB);
        leak_died(&book, &line, at(100 + time_s), 100 + time_s + 0.5, KB);
        alive += 2 * KB;
    }
    assert_true(line.live == alive && book.whole.live == alive);
    assert_int_equal(line.doublings, book.whole.doublings);
    assert_true(book.width_s * LIFE_WINDOWS >= 1000 && book.width_s * LIFE_WINDOWS < 2000);
    double born = 0;
    double left = 0;
    for (unsigned i = 0; i < LIFE_WINDOWS; i++) {
        born += life_born(&line, i);
        left += life_alive_after(&line, i, LIFE_WINDOWS - 1);
    }
    assert_true(fabs(born - 3000 * KB) < KB && fabs(left - alive) < KB);
    assert_true(fabs(life_block(&line) - 3 * KB) < 1);
}

static void a_block_that_grew_ends_where_it_came(void **state)
{
    (void)state;
    struct leak_book book;
    struct life_table line = {0};
    leak_open(&book, 0);
    leak_born(&book, &line, at_start, KB);
    leak_born(&book, &line, (struct leak_span){0, 1.5}, 100 * KB);
    leak_died(&book, &line, (struct leak_span){0, 1.5}, 1.6, 101 * KB);
    assert_true(fabs(line.live) < 1 && fabs(book.whole.live) < 1);
    for (unsigned i = 0; i < LIFE_WINDOWS; i++) {
        assert_true((double)line.alive[i] < 1);
    }
}

static void a_block_that_moves_is_no_death(void **state)
{
    (void)state;
    struct leak_book book;
    struct life_table lines[2] = {0};
    leak_open(&book, 0);
    leak_born(&book, &lines[0], at(0.1), MB);
    leak_moved(&book, &lines[0], &lines[1], at(0.1), MB);
    assert_true(lines[0].live == 0 && lines[1].live == MB && book.whole.live == MB);
    assert_true(life_born(&lines[0], 1) == 0 && life_born(&lines[1], 1) == MB);
    leak_restated(&book, &lines[1], at(0.1), MB, 0);
    assert_true(book.whole.live == 0 && life_born(&lines[1], 1) == 0);
}

// A block that is made longer by an eighth whenever it is full, at 4 MB/s.
static void a_buffer_that_only_grows_leaks(void **state)
{
    (void)state;
    struct leak_book book;
    struct life_table line = {0};
    double size = 0;
    double grown_s = 0;
    leak_open(&book, 0);
    for (double time_s = 0; time_s < RUN_S; time_s += STEP_S) {
        work(&book, time_s, 80 * KB);
        if (4 * MB * time_s > size) {
            double more = 4 * MB * time_s * 1.125 - size;
            leak_born(&book, &line, (struct leak_span){grown_s, time_s}, more);
            size += more;
            grown_s = time_s;
        }
    }
    struct leak_verdict verdict = leak_verdict(&book, &line, RUN_S);
    assert_true(verdict.is_leak);
    assert_true(fabs(verdict.velocity_b_s / MB - 4) < 1);
}

// What a program frees in its last moment, since its functions return, says nothing.
static void tidying_up_at_the_end_hides_no_leak(void **state)
{
    (void)state;
    struct leak_book book;
    struct life_table line = {0};
    leak_open(&book, 0);
    for (double time_s = 0; time_s < RUN_S; time_s += STEP_S) {
        work(&book, time_s, 80 * KB);
        leak_born(&book, &line, at(time_s), 20 * KB);
    }
    for (double time_s = 0; time_s < RUN_S; time_s += STEP_S) {
        leak_died(&book, &line, at(time_s), RUN_S + 0.2, 20 * KB);
    }
    struct leak_verdict verdict = leak_verdict(&book, &line, RUN_S + 0.3);
    assert_true(verdict.is_leak);
    assert_true(fabs(verdict.velocity_b_s / (2000 * KB) - 1) < 0.05);
}

static struct leak_verdict verdict_of_growth(double run_s, double work_bytes)
{
    struct leak_book book;
    struct life_table line = {0};
    leak_open(&book, 0);
    for (double time_s = 0; time_s < run_s; time_s += STEP_S) {
        work(&book, time_s, work_bytes);
        leak_born(&book, &line, at(time_s), 20 * KB);
    }
    return leak_verdict(&book, &line, run_s);
}

static void a_short_program_or_one_that_only_gathers_does_not_leak(void **state)
{
    (void)state;
    assert_true(verdict_of_growth(10, 80 * KB).is_leak);
    assert_false(verdict_of_growth(7, 80 * KB).is_leak);
    assert_false(verdict_of_growth(10, 5 * KB).is_leak);
}

static void times_out_of_order_and_absurd_ones_do_no_harm(void **state)
{
    (void)state;
    struct leak_book book;
    struct life_table line = {0};
    leak_open(&book, 1000);
    leak_born(&book, &line, at(-5), KB);
    leak_born(&book, &line, at(1e10), KB);
    leak_died(&book, &line, at(2000), 3, 1e300);
    leak_died(&book, &line, (struct leak_span){7, 1e9}, 5, KB);
    leak_restated(&book, &line, (struct leak_span){1e9, 7}, KB, 0);
    assert_false(leak_verdict(&book, &line, 1e10).is_leak);
    assert_true(line.live >= 0 && isfinite(line.live));
}

// The seeds are fixed, and so is the outcome. leak_rates.c counts over many more: docs/leaks.md.
static void programs_of_every_shape_are_judged_rightly(void **state)
{
    (void)state;
    for (size_t i = 0; i < program_shape_count; i++) {
        const struct shape *shape = &program_shapes[i];
        unsigned found = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct leak_verdict verdicts[PROGRAM_LINES];
            program_judge(shape, seed, verdicts);
            for (unsigned line = 0; line < PROGRAM_LINES; line++) {
                bool leaks = shape->leaks >> line & 1;
                found += leaks && verdicts[line].is_leak;
                if (!leaks && verdicts[line].is_leak) {
                    fail_msg("%s: false alarm at seed %u", shape->name, (unsigned)seed);
                }
            }
        }
        if (shape->leaks && found < SEEDS - 1) {
            fail_msg("%s: found %u times of %u", shape->name, found, SEEDS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_born_and_what_ended_add_up_in_windows_of_any_width),
        cmocka_unit_test(a_block_that_grew_ends_where_it_came),
        cmocka_unit_test(a_block_that_moves_is_no_death),
        cmocka_unit_test(a_buffer_that_only_grows_leaks),
        cmocka_unit_test(tidying_up_at_the_end_hides_no_leak),
        cmocka_unit_test(a_short_program_or_one_that_only_gathers_does_not_leak),
        cmocka_unit_test(times_out_of_order_and_absurd_ones_do_no_harm),
        cmocka_unit_test(programs_of_every_shape_are_judged_rightly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

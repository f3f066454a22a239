// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "scratch.h"
#include "unit.h"
#include "wire/ring.h"

// A ring as its two sides see it: each with a mapping of its own.
struct pair {
    struct scratch scratch;
    struct ring writer;
    struct ring reader;
    struct ring_view view;
    uint64_t torn;
};

struct note {
    struct record_header header;
    uint64_t number;
    uint8_t body[];
};

static bool note_write(struct ring *ring, uint64_t number, size_t body_len)
{
    struct note *note = ring_reserve(ring, RECORD_CODE, sizeof *note + body_len);
    if (!note) {
        return false;
    }
    note->number = number;
    memset(note->body, (int)number, body_len);
    ring_commit(note);
    return true;
}

static bool next(struct pair *pair)
{
    return ring_next(&pair->reader, false, &pair->view, &pair->torn);
}

static void expect_note(struct pair *pair, uint64_t number, size_t body_len)
{
    assert_true(next(pair));
    const struct note *note = pair->view.record;
    assert_int_equal(pair->view.type, RECORD_CODE);
    assert_int_equal(pair->view.len, (sizeof *note + body_len + 7) / 8 * 8);
    assert_int_equal(note->number, number);
    for (size_t i = 0; i < body_len; i++) {
        assert_int_equal(note->body[i], (uint8_t)number);
    }
}

static void a_record_comes_out_as_it_went_in(void **state)
{
    struct pair *pair = *state;
    assert_false(next(pair));
    for (size_t len = 0; len < 40; len++) {
        assert_true(note_write(&pair->writer, len + 100, len));
        expect_note(pair, len + 100, len);
        assert_false(next(pair));
    }
    assert_int_equal(pair->torn, 0);
}

static void records_come_out_in_the_order_of_reservation(void **state)
{
    struct pair *pair = *state;
    struct note *first = ring_reserve(&pair->writer, RECORD_CODE, sizeof *first);
    struct note *second = ring_reserve(&pair->writer, RECORD_CODE, sizeof *second);
    assert_non_null(first);
    assert_non_null(second);
    first->number = 1;
    second->number = 2;
    ring_commit(second);
    assert_false(next(pair));
    ring_commit(first);
    expect_note(pair, 1, 0);
    expect_note(pair, 2, 0);
    assert_int_equal(pair->torn, 0);
}

static void records_wrap_around_whole(void **state)
{
    struct pair *pair = *state;
    size_t written = 0;
    for (uint64_t number = 0; written < 10 * pair->writer.size; number++) {
        size_t len = number * 37 % 5000;
        assert_true(note_write(&pair->writer, number, len));
        expect_note(pair, number, len);
        written += sizeof(struct note) + len;
    }
    assert_int_equal(pair->torn, 0);
}

static void a_full_ring_takes_nothing_until_it_is_read(void **state)
{
    struct pair *pair = *state;
    uint64_t count = 0;
    while (note_write(&pair->writer, count, 1000)) {
        count++;
    }
    assert_int_equal(count, pair->writer.size / (sizeof(struct note) + 1000));
    assert_true(ring_fill_percent(&pair->writer) >= 98);
    assert_false(note_write(&pair->writer, 1, 1000));
    expect_note(pair, 0, 1000);
    assert_false(note_write(&pair->writer, 1, 1000)); // it is held until the next call
    expect_note(pair, 1, 1000);
    assert_true(note_write(&pair->writer, count, 1000));
    for (uint64_t i = 2; i <= count; i++) {
        expect_note(pair, i, 1000);
    }
    assert_false(next(pair));
    assert_int_equal(ring_fill_percent(&pair->writer), 0);
    assert_int_equal(pair->torn, 0);
}

static void a_ring_can_be_filled_to_the_last_byte(void **state)
{
    struct pair *pair = *state;
    size_t body = pair->writer.size / 2 - sizeof(struct note);
    assert_true(note_write(&pair->writer, 1, body));
    assert_true(note_write(&pair->writer, 2, body));
    assert_int_equal(ring_fill_percent(&pair->writer), 100);
    assert_null(ring_reserve(&pair->writer, RECORD_CODE, sizeof(struct note)));
    expect_note(pair, 1, body);
    expect_note(pair, 2, body);
    assert_false(next(pair));
}

static void a_record_of_no_possible_size_is_refused(void **state)
{
    struct pair *pair = *state;
    assert_null(ring_reserve(&pair->writer, RECORD_CODE, pair->writer.size / 2 + 1));
    assert_null(ring_reserve(&pair->writer, RECORD_CODE, SIZE_MAX));
    assert_null(ring_reserve(&pair->writer, RECORD_CODE, 0));
    assert_false(next(pair));
    assert_int_equal(ring_fill_percent(&pair->writer), 0);
}

static void a_closed_ring_takes_and_counts_nothing(void **state)
{
    (void)state;
    struct ring closed = {0};
    assert_null(ring_reserve(&closed, RECORD_CODE, 64));
    assert_int_equal(ring_fill_percent(&closed), 100);
    ring_count(&closed, COUNTER_dropped_full, 1);
    ring_close(&closed);
    ring_close(&closed);
}

static void counters_are_seen_by_the_reader(void **state)
{
    struct pair *pair = *state;
    ring_count(&pair->writer, COUNTER_dropped_full, 2);
    ring_count(&pair->writer, COUNTER_dropped_full, 3);
    assert_int_equal(atomic_load(&pair->reader.header->counters[COUNTER_dropped_full]), 5);
}

static int open_pair(void **state)
{
    static struct pair pair;
    pair = (struct pair){0};
    scratch_open(&pair.scratch);
    bool made = ring_create(&pair.writer, pair.scratch.path, RING_MIN_BYTES);
    *state = &pair;
    return made && ring_open(&pair.reader, pair.scratch.path) == RING_OPENED ? 0 : -1;
}

static int close_pair(void **state)
{
    struct pair *pair = *state;
    ring_close(&pair->writer);
    ring_close(&pair->reader);
    scratch_close(&pair->scratch);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_record_comes_out_as_it_went_in),
        TEST(records_come_out_in_the_order_of_reservation),
        TEST(records_wrap_around_whole),
        TEST(a_full_ring_takes_nothing_until_it_is_read),
        TEST(a_ring_can_be_filled_to_the_last_byte),
        TEST(a_record_of_no_possible_size_is_refused),
        TEST(a_closed_ring_takes_and_counts_nothing),
        TEST(counters_are_seen_by_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

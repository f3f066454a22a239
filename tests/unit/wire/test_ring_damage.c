// SPDX-License-Identifier: Apache-2.0
// What a killed or broken writer leaves behind. The reader may lose records, never misread one.
#include <string.h>

#include "scratch.h"
#include "unit.h"
#include "wire/ring.h"

struct damaged {
    struct scratch scratch;
    struct ring ring;
    struct ring_view view;
    uint64_t torn;
};

struct note {
    struct record_header header;
    uint64_t number;
    uint64_t copies[14];
};

static struct note *begin_note(struct damaged *damaged, uint64_t number)
{
    struct note *note = ring_reserve(&damaged->ring, RECORD_WAIT, sizeof *note);
    assert_non_null(note);
    note->number = number;
    for (size_t i = 0; i < 14; i++) {
        note->copies[i] = number;
    }
    return note;
}

static void write_note(struct damaged *damaged, uint64_t number)
{
    ring_commit(begin_note(damaged, number));
}

// As a writer that is killed between taking its room and its first store.
static void reserve_and_die(struct damaged *damaged, size_t len)
{
    atomic_fetch_add(&damaged->ring.header->head, len);
}

static bool next(struct damaged *damaged, bool writer_is_gone)
{
    return ring_next(&damaged->ring, writer_is_gone, &damaged->view, &damaged->torn);
}

static void expect_note(struct damaged *damaged, uint64_t number)
{
    assert_true(next(damaged, true));
    const struct note *note = damaged->view.record;
    assert_int_equal(damaged->view.type, RECORD_WAIT);
    assert_int_equal(damaged->view.len, sizeof *note);
    assert_int_equal(note->number, number);
    for (size_t i = 0; i < 14; i++) {
        assert_int_equal(note->copies[i], number);
    }
}

static void a_half_written_record_is_waited_for_while_its_writer_lives(void **state)
{
    struct damaged *damaged = *state;
    begin_note(damaged, 1);
    write_note(damaged, 2);
    assert_false(next(damaged, false));
    assert_int_equal(damaged->torn, 0);
    expect_note(damaged, 2);
    assert_int_equal(damaged->torn, 1);
}

static void a_reservation_without_a_header_is_stepped_over(void **state)
{
    struct damaged *damaged = *state;
    write_note(damaged, 1);
    reserve_and_die(damaged, 4096);
    write_note(damaged, 2);
    reserve_and_die(damaged, 64);
    reserve_and_die(damaged, 128);
    write_note(damaged, 3);
    reserve_and_die(damaged, 8);
    expect_note(damaged, 1);
    assert_false(next(damaged, false));
    expect_note(damaged, 2);
    expect_note(damaged, 3);
    assert_false(next(damaged, true));
    assert_int_equal(damaged->torn, 3);
    assert_int_equal(ring_fill_percent(&damaged->ring), 0);
}

static void torn_records_of_every_lap_are_stepped_over(void **state)
{
    struct damaged *damaged = *state;
    uint64_t laps = 5 * damaged->ring.size / sizeof(struct note);
    for (uint64_t i = 0; i < laps; i++) {
        write_note(damaged, i);
        if (i % 3 == 0) {
            begin_note(damaged, 1000000 + i);
        } else {
            reserve_and_die(damaged, i % 7 * 8);
        }
        expect_note(damaged, i);
    }
    assert_false(next(damaged, true));
    assert_true(damaged->torn > laps / 3);
}

// A body may hold anything, also the exact bytes of a committed record.
static void a_body_that_looks_like_records_is_not_read_as_records(void **state)
{
    struct damaged *damaged = *state;
    write_note(damaged, 1);
    uint64_t word = atomic_load(&((struct record_header *)damaged->ring.data)->word);
    write_note(damaged, 2);
    expect_note(damaged, 1);
    expect_note(damaged, 2);
    struct note *torn = begin_note(damaged, 3);
    for (size_t i = 0; i < 14; i++) {
        torn->copies[i] = word;
    }
    write_note(damaged, 4);
    expect_note(damaged, 4);
    assert_false(next(damaged, true));
    assert_int_equal(damaged->torn, 1);
}

static void a_header_of_another_place_is_no_header_here(void **state)
{
    struct damaged *damaged = *state;
    write_note(damaged, 1);
    write_note(damaged, 2);
    struct note *first = (void *)damaged->ring.data;
    struct note *second = first + 1;
    atomic_store(&second->header.word, atomic_load(&first->header.word));
    expect_note(damaged, 1);
    assert_false(next(damaged, true));
    assert_int_equal(damaged->torn, 1);
}

static void an_unknown_type_is_stepped_over_and_counted(void **state)
{
    struct damaged *damaged = *state;
    ring_commit(ring_reserve(&damaged->ring, (enum record_type)RECORD_TYPE_COUNT, 64));
    write_note(damaged, 5);
    assert_true(next(damaged, false));
    assert_int_equal(((const struct note *)damaged->view.record)->number, 5);
    assert_int_equal(damaged->torn, 1);
}

static void a_header_that_claims_more_than_there_is_ends_the_reading(void **state)
{
    struct damaged *damaged = *state;
    write_note(damaged, 1);
    struct record_header *header = (void *)damaged->ring.data;
    atomic_fetch_or(&header->word, 0xffffull << 16);
    assert_false(next(damaged, true));
    assert_int_equal(damaged->torn, 1);
    write_note(damaged, 2);
    expect_note(damaged, 2);
}

static void scribbled_ends_are_survived(void **state)
{
    struct damaged *damaged = *state;
    const uint64_t values[] = {1, 7, 8, 4095, UINT32_MAX, UINT64_MAX, UINT64_MAX - 7, 1ull << 63};
    const size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < count * count; i++) {
        atomic_store(&damaged->ring.header->head, values[i / count]);
        atomic_store(&damaged->ring.header->tail, values[i % count]);
        int found = 0;
        while (found < 100 && next(damaged, true)) {
            found++;
        }
        assert_int_equal(found, 0);
    }
}

static uint64_t random_word(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void random_bytes_hold_no_record(void **state)
{
    struct damaged *damaged = *state;
    uint64_t seed = 88172645463325252ull;
    for (int round = 0; round < 50; round++) {
        uint64_t *words = (void *)damaged->ring.data;
        for (uint64_t i = 0; i < damaged->ring.size / 8; i++) {
            words[i] = random_word(&seed);
        }
        uint64_t tail = atomic_load(&damaged->ring.header->tail);
        atomic_store(&damaged->ring.header->head, tail + damaged->ring.size);
        assert_false(next(damaged, false));
        assert_false(next(damaged, true));
        assert_int_equal(ring_fill_percent(&damaged->ring), 0);
    }
}

static int open_damaged(void **state)
{
    static struct damaged damaged;
    damaged = (struct damaged){0};
    scratch_open(&damaged.scratch);
    *state = &damaged;
    return ring_create(&damaged.ring, damaged.scratch.path, RING_MIN_BYTES) ? 0 : -1;
}

static int close_damaged(void **state)
{
    struct damaged *damaged = *state;
    ring_close(&damaged->ring);
    scratch_close(&damaged->scratch);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_damaged, close_damaged)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_half_written_record_is_waited_for_while_its_writer_lives),
        TEST(a_reservation_without_a_header_is_stepped_over),
        TEST(torn_records_of_every_lap_are_stepped_over),
        TEST(a_body_that_looks_like_records_is_not_read_as_records),
        TEST(a_header_of_another_place_is_no_header_here),
        TEST(an_unknown_type_is_stepped_over_and_counted),
        TEST(a_header_that_claims_more_than_there_is_ends_the_reading),
        TEST(scribbled_ends_are_survived),
        TEST(random_bytes_hold_no_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

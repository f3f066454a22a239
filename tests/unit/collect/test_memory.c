// SPDX-License-Identifier: Apache-2.0
// What the collector makes of records about memory.
#include <math.h>

#include "collector_fixture.h"
#include "unit.h"

#define PID    WRITER_GONE_PID
#define MB     1048576
#define SECOND 1000000000u

static void begin(struct fixture *fixture)
{
    fixture_begin(fixture, &(struct fixture_options){.has_memory = true});
    fixture_add_codes(fixture);
}

static const struct profile_memory *memory_of(struct profile *profile, int number)
{
    return &fixture_line(profile, FIXTURE_FILE, number)->memory;
}

// A block of exactly so many megabytes, on a line of the file.
static void allocate(struct writer *writer, uint64_t block, int mb, int index)
{
    struct record_frame frames[] = {writer_frame(1, index), writer_frame(1, 0)};
    writer_allocation(writer, &(struct writer_allocation){.block = block,
                                                          .size = (uint64_t)mb * MB,
                                                          .flags = ALLOCATION_IS_PYTHON,
                                                          .frames = frames,
                                                          .frame_count = 2});
}

static void release(struct writer *writer, uint64_t block, uint32_t flags)
{
    writer_block(writer, block, 0, BLOCK_IS_FREED | flags);
}

// Line 13 holds 300 MB until line 15 comes to 200 MB more; that is the peak.
static void write_two_lines(struct writer *writer)
{
    writer->now_ns += SECOND;
    writer_footprint(writer, 10 * MB, 10 * MB);
    allocate(writer, 1, 300, 3);
    writer_footprint(writer, 310 * MB, 310 * MB);
    writer->now_ns += SECOND;
    allocate(writer, 2, 200, 5);
    writer_footprint(writer, 510 * MB, 510 * MB);
    writer->now_ns += SECOND;
    release(writer, 1, 0);
    writer_footprint(writer, 210 * MB, 510 * MB);
    writer->now_ns += SECOND;
}

static void a_free_is_credited_to_the_line_that_allocated(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    write_two_lines(&fixture.writer);
    allocate(&fixture.writer, 3, 1, 3);
    release(&fixture.writer, 2, BLOCK_AT_END);
    writer_process_end(&fixture.writer, 10000000, 0);
    fixture_collect(&fixture);
    const struct profile_memory *first = memory_of(fixture.profile, 13);
    const struct profile_memory *second = memory_of(fixture.profile, 15);
    assert_near(first->allocated_mb, 301);
    assert_near(first->peak_mb, 300);
    assert_near(first->at_peak_mb, 300);
    assert_near(first->at_end_mb, 1);
    assert_near(first->alloc_count, 2);
    assert_near(first->average_mb, 300);
    assert_true(first->error_mb < 0.00001); // large blocks are taken for certain
    assert_near(first->python_mb, 301);
    assert_near(first->usage_fraction, 301.0 / 501);
    assert_near(second->at_peak_mb, 200);
    assert_near(second->at_end_mb, 200); // a free of the interpreter's end does not count
    const struct profile_footprint *footprint = &fixture.profile->footprint;
    assert_true(fixture.profile->has_memory);
    assert_near(footprint->max_mb, 510);
    assert_near(footprint->unattributed_at_peak_mb, 10);
    assert_near(footprint->python_fraction, 1);
    assert_near(footprint->growth_percent, 100 * 201.0 / 501);
    assert_string_equal(footprint->path, FIXTURE_FILE);
    assert_int_equal(footprint->line, 13);
    assert_int_equal(fixture.profile->quality.memory_samples, 3);
    assert_near(fixture.profile->processes[0].peak_footprint_mb, 510);
    fixture_end(&fixture);
}

static void sample(struct writer *writer, uint64_t block, uint64_t mean, int index)
{
    struct record_frame frames[] = {writer_frame(1, index), writer_frame(1, 0)};
    writer_allocation(writer, &(struct writer_allocation){.block = block,
                                                          .size = 64,
                                                          .weight = mean,
                                                          .mean = mean,
                                                          .frames = frames,
                                                          .frame_count = 2});
}

// What passes before the first point of a line is as much as the stretch before allows, and blocks
// of another size may be in such a stretch still.
static void a_lines_error_is_that_of_the_widest_stretch_it_may_begin_in(void **state)
{
    (void)state;
    const double wide_mb = 0.5;
    struct fixture fixture;
    begin(&fixture);
    sample(&fixture.writer, 1, (uint64_t)(wide_mb * MB), 3);
    sample(&fixture.writer, 2, 1024, 4);
    allocate(&fixture.writer, 3, 1, 5);
    writer_process_end(&fixture.writer, 10000000, 0);
    fixture_collect(&fixture);
    assert_true(memory_of(fixture.profile, 14)->error_mb > 1.96 * wide_mb);
    double edges_mb = 1.96 * wide_mb * sqrt(2.0 / 3);
    assert_true(fabs(memory_of(fixture.profile, 15)->error_mb - edges_mb) < 0.01);
    fixture_end(&fixture);
}

static void a_function_holds_what_its_lines_hold_together(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    write_two_lines(&fixture.writer);
    writer_process_end(&fixture.writer, 10000000, 0);
    fixture_collect(&fixture);
    const struct profile_file *file = &fixture.profile->files[0];
    assert_int_equal(file->function_count, 1);
    assert_string_equal(file->functions[0].name, "work");
    const struct profile_memory *memory = &file->functions[0].memory;
    assert_near(memory->peak_mb, 500);
    assert_near(memory->at_peak_mb, 500);
    assert_near(memory->allocated_mb, 500);
    assert_near(memory->average_mb, (300 + 500 + 200) / 3.0);
    assert_true(memory->point_count >= 4);
    fixture_end(&fixture);
}

static void a_process_that_is_killed_held_what_is_live(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    write_two_lines(&fixture.writer); // no end is told
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->at_end_mb, 0);
    assert_near(memory_of(fixture.profile, 15)->at_end_mb, 200);
    fixture_end(&fixture);
}

static void what_comes_right_after_the_peak_belongs_to_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    allocate(writer, 1, 100, 3);
    writer_footprint(writer, 300 * MB, 300 * MB);
    allocate(writer, 2, 200, 5); // told after the footprint that it is part of
    release(writer, 1, 0);
    allocate(writer, 3, 100, 7);
    writer_footprint(writer, 300 * MB, 300 * MB);
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->at_peak_mb, 100);
    assert_near(memory_of(fixture.profile, 15)->at_peak_mb, 200);
    assert_near(memory_of(fixture.profile, 17)->at_peak_mb, 0);
    fixture_end(&fixture);
}

static void native_threads_and_libraries_are_no_lines(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame library[] = {writer_frame(2, 0)};
    struct writer_allocation native = {.block = 1, .size = 8 * MB, .tid = PID + 1};
    struct writer_allocation start = {.block = 3, .size = 3 * MB};
    struct writer_allocation elsewhere = {
        .block = 2, .size = 4 * MB, .frames = library, .frame_count = 1};
    writer_allocation(&fixture.writer, &native);
    writer_allocation(&fixture.writer, &elsewhere);
    writer_allocation(&fixture.writer, &start); // the main thread, before there is Python
    writer_footprint(&fixture.writer, 20 * MB, 20 * MB);
    fixture_collect(&fixture);
    const struct profile_footprint *footprint = &fixture.profile->footprint;
    assert_int_equal(fixture.profile->file_count, 0);
    assert_near(footprint->native_allocated_mb, 8);
    assert_near(footprint->native_at_peak_mb, 8);
    assert_near(footprint->unattributed_at_peak_mb, 12);
    assert_near(footprint->allocated_mb, 15);
    assert_null(footprint->path);
    assert_int_equal(fixture.profile->memory_stack_count, 1); // native, and no copy of its stack
    assert_near(fixture.profile->memory_stacks[0].allocated_mb, 4);
    fixture_end(&fixture);
}

static void a_library_allocates_for_the_line_that_called_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame frames[] = {writer_frame(2, 1), writer_frame(1, 2), writer_frame(1, 0)};
    for (uint64_t block = 1; block <= 3; block++) {
        writer_allocation(&fixture.writer,
                          &(struct writer_allocation){
                              .block = block, .size = 2 * MB, .frames = frames, .frame_count = 3});
    }
    writer_copy(&fixture.writer, 50 * MB, writer_frame(1, 2));
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 12)->allocated_mb, 6);
    assert_near(memory_of(fixture.profile, 12)->copied_mb, 50);
    assert_near(memory_of(fixture.profile, 12)->python_mb, 0);
    assert_int_equal(fixture.profile->memory_stack_count, 1);
    const struct profile_memory_stack *stack = &fixture.profile->memory_stacks[0];
    assert_near(stack->allocated_mb, 6);
    assert_int_equal(stack->frame_count, 3);
    assert_string_equal(fixture.profile->frames[stack->frames[2]].name, "decode");
    assert_int_equal(fixture.profile->frames[stack->frames[1]].line, 12);
    fixture_end(&fixture);
}

// 100 small objects of 64 bytes stand for 64 kB each; another line has as many of that size.
static void sampled_blocks_have_weights_and_errors(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (uint64_t i = 0; i < 200; i++) {
        struct record_frame frames[] = {writer_frame(1, i % 2 ? 3 : 4)};
        writer_allocation(&fixture.writer, &(struct writer_allocation){.block = i + 1,
                                                                       .size = 64,
                                                                       .weight = WRITER_MEAN,
                                                                       .frames = frames,
                                                                       .frame_count = 1});
    }
    for (uint64_t i = 0; i < 100; i++) {
        release(&fixture.writer, i + 1, 0);
    }
    fixture_collect(&fixture);
    const struct profile_memory *memory = memory_of(fixture.profile, 13);
    double m = (double)WRITER_MEAN / MB;
    assert_near(memory->allocated_mb, 100 * m);
    assert_near(memory->alloc_count, 100 * WRITER_MEAN / 64.0);
    assert_near(memory->at_end_mb, 50 * m);
    // At each of 199 turns to the other line or back M squared / 2, and a third for the edges.
    double variance = 199 * m * m / 2;
    assert_near(memory->error_mb, 1.96 * sqrt(variance + 2 * m * m / 3));
    // Half of it is left: M x live / 2 for which half, and a quarter of the other.
    assert_near(memory->live_error_mb, 1.96 * sqrt(m * 50 * m / 2 + variance / 4 + 2 * m * m / 3));
    fixture_end(&fixture);
}

static void growth_moves_a_block_and_counts_what_was_added(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame grower[] = {writer_frame(1, 7)};
    allocate(&fixture.writer, 1, 100, 3);
    struct writer_allocation growth = {.block = 1,
                                       .size = 150 * MB,
                                       .added = 50 * MB,
                                       .flags = ALLOCATION_IS_GROWTH,
                                       .frames = grower,
                                       .frame_count = 1};
    writer_allocation(&fixture.writer, &growth);
    allocate(&fixture.writer, 2, 7, 3);
    writer_block(&fixture.writer, 2, 5 * MB, 0); // shrunk
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->allocated_mb, 107);
    assert_near(memory_of(fixture.profile, 13)->at_end_mb, 5);
    assert_near(memory_of(fixture.profile, 17)->allocated_mb, 50);
    assert_near(memory_of(fixture.profile, 17)->at_end_mb, 150);
    fixture_end(&fixture);
}

static void growth_by_little_stays_with_its_line(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    allocate(&fixture.writer, 1, 100, 3);
    struct writer_allocation growth = {.block = 1,
                                       .size = 101 * MB,
                                       .added = 1 * MB,
                                       .flags = ALLOCATION_IS_GROWTH | ALLOCATION_KEEPS_STACK};
    writer_allocation(&fixture.writer, &growth);
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->allocated_mb, 101);
    assert_near(memory_of(fixture.profile, 13)->at_end_mb, 101);
    fixture_end(&fixture);
}

// Two lines make one block larger in turns, by less than a stretch each: whose a stretch is, is
// chance.
static void growth_that_a_point_hit_has_the_error_of_points(void **state)
{
    (void)state;
    const uint64_t mean = MB / 4;
    struct fixture fixture;
    begin(&fixture);
    allocate(&fixture.writer, 1, 100, 3);
    for (int i = 0; i < 8; i++) {
        struct record_frame grower[] = {writer_frame(1, 5 + i % 2)};
        struct writer_allocation growth = {.block = 1,
                                           .size = 100 * MB + mean * (uint64_t)(i + 1),
                                           .added = mean,
                                           .mean = mean,
                                           .flags = ALLOCATION_IS_GROWTH | ALLOCATION_BY_CHANCE,
                                           .frames = grower,
                                           .frame_count = 1};
        writer_allocation(&fixture.writer, &growth);
    }
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->allocated_mb, 100);
    assert_near(memory_of(fixture.profile, 15)->allocated_mb, 1);
    assert_near(memory_of(fixture.profile, 16)->at_end_mb, 102);
    double turns = 8 / 2.0;
    double edges = 2 / 3.0;
    assert_near(memory_of(fixture.profile, 15)->error_mb, 1.96 * sqrt(turns + edges) / 4);
    fixture_end(&fixture);
}

static void what_found_no_room_is_in_the_totals_alone(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    allocate(&fixture.writer, 1, 60, 3);
    ring_count(&fixture.writer.ring, COUNTER_missed_bytes, 20 * MB);
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->allocated_mb, 60);
    assert_near(memory_of(fixture.profile, 13)->usage_fraction, 0.75);
    assert_near(fixture.profile->footprint.allocated_mb, 80);
    assert_true(fixture_has_note(fixture.profile, "20.0 MB"));
    fixture_end(&fixture);
}

static void a_lost_block_is_held_no_longer_and_told(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    allocate(&fixture.writer, 1, 64, 3);
    writer_block(&fixture.writer, 1, 0, BLOCK_IS_LOST);
    writer_block(&fixture.writer, 99, 0, BLOCK_IS_FREED); // of a record that found no room
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->at_end_mb, 0);
    assert_near(memory_of(fixture.profile, 13)->peak_mb, 64);
    assert_true(fixture_has_note(fixture.profile, "64.0 MB"));
    assert_false(fixture_has_note(fixture.profile, "made no sense"));
    fixture_end(&fixture);
}

static void the_footprint_is_the_sum_over_processes(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer child;
    writer_open(&child, &fixture.run, PID + 1, PID);
    writer_code(&child, 1, FIXTURE_FILE, "work", 10, 20);
    child.now_ns = fixture.writer.now_ns + SECOND;
    fixture.writer.now_ns = child.now_ns;
    writer_footprint(&fixture.writer, 100 * MB, 100 * MB);
    allocate(&child, 1, 40, 3); // the same number as in the parent, another block
    writer_footprint(&child, 50 * MB, 60 * MB);
    writer_footprint(&child, -5 * MB, 60 * MB); // frees what its parent allocated
    allocate(&fixture.writer, 1, 30, 3);
    fixture_collect(&fixture);
    assert_near(fixture.profile->footprint.max_mb, 160);
    assert_near(memory_of(fixture.profile, 13)->allocated_mb, 70);
    assert_near(memory_of(fixture.profile, 13)->at_end_mb, 70);
    writer_close(&child);
    fixture_end(&fixture);
}

static void a_peak_that_is_told_late_does_not_change_who_held_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    allocate(writer, 1, 100, 3);
    allocate(writer, 2, 100, 5);
    writer_footprint(writer, 200 * MB, 200 * MB);
    release(writer, 1, 0);
    writer_footprint(writer, 100 * MB, 201 * MB);
    fixture_collect(&fixture);
    assert_near(fixture.profile->footprint.max_mb, 201);
    assert_near(fixture.profile->footprint.unattributed_at_peak_mb, 1);
    assert_near(memory_of(fixture.profile, 13)->at_peak_mb, 100);
    assert_near(memory_of(fixture.profile, 15)->at_peak_mb, 100);
    fixture_end(&fixture);
}

// A child frees what it holds and tells its level only later; its parent grows meanwhile.
static void what_a_process_has_freed_is_in_no_peak_of_another(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer child;
    writer_open(&child, &fixture.run, PID - 1, PID); // read before its parent
    writer_code(&child, 1, FIXTURE_FILE, "work", 10, 20);
    allocate(&child, 1, 60, 3);
    writer_footprint(&child, 60 * MB, 60 * MB);
    release(&child, 1, 0);
    allocate(&fixture.writer, 1, 100, 5);
    writer_footprint(&fixture.writer, 100 * MB, 100 * MB);
    fixture.writer.now_ns += SECOND;
    fixture_collect(&fixture);
    assert_near(fixture.profile->footprint.max_mb, 100);
    assert_near(memory_of(fixture.profile, 13)->at_peak_mb, 0);
    assert_near(memory_of(fixture.profile, 15)->at_peak_mb, 100);
    writer_close(&child);
    fixture_end(&fixture);
}

static void numbers_that_cannot_be_are_left_out(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame frames[] = {writer_frame(1, 3)};
    struct writer_allocation bad = {
        .block = 1, .size = 1ull << 60, .frames = frames, .frame_count = 1};
    writer_allocation(&fixture.writer, &bad);
    bad = (struct writer_allocation){.size = 64, .frames = frames, .frame_count = 1};
    writer_allocation(&fixture.writer, &bad); // no number
    allocate(&fixture.writer, 5, 1, 3);
    allocate(&fixture.writer, 5, 1, 3); // the number is taken
    writer_block(&fixture.writer, 5, UINT64_MAX, 0);
    writer_footprint(&fixture.writer, INT64_MIN, 0);
    writer_copy(&fixture.writer, UINT64_MAX, frames[0]);
    fixture_collect(&fixture);
    assert_near(memory_of(fixture.profile, 13)->allocated_mb, 1);
    assert_near(memory_of(fixture.profile, 13)->at_end_mb, 1);
    assert_near(fixture.profile->footprint.max_mb, 0);
    assert_true(fixture_has_note(fixture.profile, "6 records"));
    fixture_end(&fixture);
}

static void a_profile_while_it_runs_shows_what_is_live(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    write_two_lines(&fixture.writer);
    collector_drain(fixture.collector);
    struct profile *twice = profile_new();
    collector_fill(fixture.collector, twice);
    fixture_collect(&fixture);
    assert_near(memory_of(twice, 15)->at_end_mb, memory_of(fixture.profile, 15)->at_end_mb);
    assert_near(memory_of(twice, 13)->at_peak_mb, 300);
    profile_free(twice);
    fixture_end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_is_credited_to_the_line_that_allocated),
        cmocka_unit_test(a_function_holds_what_its_lines_hold_together),
        cmocka_unit_test(a_lines_error_is_that_of_the_widest_stretch_it_may_begin_in),
        cmocka_unit_test(a_process_that_is_killed_held_what_is_live),
        cmocka_unit_test(what_comes_right_after_the_peak_belongs_to_it),
        cmocka_unit_test(native_threads_and_libraries_are_no_lines),
        cmocka_unit_test(a_library_allocates_for_the_line_that_called_it),
        cmocka_unit_test(sampled_blocks_have_weights_and_errors),
        cmocka_unit_test(growth_moves_a_block_and_counts_what_was_added),
        cmocka_unit_test(growth_by_little_stays_with_its_line),
        cmocka_unit_test(growth_that_a_point_hit_has_the_error_of_points),
        cmocka_unit_test(what_found_no_room_is_in_the_totals_alone),
        cmocka_unit_test(a_lost_block_is_held_no_longer_and_told),
        cmocka_unit_test(the_footprint_is_the_sum_over_processes),
        cmocka_unit_test(a_peak_that_is_told_late_does_not_change_who_held_it),
        cmocka_unit_test(what_a_process_has_freed_is_in_no_peak_of_another),
        cmocka_unit_test(numbers_that_cannot_be_are_left_out),
        cmocka_unit_test(a_profile_while_it_runs_shows_what_is_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

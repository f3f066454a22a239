// SPDX-License-Identifier: Apache-2.0
// Leaks from the records of a process to its profile.
#include <math.h>

#include "collector_fixture.h"
#include "unit.h"

#define KB      1024u
#define MB      1048576.0
#define STEP_NS 98000000u
#define STEPS   600 // almost up to now: the run began a minute ago

struct program {
    struct fixture fixture;
    uint64_t last_block;
    int64_t footprint;
};

static void begin(struct program *program, bool has_leak_detector)
{
    *program = (struct program){0};
    struct fixture_options options = {
        .is_alive = true, .has_memory = true, .has_leak_detector = has_leak_detector};
    fixture_begin(&program->fixture, &options);
    fixture_add_codes(&program->fixture);
}

// A new block, or one that has grown to a size.
static void allocate(struct program *program, uint64_t block, unsigned kb, unsigned added_kb,
                     int index)
{
    struct record_frame frame = writer_frame(1, index);
    writer_allocation(&program->fixture.writer,
                      &(struct writer_allocation){.block = block,
                                                  .size = kb * KB,
                                                  .added = added_kb * KB,
                                                  .flags = kb > added_kb ? ALLOCATION_IS_GROWTH : 0,
                                                  .frames = &frame,
                                                  .frame_count = 1});
    program->footprint += added_kb * KB;
    writer_footprint(&program->fixture.writer, program->footprint, program->footprint);
}

static void release(struct program *program, uint64_t block, unsigned kb)
{
    writer_block(&program->fixture.writer, block, 0, BLOCK_IS_FREED);
    program->footprint -= kb * KB;
    writer_footprint(&program->fixture.writer, program->footprint, program->footprint);
}

// Line 15 makes a block and frees it; `keep` does what else happens.
static void run(struct program *program, void (*keep)(struct program *program, unsigned step))
{
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t block = ++program->last_block;
        allocate(program, block, 128, 128, 5);
        keep(program, step);
        program->fixture.writer.now_ns += STEP_NS;
        release(program, block, 128);
        if (step % 50 == 0) {
            collector_drain(program->fixture.collector);
        }
    }
    assert_int_equal(program->fixture.writer.full_count, 0);
}

static void keep_a_block(struct program *program, unsigned step)
{
    (void)step;
    allocate(program, ++program->last_block, 64, 64, 3);
}

// One block, made longer by lines 13 and 14 in turn.
static void grow_a_block(struct program *program, unsigned step)
{
    uint64_t block = UINT64_C(1) << 40;
    allocate(program, block, 64 * (step + 1), 64, step % 2 ? 3 : 4);
}

static const struct profile_leak *leak_of(struct profile *profile, int number)
{
    assert_int_equal(profile->file_count, 1);
    assert_string_equal(profile->files[0].path, FIXTURE_FILE);
    return &profile_line(&profile->files[0], number)->leak;
}

static void assert_leaks(struct profile *profile, int number)
{
    const struct profile_leak *leak = leak_of(profile, number);
    assert_true(leak->likelihood >= 0.95 && leak->likelihood <= 1);
    double mb_s = 64 * KB / MB / (STEP_NS / 1e9);
    if (fabs(leak->velocity_mb_s / mb_s - 1) > 0.05) {
        fail_msg("%f MB/s instead of %f", leak->velocity_mb_s, mb_s);
    }
}

static void a_line_that_keeps_is_reported_and_one_that_frees_is_not(void **state)
{
    (void)state;
    struct program program;
    begin(&program, true);
    run(&program, keep_a_block);
    collector_drain(program.fixture.collector);
    struct profile *running = profile_new();
    collector_fill(program.fixture.collector, running);
    for (uint64_t block = 2; block <= program.last_block; block += 2) {
        writer_block(&program.fixture.writer, block, 0, BLOCK_IS_FREED | BLOCK_AT_END);
    }
    writer_process_end(&program.fixture.writer, 10000000, 0);
    fixture_collect(&program.fixture);
    assert_leaks(running, 13);
    assert_true(leak_of(running, 15)->likelihood == 0);
    assert_leaks(program.fixture.profile, 13);
    assert_true(leak_of(program.fixture.profile, 15)->likelihood == 0);
    profile_free(running);
    fixture_end(&program.fixture);
}

static void a_killed_process_is_judged_too(void **state)
{
    (void)state;
    struct program program;
    begin(&program, true);
    run(&program, keep_a_block);
    fixture_collect(&program.fixture);
    assert_true(leak_of(program.fixture.profile, 13)->likelihood >= 0.95);
    fixture_end(&program.fixture);
}

static void a_block_that_lines_take_over_from_each_other_leaks_once(void **state)
{
    (void)state;
    struct program program;
    begin(&program, true);
    run(&program, grow_a_block);
    writer_process_end(&program.fixture.writer, 10000000, 0);
    fixture_collect(&program.fixture);
    assert_leaks(program.fixture.profile, 13); // it was the last
    assert_true(leak_of(program.fixture.profile, 14)->likelihood == 0);
    fixture_end(&program.fixture);
}

static void without_the_detector_nothing_is_reported(void **state)
{
    (void)state;
    struct program program;
    begin(&program, false);
    run(&program, keep_a_block);
    writer_process_end(&program.fixture.writer, 10000000, 0);
    fixture_collect(&program.fixture);
    assert_true(leak_of(program.fixture.profile, 13)->likelihood == 0);
    fixture_end(&program.fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_keeps_is_reported_and_one_that_frees_is_not),
        cmocka_unit_test(a_killed_process_is_judged_too),
        cmocka_unit_test(a_block_that_lines_take_over_from_each_other_leaks_once),
        cmocka_unit_test(without_the_detector_nothing_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

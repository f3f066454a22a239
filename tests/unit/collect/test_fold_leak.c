// SPDX-License-Identifier: Apache-2.0
// Leaks from the records of a process to its profile.
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/collector.h"
#include "synthetic_writer.h"
#include "unit.h"

#define FILE_A  "/folder/a.py"
#define KB      1024u
#define MB      1048576.0
#define STEP_NS 98000000u
#define STEPS   600 // almost up to now: the run began a minute ago

struct fixture {
    struct writer_run run;
    struct writer writer;
    struct collector *collector;
    struct profile *profile;
    uint64_t last_block;
    int64_t footprint;
};

static const struct filter filter = {.program_dir = "/folder"};

// A process that does nothing, whose ring is written for it.
static int start_child(void)
{
    int pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails does not come to its end
        for (;;) {
            pause();
        }
    }
    assert_true(pid > 0);
    return pid;
}

static void begin(struct fixture *fixture, bool has_leak_detector)
{
    struct error err;
    *fixture = (struct fixture){0};
    writer_run_begin(&fixture->run);
    writer_open(&fixture->writer, &fixture->run, start_child(), getpid());
    struct collector_options options = {.run_dir = fixture->run.folder,
                                        .filter = &filter,
                                        .period_s = 0.01,
                                        .has_stacks = true,
                                        .has_memory = true,
                                        .has_leak_detector = has_leak_detector,
                                        .start_ns = fixture->run.start_ns,
                                        .root_pid = fixture->writer.pid};
    assert_true(collector_new(&fixture->collector, &options, &err));
    writer_code(&fixture->writer, 1, FILE_A, "work", 10, 20);
    writer_thread_begin(&fixture->writer, fixture->writer.pid, 0);
}

static void end(struct fixture *fixture)
{
    profile_free(fixture->profile);
    collector_free(fixture->collector);
    writer_close(&fixture->writer);
    writer_run_end(&fixture->run);
}

static void collect(struct fixture *fixture)
{
    kill(fixture->writer.pid, SIGKILL);
    assert_int_equal(waitpid(fixture->writer.pid, NULL, 0), fixture->writer.pid);
    collector_drain(fixture->collector);
    struct collector_ending ending = {.end_ns = fixture->writer.now_ns};
    collector_root_ended(fixture->collector, &ending);
    fixture->profile = profile_new();
    collector_fill(fixture->collector, fixture->profile);
}

// A new block, or one that has grown to a size.
static void allocate(struct fixture *fixture, uint64_t block, unsigned kb, unsigned added_kb,
                     int index)
{
    struct record_frame frame = writer_frame(1, index);
    writer_allocation(&fixture->writer,
                      &(struct writer_allocation){.block = block,
                                                  .size = kb * KB,
                                                  .added = added_kb * KB,
                                                  .flags = kb > added_kb ? ALLOCATION_IS_GROWTH : 0,
                                                  .frames = &frame,
                                                  .frame_count = 1});
    fixture->footprint += added_kb * KB;
    writer_footprint(&fixture->writer, fixture->footprint, fixture->footprint);
}

static void release(struct fixture *fixture, uint64_t block, unsigned kb)
{
    writer_block(&fixture->writer, block, 0, BLOCK_IS_FREED);
    fixture->footprint -= kb * KB;
    writer_footprint(&fixture->writer, fixture->footprint, fixture->footprint);
}

// Line 15 makes a block and frees it; `keep` does what else happens.
static void run(struct fixture *fixture, void (*keep)(struct fixture *fixture, unsigned step))
{
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t block = ++fixture->last_block;
        allocate(fixture, block, 128, 128, 5);
        keep(fixture, step);
        fixture->writer.now_ns += STEP_NS;
        release(fixture, block, 128);
        if (step % 50 == 0) {
            collector_drain(fixture->collector);
        }
    }
    assert_int_equal(fixture->writer.full_count, 0);
}

static void keep_a_block(struct fixture *fixture, unsigned step)
{
    (void)step;
    allocate(fixture, ++fixture->last_block, 64, 64, 3);
}

// One block, made longer by lines 13 and 14 in turn.
static void grow_a_block(struct fixture *fixture, unsigned step)
{
    uint64_t block = UINT64_C(1) << 40;
    allocate(fixture, block, 64 * (step + 1), 64, step % 2 ? 3 : 4);
}

static const struct profile_leak *leak_of(struct profile *profile, int number)
{
    assert_int_equal(profile->file_count, 1);
    assert_string_equal(profile->files[0].path, FILE_A);
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
    struct fixture fixture;
    begin(&fixture, true);
    run(&fixture, keep_a_block);
    collector_drain(fixture.collector);
    struct profile *running = profile_new();
    collector_fill(fixture.collector, running);
    for (uint64_t block = 2; block <= fixture.last_block; block += 2) {
        writer_block(&fixture.writer, block, 0, BLOCK_IS_FREED | BLOCK_AT_END);
    }
    writer_process_end(&fixture.writer, 10000000, 0);
    collect(&fixture);
    assert_leaks(running, 13);
    assert_true(leak_of(running, 15)->likelihood == 0);
    assert_leaks(fixture.profile, 13);
    assert_true(leak_of(fixture.profile, 15)->likelihood == 0);
    profile_free(running);
    end(&fixture);
}

static void a_killed_process_is_judged_too(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, true);
    run(&fixture, keep_a_block);
    collect(&fixture);
    assert_true(leak_of(fixture.profile, 13)->likelihood >= 0.95);
    end(&fixture);
}

static void a_block_that_lines_take_over_from_each_other_leaks_once(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, true);
    run(&fixture, grow_a_block);
    writer_process_end(&fixture.writer, 10000000, 0);
    collect(&fixture);
    assert_leaks(fixture.profile, 13); // it was the last
    assert_true(leak_of(fixture.profile, 14)->likelihood == 0);
    end(&fixture);
}

static void without_the_detector_nothing_is_reported(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, false);
    run(&fixture, keep_a_block);
    writer_process_end(&fixture.writer, 10000000, 0);
    collect(&fixture);
    assert_true(leak_of(fixture.profile, 13)->likelihood == 0);
    end(&fixture);
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

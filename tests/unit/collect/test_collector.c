// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector_fixture.h"
#include "unit.h"

#define PID WRITER_GONE_PID

static void begin(struct fixture *fixture)
{
    fixture_begin(fixture, &(struct fixture_options){0});
    fixture_add_codes(fixture);
}

static void write_samples(struct writer *writer, int count, struct writer_sample sample)
{
    for (int i = 0; i < count; i++) {
        writer->now_ns += WRITER_PERIOD_NS;
        assert_true(writer_sample(writer, &sample));
    }
}

static void samples_become_lines_of_their_kind(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    struct record_frame python[] = {writer_frame(1, 3)};
    struct record_frame native[] = {writer_frame(1, 5)};
    struct record_frame kernel[] = {writer_frame(1, 7)};
    writer_module_of(writer, (const void *)samples_become_lines_of_their_kind);
    write_samples(writer, 20,
                  (struct writer_sample){.tid = PID, .frames = python, .frame_count = 1});
    write_samples(writer, 20,
                  (struct writer_sample){.tid = PID,
                                         .frames = native,
                                         .frame_count = 1,
                                         .stack_len = 512,
                                         .ip = (const void *)samples_become_lines_of_their_kind});
    write_samples(writer, 10,
                  (struct writer_sample){
                      .tid = PID, .frames = kernel, .frame_count = 1, .flags = SAMPLE_IN_CALL});
    writer_thread_end(writer, PID, 500000000, 100000000);
    writer_process_end(writer, 500000000, 100000000);
    fixture_collect(&fixture);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 13)->times.python_s, 0.2);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 15)->times.native_s, 0.2);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 17)->times.system_s, 0.1);
    assert_near(profile_times_cpu_s(&fixture.profile->totals), 0.5);
    assert_int_equal(fixture.profile->quality.cpu_samples, 50);
    assert_int_equal(fixture.profile->quality.cpu_samples_lost, 0);
    assert_int_equal(fixture.profile->process_count, 1);
    assert_near(fixture.profile->processes[0].cpu_s, 0.5);
    fixture_end(&fixture);
}

static void time_while_profiling_was_off_is_of_no_line_and_no_total(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame seen[] = {writer_frame(1, 3)};
    write_samples(&fixture.writer, 20,
                  (struct writer_sample){.tid = PID, .frames = seen, .frame_count = 1});
    write_samples(&fixture.writer, 30, (struct writer_sample){.tid = PID, .flags = SAMPLE_IS_OFF});
    writer_thread_end(&fixture.writer, PID, 550000000, 0); // 10 % more than was sampled
    writer_process_end(&fixture.writer, 550000000, 0);
    fixture_collect(&fixture);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 13)->times.python_s, 0.22);
    assert_near(profile_times_cpu_s(&fixture.profile->totals), 0.22);
    assert_int_equal(fixture.profile->quality.cpu_samples, 20);
    assert_near(fixture.profile->quality.cpu_unattributed_s, 0);
    assert_near(fixture.profile->processes[0].cpu_s, 0.55);
    fixture_end(&fixture);
}

static void what_is_far_too_late_counts_where_the_thread_was_last_seen(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame seen[] = {writer_frame(1, 3)};
    struct record_frame call[] = {writer_frame(1, 5)};
    struct writer_sample late = {
        .tid = PID, .frames = call, .frame_count = 1, .flags = SAMPLE_IS_LATE};
    write_samples(&fixture.writer, 4,
                  (struct writer_sample){.tid = PID, .frames = seen, .frame_count = 1});
    late.flags |= SAMPLE_IS_LAST;
    write_samples(&fixture.writer, 3, late);
    late.flags = SAMPLE_IS_LATE;
    write_samples(&fixture.writer, 2, late);
    writer_thread_end(&fixture.writer, PID, 90000000, 0);
    writer_process_end(&fixture.writer, 90000000, 0);
    fixture_collect(&fixture);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 13)->times.python_s, 0.07);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 15)->times.python_s, 0.02);
    assert_int_equal(fixture.profile->quality.cpu_samples_late, 5);
    fixture_end(&fixture);
}

static void a_library_is_the_line_that_called_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame frames[] = {writer_frame(2, 1), writer_frame(1, 2), writer_frame(1, 0)};
    write_samples(&fixture.writer, 5,
                  (struct writer_sample){.tid = PID, .frames = frames, .frame_count = 3});
    writer_thread_end(&fixture.writer, PID, 50000000, 0);
    fixture_collect(&fixture);
    assert_int_equal(fixture.profile->file_count, 1);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 12)->times.python_s, 0.05);
    assert_int_equal(fixture.profile->stack_count, 1);
    assert_int_equal(fixture.profile->stacks[0].frame_count, 3);
    assert_int_equal(fixture.profile->stacks[0].hits, 5);
    fixture_end(&fixture);
}

// From 3.13 on a frame that is no call stands outside a constructor's, in a file of no folder.
static void a_constructor_of_a_library_is_the_line_that_called_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    writer_shim(&fixture.writer, 3);
    struct record_frame frames[] = {writer_frame(2, 1), writer_frame(3, 0), writer_frame(1, 2)};
    write_samples(&fixture.writer, 5,
                  (struct writer_sample){.tid = PID, .frames = frames, .frame_count = 3});
    writer_thread_end(&fixture.writer, PID, 50000000, 0);
    fixture_collect(&fixture);
    assert_int_equal(fixture.profile->file_count, 1);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 12)->times.python_s, 0.05);
    assert_int_equal(fixture.profile->stacks[0].frame_count, 2);
    fixture_end(&fixture);
}

// A second of one thread: 0.1 s of computing, 0.4 s of sleep, then a lock until the end.
static void waits_are_counted_by_kind_and_idle_once(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    struct record_frame frames[] = {writer_frame(1, 0)};
    write_samples(writer, 10,
                  (struct writer_sample){.tid = PID, .frames = frames, .frame_count = 1});
    writer->now_ns += 400000000;
    writer_wait(writer, PID, WAIT_SLEEP, 400000000, writer_frame(1, 1));
    writer->now_ns += 500000000;
    writer_wait(writer, PID, WAIT_LOCK, 500000000, writer_frame(1, 2));
    writer_thread_end(writer, PID, 100000000, 0);
    fixture_collect(&fixture);
    const struct profile_times *asleep = &fixture_line(fixture.profile, FIXTURE_FILE, 11)->times;
    const struct profile_times *locked = &fixture_line(fixture.profile, FIXTURE_FILE, 12)->times;
    assert_near(asleep->wait_s[PROFILE_WAIT_sleep], 0.4);
    assert_near(locked->wait_s[PROFILE_WAIT_lock], 0.5);
    assert_true(fabs(asleep->idle_s - 0.4) < 0.02);
    assert_true(fabs(locked->idle_s - 0.5) < 0.02);
    assert_near(fixture.profile->threads[0].times.wait_s[PROFILE_WAIT_lock], 0.5);
    fixture_end(&fixture);
}

// After its last sample it is kept from its core for a while.
static void who_has_no_core_at_the_end_is_not_idle(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    struct record_frame frames[] = {writer_frame(1, 0)};
    write_samples(writer, 10,
                  (struct writer_sample){.tid = PID, .frames = frames, .frame_count = 1});
    writer->now_ns += 300000000;
    writer->ready_ns = 295000000;
    writer_thread_end(writer, PID, 105000000, 0);
    fixture_collect(&fixture);
    assert_true(fixture.profile->totals.idle_s < 0.02);
    fixture_end(&fixture);
}

// The program goes on, and tells of its sleep, before it is known that it goes on.
static void a_wait_is_not_read_before_the_stop_within_it_is_known(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    collector_hold_program(fixture.collector, true);
    uint64_t slept_ns = writer->now_ns;
    writer->now_ns += 500000000;
    writer_wait(writer, PID, WAIT_SLEEP, 500000000, writer_frame(1, 1));
    collector_drain(fixture.collector);
    collector_add_stop(fixture.collector, slept_ns + 100000000, slept_ns + 400000000);
    collector_hold_program(fixture.collector, false);
    writer_thread_end(writer, PID, 0, 0);
    fixture_collect(&fixture);
    assert_near(fixture.profile->totals.wait_s[PROFILE_WAIT_sleep], 0.2);
    fixture_end(&fixture);
}

static void a_number_of_a_thread_used_again_loses_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer *writer = &fixture.writer;
    struct record_frame frames[] = {writer_frame(1, 0)};
    for (int i = 0; i < 3; i++) {
        writer_thread_begin(writer, PID + 1, 4096);
        write_samples(writer, 4,
                      (struct writer_sample){.tid = PID + 1, .frames = frames, .frame_count = 1});
        writer_thread_end(writer, PID + 1, 40000000, 0);
    }
    writer_thread_end(writer, PID, 30000000, 0);
    writer_process_end(writer, 150000000, 0);
    fixture_collect(&fixture);
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 10)->times.python_s, 0.12);
    assert_near(profile_times_cpu_s(&fixture.profile->totals), 0.15);
    assert_int_equal(fixture.profile->thread_count, 2);
    assert_true(fixture_has_note(fixture.profile, "2 more threads"));
    fixture_end(&fixture);
}

static void records_that_make_no_sense_are_counted_and_left_out(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    uint8_t ones[256];
    memset(ones, 0xff, sizeof ones);
    size_t count = 0;
    for (int type = RECORD_NONE + 1; type < RECORD_TYPE_COUNT; type++) {
        assert_true(writer_raw(&fixture.writer, (enum record_type)type, ones, 8)); // too short
        assert_true(writer_raw(&fixture.writer, (enum record_type)type, ones, sizeof ones));
        count += 2;
    }
    struct record_frame frames[] = {writer_frame(1, 0)};
    write_samples(&fixture.writer, 3,
                  (struct writer_sample){.tid = PID, .frames = frames, .frame_count = 1});
    writer_thread_end(&fixture.writer, PID, 30000000, 0);
    fixture_collect(&fixture);
    char note[32];
    snprintf(note, sizeof note, "%zu records", count);
    assert_true(fixture_has_note(fixture.profile, note));
    assert_near(profile_times_cpu_s(&fixture.profile->totals), 0.03);
    assert_int_equal(fixture.profile->quality.cpu_samples, 3);
    fixture_end(&fixture);
}

static void who_runs_is_told_without_reading_what_others_are_to_read(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    collector_drain(fixture.collector); // the process is gone, and with it all that is known
    collector_root_ended(fixture.collector,
                         &(struct collector_ending){.end_ns = fixture.writer.now_ns});
    struct writer child;
    writer_open(&child, &fixture.run, PID + 1, PID);
    uint64_t unread = atomic_load(&child.ring.header->tail);
    assert_int_equal(collector_known_running(fixture.collector, NULL, 0), 0);
    assert_int_equal(atomic_load(&child.ring.header->tail), unread);
    collector_running(fixture.collector, NULL, 0);
    assert_true(atomic_load(&child.ring.header->tail) > unread);
    writer_close(&child);
    fixture_collect(&fixture);
    fixture_end(&fixture);
}

static void a_record_from_the_future_is_left_out(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct record_frame frames[] = {writer_frame(1, 0)};
    struct writer_sample sample = {.tid = PID, .frames = frames, .frame_count = 1};
    write_samples(&fixture.writer, 1, sample);
    uint64_t now_ns = fixture.writer.now_ns;
    fixture.writer.now_ns += 86400000000000u;
    assert_true(writer_sample(&fixture.writer, &sample));
    writer_wait(&fixture.writer, PID, WAIT_SLEEP, 1000000, frames[0]);
    fixture.writer.now_ns = now_ns;
    writer_wait(&fixture.writer, PID, WAIT_SLEEP, 86400000000000u, frames[0]);
    writer_thread_end(&fixture.writer, PID, 10000000, 0);
    fixture_collect(&fixture);
    assert_true(fixture_has_note(fixture.profile, "3 records"));
    assert_int_equal(fixture.profile->quality.cpu_samples, 1);
    assert_near(fixture.profile->totals.wait_s[PROFILE_WAIT_sleep], 0);
    fixture_end(&fixture);
}

static void a_forked_child_has_its_parents_command_and_files(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct writer child;
    writer_open(&child, &fixture.run, PID + 1, PID);
    writer_close(&child);
    struct ring ring = {0}; // made anew, as a fork makes it
    char path[128];
    snprintf(path, sizeof path, "%s/%d.0", fixture.run.folder, PID + 1);
    unlink(path);
    assert_true(ring_create(&ring, path, RING_MIN_BYTES));
    child = (struct writer){.ring = ring, .pid = PID + 1, .now_ns = fixture.run.start_ns};
    struct record_process intro = {
        .time_ns = child.now_ns, .pid = PID + 1, .parent_pid = PID, .is_forked = 1};
    assert_true(writer_raw(&child, RECORD_PROCESS, (const char *)&intro + sizeof intro.header,
                           sizeof intro - sizeof intro.header));
    writer_code(&child, 1, "a.py", "work", 10, 20); // relative: the parent's folder is the child's
    struct record_frame frames[] = {writer_frame(1, 1)};
    write_samples(&child, 2,
                  (struct writer_sample){.tid = PID + 1, .frames = frames, .frame_count = 1});
    writer_thread_end(&child, PID + 1, 20000000, 0);
    fixture.writer.now_ns = child.now_ns;
    fixture_collect(&fixture);
    assert_int_equal(fixture.profile->process_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(fixture.profile->processes[i].command_count, 2);
        assert_string_equal(fixture.profile->processes[i].command[1], "program.py");
    }
    assert_near(fixture_line(fixture.profile, FIXTURE_FILE, 11)->times.python_s, 0.02);
    writer_close(&child);
    fixture_end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_become_lines_of_their_kind),
        cmocka_unit_test(time_while_profiling_was_off_is_of_no_line_and_no_total),
        cmocka_unit_test(what_is_far_too_late_counts_where_the_thread_was_last_seen),
        cmocka_unit_test(a_library_is_the_line_that_called_it),
        cmocka_unit_test(a_constructor_of_a_library_is_the_line_that_called_it),
        cmocka_unit_test(waits_are_counted_by_kind_and_idle_once),
        cmocka_unit_test(who_has_no_core_at_the_end_is_not_idle),
        cmocka_unit_test(a_wait_is_not_read_before_the_stop_within_it_is_known),
        cmocka_unit_test(a_number_of_a_thread_used_again_loses_nothing),
        cmocka_unit_test(records_that_make_no_sense_are_counted_and_left_out),
        cmocka_unit_test(who_runs_is_told_without_reading_what_others_are_to_read),
        cmocka_unit_test(a_record_from_the_future_is_left_out),
        cmocka_unit_test(a_forked_child_has_its_parents_command_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

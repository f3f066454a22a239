// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/collector.h"
#include "synthetic_writer.h"
#include "unit.h"

#define PID      WRITER_GONE_PID
#define PERIOD_S 0.01
#define FILE_A   "/folder/a.py"

struct fixture {
    struct writer_run run;
    struct writer writer;
    struct collector *collector;
    struct profile *profile;
};

static const struct filter filter = {.program_dir = "/folder"};

static void begin(struct fixture *fixture)
{
    struct error err;
    *fixture = (struct fixture){0};
    writer_run_begin(&fixture->run);
    writer_open(&fixture->writer, &fixture->run, PID, 1);
    struct collector_options options = {.run_dir = fixture->run.folder,
                                        .filter = &filter,
                                        .period_s = PERIOD_S,
                                        .has_stacks = true,
                                        .start_ns = fixture->run.start_ns,
                                        .root_pid = PID};
    assert_true(collector_new(&fixture->collector, &options, &err));
    writer_code(&fixture->writer, 1, FILE_A, "work", 10, 20);
    writer_code(&fixture->writer, 2, "/usr/lib/python3.12/json/decoder.py", "decode", 300, 5);
    writer_thread_begin(&fixture->writer, PID, 0);
}

// The root ends where the writer stands.
static void collect(struct fixture *fixture)
{
    collector_drain(fixture->collector);
    struct collector_ending ending = {.end_ns = fixture->writer.now_ns};
    collector_root_ended(fixture->collector, &ending);
    fixture->profile = profile_new();
    collector_fill(fixture->collector, fixture->profile);
}

static void end(struct fixture *fixture)
{
    profile_free(fixture->profile);
    collector_free(fixture->collector);
    writer_close(&fixture->writer);
    writer_run_end(&fixture->run);
}

static void write_samples(struct writer *writer, int count, struct writer_sample sample)
{
    for (int i = 0; i < count; i++) {
        writer->now_ns += WRITER_PERIOD_NS;
        assert_true(writer_sample(writer, &sample));
    }
}

static const struct profile_line *line_of(struct profile *profile, const char *path, int number)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        for (size_t j = 0; strcmp(file->path, path) == 0 && j < file->line_count; j++) {
            if (file->lines[j].number == number) {
                return &file->lines[j];
            }
        }
    }
    fail_msg("%s has no line %d", path, number);
    return NULL;
}

static void assert_seconds(double found, double expected)
{
    if (fabs(found - expected) > 1e-6) {
        fail_msg("%.9f s instead of %.9f s", found, expected);
    }
}

static bool has_note(const struct profile *profile, const char *part)
{
    for (size_t i = 0; i < profile->quality.note_count; i++) {
        if (strstr(profile->quality.notes[i], part)) {
            return true;
        }
    }
    return false;
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
    collect(&fixture);
    assert_seconds(line_of(fixture.profile, FILE_A, 13)->times.python_s, 0.2);
    assert_seconds(line_of(fixture.profile, FILE_A, 15)->times.native_s, 0.2);
    assert_seconds(line_of(fixture.profile, FILE_A, 17)->times.system_s, 0.1);
    assert_seconds(profile_times_cpu_s(&fixture.profile->totals), 0.5);
    assert_int_equal(fixture.profile->quality.cpu_samples, 50);
    assert_int_equal(fixture.profile->quality.cpu_samples_lost, 0);
    assert_int_equal(fixture.profile->process_count, 1);
    assert_seconds(fixture.profile->processes[0].cpu_s, 0.5);
    end(&fixture);
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
    collect(&fixture);
    assert_int_equal(fixture.profile->file_count, 1);
    assert_seconds(line_of(fixture.profile, FILE_A, 12)->times.python_s, 0.05);
    assert_int_equal(fixture.profile->stack_count, 1);
    assert_int_equal(fixture.profile->stacks[0].frame_count, 3);
    assert_int_equal(fixture.profile->stacks[0].hits, 5);
    end(&fixture);
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
    collect(&fixture);
    const struct profile_times *asleep = &line_of(fixture.profile, FILE_A, 11)->times;
    const struct profile_times *locked = &line_of(fixture.profile, FILE_A, 12)->times;
    assert_seconds(asleep->wait_s[PROFILE_WAIT_sleep], 0.4);
    assert_seconds(locked->wait_s[PROFILE_WAIT_lock], 0.5);
    assert_true(fabs(asleep->idle_s - 0.4) < 0.02);
    assert_true(fabs(locked->idle_s - 0.5) < 0.02);
    assert_seconds(fixture.profile->threads[0].times.wait_s[PROFILE_WAIT_lock], 0.5);
    end(&fixture);
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
    collect(&fixture);
    assert_seconds(line_of(fixture.profile, FILE_A, 10)->times.python_s, 0.12);
    assert_seconds(profile_times_cpu_s(&fixture.profile->totals), 0.15);
    assert_int_equal(fixture.profile->thread_count, 2);
    assert_true(has_note(fixture.profile, "2 more threads"));
    end(&fixture);
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
    collect(&fixture);
    char note[32];
    snprintf(note, sizeof note, "%zu records", count);
    assert_true(has_note(fixture.profile, note));
    assert_seconds(profile_times_cpu_s(&fixture.profile->totals), 0.03);
    assert_int_equal(fixture.profile->quality.cpu_samples, 3);
    end(&fixture);
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
    collect(&fixture);
    assert_true(has_note(fixture.profile, "3 records"));
    assert_int_equal(fixture.profile->quality.cpu_samples, 1);
    assert_seconds(fixture.profile->totals.wait_s[PROFILE_WAIT_sleep], 0);
    end(&fixture);
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
    collect(&fixture);
    assert_int_equal(fixture.profile->process_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(fixture.profile->processes[i].command_count, 2);
        assert_string_equal(fixture.profile->processes[i].command[1], "program.py");
    }
    assert_seconds(line_of(fixture.profile, FILE_A, 11)->times.python_s, 0.02);
    writer_close(&child);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_become_lines_of_their_kind),
        cmocka_unit_test(a_library_is_the_line_that_called_it),
        cmocka_unit_test(waits_are_counted_by_kind_and_idle_once),
        cmocka_unit_test(a_number_of_a_thread_used_again_loses_nothing),
        cmocka_unit_test(records_that_make_no_sense_are_counted_and_left_out),
        cmocka_unit_test(a_record_from_the_future_is_left_out),
        cmocka_unit_test(a_forked_child_has_its_parents_command_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

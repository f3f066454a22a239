// SPDX-License-Identifier: Apache-2.0
// The collector under load, and what it keeps of a program that goes on for weeks.
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "collect/run.h"
#include "collector_fixture.h"
#include "unit.h"

static void begin(struct fixture *fixture)
{
    fixture_begin(fixture, &(struct fixture_options){.is_alive = true});
}

static void make_room(struct fixture *fixture)
{
    if (ring_fill_percent(&fixture->writer.ring) > 25) {
        collector_drain(fixture->collector);
    }
}

static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

enum {
    WRITERS = 4,
    DEPTH = 32,
    COPY_BYTES = 2048,
    BURSTS = 200,   // in two seconds
    PER_BURST = 16, // samples of each writer
    TOTAL = WRITERS * BURSTS * PER_BURST,
    RATE = TOTAL / 2 // samples a second
};

struct busy_thread {
    struct writer writer; // the same ring in each
    int tid;
    pthread_t thread;
};

static atomic_uint asked; // how many samples were to be written so far, lost or not

static bool write_sample(struct writer *writer, int tid, int line, int outer_line)
{
    struct record_frame frames[DEPTH];
    for (int k = 0; k < DEPTH; k++) {
        frames[k] = writer_frame((uint32_t)k + 1, k == 0 ? line : outer_line);
    }
    struct writer_sample sample = {.tid = tid,
                                   .frames = frames,
                                   .frame_count = DEPTH,
                                   .stack_len = COPY_BYTES,
                                   .ip = (const void *)write_sample};
    return writer_sample(writer, &sample);
}

// Points of CPU time come in step with the kernel's ticks: in bursts.
static void *write_bursts(void *argument)
{
    struct busy_thread *busy = argument;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int i = 0; i < BURSTS; i++) {
        for (int j = 0; j < PER_BURST; j++) {
            atomic_fetch_add(&asked, 1);
            write_sample(&busy->writer, busy->tid, i % 10, j);
        }
        busy->writer.now_ns += WRITER_PERIOD_NS;
        next.tv_nsec += WRITER_PERIOD_NS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return NULL;
}

static void start_threads(struct fixture *fixture, struct busy_thread busy[WRITERS])
{
    writer_module_of(&fixture->writer, (const void *)write_sample);
    for (uint32_t i = 1; i <= DEPTH; i++) {
        writer_code(&fixture->writer, i, FIXTURE_FILE, "function", (int)i * 100, 20);
    }
    for (int i = 0; i < WRITERS; i++) {
        busy[i] = (struct busy_thread){fixture->writer, fixture->writer.pid + 1 + i, 0};
        writer_thread_begin(&fixture->writer, busy[i].tid, 4096);
    }
    collector_drain(fixture->collector); // so that all of the ring is for samples
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&busy[i].thread, NULL, write_bursts, &busy[i]), 0);
    }
}

// How many samples a ring takes: with their copies until it is half full, then without.
static unsigned room_for_samples(void)
{
    struct fixture fixture;
    unsigned count = 0;
    begin(&fixture);
    collector_drain(fixture.collector);
    while (write_sample(&fixture.writer, fixture.writer.pid, 0, 0)) {
        count++;
    }
    collector_drain(fixture.collector);
    writer_thread_end(&fixture.writer, fixture.writer.pid, 0, 0);
    fixture_collect(&fixture);
    fixture_end(&fixture);
    // At half each writer may find room for a copy that the others take meanwhile: one has the
    // bytes of fewer than eight samples without.
    return count - 8 * WRITERS;
}

// From the begin of one drain that empties the ring to the end of the next the ring has to take all
// that is written. A machine that keeps the collector from its core, or writers, who make up for it
// later, may bring more than fits; so may one that keeps a writer from it in the middle of a
// record, which nobody reads past. What comes in the collector's own pauses and CPU time is no
// excuse.
struct stretch {
    unsigned asked; // when it began
    double begin_s;
    double paused_s;
    bool is_held_up;
};

static struct stretch begin_stretch(void)
{
    return (struct stretch){.asked = atomic_load(&asked), .begin_s = cpu_s()};
}

static unsigned excess(const struct stretch *stretch, unsigned room)
{
    unsigned written = atomic_load(&asked) - stretch->asked;
    double own_s = stretch->paused_s + cpu_s() - stretch->begin_s;
    double expected = own_s * RATE > room && !stretch->is_held_up ? own_s * RATE : room;
    return written > expected ? (unsigned)(written - expected) : 0;
}

// Until all samples were written. Returns how many may be lost.
static unsigned drain_while_written(struct fixture *fixture, unsigned room)
{
    struct ring_header *header = fixture->writer.ring.header;
    unsigned excused = 0;
    unsigned drains = 1;
    double first_s = cpu_s();
    struct stretch last = begin_stretch();
    unsigned pause_ms = collector_drain(fixture->collector);
    for (; last.asked < TOTAL; drains++) {
        usleep(pause_ms * 1000);
        last.paused_s += pause_ms / 1e3;
        struct stretch next = begin_stretch();
        uint64_t reserved = atomic_load(&header->head);
        pause_ms = collector_drain(fixture->collector);
        if (atomic_load(&header->tail) < reserved) {
            last.is_held_up = true;
            continue;
        }
        excused += excess(&last, room);
        last = next;
    }
    print_message("%.1f us of CPU a sample, %u drains\n", (cpu_s() - first_s) * 1e6 / TOTAL,
                  drains);
    return excused;
}

static void no_sample_is_lost_at_6400_a_second(void **state)
{
    (void)state;
    struct fixture fixture;
    struct busy_thread busy[WRITERS];
    unsigned room = room_for_samples();
    begin(&fixture);
    start_threads(&fixture, busy);
    unsigned excused = drain_while_written(&fixture, room);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(busy[i].thread, NULL);
    }
    collector_drain(fixture.collector);
    print_message("room for %u samples, %u more came in a stall, %llu of %d copies dropped\n", room,
                  excused,
                  (unsigned long long)atomic_load(
                      &fixture.writer.ring.header->counters[COUNTER_copies_dropped]),
                  TOTAL);
    fixture.writer.now_ns = busy[0].writer.now_ns;
    for (int i = 0; i < WRITERS; i++) {
        writer_thread_end(&fixture.writer, busy[i].tid, 2000000000u, 0);
    }
    fixture_collect(&fixture);
    const struct profile_quality *quality = &fixture.profile->quality;
    assert_in_range(quality->cpu_samples_lost, 0, excused);
    assert_int_equal(quality->cpu_samples + quality->cpu_samples_lost, TOTAL);
    assert_int_equal(fixture.profile->files[0].line_count, 10);
    for (size_t i = 0; i < 10 && quality->cpu_samples_lost == 0; i++) {
        assert_near(fixture.profile->files[0].lines[i].times.sample_count, TOTAL / 10);
    }
    assert_false(fixture_has_note(fixture.profile, "records"));
    fixture_end(&fixture);
}

static void the_rarest_stacks_make_room_and_no_line_changes(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    const int common = 100;
    const int rare = 20000;
    int tid = fixture.writer.pid;
    writer_code(&fixture.writer, 1, FIXTURE_FILE, "inner", 10, 10);
    writer_code(&fixture.writer, 2, FIXTURE_FILE, "outer", 1000, rare);
    for (int i = 0; i < rare + 10 * common; i++) {
        int outer = i % 21 == 20 ? i / 21 % common : i;
        struct record_frame frames[] = {writer_frame(1, i % 10), writer_frame(2, outer % rare)};
        frames[0] = writer_frame(1, outer % 10);
        struct writer_sample sample = {.tid = tid, .frames = frames, .frame_count = 2};
        make_room(&fixture);
        assert_true(writer_sample(&fixture.writer, &sample));
    }
    writer_thread_end(&fixture.writer, tid, 1000000000, 0);
    fixture_collect(&fixture);
    struct profile *profile = fixture.profile;
    assert_in_range(profile->combined_count, 8000, 10000);
    assert_true(fixture_has_note(profile, "More than 10000 distinct stacks"));
    assert_near(profile->totals.sample_count, rare + 10 * common);
    assert_int_equal(profile->files[0].line_count, 10);
    uint64_t often = 0;
    for (size_t i = 0; i < profile->combined_count; i++) {
        often += profile->combined[i].hits > 5;
    }
    assert_int_equal(often, common); // those seen most have stayed from the first sight on
    for (size_t i = 0; i < profile->timeline_count; i++) {
        assert_in_range(profile->timeline[i].stack, 0, profile->combined_count - 1);
    }
    fixture_end(&fixture);
}

static void the_timeline_is_bounded_and_counts_every_sample(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    const int count = 250000;
    int tid = fixture.writer.pid;
    writer_code(&fixture.writer, 1, FIXTURE_FILE, "work", 10, 10);
    for (int i = 0; i < count; i++) {
        struct record_frame frames[] = {writer_frame(1, i % 2)};
        struct writer_sample sample = {.tid = tid, .frames = frames, .frame_count = 1};
        make_room(&fixture);
        assert_true(writer_sample(&fixture.writer, &sample));
    }
    writer_thread_end(&fixture.writer, tid, 1000000000, 0);
    fixture_collect(&fixture);
    uint64_t sum = 0;
    for (size_t i = 0; i < fixture.profile->timeline_count; i++) {
        sum += fixture.profile->timeline[i].count;
    }
    assert_in_range(fixture.profile->timeline_count, 50000, 100000);
    assert_int_equal(sum, count);
    fixture_end(&fixture);
}

static void code_objects_without_end_stay_within_bounds(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    const uint32_t count = 200000;
    int tid = fixture.writer.pid;
    writer_code(&fixture.writer, 1, FIXTURE_FILE, "first", 1, 10);
    for (uint32_t i = 2; i <= count; i++) {
        make_room(&fixture);
        writer_code(&fixture.writer, i, FIXTURE_FILE, "made", (int)i * 10, 10);
        if (i % 10000 == 0) { // the first one and the last one are both in use
            struct record_frame frames[] = {writer_frame(1, 5), writer_frame(i, 0)};
            struct writer_sample sample = {.tid = tid, .frames = frames, .frame_count = 2};
            assert_true(writer_sample(&fixture.writer, &sample));
        }
    }
    collector_drain(fixture.collector);
    assert_in_range(code_table_count(fixture.collector->codes), 40000, 101000);
    writer_thread_end(&fixture.writer, tid, 200000000, 0);
    fixture_collect(&fixture);
    assert_int_equal(fixture.profile->files[0].line_count, 1);
    assert_int_equal(fixture.profile->files[0].lines[0].number, 6);
    assert_near(fixture.profile->files[0].lines[0].times.python_s, 0.2);
    assert_false(fixture_has_note(fixture.profile, "records"));
    assert_int_equal(code_table_count(fixture.collector->codes), 0);
    fixture_end(&fixture);
}

static void a_code_object_sent_again_is_kept_once(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (uint32_t i = 1; i <= 1000; i++) {
        make_room(&fixture);
        writer_code(&fixture.writer, i, FIXTURE_FILE, "same", 10, 10);
    }
    collector_drain(fixture.collector);
    assert_int_equal(code_table_count(fixture.collector->codes), 1);
    writer_thread_end(&fixture.writer, fixture.writer.pid, 0, 0);
    fixture_collect(&fixture);
    fixture_end(&fixture);
}

static void short_threads_without_end_stay_within_bounds(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    const int count = 20000;
    int tid = fixture.writer.pid;
    writer_code(&fixture.writer, 1, FIXTURE_FILE, "work", 10, 10);
    for (int i = 1; i <= count; i++) {
        struct record_frame frames[] = {writer_frame(1, 4)};
        struct writer_sample sample = {.tid = tid + i, .frames = frames, .frame_count = 1};
        make_room(&fixture);
        writer_thread_begin(&fixture.writer, tid + i, 4096);
        assert_true(writer_sample(&fixture.writer, &sample));
        writer_thread_end(&fixture.writer, tid + i, 3000000, 0);
    }
    writer_thread_end(&fixture.writer, tid, 1000000, 0);
    writer_process_end(&fixture.writer, (uint64_t)count * 3000000 + 1000000, 0);
    fixture_collect(&fixture);
    assert_int_equal(fixture.profile->thread_count, 4096);
    assert_true(fixture_has_note(fixture.profile, "15905 more threads"));
    assert_near(profile_times_cpu_s(&fixture.profile->totals), count * 0.003 + 0.001);
    fixture_end(&fixture);
}

// Each of them has a thread that used 20 ms, and is gone when it is first looked at.
static void write_process(const struct fixture *fixture, int pid)
{
    struct writer writer;
    struct record_frame frames[] = {writer_frame(1, 4)};
    struct writer_sample sample = {.tid = pid, .frames = frames, .frame_count = 1};
    writer_open(&writer, &fixture->run, pid, fixture->writer.pid);
    for (uint32_t i = 1; i <= 50; i++) {
        writer_code(&writer, i, FIXTURE_FILE, "work", (int)i * 10, 10);
    }
    writer_thread_begin(&writer, pid, 0);
    assert_true(writer_sample(&writer, &sample));
    writer_thread_end(&writer, pid, 20000000, 0);
    writer_process_end(&writer, 20000000, 0);
    writer_close(&writer);
}

static void processes_without_end_stay_within_bounds(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    const int count = 5000;
    size_t before = 0;
    size_t after_listed = 0;
    for (int i = 0; i < count; i++) {
        write_process(&fixture, WRITER_GONE_PID - i);
        collector_drain(fixture.collector);
        before = i == 99 ? bytes_in_use() : before;
        after_listed = i == 4199 ? bytes_in_use() : after_listed;
    }
    size_t per_process = (after_listed - before) / 4100;
    print_message("%zu bytes a process that has ended\n", per_process);
    assert_in_range(per_process, 0, 4096); // 0: a sanitizer's allocator does not tell
    assert_true(bytes_in_use() <= after_listed + 100 * per_process); // and none beyond those listed
    writer_thread_end(&fixture.writer, fixture.writer.pid, 0, 0);
    fixture_collect(&fixture);
    assert_int_equal(fixture.profile->process_count, 4096);
    assert_true(fixture_has_note(fixture.profile, "905 more processes"));
    assert_near(profile_times_cpu_s(&fixture.profile->files[0].lines[0].times), count * 0.02);
    assert_near(fixture.profile->totals.sample_count, count);
    fixture_end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sample_is_lost_at_6400_a_second),
        cmocka_unit_test(the_rarest_stacks_make_room_and_no_line_changes),
        cmocka_unit_test(the_timeline_is_bounded_and_counts_every_sample),
        cmocka_unit_test(code_objects_without_end_stay_within_bounds),
        cmocka_unit_test(a_code_object_sent_again_is_kept_once),
        cmocka_unit_test(short_threads_without_end_stay_within_bounds),
        cmocka_unit_test(processes_without_end_stay_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// stress_ring threads SECONDS: writers and the reader in one process (for the thread sanitizer).
// stress_ring kill SECONDS:    writers in a process that is killed at random moments, again and
// again.
//
// Every thread writes as fast as it can, and a signal handler writes from within it at any moment.
// The reader demands that each record is whole and that no stream has a gap: what was written was
// read, or was counted as dropped, or was being written when its process was killed.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"
#include "stress_record.h"

#define THREADS 3
#define STREAMS (2 * THREADS) // each thread's own, then each thread's handler's

static struct {
    struct ring ring;
    struct stress_stream streams[STREAMS];
    pthread_t threads[THREADS];
    _Atomic bool is_stopping;
} writers;

static _Thread_local int thread_index = -1;

struct reader {
    struct ring *ring;
    uint64_t expected[STREAMS];
    uint64_t torn;
    uint64_t failures;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void on_signal(int number)
{
    (void)number;
    if (thread_index >= 0) {
        stress_write(&writers.ring, &writers.streams[THREADS + thread_index]);
    }
}

static void *write_all_the_time(void *argument)
{
    thread_index = (int)(intptr_t)argument;
    while (!atomic_load_explicit(&writers.is_stopping, memory_order_relaxed)) {
        stress_write(&writers.ring, &writers.streams[thread_index]);
    }
    return NULL;
}

static void start_writers(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    for (uint32_t i = 0; i < STREAMS; i++) {
        writers.streams[i] = (struct stress_stream){.id = i, .seed = now_ns() | 1};
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&writers.threads[i], NULL, write_all_the_time, (void *)(intptr_t)i);
    }
}

static void interrupt_writers(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_kill(writers.threads[i], SIGUSR1);
    }
}

static void complain(struct reader *reader, const char *what, uint32_t stream, uint64_t number)
{
    if (reader->failures++ < 10) {
        fprintf(stderr, "%s: stream %u, number %llu\n", what, stream, (unsigned long long)number);
    }
}

static void read_all(struct reader *reader, bool writer_is_gone)
{
    struct ring_view view = {0};
    while (ring_next(reader->ring, writer_is_gone, &view, &reader->torn)) {
        uint32_t stream = 0;
        uint64_t number = 0;
        if (!stress_check(&view, &stream, &number) || stream >= STREAMS) {
            complain(reader, "a damaged record", stream, number);
        } else if (number != reader->expected[stream]) {
            complain(reader, "a gap", stream, number);
        } else {
            reader->expected[stream]++;
        }
    }
}

static int stress_in_one_process(double seconds)
{
    struct scratch scratch;
    scratch_open(&scratch);
    if (!ring_create(&writers.ring, scratch.path, RING_MIN_BYTES)) {
        fprintf(stderr, "no room for a ring in %s\n", scratch.folder);
        return 1;
    }
    struct reader reader = {.ring = &writers.ring};
    start_writers();
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    while (now_ns() < end) {
        interrupt_writers();
        read_all(&reader, false);
    }
    atomic_store(&writers.is_stopping, true);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(writers.threads[i], NULL);
    }
    read_all(&reader, false);
    uint64_t dropped = 0;
    uint64_t read = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        if (reader.expected[i] != writers.streams[i].number) {
            complain(&reader, "records never came", i, writers.streams[i].number);
        }
        dropped += writers.streams[i].dropped;
        read += reader.expected[i];
    }
    if (reader.torn != 0 ||
        dropped != atomic_load(&writers.ring.header->counters[COUNTER_dropped_full])) {
        complain(&reader, "torn records, or drops not counted", 0, reader.torn);
    }
    printf("%llu records read, %llu dropped\n", (unsigned long long)read,
           (unsigned long long)dropped);
    ring_close(&writers.ring);
    scratch_close(&scratch);
    return reader.failures || read == 0;
}

static void write_until_killed(const char *path)
{
    if (!ring_create(&writers.ring, path, RING_MIN_BYTES)) {
        _exit(1);
    }
    start_writers();
    for (;;) {
        interrupt_writers();
    }
}

// One life: returns what the reader found wrong.
static uint64_t stress_and_kill(struct scratch *scratch, uint64_t *read, uint64_t *torn)
{
    pid_t child = fork();
    if (child == 0) {
        write_until_killed(scratch->path);
    }
    struct ring ring = {0};
    struct reader reader = {.ring = &ring};
    uint64_t end = now_ns() + (uint64_t)(random() % 20000) * 1000;
    while (now_ns() < end) {
        if (ring.header || ring_open(&ring, scratch->path) == RING_OPENED) {
            read_all(&reader, false);
        }
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) {
        complain(&reader, "the writers ended by themselves", 0, (uint64_t)status);
    }
    if (ring.header || ring_open(&ring, scratch->path) == RING_OPENED) {
        read_all(&reader, true);
    }
    // At the most one record of each stream can have been under way.
    if (reader.torn > STREAMS) {
        complain(&reader, "too many torn records", 0, reader.torn);
    }
    for (int i = 0; i < STREAMS; i++) {
        *read += reader.expected[i];
    }
    *torn += reader.torn;
    ring_close(&ring);
    unlink(scratch->path);
    return reader.failures;
}

static int stress_with_kills(double seconds)
{
    struct scratch scratch;
    scratch_open(&scratch);
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    srandom((unsigned)now_ns());
    uint64_t failures = 0;
    uint64_t read = 0;
    uint64_t torn = 0;
    int lives = 0;
    while (now_ns() < end) {
        failures += stress_and_kill(&scratch, &read, &torn);
        lives++;
    }
    printf("%d processes killed, %llu records read, %llu torn\n", lives, (unsigned long long)read,
           (unsigned long long)torn);
    scratch_close(&scratch);
    return failures || read == 0;
}

int main(int argc, char **argv)
{
    double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;
    if (seconds > 0 && strcmp(argv[1], "threads") == 0) {
        return stress_in_one_process(seconds);
    }
    if (seconds > 0 && strcmp(argv[1], "kill") == 0) {
        return stress_with_kills(seconds);
    }
    fprintf(stderr, "usage: %s threads|kill SECONDS\n", argv[0]);
    return 2;
}

// SPDX-License-Identifier: Apache-2.0
// The collector over two processes whose every record comes from the input: a parent and a child,
// both alive or both gone. Whatever they say, the profile's numbers are finite and not negative.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/collector.h"
#include "fuzz.h"
#include "wire/control.h"
#include "wire/ring.h"

#define GONE_PID 0x3ffffff0 // above every limit of the kernel's: no such process
#define START_NS 1000000000u

// How the input announces a record's body.
struct announcement {
    uint8_t type;
    uint8_t ring; // lowest bit
    uint16_t len;
};

static char folder[] = "/dev/shm/scalene-fuzz-XXXXXX";

static void remove_folder(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, folder);
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    char path[128];

    static union {
        struct control control;
        uint8_t page[CONTROL_SIZE];
    } file = {.control = {.magic = CONTROL_MAGIC, .version = CONTROL_VERSION}};

    if (!mkdtemp(folder)) {
        abort();
    }
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, folder);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(&file, sizeof file, 1, out) != 1 || fclose(out) != 0) {
        abort();
    }
    atexit(remove_folder);
}

static void write_records(struct ring rings[2], const uint8_t *data, size_t size)
{
    struct announcement next;
    while (size >= sizeof next) {
        memcpy(&next, data, sizeof next);
        data += sizeof next;
        size -= sizeof next;
        size_t len = next.len < size ? next.len : size;
        enum record_type type = (enum record_type)(next.type % (RECORD_TYPE_COUNT + 1));
        struct record_header *record =
            ring_reserve(&rings[next.ring & 1], type, sizeof *record + len);
        if (record) {
            memcpy(record + 1, data, len);
            ring_commit(record);
        }
        data += len;
        size -= len;
    }
}

static void check_number(double number)
{
    if (!isfinite(number) || number < 0) {
        abort();
    }
}

static void check_times(const struct profile_times *times)
{
    check_number(times->python_s + 1e-9);
    check_number(times->native_s + 1e-9);
    check_number(times->system_s + 1e-9);
    check_number(times->idle_s + 1e-9);
    for (size_t i = 0; i < PROFILE_WAIT_COUNT; i++) {
        check_number(times->wait_s[i]);
    }
}

static void check_points(const struct profile_point *points, size_t count)
{
    if (count > PROFILE_MEMORY_POINT_MAX) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        check_number(points[i].t_s);
        check_number(points[i].mb);
        if (i > 0 && points[i].t_s < points[i - 1].t_s) {
            abort();
        }
    }
}

static void check_memory(const struct profile_memory *memory)
{
    check_number(memory->allocated_mb);
    check_number(memory->python_mb);
    check_number(memory->alloc_count);
    check_number(memory->error_mb);
    check_number(memory->live_error_mb);
    check_number(memory->average_mb);
    check_number(memory->peak_mb - memory->average_mb);
    check_number(memory->at_peak_mb);
    check_number(memory->at_end_mb);
    check_number(memory->copied_mb);
    check_points(memory->points, memory->point_count);
}

static void check_footprint(const struct profile *profile)
{
    const struct profile_footprint *footprint = &profile->footprint;
    check_number(footprint->max_mb);
    check_number(footprint->python_fraction);
    check_number(footprint->growth_percent);
    check_number(footprint->native_at_peak_mb);
    check_number(fabs(footprint->unattributed_at_peak_mb));
    check_points(footprint->points, footprint->point_count);
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        for (size_t j = 0; j < profile->memory_stacks[i].frame_count; j++) {
            if (profile->memory_stacks[i].frames[j] >= profile->frame_count) {
                abort();
            }
        }
    }
}

static void check_profile(struct collector *collector)
{
    struct profile *profile = profile_new();
    collector_fill(collector, profile);
    check_times(&profile->totals);
    check_footprint(profile);
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            check_times(&profile->files[i].lines[j].times);
            check_memory(&profile->files[i].lines[j].memory);
        }
        for (size_t j = 0; j < profile->files[i].function_count; j++) {
            check_memory(&profile->files[i].functions[j].memory);
        }
    }
    for (size_t i = 0; i < profile->thread_count; i++) {
        check_times(&profile->threads[i].times);
    }
    for (size_t i = 0; i < profile->timeline_count; i++) {
        if (profile->timeline[i].stack >= profile->combined_count) {
            abort();
        }
    }
    profile_free(profile);
}

enum input_flag { INPUT_IS_GONE = 1, INPUT_FILLS_TWICE = 2 };

static void collect(int root_pid, struct ring rings[2], const uint8_t *data, size_t size)
{
    static const struct filter filter = {.program_dir = "/", .has_all = true};
    struct collector_options options = {.run_dir = folder,
                                        .filter = &filter,
                                        .period_s = 0.01,
                                        .has_stacks = true,
                                        .has_memory = true,
                                        .start_ns = START_NS,
                                        .root_pid = root_pid};
    struct collector *collector;
    struct error err;
    if (!collector_new(&collector, &options, &err)) {
        abort();
    }
    uint8_t flags = data[0];
    size_t half = (size - 1) / 2;
    write_records(rings, data + 1, half);
    collector_drain(collector);
    if (flags & INPUT_FILLS_TWICE) {
        check_profile(collector);
    }
    if (!(flags & INPUT_IS_GONE)) { // of those that are gone the rings are closed
        write_records(rings, data + 1 + half, size - 1 - half);
    }
    struct collector_ending ending = {.end_ns = START_NS + 1000000000u, .cpu_s = 1};
    collector_root_ended(collector, &ending);
    collector_drain(collector);
    check_profile(collector);
    collector_free(collector);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_made;
    if (!is_made) {
        make_folder();
        is_made = true;
    }
    if (size < 2) {
        return 0;
    }
    int pids[2] = {getpid(), getppid()};
    if (data[0] & INPUT_IS_GONE) {
        pids[0] = GONE_PID;
        pids[1] = GONE_PID + 1;
    }
    struct ring rings[2] = {0};
    for (int i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%d.0", folder, pids[i]);
        if (!ring_create(&rings[i], path, RING_MIN_BYTES)) {
            abort();
        }
    }
    collect(pids[0], rings, data, size);
    ring_close(&rings[0]);
    ring_close(&rings[1]);
    return 0;
}

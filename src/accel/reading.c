// SPDX-License-Identifier: Apache-2.0
#include "accel/reading.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "accel/pace.h"
#include "accel/source.h"

#define SOURCES_MAX    8
#define USE_PERIOD_S   1.0
#define ALIVE_PERIOD_S 1.0
#define STEP_MS        100

_Static_assert(sizeof(struct reading_command) <= 4096, "a command is never half there");
_Static_assert(sizeof(struct message) <= 4096, "nor is a message");

struct opened {
    void *state;
    bool is_tried;
    bool is_over;
    struct pace pace;
    struct source_out out;
};

struct reading {
    struct followed followed;
    struct opened sources[SOURCES_MAX];
    struct pace use_pace;
    struct pace alive_pace;
    uint32_t device_count;
};

void reading_die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(0);
    }
}

// Returns false when nobody will tell anything any more.
static bool take_commands(struct reading *reading, int command_fd, int wait_ms)
{
    struct pollfd entry = {.fd = command_fd, .events = POLLIN};
    while (poll(&entry, 1, wait_ms) > 0) {
        struct reading_command command;
        ssize_t len = read(command_fd, &command, sizeof command);
        if (len == 0) {
            return false;
        }
        if (len != (ssize_t)sizeof command || command.count < 0 ||
            command.count > READING_PROCESSES_MAX) {
            continue;
        }
        followed_take(&reading->followed, command.pids, (size_t)command.count);
        wait_ms = 0;
    }
    return true;
}

static void look_at_use(struct reading *reading, double now_s)
{
    bool is_due = pace_is_due(&reading->use_pace, now_s);
    followed_look(&reading->followed, is_due);
    if (is_due) {
        pace_done(&reading->use_pace, now_s, pace_now_s() - now_s);
    }
}

static bool is_wanted(const struct reading *reading, const struct source *source)
{
    for (size_t i = 0; i < reading->followed.count; i++) {
        if (source->is_for(&reading->followed.processes[i].use)) {
            return true;
        }
    }
    return false;
}

static void pass(struct reading *reading, const struct source *source, struct opened *opened)
{
    double now_s = pace_now_s();
    double passed_s = opened->out.end_s > 0 ? now_s - opened->out.end_s : source->period_s;
    // After a pause a reading says nothing about all of it.
    opened->out.begin_s = now_s - fmin(passed_s, fmax(2 * source->period_s, opened->pace.period_s));
    opened->out.end_s = now_s;
    for (size_t i = 0; i < reading->followed.count; i++) {
        source_process_forget(&reading->followed.processes[i]);
    }
    opened->is_over = !source->sample(opened->state, &opened->out, reading->followed.processes,
                                      reading->followed.count);
    for (size_t i = 0; i < reading->followed.count; i++) {
        source_tell_process(&opened->out, &reading->followed.processes[i]);
    }
    pace_done(&opened->pace, now_s, 0); // sources pace their own calls
}

static void step_source(struct reading *reading, size_t index)
{
    const struct source *source = source_list[index];
    struct opened *opened = &reading->sources[index];
    if (opened->is_over || !is_wanted(reading, source)) {
        return;
    }
    if (!opened->is_tried) {
        opened->is_tried = true;
        opened->pace.period_s = source->period_s;
        opened->state = source->open(&opened->out);
        opened->is_over = !opened->state;
    }
    if (!opened->is_over && pace_is_due(&opened->pace, pace_now_s())) {
        pass(reading, source, opened);
    }
}

// Whoever is not asked anything has answered.
static void tell_alive(struct reading *reading)
{
    double now_s = pace_now_s();
    if (pace_is_due(&reading->alive_pace, now_s)) {
        source_tell_alive(&reading->sources[0].out);
        pace_done(&reading->alive_pace, now_s, 0);
    }
}

static bool is_heard(const struct reading *reading)
{
    for (size_t i = 0; i < source_count; i++) {
        if (reading->sources[i].out.is_broken) {
            return false;
        }
    }
    return true;
}

static int ms_to_next(const struct reading *reading)
{
    double now_s = pace_now_s();
    double gap_s = STEP_MS / 1000.0;
    for (size_t i = 0; i < source_count; i++) {
        const struct opened *opened = &reading->sources[i];
        if (opened->is_tried && !opened->is_over) {
            gap_s = fmin(gap_s, fmax(0.001, opened->pace.next_s - now_s));
        }
    }
    return (int)ceil(gap_s * 1000);
}

void reading_run(int command_fd, int message_fd)
{
    static struct reading reading;
    memset(&reading, 0, sizeof reading);
    reading.use_pace.period_s = USE_PERIOD_S;
    reading.alive_pace.period_s = ALIVE_PERIOD_S;
    for (size_t i = 0; i < source_count; i++) {
        reading.sources[i].out = (struct source_out){
            .fd = message_fd, .source = (uint32_t)i, .device_count = &reading.device_count};
    }
    while (take_commands(&reading, command_fd, ms_to_next(&reading)) && is_heard(&reading)) {
        look_at_use(&reading, pace_now_s());
        for (size_t i = 0; i < source_count; i++) {
            step_source(&reading, i);
        }
        tell_alive(&reading);
    }
    for (size_t i = 0; i < source_count; i++) {
        if (reading.sources[i].state) {
            source_list[i]->close(reading.sources[i].state);
        }
    }
}

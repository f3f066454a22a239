// SPDX-License-Identifier: Apache-2.0
#pragma once

// One way to read accelerators, and what all of them share. A source runs in a process of its own
// (reader.h): it may block, and a driver's library that crashes takes nothing along.
// docs/accelerators.md says what each measures; another one is a file and a row of source_list.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accel/message.h"
#include "accel/use.h"

struct source_device {
    char vendor[MESSAGE_VENDOR_SIZE];
    char name[MESSAGE_NAME_SIZE];
    char id[MESSAGE_ID_SIZE];
    double total_mb;
};

// A process of the program's, and what a pass of a source found of it.
struct source_process {
    int pid;
    struct use use;
    double busy_sum; // over its devices
    unsigned busy_count;
    double memory_mb;
    bool has_memory;
    enum message_scope scope;
    enum message_scope memory_scope;
};

// Where a source tells what it finds.
struct source_out {
    int fd;
    uint32_t source;
    uint32_t *device_count; // of all sources
    double begin_s;         // the time that this pass stands for
    double end_s;
    uint64_t told[32]; // notes: each is told once
    size_t told_count;
    uint32_t lost;  // messages for which there was no room
    bool is_broken; // nobody listens any more
};

struct source {
    const char *name;
    const char *method; // in the words of the profile
    double period_s;    // between two passes at the least

    bool (*is_for)(const struct use *use); // a process that has these open is its own
    // NULL when there is nothing to read; why is told to `out`.
    void *(*open)(struct source_out *out);
    // One pass over the devices that the processes have open. False: there will be nothing more.
    bool (*sample)(void *state, struct source_out *out, struct source_process *processes,
                   size_t count);
    void (*close)(void *state);
};

extern const struct source source_nvml, source_amd, source_drm, source_neuron;
extern const struct source *const source_list[];
extern const size_t source_count;

// A device, told at its first use. Returns its number.
uint32_t source_tell_device(struct source_out *out, const struct source_device *device);

struct source_reading {
    double busy; // negative: cannot be measured
    double memory_mb;
    enum message_scope scope;
    enum message_scope memory_scope;
    enum message_others others;
};

void source_tell_reading(struct source_out *out, uint32_t device,
                         const struct source_reading *reading);
void source_tell_failure(struct source_out *out, uint32_t device);
void source_tell_process(struct source_out *out, const struct source_process *process);
void source_tell_alive(struct source_out *out);
void source_note(struct source_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Before a pass, or instead of what it found: what is kept is which process it is, and its use.
void source_process_forget(struct source_process *process);

// What a process has of one device, to what it has of the others.
void source_process_add(struct source_process *process, const struct source_reading *reading);

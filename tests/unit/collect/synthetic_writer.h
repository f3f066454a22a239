// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a process's ring as the agent does, without a program: a run's folder with its control
// page, and in it rings of processes that do not exist (they have ended when they are first looked
// at) or that the caller keeps alive. Code objects are of Python 3.12 and have one line for every
// two bytes of code. What cannot be done fails the test.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ring.h"

#define WRITER_PERIOD_NS 10000000u
#define WRITER_GONE_PID  0x3ffffff0 // above every limit of the kernel's; lower ones down to 2^29 too

struct writer_run {
    char folder[64];
    uint64_t start_ns; // some time ago, so that what is written lies in the past
};

void writer_run_begin(struct writer_run *run);
void writer_run_end(struct writer_run *run);

struct writer {
    struct ring ring;
    int pid;
    uint64_t now_ns;   // of the next record; the caller moves it on
    uint64_t ready_ns; // what threads tell at their end of having had no core
    uint64_t full_count;
};

// Makes the ring and introduces the process and its interpreter.
void writer_open(struct writer *writer, const struct writer_run *run, int pid, int parent_pid);
void writer_close(struct writer *writer);

// A record of any bytes; false when the ring is full.
bool writer_raw(struct writer *writer, enum record_type type, const void *bytes, size_t len);

void writer_module_of(struct writer *writer, const void *address); // of our own that holds it
void writer_code(struct writer *writer, uint32_t id, const char *file, const char *name,
                 int first_line, int line_count);
void writer_shim(struct writer *writer, uint32_t id); // that Python puts around an __init__
void writer_thread_begin(struct writer *writer, int tid, uint64_t start_routine);
void writer_thread_end(struct writer *writer, int tid, uint64_t cpu_ns, uint64_t system_ns);
void writer_process_end(struct writer *writer, uint64_t cpu_ns, uint64_t system_ns);
void writer_wait(struct writer *writer, int tid, enum wait_kind kind, uint64_t duration_ns,
                 struct record_frame frame);

// Frames are innermost first. Numbers of blocks are the caller's.
struct writer_allocation {
    uint64_t block;
    uint64_t size;
    uint64_t added;  // 0: as much as the weight
    uint64_t weight; // 0: as much as the size, which is then taken exactly
    uint64_t mean;   // 0: WRITER_MEAN, or 1 where it is taken exactly
    uint16_t flags;
    int tid; // 0: the main thread
    const struct record_frame *frames;
    size_t frame_count;
};

#define WRITER_MEAN 65536u // bytes between two points

void writer_allocation(struct writer *writer, const struct writer_allocation *allocation);
void writer_block(struct writer *writer, uint64_t block, uint64_t weight, uint32_t flags);
void writer_footprint(struct writer *writer, int64_t bytes, int64_t peak_bytes);
void writer_copy(struct writer *writer, uint64_t bytes, struct record_frame frame);

struct writer_sample {
    int tid;
    const struct record_frame *frames; // innermost first
    size_t frame_count;
    size_t stack_len;
    const void *ip;
    uint16_t flags;
};

// Without the native copy if the ring is more than half full.
bool writer_sample(struct writer *writer, const struct writer_sample *sample);

// The line that is `index` lines below the code's first.
struct record_frame writer_frame(uint32_t code_id, int index);

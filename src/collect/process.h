// SPDX-License-Identifier: Apache-2.0
#pragma once

// One process of the run as its ring tells it: its code objects, threads and mapped files. Records
// are not trusted; one that makes no sense is counted and left out.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/address_space.h"
#include "collect/idle.h"
#include "collect/kind.h"
#include "collect/line_table.h"
#include "collect/remote_stack.h"
#include "profile/profile.h"
#include "wire/ring.h"

struct code {
    char *path; // absolute where the process's directory makes it so
    char *name;
    int first_line;
    bool is_qualified;
    bool is_ours; // in a profiled file
    uint64_t key; // the same for the same code in every process
    struct line_table lines;
};

// Code objects by number. Zero-initialised is empty.
struct code_list {
    struct code *list;
    size_t count;
};

// Numbers of code objects that the collector read itself have this bit.
#define PROCESS_REMOTE_CODE 0x80000000u

// A wait of a thread that it has not ended yet, as seen from outside: see open_wait.c.
struct open_wait {
    uint64_t begin_ns; // 0: none seen
    bool is_read;
    bool is_running; // it was computing when last looked at
    bool is_refused;
    enum wait_kind kind;
    struct record_frame frame; // the innermost one in a profiled file; code 0: none
};

struct thread {
    int tid;
    uint32_t pool;
    bool has_ended;
    uint64_t python_id;
    uint64_t start_routine;
    double start_s; // since the run's start, as all times here
    double end_s;
    double sampled_s;
    double true_s; // by its own clock, once it has told
    double true_system_s;
    double ready_s;
    double busy_from_s;
    double short_wait_s; // since busy_from_s
    uint64_t cpu_ns;     // at the last sample
    uint32_t last_wait_spot;
    uint32_t last_spot; // of its last sample or wait
    struct open_wait open_wait;
    uint32_t wait_count; // since the last sample
    struct idle_thread idle;
    struct profile_times times;
};

struct process {
    int pid;
    int parent_pid;
    int pidfd; // -1: not to be had
    bool is_forked;
    bool is_gone; // no more records come
    bool has_end; // it said how much it used
    bool is_introduced;
    struct ring ring;
    char *ring_path;
    struct ring_view view;
    uint64_t torn_count;
    uint64_t bad_count;
    char *executable;
    char *directory;
    char **command;
    size_t command_count;
    char *command_key; // one text for the whole command
    uint32_t version_hex;
    uint32_t interpreter_flags;
    double start_s;
    double end_s;
    double foreign_s; // CPU of earlier programs of this process
    double true_s;    // CPU of all threads, as last known
    double true_system_s;
    double peak_rss_mb;
    double maps_read_s;
    struct code_list codes;
    struct code_list remote_codes;
    uint32_t remote_code_count;
    struct map code_addresses; // to the number of the last code object there
    struct remote_interpreter remote;
    bool has_settled_waits;
    struct thread *threads;
    size_t thread_count;
    size_t thread_capacity;
    struct map thread_index; // tid to index + 1
    struct address_space space;
    struct kind_roles roles;
    uint64_t counters[RING_COUNTER_COUNT]; // as last read
    uint64_t clock_ticks_per_ms;
};

struct process *process_new(int pid, struct image_cache *images);
void process_free(struct process *process);

// Lets the ring go and removes its file; what was learned stays.
void process_close_ring(struct process *process);

// The process of that number in a list; NULL when there is none.
struct process *process_find(struct process **list, size_t count, int pid);

struct thread *process_thread(struct process *process, int tid);

// The code of a frame; NULL when it was never sent.
const struct code *process_code(const struct process *process, uint32_t code_id);

// Records that describe: each returns false when the record is malformed.
bool process_take_introduction(struct process *process, const void *record, size_t len,
                               const struct process *parent);
bool process_take_interpreter(struct process *process, const void *record, size_t len);
bool process_take_module(struct process *process, const void *record, size_t len);
bool process_take_code(struct process *process, const void *record, size_t len,
                       bool (*is_ours)(const void *context, const char *path), const void *context);

// The number of the code object last known at that address; 0 when there is none.
uint32_t process_code_at(const struct process *process, uint64_t address);

int process_python_minor(const struct process *process);

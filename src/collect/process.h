// SPDX-License-Identifier: Apache-2.0
#pragma once

// One process of the run as its ring tells it: its code objects, threads and mapped files. Records
// are not trusted; one that makes no sense is counted and left out.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/address_space.h"
#include "collect/async_watch.h"
#include "collect/block_table.h"
#include "collect/code_table.h"
#include "collect/kind.h"
#include "collect/leak_watch.h"
#include "collect/memory_tally.h"
#include "collect/remote_stack.h"
#include "collect/thread_table.h"
#include "wire/ring.h"

// Numbers of code objects that the collector read itself have this bit.
#define PROCESS_REMOTE_CODE 0x80000000u

struct process {
    int pid;
    int parent_pid;
    int pidfd; // -1: not to be had
    bool is_forked;
    bool is_root;            // the program: others may be forked from its forks when it is gone
    bool is_ending;          // it has ended; there may be records left to read
    bool is_gone;            // no more records come
    bool runs_on;            // though the process has not ended
    bool has_end;            // it said how much it used
    bool has_become_another; // and then became another program, by exec
    bool is_replaced;        // that one has its ring by now
    unsigned program_number; // how many it has been before
    int wait_status;         // how it ended, as of waitpid ...
    bool has_wait_status;    // ... if that is known
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
    struct block_table blocks; // live ones that were sampled
    struct map streams;        // where the last point of each stream of allocations hit
    uint64_t means[2];       // bytes between two points of allocation, at most: lately, before that
    uint64_t means_since_ns; // when `lately` began
    struct memory_level level; // of its memory
    uint64_t native_stack;     // the last that a thread without Python allocated at; 0: none
    struct leak_watch leaks;
    double finalising_s; // when the interpreter began to end; infinity: not yet
    struct code_set codes;
    uint32_t remote_code_count;
    struct map code_addresses; // to the number of the last code object there
    struct remote_interpreter remote;
    bool has_settled_waits;
    struct async_watch async;
    uint64_t end_ns; // if it said so
    struct thread_table threads;
    struct address_space space;
    struct kind_roles roles;
    uint64_t counters[RING_COUNTER_COUNT]; // as last read
    uint64_t clock_ticks_per_ms;
};

struct process *process_new(int pid, struct image_cache *images, struct code_table *codes);
void process_free(struct process *process);

// No more records come: lets the ring go, removes its file, and forgets what only records need.
void process_close(struct process *process);

// Whether both run the same program, one forked from the other or both from a third.
bool process_is_alike(const struct process *one, const struct process *other);

// The process of that number in a list; NULL when there is none.
struct process *process_find(struct process **list, size_t count, int pid);

// The code of a frame; NULL when it was never sent.
const struct code *process_code(struct process *process, uint32_t code_id);

// Records that describe: each returns false when the record is malformed.
bool process_take_introduction(struct process *process, const void *record, size_t len,
                               const struct process *origin);
bool process_take_interpreter(struct process *process, const void *record, size_t len);
bool process_take_module(struct process *process, const void *record, size_t len);
bool process_take_code(struct process *process, const void *record, size_t len,
                       bool (*is_ours)(const void *context, const char *path), const void *context);

// The number of the code object last known at that address; 0 when there is none.
uint32_t process_code_at(const struct process *process, uint64_t address);

int process_python_minor(const struct process *process);

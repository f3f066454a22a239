// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes of the run that have no ring, in the control page: those that may yet make one, so
// that the collector does not leave before them, and those that never will, with the reason. A
// process is entered before it becomes what it will be, by itself or by its parent, and leaves when
// its ring is there. When all places are taken nothing is entered, and that is counted.
//
// A child that is being forked has no number yet that anybody could enter, and its parent may be
// gone before it runs: the parent notes that it forks, and the child that it is there.
// Context: any thread, signal handler, vfork child

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ROLL_COUNT    512u
#define ROLL_FORKS    64u
#define ROLL_PATH_MAX 108u

// X(name, the sentence that says why there will be no ring; "": there may yet be one)
#define ROLL_STATES(X)                                                                      \
    X(FORKED, "")                                                                           \
    X(STARTED, "")                                                                          \
    X(OTHER_MACHINE, "it is built for another kind of machine (32-bit, or another "         \
                     "processor)")                                                          \
    X(OTHER_LIBC, "it uses another C library than glibc")                                   \
    X(STATIC, "it is statically linked, so nothing can be loaded into it")                  \
    X(MORE_RIGHTS, "it runs with other rights than its caller (setuid, setgid or "          \
                   "capabilities), so nothing can be loaded into it")                       \
    X(NO_VARIABLES, "it was started with an environment of its own, without LD_PRELOAD "    \
                    "and SCALENE_RUN_DIR")                                                  \
    X(OUT_OF_REACH, "it cannot reach the profiler's files: another root directory or user") \
    X(OTHER_NAMESPACE, "it is in another PID namespace, where process numbers mean others") \
    X(NO_ROOM, "there was no room for its samples in the run's directory")                  \
    X(NO_DESCRIPTOR, "it had no file descriptor left for its samples")

enum roll_state {

#define X(name, sentence) ROLL_##name,
    ROLL_STATES(X)
#undef X
        ROLL_STATE_COUNT
};

struct roll_entry {
    int32_t pid;
    int32_t parent_pid;
    uint32_t state; // enum roll_state
    uint32_t path_len;
    uint64_t time_ns;
    uint32_t program_number;  // of the ring that it may make
    char path[ROLL_PATH_MAX]; // what it becomes; the end of it, where it is long; may be empty
};

struct roll {
    _Atomic int32_t pids[ROLL_COUNT]; // 0: free; less than 0: being filled
    struct roll_entry entries[ROLL_COUNT];
    _Atomic uint64_t left_out;          // found no place
    _Atomic uint64_t forks[ROLL_FORKS]; // when each began that is under way; 0: free
    _Atomic uint64_t fork_count;        // begun so far
};

// A fork under way, as its parent has noted it.
struct roll_fork {
    unsigned place;
    uint64_t time_ns; // 0: not noted
};

static inline bool roll_may_join(enum roll_state state)
{
    return state == ROLL_FORKED || state == ROLL_STARTED;
}

// Enters a process, or changes the entry that it has. `path` NULL: not known.
void roll_enter(struct roll *roll, const struct roll_entry *entry, const char *path);

void roll_leave(struct roll *roll, int32_t pid);

// Which program this process is by now, as it was entered; 0 when it is not.
uint32_t roll_program_number(const struct roll *roll, int32_t pid);

// Notes that a fork begins.
struct roll_fork roll_begin_fork(struct roll *roll, uint64_t now_ns);

// It has failed, or the child has entered itself.
void roll_end_fork(struct roll *roll, const struct roll_fork *fork);

// The collector's side.

// Whether a fork is under way. One that began before `oldest_ns` is given up: its child was killed
// before it ran.
bool roll_has_fork(struct roll *roll, uint64_t oldest_ns);

// False when there is nobody at that place.
bool roll_read(const struct roll *roll, unsigned index, struct roll_entry *entry);

// Takes the entry out, unless it has changed since it was read.
bool roll_take(struct roll *roll, unsigned index, const struct roll_entry *entry);

// Why there will be no ring; "" when there may be one, or no such state is known.
const char *roll_sentence(uint32_t state);

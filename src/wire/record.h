// SPDX-License-Identifier: Apache-2.0
#pragma once

// The records that cross from the agent to the collector: every layout, in one place. A record is a
// header word and a fixed part, followed by the variable parts that its counts announce, each
// aligned to 8 bytes. Numbers are native-endian; strings are bytes with a length, never terminated.
// Whoever reads them must check each count against the record's length first.

#include <stdatomic.h>
#include <stdint.h>

#include "wire/layout.h"

#define RECORD_TYPES(X)           \
    X(PROCESS, process)           \
    X(INTERPRETER, interpreter)   \
    X(MODULE, module)             \
    X(CODE, code)                 \
    X(THREAD_BEGIN, thread_begin) \
    X(THREAD_NAME, thread_name)   \
    X(THREAD_END, thread_end)     \
    X(PROCESS_END, process_end)   \
    X(SAMPLE, sample)             \
    X(WAIT, wait)                 \
    X(ALLOCATION, allocation)     \
    X(BLOCK, block)               \
    X(FOOTPRINT, footprint)       \
    X(COPY, copy)                 \
    X(FOCUS, focus)               \
    X(CHAIN, chain)               \
    X(AWAIT_NAME, await_name)     \
    X(LOOP_BLOCK, loop_block)

enum record_type {
    RECORD_NONE = 0,

#define X(upper, lower) RECORD_##upper,
    RECORD_TYPES(X)
#undef X
        RECORD_TYPE_COUNT
};

// What a thread waited for. The order is that of the profile's names.
#define WAIT_KINDS(X)   \
    X(GIL, gil)         \
    X(LOCK, lock)       \
    X(SLEEP, sleep)     \
    X(DISK, disk)       \
    X(NETWORK, network) \
    X(PIPE, pipe)       \
    X(CHILD, child)     \
    X(OTHER, other)

enum wait_kind {

#define X(upper, lower) WAIT_##upper,
    WAIT_KINDS(X)
#undef X
        WAIT_KIND_COUNT
};

// One word that tells everything the reader needs to step over a record. See ring.c.
struct record_header {
    _Atomic uint64_t word;
};

// The first record of a ring. A forked process sends no strings: it has its parent's.
struct record_process {
    struct record_header header;
    uint64_t time_ns; // CLOCK_MONOTONIC, as all times here
    uint64_t cpu_ns;  // the process's CPU clock at that moment that is not ours to report
    int32_t pid;
    int32_t parent_pid;
    uint32_t is_forked;
    uint16_t executable_len;
    uint16_t directory_len;
    uint32_t command_len; // arguments, each ended by a NUL
    int32_t origin_pid;   // of one that was forked: who had the last ring before, parent or not
    // executable, directory, command
};

// What a code address means in this interpreter.
enum address_role {
    ADDRESS_EVAL_START, // the evaluation loop, by its symbol
    ADDRESS_EVAL_END,
    ADDRESS_RUNTIME_START, // _PyRuntime
    ADDRESS_RUNTIME_END,
    ADDRESS_TRAMPOLINE,  // calls a C function for the evaluation loop
    ADDRESS_ENTRY,       // a C function that Python code can call
    ADDRESS_NOT_ENTRY,   // looks like one, but works for interpreted code too
    ADDRESS_DEALLOC,     // frees an object
    ADDRESS_PYTHON_CALL, // vectorcall and tp_call of Python functions, methods, types
    ADDRESS_ROLE_COUNT
};

struct record_address {
    uint64_t address;
    uint32_t role; // enum address_role
    uint32_t reserved;
};

enum interpreter_flag {
    INTERPRETER_HAS_WALK = 1,    // Python stacks are read
    INTERPRETER_HAS_MARK = 2,    // samples carry the evaluation loop's stack address
    INTERPRETER_HAS_JIT = 4,     // lines are coarse where compiled code runs
    INTERPRETER_HOOK_STAYS = 8,  // the audit hook could not be unlinked
    INTERPRETER_IS_UNKNOWN = 16, // a version that this agent has no table for
    INTERPRETER_IS_FREE_THREADED = 32,
};

// Sent once Python runs; before it samples carry no Python frames.
struct record_interpreter {
    struct record_header header;
    uint64_t time_ns;
    uint32_t version_hex; // PY_VERSION_HEX
    uint32_t flags;       // enum interpreter_flag
    uint32_t address_count;
    uint32_t reserved;
    uint64_t code_type;   // PyCode_Type
    struct layout layout; // if it has INTERPRETER_HAS_WALK
    // struct record_address[address_count]
};

// A file mapped executable, as the loader reports it.
struct record_module {
    struct record_header header;
    uint64_t start; // of the lowest segment
    uint64_t end;
    uint64_t bias; // address in memory minus address in the file
    uint32_t path_len;
    uint32_t reserved;
    // path; empty for the main program
};

// A code object, sent at its first sight. Text is 1, 2 or 4 bytes a code point (Latin-1, UCS-2,
// UCS-4), as the interpreter keeps it.
struct record_code {
    struct record_header header;
    uint64_t address; // of the object, which another may take after it
    uint32_t code_id; // from 1 up; unique within a ring
    int32_t first_line;
    uint32_t flags; // co_flags
    uint32_t line_table_len;
    uint32_t filename_len; // in bytes
    uint32_t name_len;
    uint8_t filename_width;
    uint8_t name_width;
    uint8_t name_is_qualified;
    uint8_t reserved[5];
    // filename, name, line table
};

struct record_thread_begin {
    struct record_header header;
    uint64_t time_ns;
    uint64_t start_routine; // address; 0 for the main thread
    uint64_t python_id;     // pthread_self, which is Python's thread identifier
    int32_t tid;
    uint32_t reserved;
};

// What the program calls the thread; sent once it runs Python.
struct record_thread_name {
    struct record_header header;
    int32_t tid;
    uint32_t name_len;  // in bytes
    uint8_t name_width; // as in record_code
    uint8_t reserved[7];
    // name
};

// All that the thread used, from its own clocks. What lies between it and the sum of the thread's
// samples is spread over them.
struct record_thread_end {
    struct record_header header;
    uint64_t time_ns;
    uint64_t cpu_ns;
    uint64_t user_us;
    uint64_t system_us;
    uint64_t ready_ns; // runnable without a core
    int32_t tid;
    uint32_t reserved;
};

// The whole process ends here, or becomes another program.
struct record_process_end {
    struct record_header header;
    uint64_t time_ns;
    uint64_t cpu_ns; // of all its threads
    uint64_t user_us;
    uint64_t system_us;
    uint64_t ready_ns; // of the thread that ends it
    uint64_t peak_rss_kb;
    uint32_t is_exec;
    uint32_t status; // as the process gave it, where it said
};

struct record_frame {
    uint32_t code_id; // 0: a frame whose code could not be read or sent
    int32_t offset;   // of the instruction, in bytes; negative before the first one
};

enum sample_flag {
    SAMPLE_HOLDS_GIL = 1,
    SAMPLE_IS_LATE = 2,       // taken at the end of the burst that held the point, not at the point
    SAMPLE_IN_CALL = 4,       // the point fell inside a system call: the kernel's time
    SAMPLE_IS_TRUNCATED = 8,  // the walk met something unreadable; outer frames are missing
    SAMPLE_IS_DEEP = 16,      // more frames than a record holds; the outermost are missing
    SAMPLE_COPY_DROPPED = 32, // the ring was too full for the native stack
    SAMPLE_HAS_THREAD = 64,   // Python knows this thread
    SAMPLE_IN_GC = 128,       // it collects garbage
    SAMPLE_IS_OFF = 256,      // profiling is off: that the thread computed is all that is told
    SAMPLE_IS_LAST = 512,     // so late that the thread's last sample tells better where it was
};

// The instruction that the innermost Python frame is at.
enum opcode_class {
    OPCODE_UNKNOWN,
    OPCODE_OTHER,
    OPCODE_CALL,   // calls or iterates
    OPCODE_C_CALL, // calls, and the interpreter has specialised it for a C function
};

#define RECORD_REGISTER_COUNT 17 // x86-64, in DWARF's order, then the instruction pointer
#define RECORD_FRAME_MAX      256
#define RECORD_STACK_MAX      (32 * 1024)
#define RECORD_RED_ZONE       128 // bytes below the stack pointer that a function may use

// One point of a thread's CPU time.
struct record_sample {
    struct record_header header;
    uint64_t time_ns;
    uint64_t cpu_ns; // the thread's CPU clock
    uint64_t ip;
    uint64_t mark; // an address inside the evaluation loop's C frame; 0 when unknown
    int32_t tid;
    uint32_t periods;   // weight, in sampling periods
    uint32_t system_us; // the thread's system time since its last sample
    uint32_t user_us;
    uint32_t faults; // page faults since its last sample
    uint16_t flags;  // enum sample_flag
    uint16_t frame_count;
    uint32_t stack_len;   // bytes of native stack, 0 when not copied
    uint8_t code[4];      // the two bytes before the instruction pointer, and the two at it
    uint8_t opcode_class; // enum opcode_class
    uint8_t reserved;
    uint16_t switches; // times it gave up its core of its own accord since its last sample
    uint32_t chain;    // of the await table: it works for who waits there; 0: for nobody
    // struct record_frame[frame_count], innermost first;
    // uint64_t registers[RECORD_REGISTER_COUNT] and the stack from RECORD_RED_ZONE bytes below the
    // stack pointer up, if copied
};

enum wait_flag {
    WAIT_IS_SAMPLED = 1, // stands for many short waits
    WAIT_SAME_STACK = 2, // continues the thread's last wait; carries no frames
    WAIT_IS_TRUNCATED = 4,
};

// A wait that ended at time_ns. A sampled one stands for duration_ns of short waits of its kind.
struct record_wait {
    struct record_header header;
    uint64_t time_ns;
    uint64_t duration_ns;
    uint64_t caller; // the instruction after the call: whose library waits
    int32_t tid;
    uint8_t kind; // enum wait_kind
    uint8_t flags;
    uint16_t frame_count;
    // struct record_frame[frame_count], innermost first
};

enum allocation_flag {
    ALLOCATION_IS_PYTHON = 1,    // asked for through Python's allocators
    ALLOCATION_IS_GROWTH = 2,    // a block that was live before, and belongs here from now on
    ALLOCATION_IS_MAPPING = 4,   // by mmap
    ALLOCATION_IS_TRUNCATED = 8, // the walk met something unreadable; outer frames are missing
    ALLOCATION_KEEPS_STACK = 16, // with IS_GROWTH: stays with the line it was with; has no frames
    ALLOCATION_BY_CHANCE = 32,   // with IS_GROWTH: a point hit what a larger block has grown by
};

// One block that was hit by a point in the stream of bytes allocated: see docs/memory.md. It stands
// for `added` bytes of allocation, and for `weight` live bytes until a RECORD_BLOCK changes that.
struct record_allocation {
    struct record_header header;
    uint64_t time_ns;
    uint64_t block;  // its number, from 1 up, unique in the process
    uint64_t size;   // of the block itself; with ALLOCATION_IS_GROWTH after it has grown
    uint64_t added;  // 0 where a resized block only changes hands
    uint64_t weight; // at least 1
    uint64_t mean;   // bytes from one point to the next, on the average, as of now
    int32_t tid;
    uint16_t flags; // enum allocation_flag
    uint16_t frame_count;
    uint32_t stack_len; // bytes of native stack, 0 when not copied
    uint32_t reserved;
    // struct record_frame[frame_count], innermost first;
    // registers and native stack as in record_sample, of threads that run no Python
};

enum block_flag {
    BLOCK_IS_FREED = 1,
    BLOCK_AT_END = 2,  // the interpreter has begun to finalise
    BLOCK_IS_LOST = 4, // its free could not be seen, or there was no room to follow it any longer
};

// A live block is freed, or stands for more or fewer bytes than before: it has shrunk, or the table
// of live blocks was thinned. Never an allocation.
struct record_block {
    struct record_header header;
    uint64_t time_ns;
    uint64_t block;
    uint64_t weight; // from now on; 0 when freed or lost
    uint32_t flags;  // enum block_flag
    uint32_t reserved;
};

// All memory that the process holds, exactly. Sent before the footprint falls from a new peak, and
// otherwise when it has changed by much, or some time has passed.
struct record_footprint {
    struct record_header header;
    uint64_t time_ns;
    int64_t
        bytes; // allocated and not freed, and private memory mapped; may be below 0 after a fork
    int64_t peak_bytes;
    int64_t file_bytes;   // mapped from files: not part of `bytes`
    int64_t shared_bytes; // and shared with other processes
};

// Stands for `bytes` of copying.
struct record_copy {
    struct record_header header;
    uint64_t time_ns;
    uint64_t bytes;
    int32_t tid;
    uint16_t flags; // enum allocation_flag: IS_TRUNCATED
    uint16_t frame_count;
    // struct record_frame[frame_count], innermost first
};

// The program asks for a report about this function (its decorator `profile`); once one is asked
// for, about no others.
struct record_focus {
    struct record_header header;
    uint32_t code_id;
    uint32_t reserved;
};

// A way to wait that coroutines have for the first time: what a number in the await table stands
// for.
struct record_chain {
    struct record_header header;
    uint32_t chain;
    uint32_t site;
    uint32_t program_number; // which of this process's tables it is
    uint32_t frame_count;
    // struct record_frame[frame_count], innermost first
};

// A task that waits in a chain's place for the first time.
struct record_await_name {
    struct record_header header;
    uint32_t chain;
    uint32_t name_len;  // in bytes
    uint8_t name_width; // as in record_code
    uint8_t reserved[7];
    // name
};

// A task kept all others of its loop from running for long. What it did is told by the thread's
// samples and waits in that time.
struct record_loop_block {
    struct record_header header;
    uint64_t time_ns; // of its end
    uint64_t duration_ns;
    int32_t tid;
    uint32_t frame_count;
    // struct record_frame[frame_count], innermost first: where the task waits now, if it does
};

// A count of every kind of thing that went wrong, in the ring's header: the agent never prints.
#define RING_COUNTERS(X)                                                      \
    X(dropped_full)         /* records that found no room */                  \
    X(dropped_samples)      /* of these, samples */                           \
    X(copies_dropped)       /* native stacks left out to save room */         \
    X(stacks_truncated)     /* walks that met something unreadable */         \
    X(codes_unsent)         /* code objects that found no room */             \
    X(threads_untimed)      /* threads that could have no timer */            \
    X(threads_without_slot) /* threads whose unfinished waits are unknown */  \
    X(threads_without_shot) /* threads whose precise timer was turned off */  \
    X(interrupted_calls)    /* system calls that our signal interrupted */    \
    X(handler_calls)                                                          \
    X(handler_ns) /* of CPU time */                                           \
    X(hook_calls)                                                             \
    X(hook_ns)             /* of one call in 64, times 64 */                  \
    X(memory_samples)      /* allocations recorded, or that should be */      \
    X(dropped_allocations) /* of these, those that found no room */           \
    X(missed_bytes)        /* of allocation, that these stood for */          \
    X(blocks_lost)         /* live blocks that could not be followed */       \
    X(regions_untracked)   /* mappings that found no room in the table */     \
    X(allocators_replaced) /* times that ours were found thrown out */        \
    X(memory_ns)           /* CPU time of recording allocations and copies */ \
    X(coroutines_unseen)   /* 1: their waiting could not be followed */       \
    X(coroutines_guessed)  /* 1: it is known from looks at tasks alone */

enum ring_counter {

#define X(name) COUNTER_##name,
    RING_COUNTERS(X)
#undef X
        RING_COUNTER_COUNT
};

// SPDX-License-Identifier: Apache-2.0
#include "agent/session.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "agent/clock.h"
#include "agent/hot.h"
#include "agent/process.h"
#include "agent/syscall.h"

struct session session;

// One thread makes the ring while others, or a handler of its own, find it not ready yet.
enum ring_state { RING_ABSENT, RING_BEING_MADE, RING_READY, RING_IMPOSSIBLE };

#define OLDER_RINGS_MAX 1000 // that may be there of one process, not yet read

static struct ring ring;
static _Atomic int ring_state;

static int take_own_name(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    uintptr_t here = (uintptr_t)&session;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            here - info->dlpi_addr - segment->p_vaddr < segment->p_memsz) {
            session.agent = info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

bool session_is_elsewhere(void)
{
    char name[NAMESPACE_NAME_MAX];
    const char *collectors = session.control->pid_namespace;
    long len = raw_readlink(CONTROL_NAMESPACE, name, sizeof name - 1);
    if (len <= 0 || !collectors[0]) {
        return raw_getppid() == 0; // only the first of a namespace has no parent in it
    }
    name[len] = '\0';
    return strncmp(name, collectors, sizeof name) != 0;
}

// A /proc that came along from the collector's namespace has the numbers of that one.
int session_outer_pid(void)
{
    char number[16];
    long len = raw_readlink("/proc/self", number, sizeof number);
    int pid = 0;
    for (long i = 0; i < len && pid < INT_MAX / 10 - 1; i++) {
        pid = pid * 10 + (number[i] - '0');
    }
    return pid > 0 ? pid : raw_getpid();
}

static void enter_on_roll(enum roll_state state)
{
    struct roll_entry entry = {
        .pid = session.is_elsewhere ? session_outer_pid() : session.pid,
        .parent_pid = raw_getppid(),
        .state = state,
        .time_ns = clock_wall_ns(),
    };
    roll_enter(&session.control->roll, &entry, NULL);
}

static void look_where_we_are(void)
{
    session.is_elsewhere = session_is_elsewhere();
    if (session.is_elsewhere && !(session.control->flags & CONTROL_ALONE)) {
        enter_on_roll(ROLL_OTHER_NAMESPACE);
    }
}

bool session_start(const char *run_dir)
{
    size_t len = strlen(run_dir);
    if (len + sizeof "/4294967295.4294967295" > sizeof session.run_dir) {
        return false;
    }
    session.control = control_open(run_dir);
    if (!session.control) {
        return false;
    }
    memcpy(session.run_dir, run_dir, len + 1);
    dl_iterate_phdr(take_own_name, NULL);
    session.pid = raw_getpid();
    session.program_number = roll_program_number(&session.control->roll, session.pid);
    session.period_ns = session.control->period_ns ? session.control->period_ns : 10000000;
    session.has_stacks = session.control->flags & CONTROL_STACKS;
    session.has_waits = session.control->flags & CONTROL_WAITS;
    session.has_memory = session.control->flags & CONTROL_MEMORY;
    session.has_async = session.control->flags & CONTROL_ASYNC;
    look_where_we_are();
    return true;
}

// What the clocks of this process have counted so far is not the run's.
static void note_foreign(void)
{
    struct rusage usage = {0};
    raw_getrusage(RUSAGE_SELF, &usage);
    session.foreign_cpu_ns = clock_process_cpu_ns();
    session.foreign_user_us = clock_to_us(usage.ru_utime);
    session.foreign_system_us = clock_to_us(usage.ru_stime);
}

bool session_start_live(const char *run_dir)
{
    session_bury();
    session.is_live = true;
    session.is_forked = false;
    session.generation++;
    note_foreign();
    return session_start(run_dir);
}

// Where something of ours was mapped, and stragglers may still write.
struct grave {
    void *start;
    size_t size;
};

static void bury(struct grave *grave, void *start, size_t size)
{
    if (grave->start) {
        raw_munmap(grave->start, grave->size);
    }
    raw_mmap(start, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    *grave = (struct grave){start, size};
}

void session_bury(void)
{
    static struct grave ring_grave;
    static struct grave control_grave;
    if (atomic_load(&ring_state) == RING_READY) {
        bury(&ring_grave, ring.header, RING_HEADER_SIZE + 2 * ring.size);
    }
    atomic_store(&ring_state, RING_ABSENT);
    if (session.control && control_grave.start != session.control) {
        bury(&control_grave, session.control, CONTROL_SIZE);
    }
}

bool session_takes_part(void)
{
    return !session.is_elsewhere && (!(session.control->flags & CONTROL_ALONE) ||
                                     session.pid == atomic_load(&session.control->root_pid));
}

// What the parent has noted, for its child, and the program's errno. Only errno tells the parent
// whether there is a child: it is 0 from before the fork until after it, unless that fails.
static _Thread_local struct roll_fork own_fork __attribute__((tls_model("initial-exec")));
static _Thread_local int errno_before_fork __attribute__((tls_model("initial-exec")));

void session_before_fork(void)
{
    own_fork = (struct roll_fork){0};
    if (atomic_load(&session.is_active) && !(session.control->flags & CONTROL_ALONE)) {
        own_fork = roll_begin_fork(&session.control->roll, clock_wall_ns());
    }
    if (own_fork.time_ns != 0) {
        errno_before_fork = errno;
        errno = 0;
    }
}

void session_after_fork(void)
{
    if (own_fork.time_ns != 0 && errno != 0) {
        roll_end_fork(&session.control->roll, &own_fork);
    } else if (own_fork.time_ns != 0) {
        errno = errno_before_fork;
    }
}

void session_forked(void)
{
    if (atomic_load(&ring_state) == RING_READY) {
        session.origin_pid = session.pid;
    }
    session.pid = raw_getpid();
    session.is_forked = true;
    session.program_number = 0;
    session.foreign_cpu_ns = 0;
    session.foreign_user_us = 0;
    session.foreign_system_us = 0;
    session.generation++;
    look_where_we_are();
    if (session_takes_part()) {
        enter_on_roll(ROLL_FORKED);
    }
    if (own_fork.time_ns != 0) {
        roll_end_fork(&session.control->roll, &own_fork);
        errno = errno_before_fork;
    }
    if (atomic_load(&ring_state) == RING_READY) {
        ring_close(&ring);
    }
    atomic_store(&ring_state, RING_ABSENT);
}

unsigned session_next_number(void)
{
    if (raw_getpid() != session.pid) {
        return 0;
    }
    return session.program_number + (atomic_load(&ring_state) == RING_READY);
}

void session_retire(void)
{
    atomic_store(&ring_state, RING_IMPOSSIBLE);
    atomic_store(&session.is_active, false);
}

static void ring_path(char *path, size_t size)
{
    snprintf(path, size, "%s/%d.%u", session.run_dir, session.pid, session.program_number);
}

// A ring of this process's name is that of the program it was before exec: the next number. The
// roll has told it, unless there was no room on it.
static bool make_ring(void)
{
    char path[SESSION_PATH_MAX + 32];
    unsigned last = session.program_number + OLDER_RINGS_MAX;
    ring_path(path, sizeof path);
    while (raw_access(path, F_OK) == 0 && session.program_number < last) {
        session.program_number++;
        ring_path(path, sizeof path);
    }
    return ring_create(&ring, path, session.control->ring_bytes);
}

static enum roll_state reason_of(int error)
{
    switch (error) {
    case EMFILE:
    case ENFILE:
        return ROLL_NO_DESCRIPTOR;
    case EACCES:
    case EPERM:
    case ENOENT:
    case ENOTDIR:
        return ROLL_OUT_OF_REACH;
    default:
        return ROLL_NO_ROOM;
    }
}

struct ring *session_ring(void)
{
    int state = atomic_load_explicit(&ring_state, memory_order_acquire);
    if (state == RING_READY) {
        return &ring;
    }
    int expected = RING_ABSENT;
    if (state != RING_ABSENT ||
        !atomic_compare_exchange_strong(&ring_state, &expected, RING_BEING_MADE)) {
        return NULL;
    }
    int saved_errno = errno;
    if (!make_ring()) {
        enter_on_roll(reason_of(errno));
        errno = saved_errno;
        session_retire();
        return NULL;
    }
    errno = saved_errno;
    if (session.program_number > 0) {
        session.foreign_cpu_ns = clock_cpu_ns();
    }
    atomic_store_explicit(&ring_state, RING_READY, memory_order_release);
    process_introduce(&ring);
    roll_leave(&session.control->roll, session.pid);
    return &ring;
}

bool session_has_ring(void)
{
    return atomic_load_explicit(&ring_state, memory_order_acquire) == RING_READY;
}

HOT bool session_is_on(void)
{
    return atomic_load_explicit(&session.control->is_on, memory_order_relaxed);
}

void session_count(enum ring_counter counter, uint64_t amount)
{
    if (session_has_ring()) {
        ring_count(&ring, counter, amount);
    }
}

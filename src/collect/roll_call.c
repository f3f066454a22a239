// SPDX-License-Identifier: Apache-2.0
#include "collect/roll_call.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process_stat.h"
#include "collect/exit_status.h"
#include "wire/control.h"

#define SWEEP_NS      UINT64_C(1000000000)
#define STARTED_NS    UINT64_C(1000000000) // a Python has its ring long before
#define SETTLED_NS    UINT64_C(20000000)   // who was about to start a program has started it
#define COMMAND_BYTES 8192

static bool is_alive(int pid)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    bool has_ended = pidfd < 0 || poll(&entry, 1, 0) > 0;
    if (pidfd >= 0) {
        close(pidfd);
    }
    return !has_ended;
}

// Its number, if it could tell no other than its own in another namespace, is somebody else's here.
static bool is_itself(const struct roll_entry *entry)
{
    char path[32];
    char own[NAMESPACE_NAME_MAX];
    char its[NAMESPACE_NAME_MAX];
    if (entry->state != ROLL_OTHER_NAMESPACE) {
        return true;
    }
    snprintf(path, sizeof path, "/proc/%d/ns/pid", entry->pid);
    ssize_t own_len = readlink(CONTROL_NAMESPACE, own, sizeof own);
    ssize_t its_len = readlink(path, its, sizeof its);
    return own_len > 0 && its_len > 0 &&
           (own_len != its_len || memcmp(own, its, (size_t)own_len) != 0);
}

static void free_command(struct outsider *outsider)
{
    for (size_t i = 0; i < outsider->command_count; i++) {
        free(outsider->command[i]);
    }
    free(outsider->command);
    outsider->command = NULL;
    outsider->command_count = 0;
}

static void add_word(struct outsider *outsider, size_t *capacity, const char *bytes, size_t len)
{
    outsider->command =
        mem_grow(outsider->command, outsider->command_count, capacity, sizeof(char *));
    outsider->command[outsider->command_count++] = mem_copy_bytes(bytes, len);
}

// Of a process that has started its program; until then its command line is its parent's.
static void read_command_line(struct outsider *outsider)
{
    char path[32];
    char bytes[COMMAND_BYTES];
    size_t capacity = 0;
    struct process_stat stat;
    if (process_stat_read(&stat, outsider->pid) && process_stat_is_fork(&stat)) {
        return;
    }
    outsider->has_command_line = true;
    snprintf(path, sizeof path, "/proc/%d/cmdline", outsider->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, bytes, sizeof bytes) : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (len <= 0) {
        return;
    }
    free_command(outsider);
    for (size_t at = 0; at < (size_t)len;) {
        size_t word = strnlen(bytes + at, (size_t)len - at);
        add_word(outsider, &capacity, bytes + at, word);
        at += word + 1;
    }
}

static void add(struct roll_call *call, const struct roll_entry *entry)
{
    if (call->count >= OUTSIDERS_LISTED) {
        call->unlisted_count++;
        return;
    }
    call->list = mem_grow(call->list, call->count, &call->capacity, sizeof *call->list);
    struct outsider *outsider = &call->list[call->count++];
    *outsider = (struct outsider){
        .pid = entry->pid,
        .parent_pid = entry->parent_pid,
        .state = entry->state,
        .start_ns = entry->time_ns,
        .pidfd = is_itself(entry) ? (int)syscall(SYS_pidfd_open, entry->pid, 0) : -1,
    };
    size_t capacity = 0;
    if (entry->path_len > 0) {
        add_word(outsider, &capacity, entry->path, entry->path_len);
    }
}

static void read_cpu_clock(struct outsider *outsider)
{
    clockid_t clock = (clockid_t)((~(unsigned)outsider->pid << 3) | 2);
    struct timespec time;
    if (clock_gettime(clock, &time) == 0) {
        outsider->cpu_s = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
    }
}

static void follow(struct outsider *outsider, uint64_t now_ns)
{
    struct pollfd entry = {.fd = outsider->pidfd, .events = POLLIN};
    bool has_ended = outsider->pidfd < 0 || poll(&entry, 1, 0) > 0;
    if (outsider->pidfd >= 0) {
        read_cpu_clock(outsider);
    }
    if (!has_ended) {
        if (!outsider->has_command_line && now_ns - outsider->start_ns > SETTLED_NS) {
            read_command_line(outsider);
        }
        return;
    }
    outsider->is_gone = true;
    outsider->end_ns = now_ns;
    if (outsider->pidfd >= 0) {
        outsider->has_wait_status =
            exit_status_read(outsider->pidfd, outsider->pid, &outsider->wait_status);
        close(outsider->pidfd);
    }
    outsider->pidfd = -1;
}

// Who was killed before it could leave is taken out. Who has become something for good since it was
// looked for, and has ended already, stays for the next look.
static void sweep(struct roll *roll)
{
    struct roll_entry entry;
    for (unsigned i = 0; i < ROLL_COUNT; i++) {
        if (roll_read(roll, i, &entry) && roll_may_join((enum roll_state)entry.state) &&
            !is_alive(entry.pid)) {
            roll_take(roll, i, &entry);
        }
    }
}

void roll_call_look(struct roll_call *call, struct roll *roll, uint64_t now_ns)
{
    struct roll_entry entry;
    for (unsigned i = 0; i < ROLL_COUNT; i++) {
        if (roll_read(roll, i, &entry) && !roll_may_join((enum roll_state)entry.state) &&
            roll_take(roll, i, &entry)) {
            add(call, &entry);
        }
    }
    for (size_t i = 0; i < call->count; i++) {
        if (!call->list[i].is_gone) {
            follow(&call->list[i], now_ns);
        }
    }
    if (now_ns - call->swept_ns > SWEEP_NS) {
        call->swept_ns = now_ns;
        sweep(roll);
    }
}

size_t roll_call_expected(struct roll *roll, uint64_t now_ns, int *pids, size_t max)
{
    size_t count = 0;
    struct roll_entry entry;
    for (unsigned i = 0; i < ROLL_COUNT; i++) {
        if (!roll_read(roll, i, &entry)) {
            continue;
        }
        bool is_expected = entry.state == ROLL_FORKED ||
                           (entry.state == ROLL_STARTED && now_ns < entry.time_ns + STARTED_NS);
        if (is_expected && is_alive(entry.pid)) {
            if (count < max) {
                pids[count] = entry.pid;
            }
            count++;
        }
    }
    return count;
}

void roll_call_clear(struct roll_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        free_command(&call->list[i]);
        if (call->list[i].pidfd >= 0) {
            close(call->list[i].pidfd);
        }
    }
    free(call->list);
    *call = (struct roll_call){0};
}

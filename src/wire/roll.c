// SPDX-License-Identifier: Apache-2.0
#include "wire/roll.h"

#include <string.h>

static bool claim(struct roll *roll, unsigned index, int32_t from, int32_t pid)
{
    int32_t expected = from;
    return atomic_load_explicit(&roll->pids[index], memory_order_relaxed) == from &&
           atomic_compare_exchange_strong(&roll->pids[index], &expected, -pid);
}

// ROLL_COUNT when there is none.
static unsigned find(const struct roll *roll, int32_t pid)
{
    unsigned index = 0;
    while (index < ROLL_COUNT &&
           atomic_load_explicit(&roll->pids[index], memory_order_relaxed) != pid) {
        index++;
    }
    return index;
}

static unsigned find_place(struct roll *roll, int32_t pid)
{
    unsigned index = find(roll, pid);
    if (index < ROLL_COUNT && claim(roll, index, pid, pid)) {
        return index;
    }
    for (index = 0; index < ROLL_COUNT && !claim(roll, index, 0, pid); index++) {
    }
    return index;
}

void roll_enter(struct roll *roll, const struct roll_entry *entry, const char *path)
{
    unsigned index = find_place(roll, entry->pid);
    if (index == ROLL_COUNT) {
        atomic_fetch_add(&roll->left_out, 1);
        return;
    }
    struct roll_entry *place = &roll->entries[index];
    size_t len = path ? strlen(path) : 0;
    size_t kept = len < ROLL_PATH_MAX ? len : ROLL_PATH_MAX;
    place->pid = entry->pid;
    place->parent_pid = entry->parent_pid;
    place->state = entry->state;
    place->time_ns = entry->time_ns;
    place->program_number = entry->program_number;
    place->path_len = (uint32_t)kept;
    memcpy(place->path, path ? path + len - kept : "", kept);
    atomic_store_explicit(&roll->pids[index], entry->pid, memory_order_release);
}

void roll_leave(struct roll *roll, int32_t pid)
{
    unsigned index = find(roll, pid);
    if (index < ROLL_COUNT) {
        int32_t expected = pid;
        atomic_compare_exchange_strong(&roll->pids[index], &expected, 0);
    }
}

uint32_t roll_program_number(const struct roll *roll, int32_t pid)
{
    struct roll_entry entry;
    unsigned index = find(roll, pid);
    return index < ROLL_COUNT && roll_read(roll, index, &entry) ? entry.program_number : 0;
}

struct roll_fork roll_begin_fork(struct roll *roll, uint64_t now_ns)
{
    for (unsigned i = 0; i < ROLL_FORKS; i++) {
        uint64_t expected = 0;
        if (atomic_compare_exchange_strong(&roll->forks[i], &expected, now_ns)) {
            atomic_fetch_add(&roll->fork_count, 1);
            return (struct roll_fork){i, now_ns};
        }
    }
    atomic_fetch_add(&roll->left_out, 1);
    return (struct roll_fork){0};
}

void roll_end_fork(struct roll *roll, const struct roll_fork *fork)
{
    if (fork->time_ns != 0) {
        uint64_t expected = fork->time_ns;
        atomic_compare_exchange_strong(&roll->forks[fork->place], &expected, 0);
    }
}

bool roll_has_fork(struct roll *roll, uint64_t oldest_ns)
{
    bool has_fork = false;
    for (unsigned i = 0; i < ROLL_FORKS; i++) {
        uint64_t time_ns = atomic_load(&roll->forks[i]);
        if (time_ns >= oldest_ns) {
            has_fork |= time_ns != 0;
        } else if (time_ns != 0) {
            atomic_compare_exchange_strong(&roll->forks[i], &time_ns, 0);
        }
    }
    return has_fork;
}

bool roll_read(const struct roll *roll, unsigned index, struct roll_entry *entry)
{
    int32_t pid = atomic_load_explicit(&roll->pids[index], memory_order_acquire);
    if (pid <= 0) {
        return false;
    }
    *entry = roll->entries[index];
    atomic_thread_fence(memory_order_acquire);
    bool is_sane =
        entry->pid == pid && entry->path_len <= ROLL_PATH_MAX && entry->state < ROLL_STATE_COUNT;
    return is_sane && atomic_load_explicit(&roll->pids[index], memory_order_relaxed) == pid;
}

bool roll_take(struct roll *roll, unsigned index, const struct roll_entry *entry)
{
    int32_t expected = entry->pid;
    return roll->entries[index].state == entry->state &&
           atomic_compare_exchange_strong(&roll->pids[index], &expected, 0);
}

const char *roll_sentence(uint32_t state)
{
#define X(name, sentence) sentence,
    static const char *const sentences[] = {ROLL_STATES(X)};
#undef X
    return state < ROLL_STATE_COUNT ? sentences[state] : "";
}

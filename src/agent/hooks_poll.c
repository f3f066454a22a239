// SPDX-License-Identifier: Apache-2.0

// Hooks of waits for many descriptors: for the network, unless all are pipes; for time, when there
// are none (that is how some programs sleep).

#include <string.h>

#include "agent/descriptor.h"
#include "agent/hidden_signal.h"
#include "agent/hook.h"
#include "agent/probe.h"

#define WORD_BITS  (8 * sizeof(unsigned long))
#define WORD_COUNT (FD_SETSIZE / WORD_BITS)
#define ASKED_MAX  64 // descriptors whose kind is asked

struct poll_list {
    const struct pollfd *fds;
    nfds_t count;
};

static enum wait_kind poll_kind(const void *argument)
{
    const struct poll_list *list = argument;
    enum wait_kind kind = WAIT_SLEEP;
    for (nfds_t i = 0; i < list->count && i < ASKED_MAX && kind != WAIT_NETWORK; i++) {
        if (list->fds[i].fd >= 0) {
            kind = descriptor_kind(list->fds[i].fd) == WAIT_PIPE ? WAIT_PIPE : WAIT_NETWORK;
        }
    }
    return kind;
}

// After a failure the list may not even be readable.
static void end_poll(const struct wait_scope *scope, const struct pollfd *fds, nfds_t count,
                     int result)
{
    if (result >= 0) {
        wait_end_lazily(scope, poll_kind, &(struct poll_list){fds, count});
    } else {
        wait_end(scope, WAIT_NETWORK);
    }
}

HOOK_DEFINE(int, poll, (struct pollfd * fds, nfds_t count, int timeout_ms),
            (fds, count, timeout_ms), false, end_poll(&scope, fds, count, result))

HOOK_DEFINE(int, __poll_chk, (struct pollfd * fds, nfds_t count, int timeout_ms, size_t room),
            (fds, count, timeout_ms, room), false, end_poll(&scope, fds, count, result))

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    struct hidden_mask hidden;
    struct wait_scope scope;
    hidden_mask_begin(&hidden, mask);
    wait_begin(&scope, false);
    int result = REAL(ppoll)(fds, count, timeout, mask);
    end_poll(&scope, fds, count, result);
    hidden_mask_end(&hidden);
    return result;
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t room)
{
    struct hidden_mask hidden;
    struct wait_scope scope;
    hidden_mask_begin(&hidden, mask);
    wait_begin(&scope, false);
    int result = REAL(__ppoll_chk)(fds, count, timeout, mask, room);
    end_poll(&scope, fds, count, result);
    hidden_mask_end(&hidden);
    return result;
}

// All descriptors of a select, noted before it: afterwards only the ready ones are in the sets.
struct select_list {
    unsigned long words[WORD_COUNT];
    size_t word_count;
};

// A set that is not there is for the kernel to refuse.
static void add_set(struct select_list *list, const fd_set *set)
{
    struct probe probe = {0};
    size_t size = list->word_count * sizeof list->words[0];
    bool is_there = set && probe_is_readable(&probe, (uintptr_t)set, size);
    for (size_t i = 0; is_there && i < list->word_count; i++) {
        list->words[i] |= (unsigned long)set->fds_bits[i];
    }
}

static void note_sets(struct select_list *list, int end, const fd_set *const sets[3])
{
    size_t count = end > 0 ? ((size_t)end + WORD_BITS - 1) / WORD_BITS : 0;
    list->word_count = count < WORD_COUNT ? count : WORD_COUNT;
    memset(list->words, 0, list->word_count * sizeof list->words[0]);
    for (size_t i = 0; i < 3; i++) {
        add_set(list, sets[i]);
    }
    if (list->word_count > 0 && (size_t)end % WORD_BITS != 0 && count == list->word_count) {
        list->words[count - 1] &= (1ul << (size_t)end % WORD_BITS) - 1;
    }
}

static enum wait_kind select_kind(const void *argument)
{
    const struct select_list *list = argument;
    enum wait_kind kind = WAIT_SLEEP;
    int asked = 0;
    for (size_t i = 0; i < list->word_count; i++) {
        unsigned long bits = list->words[i];
        for (; bits != 0 && kind != WAIT_NETWORK && asked < ASKED_MAX; bits &= bits - 1, asked++) {
            int fd = (int)(i * WORD_BITS) + __builtin_ctzl(bits);
            kind = descriptor_kind(fd) == WAIT_PIPE ? WAIT_PIPE : WAIT_NETWORK;
        }
    }
    return kind;
}

// Without descriptors it is a way to sleep (time.sleep up to 3.10), and no transfer.
static void end_select(const struct wait_scope *scope, const struct select_list *list)
{
    if (list->word_count == 0) {
        wait_end(scope, WAIT_SLEEP);
    } else {
        wait_end_lazily(scope, select_kind, list);
    }
}

int select(int end, fd_set *readable, fd_set *writable, fd_set *exceptional,
           struct timeval *timeout)
{
    if (!wait_is_measured()) {
        return REAL(select)(end, readable, writable, exceptional, timeout);
    }
    struct select_list list;
    struct wait_scope scope;
    note_sets(&list, end, (const fd_set *const[]){readable, writable, exceptional});
    wait_begin(&scope, false);
    int result = REAL(select)(end, readable, writable, exceptional, timeout);
    end_select(&scope, &list);
    return result;
}

int pselect(int end, fd_set *readable, fd_set *writable, fd_set *exceptional,
            const struct timespec *timeout, const sigset_t *mask)
{
    struct hidden_mask hidden;
    struct select_list list;
    struct wait_scope scope;
    hidden_mask_begin(&hidden, mask);
    note_sets(&list, end, (const fd_set *const[]){readable, writable, exceptional});
    wait_begin(&scope, false);
    int result = REAL(pselect)(end, readable, writable, exceptional, timeout, mask);
    end_select(&scope, &list);
    hidden_mask_end(&hidden);
    return result;
}

// One that only looks (an event loop's, whenever something is ready) cannot wait, and, unlike a
// look by poll or select, is never interrupted: it is left alone. An interpreter's lock is free
// meanwhile, and the longer the look takes, the more often another thread has it afterwards.
int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    if (timeout_ms == 0 || !wait_is_measured()) {
        return REAL(epoll_wait)(fd, events, count, timeout_ms);
    }
    struct wait_scope scope;
    wait_begin(&scope, false);
    int result = REAL(epoll_wait)(fd, events, count, timeout_ms);
    wait_end(&scope, WAIT_NETWORK);
    return result;
}

int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask)
{
    struct hidden_mask hidden;
    struct wait_scope scope;
    hidden_mask_begin(&hidden, mask);
    wait_begin(&scope, false);
    int result = REAL(epoll_pwait)(fd, events, count, timeout_ms, mask);
    wait_end(&scope, WAIT_NETWORK);
    hidden_mask_end(&hidden);
    return result;
}

int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    struct hidden_mask hidden;
    struct wait_scope scope;
    hidden_mask_begin(&hidden, mask);
    wait_begin(&scope, false);
    int result = REAL(epoll_pwait2)(fd, events, count, timeout, mask);
    wait_end(&scope, WAIT_NETWORK);
    hidden_mask_end(&hidden);
    return result;
}

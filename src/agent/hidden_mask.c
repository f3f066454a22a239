// SPDX-License-Identifier: Apache-2.0

// The hidden signal in signal masks: never in the kernel's, always in the program's picture of it.

#include "agent/held_signals.h"
#include "agent/hidden_state.h"
#include "agent/syscall.h"

void hidden_change_kernel_mask(int how)
{
    raw_sigprocmask(how, &(uint64_t){HIDDEN_BIT}, NULL);
}

static bool is_blocked_in_kernel(void)
{
    uint64_t mask = 0;
    raw_sigprocmask(SIG_BLOCK, NULL, &mask);
    return mask & HIDDEN_BIT;
}

void hidden_send(int tid, siginfo_t *info)
{
    raw_tgsigqueueinfo(hidden.pid, tid, HIDDEN_SIGNAL, info);
}

void hidden_release(void)
{
    siginfo_t info;
    int tid = raw_gettid();
    while (held_signals_take(tid, &info)) {
        hidden_send(tid, &info);
    }
}

bool hidden_is_vfork_child(void)
{
    int pid = raw_getpid();
    if (pid == hidden.pid) {
        return false;
    }
    if (hidden_self.child_pid != pid) {
        hidden_self.child_pid = pid;
        if (hidden_self.is_blocked) {
            hidden_change_kernel_mask(SIG_BLOCK);
        }
    }
    return true;
}

bool hidden_signal_is_blocked(void)
{
    return hidden_self.is_blocked;
}

void hidden_signal_set_blocked(bool is_blocked)
{
    if (hidden_is_vfork_child()) {
        hidden_change_kernel_mask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK);
        return;
    }
    bool was_blocked = hidden_self.is_blocked;
    hidden_self.is_blocked = is_blocked;
    if (is_blocked && !was_blocked) {
        atomic_store(&hidden.is_blocked_somewhere, true);
    }
    if (was_blocked && !is_blocked) {
        hidden_release();
    }
}

// A thread may also be made with a mask of its own, which only the kernel knows.
void hidden_signal_thread_inherit(bool is_blocked)
{
    hidden_self.is_blocked = is_blocked || is_blocked_in_kernel();
    if (hidden_self.is_blocked) {
        atomic_store(&hidden.is_blocked_somewhere, true);
    }
    hidden_change_kernel_mask(SIG_UNBLOCK);
}

static bool apply(int how, bool is_named)
{
    switch (how) {
    case SIG_BLOCK:
        return hidden_self.is_blocked || is_named;
    case SIG_UNBLOCK:
        return hidden_self.is_blocked && !is_named;
    default:
        return is_named;
    }
}

int hidden_signal_change_mask(int how, const sigset_t *set, sigset_t *old,
                              int (*original)(int, const sigset_t *, sigset_t *))
{
    // In a handler of the program's whose mask names our signal, the kernel blocks it and takes
    // that back at the end: it is left to the kernel meanwhile.
    if (hidden_is_vfork_child() || (set && is_blocked_in_kernel())) {
        return original(how, set, old);
    }
    bool was_blocked = hidden_self.is_blocked;
    bool is_named = set && hidden_is_in(set);
    sigset_t without;
    if (set) {
        without = *set;
        *hidden_word(&without) &= ~HIDDEN_BIT;
    }
    int status = original(how, set ? &without : NULL, old);
    if (status != 0) {
        return status;
    }
    if (old && was_blocked) {
        *hidden_word(old) |= HIDDEN_BIT;
    }
    if (set) {
        hidden_signal_set_blocked(apply(how, is_named));
    }
    return 0;
}

bool hidden_signal_is_pending(void)
{
    return held_signals_has(raw_gettid());
}

// A mask that names the signal goes to the kernel as it is: nothing is sampled while the call
// sleeps, and what comes meanwhile comes after it.
void hidden_mask_begin(struct hidden_mask *scope, const sigset_t *mask)
{
    scope->is_changed = mask && hidden_signal_is_installed() && !hidden_is_vfork_child();
    if (!scope->is_changed) {
        return;
    }
    scope->was_blocked = hidden_self.is_blocked;
    bool is_blocked = hidden_is_in(mask);
    // What is let through for this call only must not come before it, or the call would sleep on.
    scope->is_held_off = scope->was_blocked && !is_blocked;
    if (scope->is_held_off) {
        hidden_change_kernel_mask(SIG_BLOCK);
    }
    hidden_self.is_blocked = is_blocked;
    if (scope->is_held_off) {
        hidden_release();
    }
}

void hidden_mask_end(const struct hidden_mask *scope)
{
    if (!scope->is_changed) {
        return;
    }
    if (scope->is_held_off) {
        hidden_self.is_blocked = true;
        hidden_change_kernel_mask(SIG_UNBLOCK);
    } else {
        hidden_signal_set_blocked(scope->was_blocked);
    }
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sampling signal, kept out of the program's sight. In the kernel it always has our handler and
// is never blocked; what the program believes of it (its own action, whether a thread blocks it,
// which ones are pending) is kept here, and the hooks of hooks_signal.c show it that. A signal of
// this number that is not ours is the program's, and does to it what it would without us.
// A vfork child shares our memory but not its parent's signals: there the kernel has the truth.
//
// Not shown: a signalfd never yields this signal; and where the kernel itself brings back an older
// mask (siglongjmp, the end of a handler) it does not bring back whether this one was blocked.
// Context: any thread, signal handler, vfork child, unless said otherwise

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define HIDDEN_SIGNAL 61 // SIGRTMAX - 3: a real-time signal that nobody is known to use

typedef void hidden_signal_handler(int number, siginfo_t *info, void *context);

// Takes the signal for the process and unblocks it in the calling thread. Context: constructor.
bool hidden_signal_install(hidden_signal_handler *handler);

// Gives it back where the program has a handler of its own. Else ours stays: a last signal may be
// under way, and the default action is to end the process. False: some thread believes that it
// blocks the signal, which only the hooks can go on to show it. They must stay.
bool hidden_signal_uninstall(void);

// Called by the handler for a signal that is not ours.
void hidden_signal_forward(int number, siginfo_t *info, void *context);

// Whether the calling thread, as the program sees it, blocks the signal.
bool hidden_signal_is_blocked(void);

// In a new thread, before anything of the program's: takes over its creator's belief.
void hidden_signal_thread_inherit(bool is_blocked);

// Around exec: the new program starts with what this one believed. Before may be called again.
void hidden_signal_before_exec(void);
void hidden_signal_after_failed_exec(void);

// Around posix_spawn and its like, for the child's mask.
void hidden_signal_before_spawn(void);
void hidden_signal_after_spawn(void);

// What the hooks do with it. False or call-through while it is not installed.

bool hidden_signal_is_installed(void);

// As sigaction for this number.
int hidden_signal_action(const struct sigaction *action, struct sigaction *old);

// Whether siginterrupt has been asked for it.
bool hidden_signal_interrupts(void);
void hidden_signal_set_interrupts(bool interrupts);

// As sigprocmask, which `original` does for all other signals; returns what that returns.
int hidden_signal_change_mask(int how, const sigset_t *set, sigset_t *old,
                              int (*original)(int, const sigset_t *, sigset_t *));

void hidden_signal_set_blocked(bool is_blocked);

// As sigtimedwait, for a set that holds the signal. `timeout` NULL: for ever.
int hidden_signal_wait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);

// Whether one that the calling thread could have is held back.
bool hidden_signal_is_pending(void);

// A mask for the time of one call.
struct hidden_mask {
    bool is_changed;
    bool was_blocked;
    bool is_held_off; // the kernel blocks the signal until the call
};

// `mask` is given to the call as it is; NULL when it has none.
void hidden_mask_begin(struct hidden_mask *scope, const sigset_t *mask);
void hidden_mask_end(const struct hidden_mask *scope);

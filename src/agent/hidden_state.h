// SPDX-License-Identifier: Apache-2.0
#pragma once

// What hidden_signal.c, hidden_mask.c and hidden_delivery.c share; nobody else includes it.
// Context: any thread, signal handler, vfork child

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/hidden_signal.h"

#define HIDDEN_BIT (1ull << (HIDDEN_SIGNAL - 1))

struct hidden_state {
    atomic_bool is_installed;
    atomic_bool interrupts;           // by siginterrupt
    atomic_bool is_blocked_somewhere; // some thread has believed so
    int pid;
    hidden_signal_handler *handler;
    void (*restorer)(void);
};

struct hidden_thread {
    bool is_blocked;      // as the program believes
    int child_pid;        // the vfork child on this thread whose kernel mask has the truth
    int child_action_pid; // the same for the action
};

extern struct hidden_state hidden;
extern _Thread_local struct hidden_thread hidden_self __attribute__((tls_model("initial-exec")));

// The kernel's word for a set.
static inline uint64_t *hidden_word(sigset_t *set)
{
    return (uint64_t *)set;
}

static inline bool hidden_is_in(const sigset_t *set)
{
    return *(const uint64_t *)set & HIDDEN_BIT;
}

// True in a vfork child, whose own kernel state is brought in line with the belief first.
bool hidden_is_vfork_child(void);

// Blocks or unblocks the signal for the calling thread, in the kernel.
void hidden_change_kernel_mask(int how);

void hidden_send(int tid, siginfo_t *info);

// Sends the calling thread what was held back from it: the kernel delivers it as it would have.
void hidden_release(void);

// SPDX-License-Identifier: Apache-2.0
#include "agent/hidden_signal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/held_signals.h"
#include "agent/hidden_state.h"
#include "agent/real.h"
#include "agent/shadow_action.h"
#include "agent/syscall.h"

// SA_RESTORER: the C library sets it, and programs read it back. Other flags the kernel drops.
#define RESTORER 0x04000000
#define KNOWN_FLAGS                                                                          \
    ((int)(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | \
           SA_RESETHAND))

struct hidden_state hidden;
_Thread_local struct hidden_thread hidden_self __attribute__((tls_model("initial-exec")));

static bool is_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

// All is blocked in our handler: a handler of the program's that jumped out of it would leave it
// half done. Calls are restarted after it, unless the program's own handler is meant to break them.
static bool take_signal(void)
{
    struct sigaction program = shadow_action_get();
    bool interrupts = is_handler(&program) && !(program.sa_flags & SA_RESTART);
    struct sigaction ours = {
        .sa_sigaction = hidden.handler,
        .sa_flags = SA_SIGINFO | SA_ONSTACK | (interrupts ? 0 : SA_RESTART),
    };
    memset(&ours.sa_mask, 0xff, sizeof ours.sa_mask);
    return REAL(sigaction)(HIDDEN_SIGNAL, &ours, NULL) == 0;
}

static void on_fork(void)
{
    hidden.pid = raw_getpid();
    held_signals_clear();
}

bool hidden_signal_install(hidden_signal_handler *handler)
{
    struct sigaction old;
    struct sigaction check;
    if (REAL(sigaction)(HIDDEN_SIGNAL, NULL, &old) != 0) {
        return false;
    }
    bool is_ours = old.sa_flags & SA_SIGINFO && old.sa_sigaction == handler;
    if (!is_ours) { // else it stayed from the last time, and the program's is known
        shadow_action_set(&old);
    }
    hidden.handler = handler;
    hidden.pid = raw_getpid();
    if (!take_signal() || REAL(sigaction)(HIDDEN_SIGNAL, NULL, &check) != 0) {
        return false;
    }
    hidden.restorer = check.sa_restorer;
    static atomic_bool has_fork_handler;
    if (!atomic_exchange(&has_fork_handler, true)) {
        pthread_atfork(NULL, NULL, on_fork);
    }
    hidden_signal_thread_inherit(false);
    atomic_store(&hidden.is_installed, true);
    return true;
}

bool hidden_signal_uninstall(void)
{
    struct sigaction program = shadow_action_get();
    if (atomic_load(&hidden.is_blocked_somewhere)) {
        return false;
    }
    atomic_store(&hidden.is_installed, false);
    if (is_handler(&program)) {
        REAL(sigaction)(HIDDEN_SIGNAL, &program, NULL);
    }
    return true;
}

bool hidden_signal_is_installed(void)
{
    return atomic_load_explicit(&hidden.is_installed, memory_order_relaxed);
}

bool hidden_signal_interrupts(void)
{
    return atomic_load(&hidden.interrupts);
}

void hidden_signal_set_interrupts(bool interrupts)
{
    atomic_store(&hidden.interrupts, interrupts);
}

int hidden_signal_action(const struct sigaction *action, struct sigaction *old)
{
    bool is_child = hidden_is_vfork_child();
    struct sigaction before = shadow_action_get();
    if (action && is_child) {
        hidden_self.child_action_pid = raw_getpid();
        if (REAL(sigaction)(HIDDEN_SIGNAL, action, NULL) != 0) {
            return -1;
        }
    } else if (action) {
        struct sigaction wanted = *action;
        wanted.sa_flags = (wanted.sa_flags & KNOWN_FLAGS) | RESTORER;
        wanted.sa_restorer = hidden.restorer;
        *hidden_word(&wanted.sa_mask) &= ~(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
        shadow_action_set(&wanted);
        take_signal();
        if (wanted.sa_handler == SIG_IGN) {
            held_signals_clear();
        }
    }
    if (old) {
        *old = before;
    }
    return 0;
}

void hidden_signal_before_spawn(void)
{
    if (hidden_signal_is_installed() && !hidden_is_vfork_child() && hidden_self.is_blocked) {
        hidden_change_kernel_mask(SIG_BLOCK);
    }
}

void hidden_signal_after_spawn(void)
{
    if (hidden_signal_is_installed() && !hidden_is_vfork_child() && hidden_self.is_blocked) {
        hidden_change_kernel_mask(SIG_UNBLOCK);
    }
}

// An ignored signal stays ignored in the new program, a pending one stays pending. To ignore it
// takes away what is pending: that comes first.
void hidden_signal_before_exec(void)
{
    if (!hidden_signal_is_installed()) {
        return;
    }
    bool is_child = hidden_is_vfork_child();
    bool has_own_action = is_child && hidden_self.child_action_pid == hidden_self.child_pid;
    struct sigaction action = shadow_action_get();
    if (action.sa_handler == SIG_IGN && !has_own_action) {
        REAL(sigaction)(HIDDEN_SIGNAL, &action, NULL);
    }
    if (!is_child && hidden_self.is_blocked) {
        hidden_change_kernel_mask(SIG_BLOCK);
        hidden_release();
    }
}

void hidden_signal_after_failed_exec(void)
{
    if (hidden_signal_is_installed() && !hidden_is_vfork_child()) {
        take_signal();
        hidden_change_kernel_mask(SIG_UNBLOCK);
    }
}

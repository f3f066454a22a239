// SPDX-License-Identifier: Apache-2.0

// Signals of the hidden number that are the program's: delivered, held back or waited for.

#include <errno.h>
#include <ucontext.h>

#include "agent/held_signals.h"
#include "agent/hidden_state.h"
#include "agent/real.h"
#include "agent/shadow_action.h"
#include "agent/syscall.h"
#include "agent/thread_directory.h"

#define SECOND_NS     1000000000u
#define TIMEOUT_MAX_S 1000000000 // longer ones are for ever

// What a nudge carries: look whether something is held that you may have.
static char nudge_cookie;

static void nudge(int tid)
{
    siginfo_t info = {0};
    info.si_signo = HIDDEN_SIGNAL;
    info.si_code = SI_QUEUE;
    info.si_pid = hidden.pid;
    info.si_value.sival_ptr = &nudge_cookie;
    hidden_send(tid, &info);
}

static bool is_nudge(const siginfo_t *info)
{
    return info->si_code == SI_QUEUE && info->si_pid == hidden.pid &&
           info->si_value.sival_ptr == &nudge_cookie;
}

static void nudge_other(int tid, void *own_tid)
{
    if (tid != *(const int *)own_tid) {
        nudge(tid);
    }
}

// The kernel gave a signal for the whole process to a thread that blocks it, as only we know. Those
// that do not are not known: each is asked to look.
static void nudge_others(void)
{
    int own_tid = raw_gettid();
    thread_directory_visit(nudge_other, &own_tid);
}

// The default action of a real-time signal is to end the process.
static void die(siginfo_t *info)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    REAL(sigaction)(HIDDEN_SIGNAL, &action, NULL);
    hidden_send(raw_gettid(), info);
    hidden_change_kernel_mask(SIG_UNBLOCK);
}

// The program's handler, under the mask that the kernel would have given it.
static void run_handler(const struct sigaction *action, siginfo_t *info, ucontext_t *context)
{
    uint64_t handler_mask = *(const uint64_t *)&action->sa_mask;
    uint64_t mask = (*hidden_word(&context->uc_sigmask) | handler_mask) & ~HIDDEN_BIT;
    uint64_t our_mask = 0;
    hidden_self.is_blocked = !(action->sa_flags & SA_NODEFER) || (handler_mask & HIDDEN_BIT);
    raw_sigprocmask(SIG_SETMASK, &mask, &our_mask);
    action->sa_sigaction(HIDDEN_SIGNAL, info, context);
    raw_sigprocmask(SIG_SETMASK, &our_mask, NULL);
    // A handler may change the mask that is in force after it.
    hidden_self.is_blocked = hidden_is_in(&context->uc_sigmask);
    *hidden_word(&context->uc_sigmask) &= ~HIDDEN_BIT;
    if (!hidden_self.is_blocked) {
        hidden_release();
    }
}

static void run_action(siginfo_t *info, ucontext_t *context)
{
    struct sigaction action = shadow_action_get();
    if (action.sa_handler == SIG_IGN) {
        return;
    }
    if (action.sa_handler == SIG_DFL) {
        die(info);
        return;
    }
    if (action.sa_flags & (int)SA_RESETHAND) {
        struct sigaction once = action;
        once.sa_handler = SIG_DFL;
        shadow_action_set(&once);
    }
    run_handler(&action, info, context);
}

void hidden_signal_forward(int number, siginfo_t *info, void *context)
{
    (void)number;
    siginfo_t held;
    if (is_nudge(info)) {
        if (!hidden_self.is_blocked && held_signals_take(raw_gettid(), &held)) {
            run_action(&held, context);
        }
        return;
    }
    if (!hidden_self.is_blocked) {
        run_action(info, context);
        return;
    }
    bool is_for_thread = info->si_code == SI_TKILL;
    held_signals_add(info, is_for_thread ? raw_gettid() : 0);
    if (!is_for_thread) {
        nudge_others();
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;
    raw_clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static struct timespec time_left(uint64_t deadline_ns)
{
    uint64_t now = now_ns();
    uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    return (struct timespec){(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
}

// What is there already: another signal of the set, else one of ours that was held back.
static bool take_ready(const sigset_t *set, siginfo_t *info, int *number)
{
    sigset_t others = *set;
    *hidden_word(&others) &= ~HIDDEN_BIT;
    *number = REAL(sigtimedwait)(&others, info, &(struct timespec){0});
    if (*number < 0 && errno == EAGAIN && held_signals_take(raw_gettid(), info)) {
        *number = HIDDEN_SIGNAL;
    }
    return *number >= 0 || errno != EAGAIN;
}

// True when `*number` is the answer. A timer's signal may be ours: it goes through the handler.
static bool wait_once(const sigset_t *set, siginfo_t *info, const struct timespec *left,
                      int *number)
{
    *number = REAL(sigtimedwait)(set, info, left);
    if (*number != HIDDEN_SIGNAL) {
        return true;
    }
    if (info->si_code == SI_TIMER) {
        hidden_send(raw_gettid(), info);
        hidden_change_kernel_mask(SIG_UNBLOCK);
        hidden_change_kernel_mask(SIG_BLOCK);
        return held_signals_take(raw_gettid(), info);
    }
    return !is_nudge(info);
}

// While it sleeps the kernel blocks the signal, and is asked for it as well.
int hidden_signal_wait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    bool is_wrong = timeout && (timeout->tv_sec < 0 || (uint64_t)timeout->tv_nsec >= SECOND_NS);
    if (hidden_is_vfork_child() || is_wrong) {
        return REAL(sigtimedwait)(set, info, timeout);
    }
    if (timeout && timeout->tv_sec > TIMEOUT_MAX_S) {
        timeout = NULL;
    }
    siginfo_t unwanted;
    info = info ? info : &unwanted;
    uint64_t deadline = 0;
    if (timeout) {
        deadline = now_ns() + (uint64_t)timeout->tv_sec * SECOND_NS + (uint64_t)timeout->tv_nsec;
    }
    bool was_blocked = hidden_self.is_blocked;
    int errno_before = errno;
    hidden_self.is_blocked = true;
    hidden_change_kernel_mask(SIG_BLOCK);
    int number;
    bool is_done = false;
    while (!is_done && !take_ready(set, info, &number)) {
        struct timespec left = timeout ? time_left(deadline) : (struct timespec){0};
        is_done = wait_once(set, info, timeout ? &left : NULL, &number);
    }
    int errno_after = number < 0 ? errno : errno_before;
    hidden_change_kernel_mask(SIG_UNBLOCK);
    hidden_signal_set_blocked(was_blocked);
    errno = errno_after;
    return number;
}

// SPDX-License-Identifier: Apache-2.0

// Hooks that keep the hidden signal out of sight; all other signals pass.

#include <errno.h>

#include "agent/hidden_signal.h"
#include "agent/hook.h"

#define HIDDEN_BIT (1ull << (HIDDEN_SIGNAL - 1))
#define HOLD       ((sighandler_t)2) // SIG_HOLD

static bool is_hidden(int number)
{
    return number == HIDDEN_SIGNAL && hidden_signal_is_installed();
}

static bool has_hidden(const sigset_t *set)
{
    return set && hidden_signal_is_installed() && *(const uint64_t *)set & HIDDEN_BIT;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (is_hidden(number)) {
        return hidden_signal_action(action, old);
    }
    return REAL(sigaction)(number, action, old);
}

int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return sigaction(number, action, old);
}

// What signal and sysv_signal say to sigaction, each in its own words.
static sighandler_t set_handler(sighandler_t handler, int flags, uint64_t mask)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    struct sigaction old;
    *(uint64_t *)&action.sa_mask = mask;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return hidden_signal_action(&action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

static sighandler_t set_bsd_handler(sighandler_t handler)
{
    return set_handler(handler, hidden_signal_interrupts() ? 0 : SA_RESTART, HIDDEN_BIT);
}

static sighandler_t set_sysv_handler(sighandler_t handler)
{
    return set_handler(handler, (int)SA_RESETHAND | SA_NODEFER, 0);
}

sighandler_t signal(int number, sighandler_t handler)
{
    return is_hidden(number) ? set_bsd_handler(handler) : REAL(signal)(number, handler);
}

sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return is_hidden(number) ? set_bsd_handler(handler) : REAL(bsd_signal)(number, handler);
}

sighandler_t ssignal(int number, sighandler_t handler)
{
    return is_hidden(number) ? set_bsd_handler(handler) : REAL(ssignal)(number, handler);
}

sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return is_hidden(number) ? set_sysv_handler(handler) : REAL(sysv_signal)(number, handler);
}

sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return is_hidden(number) ? set_sysv_handler(handler) : REAL(__sysv_signal)(number, handler);
}

// Blocks the signal, or sets a handler and unblocks it; tells what was before.
sighandler_t sigset(int number, sighandler_t handler)
{
    if (!is_hidden(number)) {
        return REAL(sigset)(number, handler);
    }
    struct sigaction before;
    bool was_blocked = hidden_signal_is_blocked();
    hidden_signal_action(NULL, &before);
    if (handler == HOLD) {
        hidden_signal_set_blocked(true);
    } else if (set_handler(handler, 0, 0) == SIG_ERR) {
        return SIG_ERR;
    } else {
        hidden_signal_set_blocked(false);
    }
    return was_blocked ? HOLD : before.sa_handler;
}

int sigignore(int number)
{
    if (!is_hidden(number)) {
        return REAL(sigignore)(number);
    }
    return set_handler(SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

int sighold(int number)
{
    if (!is_hidden(number)) {
        return REAL(sighold)(number);
    }
    hidden_signal_set_blocked(true);
    return 0;
}

int sigrelse(int number)
{
    if (!is_hidden(number)) {
        return REAL(sigrelse)(number);
    }
    hidden_signal_set_blocked(false);
    return 0;
}

int siginterrupt(int number, int interrupts)
{
    if (!is_hidden(number)) {
        return REAL(siginterrupt)(number, interrupts);
    }
    struct sigaction action;
    hidden_signal_action(NULL, &action);
    hidden_signal_set_interrupts(interrupts);
    action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return hidden_signal_action(&action, NULL);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!hidden_signal_is_installed()) {
        return REAL(sigprocmask)(how, set, old);
    }
    return hidden_signal_change_mask(how, set, old, REAL(sigprocmask));
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!hidden_signal_is_installed()) {
        return REAL(pthread_sigmask)(how, set, old);
    }
    return hidden_signal_change_mask(how, set, old, REAL(pthread_sigmask));
}

// Its mask has only the first signals: the others are unblocked.
int sigsetmask(int mask)
{
    int old = REAL(sigsetmask)(mask);
    if (hidden_signal_is_installed()) {
        hidden_signal_set_blocked(false);
    }
    return old;
}

int sigpending(sigset_t *set)
{
    int status = REAL(sigpending)(set);
    if (status == 0 && hidden_signal_is_installed()) {
        uint64_t *word = (uint64_t *)set;
        *word = hidden_signal_is_pending() ? *word | HIDDEN_BIT : *word & ~HIDDEN_BIT;
    }
    return status;
}

int sigsuspend(const sigset_t *mask)
{
    struct hidden_mask hidden;
    struct wait_scope scope;
    hidden_mask_begin(&hidden, mask);
    wait_begin(&scope, false);
    int status = REAL(sigsuspend)(mask);
    wait_end(&scope, WAIT_OTHER);
    hidden_mask_end(&hidden);
    return status;
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    struct wait_scope scope;
    wait_begin(&scope, false);
    int number = has_hidden(set) ? hidden_signal_wait(set, info, timeout)
                                 : REAL(sigtimedwait)(set, info, timeout);
    wait_end(&scope, WAIT_OTHER);
    return number;
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    struct wait_scope scope;
    wait_begin(&scope, false);
    int number =
        has_hidden(set) ? hidden_signal_wait(set, info, NULL) : REAL(sigwaitinfo)(set, info);
    wait_end(&scope, WAIT_OTHER);
    return number;
}

// Never fails for a signal handler, unlike the others, and leaves errno alone.
static int wait_uninterrupted(const sigset_t *set, int *number)
{
    int saved_errno = errno;
    int found;
    do {
        found = hidden_signal_wait(set, NULL, NULL);
    } while (found < 0 && errno == EINTR);
    int status = found < 0 ? errno : 0;
    if (found >= 0) {
        *number = found;
        errno = saved_errno;
    }
    return status;
}

int sigwait(const sigset_t *set, int *number)
{
    struct wait_scope scope;
    wait_begin(&scope, false);
    int status = has_hidden(set) ? wait_uninterrupted(set, number) : REAL(sigwait)(set, number);
    wait_end(&scope, WAIT_OTHER);
    return status;
}

// The descriptor would read our samples away.
int signalfd(int fd, const sigset_t *set, int flags)
{
    if (!has_hidden(set)) {
        return REAL(signalfd)(fd, set, flags);
    }
    sigset_t without = *set;
    *(uint64_t *)&without &= ~HIDDEN_BIT;
    return REAL(signalfd)(fd, &without, flags);
}

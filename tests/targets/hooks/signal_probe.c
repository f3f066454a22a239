// SPDX-License-Identifier: Apache-2.0
#include "signal_probe.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

atomic_int call_count;
int codes[20];
int values[20];

void burn(void)
{
    struct timespec time;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while (time.tv_nsec / 1000000 % 4 != 3);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while (time.tv_nsec / 1000000 % 4 == 3);
}

void note(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    int i = call_count;
    if (i < 20) {
        codes[i] = info->si_code;
        values[i] = info->si_value.sival_int;
    }
    call_count++; // last: another thread may be waiting for it
}

void note_plain(int number)
{
    (void)number;
    call_count++;
}

void show_calls(const char *what)
{
    printf("%s: %d calls", what, call_count);
    for (int i = 0; i < call_count && i < 20; i++) {
        printf(" (code %d, value %d)", codes[i], codes[i] == SI_QUEUE ? values[i] : 0);
    }
    printf("\n");
    fflush(stdout);
    call_count = 0;
}

bool is_blocked(void)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, NUMBER);
}

bool is_pending(void)
{
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, NUMBER);
}

void show_mask(const char *what)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    printf("%s: blocked", what);
    for (int i = 1; i <= SIGRTMAX; i++) {
        if (sigismember(&mask, i) == 1) {
            printf(" %d", i);
        }
    }
    printf("\n");
    fflush(stdout);
}

void show_action(const char *what)
{
    struct sigaction action;
    memset(&action, 0x55, sizeof action);
    int status = sigaction(NUMBER, NULL, &action);
    const char *handler = action.sa_handler == SIG_DFL      ? "default"
                          : action.sa_handler == SIG_IGN    ? "ignored"
                          : action.sa_sigaction == note     ? "note"
                          : action.sa_handler == note_plain ? "note_plain"
                                                            : "unknown";
    printf("%s: %d %s flags %x mask %lx\n", what, status, handler, action.sa_flags,
           *(unsigned long *)&action.sa_mask);
    fflush(stdout);
}

void set_action(void (*handler)(int, siginfo_t *, void *), int flags, bool is_full)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    if (is_full) {
        sigfillset(&action.sa_mask);
    }
    sigaction(NUMBER, &action, NULL);
}

void change_mask(int how, bool is_full)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, NUMBER);
    if (is_full) {
        sigfillset(&set);
    }
    pthread_sigmask(how, &set, NULL);
}

void queue(int value)
{
    sigqueue(getpid(), NUMBER, (union sigval){.sival_int = value});
}

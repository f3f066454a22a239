// SPDX-License-Identifier: Apache-2.0

// Blocking calls in bursts of computing, each of which a sample may fall into. Counts those that
// were interrupted by a signal: the program has no handler, so none may be.

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHORT_NS 60000

struct fixture {
    int silent[2];
    int echo[2];
    int epoll;
    sem_t semaphore;
    uint32_t futex;
};

static struct timespec after(long ns)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += ns;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static int call_poll(struct fixture *fixture)
{
    struct pollfd entry = {.fd = fixture->silent[0], .events = POLLIN};
    return poll(&entry, 1, 1);
}

static int call_ppoll(struct fixture *fixture)
{
    struct pollfd entry = {.fd = fixture->silent[0], .events = POLLIN};
    return ppoll(&entry, 1, &(struct timespec){0, SHORT_NS}, NULL);
}

static int call_select(struct fixture *fixture)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fixture->silent[0], &set);
    return select(fixture->silent[0] + 1, &set, NULL, NULL, &(struct timeval){0, SHORT_NS / 1000});
}

static int call_pselect(struct fixture *fixture)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fixture->silent[0], &set);
    return pselect(fixture->silent[0] + 1, &set, NULL, NULL, &(struct timespec){0, SHORT_NS}, NULL);
}

static int call_epoll(struct fixture *fixture)
{
    struct epoll_event event;
    return epoll_wait(fixture->epoll, &event, 1, 1);
}

// A look that does not wait. Many, as each takes less than a microsecond.
static int call_epoll_look(struct fixture *fixture)
{
    struct epoll_event event;
    int status = 0;
    for (int i = 0; i < 100 && status == 0; i++) {
        status = epoll_wait(fixture->epoll, &event, 1, 0);
    }
    return status;
}

static int call_nanosleep(struct fixture *fixture)
{
    (void)fixture;
    return nanosleep(&(struct timespec){0, SHORT_NS}, NULL);
}

static int call_clock_nanosleep(struct fixture *fixture)
{
    (void)fixture;
    errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, SHORT_NS}, NULL);
    return errno ? -1 : 0;
}

static int call_semaphore(struct fixture *fixture)
{
    struct timespec end = after(SHORT_NS);
    return sem_timedwait(&fixture->semaphore, &end);
}

static int call_futex(struct fixture *fixture)
{
    return (int)syscall(SYS_futex, &fixture->futex, FUTEX_WAIT_PRIVATE, 0,
                        &(struct timespec){0, SHORT_NS}, NULL, 0);
}

// Restarted by the kernel after a handler with SA_RESTART, but cut short when bytes have come.
static int call_socket(struct fixture *fixture)
{
    char bytes[64] = {0};
    if (send(fixture->echo[0], bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return -1;
    }
    ssize_t len = recv(fixture->echo[1], bytes, sizeof bytes, MSG_WAITALL);
    return len == (ssize_t)sizeof bytes || len < 0 ? (int)len : (errno = EINTR, -1);
}

static int call_receive_timeout(struct fixture *fixture)
{
    char byte;
    return (int)recv(fixture->silent[0], &byte, 1, 0);
}

static int call_child(struct fixture *fixture)
{
    (void)fixture;
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG);
}

static int (*const calls[])(struct fixture *) = {
    call_poll,      call_ppoll,           call_select,          call_pselect, call_epoll,
    call_nanosleep, call_semaphore,       call_clock_nanosleep, call_futex,   call_socket,
    call_child,     call_receive_timeout, call_epoll_look,
};

#define CALL_COUNT (sizeof calls / sizeof *calls)

static bool prepare(struct fixture *fixture)
{
    struct timeval limit = {0, 1000};
    struct epoll_event event = {.events = EPOLLIN};
    *fixture = (struct fixture){.epoll = epoll_create1(EPOLL_CLOEXEC)};
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fixture->silent) == 0 &&
           socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fixture->echo) == 0 &&
           setsockopt(fixture->silent[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
           sem_init(&fixture->semaphore, 0, 0) == 0 &&
           epoll_ctl(fixture->epoll, EPOLL_CTL_ADD, fixture->silent[0], &event) == 0;
}

static void clean(struct fixture *fixture)
{
    for (int i = 0; i < 2; i++) {
        close(fixture->silent[i]);
        close(fixture->echo[i]);
    }
    close(fixture->epoll);
}

// Up to about a tenth of a millisecond of CPU.
static uint32_t burn(uint32_t random)
{
    random = random * 1664525u + 1013904223u;
    for (volatile uint32_t i = 0; i < (random >> 16) % 100000u; i++) {
    }
    return random;
}

// Makes `count` calls and adds the interrupted ones to `interrupted`, by call; false: no means.
bool blocking_calls(uint32_t seed, long count, long interrupted[CALL_COUNT])
{
    struct fixture fixture;
    if (!prepare(&fixture)) {
        return false;
    }
    for (long i = 0; i < count; i++) {
        unsigned which = (unsigned)((unsigned long)i % CALL_COUNT);
        seed = burn(seed);
        errno = 0;
        if (calls[which](&fixture) < 0 && errno == EINTR) {
            interrupted[which]++;
        }
    }
    clean(&fixture);
    return true;
}

int blocking_calls_kinds(void)
{
    return CALL_COUNT;
}

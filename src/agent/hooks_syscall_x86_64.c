// SPDX-License-Identifier: Apache-2.0

// The hook of syscall(2), by which some languages wait. A call that cannot block must be a plain
// jump: it may make a child that returns on another stack, and a caller that passes fewer than six
// arguments keeps something of its own where the last would be.

#include <errno.h>
#include <linux/futex.h>

#include "agent/hook.h"
#include "agent/syscall.h"

typedef long full_syscall(long number, long a, long b, long c, long d, long e, long f);

// Named by the assembly below.
full_syscall hook_syscall_early;
full_syscall hook_syscall_waiting;
extern const uint64_t hook_syscall_blocking[];
extern full_syscall *hook_syscall_next;

// Until the original is known.
long hook_syscall_early(long number, long a, long b, long c, long d, long e, long f)
{
    long result = raw_syscall6(number, a, b, c, d, e, f);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

full_syscall *hook_syscall_next = hook_syscall_early;

__attribute__((constructor)) static void find_next(void)
{
    hook_syscall_next = (full_syscall *)REAL(syscall);
}

static bool is_wait(int operation)
{
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI:
        return true;
    default:
        return false;
    }
}

// The calls that may block: X(number, what it waits for).
// clang-format off
#define BLOCKING_CALLS(X)                         \
    X(SYS_read, BY_DESCRIPTOR)                    \
    X(SYS_write, BY_DESCRIPTOR)                   \
    X(SYS_readv, BY_DESCRIPTOR)                   \
    X(SYS_writev, BY_DESCRIPTOR)                  \
    X(SYS_poll, WAIT_NETWORK)                     \
    X(SYS_ppoll, WAIT_NETWORK)                    \
    X(SYS_select, WAIT_NETWORK)                   \
    X(SYS_pselect6, WAIT_NETWORK)                 \
    X(SYS_epoll_wait, WAIT_NETWORK)               \
    X(SYS_epoll_pwait, WAIT_NETWORK)              \
    X(SYS_EPOLL_PWAIT2, WAIT_NETWORK)             \
    X(SYS_connect, WAIT_NETWORK)                  \
    X(SYS_accept, WAIT_NETWORK)                   \
    X(SYS_accept4, WAIT_NETWORK)                  \
    X(SYS_sendto, WAIT_NETWORK)                   \
    X(SYS_recvfrom, WAIT_NETWORK)                 \
    X(SYS_sendmsg, WAIT_NETWORK)                  \
    X(SYS_recvmsg, WAIT_NETWORK)                  \
    X(SYS_sendmmsg, WAIT_NETWORK)                 \
    X(SYS_recvmmsg, WAIT_NETWORK)                 \
    X(SYS_nanosleep, WAIT_SLEEP)                  \
    X(SYS_clock_nanosleep, WAIT_SLEEP)            \
    X(SYS_wait4, WAIT_CHILD)                      \
    X(SYS_waitid, WAIT_CHILD)                     \
    X(SYS_fsync, WAIT_DISK)                       \
    X(SYS_fdatasync, WAIT_DISK)                   \
    X(SYS_flock, WAIT_LOCK)                       \
    X(SYS_futex, BY_FUTEX)                        \
    X(SYS_FUTEX_WAITV, WAIT_LOCK)                 \
    X(SYS_pause, WAIT_OTHER)                      \
    X(SYS_rt_sigtimedwait, WAIT_OTHER)            \
    X(SYS_rt_sigsuspend, WAIT_OTHER)              \
    X(SYS_semop, WAIT_LOCK)                       \
    X(SYS_semtimedop, WAIT_LOCK)                  \
    X(SYS_msgrcv, WAIT_PIPE)                      \
    X(SYS_mq_timedsend, WAIT_PIPE)                \
    X(SYS_mq_timedreceive, WAIT_PIPE)             \
    X(SYS_io_getevents, WAIT_DISK)                \
    X(SYS_IO_URING_ENTER, WAIT_OTHER)

// clang-format on

// Newer than the oldest headers.
enum { SYS_IO_URING_ENTER = 426, SYS_EPOLL_PWAIT2 = 441, SYS_FUTEX_WAITV = 449 };

enum { BY_DESCRIPTOR = WAIT_KIND_COUNT, BY_FUTEX };

#define BIT(call, word) ((call) / 64 == (word) ? 1ull << (call) % 64 : 0)
#define W0(call, kind)  BIT(call, 0) |
#define W1(call, kind)  BIT(call, 1) |
#define W2(call, kind)  BIT(call, 2) |
#define W3(call, kind)  BIT(call, 3) |
#define W4(call, kind)  BIT(call, 4) |
#define W5(call, kind)  BIT(call, 5) |
#define W6(call, kind)  BIT(call, 6) |
#define W7(call, kind)  BIT(call, 7) |

const uint64_t hook_syscall_blocking[8] = {
    BLOCKING_CALLS(W0) 0, BLOCKING_CALLS(W1) 0, BLOCKING_CALLS(W2) 0, BLOCKING_CALLS(W3) 0,
    BLOCKING_CALLS(W4) 0, BLOCKING_CALLS(W5) 0, BLOCKING_CALLS(W6) 0, BLOCKING_CALLS(W7) 0,
};

static const uint8_t waits_for_what[64 * 8] = {
#define X(call, kind) [call] = (kind),
    BLOCKING_CALLS(X)
#undef X
};

long hook_syscall_waiting(long number, long a, long b, long c, long d, long e, long f)
{
    unsigned waits_for = waits_for_what[number]; // one of those above: see `syscall` below
    if ((waits_for == BY_FUTEX && !is_wait((int)b)) || !wait_is_measured()) {
        return hook_syscall_next(number, a, b, c, d, e, f);
    }
    struct wait_scope scope;
    wait_begin(&scope, false);
    long result = hook_syscall_next(number, a, b, c, d, e, f);
    if (waits_for == BY_FUTEX) {
        wait_end_lock(&scope, (const void *)a);
    } else if (waits_for == BY_DESCRIPTOR) {
        wait_end_fd(&scope, (int)a);
    } else {
        wait_end(&scope, (enum wait_kind)waits_for);
    }
    return result;
}

__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $512, %rdi\n"
        "    jae 1f\n"
        "    leaq hook_syscall_blocking(%rip), %rax\n"
        "    btq %rdi, (%rax)\n"
        "    jc hook_syscall_waiting\n"
        "1:\n"
        "    jmp *hook_syscall_next(%rip)\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n");

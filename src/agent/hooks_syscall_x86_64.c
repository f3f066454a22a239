// SPDX-License-Identifier: Apache-2.0

// The hook of syscall(2), by which some languages wait on a futex. Every other call must be a plain
// jump: it may make a child that returns on another stack, and a caller that passes fewer than six
// arguments keeps something of its own where the last would be.

#include <errno.h>
#include <linux/futex.h>

#include "agent/hook.h"
#include "agent/syscall.h"

typedef long full_syscall(long number, long a, long b, long c, long d, long e, long f);

// Named by the assembly below.
full_syscall hook_syscall_early;
full_syscall hook_syscall_futex;
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

long hook_syscall_futex(long number, long a, long b, long c, long d, long e, long f)
{
    if (!is_wait((int)b) || !wait_is_measured()) {
        return hook_syscall_next(number, a, b, c, d, e, f);
    }
    struct wait_scope scope;
    wait_begin(&scope, false);
    long result = hook_syscall_next(number, a, b, c, d, e, f);
    wait_end_lock(&scope, (const void *)a);
    return result;
}

_Static_assert(SYS_futex == 202, "the number that is tested for below");

__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $202, %rdi\n"
        "    je hook_syscall_futex\n"
        "    jmp *hook_syscall_next(%rip)\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n");

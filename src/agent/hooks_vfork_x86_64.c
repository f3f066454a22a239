// SPDX-License-Identifier: Apache-2.0

// The hook of vfork. The function returns twice on one stack, so its return address is kept in a
// register, and the original cannot be called: it would keep its own.

#include <errno.h>
#include <sys/syscall.h>

#include "agent/hook.h"
#include "agent/vfork_child.h"

_Thread_local bool vfork_child_runs __attribute__((tls_model("initial-exec")));

_Static_assert(SYS_vfork == 58, "the number that is called below");

// Named by the assembly below.
int hook_vfork_failed(int error);

int hook_vfork_failed(int error)
{
    errno = error;
    return -1;
}

// The mark is set before the call and taken back by the parent, which the kernel lets go on only
// when the child has left its memory. What was there before is kept: a child may have children.
__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_register %rip, %rdi\n"
        "    movq vfork_child_runs@gottpoff(%rip), %rsi\n"
        "    movb %fs:(%rsi), %dl\n"
        "    movb $1, %fs:(%rsi)\n"
        "    movl $58, %eax\n"
        "    syscall\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_offset %rip, -8\n"
        "    testl %eax, %eax\n"
        "    jz 1f\n"
        "    movb %dl, %fs:(%rsi)\n"
        "    js 2f\n"
        "1:  ret\n"
        "2:  negl %eax\n"
        "    movl %eax, %edi\n"
        "    jmp hook_vfork_failed\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n");

// SPDX-License-Identifier: Apache-2.0
#include "agent/lifecycle/live_dlsym.h"

void *live_dlsym_original;

// The two arguments are kept, the third word aligns the stack.
__asm__(".text\n"
        ".globl live_dlsym\n"
        ".hidden live_dlsym\n"
        ".type live_dlsym, @function\n"
        "live_dlsym:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call live_dlsym_called\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *live_dlsym_original(%rip)\n"
        "    .cfi_endproc\n"
        ".size live_dlsym, . - live_dlsym\n");

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the agent costs, in processor cycles, place by place: in a build made for it
// (`meson setup -Dcycles=true`). Of any other build nothing of this is part.
// At the end of the process the table goes to the file that SCALENE_CYCLES names, three numbers a
// place: offset in the agent's file, calls, cycles. The first row has the length of a second.
// Context: any thread, signal handler

#ifdef SCALENE_COUNTS_CYCLES

#include <stdint.h>

struct cycles_scope {
    uintptr_t place;
    uint64_t begin;
};

struct cycles_scope cycles_begin(uintptr_t place);
void cycles_end(const struct cycles_scope *scope);
void cycles_write(void);

// From here to the end of the block is counted under the place that called the function.
#define CYCLES_OF_CALLER()                                                                \
    __attribute__((cleanup(cycles_end), unused)) const struct cycles_scope cycles_scope = \
        cycles_begin((uintptr_t)__builtin_return_address(0))
// The same, under the function itself.
#define CYCLES_OF_FUNCTION(function)                                                      \
    __attribute__((cleanup(cycles_end), unused)) const struct cycles_scope cycles_scope = \
        cycles_begin((uintptr_t)(function))
#define CYCLES_WRITE() cycles_write()

#else

#define CYCLES_OF_CALLER()           ((void)0)
#define CYCLES_OF_FUNCTION(function) ((void)0)
#define CYCLES_WRITE()               ((void)0)

#endif

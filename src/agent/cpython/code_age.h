// SPDX-License-Identifier: Apache-2.0
#pragma once

// Addresses of code objects are used again, by what is compiled next. The age of an address goes up
// when a code object that is known there ends, so that what was learnt of it is not taken for the
// next one's. It is of that address alone: a code object that lives keeps its age, whatever else
// ends, as what waits in it is found by it. Context: holds the GIL

#include <stdatomic.h>
#include <stdint.h>

#define CODE_AGE_PLACES 8192u
#define CODE_AGE_PROBES 8u
#define CODE_AGE_BITS   16 // of a place's word; the address is above them

extern _Atomic uint64_t code_ages[CODE_AGE_PLACES];

static inline _Atomic uint64_t *code_age_place(uintptr_t code, unsigned probe)
{
    return &code_ages[((code >> 4 ^ code >> 16) + probe) % CODE_AGE_PLACES];
}

static inline uint64_t code_age(uintptr_t code)
{
    for (unsigned i = 0; i < CODE_AGE_PROBES; i++) {
        uint64_t word = atomic_load_explicit(code_age_place(code, i), memory_order_relaxed);
        if (word >> CODE_AGE_BITS == code) {
            return word & ((1u << CODE_AGE_BITS) - 1);
        }
        if (word == 0) {
            break;
        }
    }
    return 0;
}

// Something is known of it from now on. One that finds no place stays as if it never ended.
void code_age_keep(uintptr_t code);

void code_age_install(void);
void code_age_remove(void);

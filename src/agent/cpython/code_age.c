// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/code_age.h"

#include "agent/cpython/interpreter.h"
#include "agent/cpython/slots.h"

#define TYPE_DEALLOC 48

typedef void dealloc_slot(void *self);

_Atomic uint64_t code_ages[CODE_AGE_PLACES];

static struct slot_list slots;
static dealloc_slot *real_dealloc;

// Only who holds the GIL of the code object's interpreter changes its word; others may take the
// places beside it.
static void grow_older(uintptr_t code)
{
    for (unsigned i = 0; i < CODE_AGE_PROBES; i++) {
        _Atomic uint64_t *place = code_age_place(code, i);
        uint64_t word = atomic_load_explicit(place, memory_order_relaxed);
        if (word >> CODE_AGE_BITS == code) {
            uint64_t age = (word + 1) & ((1u << CODE_AGE_BITS) - 1);
            atomic_store_explicit(place, (uint64_t)code << CODE_AGE_BITS | age,
                                  memory_order_relaxed);
            return;
        }
        if (word == 0) {
            return;
        }
    }
}

static void hooked_dealloc(void *self)
{
    grow_older((uintptr_t)self);
    real_dealloc(self);
}

void code_age_keep(uintptr_t code)
{
    for (unsigned i = 0; i < CODE_AGE_PROBES; i++) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(code_age_place(code, i), &found,
                                           (uint64_t)code << CODE_AGE_BITS) ||
            found >> CODE_AGE_BITS == code) {
            return;
        }
    }
}

void code_age_install(void)
{
    if (slots.count == 0 && slots_add(&slots, (void **)(interpreter.code_type + TYPE_DEALLOC),
                                      (void *)hooked_dealloc)) {
        real_dealloc = (dealloc_slot *)slots.list[0].original;
        slots_install(&slots);
    }
}

void code_age_remove(void)
{
    slots_remove(&slots);
}

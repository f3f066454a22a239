// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/async_generator.h"

#include <stdint.h>

#include "agent/cpython/coroutine_step.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/slots.h"

#define TYPE_NEXT      224
#define TYPE_FINALIZE  392
#define SEND_GENERATOR 16

typedef void *next_slot(void *self);
typedef void finalize_slot(void *self);

static struct slot_list slots;

static struct {
    next_slot *next;
    one_argument *send;
    finalize_slot *finalize;
} real;

static void begin(struct coroutine_step *step, void *self)
{
    uintptr_t generator = *(const uintptr_t *)((uintptr_t)self + SEND_GENERATOR);
    coroutine_step_begin(step, generator, COROUTINE_OF_GENERATOR);
}

static void *hooked_next(void *self)
{
    struct coroutine_step step;
    begin(&step, self);
    void *result = real.next(self);
    coroutine_step_end(&step);
    return result;
}

static void *hooked_send(void *self, void *argument)
{
    struct coroutine_step step;
    begin(&step, self);
    void *result = real.send(self, argument);
    coroutine_step_end(&step);
    return result;
}

static void hooked_finalize(void *self)
{
    coroutine_step_generator_dropped((uintptr_t)self);
    real.finalize(self);
}

void async_generator_install(void)
{
    uintptr_t send_type = (uintptr_t)interpreter_symbol("_PyAsyncGenASend_Type");
    uintptr_t type = (uintptr_t)interpreter_symbol("PyAsyncGen_Type");
    if (slots.count > 0 || !send_type || !type) {
        return;
    }
    if (!slots_add(&slots, (void **)(send_type + TYPE_NEXT), (void *)hooked_next) ||
        !slots_add_method(&slots, send_type, "send", CALL_ONE, (void *)hooked_send) ||
        !slots_add(&slots, (void **)(type + TYPE_FINALIZE), (void *)hooked_finalize)) {
        slots.count = 0;
        return;
    }
    real.next = (next_slot *)slots.list[0].original;
    real.send = (one_argument *)slots.list[1].original;
    real.finalize = (finalize_slot *)slots.list[2].original;
    slots_install(&slots);
}

void async_generator_remove(void)
{
    slots_remove(&slots);
}

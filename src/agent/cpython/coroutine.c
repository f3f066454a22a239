// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/coroutine.h"

#include <stdbool.h>
#include <stddef.h>

#include "agent/cpython/async_generator.h"
#include "agent/cpython/code_age.h"
#include "agent/cpython/coroutine_step.h"
#include "agent/cpython/executor_queue.h"
#include "agent/cpython/generator_send.h"
#include "agent/cpython/inner_waits.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/slots.h"
#include "agent/cpython/task.h"
#include "agent/cpython/task_adoption.h"
#include "agent/cpython/task_call.h"
#include "agent/cpython/task_list.h"
#include "agent/cpython/task_snapshot.h"
#include "agent/hot.h"
#include "agent/session.h"

// Offsets in a type, the same in every version with the GIL.
#define TYPE_ASYNC    80
#define TYPE_FINALIZE 392
#define ASYNC_SEND    24 // 3.10 on

typedef int send_slot(void *self, void *argument, void **result);
typedef void finalize_slot(void *self);

static struct {
    send_slot *send_slot;
    one_argument *send;
    void *throw; // either form
    one_argument *close;
    finalize_slot *finalize;
    fast_keywords *run;
} real;

HOT static int hooked_send_slot(void *self, void *argument, void **result)
{
    struct coroutine_step step;
    coroutine_step_begin(&step, (uintptr_t)self, COROUTINE_OF_ANYBODY);
    int status = real.send_slot(self, argument, result);
    coroutine_step_end(&step);
    return status;
}

HOT static void *hooked_send(void *self, void *argument)
{
    struct coroutine_step step;
    coroutine_step_begin(&step, (uintptr_t)self, COROUTINE_OF_ANYBODY);
    void *result = real.send(self, argument);
    coroutine_step_end(&step);
    return result;
}

static void *hooked_throw(void *self, void *arguments)
{
    struct coroutine_step step;
    coroutine_step_begin(&step, (uintptr_t)self, COROUTINE_OF_ANYBODY);
    void *result = ((one_argument *)real.throw)(self, arguments);
    coroutine_step_end(&step);
    return result;
}

static void *hooked_fast_throw(void *self, void *const *arguments, ptrdiff_t count)
{
    struct coroutine_step step;
    coroutine_step_begin(&step, (uintptr_t)self, COROUTINE_OF_ANYBODY);
    void *result = ((fast_arguments *)real.throw)(self, arguments, count);
    coroutine_step_end(&step);
    return result;
}

// One that has not begun, or has ended, takes no step.
static void *hooked_close(void *self, void *unused)
{
    if (!coroutine_step_waits((uintptr_t)self)) {
        return real.close(self, unused);
    }
    struct coroutine_step step;
    coroutine_step_begin(&step, (uintptr_t)self, COROUTINE_OF_ANYBODY);
    void *result = real.close(self, unused);
    coroutine_step_end(&step);
    return result;
}

// A task whose outermost coroutine is none of the interpreter's takes its steps past our slots. It
// lives as long as the caller's arguments do.
static void *run_foreign(uintptr_t coroutine, void *self, void *const *arguments, ptrdiff_t count,
                         void *names)
{
    struct coroutine_step step;
    coroutine_step_begin(&step, coroutine, COROUTINE_OF_TASK);
    void *result = real.run(self, arguments, count, names);
    coroutine_step_end(&step);
    return result;
}

HOT static __attribute__((noinline)) void *
run_measured(void *self, void *const *arguments, ptrdiff_t count, void *names, uintptr_t task)
{
    uintptr_t foreign = task ? task_foreign_coroutine(task) : 0;
    struct coroutine_call call;
    coroutine_call_begin(&call, task != 0);
    task_expect(task);
    void *result = foreign ? run_foreign(foreign, self, arguments, count, names)
                           : real.run(self, arguments, count, names);
    task_expect(0);
    coroutine_call_end(&call);
    return result;
}

// Of a context: a loop calls whatever it has to call through it. So do threads, of which a crash
// shows the native stack: it must have no frame of ours.
HOT static void *hooked_run(void *self, void *const *arguments, ptrdiff_t count, void *names)
{
    if (count == 0 || !atomic_load_explicit(&session.is_active, memory_order_relaxed)) {
        return real.run(self, arguments, count, names);
    }
    uintptr_t task = task_call_task(arguments[0]);
    return task || coroutine_thread_has_steps() ? run_measured(self, arguments, count, names, task)
                                                : real.run(self, arguments, count, names);
}

// Coroutines are finalised in their hundreds of thousands, and hardly one of them still waits.
HOT static void hooked_finalize(void *self)
{
    coroutine_step_dropped((uintptr_t)self);
    real.finalize(self);
}

static struct slot_list slots;

static bool add_throw(uintptr_t type)
{
    return slots_add_method(&slots, type, "throw", CALL_FAST, (void *)hooked_fast_throw) ||
           slots_add_method(&slots, type, "throw", CALL_VARARGS, (void *)hooked_throw);
}

static bool find_slots(uintptr_t type)
{
    uintptr_t async = *(const uintptr_t *)(type + TYPE_ASYNC);
    bool has_slot = interpreter.layout.minor >= 10;
    slots.count = 0;
    return slots_add_method(&slots, type, "send", CALL_ONE, (void *)hooked_send) &&
           add_throw(type) &&
           slots_add_method(&slots, type, "close", CALL_NOARGS, (void *)hooked_close) &&
           slots_add(&slots, (void **)(type + TYPE_FINALIZE), (void *)hooked_finalize) &&
           (!has_slot ||
            (async && slots_add(&slots, (void **)(async + ASYNC_SEND), (void *)hooked_send_slot)));
}

// Without it only what coroutines do to a loop is seen.
static void add_context_run(void)
{
    uintptr_t type = (uintptr_t)interpreter_symbol("PyContext_Type");
    if (type &&
        slots_add_method(&slots, type, "run", CALL_FAST | CALL_KEYWORDS, (void *)hooked_run)) {
        real.run = (fast_keywords *)slots.list[slots.count - 1].original;
    }
}

static void keep_originals(void)
{
    real.send = (one_argument *)slots.list[0].original;
    real.throw = slots.list[1].original;
    real.close = (one_argument *)slots.list[2].original;
    real.finalize = (finalize_slot *)slots.list[3].original;
    real.send_slot = slots.count > 4 ? (send_slot *)slots.list[4].original : NULL;
}

static bool is_known_interpreter(void)
{
    return !(interpreter.flags & INTERPRETER_IS_UNKNOWN) && coroutine_step_learn();
}

void coroutine_install(void)
{
    uintptr_t type = (uintptr_t)interpreter_symbol("PyCoro_Type");
    if (slots.count > 0) {
        return;
    }
    bool is_known = type && is_known_interpreter();
    if (!is_known || !find_slots(type)) {
        slots.count = 0;
        bool has_looks = is_known && task_snapshot_install();
        session_count(has_looks ? COUNTER_coroutines_guessed : COUNTER_coroutines_unseen, 1);
        return;
    }
    keep_originals();
    add_context_run();
    slots_install(&slots);
    if (interpreter.layout.minor < 10) {
        generator_send_install();
    }
    async_generator_install();
    executor_queue_install();
    code_age_install();
    if (task_list_learn() && session.is_live) {
        inner_waits_forget();
        task_adoption_of_all();
    }
}

void coroutine_remove(void)
{
    slots_remove(&slots);
    async_generator_remove();
    executor_queue_remove();
    code_age_remove();
    task_snapshot_remove();
    generator_send_remove();
}

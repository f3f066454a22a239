// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/executor_queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "agent/await_sums.h"
#include "agent/await_work.h"
#include "agent/cpython/coroutine_step.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/slots.h"
#include "agent/session.h"

static struct slot_list slots;

static struct {
    fast_keywords *put;
    void *get;        // either form
    void *get_nowait; // either form
} real;

static void *hooked_put(void *self, void *const *arguments, ptrdiff_t count, void *names)
{
    if (count > 0 && coroutine_step_is_open()) {
        await_work_put((uintptr_t)arguments[0]);
    }
    return real.put(self, arguments, count, names);
}

static void come_for_more(void)
{
    struct await_table *table = await_work_is_open() ? await_sums_table() : NULL;
    if (table) {
        await_work_end(table, await_sums_tick());
    }
}

static void *go(void *piece)
{
    if (piece && atomic_load_explicit(&session.is_active, memory_order_relaxed)) {
        await_work_begin((uintptr_t)piece, await_sums_tick());
    }
    return piece;
}

static void *hooked_get(void *self, void *const *arguments, ptrdiff_t count, void *names)
{
    come_for_more();
    return go(((fast_keywords *)real.get)(self, arguments, count, names));
}

static void *hooked_class_get(void *self, void *type, void *const *arguments, ptrdiff_t count,
                              void *names)
{
    come_for_more();
    return go(((class_keywords *)real.get)(self, type, arguments, count, names));
}

static void *hooked_get_nowait(void *self, void *unused)
{
    come_for_more();
    return go(((one_argument *)real.get_nowait)(self, unused));
}

static void *hooked_class_get_nowait(void *self, void *type, void *const *arguments,
                                     ptrdiff_t count, void *names)
{
    come_for_more();
    return go(((class_keywords *)real.get_nowait)(self, type, arguments, count, names));
}

// The type, if its module is there: nothing is loaded for it.
static uintptr_t find_type(void)
{
    void *(*modules)(void) = (void *(*)(void))interpreter_symbol("PyImport_GetModuleDict");
    void *(*get)(void *, const char *) =
        (void *(*)(void *, const char *))interpreter_symbol("PyDict_GetItemString");
    void *(*names)(void *) = (void *(*)(void *))interpreter_symbol("PyModule_GetDict");
    void *module = modules && get && names ? get(modules(), "_queue") : NULL;
    void *module_names = module ? names(module) : NULL;
    return module_names ? (uintptr_t)get(module_names, "SimpleQueue") : 0;
}

static bool find_slots(uintptr_t type)
{
    int fast = CALL_FAST | CALL_KEYWORDS;
    return slots_add_method(&slots, type, "put", fast, (void *)hooked_put) &&
           (slots_add_method(&slots, type, "get", fast, (void *)hooked_get) ||
            slots_add_method(&slots, type, "get", fast | CALL_CLASS, (void *)hooked_class_get)) &&
           (slots_add_method(&slots, type, "get_nowait", CALL_NOARGS, (void *)hooked_get_nowait) ||
            slots_add_method(&slots, type, "get_nowait", fast | CALL_CLASS,
                             (void *)hooked_class_get_nowait));
}

void executor_queue_install(void)
{
    uintptr_t type = slots.count == 0 ? find_type() : 0;
    if (!type) {
        return;
    }
    if (!find_slots(type)) {
        slots.count = 0;
        return;
    }
    real.put = (fast_keywords *)slots.list[0].original;
    real.get = slots.list[1].original;
    real.get_nowait = slots.list[2].original;
    slots_install(&slots);
}

void executor_queue_remove(void)
{
    slots_remove(&slots);
}

void executor_queue_look(void)
{
    if (slots.count > 0 || !session.has_async || !coroutine_step_is_open() ||
        !interpreter_thread().holds_gil) {
        return;
    }
    executor_queue_install();
    if (slots.count > 0) {
        await_work_put(AWAIT_WORK_UNKNOWN);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/task_creation.h"

#include <stddef.h>

#include "agent/await_tasks.h"
#include "agent/cpython/frames.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/slots.h"
#include "agent/cpython/task.h"
#include "agent/hot.h"
#include "agent/session.h"

#define TYPE_DEALLOC 48
#define TYPE_INIT    296
#define TUPLE_SIZE   16
#define MADE_COUNT   1024u // between its making and its first step a task is remembered here

typedef int init_slot(void *self, void *arguments, void *names);

// It stays for good: the type may go with its interpreter, and without a session it only passes on.
static init_slot *original; // NULL: not installed

static struct made {
    uintptr_t coroutine; // 0: none
    struct record_frame frame;
} made[MADE_COUNT];

static struct made *made_place(uintptr_t coroutine)
{
    return &made[(coroutine >> 4) * 0x9e3779b97f4a7c15u >> 54 & (MADE_COUNT - 1)];
}

static void note(uintptr_t coroutine)
{
    struct ring *ring = session_ring();
    struct record_frame frame;
    if (ring && frames_find_own(&frame, ring)) {
        *made_place(coroutine) = (struct made){coroutine, frame};
    }
}

HOT static int hooked_init(void *self, void *arguments, void *names)
{
    uintptr_t tuple = (uintptr_t)arguments;
    if (atomic_load_explicit(&session.is_active, memory_order_relaxed) &&
        await_tasks_wants_more() && *(const ptrdiff_t *)(tuple + TUPLE_SIZE) > 0) {
        int items = interpreter.layout.minor >= 14 ? 32 : 24; // a tuple keeps its hash since then
        note(*(const uintptr_t *)(tuple + (uintptr_t)items));
    }
    return original(self, arguments, names);
}

void task_creation_install(uintptr_t task)
{
    static bool is_settled; // one way or the other
    uintptr_t type = is_settled ? 0 : task_type_of(task);
    if (type) {
        is_settled = true;
        init_slot **slot = (init_slot **)(type + TYPE_INIT);
        if (slots_are_of_one((const void *)*slot, *(void *const *)(type + TYPE_DEALLOC))) {
            original = *slot;
            *slot = hooked_init;
        }
    }
}

struct record_frame task_creation_take(uintptr_t coroutine)
{
    struct made *found = made_place(coroutine);
    if (found->coroutine != coroutine) {
        return (struct record_frame){0};
    }
    found->coroutine = 0;
    return found->frame;
}

// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/task.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/cpython/task_creation.h"
#include "agent/cpython/text.h"
#include "agent/hot.h"

#define TYPE_NAME       24
#define TYPE_BASIC_SIZE 32
#define TYPE_FLAGS      168
#define TYPE_BASE       256
#define BASES_MAX       8
#define FLAG_LONG       (1u << 24)
#define FLAG_TEXT       (1u << 28)
#define TASK_LOOP       16 // the first of its fields, in every version
#define LOOPS_MAX       64 // a program with more has names for some of its tasks

// Where things lie in a Task of the C accelerator.
struct task_layout {
    int minor;
    int size;
    int coroutine;
    int name;
    int running_task; // in the thread state, from 3.14 on; so is ...
    int list_head;    // ... this
    int list_node;
};

static const struct task_layout table[] = {
    {8, 144, 112, 120, -1, -1, -1},     {9, 184, 152, 160, -1, -1, -1},
    {10, 192, 160, 168, -1, -1, -1},    {11, 176, 136, 144, -1, -1, -1},
    {12, 176, 136, 144, -1, -1, -1},    {13, 144, 120, 128, -1, -1, -1},
    {14, 168, 128, 136, 872, 880, 152}, {15, 168, 128, 136, 1032, 1048, 152},
};

static const struct task_layout *find_layout(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].minor == interpreter.layout.minor) {
            return &table[i];
        }
    }
    return NULL;
}

static const struct task_layout *known_layout(void)
{
    static const struct task_layout *layout;
    layout = layout ? layout : find_layout();
    return layout;
}

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

static uintptr_t type_of(uintptr_t object)
{
    return word_at(object + (uintptr_t)interpreter.layout.object_type);
}

static bool is_task_of(const struct task_layout *layout, uintptr_t object, uintptr_t coroutine)
{
    return object != 0 && word_at(type_of(object) + TYPE_BASIC_SIZE) >= (uintptr_t)layout->size &&
           word_at(object + (uintptr_t)layout->coroutine) == coroutine;
}

// Up to 3.13 a dictionary of asyncio's, from loops to their current tasks; nothing of it is called.
static uintptr_t find_in_table(const struct task_layout *layout, uintptr_t coroutine)
{
    static struct {
        void *(*modules)(void);
        void *(*get)(void *, const char *);
        void *(*names)(void *);
        int (*next)(void *, ptrdiff_t *, void **, void **);
    } python;

    if (!python.next) {
        python.modules = (void *(*)(void))interpreter_symbol("PyImport_GetModuleDict");
        python.get = (void *(*)(void *, const char *))interpreter_symbol("PyDict_GetItemString");
        python.names = (void *(*)(void *))interpreter_symbol("PyModule_GetDict");
        python.next =
            (int (*)(void *, ptrdiff_t *, void **, void **))interpreter_symbol("PyDict_Next");
    }
    if (!python.modules || !python.get || !python.names || !python.next) {
        return 0;
    }
    void *module = python.get(python.modules(), "_asyncio");
    void *tasks = module ? python.get(python.names(module), "_current_tasks") : NULL;
    ptrdiff_t position = 0;
    void *loop;
    void *task;
    for (int i = 0; tasks && i < LOOPS_MAX && python.next(tasks, &position, &loop, &task); i++) {
        if (is_task_of(layout, (uintptr_t)task, coroutine)) {
            return (uintptr_t)task;
        }
    }
    return 0;
}

// Whose step the thread's loop has called: it lives until that call is over, and is no longer told
// then, nor what the call may have been within, as greenlets end in any order.
static _Thread_local uintptr_t expected __attribute__((tls_model("initial-exec")));

HOT void task_expect(uintptr_t task)
{
    expected = task;
}

static uintptr_t find_task(const struct task_layout *layout, uintptr_t coroutine)
{
    if (is_task_of(layout, expected, coroutine)) {
        return expected;
    }
    if (layout->running_task < 0) {
        return find_in_table(layout, coroutine);
    }
    uintptr_t state = interpreter_thread_state();
    uintptr_t task = state ? word_at(state + (uintptr_t)layout->running_task) : 0;
    return is_task_of(layout, task, coroutine) ? task : 0;
}

uintptr_t task_of_step(uintptr_t coroutine)
{
    const struct task_layout *layout = known_layout();
    uintptr_t task = layout ? find_task(layout, coroutine) : 0;
    return task && task_type_of(task) ? task : 0;
}

// A task that was given no name has a number until somebody asks for its name.
static void tell_number(struct await_task *told, uintptr_t number)
{
    long long (*value_of)(void *) = (long long (*)(void *))interpreter_symbol("PyLong_AsLongLong");
    if (value_of) {
        int len =
            snprintf((char *)told->name, sizeof told->name, "Task-%lld", value_of((void *)number));
        told->name_len = (uint8_t)len;
        told->name_width = 1;
    }
}

static void tell_name(struct await_task *told, uintptr_t name)
{
    uintptr_t flags = name ? word_at(type_of(name) + TYPE_FLAGS) : 0;
    struct probe probe = {.is_at_rest = true};
    struct text_piece piece;
    if (flags & FLAG_LONG) {
        tell_number(told, name);
    } else if (flags & FLAG_TEXT && text_find(&probe, name, &piece)) {
        uint32_t most = AWAIT_NAME_BYTES / piece.width * piece.width;
        told->name_len = (uint8_t)(piece.len < most ? piece.len : most);
        told->name_width = piece.width;
        memcpy(told->name, (const void *)piece.data, told->name_len);
    }
}

void task_tell_name(struct await_task *told, uintptr_t coroutine)
{
    const struct task_layout *layout = known_layout();
    uintptr_t task = layout ? find_task(layout, coroutine) : 0;
    if (task) {
        tell_name(told, word_at(task + (uintptr_t)layout->name));
    }
}

void task_tell(struct await_task *told, uintptr_t coroutine)
{
    const struct task_layout *layout = known_layout();
    uintptr_t task = layout ? find_task(layout, coroutine) : 0;
    if (task) {
        struct record_frame creator = task_creation_take(coroutine);
        told->creator_code_id = creator.code_id;
        told->creator_offset = creator.offset;
        task_creation_install(task);
        tell_name(told, word_at(task + (uintptr_t)layout->name));
    }
}

uintptr_t task_type_of(uintptr_t object)
{
    uintptr_t type = type_of(object);
    for (int i = 0; type && i < BASES_MAX; i++) {
        const char *name = (const char *)word_at(type + TYPE_NAME);
        if (name && strcmp(name, "_asyncio.Task") == 0) {
            return type;
        }
        type = word_at(type + TYPE_BASE);
    }
    return 0;
}

bool task_is_known(void)
{
    return known_layout() != NULL;
}

uintptr_t task_coroutine(uintptr_t task)
{
    return word_at(task + (uintptr_t)known_layout()->coroutine);
}

uintptr_t task_loop(uintptr_t task)
{
    return word_at(task + TASK_LOOP);
}

int task_list_offset(void)
{
    return known_layout()->list_head;
}

uintptr_t task_of_node(uintptr_t node)
{
    return node - (uintptr_t)known_layout()->list_node;
}

uintptr_t task_foreign_coroutine(uintptr_t task)
{
    static uintptr_t coroutine_type;
    const struct task_layout *layout = known_layout();
    if (!coroutine_type) {
        coroutine_type = (uintptr_t)interpreter_symbol("PyCoro_Type");
    }
    uintptr_t coroutine = layout ? task_coroutine(task) : 0;
    return coroutine && type_of(coroutine) != coroutine_type ? coroutine : 0;
}

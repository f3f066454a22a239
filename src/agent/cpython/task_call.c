// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/task_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/cpython/task.h"
#include "agent/hot.h"

#define TYPE_NAME       24
#define TYPE_BASIC_SIZE 32
#define TYPE_CALL       128
#define FUNCTION_METHOD 16 // of a builtin function: its PyMethodDef, which begins with the name
#define FUNCTION_SELF   24
#define STEP_TASK       16

#define CALL_COUNT 8u

// A new task is called by way of an object of a type of its own; so is one that wakes up, in 3.8
// and 3.9. Later that is a builtin function. Such a type is known by what calls its objects: it may
// go with its interpreter, and another one come to lie where it lay.
static struct {
    uintptr_t call;
    bool is_step;
} known_calls[CALL_COUNT];

static uintptr_t wake_method; // of the interpreter that asked last: each may have its own

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

static bool is_task(uintptr_t object)
{
    return object != 0 && task_type_of(object) != 0;
}

static bool has_name(const char *name, const char *wanted)
{
    const char *dot = name ? strrchr(name, '.') : NULL;
    return name && strcmp(dot ? dot + 1 : name, wanted) == 0;
}

// A name alone is no proof: others may use it too.
static COLD bool learn_call(uintptr_t type, uintptr_t object, size_t place)
{
    const char *name = (const char *)word_at(type + TYPE_NAME);
    known_calls[place].call = word_at(type + TYPE_CALL);
    known_calls[place].is_step =
        (has_name(name, "TaskStepMethWrapper") || has_name(name, "TaskWakeupMethWrapper")) &&
        word_at(type + TYPE_BASIC_SIZE) > STEP_TASK && is_task(word_at(object + STEP_TASK));
    return known_calls[place].is_step;
}

HOT static bool is_step_type(uintptr_t type, uintptr_t object)
{
    uintptr_t call = word_at(type + TYPE_CALL);
    size_t place = (call >> 4) * 0x9e3779b97f4a7c15u >> 61;
    return known_calls[place].call == call ? known_calls[place].is_step
                                           : learn_call(type, object, place);
}

static COLD void learn_method(uintptr_t method, uintptr_t object)
{
    if (has_name((const char *)word_at(method), "task_wakeup") &&
        is_task(word_at(object + FUNCTION_SELF))) {
        wake_method = method;
    }
}

HOT static bool is_wake_method(uintptr_t method, uintptr_t object)
{
    if (method != wake_method) {
        learn_method(method, object);
    }
    return method == wake_method;
}

HOT uintptr_t task_call_task(const void *callable)
{
    static uintptr_t builtin_type;
    uintptr_t object = (uintptr_t)callable;
    uintptr_t type = word_at(object + (uintptr_t)interpreter.layout.object_type);
    if (!builtin_type) {
        builtin_type = (uintptr_t)interpreter_symbol("PyCFunction_Type");
    }
    if (type == builtin_type) {
        bool is_step = is_wake_method(word_at(object + FUNCTION_METHOD), object);
        return is_step ? word_at(object + FUNCTION_SELF) : 0;
    }
    return is_step_type(type, object) ? word_at(object + STEP_TASK) : 0;
}

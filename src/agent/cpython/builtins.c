// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/builtins.h"

#include <stdbool.h>
#include <stdint.h>

#include "agent/clock.h"
#include "agent/cpython/codes.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/package_finder.h"
#include "agent/session.h"

#define MODULE_NAME "scalene._agent"
#define WRAPPED_MAX 32 // decorators on top of one another

// As the interpreter's headers have it, the same from 3.8 on.
struct method {
    const char *name;
    void *(*function)(void *module, void *argument);
    int flags;
    const char *help;
};

enum { METHOD_ARGUMENTS = 1, METHOD_NO_ARGUMENTS = 4, METHOD_ONE_ARGUMENT = 8 };

static struct {
    void (*retain)(void *object);  // Py_IncRef
    void (*release)(void *object); // Py_DecRef
    void *(*attribute)(void *object, const char *name);
    void *(*values)(void *mapping);                // PyMapping_Values
    void *(*item)(void *sequence, intptr_t index); // PySequence_GetItem
    void (*clear_error)(void);
    void *none;
} python;

static void *attribute(void *object, const char *name)
{
    void *value = python.attribute(object, name);
    if (!value) {
        python.clear_error();
    }
    return value;
}

// The function below its decorators, or what a method or property is made of. Takes the reference.
static void *unwrap(void *object)
{
    static const char *const links[] = {"__wrapped__", "__func__", "fget"};
    for (int depth = 0; depth < WRAPPED_MAX; depth++) {
        void *inner = NULL;
        for (size_t i = 0; i < sizeof links / sizeof *links && !inner; i++) {
            inner = attribute(object, links[i]);
        }
        if (!inner) {
            break;
        }
        python.release(object);
        object = inner;
    }
    return object;
}

static void send_focus(uintptr_t code)
{
    struct probe probe = {0};
    struct ring *ring = session_ring();
    if (!ring || !interpreter.can_walk || !codes_is_code(&probe, code)) {
        return;
    }
    uint32_t code_id = codes_id(ring, &probe, code);
    struct record_focus *record = code_id ? ring_reserve(ring, RECORD_FOCUS, sizeof *record) : NULL;
    if (record) {
        record->code_id = code_id;
        record->reserved = 0;
        ring_commit(record);
    }
}

static void focus_on_function(void *object)
{
    python.retain(object);
    void *function = unwrap(object);
    void *code = attribute(function, "__code__");
    if (code) {
        send_focus((uintptr_t)code);
        python.release(code);
    }
    python.release(function);
}

// On all functions that it defines itself. `members` is what its body has made.
static void focus_on_class(void *members)
{
    void *values = python.values(members);
    void *value;
    for (intptr_t i = 0; values && (value = python.item(values, i)); i++) {
        focus_on_function(value);
        python.release(value);
    }
    python.clear_error(); // past the last one
    if (values) {
        python.release(values);
    }
}

static void *profile(void *module, void *object)
{
    (void)module;
    void *bases = attribute(object, "__mro__"); // only classes have it
    void *members = bases ? attribute(object, "__dict__") : NULL;
    if (members) {
        focus_on_class(members);
        python.release(members);
    } else {
        focus_on_function(object);
    }
    if (bases) {
        python.release(bases);
    }
    python.retain(object);
    return object;
}

static void *set_sampling(bool is_on)
{
    control_switch(session.control, is_on, clock_wall_ns());
    python.retain(python.none);
    return python.none;
}

static void *start(void *module, void *argument)
{
    (void)module;
    (void)argument;
    return set_sampling(true);
}

static void *stop(void *module, void *argument)
{
    (void)module;
    (void)argument;
    return set_sampling(false);
}

static struct method methods[] = {
    {"profile", profile, METHOD_ONE_ARGUMENT,
     "Profile this function, or the functions of this class: scalene reports only about those so "
     "decorated, if there are any."},
    {"start", start, METHOD_NO_ARGUMENTS, "Start profiling, or go on with it."},
    {"stop", stop, METHOD_NO_ARGUMENTS, "Stop profiling."},
    {"find_spec", package_finder_find, METHOD_ARGUMENTS,
     "Find the package scalene, if nobody else has."},
    {0},
};

static bool find_functions(void)
{
    python.retain = (void (*)(void *))interpreter_symbol("Py_IncRef");
    python.release = (void (*)(void *))interpreter_symbol("Py_DecRef");
    python.attribute =
        (void *(*)(void *, const char *))interpreter_symbol("PyObject_GetAttrString");
    python.values = (void *(*)(void *))interpreter_symbol("PyMapping_Values");
    python.item = (void *(*)(void *, intptr_t))interpreter_symbol("PySequence_GetItem");
    python.clear_error = (void (*)(void))interpreter_symbol("PyErr_Clear");
    python.none = interpreter_symbol("_Py_NoneStruct");
    return python.retain && python.release && python.attribute && python.values && python.item &&
           python.clear_error && python.none;
}

static void *new_module(void)
{
    void *(*create)(const char *) = (void *(*)(const char *))interpreter_symbol("PyModule_New");
    int (*add)(void *, struct method *) =
        (int (*)(void *, struct method *))interpreter_symbol("PyModule_AddFunctions");
    void *module = create && add ? create(MODULE_NAME) : NULL;
    if (module && add(module, methods) != 0) {
        python.release(module);
        module = NULL;
    }
    return module;
}

// A name that is there already is somebody else's.
static void add_builtin(void *function)
{
    void *(*builtins)(void) = (void *(*)(void))interpreter_symbol("PyEval_GetBuiltins");
    void *(*get)(void *, const char *) =
        (void *(*)(void *, const char *))interpreter_symbol("PyDict_GetItemString");
    int (*set)(void *, const char *, void *) =
        (int (*)(void *, const char *, void *))interpreter_symbol("PyDict_SetItemString");
    void *names = builtins && get && set ? builtins() : NULL;
    if (names && !get(names, methods[0].name)) {
        set(names, methods[0].name, function);
    }
}

void builtins_install(void)
{
    if (!find_functions()) {
        return;
    }
    void *module = new_module();
    void *function = module ? attribute(module, methods[0].name) : NULL;
    if (function) {
        add_builtin(function);
        python.release(function);
    }
    if (module) {
        package_finder_install(module);
        python.release(module);
    }
    python.clear_error();
}

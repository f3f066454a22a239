// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/roles.h"

#include <stdbool.h>

#include "agent/cpython/interpreter.h"
#include "agent/probe.h"

// Offsets in a type, the same in every version with the GIL.
#define TYPE_DEALLOC      48
#define TYPE_CALL         128
#define TYPE_INIT         296
#define TYPE_NEW          312
#define OBJECT_VECTORCALL 48 // of a built-in function or a method descriptor

// One of each calling convention that a C function can have.
static const char *const functions[] = {"len",     "print",   "sorted",  "isinstance",
                                        "globals", "max",     "sum",     "__import__",
                                        "getattr", "setattr", "compile", "iter"};

static const struct {
    const char *type;
    const char *method;
} methods[] = {
    {"PyList_Type", "append"},   {"PyList_Type", "clear"},     {"PyList_Type", "pop"},
    {"PyList_Type", "sort"},     {"PyList_Type", "index"},     {"PyDict_Type", "update"},
    {"PyDict_Type", "get"},      {"PyDict_Type", "keys"},      {"PyUnicode_Type", "split"},
    {"PyUnicode_Type", "join"},  {"PyUnicode_Type", "format"}, {"PyBytes_Type", "decode"},
    {"PySet_Type", "union"},     {"PySet_Type", "add"},        {"PyUnicode_Type", "encode"},
    {"PyUnicode_Type", "upper"},
};

struct list {
    struct record_address *addresses;
    size_t count;
};

static void add(struct list *list, uintptr_t address, enum address_role role)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->addresses[i].address == address && list->addresses[i].role == role) {
            return;
        }
    }
    if (address != 0 && list->count < ROLES_MAX) {
        list->addresses[list->count++] = (struct record_address){address, role, 0};
    }
}

static void add_slot(struct list *list, struct probe *probe, const char *type, int offset,
                     enum address_role role)
{
    uintptr_t object = (uintptr_t)interpreter_symbol(type);
    if (object) {
        add(list, probe_word(probe, object + (uintptr_t)offset), role);
    }
}

static void add_function_trampolines(struct list *list, struct probe *probe)
{
    void *(*builtins)(void) = (void *(*)(void))interpreter_symbol("PyEval_GetBuiltins");
    void *(*get)(void *, const char *) =
        (void *(*)(void *, const char *))interpreter_symbol("PyDict_GetItemString");
    uintptr_t type = (uintptr_t)interpreter_symbol("PyCFunction_Type");
    void *names = builtins && get ? builtins() : NULL;
    for (size_t i = 0; names && i < sizeof functions / sizeof *functions; i++) {
        uintptr_t object = (uintptr_t)get(names, functions[i]);
        if (object && probe_word(probe, object + interpreter.layout.object_type) == type) {
            add(list, probe_word(probe, object + OBJECT_VECTORCALL), ADDRESS_TRAMPOLINE);
        }
    }
}

static void add_method_trampolines(struct list *list, struct probe *probe)
{
    void *(*get)(void *, const char *) =
        (void *(*)(void *, const char *))interpreter_symbol("PyObject_GetAttrString");
    void (*release)(void *) = (void (*)(void *))interpreter_symbol("Py_DecRef");
    void (*clear)(void) = (void (*)(void))interpreter_symbol("PyErr_Clear");
    uintptr_t wanted = (uintptr_t)interpreter_symbol("PyMethodDescr_Type");
    for (size_t i = 0; get && release && clear && i < sizeof methods / sizeof *methods; i++) {
        void *type = interpreter_symbol(methods[i].type);
        void *method = type ? get(type, methods[i].method) : NULL;
        if (!method) {
            clear();
            continue;
        }
        if (probe_word(probe, (uintptr_t)method + interpreter.layout.object_type) == wanted) {
            add(list, probe_word(probe, (uintptr_t)method + OBJECT_VECTORCALL), ADDRESS_TRAMPOLINE);
        }
        release(method);
    }
}

// The constructor that every class shares, and the ways to call Python's own callables: they look
// like C functions that were called, and are the interpreter at work.
static void add_python_calls(struct list *list, struct probe *probe)
{
    static const char *const callables[] = {"PyFunction_Type", "PyMethod_Type", "PyType_Type"};
    for (size_t i = 0; i < sizeof callables / sizeof *callables; i++) {
        add_slot(list, probe, callables[i], TYPE_CALL, ADDRESS_PYTHON_CALL);
    }
    add_slot(list, probe, "PyBaseObject_Type", TYPE_NEW, ADDRESS_NOT_ENTRY);
    add_slot(list, probe, "PyBaseObject_Type", TYPE_INIT, ADDRESS_NOT_ENTRY);
    static const char *const exported[] = {"PyType_GenericNew", "PyVectorcall_Call",
                                           "_PyFunction_Vectorcall"};
    for (size_t i = 0; i < sizeof exported / sizeof *exported; i++) {
        add(list, (uintptr_t)interpreter_symbol(exported[i]), ADDRESS_NOT_ENTRY);
    }
}

size_t roles_collect(struct record_address addresses[ROLES_MAX])
{
    struct list list = {addresses, 0};
    struct probe probe = {0};
    add(&list, interpreter.eval_start, ADDRESS_EVAL_START);
    add(&list, interpreter.eval_end, ADDRESS_EVAL_END);
    add(&list, interpreter.runtime_start, ADDRESS_RUNTIME_START);
    add(&list, interpreter.runtime_end, ADDRESS_RUNTIME_END);
    if (interpreter.layout.object_type == 0) {
        return list.count;
    }
    add_function_trampolines(&list, &probe);
    add_method_trampolines(&list, &probe);
    add_slot(&list, &probe, "PyCFunction_Type", TYPE_CALL, ADDRESS_TRAMPOLINE);
    add_slot(&list, &probe, "PyMethodDescr_Type", TYPE_CALL, ADDRESS_TRAMPOLINE);
    add_python_calls(&list, &probe);
    return list.count;
}

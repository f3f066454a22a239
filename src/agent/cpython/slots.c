// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/slots.h"

#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/symbol.h"

#define TYPE_METHODS 232 // in every version with the GIL
#define METHODS_MAX  32

// PyMethodDef
struct method {
    const char *name;
    void *function;
    int flags;
    const char *doc;
};

static struct method *find_method(uintptr_t type, const char *name)
{
    struct method *methods = *(struct method **)(type + TYPE_METHODS);
    for (int i = 0; methods && i < METHODS_MAX && methods[i].name; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            return &methods[i];
        }
    }
    return NULL;
}

static bool is_in_library_of(const void *function, const void *address)
{
    struct symbol_bounds bounds = symbol_bounds_of(address);
    return (uintptr_t)function - bounds.start < bounds.end - bounds.start;
}

bool slots_are_of_one(const void *function, const void *other)
{
    return function && other && is_in_library_of(function, other);
}

// A table may lie in the program and name functions of the interpreter's library.
static bool is_own_code(const void *function, const void *place)
{
    return is_in_library_of(function, place) ||
           is_in_library_of(function, (const void *)interpreter.eval_start);
}

bool slots_add(struct slot_list *slots, void **place, void *hook)
{
    if (!place || !*place || slots->count == SLOTS_MAX || !is_own_code(*place, (void *)place)) {
        return false;
    }
    slots->list[slots->count++] = (struct slot){place, *place, hook};
    return true;
}

bool slots_add_method(struct slot_list *slots, uintptr_t type, const char *name, int flags,
                      void *hook)
{
    struct method *method = find_method(type, name);
    return method && method->flags == flags && slots_add(slots, &method->function, hook);
}

void slots_install(const struct slot_list *slots)
{
    for (size_t i = 0; i < slots->count; i++) {
        *slots->list[i].place = slots->list[i].hook;
    }
}

void slots_remove(struct slot_list *slots)
{
    for (size_t i = 0; i < slots->count; i++) {
        const struct slot *slot = &slots->list[i];
        if (*slot->place == slot->hook) {
            *slot->place = slot->original;
        }
    }
    slots->count = 0;
}

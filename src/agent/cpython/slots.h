// SPDX-License-Identifier: Apache-2.0
#pragma once

// Places in the interpreter's own tables where our functions stand instead of its own: slots of a
// type, and what is behind its methods. Zero-initialised is empty.
// Context: holds the GIL

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CALL_VARARGS = 0x1,
    CALL_KEYWORDS = 0x2,
    CALL_NOARGS = 0x4,
    CALL_ONE = 0x8,
    CALL_FAST = 0x80,
    CALL_CLASS = 0x200, // the class that defines it comes as well
};

typedef void *one_argument(void *self, void *argument);
typedef void *fast_arguments(void *self, void *const *arguments, ptrdiff_t count);
typedef void *fast_keywords(void *self, void *const *arguments, ptrdiff_t count, void *names);
typedef void *class_keywords(void *self, void *type, void *const *arguments, ptrdiff_t count,
                             void *names);

struct slot {
    void **place;
    void *original;
    void *hook;
};

#define SLOTS_MAX 6

struct slot_list {
    struct slot list[SLOTS_MAX];
    size_t count; // 0: nothing is installed
};

// Each is false, with nothing added, where the place is not what is expected: what is replaced must
// be code of the library that the type is from, called in a way that is known. Somebody else may
// have been there before.
bool slots_add(struct slot_list *slots, void **place, void *hook);
bool slots_add_method(struct slot_list *slots, uintptr_t type, const char *name, int flags,
                      void *hook);

// Whether two functions are of one library, and so nobody else's than the other.
bool slots_are_of_one(const void *function, const void *other);

void slots_install(const struct slot_list *slots);

// Puts the originals back where ours still stand, and forgets them.
void slots_remove(struct slot_list *slots);

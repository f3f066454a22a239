// SPDX-License-Identifier: Apache-2.0
#pragma once

// The originals of the hooked functions. All are looked up before main; a hook that is called
// earlier, by another library's constructor, looks up its own.
// Context: any thread; after real_resolve also a signal handler

#include "agent/hook_list.h"

#define X(type, name, parameters, arguments, version) type(*name) parameters;

struct real {
    HOOK_LIST(X) REAL_ONLY(X)
};

#undef X

#define X(type, name, parameters, arguments, version) REAL_##name,

enum real_index { HOOK_LIST(X) REAL_ONLY(X) REAL_COUNT };

#undef X

extern struct real real;

// The original, ready to be called. Never NULL: one that this C library lacks fails with ENOSYS.
#define REAL(name)                                      \
    (__builtin_expect(real.name != NULL, 1) ? real.name \
                                            : (__typeof__(real.name))real_find(REAL_##name))

// Looks up all that are not known yet.
void real_resolve(void);

void *real_find(enum real_index index);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls from one library to another go through tables of addresses, which the loader has filled in.
// Where a library cannot be preloaded these entries are changed instead: in every library that is
// loaded, each that names a hooked function and holds the address of the original, or is not bound
// yet. Changed back they hold the original. Nothing is remembered of them: a library that is
// unloaded takes its tables along.
// Context: any thread; no loader is at work in it

#include <stdbool.h>
#include <stddef.h>

struct relocation_hook {
    const char *name;
    void *const *original; // where its address is kept; NULL there: this C library has none
    void *hook;
    bool stays; // when the others are taken out
};

struct relocation_set {
    const struct relocation_hook *hooks;
    size_t count;        // less than RELOCATION_HOOKS_MAX
    const char *library; // only those whose path has this in it; NULL: all
};

#define RELOCATION_HOOKS_MAX 400

// In all libraries.
void relocation_hook_all(const struct relocation_set *set);

// In those that were loaded since the last time.
void relocation_hook_new(const struct relocation_set *set);

void relocation_unhook_all(const struct relocation_set *set);

// SPDX-License-Identifier: Apache-2.0
#include "agent/lifecycle/live_hooks.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/hook.h"
#include "agent/lifecycle/live_dlsym.h"
#include "agent/relocation.h"
#include "agent/symbol.h"

static atomic_bool is_installed;

#define X(type, name, parameters, arguments, version) \
    {#name, (void *const *)&real.name, NULL, false},

static struct relocation_hook hooks[] = {
    HOOK_LIST(X){"dlsym", &live_dlsym_original, NULL, false},
};

#undef X

#define HOOK_COUNT (sizeof hooks / sizeof *hooks)

static const struct relocation_set set = {hooks, HOOK_COUNT, NULL};

_Static_assert(HOOK_COUNT < RELOCATION_HOOKS_MAX, "the set has room for them");

// Our own functions have the names of the C library's, and are only told from them by where they
// are: asked of our own table of symbols.
static bool find_hooks(void)
{
    struct symbol_library own;
    struct symbol_scope scope;
    if (!symbol_library_of((const void *)find_hooks, &own)) {
        return false;
    }
    for (size_t i = 0; i < HOOK_COUNT; i++) {
        hooks[i].hook = symbol_find_in(&own, hooks[i].name, NULL);
    }
    symbol_scope_init(&scope);
    live_dlsym_original = symbol_find(&scope, "dlsym", "GLIBC_2.2.5");
    hooks[HOOK_COUNT - 1].hook = (void *)live_dlsym;
    return true;
}

// Whoever loads a library asks for its functions next.
void live_dlsym_called(void)
{
    if (atomic_load_explicit(&is_installed, memory_order_acquire)) {
        relocation_hook_new(&set);
    }
}

bool live_hooks_install(void)
{
    static bool is_ready;
    is_ready = is_ready || find_hooks();
    if (is_ready) {
        relocation_hook_all(&set);
        atomic_store(&is_installed, true);
    }
    return is_ready;
}

#define X(type, name, parameters, arguments, version) (void *const *)&real.name,

static void *const *const signal_originals[] = {HOOKS_SIGNAL(X)};

#undef X

static bool is_of_signals(const struct relocation_hook *hook)
{
    for (size_t i = 0; i < sizeof signal_originals / sizeof *signal_originals; i++) {
        if (hook->original == signal_originals[i]) {
            return true;
        }
    }
    return false;
}

void live_hooks_remove(bool but_of_signals)
{
    atomic_store(&is_installed, false);
    for (size_t i = 0; i < HOOK_COUNT; i++) {
        hooks[i].stays = but_of_signals && is_of_signals(&hooks[i]);
    }
    relocation_unhook_all(&set);
}

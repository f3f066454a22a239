// SPDX-License-Identifier: Apache-2.0
#include "agent/exec_environment.h"

#include <stddef.h>
#include <string.h>

#include "agent/session.h"
#include "wire/control.h"
#include "wire/variable.h"

#define FEW_ENTRIES  256u
#define MANY_ENTRIES 8192u
#define PRELOAD_MAX  4096u // bytes, of what the program preloads itself

bool exec_environment_joins(char *const environment[])
{
    bool has_agent = false;
    bool has_run_dir = false;
    for (; environment && *environment; environment++) {
        const char *preloaded = variable_value(*environment, VARIABLE_PRELOAD);
        const char *run_dir = variable_value(*environment, CONTROL_DIR_VARIABLE);
        has_agent |= preloaded && session.agent && variable_lists(preloaded, session.agent);
        has_run_dir |= run_dir && strcmp(run_dir, session.run_dir) == 0;
    }
    return has_agent && has_run_dir;
}

static size_t count_entries(char *const environment[])
{
    size_t count = 0;
    while (environment && environment[count]) {
        count++;
    }
    return count;
}

struct preload_entry {
    char text[sizeof VARIABLE_PRELOAD + PRELOAD_MAX];
};

// What stays of an entry; NULL: nothing.
static char *stripped(char *entry, struct preload_entry *preload)
{
    char *list = preload->text + sizeof VARIABLE_PRELOAD;
    const char *preloaded = variable_value(entry, VARIABLE_PRELOAD);
    if (variable_value(entry, CONTROL_DIR_VARIABLE)) {
        return NULL;
    }
    if (!preloaded || !session.agent || !variable_lists(preloaded, session.agent) ||
        !variable_without(preloaded, session.agent, list, PRELOAD_MAX)) {
        return entry;
    }
    memcpy(preload->text, VARIABLE_PRELOAD "=", sizeof VARIABLE_PRELOAD);
    return *list ? preload->text : NULL;
}

static void copy_stripped(char *const environment[], char **copy, struct preload_entry *preload)
{
    for (; environment && *environment; environment++) {
        char *entry = stripped(*environment, preload);
        if (entry) {
            *copy++ = entry;
        }
    }
    *copy = NULL;
}

// Two sizes, since a thread's stack may be small and an environment seldom is large.
__attribute__((noinline)) static int act_with_few(char *const environment[], exec_action *act,
                                                  const void *call)
{
    char *copy[FEW_ENTRIES + 1];
    struct preload_entry preload;
    copy_stripped(environment, copy, &preload);
    return act(call, copy);
}

__attribute__((noinline)) static int act_with_many(char *const environment[], exec_action *act,
                                                   const void *call)
{
    char *copy[MANY_ENTRIES + 1];
    struct preload_entry preload;
    copy_stripped(environment, copy, &preload);
    return act(call, copy);
}

int exec_environment_without_ours(char *const environment[], exec_action *act, const void *call)
{
    size_t count = count_entries(environment);
    if (count <= FEW_ENTRIES) {
        return act_with_few(environment, act, call);
    }
    return count <= MANY_ENTRIES ? act_with_many(environment, act, call) : act(call, environment);
}

// SPDX-License-Identifier: Apache-2.0

// Hooks of functions that start a process: it takes over the mask that the program believes in, and
// our variables only where they serve.

#include <fcntl.h>

#include "agent/exec_plan.h"
#include "agent/exec_target.h"
#include "agent/hidden_signal.h"
#include "agent/hook.h"

#define X(type, name, parameters, arguments_, version) \
    type name parameters                               \
    {                                                  \
        struct wait_scope scope;                       \
        hidden_signal_before_spawn();                  \
        wait_begin(&scope, false);                     \
        type result = REAL(name) arguments_;           \
        wait_end(&scope, WAIT_CHILD);                  \
        hidden_signal_after_spawn();                   \
        return result;                                 \
    }

HOOKS_SPAWN(X)

#undef X

struct spawn {
    int (*original)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                    const posix_spawnattr_t *, char *const[], char *const[]);
    pid_t *pid;
    const char *file;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    char *const *arguments;
};

static int act(const void *call, char *const environment[])
{
    const struct spawn *spawn = call;
    return spawn->original(spawn->pid, spawn->file, spawn->actions, spawn->attributes,
                           spawn->arguments, environment);
}

// The number is the kernel's even where the caller does not ask for it.
static int start(struct spawn *spawn, const char *path, char *const environment[])
{
    struct exec_plan plan;
    struct wait_scope scope;
    pid_t pid = 0;
    pid_t *asked = spawn->pid;
    spawn->pid = asked ? asked : &pid;
    exec_plan_make(&plan, AT_FDCWD, path, 0, environment, true);
    hidden_signal_before_spawn();
    wait_begin(&scope, false);
    int result = exec_plan_act(&plan, environment, act, spawn);
    wait_end(&scope, WAIT_CHILD);
    hidden_signal_after_spawn();
    if (result == 0) {
        exec_plan_enter_child(&plan, *spawn->pid);
    }
    return result;
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const environment[])
{
    struct spawn spawn = {REAL(posix_spawn), pid, path, actions, attributes, arguments};
    return start(&spawn, path, environment);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[])
{
    char found[EXEC_PATH_MAX];
    struct spawn spawn = {REAL(posix_spawnp), pid, file, actions, attributes, arguments};
    return start(&spawn, exec_target_search(file, found), environment);
}

// SPDX-License-Identifier: Apache-2.0

// Hooks of functions by which the process becomes another program.

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "agent/exec_plan.h"
#include "agent/exec_target.h"
#include "agent/hidden_signal.h"
#include "agent/hook.h"
#include "agent/process.h"
#include "agent/syscall.h"

struct execution {
    int directory;
    const char *path;
    int flags;
    char *const *arguments;
};

static int act_by_path(const void *call, char *const environment[])
{
    const struct execution *execution = call;
    return REAL(execve)(execution->path, execution->arguments, environment);
}

static int act_by_search(const void *call, char *const environment[])
{
    const struct execution *execution = call;
    return REAL(execvpe)(execution->path, execution->arguments, environment);
}

static int act_by_descriptor(const void *call, char *const environment[])
{
    const struct execution *execution = call;
    return REAL(fexecve)(execution->directory, execution->arguments, environment);
}

static int act_by_directory(const void *call, char *const environment[])
{
    const struct execution *execution = call;
    return REAL(execveat)(execution->directory, execution->path, execution->arguments, environment,
                          execution->flags);
}

// Returns when it fails. `path` NULL: there is no such file.
static int execute(const struct execution *execution, const char *path, char *const environment[],
                   exec_action *act)
{
    struct exec_plan plan;
    exec_plan_make(&plan, execution->directory, path, execution->flags, environment, false);
    bool was_busy = process_begin_exec();
    exec_plan_enter_self(&plan);
    hidden_signal_before_exec();
    int status = exec_plan_act(&plan, environment, act, execution);
    hidden_signal_after_failed_exec();
    exec_plan_withdraw(&plan);
    process_exec_failed(was_busy);
    return status;
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    struct execution execution = {AT_FDCWD, path, 0, arguments};
    return execute(&execution, path, environment, act_by_path);
}

int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    char found[EXEC_PATH_MAX];
    struct execution execution = {AT_FDCWD, file, 0, arguments};
    return execute(&execution, exec_target_search(file, found), environment, act_by_search);
}

int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

int fexecve(int fd, char *const arguments[], char *const environment[])
{
    struct execution execution = {fd, "", AT_EMPTY_PATH, arguments};
    return execute(&execution, "", environment, act_by_descriptor);
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
             int flags)
{
    struct execution execution = {directory, path, flags, arguments};
    return execute(&execution, path, environment, act_by_directory);
}

// Arguments given one by one, as a list. The calls below never return to use it again, unless they
// fail: then it is let go.
struct argument_list {
    char **words;
    size_t count;
    size_t room;
    char *some[64];
};

static void list_begin(struct argument_list *list, const char *first)
{
    list->words = list->some;
    list->room = sizeof list->some / sizeof *list->some;
    list->words[0] = (char *)first;
    list->count = first ? 1 : 0;
}

static void list_end(struct argument_list *list)
{
    if (list->words != list->some) {
        raw_munmap(list->words, list->room * sizeof *list->words);
    }
}

// Also in a vfork child, where nothing may be allocated by the program's allocator.
static bool list_grow(struct argument_list *list)
{
    size_t room = list->room * 8;
    long made = raw_mmap(NULL, room * sizeof *list->words, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made < 0) {
        return false;
    }
    char **words = (char **)made;
    memcpy(words, list->words, list->count * sizeof *words);
    list_end(list);
    list->words = words;
    list->room = room;
    return true;
}

static bool list_take(struct argument_list *list, va_list *arguments)
{
    for (char *word = list->count ? va_arg(*arguments, char *) : NULL; word;
         word = va_arg(*arguments, char *)) {
        if (list->count + 1 >= list->room && !list_grow(list)) {
            errno = ENOMEM;
            return false;
        }
        list->words[list->count++] = word;
    }
    list->words[list->count] = NULL;
    return true;
}

int execl(const char *path, const char *argument, ...)
{
    struct argument_list list;
    va_list arguments;
    va_start(arguments, argument);
    list_begin(&list, argument);
    int status = list_take(&list, &arguments) ? execv(path, list.words) : -1;
    list_end(&list);
    va_end(arguments);
    return status;
}

int execlp(const char *file, const char *argument, ...)
{
    struct argument_list list;
    va_list arguments;
    va_start(arguments, argument);
    list_begin(&list, argument);
    int status = list_take(&list, &arguments) ? execvp(file, list.words) : -1;
    list_end(&list);
    va_end(arguments);
    return status;
}

int execle(const char *path, const char *argument, ...)
{
    struct argument_list list;
    va_list arguments;
    va_start(arguments, argument);
    list_begin(&list, argument);
    bool is_whole = list_take(&list, &arguments);
    char *const *environment = is_whole ? va_arg(arguments, char *const *) : NULL;
    int status = is_whole ? execve(path, list.words, environment) : -1;
    list_end(&list);
    va_end(arguments);
    return status;
}

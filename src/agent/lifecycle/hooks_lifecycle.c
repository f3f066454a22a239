// SPDX-License-Identifier: Apache-2.0

// Hooks of functions that begin a thread, or end a process or the program in it.

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "agent/hidden_signal.h"
#include "agent/hook.h"
#include "agent/lifecycle/thread_start.h"
#include "agent/process.h"
#include "agent/syscall.h"

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    return thread_start_create(thread, attributes, start, argument);
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    return thread_start_create_c11(thread, start, argument);
}

void _exit(int status)
{
    process_end(false);
    REAL(_exit)(status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    process_end(false);
    REAL(_Exit)(status);
    __builtin_unreachable();
}

static void before_exec(void)
{
    process_end(true);
    hidden_signal_before_exec();
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    before_exec();
    int status = REAL(execve)(path, arguments, environment);
    hidden_signal_after_failed_exec();
    return status;
}

int execv(const char *path, char *const arguments[])
{
    before_exec();
    int status = REAL(execv)(path, arguments);
    hidden_signal_after_failed_exec();
    return status;
}

int execvp(const char *file, char *const arguments[])
{
    before_exec();
    int status = REAL(execvp)(file, arguments);
    hidden_signal_after_failed_exec();
    return status;
}

int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    before_exec();
    int status = REAL(execvpe)(file, arguments, environment);
    hidden_signal_after_failed_exec();
    return status;
}

int fexecve(int fd, char *const arguments[], char *const environment[])
{
    before_exec();
    int status = REAL(fexecve)(fd, arguments, environment);
    hidden_signal_after_failed_exec();
    return status;
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
             int flags)
{
    before_exec();
    int status = REAL(execveat)(directory, path, arguments, environment, flags);
    hidden_signal_after_failed_exec();
    return status;
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

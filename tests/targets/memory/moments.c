// SPDX-License-Identifier: Apache-2.0

// Allocation at odd moments, as a library: before any constructor of ours, in a signal handler,
// also one that comes in the middle of an allocation, in a vfork child, by the loader, at a
// thread's very end. Each returns what it found wrong.

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int early(void);
int in_handler(void);
int interrupted(void);
int in_vfork_child(void);
int by_loader(int count);
int at_thread_end(int count);

static char *made_early;

__attribute__((constructor(101))) static void allocate_early(void)
{
    made_early = strdup("early");
    made_early = realloc(made_early, 50000);
}

int early(void)
{
    int failures = !made_early || strcmp(made_early, "early") != 0;
    free(made_early);
    made_early = NULL;
    return failures;
}

static volatile sig_atomic_t handled;
static volatile sig_atomic_t wrong;

static void on_signal(int number)
{
    char *text = malloc(40000);
    memset(text, number, 40000);
    text = realloc(text, 80000);
    wrong += text[39999] != (char)number;
    free(text);
    handled++;
}

// Nothing of the main line allocates while the signals come: bare, too, that would be a gamble.
int in_handler(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction old;
    sigaction(SIGUSR1, &action, &old);
    for (int i = 0; i < 2000; i++) {
        raise(SIGUSR1);
    }
    sigaction(SIGUSR1, &old, NULL);
    return handled != 2000 || wrong != 0;
}

// What a handler may do bare while malloc is at work: map memory by itself.
static void on_alarm(int number)
{
    size_t size = 300000;
    char *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) {
        wrong++;
        return;
    }
    region[size - 1] = (char)number;
    char *moved = mremap(region, size, 2 * size, MREMAP_MAYMOVE);
    wrong += moved == MAP_FAILED || moved[size - 1] != (char)number;
    munmap(moved, 2 * size);
}

// The main line does nothing but allocate while alarms come, so that they come in the middle of it:
// some hundreds do.
int interrupted(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct sigaction old;
    struct itimerval timer = {{0, 100}, {0, 100}};
    struct itimerval none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, &old);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; i < 10000; i++) {
        char *block = malloc(20000);
        memset(block, 3, 20000);
        block = realloc(block, 400000);
        wrong += block[19999] != 3;
        free(block);
    }
    setitimer(ITIMER_REAL, &none, NULL);
    sigaction(SIGALRM, &old, NULL);
    return wrong != 0;
}

// The child frees what its parent gave it, and leaves with memory of its own freed.
static pid_t vfork_once(char *given)
{
    pid_t child = vfork();
    if (child == 0) {
        char *own = malloc(60000);
        memset(own, 1, 60000);
        free(own);
        free(given);
        _exit(7);
    }
    return child;
}

int in_vfork_child(void)
{
    int failures = 0;
    for (int i = 0; i < 200; i++) {
        char *given = malloc(50000);
        memset(given, i, 50000);
        int status = 0;
        waitpid(vfork_once(given), &status, 0);
        failures += !WIFEXITED(status) || WEXITSTATUS(status) != 7;
        given = malloc(50000); // likely at the same address
        memset(given, i, 50000);
        free(given);
    }
    return failures;
}

// The loader allocates for a library, and for what it says of one that is not there, and frees it.
static void *use_loader(void *unused)
{
    dlopen("/nowhere/no-such-library.so", RTLD_NOW); // the text for dlerror goes with the thread
    return unused;
}

int by_loader(int count)
{
    int failures = 0;
    for (int i = 0; i < count; i++) {
        void *library = dlopen("libanl.so.1", RTLD_NOW);
        failures += !library || dlclose(library) != 0;
        pthread_t thread;
        failures += pthread_create(&thread, NULL, use_loader, NULL) != 0;
        failures += pthread_join(thread, NULL) != 0;
    }
    return failures;
}

static pthread_key_t key;

static void *use_key(void *unused)
{
    pthread_setspecific(key, malloc(5000));
    return unused;
}

// The destructor runs when all else of the thread has ended.
int at_thread_end(int count)
{
    int failures = pthread_key_create(&key, free) != 0;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        failures += pthread_create(&thread, NULL, use_key, NULL) != 0;
        failures += pthread_join(thread, NULL) != 0;
    }
    return failures;
}

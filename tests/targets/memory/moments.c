// SPDX-License-Identifier: Apache-2.0

// Allocation at odd moments, as a library: before any constructor of ours, in a signal handler, in
// a vfork child, at a thread's very end. Each returns what it found wrong.

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int early(void);
int in_handler(void);
int in_vfork_child(void);
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

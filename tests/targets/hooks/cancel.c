// SPDX-License-Identifier: Apache-2.0

// A hooked call is still a cancellation point: each is cancelled while it blocks.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

static int pipe_ends[2];
static int socket_ends[2];
static int epoll_fd;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t until_cancelled = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static atomic_int thread_number;
static pthread_t sleeper;
static pid_t child;
static char buf[10];

static void do_read(void)
{
    show("read returned", read(pipe_ends[0], buf, 1));
}

static void do_recv(void)
{
    show("recv returned", recv(socket_ends[0], buf, 1, 0));
}

static void do_poll(void)
{
    struct pollfd fd = {pipe_ends[0], POLLIN, 0};
    show("poll returned", poll(&fd, 1, -1));
}

static void do_select(void)
{
    show("select returned", select(0, NULL, NULL, NULL, NULL));
}

static void do_epoll_wait(void)
{
    struct epoll_event event;
    show("epoll_wait returned", epoll_wait(epoll_fd, &event, 1, -1));
}

static void do_nanosleep(void)
{
    show("nanosleep returned", nanosleep(&(struct timespec){100, 0}, NULL));
}

static void do_sleep(void)
{
    show("sleep returned", sleep(100));
}

static void unlock(void *lock)
{
    show_status("condition cancelled with the mutex held", pthread_mutex_unlock(lock));
}

static void do_cond_wait(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    show_status("condition returned", pthread_cond_wait(&condition, &mutex));
    pthread_cleanup_pop(0);
}

static void do_sem_wait(void)
{
    show("sem_wait returned", sem_wait(&semaphore));
}

static void do_join(void)
{
    show_status("join returned", pthread_join(sleeper, NULL));
}

static void do_waitpid(void)
{
    show("waitpid returned", waitpid(child, NULL, 0));
}

static void do_sigwait(void)
{
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    show_status("sigwait returned", sigwait(&set, &number));
}

static void do_sigwait_all(void)
{
    sigset_t set;
    int number;
    sigfillset(&set);
    show_status("sigwait returned", sigwait(&set, &number));
}

static void do_pause(void)
{
    show("pause returned", pause());
}

// Nobody is cancelled while it waits for a mutex.
static void do_test_only(void)
{
    pthread_mutex_lock(&until_cancelled);
    pthread_mutex_unlock(&until_cancelled);
    show("sem_wait that need not block returned", sem_trywait(&semaphore));
    sem_post(&semaphore);
    sem_wait(&semaphore);
    show("went on", 1);
}

static const struct {
    const char *name;
    void (*call)(void);
} cases[] = {
    {"read", do_read},
    {"recv", do_recv},
    {"poll", do_poll},
    {"select", do_select},
    {"epoll_wait", do_epoll_wait},
    {"nanosleep", do_nanosleep},
    {"sleep", do_sleep},
    {"pthread_cond_wait", do_cond_wait},
    {"sem_wait", do_sem_wait},
    {"pthread_join", do_join},
    {"waitpid", do_waitpid},
    {"sigwait", do_sigwait},
    {"sigwait all", do_sigwait_all},
    {"pause", do_pause},
    {"sem_wait free", do_test_only},
};

static void note(void *name)
{
    show_text("cleaned up after", name);
}

static void *run(void *index)
{
    size_t i = (size_t)index;
    thread_number = this_thread();
    pthread_cleanup_push(note, (void *)cases[i].name);
    cases[i].call();
    pthread_cleanup_pop(0);
    return NULL;
}

static void run_and_cancel(size_t i)
{
    pthread_t thread;
    void *value = NULL;
    thread_number = 0;
    pthread_mutex_lock(&until_cancelled);
    pthread_create(&thread, NULL, run, (void *)i);
    while (thread_number == 0) {
        usleep(1000);
    }
    until_asleep(thread_number);
    int status = pthread_cancel(thread);
    pthread_mutex_unlock(&until_cancelled);
    pthread_join(thread, &value);
    show_status("cancel", status);
    show(cases[i].name, value == PTHREAD_CANCELED);
}

static void *sleep_long(void *unused)
{
    (void)unused;
    sleep(1000);
    return NULL;
}

int main(void)
{
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) != 0) {
        return 1;
    }
    epoll_fd = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    pthread_create(&sleeper, NULL, sleep_long, NULL);
    child = fork();
    if (child == 0) {
        sleep(1000);
        _exit(0);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_and_cancel(i);
    }
    kill(child, SIGKILL);
    return 0;
}

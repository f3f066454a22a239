// SPDX-License-Identifier: Apache-2.0

// Locks of every kind, and the errors that tell them apart.

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static atomic_int is_held;
static atomic_int may_end;
static int main_thread;
static struct timespec deadline;
static atomic_long left_ns; // until then, when the main thread was seen asleep

static void hold_until_wanted(void)
{
    is_held = 1;
    until_asleep(main_thread);
    usleep(30000);
}

static void *hold_mutex(void *lock)
{
    pthread_mutex_lock(lock);
    hold_until_wanted();
    pthread_mutex_unlock(lock);
    return NULL;
}

static void *hold_rwlock(void *lock)
{
    pthread_rwlock_wrlock(lock);
    hold_until_wanted();
    pthread_rwlock_unlock(lock);
    return NULL;
}

static void *die_holding(void *lock)
{
    pthread_mutex_lock(lock);
    return NULL;
}

static pthread_t start(void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    is_held = 0;
    pthread_create(&thread, NULL, routine, argument);
    return thread;
}

static void await_held(void)
{
    while (!is_held) {
        sched_yield();
    }
}

static void init_mutex(pthread_mutex_t *lock, int type, int robustness)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robustness);
    pthread_mutex_init(lock, &attributes);
}

static void *note_what_is_left(void *unused)
{
    until_asleep(main_thread);
    struct timespec now = after_ms(CLOCK_REALTIME, 0);
    left_ns = (deadline.tv_sec - now.tv_sec) * 1000000000 + deadline.tv_nsec - now.tv_nsec;
    return unused;
}

// Who is kept from a core on the way to the lock comes to it when little is left of the time, or
// nothing: what it then waits says nothing.
static void test_time_out(void)
{
    bool has_waited = false;
    int status = ETIMEDOUT;
    while (status == ETIMEDOUT && !has_waited) {
        left_ns = 0;
        deadline = after_ms(CLOCK_REALTIME, 300);
        pthread_t witness = start(note_what_is_left, NULL);
        expect_begin();
        status = pthread_mutex_timedlock(&mutex, &deadline);
        has_waited = left_ns >= 20000000;
        if (has_waited) {
            expect_end("mutex timed out", "lock");
        }
        pthread_join(witness, NULL);
    }
    show_status("mutex timed out", status);
}

static void test_mutex(void)
{
    pthread_t holder = start(hold_mutex, &mutex);
    await_held();
    expect_begin();
    show_status("mutex contended", pthread_mutex_lock(&mutex));
    expect_end("mutex contended", "lock");
    show_status("join", pthread_join(holder, NULL));
    test_time_out();
    show_status("unlock", pthread_mutex_unlock(&mutex));
    show_status("mutex free", pthread_mutex_timedlock(&mutex, &deadline));
    pthread_mutex_unlock(&mutex);

    pthread_mutex_t checked;
    init_mutex(&checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    show_status("checked", pthread_mutex_lock(&checked));
    show_status("checked again", pthread_mutex_lock(&checked));
    show_status("checked unlock", pthread_mutex_unlock(&checked));
    show_status("checked unlock again", pthread_mutex_unlock(&checked));

    pthread_mutex_t recursive;
    init_mutex(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    show_status("recursive", pthread_mutex_lock(&recursive));
    show_status("recursive again", pthread_mutex_lock(&recursive));
    show_status("recursive unlock", pthread_mutex_unlock(&recursive));
    show_status("recursive unlock", pthread_mutex_unlock(&recursive));
    show_status("recursive unlock too often", pthread_mutex_unlock(&recursive));

    pthread_mutex_t robust;
    init_mutex(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    pthread_join(start(die_holding, &robust), NULL);
    show_status("robust", pthread_mutex_lock(&robust));
    show_status("robust unlock", pthread_mutex_unlock(&robust));
    show_status("robust lost", pthread_mutex_lock(&robust));
}

static void test_rwlock(void)
{
    pthread_t holder = start(hold_rwlock, &rwlock);
    await_held();
    expect_begin();
    show_status("read lock contended", pthread_rwlock_rdlock(&rwlock));
    expect_end("read lock contended", "lock");
    pthread_join(holder, NULL);
    show_status("read lock again", pthread_rwlock_rdlock(&rwlock));
    struct timespec until = after_ms(CLOCK_REALTIME, 30);
    show_status("write lock timed out", pthread_rwlock_timedwrlock(&rwlock, &until));
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    show_status("write lock", pthread_rwlock_wrlock(&rwlock));
    show_status("write lock again", pthread_rwlock_wrlock(&rwlock));
    show_status("read lock under write lock", pthread_rwlock_rdlock(&rwlock));
    pthread_rwlock_unlock(&rwlock);
}

static void signal_condition(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static void test_condition(void)
{
    pthread_mutex_lock(&mutex);
    later(30, signal_condition, NULL);
    expect_begin();
    show_status("condition", pthread_cond_wait(&condition, &mutex));
    expect_end("condition", "lock");
    later_join();
    struct timespec until = after_ms(CLOCK_REALTIME, 30);
    show_status("condition timed out", pthread_cond_timedwait(&condition, &mutex, &until));
    until.tv_nsec = -1;
    show_status("condition bad time", pthread_cond_timedwait(&condition, &mutex, &until));
    show_status("mutex held after", pthread_mutex_trylock(&mutex));
    pthread_mutex_unlock(&mutex);
}

static void post(void *unused)
{
    (void)unused;
    sem_post(&semaphore);
}

static void test_semaphore(void)
{
    sem_init(&semaphore, 0, 1);
    show("sem_wait", sem_wait(&semaphore));
    later(30, post, NULL);
    expect_begin();
    show("sem_wait blocked", sem_wait(&semaphore));
    expect_end("sem_wait blocked", "lock");
    later_join();
    struct timespec until = after_ms(CLOCK_REALTIME, 30);
    show("sem_timedwait", sem_timedwait(&semaphore, &until));
    interrupt_after(30);
    show("sem_wait interrupted", sem_wait(&semaphore));
    later_join();
    until.tv_nsec = 2000000000;
    show("sem_timedwait bad time", sem_timedwait(&semaphore, &until));
}

static void wait_at_barrier(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
}

static void *sleep_and_return(void *value)
{
    while (!may_end) {
        usleep(1000);
    }
    until_asleep(main_thread);
    usleep(30000);
    return value;
}

static void test_meeting(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    later(30, wait_at_barrier, NULL);
    expect_begin();
    int status = pthread_barrier_wait(&barrier);
    expect_end("barrier", "lock");
    show("barrier", status == 0 || status == PTHREAD_BARRIER_SERIAL_THREAD);
    later_join();
    void *value = NULL;
    pthread_t thread = start(sleep_and_return, &barrier);
    struct timespec until = after_ms(CLOCK_REALTIME, 5);
    show_status("timed join", pthread_timedjoin_np(thread, &value, &until));
    may_end = 1;
    expect_begin();
    show_status("join", pthread_join(thread, &value));
    expect_end("join", "lock");
    show("join value", value == &barrier);
    show_status("join myself", pthread_join(pthread_self(), NULL));
}

static int futex_word = 1;
static long woken_count;

static void wake_futex(void *unused)
{
    (void)unused;
    woken_count = syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void test_futex(void)
{
    struct timespec timeout = {0, 30000000};
    show("futex changed", syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0));
    expect_begin();
    show("futex timed out",
         syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 1, &timeout, NULL, 0));
    expect_end("futex timed out", "lock");
    later(30, wake_futex, NULL);
    show("futex bit set", syscall(SYS_futex, &futex_word, FUTEX_WAIT_BITSET, 1, NULL, NULL, 1));
    later_join();
    show("futex wake", woken_count);
    show("syscall", syscall(SYS_getpid) == getpid());
    show("syscall fails", syscall(SYS_close, 999));
    show("syscall of six", syscall(SYS_mmap, NULL, 4096, 0, 0x22, -1, 0) != -1);
    int in = open("/dev/zero", O_RDONLY);
    char byte;
    show("syscall of four", syscall(SYS_pread64, in, &byte, 1, 0));
    close(in);
}

static mtx_t c11_mutex;
static cnd_t c11_condition;

static int hold_c11(void *unused)
{
    (void)unused;
    mtx_lock(&c11_mutex);
    hold_until_wanted();
    thrd_sleep(&(struct timespec){0, 1000000}, NULL);
    cnd_signal(&c11_condition);
    mtx_unlock(&c11_mutex);
    return 5;
}

static void test_c11(void)
{
    mtx_init(&c11_mutex, mtx_timed);
    cnd_init(&c11_condition);
    thrd_t thread;
    is_held = 0;
    show("thrd_create", thrd_create(&thread, hold_c11, NULL));
    await_held();
    expect_begin();
    show("mtx_lock", mtx_lock(&c11_mutex));
    expect_end("mtx_lock", "lock");
    struct timespec until = after_ms(CLOCK_REALTIME, 30);
    show("cnd_timedwait", cnd_timedwait(&c11_condition, &c11_mutex, &until) == thrd_timedout);
    int value;
    show("thrd_join", thrd_join(thread, &value));
    show("thrd_join value", value);
}

static void test_file_lock(void)
{
    char name[] = "/tmp/hook-lock-XXXXXX";
    int fd = mkstemp(name);
    int other = open(name, O_RDWR);
    show("flock", flock(fd, LOCK_EX));
    show("flock not waiting", flock(other, LOCK_EX | LOCK_NB));
    show("flock unlock", flock(fd, LOCK_UN));
    show("lockf", lockf(fd, F_LOCK, 10));
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 20, .l_len = 5};
    show("F_SETLKW", fcntl(fd, F_SETLKW, &range));
    range.l_pid = 0;
    show("F_OFD_SETLK", fcntl(other, F_OFD_SETLK, &range));
    range.l_start = 40;
    show("F_OFD_SETLKW", fcntl(other, F_OFD_SETLKW, &range));
    interrupt_after(30);
    expect_begin();
    show("F_OFD_SETLKW interrupted", fcntl(fd, F_OFD_SETLKW, &range));
    expect_end("F_OFD_SETLKW interrupted", "lock");
    later_join();
    int id = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf take = {0, -1, 0};
    show("semtimedop", semtimedop(id, &take, 1, &(struct timespec){0, 1000000}));
    semctl(id, 0, IPC_RMID);
    close(fd);
    close(other);
    unlink(name);
}

int main(void)
{
    main_thread = this_thread();
    test_mutex();
    test_rwlock();
    test_condition();
    test_semaphore();
    test_meeting();
    test_futex();
    test_c11();
    test_file_lock();
    return 0;
}

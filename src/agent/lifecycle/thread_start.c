// SPDX-License-Identifier: Apache-2.0
#include "agent/lifecycle/thread_start.h"

#include <stdatomic.h>
#include <stdint.h>

#include "agent/allocation.h"
#include "agent/cpython/executor_queue.h"
#include "agent/hidden_signal.h"
#include "agent/real.h"
#include "agent/session.h"
#include "agent/thread.h"

#define ORDER_COUNT 1024u

// What a new thread is to do, between pthread_create and its first instruction. When all are taken
// the thread is started as the program asked, and is not sampled.
struct order {
    void *(*start)(void *); // or ...
    thrd_start_t start_c11; // ... this
    void *argument;
    bool is_signal_blocked; // as the program believes
    atomic_bool is_taken;
};

static struct order orders[ORDER_COUNT];
static _Atomic uint32_t next_order;

static struct order *take_order(void)
{
    for (unsigned i = 0; i < ORDER_COUNT; i++) {
        struct order *order = &orders[atomic_fetch_add(&next_order, 1) % ORDER_COUNT];
        if (!atomic_exchange(&order->is_taken, true)) {
            return order;
        }
    }
    return NULL;
}

// The C library calls these when a thread ends, in whatever way.
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle;

static void on_thread_exit(void *unused)
{
    (void)unused;
    thread_end();
    allocation_thread_ends();
}

void thread_start_watch_end(void)
{
    static _Thread_local bool is_watched __attribute__((tls_model("initial-exec")));
    if (!is_watched) {
        is_watched = __cxa_thread_atexit_impl(on_thread_exit, NULL, &__dso_handle) == 0;
    }
}

// Up to where a thread's stack is the program's own: with the return address of the function that
// says this, which the program's function has in its place.
#define STACK_END ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))

// The new thread's first act: takes its order and begins to be profiled.
static struct order begin(void *argument, uintptr_t stack_end)
{
    struct order *shared = argument;
    struct order order = {
        .start = shared->start,
        .start_c11 = shared->start_c11,
        .argument = shared->argument,
    };
    hidden_signal_thread_inherit(shared->is_signal_blocked);
    atomic_store_explicit(&shared->is_taken, false, memory_order_release);
    void *routine = order.start ? (void *)order.start : (void *)order.start_c11;
    thread_begin(routine, stack_end);
    thread_start_watch_end();
    return order;
}

static void *run(void *argument)
{
    struct order order = begin(argument, STACK_END);
    return order.start(order.argument);
}

static int run_c11(void *argument)
{
    struct order order = begin(argument, STACK_END);
    return order.start_c11(order.argument);
}

static struct order *place_order(void *(*start)(void *), thrd_start_t start_c11, void *argument)
{
    struct order *order = atomic_load(&session.is_active) ? take_order() : NULL;
    if (order) {
        order->start = start;
        order->start_c11 = start_c11;
        order->argument = argument;
        order->is_signal_blocked = hidden_signal_is_blocked();
    }
    return order;
}

int thread_start_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                        void *argument)
{
    executor_queue_look();
    struct order *order = place_order(start, NULL, argument);
    if (!order) {
        return REAL(pthread_create)(thread, attributes, start, argument);
    }
    int status = REAL(pthread_create)(thread, attributes, run, order);
    if (status != 0) {
        atomic_store(&order->is_taken, false);
    }
    return status;
}

int thread_start_create_c11(thrd_t *thread, thrd_start_t start, void *argument)
{
    struct order *order = place_order(NULL, start, argument);
    if (!order) {
        return REAL(thrd_create)(thread, start, argument);
    }
    int status = REAL(thrd_create)(thread, run_c11, order);
    if (status != thrd_success) {
        atomic_store(&order->is_taken, false);
    }
    return status;
}

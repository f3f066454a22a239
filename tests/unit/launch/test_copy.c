// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "launch/copy.h"
#include "unit.h"

struct shared {
    volatile int is_done;
    volatile int is_asleep;
};

static struct shared *make_shared(void)
{
    void *map = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    return map;
}

static void burn(void *context)
{
    struct shared *shared = context;
    while (clock() < CLOCKS_PER_SEC / 20) {
    }
    shared->is_done = 1;
}

static void sleep_for_ever(void *context)
{
    struct shared *shared = context;
    shared->is_asleep = 1;
    for (;;) {
        pause();
    }
}

static void a_copy_does_its_work_and_tells_what_it_used(void **state)
{
    (void)state;
    struct shared *shared = make_shared();
    struct copy copy = {0};
    assert_true(copy_has_ended(&copy));
    assert_true(copy_start(&copy, burn, shared));
    copy_wait(&copy);
    assert_int_equal(shared->is_done, 1);
    assert_true(copy.cpu_s >= 0.04 && copy.cpu_s < 1);
    assert_true(copy_has_ended(&copy));
}

static void a_copy_can_be_ended(void **state)
{
    (void)state;
    struct shared *shared = make_shared();
    struct copy copy = {0};
    assert_true(copy_start(&copy, sleep_for_ever, shared));
    while (!shared->is_asleep) {
        usleep(100);
    }
    pid_t pid = copy.pid;
    assert_false(copy_has_ended(&copy));
    copy_kill(&copy);
    assert_int_equal(kill(pid, 0), -1);
    copy_kill(&copy); // there is none any more
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_does_its_work_and_tells_what_it_used),
        cmocka_unit_test(a_copy_can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

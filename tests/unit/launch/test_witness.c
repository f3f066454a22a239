// SPDX-License-Identifier: Apache-2.0
// The test is the witness: it answers when it wants to.

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/witness.h"
#include "unit.h"

struct late_witness {
    int fd;
    uint32_t question_count; // that it lets come before it answers them all
    uint32_t yes;            // the number of the one that it has got the signal at
};

static uint32_t next_question(int fd)
{
    uint32_t question[2] = {0};
    return read(fd, question, sizeof question) == (ssize_t)sizeof question ? question[0] : 0;
}

static void answer(int fd, uint32_t number, uint32_t has_got)
{
    send(fd, (uint32_t[]){number, has_got}, 2 * sizeof(uint32_t), MSG_NOSIGNAL);
}

static void *answer_late(void *argument)
{
    struct late_witness *late = argument;
    while (next_question(late->fd) < late->question_count) {
    }
    for (uint32_t number = 1; number <= late->question_count; number++) {
        answer(late->fd, number, number == late->yes);
    }
    return NULL;
}

static void open_witness(struct witness *witness, int ends[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    *witness = (struct witness){.pid = getpid(), .fd = ends[0]};
}

static void close_witness(int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static void test_an_answer_that_is_late_is_not_lost(void **state)
{
    (void)state;
    int ends[2];
    struct witness witness;
    open_witness(&witness, ends);
    struct late_witness late = {ends[1], .question_count = 2, .yes = 1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, answer_late, &late), 0);
    assert_true(witness_has_got(&witness, SIGTERM));
    pthread_join(thread, NULL);
    close_witness(ends);
}

static void test_an_answer_about_an_earlier_signal_is_of_no_use(void **state)
{
    (void)state;
    int ends[2];
    struct witness witness;
    open_witness(&witness, ends);
    witness.question_count = 2;
    for (uint32_t number = 1; number <= 4; number++) {
        answer(ends[1], number, number <= 2);
    }
    assert_false(witness_has_got(&witness, SIGTERM));
    close_witness(ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_that_is_late_is_not_lost),
        cmocka_unit_test(test_an_answer_about_an_earlier_signal_is_of_no_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

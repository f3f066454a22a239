// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "unit.h"

static void memory_comes_zeroed_even_when_none_is_asked_for(void **state)
{
    (void)state;
    unsigned char *memory = mem_alloc(1000);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(memory[i], 0);
    }
    free(memory);
    void *nothing = mem_alloc(0);
    assert_non_null(nothing);
    free(nothing);
}

static void copies_are_independent_and_terminated(void **state)
{
    (void)state;
    char original[] = "text";
    char *copy = mem_copy_text(original);
    char *part = mem_copy_bytes(original, 2);
    char *nothing = mem_copy_bytes(NULL, 0);
    original[0] = 'X';
    assert_string_equal(copy, "text");
    assert_string_equal(part, "te");
    assert_string_equal(nothing, "");
    free(copy);
    free(part);
    free(nothing);
}

static void an_array_grows_and_keeps_its_elements(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        array = mem_grow(array, (size_t)i, &capacity, sizeof *array);
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(array[i], i);
    }
    assert_in_range(capacity, 1000, 2000);
    free(array);
}

static void leave_with(void *status)
{
    _exit(*(int *)status);
}

static void who_has_more_to_do_is_called_before(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        int expected = 42;
        close(STDERR_FILENO);
        mem_at_exhaustion(leave_with, &expected);
        volatile size_t too_much = SIZE_MAX / 4;
        free(mem_alloc(too_much));
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void running_out_of_memory_ends_the_tool_with_a_message(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(fds[1], STDERR_FILENO);
        volatile size_t too_much = SIZE_MAX / 4;
        free(mem_alloc(too_much));
        _exit(99);
    }
    close(fds[1]);
    char said[4096] = "";
    size_t len = 0;
    ssize_t got = 0;
    while ((got = read(fds[0], said + len, sizeof said - 1 - len)) > 0) {
        len += (size_t)got;
    }
    close(fds[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
    assert_non_null(strstr(said, "scalene: out of memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_comes_zeroed_even_when_none_is_asked_for),
        cmocka_unit_test(copies_are_independent_and_terminated),
        cmocka_unit_test(an_array_grows_and_keeps_its_elements),
        cmocka_unit_test(who_has_more_to_do_is_called_before),
        cmocka_unit_test(running_out_of_memory_ends_the_tool_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "accel/followed.h"
#include "unit.h"

static void only_who_is_new_is_looked_at_again(void **state)
{
    (void)state;
    static struct followed followed;
    followed_take(&followed, (int[]){11, 12, 13}, 3);
    assert_true(followed.is_new[0] && followed.is_new[1] && followed.is_new[2]);
    for (size_t i = 0; i < followed.count; i++) {
        followed.is_new[i] = false;
        followed.processes[i].use.nvidia = 1u << i;
    }
    followed_take(&followed, (int[]){11, 13, 14}, 3);
    assert_false(followed.is_new[0] || followed.is_new[1]);
    assert_true(followed.is_new[2]);
    assert_int_equal(followed.processes[0].use.nvidia, 1);
    assert_int_equal(followed.processes[1].use.nvidia, 4);
    assert_int_equal(followed.processes[2].use.nvidia, 0);
    followed_take(&followed, (int[]){14, 11}, 2); // in another order it is looked at once more
    assert_true(followed.is_new[0] && followed.is_new[1]);
}

static void a_process_that_is_gone_keeps_what_was_seen(void **state)
{
    (void)state;
    static struct followed followed;
    followed_take(&followed, (int[]){-5}, 1); // there is none
    followed.processes[0].use.has_kfd = true;
    followed_look(&followed, true);
    assert_true(followed.processes[0].use.has_kfd);
    assert_false(followed.is_new[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_who_is_new_is_looked_at_again),
        cmocka_unit_test(a_process_that_is_gone_keeps_what_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

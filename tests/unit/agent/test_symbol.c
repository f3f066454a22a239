// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <string.h>

#include "agent/real.h"
#include "agent/symbol.h"
#include "unit.h"

static struct symbol_scope scope;

static int open_scope(void **state)
{
    (void)state;
    symbol_scope_init(&scope);
    return 0;
}

static void a_function_is_found_as_the_loader_finds_it(void **state)
{
    (void)state;
    assert_ptr_equal(symbol_find(&scope, "read", "GLIBC_2.2.5"),
                     dlvsym(RTLD_NEXT, "read", "GLIBC_2.2.5"));
    assert_ptr_equal(symbol_find(&scope, "pthread_join", "GLIBC_2.2.5"),
                     dlvsym(RTLD_NEXT, "pthread_join", "GLIBC_2.2.5"));
}

static void versions_are_told_apart(void **state)
{
    (void)state;
    void *old = symbol_find(&scope, "pthread_cond_wait", "GLIBC_2.2.5");
    void *new = symbol_find(&scope, "pthread_cond_wait", "GLIBC_2.3.2");
    assert_ptr_equal(new, dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2"));
    assert_ptr_not_equal(old, new);
}

static void a_function_chosen_at_run_time_is_the_chosen_one(void **state)
{
    (void)state;
    void *(*copy)(void *, const void *, size_t) =
        (void *(*)(void *, const void *, size_t))symbol_find(&scope, "memcpy", "GLIBC_2.14");
    char target[4] = "";
    assert_non_null(copy);
    copy(target, "abc", 4);
    assert_string_equal(target, "abc");
    assert_ptr_equal((void *)copy, dlvsym(RTLD_NEXT, "memcpy", "GLIBC_2.14"));
}

static void what_no_library_has_is_not_found(void **state)
{
    (void)state;
    assert_null(symbol_find(&scope, "no_such_function_anywhere", "GLIBC_2.2.5"));
    assert_null(symbol_find(&scope, "read", "GLIBC_9.9"));
    assert_null(symbol_find(&scope, "", "GLIBC_2.2.5"));
}

static void every_original_is_known_before_main(void **state)
{
    (void)state;
    const void *const *pointers = (const void *const *)&real;
    for (unsigned i = 0; i < REAL_COUNT; i++) {
        assert_non_null(pointers[i]);
    }
}

static void the_library_asks_for_nothing_of_the_loader(void **state)
{
    (void)state;
    assert_null(dlerror());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_asks_for_nothing_of_the_loader),
        cmocka_unit_test(a_function_is_found_as_the_loader_finds_it),
        cmocka_unit_test(versions_are_told_apart),
        cmocka_unit_test(a_function_chosen_at_run_time_is_the_chosen_one),
        cmocka_unit_test(what_no_library_has_is_not_found),
        cmocka_unit_test(every_original_is_known_before_main),
    };
    return cmocka_run_group_tests(tests, open_scope, NULL);
}

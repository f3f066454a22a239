// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/relocation.h"
#include "unit.h"

static int hook_calls;
static void *original_getppid;
static void *original_missing; // NULL: no library has it

static pid_t hooked_getppid(void)
{
    hook_calls++;
    return ((pid_t(*)(void))original_getppid)();
}

static const struct relocation_hook hooks[] = {
    {"getppid", &original_getppid, (void *)hooked_getppid, false},
    {"no_such_function", &original_missing, (void *)hooked_getppid, false},
};
static const struct relocation_set set = {hooks, 2, NULL};

// A library of its own, since the tables of the library that hooks are left alone.
static pid_t (*callers[3])(void);

static void load(const char *name, pid_t (*caller[3])(void))
{
    static const char *const functions[] = {"by_call", "by_address", "by_table"};
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        fail_msg("%s", dlerror());
    }
    for (int i = 0; i < 3; i++) {
        *(void **)&caller[i] = dlsym(library, functions[i]);
        assert_non_null(caller[i]);
    }
}

static void check(pid_t (*const caller[3])(void), int expected_hooks)
{
    for (int i = 0; i < 3; i++) {
        hook_calls = 0;
        assert_int_equal(caller[i](), getppid());
        assert_int_equal(hook_calls, expected_hooks);
    }
}

// Which pages can be written, as one text.
static char *protections(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char *line = NULL;
    size_t room = 0;
    size_t len = 0;
    char *all = calloc(1, 1 << 20);
    while (getline(&line, &room, maps) > 0) {
        if (strstr(line, ".so")) {
            memcpy(all + len, line, strcspn(line, "-") + 30);
            len += strcspn(line, "-") + 30;
        }
    }
    free(line);
    fclose(maps);
    return all;
}

static void calls_go_to_the_hook_and_back(void **state)
{
    (void)state;
    char *before = protections();
    check(callers, 0);
    for (int round = 0; round < 3; round++) {
        relocation_hook_all(&set);
        check(callers, 1);
        relocation_unhook_all(&set);
        check(callers, 0);
    }
    char *after = protections();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void a_call_that_was_never_made_is_hooked_too(void **state)
{
    const char *const *names = *state;
    pid_t (*fresh[3])(void);
    load(names[1], fresh);
    relocation_hook_all(&set);
    check(fresh, 1);
    relocation_unhook_all(&set);
    check(fresh, 0);
}

static void a_library_that_comes_later_is_hooked_when_looked_for(void **state)
{
    const char *const *names = *state;
    pid_t (*late[3])(void);
    relocation_hook_all(&set);
    load(names[2], late);
    check(late, 0);
    relocation_hook_new(&set);
    check(late, 1);
    relocation_unhook_all(&set);
    check(late, 0);
}

int main(int argc, char **argv)
{
    assert_int_equal(argc, 4);
    load(argv[1], callers);
    original_getppid = dlsym(RTLD_DEFAULT, "getppid");
    char **names = argv + 1;
    void *state = names;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(calls_go_to_the_hook_and_back, state),
        cmocka_unit_test_prestate(a_call_that_was_never_made_is_hooked_too, state),
        cmocka_unit_test_prestate(a_library_that_comes_later_is_hooked_when_looked_for, state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

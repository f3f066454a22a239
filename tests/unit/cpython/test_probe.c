// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/mman.h>

#include "agent/probe.h"
#include "unit.h"

#define PAGE 4096

// Two pages, the second of which cannot be read.
static char *make_edge(void)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    return pages;
}

static void readable_memory_is_copied(void **state)
{
    (void)state;
    struct probe probe = {0};
    char from[] = "something";
    char to[sizeof from];
    assert_true(probe_copy(&probe, to, (uintptr_t)from, sizeof from));
    assert_string_equal(to, from);
}

static void what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    struct probe probe = {0};
    char *pages = make_edge();
    char to[16];
    assert_true(probe_copy(&probe, to, (uintptr_t)pages + PAGE - 8, 8));
    assert_false(probe_copy(&probe, to, (uintptr_t)pages + PAGE - 8, 9));
    assert_false(probe_is_readable(&probe, (uintptr_t)pages + PAGE, 1));
    assert_int_equal(probe_word(&probe, (uintptr_t)pages + PAGE + 16), 0);
    munmap(pages, 2 * PAGE);
}

static void absurd_addresses_are_refused(void **state)
{
    (void)state;
    struct probe probe = {0};
    const uintptr_t absurd[] = {
        0, 8, 4095, UINTPTR_MAX, UINTPTR_MAX - 7, (uintptr_t)1 << 63, (uintptr_t)0xdeadbeef << 32};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        assert_false(probe_is_readable(&probe, absurd[i], 8));
    }
    int local = 0;
    assert_false(probe_is_readable(&probe, (uintptr_t)&local, SIZE_MAX));
}

static void the_cache_forgets_without_lying(void **state)
{
    (void)state;
    struct probe probe = {0};
    size_t count = 3 * PROBE_PAGES;
    char *pages = mmap(NULL, count * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            assert_true(probe_is_readable(&probe, (uintptr_t)pages + i * PAGE, 1));
        }
    }
    munmap(pages, count * PAGE);
    struct probe fresh = {0};
    assert_false(probe_is_readable(&fresh, (uintptr_t)pages, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readable_memory_is_copied),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(absurd_addresses_are_refused),
        cmocka_unit_test(the_cache_forgets_without_lying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

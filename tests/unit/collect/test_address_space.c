// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include "collect/address_space.h"
#include "unit.h"

static struct address_space new_space(void)
{
    return (struct address_space){.images = image_cache_new()};
}

static void free_space(struct address_space *space)
{
    address_space_clear(space);
    image_cache_free(space->images);
}

static void an_address_finds_its_module(void **state)
{
    (void)state;
    struct address_space space = new_space();
    address_space_add(&space, 0x3000, 0x4000, 0x3000, "/x/b.so");
    address_space_add(&space, 0x1000, 0x2000, 0x1000, "/x/a.so");
    assert_null(address_space_find(&space, 0xfff));
    assert_string_equal(image_path(address_space_find(&space, 0x1000)->image), "/x/a.so");
    assert_null(address_space_find(&space, 0x2000));
    const struct address_region *region = address_space_find(&space, 0x3fff);
    assert_string_equal(image_path(region->image), "/x/b.so");
    assert_int_equal(region->bias, 0x3000);
    assert_null(address_space_find(&space, 0x4000));
    free_space(&space);
}

static void the_same_module_twice_is_one(void **state)
{
    (void)state;
    struct address_space space = new_space();
    for (int i = 0; i < 3; i++) {
        address_space_add(&space, 0x1000, 0x2000, 0x1000, "/x/a.so");
    }
    assert_int_equal(space.count, 1);
    free_space(&space);
}

static void a_later_module_replaces_what_it_overlaps(void **state)
{
    (void)state;
    struct address_space space = new_space();
    address_space_add(&space, 0x1000, 0x2000, 0, "/x/a.so");
    address_space_add(&space, 0x2000, 0x3000, 0, "/x/b.so");
    address_space_add(&space, 0x5000, 0x6000, 0, "/x/c.so");
    address_space_add(&space, 0x1800, 0x2800, 0, "/x/new.so");
    assert_int_equal(space.count, 2);
    assert_null(address_space_find(&space, 0x1000));
    assert_string_equal(image_path(address_space_find(&space, 0x2000)->image), "/x/new.so");
    assert_string_equal(image_path(address_space_find(&space, 0x5000)->image), "/x/c.so");
    free_space(&space);
}

static void nonsense_is_left_out(void **state)
{
    (void)state;
    struct address_space space = new_space();
    address_space_add(&space, 0x2000, 0x1000, 0, "/x/a.so");
    address_space_add(&space, 0x2000, 0x2000, 0, "/x/a.so");
    assert_int_equal(space.count, 0);
    assert_false(address_space_read_maps(&space, 0));
    free_space(&space);
}

static void our_own_mappings_lead_to_our_own_code(void **state)
{
    (void)state;
    struct address_space space = new_space();
    assert_true(address_space_read_maps(&space, getpid()));
    size_t count = space.count;
    assert_true(address_space_read_maps(&space, getpid()));
    assert_int_equal(space.count, count);
    uint64_t address = (uint64_t)our_own_mappings_lead_to_our_own_code;
    const struct address_region *region = address_space_find(&space, address);
    assert_non_null(region);
    assert_true(function_table_has_start(image_functions(region->image), address - region->bias));
    uint8_t bytes[16];
    assert_true(image_read(region->image, address - region->bias, bytes, sizeof bytes));
    assert_memory_equal(bytes, (const void *)address, sizeof bytes);
    free_space(&space);
}

static void a_module_reported_before_keeps_its_place(void **state)
{
    (void)state;
    struct address_space space = new_space();
    assert_true(address_space_read_maps(&space, getpid()));
    uint64_t address = (uint64_t)free_space;
    struct address_region before = *address_space_find(&space, address);
    address_space_add(&space, before.start - 0x1000, before.end + 0x1000, before.bias,
                      image_path(before.image));
    assert_true(address_space_read_maps(&space, getpid()));
    assert_int_equal(address_space_find(&space, address)->start, before.start - 0x1000);
    free_space(&space);
}

static void a_forked_process_starts_with_its_parents(void **state)
{
    (void)state;
    struct address_space parent = new_space();
    struct address_space child;
    address_space_add(&parent, 0x1000, 0x2000, 0, "/x/a.so");
    address_space_copy(&child, &parent, 7);
    address_space_add(&child, 0x3000, 0x4000, 0, "/x/b.so");
    assert_int_equal(parent.count, 1);
    assert_int_equal(child.count, 2);
    assert_int_equal(child.pid, 7);
    address_space_clear(&child);
    free_space(&parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_finds_its_module),
        cmocka_unit_test(the_same_module_twice_is_one),
        cmocka_unit_test(a_later_module_replaces_what_it_overlaps),
        cmocka_unit_test(nonsense_is_left_out),
        cmocka_unit_test(our_own_mappings_lead_to_our_own_code),
        cmocka_unit_test(a_module_reported_before_keeps_its_place),
        cmocka_unit_test(a_forked_process_starts_with_its_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

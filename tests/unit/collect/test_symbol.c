// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/address_space.h"
#include "collect/demangle.h"
#include "collect/symbol.h"
#include "unit.h"

struct setting {
    struct address_space space;
    struct symbol_cache *symbols;
};

static void set_up(struct setting *setting, const char *debug_dir)
{
    *setting = (struct setting){.space = {.images = image_cache_new(), .pid = getpid()}};
    setting->symbols = symbol_cache_new(debug_dir);
    assert_true(address_space_read_maps(&setting->space, getpid()));
}

static void tear_down(struct setting *setting)
{
    symbol_cache_free(setting->symbols);
    address_space_clear(&setting->space);
    image_cache_free(setting->space.images);
}

static const char *name_at(struct setting *setting, uint64_t address)
{
    const struct address_region *region = address_space_find(&setting->space, address);
    assert_non_null(region);
    return symbol_name(setting->symbols, region->image, address - region->bias);
}

// Not what a sanitizer may have put before it.
static uint64_t libc_function(const char *name)
{
    void *handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(handle);
    return (uint64_t)dlsym(handle, name);
}

static __attribute__((noinline)) int local_function(int value)
{
    return value * 3 + getpid();
}

static void a_local_function_has_its_name(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, NULL);
    assert_string_equal(name_at(&setting, (uint64_t)local_function + 1), "local_function");
    assert_true(local_function(1) > 0);
    tear_down(&setting);
}

static void of_several_names_the_plain_one_is_taken(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "/nonexistent");
    uint64_t address = libc_function("read"); // also __read
    assert_string_equal(name_at(&setting, address), "read");
    tear_down(&setting);
}

// Two exported functions that lie apart have unexported ones between them: these get no name of
// their neighbours.
static void a_function_without_a_name_is_not_given_its_neighbours(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "/nonexistent");
    uint64_t address = libc_function("qsort");
    const struct address_region *region = address_space_find(&setting.space, address);
    const struct function_table *functions = image_functions(region->image);
    int unnamed = 0;
    uint64_t at = address - region->bias;
    for (int i = 0; i < 200; i++) {
        uint64_t start;
        uint64_t end;
        if (!function_table_find(functions, at, &start, &end)) {
            at += 16;
            continue;
        }
        const char *name = symbol_name(setting.symbols, region->image, end - 1);
        const char *named_start = symbol_name(setting.symbols, region->image, start);
        assert_string_equal(name, named_start);
        char expected[64];
        snprintf(expected, sizeof expected, "libc.so.6+0x%llx", (unsigned long long)start);
        unnamed += strcmp(name, expected) == 0;
        at = end;
    }
    assert_true(unnamed > 10);
    tear_down(&setting);
}

static void a_learnt_name_serves_where_there_is_no_other(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, "/nonexistent");
    struct image *image = image_cache_get(setting.space.images, "/nonexistent/libx.so", 0);
    assert_string_equal(symbol_name(setting.symbols, image, 0x1230), "libx.so+0x1230");
    symbol_learn(setting.symbols, image, 0x1230, "list.append");
    assert_string_equal(symbol_name(setting.symbols, image, 0x1230), "list.append");
    tear_down(&setting);
}

static void a_deleted_file_is_known_by_its_path(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting, NULL);
    struct image *image = image_cache_get(setting.space.images, "/usr/lib/gone.so (deleted)", 0);
    assert_string_equal(symbol_module(image), "gone.so");
    assert_null(image_elf(image));
    assert_null(image_cfi(image));
    tear_down(&setting);
}

static void a_replaced_file_is_another_image(void **state)
{
    (void)state;
    struct image_cache *images = image_cache_new();
    char path[] = "/tmp/scalene-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct image *first = image_cache_get(images, path, 0);
    assert_ptr_equal(image_cache_get(images, path, 0), first);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_ptr_not_equal(image_cache_get(images, path, 0), first);
    assert_null(image_elf(first));
    close(fd);
    unlink(path);
    image_cache_free(images);
}

static void assert_demangled(const char *name, const char *expected)
{
    struct text text = {0};
    demangle(&text, name);
    assert_string_equal(text.data, expected);
    text_clear(&text);
}

static void names_are_shown_as_their_author_wrote_them(void **state)
{
    (void)state;
    assert_demangled("list_sort_impl.constprop.0", "list_sort_impl");
    // What is cut in the middle, or of a later kind, is known by where it begins.
    assert_demangled("_ZZN3tsl12_GLOBAL__N_110AsyncValue13EnqueueWaiterIZNKS_13Async",
                     "tsl::AsyncValue::EnqueueWaiter");
    assert_demangled("_ZN99999999999999999999x", "_ZN99999999999999999999x");
    assert_demangled("dict_merge.part.0.isra.1", "dict_merge");
    assert_demangled("take_gil.lto_priv.12", "take_gil");
    assert_demangled("_PyEval_EvalFrameDefault.cold", "_PyEval_EvalFrameDefault");
    assert_demangled("memcpy@@GLIBC_2.14", "memcpy");
    assert_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi.cold",
                     "std::vector<int, std::allocator<int> >::push_back(int const&)");
    assert_demangled("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
    assert_demangled("_Znonsense", "_Znonsense");
    assert_demangled("go.partial", "go.partial");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_local_function_has_its_name),
        cmocka_unit_test(of_several_names_the_plain_one_is_taken),
        cmocka_unit_test(a_function_without_a_name_is_not_given_its_neighbours),
        cmocka_unit_test(a_learnt_name_serves_where_there_is_no_other),
        cmocka_unit_test(a_deleted_file_is_known_by_its_path),
        cmocka_unit_test(a_replaced_file_is_another_image),
        cmocka_unit_test(names_are_shown_as_their_author_wrote_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

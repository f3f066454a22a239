// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include "scratch.h"
#include "unit.h"
#include "wire/await_table.h"

static void what_the_writer_counts_the_reader_sees(void **state)
{
    (void)state;
    struct scratch scratch;
    scratch_open(&scratch);
    struct await_table *writer = await_table_create(scratch.path);
    assert_non_null(writer);
    assert_null(await_table_open(scratch.path)); // it is not ready yet
    atomic_store(&writer->magic, AWAIT_MAGIC);
    struct await_table *reader = await_table_open(scratch.path);
    assert_non_null(reader);
    atomic_store(&writer->chains[7].sum.now, 3);
    assert_int_equal(atomic_load(&reader->chains[7].sum.now), 3);
    await_table_close(reader);
    await_table_close(writer);
    scratch_close(&scratch);
}

static void a_second_one_of_the_same_name_is_refused(void **state)
{
    (void)state;
    struct scratch scratch;
    scratch_open(&scratch);
    struct await_table *first = await_table_create(scratch.path);
    assert_null(await_table_create(scratch.path));
    await_table_close(first);
    scratch_close(&scratch);
}

static void a_file_of_another_size_is_refused(void **state)
{
    (void)state;
    struct scratch scratch;
    scratch_open(&scratch);
    struct await_table *table = await_table_create(scratch.path);
    atomic_store(&table->magic, AWAIT_MAGIC);
    await_table_close(table);
    assert_int_equal(truncate(scratch.path, AWAIT_TABLE_BYTES - 4096), 0);
    assert_null(await_table_open(scratch.path));
    scratch_close(&scratch);
}

static void a_table_is_named_after_its_process(void **state)
{
    (void)state;
    char path[32];
    assert_true(await_table_path(path, sizeof path, "/dir", 12, 3));
    assert_string_equal(path, "/dir/await.12.3");
    assert_false(await_table_path(path, 8, "/dir", 12, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_writer_counts_the_reader_sees),
        cmocka_unit_test(a_second_one_of_the_same_name_is_refused),
        cmocka_unit_test(a_file_of_another_size_is_refused),
        cmocka_unit_test(a_table_is_named_after_its_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "accel/nvml_processes.h"
#include "unit.h"

#define MARK 0xa5

static size_t stride_now;
static unsigned process_count;
static int status_now;

// As drivers do it: a record of `stride_now` bytes for each process.
static int list(nvml_device device, unsigned *count, void *bytes)
{
    (void)device;
    unsigned room = *count;
    *count = process_count;
    if (status_now != NVML_OK) {
        return status_now;
    }
    if (room < process_count) {
        return NVML_TOO_SMALL;
    }
    for (unsigned i = 0; i < process_count; i++) {
        char *entry = (char *)bytes + i * stride_now;
        uint64_t used = (uint64_t)(i + 1) << 20;
        memset(entry, 0xff, stride_now);
        *(uint32_t *)(void *)entry = 100 + i;
        memcpy(entry + 8, &used, sizeof used);
    }
    return NVML_OK;
}

static void every_size_of_record_is_told_by_its_bytes(void **state)
{
    (void)state;
    struct nvml_api api = {.compute_processes = list};
    static const size_t strides[] = {16, 24, 32};
    for (size_t i = 0; i < 3; i++) {
        for (process_count = 1; process_count <= 9; process_count++) {
            struct nvml_processes found = {.count = 0};
            stride_now = strides[i];
            assert_int_equal(nvml_processes_read(&api, NULL, &found), NVML_OK);
            assert_int_equal(found.count, process_count);
            for (unsigned j = 0; j < process_count; j++) {
                const struct nvml_process *one = nvml_processes_find(&found, (int)(100 + j));
                assert_non_null(one);
                assert_true(one->used_bytes == (uint64_t)(j + 1) << 20);
            }
        }
    }
}

static void a_process_in_two_lists_counts_once(void **state)
{
    (void)state;
    struct nvml_api api = {.compute_processes = list, .graphics_processes = list};
    struct nvml_processes found = {.count = 0};
    stride_now = 24;
    process_count = 3;
    assert_int_equal(nvml_processes_read(&api, NULL, &found), NVML_OK);
    assert_int_equal(found.count, 3);
    assert_null(nvml_processes_find(&found, 99));
}

static void a_refusal_is_what_is_returned(void **state)
{
    (void)state;
    struct nvml_api api = {.compute_processes = list};
    struct nvml_processes found = {.count = 0};
    status_now = NVML_NO_PERMISSION;
    assert_int_equal(nvml_processes_read(&api, NULL, &found), NVML_NO_PERMISSION);
    status_now = NVML_OK;
    assert_int_equal(nvml_processes_read(&(struct nvml_api){0}, NULL, &found), NVML_NO_FUNCTION);
    assert_int_equal(found.count, 0);
}

static void more_processes_than_there_is_room_for_are_left_out(void **state)
{
    (void)state;
    struct nvml_api api = {.compute_processes = list};
    struct nvml_processes found = {.count = 0};
    stride_now = 32;
    process_count = 2 * NVML_PROCESSES_MAX;
    assert_int_equal(nvml_processes_read(&api, NULL, &found), NVML_OK);
    assert_int_equal(found.count, NVML_PROCESSES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_of_record_is_told_by_its_bytes),
        cmocka_unit_test(a_process_in_two_lists_counts_once),
        cmocka_unit_test(a_refusal_is_what_is_returned),
        cmocka_unit_test(more_processes_than_there_is_room_for_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "render/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const order_key_names[ORDER_KEY_COUNT] = {

#define X(name) #name,
    ORDER_KEYS(X)
#undef X
};

struct weighed_line {
    const struct profile_line *line;
    double weight;
};

bool order_key_of(const char *name, enum order_key *key)
{
    for (int i = 0; i < ORDER_KEY_COUNT; i++) {
        if (strcmp(name, order_key_names[i]) == 0) {
            *key = (enum order_key)i;
            return true;
        }
    }
    return false;
}

double order_weight(const struct profile_line *line, enum order_key key)
{
    const struct profile_times *times = &line->times;
    switch (key) {
    case ORDER_line:
    case ORDER_time:
        return profile_times_cpu_s(times) + times->idle_s;
    case ORDER_python:
        return times->python_s;
    case ORDER_native:
        return times->native_s;
    case ORDER_system:
        return times->system_s;
    case ORDER_idle:
        return times->idle_s;
    case ORDER_wait:
        return profile_times_wait_s(times);
    case ORDER_await:
        return line->async.await_s;
    case ORDER_memory:
        return line->memory.peak_mb;
    case ORDER_allocated:
        return line->memory.allocated_mb;
    case ORDER_copy:
        return line->memory.copied_mb;
    case ORDER_KEY_COUNT:
        break;
    }
    return 0;
}

static int compare_weights(const void *left, const void *right)
{
    const struct weighed_line *a = left;
    const struct weighed_line *b = right;
    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return (a->line->number > b->line->number) - (a->line->number < b->line->number);
}

static int compare_numbers(const void *left, const void *right)
{
    const struct profile_line *a = *(const struct profile_line *const *)left;
    const struct profile_line *b = *(const struct profile_line *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

const struct profile_line **order_lines(const struct profile_file *file, enum order_key key,
                                        size_t max, size_t *count)
{
    struct weighed_line *weighed = mem_alloc((file->line_count + 1) * sizeof *weighed);
    const struct profile_line **lines = mem_alloc((file->line_count + 1) * sizeof *lines);
    for (size_t i = 0; i < file->line_count; i++) {
        weighed[i] = (struct weighed_line){&file->lines[i], order_weight(&file->lines[i], key)};
    }
    qsort(weighed, file->line_count, sizeof *weighed, compare_weights);
    *count = max > 0 && max < file->line_count ? max : file->line_count;
    for (size_t i = 0; i < *count; i++) {
        lines[i] = weighed[i].line;
    }
    if (key == ORDER_line) {
        qsort(lines, *count, sizeof *lines, compare_numbers);
    }
    free(weighed);
    return lines;
}

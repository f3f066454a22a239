// SPDX-License-Identifier: Apache-2.0
#include "profile/async.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

double profile_async_mean(const struct profile_async *async)
{
    return async->occupied_s > 0 ? fmin(async->peak, async->shared_s / async->occupied_s) : 0;
}

// Where the name is, or belongs.
static size_t find_name(const struct profile_async *async, const char *name)
{
    size_t at = 0;
    while (at < async->task_name_count && strcmp(async->task_names[at], name) < 0) {
        at++;
    }
    return at;
}

void profile_async_add_name(struct profile_async *async, const char *name)
{
    size_t at = find_name(async, name);
    size_t count = async->task_name_count;
    if (count >= PROFILE_TASK_NAMES_MAX ||
        (at < count && strcmp(async->task_names[at], name) == 0)) {
        return;
    }
    if (!async->task_names) {
        async->task_names = mem_alloc(PROFILE_TASK_NAMES_MAX * sizeof(char *));
    }
    memmove(async->task_names + at + 1, async->task_names + at, (count - at) * sizeof(char *));
    async->task_names[at] = mem_copy_text(name);
    async->task_name_count++;
}

void profile_async_add(struct profile_async *sum, const struct profile_async *part)
{
    sum->await_s += part->await_s;
    sum->occupied_s += part->occupied_s;
    sum->shared_s += part->shared_s;
    sum->peak = fmax(sum->peak, part->peak);
    sum->work_s += part->work_s;
    sum->block_count += part->block_count;
    sum->block_s += part->block_s;
    sum->block_longest_s = fmax(sum->block_longest_s, part->block_longest_s);
    sum->is_coroutine |= part->is_coroutine;
    for (size_t i = 0; i < part->task_name_count; i++) {
        profile_async_add_name(sum, part->task_names[i]);
    }
}

void profile_async_clear(struct profile_async *async)
{
    for (size_t i = 0; i < async->task_name_count; i++) {
        free(async->task_names[i]);
    }
    free(async->task_names);
    *async = (struct profile_async){0};
}

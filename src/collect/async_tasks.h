// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of a run, the heaviest of them. Zero-initialised is empty.

#include "profile/profile.h"

struct async_tasks {
    struct profile_task *list;
    size_t count;
    size_t capacity;
    uint64_t unlisted;
};

// Takes the task over, its texts included.
void async_tasks_add(struct async_tasks *tasks, const struct profile_task *task);

// Copies what there is to the profile, heaviest first.
void async_tasks_fill(struct async_tasks *tasks, struct profile *profile);
void async_tasks_clear(struct async_tasks *tasks);

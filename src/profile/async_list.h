// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a profile's JSON says about coroutines: a record's fields, the tasks, and the lines that
// kept an event loop busy.

#include <jansson.h>

#include "profile/profile.h"
#include "profile/writer.h"

void async_list_write_tasks(struct writer *writer, const struct profile *profile);
void async_list_write_blocks(struct writer *writer, const struct profile *profile);

// Of one line or function.
void async_list_load(const json_t *object, struct profile_async *async);

// Of the whole document, once its files are there.
void async_list_load_all(const json_t *root, struct profile *profile);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// In which order lines are shown, and how many: as they stand in the file, or the heaviest first.

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

#define ORDER_KEYS(X) \
    X(line)           \
    X(time)           \
    X(python)         \
    X(native)         \
    X(system)         \
    X(idle)           \
    X(wait)           \
    X(await)          \
    X(memory)         \
    X(allocated)      \
    X(copy)

enum order_key {

#define X(name) ORDER_##name,
    ORDER_KEYS(X)
#undef X
        ORDER_KEY_COUNT
};

extern const char *const order_key_names[ORDER_KEY_COUNT];

double order_weight(const struct profile_line *line, enum order_key key);
bool order_key_of(const char *name, enum order_key *key);

// The file's lines in this order, at most `max` of them (0: all). With ORDER_line and a limit the
// heaviest by time are chosen. The caller frees the list.
const struct profile_line **order_lines(const struct profile_file *file, enum order_key key,
                                        size_t max, size_t *count);

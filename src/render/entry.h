// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of all files as one list, in one order, for listings and digests.

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "profile/profile.h"
#include "profile/source.h"
#include "render/order.h"

struct entry {
    const struct profile_file *file;
    const struct profile_line *line;
};

struct entry_list {
    struct entry *list;
    size_t count;
    size_t capacity;
};

// ORDER_line: by file, those with the most time first, as they stand there. At most `max` (0: all).
struct entry_list entry_list_of(const struct profile *profile, enum order_key key, size_t max);
void entry_list_clear(struct entry_list *entries);

// The numbers of a line by name, in the order that JSON wants its keys.
#define ENTRY_VALUES 15

extern const char *const entry_value_names[ENTRY_VALUES];

// Figures of a GPU are shown of a program that used one, awaits of one that had tasks.
bool entry_has(const struct profile *profile, size_t value);

void entry_values(const struct profile *profile, const struct profile_line *line,
                  double values[ENTRY_VALUES]);

// Source texts, each cut into lines once. With the profile alone set it is empty.
struct entry_reader {
    const struct profile *profile;
    struct source *sources; // of each file; NULL: none yet
};

// The source text of a line in one line of plain text, at most `max` bytes of it (0: all).
void entry_add_source(struct text *out, struct entry_reader *reader, const struct entry *entry,
                      size_t max);
void entry_reader_clear(struct entry_reader *reader);

// One line of text: whatever would end it, or the terminal's patience, becomes a space.
void entry_add_plain(struct text *out, const char *text, size_t len);

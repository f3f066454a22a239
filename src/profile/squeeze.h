// SPDX-License-Identifier: Apache-2.0
#pragma once

// Takes out of a profile's text what viewers do not read: white space, times of samples, and in the
// records of lines what is zero or empty. What is left is a small part of the text, so that a large
// profile is shown without delay. The two long lists are set apart, to be read one element at a
// time: nobody has to hold the whole of them as objects.

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum squeeze_use {
    SQUEEZE_LINES, // tables of lines: stacks are left out too
    SQUEEZE_PAGE,
};

struct squeezed_list {
    size_t start; // in the records
    size_t end;
};

struct squeezed {
    struct text text;            // the profile; "lines" of a file is a number, of its list
    struct text records;         // of lines: objects, one behind the other
    struct squeezed_list *lists; // of records
    size_t list_count;
    size_t list_capacity;
    const char *timeline; // in the text that was squeezed: "combined_stacks_timeline"; NULL: none
    size_t timeline_len;
};

// False if the text is not JSON or nested too deep; it is then to be parsed as it is, by a reader
// that says what is wrong. To be cleared either way.
bool squeeze(const char *text, size_t len, enum squeeze_use use, struct squeezed *out);
void squeezed_clear(struct squeezed *squeezed);

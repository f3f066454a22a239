// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file's source text, cut into lines as Python counts them.

#include <stdbool.h>
#include <stddef.h>

struct source_line {
    const char *text; // not NUL-terminated; its newline belongs to it
    size_t len;
};

struct source {
    char *text;
    size_t len;
    struct source_line *lines; // line N is lines[N - 1]
    size_t line_count;
};

// Takes a copy of the text.
void source_from_text(struct source *source, const char *text, size_t len);

// Reads a file, or a member of a zip archive (/x/app.zip/pkg/mod.py). False if there is none, or
// if it is too large for a source text; the source is then empty.
bool source_from_path(struct source *source, const char *path);
void source_clear(struct source *source);

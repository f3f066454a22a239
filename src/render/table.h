// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of a file's lines: number, columns (render/column.h), source text.

#include "profile/profile.h"
#include "render/column.h"
#include "render/paint.h"
#include "render/terminal.h"

struct table {
    const struct profile *profile;
    struct canvas *canvas;
    const struct terminal_options *options;
    struct column_set set;
};

void table_init(struct table *table, const struct profile *profile, struct canvas *canvas,
                const struct terminal_options *options);
void table_render(const struct table *table, const struct profile_file *file);

// What percentages, letters and missing columns mean.
void table_legend(const struct table *table, struct text *out);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Help texts, written from the tables of commands and options.

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/option.h"

struct help_style {
    bool has_color;
    unsigned width;
};

// A line such as "usage: scalene run [options] prog.py".
void help_add_usage(struct text *out, const struct help_style *style, const char *usage);
void help_add_heading(struct text *out, const struct help_style *style, const char *heading);
void help_add_options(struct text *out, const struct help_style *style,
                      const struct option_table *table, enum option_group group);
void help_add_commands(struct text *out, const struct help_style *style,
                       const struct command *commands, size_t count);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Help texts, written from the tables of commands and options, folded to the screen's width and
// coloured as Python's own argparse (3.14) colours them.

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/command.h"

struct help_style {
    bool has_color;
    unsigned width; // 0: not known
};

// Of one command, with the options of one group.
void help_add_command(struct text *out, const struct help_style *style,
                      const struct command *command, enum option_group group);

// Of scalene as a whole.
void help_add_overview(struct text *out, const struct help_style *style);

// The same, on a stream, as that can show it. A command of NULL is scalene as a whole.
void help_print(FILE *stream, const struct command *command, enum option_group group);

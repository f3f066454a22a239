// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scripts by which shells complete scalene's command line, written from the tables of commands and
// options.

#include "base/text.h"

struct completion_shell {
    const char *name;
    void (*add_script)(struct text *out);
};

// Ends with a NULL name.
extern const struct completion_shell completion_shells[];

void completion_add_bash(struct text *out);
void completion_add_zsh(struct text *out);
void completion_add_fish(struct text *out);

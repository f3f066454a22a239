// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options from TOML: those of the table tool.scalene, as pyproject.toml has it.

#include "cli/config.h"

__attribute__((warn_unused_result)) bool
config_read_toml(const struct config *config, const struct text *content, struct error *err);

// Whether the text has such a table. In what is no TOML its name is enough: reading it will say
// what is wrong, where a text that does not mention it is others' business.
bool config_toml_has_table(const struct text *content);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options from YAML: the document is one mapping. A key without a value changes nothing.

#include "cli/config.h"

__attribute__((warn_unused_result)) bool
config_read_yaml(const struct config *config, const struct text *content, struct error *err);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// "trace_operators" of a profile's JSON.

#include <jansson.h>

#include "profile/profile.h"
#include "profile/writer.h"

void operator_list_write(struct writer *writer, const struct profile_operators *operators);
void operator_list_load(const json_t *root, struct profile_operators *operators);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The JSON lists of call stacks: "stacks", "combined_stacks", "combined_stacks_timeline",
// "memory_stacks".

#include "profile/profile.h"
#include "profile/writer.h"

void stack_list_write(struct writer *writer, const struct profile *profile);

void stack_list_write_memory(struct writer *writer, const struct profile *profile);

// The combined ones and their timeline.
void stack_list_write_combined(struct writer *writer, const struct profile *profile);

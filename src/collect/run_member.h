// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

// Whether any process takes part in the run of this directory: it has the control page in its
// memory, as its children have from their first moment on. We ourselves and our own children do
// not count. Looks through all processes: not for every day.
bool run_member_exists(const char *run_dir);

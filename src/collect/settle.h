// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the threads of a process used that did not tell their own end: the rest of its CPU.

#include <stdbool.h>

#include "collect/fold.h"

// `is_final`: nothing more will come of the process, and its threads have ended. Otherwise it is
// for the next filling only.
void settle_process(struct fold *fold, struct process *process, bool is_final);

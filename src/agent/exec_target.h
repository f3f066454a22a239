// SPDX-License-Identifier: Apache-2.0
#pragma once

// The file that is about to be executed, and whether the agent can come along.
// Context: any thread, vfork child

#include "wire/roll.h"

#define EXEC_PATH_MAX 4096

// What becomes of a process that executes this file, as far as the file decides it: ROLL_STARTED,
// also where it cannot be read, or the reason why it can have no ring. Arguments as of execveat.
enum roll_state exec_target_judge(int directory, const char *path, int flags);

// The file that is found when `name` is searched for in PATH: `name` itself, `buf`, or NULL.
const char *exec_target_search(const char *name, char buf[EXEC_PATH_MAX]);

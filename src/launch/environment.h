// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program's environment: the caller's, in its order, with the two variables that a process of
// the run needs.

// Belongs to the caller: the array is one block, its entries are `environ`'s or part of the block.
char **environment_with_agent(char *const *environment, const char *agent, const char *run_dir);

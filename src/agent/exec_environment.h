// SPDX-License-Identifier: Apache-2.0
#pragma once

// Our two variables in the environment that a program is started with. Nothing is changed in place:
// a copy without them lies on the stack for the time of the call that needs it.
// Context: any thread, vfork child

#include <stdbool.h>

// Whether a program that gets this environment joins the run.
bool exec_environment_joins(char *const environment[]);

// Starts a program with this environment; returns as the original does.
typedef int exec_action(const void *call, char *const environment[]);

// Does `act` with the environment less our variables. One with more than some thousand entries is
// given as it is.
int exec_environment_without_ours(char *const environment[], exec_action *act, const void *call);

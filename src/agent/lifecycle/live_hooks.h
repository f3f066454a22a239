// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hooks of a program that was not started with them: put into the tables of all its libraries,
// and into those of libraries that it loads later, and taken out again.
// Context: any thread

#include <stdbool.h>

// False: nothing is hooked.
bool live_hooks_install(void);
// `but_of_signals`: those that show the program its signals stay.
void live_hooks_remove(bool but_of_signals);

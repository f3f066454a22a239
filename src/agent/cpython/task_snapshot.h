// SPDX-License-Identifier: Apache-2.0
#pragma once

// The second best way to know what tasks wait for, where a coroutine's slots are not what is
// expected: once a loop has been idle for some time, its tasks are looked at one by one, and each
// has waited that long where it stands. Bounded: some hundred tasks at a look, which stand for the
// rest; and where there are so many that a look takes long, they come less often.
// Context: holds the GIL

#include <stdbool.h>

// False: neither is this possible.
bool task_snapshot_install(void);
void task_snapshot_remove(void);

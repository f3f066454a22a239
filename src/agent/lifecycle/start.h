// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the agent comes into a process and leaves it. Only in this folder may it allocate or hold the
// GIL.

// What is to be done once Python can be used. Context: holds the GIL, the session is active.
void start_python(void);

// From now on the child of a fork is another process of the run.
void start_watch_forks(void);

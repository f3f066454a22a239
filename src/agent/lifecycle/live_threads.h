// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that ran before the session was begun. Each begins where it is next met: in a hook, or in
// the handler of a signal that it gets once it computes. What it had used by the beginning of the
// session is noted then, and is not the session's.

// Notes all threads of the process, and calls them. Context: the session is active.
void live_threads_call(void);

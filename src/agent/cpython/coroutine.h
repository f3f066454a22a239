// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every step of a task is one call on its outermost coroutine, made with the GIL held: before it
// the task waits or is new, after it the task waits again or has ended. Our functions stand in the
// coroutine type's own slots, and see each of them: no list of tasks, nothing that the program
// could see. See docs/async.md.

// Puts them in. Where the slots are not what is expected none is changed, and a counter says so.
// Context: holds the GIL
void coroutine_install(void);

// Puts the originals back. Context: holds the GIL
void coroutine_remove(void);

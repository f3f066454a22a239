// SPDX-License-Identifier: Apache-2.0
#pragma once

// What asyncio hands to threads (run_in_executor, to_thread) goes through a queue of C: our
// functions stand behind its methods, so that who takes a piece of work is known to work for who
// put it there. Context: holds the GIL

// Puts them in, once the program has loaded that module.
void executor_queue_install(void);

// Puts the originals back.
void executor_queue_remove(void);

// The program is about to start a thread: the module may be new, and its first piece of work may be
// on its way already. Context: any thread, with or without the GIL
void executor_queue_look(void);

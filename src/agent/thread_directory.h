// SPDX-License-Identifier: Apache-2.0
#pragma once

// All threads of this process, as the kernel lists them.
// Context: any thread, signal handler

void thread_directory_visit(void (*visit)(int tid, void *context), void *context);

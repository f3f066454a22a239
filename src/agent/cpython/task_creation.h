// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where tasks are made: the innermost line of the program's own when asyncio's Task is called, for
// as many tasks as are followed one by one. Our function stands in that type's own slot.
// Context: holds the GIL

#include <stdint.h>

#include "wire/record.h"

// `task` is one of them, or of a class derived from it: the type is found by it, once, and for the
// first interpreter that has one. Where its slot is not asyncio's own any more it is left alone.
void task_creation_install(uintptr_t task);

// Where the task of that coroutine was made; code 0: not known. It is told once.
struct record_frame task_creation_take(uintptr_t coroutine);

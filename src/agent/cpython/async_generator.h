// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asynchronous generators that somebody drives by hand, past every coroutine: our functions stand
// in the slots of what their `asend` and `__anext__` return. Within a step of a task they only pass
// on. Context: holds the GIL

void async_generator_install(void);
void async_generator_remove(void);

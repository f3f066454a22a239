// SPDX-License-Identifier: Apache-2.0
#pragma once

// 3.8 and 3.9 have no slot for a task's step: asyncio's library calls the interpreter's function by
// its name, through a table of its own. That entry is changed once the library is loaded, which is
// seen when the next file is opened.

// Context: holds the GIL
void generator_send_install(void);
void generator_send_remove(void);

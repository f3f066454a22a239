// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tells who starts scalene in the background of a shell how to turn profiling off and on.

// To be called before the program starts: after that the terminal is the program's.
void background_announce(void);

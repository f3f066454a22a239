// SPDX-License-Identifier: Apache-2.0
#pragma once

// What scalene says on stderr.

// "scalene: ..." and a line end, in one write. What it quotes (a name, a broken file) may be
// anything: control characters become question marks.
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

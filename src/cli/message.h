// SPDX-License-Identifier: Apache-2.0
#pragma once

// What scalene says on stderr.

// "scalene: ..." and a line end, in one write.
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

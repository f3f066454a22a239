// SPDX-License-Identifier: Apache-2.0
#pragma once

// What went wrong, as one sentence for the user. A function that can fail returns false and fills
// it; callers add what they were doing on the way up; only cli prints it.

#include <stdbool.h>

struct error {
    char text[1024];
};

// Always returns false, so that a failing function can say `return error_set(err, ...)`.
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts "context: " in front of what is there. Always returns false.
bool error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

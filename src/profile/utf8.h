// SPDX-License-Identifier: Apache-2.0
#pragma once

// UTF-8 that may be broken: each byte that is no part of a valid sequence counts as U+FFFD.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

// The first code point of a text that is not empty. Returns how many bytes it took.
size_t utf8_read(const char *bytes, size_t len, uint32_t *point);

// How many bytes the code points have that fit into the first `max`.
size_t utf8_cut(const char *bytes, size_t len, size_t max);

// What a terminal acts upon instead of showing it, and what changes the order in which text is read
// (Unicode Standard Annex 9).
bool utf8_is_control(uint32_t point);

// Writes up to four bytes, no NUL. Returns how many.
size_t utf8_write(uint32_t point, char *bytes);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// UTF-8 that may be broken: each byte that is no part of a valid sequence counts as U+FFFD.

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

// The first code point of a text that is not empty. Returns how many bytes it took.
size_t utf8_decode(const char *bytes, size_t len, uint32_t *point);

// Writes up to four bytes, no NUL. Returns how many.
size_t utf8_encode(uint32_t point, char *bytes);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text as the interpreter keeps it, of 1, 2 or 4 bytes a code point, made UTF-8.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether a record's width can be one.
bool python_text_is_width(unsigned width);

// The caller frees it.
char *python_text_decode(const uint8_t *bytes, size_t len, unsigned width);

// The same of a file's name, which may be any bytes: what Python could not decode is what it was.
char *python_text_decode_path(const uint8_t *bytes, size_t len, unsigned width);

// As much as fits into `out`, whole characters, with a NUL.
void python_text_copy(const uint8_t *bytes, size_t len, unsigned width, char *out, size_t size);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fields of JSON that nobody checked: what is missing, of another type or out of range reads as
// zero or empty.

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

double field_real(const json_t *object, const char *key); // 0 or more, and finite
int field_integer(const json_t *object, const char *key); // any int
uint64_t field_count(const json_t *object, const char *key);
bool field_bool(const json_t *object, const char *key);

// A copy that the caller frees; NULL if it is no text. A NUL in the text becomes a space.
char *field_text(const json_t *object, const char *key);
char *field_copy_text(const json_t *text);

// A copy of the texts in a list. The caller frees each and the array.
char **field_texts(const json_t *object, const char *key, size_t *count);

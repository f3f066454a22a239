// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text inside HTML. What comes from outside can neither end the element it stands in nor turn the
// reading order of what follows: markup characters become references, control characters and
// direction marks U+FFFD.

#include <stddef.h>

#include "base/text.h"

void markup_text(struct text *out, const char *text);
void markup_bytes(struct text *out, const char *bytes, size_t len);

// JSON inside a script element: no character of it can end the element.
void markup_json(struct text *out, const char *json, size_t len);

// gzip of the bytes as base64, the same for the same bytes.
void markup_packed(struct text *out, const char *bytes, size_t len);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads XPlane, the protocol-buffer form in which TensorFlow and JAX write their traces, into a
// document of the same form as Chrome's, so that one reader of events serves both. Bounded; of any
// bytes it makes a document or refuses them.

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define XPLANE_SUFFIX ".xplane.pb"

// The caller owns the document.
bool xplane_read(json_t **root, const char *bytes, size_t len, struct error *err);

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads one member of a zip archive, stored or deflated: where the modules of a zipapp live.

#include <stddef.h>

// NULL if there is no such member, or the archive is broken, encrypted or the member too large.
// The caller frees the text, which has a NUL behind its `*len` bytes.
char *zip_read_member(const char *archive, const char *member, size_t size_max, size_t *len);

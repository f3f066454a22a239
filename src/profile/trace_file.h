// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds and reads a trace: Chrome's JSON, plain or gzipped.

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

#define TRACE_PATH_MAX 4096

// `path` itself, or if it is a folder the newest trace in it or below that is no older than
// `since_s` (Unix time).
bool trace_file_find(char found[TRACE_PATH_MAX], const char *path, double since_s,
                     struct error *err);

bool trace_file_read(json_t **root, const char *path, struct error *err);

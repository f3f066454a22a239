// SPDX-License-Identifier: Apache-2.0
#pragma once

// What some code addresses of the interpreter mean. The collector finds most C functions in the
// interpreter's file; the ones here are set up only when it runs.
// Context: holds the GIL

#include <stddef.h>

#include "wire/record.h"

#define ROLES_MAX 128

size_t roles_collect(struct record_address addresses[ROLES_MAX]);
